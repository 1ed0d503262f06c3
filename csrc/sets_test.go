package csrc

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/cpuid"
)

// The loops of a set have the same names in the same order in Go's list and in C's table.
func TestLoopsAreThoseOfC(t *testing.T) {
	for number, set := range Sets {
		if Built(int32(number)) {
			assert.Equal(t, LoopNames(int32(number)), builtLoops(int32(number)), set.Name)
		}
	}
}

func TestEveryLoopHasItsNumberAndForm(t *testing.T) {
	for number := range int32(len(Sets)) {
		seen := map[int32]bool{}
		for form := range forms {
			for variant := range variants {
				if loop, ok := Loop(number, form, variant); ok {
					assert.Equal(t, form, FormOf(number, loop))
					assert.False(t, seen[loop], "two forms or variants have loop %d", loop)
					seen[loop] = true
				}
			}
		}
		assert.Len(t, seen, len(LoopNames(number)))
		assert.Equal(t, forms, FormOf(number, int32(len(seen))), "no loop has this number")
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
	}
	assert.Positive(t, not)
}
