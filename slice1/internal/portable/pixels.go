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

// runPixels copies rows that are pixels. All but the first and the last take a
// fourth element with them: in the source it is the neighbour's or lies in a
// gap, in the destination the next pixel replaces it.
func (b *block) runPixels(d, s unsafe.Pointer) {
	src, size, groups := b.outer.src, b.outer.dst, (b.outer.n-2)/pixelGroup
	done := 1 + groups*pixelGroup
	b.group(d, s, &loop{n: 1}, channels)
	e, p := unsafe.Add(d, size), unsafe.Add(s, src)
	switch {
	case b.class == nest.Reversed:
		pixelsBackwards(e, p, groups, src)
	case b.width == 1:
		pixelsForwards[[4]byte](e, p, groups, src, size)
	default:
		pixelsForwards[[8]byte](e, p, groups, src, size)
	}
	b.group(unsafe.Add(d, done*size), unsafe.Add(s, done*src), &loop{b.outer.n - done, src, size}, channels)
}

// pixelsForwards is, for n groups of pixels of size bytes, of which T holds one
// and an element more,
//
//	for i := range 4*n { copy(d[i*size:][:size], s[i*src:]) }
func pixelsForwards[T any](d, s unsafe.Pointer, n, src, size int) {
	for {
		e, p := unsafe.Add(d, 2*size), unsafe.Add(s, 2*src)
		*(*T)(d) = *(*T)(s)
		*(*T)(unsafe.Add(d, size)) = *(*T)(unsafe.Add(s, src))
		*(*T)(e) = *(*T)(p)
		*(*T)(unsafe.Add(e, size)) = *(*T)(unsafe.Add(p, src))
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(e, 2*size), unsafe.Add(p, 2*src)
	}
}

// pixelsBackwards is, for n groups of pixels,
//
//	for i := range 4*n { for j := range 3 { d[3*i + j] = s[i*src - j] } }
func pixelsBackwards(d, s unsafe.Pointer, n, src int) {
	for s = unsafe.Add(s, -3); ; {
		e, p := unsafe.Add(d, 6), unsafe.Add(s, 2*src)
		*(*uint32)(d) = bits.ReverseBytes32(*(*uint32)(s))
		*(*uint32)(unsafe.Add(d, 3)) = bits.ReverseBytes32(*(*uint32)(unsafe.Add(s, src)))
		*(*uint32)(e) = bits.ReverseBytes32(*(*uint32)(p))
		*(*uint32)(unsafe.Add(e, 3)) = bits.ReverseBytes32(*(*uint32)(unsafe.Add(p, src)))
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(e, 6), unsafe.Add(p, 2*src)
	}
}
