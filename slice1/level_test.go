package slice1_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

var levels = []slice1.FeatureLevel{
	slice1.FeatureLevel1_0, slice1.FeatureLevel2_0, slice1.FeatureLevel2_1, slice1.FeatureLevel3_0, slice1.FeatureLevel3_1,
	slice1.FeatureLevel4_0, slice1.FeatureLevel4_1, slice1.FeatureLevel5_0, slice1.FeatureLevel5_1, slice1.FeatureLevel5_2,
	slice1.FeatureLevel6_0, slice1.FeatureLevel6_1, slice1.FeatureLevel6_2, slice1.FeatureLevel6_3, slice1.FeatureLevel6_4,
}

// whole copies a tensor of that type and shape.
func whole(dtype slice1.DataType, sizes ...int) *slice1.Desc {
	w := slice1.Window{Sizes: sizes, Out: sizes}
	for range sizes {
		w.Offsets, w.Strides = append(w.Offsets, 0), append(w.Strides, 1)
	}
	return slice1.NewDesc(dtype, sizes, w)
}

func TestLevelsTakeTheirRanksAndTypes(t *testing.T) {
	for _, level := range levels {
		for dtype := slice1.Float32; dtype <= slice1.Int64; dtype++ {
			for rank := 1; rank <= 8; rank++ {
				sizes := make([]int, rank)
				for i := range sizes {
					sizes[i] = 2
				}
				err := whole(dtype, sizes...).ValidateFor(level)
				switch {
				case level < 0x2100:
					assert.ErrorIs(t, err, errors.ErrUnsupported, "%#x", level)
				case level < 0x3000 && (rank < 4 || rank > 5):
					assert.ErrorIs(t, err, slice1.ErrRank, "%#x rank %d", level, rank)
				case level < 0x4100 && dtype.Size() == 8:
					assert.ErrorIs(t, err, slice1.ErrDataType, "%#x %v", level, dtype)
				default:
					assert.NoError(t, err, "%#x %v rank %d", level, dtype, rank)
				}
			}
		}
	}
	assert.NoError(t, whole(slice1.Int64, 3).ValidateFor(0x7000), "a level to come")
}

// A rule that DirectML shares with the CPU gives the same error at every level.
func TestLevelsNameBrokenRulesAsValidateDoes(t *testing.T) {
	for _, f := range faults {
		d := valid()
		f.breakIt(d)
		switch f.sentinel {
		case slice1.ErrAlign, slice1.ErrTotalSize:
			require.ErrorIs(t, d.ValidateFor(slice1.FeatureLevel6_4), f.sentinel, f.name)
		default:
			requireDescError(t, d.ValidateFor(slice1.FeatureLevel6_4), f)
		}
	}
	for _, level := range levels[2:] {
		require.NoError(t, valid().ValidateFor(level))
	}
}

// Each row was given to Microsoft's DLL, which accepted it or returned E_INVALIDARG.
func TestLevelRulesAreTheDLLs(t *testing.T) {
	strided := func(dtype slice1.DataType, in, out []int, sizes ...int) *slice1.Desc {
		d := whole(dtype, sizes...)
		d.Input.Strides, d.Output.Strides = in, out
		return d
	}
	total := func(dtype slice1.DataType, n int, bytes int64) *slice1.Desc {
		d := whole(dtype, n)
		d.Input.TotalSize, d.Output.TotalSize = bytes, bytes
		return d
	}
	align := func(a int) *slice1.Desc {
		d := whole(slice1.Float32, 8)
		d.Input.BaseAlign, d.Output.BaseAlign = a, a
		return d
	}
	stride := func(s int) *slice1.Desc {
		d := whole(slice1.Float32, 8)
		d.Output.Sizes, d.WindowStrides = []int{1}, []int{s}
		return d
	}
	for name, c := range map[string]struct {
		d    *slice1.Desc
		want error
	}{
		"window stride int32 min, one output":  {stride(math.MinInt32), nil},
		"window stride int32 max, one output":  {stride(math.MaxInt32), nil},
		"window stride longer than the window": {stride(9), nil},
		"broadcast input":                      {strided(slice1.Float32, []int{0, 1}, nil, 4, 4), nil},
		"transposed input":                     {strided(slice1.Float32, []int{1, 4}, nil, 4, 4), nil},
		"overlapping input":                    {strided(slice1.Float32, []int{1, 1}, nil, 4, 4), nil},
		"padded output rows":                   {strided(slice1.Float32, nil, []int{7, 1}, 4, 4), nil},
		"transposed output":                    {strided(slice1.Float32, nil, []int{1, 4}, 4, 4), nil},
		"interleaved output":                   {strided(slice1.Float32, nil, []int{3, 4}, 4, 3), nil},
		"interleaved output that meets":        {strided(slice1.Float32, nil, []int{3, 4}, 5, 4), slice1.ErrOverlap},
		"output strides 2 and 3":               {strided(slice1.Float32, nil, []int{2, 3}, 2, 2), nil},
		"output stride 0 of extent 1":          {strided(slice1.Float32, nil, []int{0, 1}, 1, 4), nil},
		"output strides 1 and 1":               {strided(slice1.Float32, nil, []int{1, 1}, 4, 4), slice1.ErrOverlap},
		"output strides 3 and 1":               {strided(slice1.Float32, nil, []int{3, 1}, 4, 4), slice1.ErrOverlap},
		"output strides 2, 1, 4":               {strided(slice1.Float32, nil, []int{2, 1, 4}, 2, 3, 2), slice1.ErrOverlap},
		"total exact":                          {total(slice1.Float32, 8, 32), nil},
		"total larger":                         {total(slice1.Float32, 8, 64), nil},
		"total no multiple of 4":               {total(slice1.Float32, 8, 33), nil},
		"total 5 for 5 bytes":                  {total(slice1.Uint8, 5, 5), slice1.ErrTotalSize},
		"total 8 for 5 bytes":                  {total(slice1.Uint8, 5, 8), nil},
		"total 6 for 3 halves":                 {total(slice1.Float16, 3, 6), slice1.ErrTotalSize},
		"total 8 for 3 halves":                 {total(slice1.Float16, 3, 8), nil},
		"total at the limit of 1-byte types":   {total(slice1.Uint8, 5, math.MaxUint32), nil},
		"total past the limit of 1-byte types": {total(slice1.Uint8, 5, 1<<32), slice1.ErrTotalSize},
		"total past the limit of 2-byte types": {total(slice1.Uint16, 5, 1<<33-1), slice1.ErrTotalSize},
		"total past the limit of 4-byte types": {total(slice1.Uint32, 5, 1<<34-3), slice1.ErrTotalSize},
		"total past the limit of 8-byte types": {total(slice1.Uint64, 5, 1<<35-7), slice1.ErrTotalSize},
		"total at the limit of 8-byte types":   {total(slice1.Uint64, 5, 1<<35-8), nil},
		"alignment 0":                          {align(0), nil},
		"alignment 1":                          {align(1), slice1.ErrAlign},
		"alignment 4":                          {align(4), slice1.ErrAlign},
		"alignment 8":                          {align(8), slice1.ErrAlign},
		"alignment 16":                         {align(16), nil},
		"alignment 48":                         {align(48), slice1.ErrAlign},
		"alignment 256":                        {align(256), nil},
	} {
		err := c.d.ValidateFor(slice1.FeatureLevel6_4)
		if c.want == nil {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, c.want, name)
		}
	}
}
