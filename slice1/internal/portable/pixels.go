package portable

import (
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// channels is how many elements a pixel has.
const channels = 3

// pixelGroup is how many pixels a kernel takes at a time.
const pixelGroup = 4

// runPixels copies rows that are pixels. All but the first and the last one to
// four take a fourth element with them: in the source it is the neighbour's or
// lies in a gap, in the destination the next pixel replaces it.
func (b *block) runPixels(d, s unsafe.Pointer) {
	src, size, groups := b.outer.src, b.outer.dst, (b.outer.n-2)/pixelGroup
	done := 1 + groups*pixelGroup
	b.group(d, s, &loop{n: 1}, channels)
	e, p := unsafe.Add(d, size), unsafe.Add(s, src)
	switch {
	case b.class == nest.Reversed:
		pixelsBackwards(e, p, groups, src)
	case b.width == 1:
		pixelsForwards[uint32](e, p, groups, src, size)
	default:
		pixelsForwards[uint64](e, p, groups, src, size)
	}
	b.group(unsafe.Add(d, done*size), unsafe.Add(s, done*src), &loop{b.outer.n - done, src, size}, channels)
}

// The kernels of pixels load a group before they store it, as group does a row.

// pixelsForwards is, for n groups of pixels of size bytes, of which T holds one
// and an element more,
//
//	for i := range 4*n { copy(d[i*size:][:size], s[i*src:]) }
func pixelsForwards[T uint32 | uint64](d, s unsafe.Pointer, n, src, size int) {
	s2, s3, s4 := 2*src, 3*src, 4*src
	for {
		e := unsafe.Add(d, 2*size)
		v0, v1, v2, v3 := *(*T)(s), *(*T)(unsafe.Add(s, src)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
		*(*T)(d), *(*T)(unsafe.Add(d, size)) = v0, v1
		*(*T)(e), *(*T)(unsafe.Add(e, size)) = v2, v3
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(e, 2*size), unsafe.Add(s, s4)
	}
}

// pixelsBackwards is, for n groups of pixels,
//
//	for i := range 4*n { for j := range 3 { d[3*i + j] = s[i*src - j] } }
func pixelsBackwards(d, s unsafe.Pointer, n, src int) {
	s3, s4 := 3*src, 4*src
	s2 := s3 - src // The compiler would double src again for each load.
	for s = unsafe.Add(s, -3); ; {
		v0, v1, v2, v3 := *(*uint32)(s), *(*uint32)(unsafe.Add(s, src)), *(*uint32)(unsafe.Add(s, s2)), *(*uint32)(unsafe.Add(s, s3))
		*(*uint32)(d) = bits.ReverseBytes32(v0)
		*(*uint32)(unsafe.Add(d, 3)) = bits.ReverseBytes32(v1)
		*(*uint32)(unsafe.Add(d, 6)) = bits.ReverseBytes32(v2)
		*(*uint32)(unsafe.Add(d, 9)) = bits.ReverseBytes32(v3)
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, 12), unsafe.Add(s, s4)
	}
}
