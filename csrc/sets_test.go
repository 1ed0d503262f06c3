package csrc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/cpuid"
)

func TestEveryLoopHasItsNumberAndForm(t *testing.T) {
	for number := range int32(len(Sets)) {
		listed, names := LoopsOf(number), map[string]bool{}
		seen := 0
		for form := range forms {
			for variant := range variants {
				loop, ok := Loop(number, form, variant)
				assert.Equal(t, form, FormOf(loop))
				assert.Equal(t, variant, VariantOf(loop))
				assert.Equal(t, ok, slices.Contains(listed, loop), LoopName(number, loop))
				if ok {
					seen++
					names[LoopName(number, loop)] = true
				}
			}
		}
		assert.Len(t, listed, seen)
		assert.Len(t, names, seen)
	}
}

func TestSetsAreKnownByName(t *testing.T) {
	for number, set := range Sets {
		first := Sets[SetNumber(set.Name)]
		assert.True(t, SetNumber(set.Name) == int32(number) || set.InGo && first.InGo && first.Arch != set.Arch, set.Name)
		assert.Contains(t, []string{"amd64", "arm64", "wasm"}, set.Arch)
	}
	assert.EqualValues(t, -1, SetNumber("none"))
}

// What a set needs is a field of cpuid.Features that Has knows, or nothing.
func TestSetsNeedWhatIsKnown(t *testing.T) {
	all := cpuid.Features{AVX2: true, AVX512VBMI: true, NEON: true}
	for _, set := range Sets {
		assert.True(t, all.Has(set.Needs), set.Name)
		assert.Equal(t, set.Needs == "", cpuid.Features{}.Has(set.Needs), set.Name)
	}
}

func TestSetsThatAreNotBuiltPanic(t *testing.T) {
	not := 0
	for set := range int32(len(Sets)) {
		if Built(set) {
			continue
		}
		not++
		p := &Program{Set: set}
		assert.Panics(t, func() { p.Run(nil, nil) }, Sets[set].Name)
		assert.Panics(t, func() { new(Conversion).Convert(set, p, nil, nil, nil, nil) }, Sets[set].Name)
		assert.Panics(t, func() { YCbCr(set, nil, nil, nil, nil, 0, 1, 0) }, Sets[set].Name)
	}
	assert.Positive(t, not)
}
