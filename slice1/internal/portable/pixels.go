package portable

import (
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// pixel is the bytes of a pixel.
const pixel = 3

// pixelGroup is how many pixels a kernel takes at a time.
const pixelGroup = 4

// runPixels copies rows that are pixels. All but the first and the last take a
// byte more with them: in the source it is the neighbour's or lies in a gap, in
// the destination the next pixel replaces it.
func (b *block) runPixels(d, s unsafe.Pointer) {
	src, groups := b.outer.src, (b.outer.n-2)/pixelGroup
	done := 1 + groups*pixelGroup
	b.group(d, s, &loop{n: 1}, pixel)
	if e, p := unsafe.Add(d, pixel), unsafe.Add(s, src); b.class == nest.Reversed {
		pixelsBackwards(e, p, groups, src)
	} else {
		pixelsForwards(e, p, groups, src)
	}
	b.group(unsafe.Add(d, done*pixel), unsafe.Add(s, done*src), &loop{b.outer.n - done, src, pixel}, pixel)
}

// pixelsForwards is, for n groups of pixels,
//
//	for i := range 4*n { for j := range 3 { d[3*i + j] = s[i*src + j] } }
func pixelsForwards(d, s unsafe.Pointer, n, src int) {
	for {
		e, p := unsafe.Add(d, 2*pixel), unsafe.Add(s, 2*src)
		*(*uint32)(d) = *(*uint32)(s)
		*(*uint32)(unsafe.Add(d, pixel)) = *(*uint32)(unsafe.Add(s, src))
		*(*uint32)(e) = *(*uint32)(p)
		*(*uint32)(unsafe.Add(e, pixel)) = *(*uint32)(unsafe.Add(p, src))
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(e, 2*pixel), unsafe.Add(p, 2*src)
	}
}

// pixelsBackwards is, for n groups of pixels,
//
//	for i := range 4*n { for j := range 3 { d[3*i + j] = s[i*src - j] } }
func pixelsBackwards(d, s unsafe.Pointer, n, src int) {
	for s = unsafe.Add(s, -pixel); ; {
		e, p := unsafe.Add(d, 2*pixel), unsafe.Add(s, 2*src)
		*(*uint32)(d) = bits.ReverseBytes32(*(*uint32)(s))
		*(*uint32)(unsafe.Add(d, pixel)) = bits.ReverseBytes32(*(*uint32)(unsafe.Add(s, src)))
		*(*uint32)(e) = bits.ReverseBytes32(*(*uint32)(p))
		*(*uint32)(unsafe.Add(e, pixel)) = bits.ReverseBytes32(*(*uint32)(unsafe.Add(p, src)))
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(e, 2*pixel), unsafe.Add(p, 2*src)
	}
}
