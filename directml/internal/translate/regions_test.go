package translate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// The regions of RegionsOf move the same bytes as the operator's formula. RegionsOf may split a
// region in two. So it may return nil for a slice of more than maxRegions/2 regions, and must not
// for one of maxRegions/2 regions or fewer.
func TestRegionsMoveTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	count := map[int]int{}
	for range 3000 {
		d := samples.Random(rng)
		g := GeometryOf(d)
		regions := RegionsOf(d)
		want := samples.Moves(d)
		longest := 1
		for i := 1; i < len(want); i++ {
			if want[i].Dst != want[i-1].Dst+1 || want[i].Src != want[i-1].Src+1 {
				longest++
			}
		}
		count[len(regions)]++
		if regions == nil {
			require.Greater(t, longest, maxRegions/2, samples.Describe(d))
			continue
		}
		require.LessOrEqual(t, len(regions), maxRegions)
		var got []samples.Move
		for _, r := range regions {
			require.Equal(t, regions[0].Size, r.Size)
			for b := range r.Size {
				got = append(got, samples.Move{Dst: r.Dst + b, Src: g.SrcLo + r.Src + b})
			}
		}
		require.Equal(t, want, got, samples.Describe(d))
		whole := WholeOf(d)
		whole.requireEnds(t, got, g, int64(d.Input.DataType.Size()), g.SrcHi)
	}
	t.Logf("copies: of 3000 descriptors, by number of regions, %v", count)
	for _, n := range []int{0, 1, 2, 4, 16} {
		assert.Positive(t, count[n], n)
	}
}

func TestRegionsOf(t *testing.T) {
	rows := slice1.Whole(slice1.Uint16, 4, 10)
	crop := slice1.NewDesc(slice1.Uint16, []int{9, 10}, slice1.Window{Offsets: []int{2, 3}, Sizes: []int{3, 5}, Strides: []int{2, 1}, Out: []int{2, 5}})
	back := slice1.NewDesc(slice1.Uint16, []int{9, 10}, slice1.Window{Offsets: []int{2, 0}, Sizes: []int{3, 10}, Strides: []int{-1, 1}, Out: []int{3, 10}})
	long := slice1.Whole(slice1.Uint8, 17, 1<<20)
	long.Input.Strides = []int{1<<20 + 1, 1}
	for name, c := range map[string]struct {
		d    *slice1.Desc
		want []Region
	}{
		"everything":    {rows, []Region{{0, 0, 80}}},
		"parts of rows": {crop, []Region{{0, 0, 10}, {10, 40, 10}}},
		"rows reversed": {back, []Region{{0, 40, 20}, {20, 20, 20}, {40, 0, 20}}},
		"too many":      {long, nil},
		"one by one":    {samples.Flipped(slice1.Uint8, 3), []Region{{0, 2, 1}, {1, 1, 1}, {2, 0, 1}}},
	} {
		assert.Equal(t, c.want, RegionsOf(c.d), name)
	}
	assert.Equal(t, "Direct3D copies 10 bytes each from 46 to 0, 86 to 10", DescribeRegions(RegionsOf(crop), GeometryOf(crop).SrcLo))
}
