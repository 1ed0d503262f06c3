//go:build (linux || darwin || dragonfly || freebsd || netbsd || solaris) && !(386 || arm || mips || mipsle)

package slice1_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Every kernel takes steps of 2^31-1, 2^31, 2^31+1, 2^32-1, 2^32 and 2^32+1 elements: as strides
// of the window and as memory strides of either tensor, between elements and between rows.
func TestKernelsStepAtTheLimitsOf32Bits(t *testing.T) {
	src, dst := sparse(t, 34<<30), sparse(t, 34<<30)
	rng := rand.New(rand.NewPCG(13, 13))
	for _, dtype := range widths {
		for _, step := range []int{1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1} {
			for _, sign := range []int{1, -1} {
				window := whole(dtype, step+1)
				window.WindowStrides, window.Output.Sizes = []int{sign * step}, []int{2}
				window.Input.Strides, window.Output.Strides = []int{1}, []int{1}
				checkFar(t, window, dst, src, rng)
				for _, strides := range [][4]int{{step, 1, 40, 1}, {40, 1, step, 1}, {1, step, 40, 1}, {1, 40, 1, step}, {step, 2, step, 2}} {
					d := whole(dtype, 2, 40)
					if strides[1] == step || strides[3] == step {
						d = whole(dtype, 40, 2)
					}
					d.Input.Strides, d.Output.Strides = strides[:2], strides[2:]
					d.WindowStrides = []int{sign, sign}
					checkFar(t, d, dst, src, rng)
				}
			}
		}
	}
}

// checkFar runs d with every kernel and checks the elements and the bytes beside them: all of
// dst would be more than memory holds.
func checkFar(t *testing.T, d *slice1.Desc, dst, src []byte, rng *rand.Rand) {
	t.Helper()
	const canary = 0xA5
	size, all := d.Input.DataType.Size(), moves(d)
	in, err := d.Input.MinSize()
	require.NoError(t, err, describe(d))
	out, err := d.Output.MinSize()
	require.NoError(t, err)
	taken := map[int]bool{}
	for _, m := range all {
		for b := range size {
			taken[m.to+b] = true
			src[m.from+b] = byte(rng.IntN(0xA0)) + 1
		}
	}
	for _, kernel := range usableKernels() {
		for _, m := range all {
			for b := max(0, m.to-size); b < m.to+2*size; b++ {
				dst[b] = canary
			}
		}
		p := newPlan(t, d, slice1.WithKernel(kernel))
		require.NoError(t, p.Run(dst[:out], src[:in]))
		tested(t, kernel)
		for _, m := range all {
			require.Equal(t, src[m.from:m.from+size], dst[m.to:m.to+size], "%s, byte %d: %s", kernel, m.to, p)
			for b := max(0, m.to-size); b < m.to+2*size; b++ {
				if !taken[b] && dst[b] != canary {
					t.Fatalf("%s, byte %d beside an element: %s", kernel, b, p)
				}
			}
		}
	}
}
