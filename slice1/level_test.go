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

// whole returns the descriptor that copies a packed tensor of that type and shape.
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

// A rule that DirectML shares with the CPU gives the same error at level 6.4. Every level that
// has SLICE1 takes a descriptor that breaks no rule.
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

// ofStrides returns a descriptor that copies a tensor, with memory strides of input and output.
func ofStrides(dtype slice1.DataType, in, out []int, sizes ...int) *slice1.Desc {
	d := whole(dtype, sizes...)
	d.Input.Strides, d.Output.Strides = in, out
	return d
}

// ofTotal returns a descriptor that copies n elements, with a TotalSize of both tensors.
func ofTotal(dtype slice1.DataType, n int, bytes int64) *slice1.Desc {
	d := whole(dtype, n)
	d.Input.TotalSize, d.Output.TotalSize = bytes, bytes
	return d
}

// ofAlign returns a descriptor that copies 8 elements, with a BaseAlign of both tensors.
func ofAlign(a int) *slice1.Desc {
	d := whole(slice1.Float32, 8)
	d.Input.BaseAlign, d.Output.BaseAlign = a, a
	return d
}

// ofStep returns a descriptor that takes one of 8 elements, with a window stride.
func ofStep(s int) *slice1.Desc {
	d := whole(slice1.Float32, 8)
	d.Output.Sizes, d.WindowStrides = []int{1}, []int{s}
	return d
}

// givenToTheDLL are descriptors that were given to Microsoft's DLL. If want is nil, the DLL
// accepted the descriptor. Otherwise it answered with E_INVALIDARG, and want is the error that
// ValidateFor must return.
var givenToTheDLL = map[string]struct {
	d    *slice1.Desc
	want error
}{
	"window stride int32 min, one output":  {ofStep(math.MinInt32), nil},
	"window stride int32 max, one output":  {ofStep(math.MaxInt32), nil},
	"window stride longer than the window": {ofStep(9), nil},
	"broadcast input":                      {ofStrides(slice1.Float32, []int{0, 1}, nil, 4, 4), nil},
	"transposed input":                     {ofStrides(slice1.Float32, []int{1, 4}, nil, 4, 4), nil},
	"overlapping input":                    {ofStrides(slice1.Float32, []int{1, 1}, nil, 4, 4), nil},
	"padded output rows":                   {ofStrides(slice1.Float32, nil, []int{7, 1}, 4, 4), nil},
	"transposed output":                    {ofStrides(slice1.Float32, nil, []int{1, 4}, 4, 4), nil},
	"interleaved output":                   {ofStrides(slice1.Float32, nil, []int{3, 4}, 4, 3), nil},
	"interleaved output that meets":        {ofStrides(slice1.Float32, nil, []int{3, 4}, 5, 4), slice1.ErrOverlap},
	"output strides 2 and 3":               {ofStrides(slice1.Float32, nil, []int{2, 3}, 2, 2), nil},
	"output stride 0 of extent 1":          {ofStrides(slice1.Float32, nil, []int{0, 1}, 1, 4), nil},
	"output strides 1 and 1":               {ofStrides(slice1.Float32, nil, []int{1, 1}, 4, 4), slice1.ErrOverlap},
	"output strides 3 and 1":               {ofStrides(slice1.Float32, nil, []int{3, 1}, 4, 4), slice1.ErrOverlap},
	"output strides 2, 1, 4":               {ofStrides(slice1.Float32, nil, []int{2, 1, 4}, 2, 3, 2), slice1.ErrOverlap},
	"total exact":                          {ofTotal(slice1.Float32, 8, 32), nil},
	"total larger":                         {ofTotal(slice1.Float32, 8, 64), nil},
	"total no multiple of 4":               {ofTotal(slice1.Float32, 8, 33), nil},
	"total 5 for 5 bytes":                  {ofTotal(slice1.Uint8, 5, 5), slice1.ErrTotalSize},
	"total 8 for 5 bytes":                  {ofTotal(slice1.Uint8, 5, 8), nil},
	"total 6 for 3 halves":                 {ofTotal(slice1.Float16, 3, 6), slice1.ErrTotalSize},
	"total 8 for 3 halves":                 {ofTotal(slice1.Float16, 3, 8), nil},
	"total at the limit of 1-byte types":   {ofTotal(slice1.Uint8, 5, math.MaxUint32), nil},
	"total past the limit of 1-byte types": {ofTotal(slice1.Uint8, 5, 1<<32), slice1.ErrTotalSize},
	"total past the limit of 2-byte types": {ofTotal(slice1.Uint16, 5, 1<<33-1), slice1.ErrTotalSize},
	"total past the limit of 4-byte types": {ofTotal(slice1.Uint32, 5, 1<<34-3), slice1.ErrTotalSize},
	"total past the limit of 8-byte types": {ofTotal(slice1.Uint64, 5, 1<<35-7), slice1.ErrTotalSize},
	"total at the limit of 8-byte types":   {ofTotal(slice1.Uint64, 5, 1<<35-8), nil},
	"alignment 0":                          {ofAlign(0), nil},
	"alignment 1":                          {ofAlign(1), slice1.ErrAlign},
	"alignment 4":                          {ofAlign(4), slice1.ErrAlign},
	"alignment 8":                          {ofAlign(8), slice1.ErrAlign},
	"alignment 16":                         {ofAlign(16), nil},
	"alignment 48":                         {ofAlign(48), slice1.ErrAlign},
	"alignment 256":                        {ofAlign(256), nil},
}

func TestLevelRulesAreTheDLLs(t *testing.T) {
	for name, c := range givenToTheDLL {
		err := c.d.ValidateFor(slice1.FeatureLevel6_4)
		if c.want == nil {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, c.want, name)
		}
	}
}
