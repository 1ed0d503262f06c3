package portable

import "unsafe"

// fillRows is, for rows of 8 bytes or more,
//
//	for i := range outer.n { for j := range inner.n { d[i*outer.dst + j] = s[i*outer.src] } }
func fillRows(d, s unsafe.Pointer, b *block) {
	last := b.inner.n*b.width - 8 // bytes of the row before its last 8
	for n := b.outer.n; ; {
		v := repeat(s, b.width)
		i := 0
		for ; i+24 <= last; i += 32 {
			e := unsafe.Add(d, i)
			store64(e, 0, v)
			store64(e, 8, v)
			store64(e, 16, v)
			store64(e, 24, v)
		}
		for ; i < last; i += 8 {
			store64(d, i, v)
		}
		store64(d, last, v)
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, b.outer.dst), unsafe.Add(s, b.outer.src)
	}
}

// repeat returns a word full of the element at s.
func repeat(s unsafe.Pointer, width int) uint64 {
	switch width {
	case 1:
		return uint64(*(*uint8)(s)) * 0x0101010101010101
	case 2:
		return uint64(load16(s, 0)) * 0x0001000100010001
	case 4:
		return uint64(load32(s, 0)) * 0x0000000100000001
	}
	return load64(s, 0)
}
