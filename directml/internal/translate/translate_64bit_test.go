//go:build !(386 || arm || mips || mipsle || wasm)

package translate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// If elements are split into pairs, counts and strides may exceed DirectML's 32 bits. Such a
// descriptor is refused, unless the device has its type.
func TestPairsStayWithin32Bits(t *testing.T) {
	old := Capability{slice1.FeatureLevel4_0, samples.NarrowTypes}
	one := func(n int) *slice1.Desc {
		d := slice1.Whole(slice1.Int64, n)
		d.WindowSizes, d.Output.Sizes = []int{1}, []int{1}
		return d
	}
	d := one(1<<31 - 1)
	op, err := OperatorOf(d, old)
	require.NoError(t, err)
	require.NoError(t, op.desc().ValidateFor(old.Level))
	for name, d := range map[string]*slice1.Desc{
		"elements":         one(1 << 31),
		"input extent":     {Input: slice1.TensorDesc{DataType: 11, Sizes: []int{2}, Strides: []int{1 << 31}}},
		"broadcast count":  {Input: slice1.TensorDesc{DataType: 11, Sizes: []int{1 << 31}, Strides: []int{0}}},
		"padding, outside": {Input: slice1.TensorDesc{DataType: 11, Sizes: []int{2}}, Output: slice1.TensorDesc{DataType: 11, Sizes: []int{2}, Strides: []int{1 << 31}}},
	} {
		if d.WindowSizes == nil {
			d.WindowOffsets, d.WindowSizes, d.WindowStrides = []int{0}, []int{2}, []int{1}
			if d.Output.Sizes == nil {
				d.Output = slice1.TensorDesc{DataType: 11, Sizes: []int{2}}
			}
		}
		require.NoError(t, d.ValidateFor(slice1.FeatureLevel6_4), name)
		_, err := OperatorOf(d, old)
		assert.ErrorIs(t, err, slice1.ErrOverflow, name)
		op, err := OperatorOf(d, capabilities[4])
		require.NoError(t, err, name)
		require.NoError(t, op.desc().ValidateFor(slice1.FeatureLevel6_4), name)
	}
}

// Descriptors at DirectML's limits stay within them when translated.
func TestLimitsSurviveTranslation(t *testing.T) {
	for name, d := range map[string]*slice1.Desc{
		"2^32-4 bytes":              slice1.Whole(slice1.Uint8, 1<<32-4),
		"2^32-1 floats":             slice1.Whole(slice1.Float32, 1<<32-1),
		"2^16-1 by 2^16 floats":     slice1.Whole(slice1.Float32, 1<<16-1, 1<<16),
		"2^32-1 doubles":            slice1.Whole(slice1.Float64, 1<<32-1),
		"stride 2^32-1, extent 1":   {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{1, 2}, Strides: []int{1<<32 - 1, 1<<32 - 2}}},
		"stride 2^32-2, extent 2":   {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{1, 2}, Strides: []int{0, 1<<32 - 2}}},
		"window stride -2^31":       {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{1<<31 + 1, 1}}, WindowStrides: []int{-1 << 31, 1}},
		"window stride 2^31-1":      {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{1 << 31, 1}}, WindowStrides: []int{1<<31 - 1, 1}},
		"window stride past extent": {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{8, 1}}, WindowStrides: []int{-1 << 31, 1}},
	} {
		if d.WindowSizes == nil {
			d.WindowOffsets, d.WindowSizes = []int{0, 0}, d.Input.Sizes
			out := make([]int, 2)
			if d.WindowStrides == nil {
				d.WindowStrides = []int{1, 1}
			}
			for i, n := range d.Input.Sizes {
				out[i] = 1 + (n-1)/max(d.WindowStrides[i], -d.WindowStrides[i])
			}
			d.Output = slice1.TensorDesc{DataType: 1, Sizes: out}
		}
		require.NoError(t, d.ValidateFor(slice1.FeatureLevel6_4), name)
		for _, c := range []Capability{capabilities[0], capabilities[4]} {
			if d.Input.DataType.Size() == 8 && c.Level == slice1.FeatureLevel2_1 {
				continue
			}
			op, err := OperatorOf(d, c)
			require.NoError(t, err, name)
			require.NoError(t, op.desc().ValidateFor(c.Level), "%s: %v", name, &op)
		}
	}
}
