//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows

package slice1_test

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// fence is memory between two inaccessible pages, so that an access a byte too far faults.
// The race detector and the address sanitizer would miss it on Go memory, whose sizes are
// rounded up and whose neighbours are readable.
type fence []byte

// place returns the last n bytes if atEnd is true, and otherwise the first n. Both are next to an
// inaccessible page.
func (f fence) place(n int, atEnd bool) []byte {
	if atEnd {
		return f[len(f)-n:]
	}
	return f[:n:n]
}

func TestFencesFault(t *testing.T) {
	f := newFence(t, 1)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	read := func(offset int) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(&f[0]), offset)) }
	require.Zero(t, read(0)+read(len(f)-1))
	require.Panics(t, func() { read(-1) })
	require.Panics(t, func() { read(len(f)) })
}

// Kernels access no byte before the first or behind the last element taken. The tensors
// here end at their last element.
func TestKernelsStayInsideTheirSpans(t *testing.T) {
	t.Parallel()
	src, dst := newFence(t, 256<<10), newFence(t, 256<<10)
	rng := rand.New(rand.NewPCG(4, 4))
	turn := 0
	check := func(d *slice1.Desc) {
		b := fill(d, 0, rng)
		want := b.want[64 : len(b.want)-64]
		var options []slice1.Option
		for _, kernel := range usableKernels() {
			options = append(options, slice1.WithKernel(kernel))
		}
		if turn++; turn%4 == 0 || !testing.Short() {
			for _, name := range candidates(t, d) {
				options = append(options, slice1.WithCandidate(name))
			}
		}
		for _, option := range options {
			plan, err := slice1.NewPlan(d, option)
			require.NoError(t, err)
			for i := range 4 {
				s, o := src.place(len(b.src), i&1 == 0), dst.place(len(want), i&2 == 0)
				copy(s, b.src)
				copy(o, b.dst[64:])
				require.NoError(t, plan.Run(o, s))
				require.True(t, string(want) == string(o), "%s", plan)
				tested(t, plan.Kernel())
			}
		}
	}
	for _, dtype := range widths {
		spanned(dtype, check)
	}
}

// spanned calls check with slices that suit different kinds of loops, of many short lengths.
func spanned(dtype slice1.DataType, check func(d *slice1.Desc)) {
	size := dtype.Size()
	for _, stride := range []int{1, -1, 2, -2, 3, -3, 4, -4, 5, 7, -8, 9, 40, 64} {
		for n := 1; n < 2*64/size+70; n++ {
			window := (n-1)*max(stride, -stride) + 1
			check(slice1.NewDesc(dtype, []int{window}, slice1.Window{Offsets: []int{0}, Sizes: []int{window}, Strides: []int{stride}, Out: []int{n}}))
		}
	}
	for n := 1; n < 2*64/size+70; n++ { // one element everywhere
		d := whole(dtype, n)
		d.Input.Strides = []int{0}
		check(d)
	}
	// Transposed views of every source line, every second and every third, the first two also
	// backwards.
	for rows := 1; rows <= 40; rows++ {
		for _, step := range []int{1, -1, 2, -2, 3} {
			high := (rows-1)*max(step, -step) + 1
			for _, n := range []int{2, 4, 7, 12, 20, 32, 37} {
				check(&slice1.Desc{
					Input:         slice1.TensorDesc{DataType: dtype, Sizes: []int{high, n}, Strides: []int{1, high + rows%3}},
					Output:        slice1.TensorDesc{DataType: dtype, Sizes: []int{rows, n}},
					WindowOffsets: []int{0, 0}, WindowSizes: []int{high, n}, WindowStrides: []int{step, 1},
				})
			}
		}
	}
	// Small axes, every second one reversed, around rows that are reversed or not.
	for n := 1; n <= 40; n++ {
		for _, step := range []int{1, -1} {
			sizes := []int{5, 3, 2, n}
			check(slice1.NewDesc(dtype, sizes, slice1.Window{Offsets: make([]int, 4), Sizes: sizes, Strides: []int{step, -step, step, -step}, Out: sizes}))
		}
	}
	// Rows of every short length, packed and padded in the source and in the destination, with
	// the rows or the elements in them reversed.
	for n := 1; n <= 70; n++ {
		rows := max(9, 600/n) // enough for shuffles of several rows
		for _, step := range []int{1, -1} {
			for _, pitch := range []int{n, n + 1, n + 5} {
				for _, in := range [][]int{nil, {pitch, 1}, {1, pitch - n}} { // rows of the last begin one element apart in the source
					for _, out := range [][]int{nil, {pitch, 1}} {
						check(&slice1.Desc{
							Input:         slice1.TensorDesc{DataType: dtype, Sizes: []int{rows, n}, Strides: in},
							Output:        slice1.TensorDesc{DataType: dtype, Sizes: []int{rows, n}, Strides: out},
							WindowOffsets: []int{0, 0}, WindowSizes: []int{rows, n}, WindowStrides: []int{-step, step},
						})
					}
				}
			}
		}
	}
}
