package portable

import (
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// channels is the number of elements of each pixel.
const channels = 3

// pixelGroup is the number of pixels that pixelsForwards and pixelsBackwards take at a time.
const pixelGroup = 4

// movePixels copies a block that isPixels accepts. It copies the first pixel by itself, then
// groups of pixelGroup pixels, then the one to four pixels that are left. A pixel of a group is
// moved together with a fourth element. In the source that is a neighbour's element or part of
// a gap. In the destination the next pixel replaces it.
func (b *block) movePixels(d, s unsafe.Pointer) {
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

// pixelsForwards and pixelsBackwards load all pixels of a group before they store one, for the same
// reason as function group.

// pixelsForwards is, for n groups of four pixels,
//
//	for i := range 4*n { copy(d[i*size:][:size], s[i*src:]) }
//
// A pixel has three elements, which together have size bytes. A T has four. The last of these is
// stored behind the pixel.
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

// pixelsBackwards is, for n groups of four pixels of three bytes each,
//
//	for i := range 4*n { for j := range 3 { d[3*i + j] = s[i*src - j] } }
//
// It stores a wrong byte behind the last pixel.
func pixelsBackwards(d, s unsafe.Pointer, n, src int) {
	s3, s4 := 3*src, 4*src
	s2 := s3 - src // If this were 2*src, the compiler would add it to s by one more instruction for each group.
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
