//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows

package slice1_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Plans that are asked for non-temporal stores write what the oracle writes. They access no byte
// before the first or behind the last element, of source and destination.
func TestStreamingWritesTheSameBytes(t *testing.T) {
	t.Parallel()
	src, dst := newFence(t, 4<<20), newFence(t, 1<<20)
	rng := rand.New(rand.NewPCG(7, 7))
	rows := func(dtype slice1.DataType, pitch, n, stride int) *slice1.Desc {
		window := (n-1)*max(stride, -stride) + 1
		return slice1.NewDesc(dtype, []int{300<<10/(n*dtype.Size()) + 1, max(pitch, window)}, slice1.Window{
			Offsets: []int{0, 0}, Sizes: []int{300<<10/(n*dtype.Size()) + 1, window}, Strides: []int{1, stride},
			Out: []int{300<<10/(n*dtype.Size()) + 1, n},
		})
	}
	transposed := func(dtype slice1.DataType, tall, wide, stride int) *slice1.Desc {
		window := (tall-1)*max(stride, -stride) + 1
		d := slice1.NewDesc(dtype, []int{window, wide}, slice1.Window{
			Offsets: []int{0, 0}, Sizes: []int{window, wide}, Strides: []int{stride, 1}, Out: []int{tall, wide},
		})
		d.Input.Strides = []int{1, window}
		return d
	}
	for _, dtype := range widths {
		size := dtype.Size()
		descs := []*slice1.Desc{
			rows(dtype, 1000, 500, 1), rows(dtype, 0, 64, 1), rows(dtype, 0, 999, -1), rows(dtype, 0, 300, 2),
			rows(dtype, 0, 300, -3), rows(dtype, 0, 200, 5), rows(dtype, 7, 3, -1),
		}
		for _, stride := range []int{1, -1, 2, -2, 3} {
			descs = append(descs, transposed(dtype, 512, 1024/size, stride), transposed(dtype, 3001/size, 301, stride))
		}
		for _, d := range descs {
			b := fill(d, 0, rng)
			want := b.want[64 : len(b.want)-64]
			for _, kernel := range usableKernels() {
				plan := newPlan(t, d, slice1.WithKernel(kernel), slice1.WithStreaming(1))
				for i := range 2 {
					s, o := src.place(len(b.src), i == 0), dst.place(len(want), i == 0)
					copy(s, b.src)
					copy(o, b.dst[64:])
					require.NoError(t, plan.Run(o, s))
					require.True(t, string(want) == string(o), "%s: %s", kernel, plan)
					tested(t, kernel)
				}
			}
		}
	}
}
