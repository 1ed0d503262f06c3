//go:build !(386 || arm || mips || mipsle || wasm)

package slice1_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
)

// The limits of DirectML's 32 bits, which descriptors reach only where int has 64.
func TestLevelLimitsAreTheDLLs(t *testing.T) {
	with := func(d *slice1.Desc, change func(d *slice1.Desc)) *slice1.Desc {
		change(d)
		return d
	}
	one := func(d *slice1.Desc) { // a window of one element, an output of one
		for i := range d.Output.Sizes {
			d.WindowSizes[i] = 1
		}
		d.Output.Sizes = []int{1, 1}[:len(d.WindowSizes)]
	}
	fresh := func(dtype slice1.DataType, sizes ...int) *slice1.Desc {
		d := whole(dtype, sizes...)
		d.WindowSizes = append([]int(nil), d.WindowSizes...)
		return with(d, one)
	}
	for name, c := range map[string]struct {
		d    *slice1.Desc
		want error
	}{
		"2^32-1 floats":             {fresh(slice1.Float32, math.MaxUint32), nil},
		"2^32 floats":               {fresh(slice1.Float32, 1<<32), slice1.ErrOverflow},
		"2^32-1 doubles":            {fresh(slice1.Float64, math.MaxUint32), nil},
		"2^32-4 bytes":              {fresh(slice1.Uint8, 1<<32-4), nil},
		"2^32-3 bytes":              {fresh(slice1.Uint8, 1<<32-3), slice1.ErrOverflow},
		"2^32-2 halves":             {fresh(slice1.Uint16, 1<<32-2), nil},
		"2^32-1 halves":             {fresh(slice1.Uint16, 1<<32-1), slice1.ErrOverflow},
		"2^16 by 2^16 floats":       {fresh(slice1.Float32, 1<<16, 1<<16), slice1.ErrOverflow},
		"2^32 floats by broadcast":  {with(fresh(slice1.Float32, 1<<16, 1<<16), func(d *slice1.Desc) { d.Input.Strides = []int{0, 1} }), slice1.ErrOverflow},
		"stride 2^32-1 of extent 1": {with(fresh(slice1.Float32, 1, 8), func(d *slice1.Desc) { d.Input.Strides = []int{math.MaxUint32, 1} }), nil},
		"stride 2^32 of extent 1":   {with(fresh(slice1.Float32, 1, 8), func(d *slice1.Desc) { d.Input.Strides = []int{1 << 32, 1} }), slice1.ErrOverflow},
		"stride 2^30 of extent 2":   {with(fresh(slice1.Float32, 2, 8), func(d *slice1.Desc) { d.Input.Strides = []int{1 << 30, 1} }), nil},
		"stride 2^32-1 of extent 2": {with(fresh(slice1.Float32, 2, 8), func(d *slice1.Desc) { d.Input.Strides = []int{math.MaxUint32, 1} }), slice1.ErrOverflow},
		"window stride below int32": {with(fresh(slice1.Float32, 8), func(d *slice1.Desc) { d.WindowStrides[0] = math.MinInt32 - 1 }), slice1.ErrOverflow},
		"window stride above int32": {with(fresh(slice1.Float32, 8), func(d *slice1.Desc) { d.WindowStrides[0] = math.MaxInt32 + 1 }), slice1.ErrOverflow},
		"alignment 2^31":            {with(fresh(slice1.Float32, 8), func(d *slice1.Desc) { d.Input.BaseAlign = 1 << 31 }), nil},
		"alignment 2^32":            {with(fresh(slice1.Float32, 8), func(d *slice1.Desc) { d.Input.BaseAlign = 1 << 32 }), slice1.ErrAlign},
	} {
		assert.NoError(t, c.d.Validate(), "the CPU takes %s", name)
		err := c.d.ValidateFor(slice1.FeatureLevel6_4)
		if c.want == nil {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, c.want, name)
		}
	}
	// The DLL takes this descriptor, since the tensor's bytes wrap around in its arithmetic.
	d := whole(slice1.Uint64, 1<<30+1)
	d.Input.Strides = []int{1 << 31}
	assert.ErrorIs(t, d.ValidateFor(slice1.FeatureLevel6_4), slice1.ErrOverflow)
	// The magnitude of this stride wraps around in the 32 bits of the DLL's rule for outputs.
	d = whole(slice1.Float32, 8)
	d.Output.Sizes, d.WindowStrides = []int{3}, []int{math.MinInt32}
	assert.ErrorIs(t, d.ValidateFor(slice1.FeatureLevel6_4), slice1.ErrOutput)
}
