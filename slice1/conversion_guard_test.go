//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows

package slice1_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Conversions access no byte before the first or behind the last element of the source or of the
// destination, and give the right values there.
func TestConversionsStayInsideTheirSpans(t *testing.T) {
	t.Parallel()
	source, destination := newFence(t, 64<<10), newFence(t, 64<<10)
	rng := rand.New(rand.NewPCG(28, 6))
	turn, streamed := 0, map[string]bool{}
	check := func(d *slice1.Desc, to slice1.DataType, a slice1.Affine) {
		d.Input.TotalSize, d.Output.TotalSize = 0, 0
		in, out := spanOf(d)*d.Input.DataType.Size(), elementsOf(t, d.Output)*to.Size()
		src, want, before := make([]byte, in), make([]byte, out), make([]byte, out)
		randomize(src, rng)
		for i := range want {
			want[i], before[i] = canary, canary
		}
		turn++
		order := byteOrders[turn%3]
		convertSlowly(d, to, src, orNative(order), a, func(_, at int, y float64) { put(to, want[at*to.Size():], y) })
		for _, kernel := range usableKernels() {
			c, err := slice1.NewPlan(d, slice1.WithNumbers(to, a), slice1.WithKernel(kernel), slice1.WithByteOrder(order))
			require.NoError(t, err)
			require.Equal(t, []int64{int64(in), int64(out)}, []int64{c.SrcSize(), c.DstSize()})
			plans := []*slice1.Plan{c}
			for _, way := range []string{" convert nt", " convert windows nt"} {
				if d.Input.DataType != slice1.Uint8 || to != slice1.Float32 {
					continue
				}
				c, err := slice1.NewPlan(d, slice1.WithNumbers(to, a), slice1.WithByteOrder(order), slice1.WithCandidate(kernel+way))
				if err == nil {
					plans, streamed[kernel+way] = append(plans, c), true
				}
			}
			for i := range 4 * len(plans) {
				c, s, o := plans[i/4], source.place(in, i&1 == 0), destination.place(out, i&2 == 0)
				copy(s, src)
				copy(o, before)
				require.NoError(t, c.Run(o, s))
				sameNumbers(t, to, want, o, c.String)
				tested(t, kernel)
			}
		}
	}
	for _, from := range converted {
		for i, to := range converted {
			for n := 1; n < 140; n++ {
				if testing.Short() && rng.IntN(4) > 0 && n > 40 {
					continue
				}
				d := slice1.Whole(from, n)
				check(d, to, slice1.Affine{Scale: randomFloats(rng, 1+(n-1)*(n/8%2)), Bias: randomFloats(rng, 1)})
				check(row(from, n, []int{2, -1, -2, 3}[n%4]), to, slice1.Affine{Bias: randomFloats(rng, 1)})
				if from == slice1.Uint8 {
					check(grey(n, []int{3, 4, 16}[n%3]), to, slice1.Affine{Bias: randomFloats(rng, 1)})
				}
			}
			for n := 1 + i; n < 100; n += 8 {
				pictures(from, 2, n, func(d *slice1.Desc, axis int) {
					if testing.Short() && rng.IntN(4) > 0 {
						return
					}
					a := slice1.Affine{Axis: axis, Scale: randomFloats(rng, d.Output.Sizes[axis]), Bias: randomFloats(rng, d.Output.Sizes[axis])}
					check(d, to, a)
				})
			}
		}
	}
	assert.Equal(t, slices.Contains(usableKernels(), "avx2"), streamed["avx2 convert nt"] && streamed["avx2 convert windows nt"])
}

// spanOf makes the input of d begin with the window's first element and end with its last one. It
// returns how many elements the input then has.
func spanOf(d *slice1.Desc) int {
	d.Input.Strides = stridesOf(d.Input)
	d.Input.Sizes, d.WindowOffsets = append([]int(nil), d.WindowSizes...), make([]int, len(d.WindowSizes))
	last := 1
	for i, n := range d.Input.Sizes {
		last += (n - 1) * d.Input.Strides[i]
	}
	return last
}
