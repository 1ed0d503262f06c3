package slice1_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// A descriptor made anew from the axes of another one gives the same output, and the window of
// a single output element leads to that element.
func TestAxesAreTheSlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 41))
	for range 2000 {
		d := smallDesc(rng)
		p, err := slice1.NewPlan(d)
		require.NoError(t, err)
		axes := d.Axes()
		require.Len(t, axes, len(d.Input.Sizes))
		same := slice1.Desc{Input: d.Input, Output: d.Output}
		same.Input.Strides, same.Output.Strides = nil, nil
		from, to := int64(0), int64(0)
		for i, a := range axes {
			require.Equal(t, []int64{int64(d.Input.Sizes[i]), int64(d.Output.Sizes[i])}, []int64{a.In, a.Out})
			same.Input.Strides = append(same.Input.Strides, int(a.Src))
			same.Output.Strides = append(same.Output.Strides, int(a.Dst))
			offset, size, stride := a.Window(0, a.Out)
			same.WindowOffsets = append(same.WindowOffsets, int(offset))
			same.WindowSizes = append(same.WindowSizes, int(size))
			same.WindowStrides = append(same.WindowStrides, int(stride))
			k := rng.Int64N(a.Out)
			offset, size, stride = a.Window(k, 1)
			require.Equal(t, []int64{a.Start + a.Step*k, 1, 1}, []int64{offset, size, stride})
			from, to = from+offset*a.Src, to+k*a.Dst
		}
		require.Equal(t, same.Input.Strides, d.Input.MemoryStrides())
		require.Equal(t, same.Output.Strides, d.Output.MemoryStrides())
		src := make([]byte, p.SrcSize())
		randomize(src, rng)
		want, got := make([]byte, p.DstSize()), make([]byte, p.DstSize())
		require.NoError(t, p.Run(want, src))
		require.NoError(t, slice1.CopyBytes(got, src, &same))
		require.Equal(t, want, got, "%v", d)
		width := int64(d.Input.DataType.Size())
		require.Equal(t, src[from*width:][:width], want[to*width:][:width], "%v", d)
	}
}

func TestWindowsOfAxes(t *testing.T) {
	for _, c := range []struct {
		axis               slice1.Axis
		lo, n              int64
		offset, size, step int64
	}{
		{slice1.Axis{Start: 3, Step: 2, Out: 9}, 0, 9, 3, 17, 2},
		{slice1.Axis{Start: 3, Step: 2, Out: 9}, 4, 3, 11, 5, 2},
		{slice1.Axis{Start: 20, Step: -3, Out: 7}, 0, 7, 2, 19, -3},
		{slice1.Axis{Start: 20, Step: -3, Out: 7}, 2, 2, 11, 4, -3},
		{slice1.Axis{Start: 20, Step: -3, Out: 7}, 6, 1, 2, 1, 1},
		{slice1.Axis{Start: 5, Step: math.MinInt64, Out: 1}, 0, 1, 5, 1, 1},
	} {
		offset, size, step := c.axis.Window(c.lo, c.n)
		assert.Equal(t, []int64{c.offset, c.size, c.step}, []int64{offset, size, step}, "%+v", c)
	}
}

func TestNothingHasNoAxes(t *testing.T) {
	assert.Nil(t, (*slice1.Desc)(nil).Axes())
	assert.Nil(t, new(slice1.Desc).Axes())
	d := slice1.Whole(slice1.Uint8, 3, 4)
	d.WindowSizes[1] = 5
	assert.Nil(t, d.Axes())
	assert.Nil(t, slice1.TensorDesc{Sizes: []int{3}}.MemoryStrides())
	assert.Nil(t, slice1.TensorDesc{DataType: slice1.Uint8}.MemoryStrides())
	assert.Nil(t, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{-1}}.MemoryStrides())
}
