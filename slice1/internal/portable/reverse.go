package portable

import (
	"math/bits"
	"unsafe"
)

// reverseRows is, for elements of 1, 2 or 4 bytes and rows of 8 bytes or more,
//
//	for i := range outer.n { for j := range inner.n { d[i*outer.dst + j] = s[i*outer.src - j] } }
func reverseRows(d, s unsafe.Pointer, b *block) {
	last := b.inner.n*b.width - 8 // bytes of the row before its last 8
	for n := b.outer.n; ; {
		p := unsafe.Add(s, b.width-8) // the 8 source bytes that come first in d
		switch b.width {
		case 1:
			reverseRow[uint8](d, p, last)
		case 2:
			reverseRow[uint16](d, p, last)
		case 4:
			reverseRow[uint32](d, p, last)
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, b.outer.dst), unsafe.Add(s, b.outer.src)
	}
}

// reverseRow turns last+8 bytes around, 8 at a time, the last 8 overlapping
// the 8 before them.
func reverseRow[T uint8 | uint16 | uint32](d, p unsafe.Pointer, last int) {
	i := 0
	for ; i+24 <= last; i += 32 {
		reverse8[T](unsafe.Add(d, i), unsafe.Add(p, -i))
		reverse8[T](unsafe.Add(d, i+8), unsafe.Add(p, -i-8))
		reverse8[T](unsafe.Add(d, i+16), unsafe.Add(p, -i-16))
		reverse8[T](unsafe.Add(d, i+24), unsafe.Add(p, -i-24))
	}
	for ; i < last; i += 8 {
		reverse8[T](unsafe.Add(d, i), unsafe.Add(p, -i))
	}
	reverse8[T](unsafe.Add(d, last), unsafe.Add(p, -last))
}

// reverse8 stores at d the elements of the 8 bytes at p, last to first.
func reverse8[T uint8 | uint16 | uint32](d, p unsafe.Pointer) {
	var t T
	switch unsafe.Sizeof(t) {
	case 1:
		store64(d, 0, bits.ReverseBytes64(load64(p, 0)))
	case 2:
		store32(d, 0, bits.RotateLeft32(load32(p, 4), 16))
		store32(d, 4, bits.RotateLeft32(load32(p, 0), 16))
	case 4:
		store64(d, 0, bits.RotateLeft64(load64(p, 0), 32))
	}
}
