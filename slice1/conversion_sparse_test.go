//go:build (linux || darwin || dragonfly || freebsd || netbsd || solaris) && !(386 || arm || mips || mipsle)

package slice1_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// farLoops calls f with layouts of one to three loops. One or two of the loops step past 2^31 or
// 2^32 bytes. Sizes and strides, in elements, are for either side of a slice.
func farLoops(size int, f func(name string, sizes, strides []int)) {
	for _, far := range []int{1<<29 + 3, 1<<31 + 5, 1<<32 + 7} {
		far /= size
		for _, n := range []int{1, 3, 4, 8, 12, 14, 16, 24, 48, 49, 100} {
			f("rows apart", []int{3, n}, []int{far, 1})
			f("planes apart", []int{n, 3}, []int{1, far})
			f("planes apart, in rows", []int{2, n, 3}, []int{100, 1, far})
			f("pixels of rows apart", []int{2, n, 4}, []int{far, 4, 1})
			f("every third of rows apart", []int{2, n}, []int{far, 3})
		}
		f("elements apart", []int{3}, []int{far})
	}
}

// Conversions reach elements past 2^31 and 2^32 bytes, in the source, the destination or both, in
// either direction: an offset of 32 bits would overflow. All pairs of types come in turn.
func TestConversionsReachPast32Bits(t *testing.T) {
	t.Parallel()
	far := newFarConversion(t)
	turn := 0
	next := func() slice1.DataType {
		turn++
		return converted[turn%8]
	}
	for _, from := range converted {
		farLoops(from.Size(), func(name string, sizes, strides []int) {
			turn++
			for i, signs := range [][]int{{1, 1, 1}, {-1, -1, -1}, {1, -1, 1}} {
				if testing.Short() && i != turn%3 {
					continue
				}
				d := slice1.Whole(from, sizes...)
				d.Input.Strides = strides
				d.WindowStrides = signs[:len(sizes)]
				far.check(name, d, next(), slice1.Affine{})
				for axis, n := range sizes {
					far.check(name, d, next(), slice1.Affine{Axis: axis, Scale: randomFloats(far.rng, n), Bias: randomFloats(far.rng, n)})
				}
				turned, err := d.Permute(permutations[len(sizes)]...)
				require.NoError(t, err)
				far.check("turned, "+name, turned, next(), slice1.Affine{})
			}
		})
	}
	for _, to := range converted {
		farLoops(to.Size(), func(name string, sizes, strides []int) {
			d := slice1.Whole(next(), sizes...)
			d.Output.Strides = strides
			far.check("scattered, "+name, d, to, slice1.Affine{})
		})
	}
}

// permutations has one that moves every axis for each rank that has one.
var permutations = [][]int{nil, {0}, {1, 0}, {2, 0, 1}}

// Random slices, every axis of which may step past 2^31 bytes on either side.
func TestRandomConversionsReachPast32Bits(t *testing.T) {
	t.Parallel()
	count := 2000
	if testing.Short() {
		count = 400
	} else if *exhaustive {
		count = 100_000
	}
	far := newFarConversion(t)
	for i := range count {
		from, to := converted[i%8], converted[i/8%8]
		rank := 1 + far.rng.IntN(4)
		d := slice1.Whole(from, far.sizes(rank)...)
		d.Input.Strides = far.strides(d.Input.Sizes, from.Size())
		if far.rng.IntN(2) == 0 {
			d.Output.Strides = far.strides(d.Output.Sizes, to.Size())
		}
		for axis := range rank {
			d.WindowStrides[axis] = 1 - 2*far.rng.IntN(2)
		}
		if d.Validate() == nil {
			far.check("random", d, to, randomAffine(far.rng, d.Output.Sizes))
		}
	}
	require.Greater(t, far.checked, count/2)
}

// farConversion compares conversions whose elements lie anywhere in sparse memory.
type farConversion struct {
	*testing.T
	rng      *rand.Rand
	src, dst []byte
	checked  int
}

