package program

import (
	"math/bits"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
)

var formNames = [forms]string{
	"copy", "tile", "table", "gather", "element", "string",
	"lanes", "dwords", "bytes", "cross", "every2", "every3", "every4",
	"units_lanes", "units_dwords", "units_bytes", "units_cross",
	"permute", "units_permute",
}

// variantOf returns the variant of a loop.
func variantOf(loop int32) int { return int(loop % variants) }

// loopName returns the name of a loop of set number s. It consists of the set, the form and the
// variant unless that is 0, such as avx2_copy, avx2_lanes_3 and avx2_every2_4.
func loopName(s, loop int32) string {
	name := Sets[s].Name + "_" + formNames[FormOf(loop)]
	if v := variantOf(loop); v != 0 {
		name += "_" + strconv.Itoa(v)
	}
	return name
}

// loopsOf returns the numbers of the loops of set number s.
func loopsOf(s int32) (numbers []int32) {
	for form, set := range Sets[s].loops {
		for ; set != 0; set &= set - 1 {
			numbers = append(numbers, int32(form*variants+bits.TrailingZeros16(uint16(set))))
		}
	}
	return numbers
}

func TestEveryLoopHasItsNumberAndForm(t *testing.T) {
	for number := range int32(len(Sets)) {
		listed, names := loopsOf(number), map[string]bool{}
		seen := 0
		for form := range forms {
			for variant := range variants {
				loop, ok := Loop(number, form, variant)
				assert.Equal(t, form, FormOf(loop))
				assert.Equal(t, variant, variantOf(loop))
				assert.Equal(t, ok, slices.Contains(listed, loop), loopName(number, loop))
				if ok {
					seen++
					names[loopName(number, loop)] = true
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
		assert.Contains(t, []string{"amd64", "arm64"}, set.Arch)
	}
	assert.EqualValues(t, -1, SetNumber("none"))
}

// A kernel is a list of sets of one architecture, weakest first. The last one has the kernel's
// name.
func TestKernelsAreListsOfSets(t *testing.T) {
	for number, set := range Sets {
		assert.True(t, slices.IsSorted(set.Kernel), set.Name)
		assert.EqualValues(t, number, set.Kernel[len(set.Kernel)-1], set.Name)
		for _, weaker := range set.Kernel {
			assert.Equal(t, set.Arch, Sets[weaker].Arch, set.Name)
			assert.Equal(t, set.InGo, Sets[weaker].InGo, set.Name)
		}
	}
}

// What a set needs is a field of cpuid.Features that Has knows, or nothing.
func TestSetsNeedWhatIsKnown(t *testing.T) {
	all := cpuid.Features{AVX2: true, AVX512VBMI: true, NEON: true}
	for _, set := range Sets {
		assert.True(t, all.Has(set.Needs), set.Name)
		assert.Equal(t, set.Needs == "", cpuid.Features{}.Has(set.Needs), set.Name)
	}
}

// Programs have all bytes of the body that the loop of each program reads.
func TestProgramsHaveTheirBodies(t *testing.T) {
	for form := range forms {
		var d Draft
		d.Loop, _ = Loop(0, form, 0)
		for i := range d.room {
			d.room[i] = uint64(form)<<32 + uint64(i)
		}
		var ps Programs
		ps.Add(new(Draft))
		ps.Add(&d)
		require.Equal(t, 2, ps.Len())
		p := ps.At(1)
		require.Equal(t, d.Program, *p)
		switch {
		case form == Tile || form == Table:
			assert.Equal(t, *d.Tiles(), *p.Tiles())
		case form >= UnitsLanes && form < Permute:
			assert.Equal(t, *d.Units(), *p.Units())
		case form >= Lanes && form < Permute:
			assert.Equal(t, *d.Shuffle(), *p.Shuffle())
		case form == Permute:
			assert.Equal(t, *d.Masks(), *p.Masks())
		case form == UnitsPermute:
			assert.Equal(t, *d.MaskedUnits(), *p.MaskedUnits())
		}
		assert.Equal(t, ps.Bytes(), ps.Start(1)+int64(p.size()))
		ps.Clear()
		assert.Zero(t, ps.Len())
		assert.Zero(t, ps.Bytes())
	}
}
