//go:build (linux || darwin || dragonfly || freebsd || netbsd || solaris) && !(386 || arm || mips || mipsle)

package slice1_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1"
)

// sparse returns n bytes of address space. Only pages that are touched take memory.
func sparse(t *testing.T, n int) []byte {
	m, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|noReserve)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
	return m
}

// Every candidate reaches elements past 2^31, 2^32 and 2^33 bytes, in the source, the destination
// or both, within a row and between rows, in either direction: an index of 32 bits would overflow.
// Every kind that small slices have is among the candidates.
func TestKernelsReachPast32Bits(t *testing.T) {
	t.Parallel()
	src, dst := sparse(t, 12<<30), sparse(t, 12<<30)
	rng := rand.New(rand.NewPCG(10, 10))
	small, reached := map[string]bool{}, map[string]bool{}
	for range 500 {
		for _, name := range candidates(t, smallDesc(rng)) {
			small[name] = true
		}
	}
	tensor := func(dtype slice1.DataType, sizes, strides []int) slice1.TensorDesc {
		return slice1.TensorDesc{DataType: dtype, Sizes: sizes, Strides: strides}
	}
	for size, dtype := range widths {
		far, near := 1<<28/size+3, 1<<31/size+5 // strides of axes of 40 and of at most 5 elements
		for _, c := range []struct {
			name            string
			sizes, from, to []int
		}{
			{"gather", []int{1, 40}, []int{1, far}, []int{1, 1}},
			{"scatter", []int{1, 40}, []int{1, 1}, []int{1, far}},
			{"gather apart", []int{1, 5}, []int{1, near}, []int{1, 1}},
			{"scatter apart", []int{1, 5}, []int{1, 1}, []int{1, near}},
			{"both", []int{1, 40}, []int{1, far}, []int{1, far + 8}},
			{"columns", []int{40, 5}, []int{1, near}, []int{5, 1}},
			{"tile", []int{40, 40}, []int{1, far}, []int{40, 1}},
			{"tiles", []int{3, 2, 32, 32}, []int{100, 1000, 1, far}, []int{2048, 1024, 32, 1}},
			{"copy rows", []int{5, 100}, []int{near, 1}, []int{near + 9, 1}},
			{"short copies", []int{4, 16 / size}, []int{near, 1}, []int{16 / size, 1}},
			{"rows of short copies", []int{2, 4, 16 / size}, []int{99, near, 1}, []int{75, 16 / size, 1}},
			{"shuffle rows", []int{5, 100}, []int{near, 2}, []int{near + 9, 1}},
			{"shuffle rows in one", []int{5, 100}, []int{near, 2}, []int{100, 1}},
			{"short rows", []int{2, 12 / min(size, 4)}, []int{3 << 29 / size, 1 << 29 / size}, []int{12 / min(size, 4), 1}},
			{"fill rows", []int{5, 100}, []int{near, 0}, []int{near + 9, 1}},
			{"spread rows", []int{5, 100}, []int{near, 1}, []int{near, 2}},
			{"units of rows apart", []int{2, 7, 5, 3}, []int{near, 64, 9, 2}, []int{near, 15, 3, 1}},
			{"units near 32 bits apart", []int{7, 5, 3}, []int{1<<30/7/size - 64, 9, 2}, []int{15, 3, 1}},
			{"units past 32 bits", []int{5, 5, 3}, []int{near, 9, 2}, []int{15, 3, 1}},
			{"parts", []int{4, 80_000 / size}, []int{near, 1}, []int{near, 1}},
		} {
			for _, signs := range [][]int{{1, 1}, {-1, -1}, {1, -1}} {
				d := &slice1.Desc{
					Input: tensor(dtype, c.sizes, c.from), Output: tensor(dtype, c.sizes, c.to),
					WindowOffsets: make([]int, len(c.sizes)), WindowSizes: c.sizes,
				}
				for i := range c.sizes {
					d.WindowStrides = append(d.WindowStrides, signs[i%2])
				}
				all, taken := moves(d), map[int]bool{}
				for _, m := range all {
					taken[m.to] = true
					for b := range size {
						src[m.from+b] = byte(rng.Uint32()) | 1 // no canary, and not what fresh pages hold
						if src[m.from+b] == farCanary {
							src[m.from+b] = 1
						}
					}
				}
				for _, name := range candidates(t, d) {
					reached[name] = true
					checkFarMoves(t, c.name, d, name, dst, src, all, taken)
				}
			}
		}
	}
	for name := range small {
		require.True(t, reached[name], "no slice here runs by %q", name)
	}
}

// farCanary is in dst before a run, beside the elements.
const farCanary = 0xA5

// checkFarMoves runs d by a candidate and compares the elements and the bytes beside them. name
// is for messages. all are d's moves, and taken holds the bytes at which elements of dst begin.
func checkFarMoves(t *testing.T, name string, d *slice1.Desc, candidate string, dst, src []byte, all []move, taken map[int]bool) {
	size := d.Input.DataType.Size()
	for _, m := range all {
		for b := max(0, m.to-size); b < m.to+2*size; b++ {
			dst[b] = farCanary
		}
	}
	out, err := d.Output.MinSize()
	require.NoError(t, err)
	in, err := d.Input.MinSize()
	require.NoError(t, err)
	p := newPlan(t, d, slice1.WithCandidate(candidate))
	require.NoError(t, p.Run(dst[:out], src[:in]))
	tested(t, p.Kernel())
	for _, m := range all {
		if string(src[m.from:m.from+size]) != string(dst[m.to:m.to+size]) {
			t.Fatalf("%s, %s, the element at byte %d: %s", candidate, name, m.to, p)
		}
	}
	// Each byte beside an element belongs to another element or is unchanged.
	for _, m := range all {
		for _, beside := range []int{m.to - size, m.to + size} {
			for b := beside; b >= 0 && b < beside+size && !taken[beside]; b++ {
				if dst[b] != farCanary {
					t.Fatalf("%s, %s, byte %d beside an element: %s", candidate, name, b, p)
				}
			}
		}
	}
}
