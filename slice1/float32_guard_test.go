//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows

package slice1_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Conversions access no byte before the first or behind the last element, of either side.
func TestFloat32StaysInsideItsSpans(t *testing.T) {
	t.Parallel()
	src, dst := newFence(t, 64<<10), newFence(t, 256<<10)
	rng := rand.New(rand.NewPCG(28, 6))
	for _, dtype := range converted {
		for n := 1; n < 100; n++ {
			pictures(dtype, 2, n, func(d *slice1.Desc, axis int) {
				d.Input.TotalSize, d.Output.TotalSize = 0, 0
				a := slice1.Affine{Axis: axis, Scale: randomFloats(rng, d.Output.Sizes[axis]), Bias: randomFloats(rng, d.Output.Sizes[axis])}
				in, out := spanOf(d), elementsOf(t, d.Output)
				for _, kernel := range usableKernels() {
					p, err := slice1.NewPlan(d, slice1.WithKernel(kernel))
					require.NoError(t, err)
					for i := range 4 {
						s, o := src.place(in*dtype.Size(), i&1 == 0), reinterpret[float32](dst.place(out*4, i&2 == 0))
						// The input ends behind the last element taken, so that the window is the whole tensor.
						require.NoError(t, runFloat32(p, o, s, a))
						tested(t, kernel)
					}
				}
			})
		}
	}
}

// spanOf makes the input of d end with the last element taken, and returns how many elements it then has.
func spanOf(d *slice1.Desc) int {
	d.Input.Strides = stridesOf(d.Input)
	d.Input.Sizes = append([]int(nil), d.WindowSizes...)
	last := 1
	for i, n := range d.Input.Sizes {
		last += (n - 1) * d.Input.Strides[i]
	}
	return last
}