const farBytes, farStep = 16 << 30, 1 << 26

func newFarConversion(t *testing.T) *farConversion {
	return &farConversion{T: t, rng: rand.New(rand.NewPCG(45, 1)), src: sparse(t, farBytes), dst: sparse(t, farBytes)}
}

// sizes returns extents whose product is at most 400.
func (f *farConversion) sizes(rank int) []int {
	sizes, left := make([]int, rank), 400
	for i := range sizes {
		sizes[i] = min(left, []int{1 + f.rng.IntN(5), []int{6, 8, 12, 16, 24, 48}[f.rng.IntN(6)], 1 + f.rng.IntN(60), 1 + f.rng.IntN(400)}[f.rng.IntN(4)])
		left /= sizes[i]
	}
	f.rng.Shuffle(rank, func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes
}

// strides returns strides of a tensor with elements of `size` bytes that fits into farBytes. An
// axis follows the one after it or another, or steps by some farSteps and a bit, so that all
// tensors touch the same few pages.
func (f *farConversion) strides(sizes []int, size int) []int {
	strides, packed, room := make([]int, len(sizes)), 1, farBytes/size-1
	for _, i := range f.rng.Perm(len(sizes)) {
		strides[i] = packed + f.rng.IntN(3)*f.rng.IntN(2)
		if steps := room / sizes[i] / (farStep / size); f.rng.IntN(2) == 0 && steps > 1 {
			strides[i] += (1 + f.rng.IntN(steps-1)) * (farStep / size)
		} else {
			packed = strides[i] * sizes[i]
		}
		room -= strides[i] * (sizes[i] - 1)
	}
	return strides
}

// check compares every kernel's conversion with the formula. It also requires that bytes beside the
// elements are unchanged.
func (f *farConversion) check(name string, d *slice1.Desc, to slice1.DataType, a slice1.Affine) {
	written := *d
	d = &written
	d.Input.Strides, d.Output.Strides = stridesOf(d.Input), stridesOf(d.Output)
	from, size := d.Input.DataType, to.Size()
	in, out := elementsOf(f.T, d.Input)*from.Size(), elementsOf(f.T, d.Output)*size
	take, made := moves(d), map[int]bool{}
	for _, m := range take {
		for b := range from.Size() {
			f.src[m.from+b] = byte(f.rng.Uint32())
		}
		made[m.to/from.Size()] = true
	}
	want := make([]byte, len(take)*size)
	i := 0
	convertSlowly(d, to, f.src, binary.NativeEndian, a, func(at, element int, y float64) {
		if m := (move{at * from.Size(), element * from.Size()}); m != take[i] {
			f.Fatalf("element %d moves by %+v, not %+v", i, m, take[i])
		}
		put(to, want[i*size:], y)
		i++
	})
	const beside = 16
	around := func(m move) (lo, hi int) {
		at := m.to / from.Size() * size
		return max(0, at-beside), min(len(f.dst), at+size+beside)
	}
	got, canaries := make([]byte, len(want)), bytes.Repeat([]byte{canary}, size+2*beside)
	for _, kernel := range usableKernels() {
		for _, m := range take {
			lo, hi := around(m)
			copy(f.dst[lo:hi], canaries)
		}
		c, err := slice1.NewPlan(d, slice1.WithNumbers(to, a), slice1.WithKernel(kernel))
		require.NoError(f, err)
		require.NoError(f, c.Run(f.dst[:out], f.src[:in]))
		tested(f.T, kernel)
		for i, m := range take {
			lo, hi := around(m)
			copy(got[i*size:(i+1)*size], f.dst[m.to/from.Size()*size:])
			for b := lo; b < hi; b++ {
				if f.dst[b] != canary && !made[b/size] {
					f.Fatalf("%s, %s, byte %d beside an element: %v", kernel, name, b, c)
				}
			}
		}
		sameNumbers(f, to, want, got, func() string { return fmt.Sprint(kernel, " ", name, " ", d, a, c) })
	}
	f.checked++
}
