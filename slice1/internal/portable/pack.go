package portable

import "unsafe"

// packRows is, for rows of 8 elements or more and any source stride,
//
//	for i := range outer.n { for j := range inner.n { d[i*outer.dst + j] = s[i*outer.src + j*inner.src] } }
//
// in elements of T. Two elements make one store: stores are what limits a
// plain loop, and packing more than two costs more shifts than it saves.
func packRows[T uint8 | uint16 | uint32](d, s unsafe.Pointer, b *block) {
	in := b.inner
	last := in.n - 8
	s1 := in.src
	s2, s3 := 2*s1, 3*s1
	for n := b.outer.n; ; {
		for j := 0; ; j = min(j+8, last) {
			p := unsafe.Add(s, j*s1)
			q := unsafe.Add(p, 4*s1)
			e := unsafe.Add(d, j*b.width)
			storePair(e, 0, load[T](p, 0), load[T](p, s1))
			storePair(e, 1, load[T](p, s2), load[T](p, s3))
			storePair(e, 2, load[T](q, 0), load[T](q, s1))
			storePair(e, 3, load[T](q, s2), load[T](q, s3))
			if j == last {
				break
			}
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, b.outer.dst), unsafe.Add(s, b.outer.src)
	}
}

func load[T uint8 | uint16 | uint32](p unsafe.Pointer, off int) T {
	var v T
	switch unsafe.Sizeof(v) {
	case 1:
		return T(*(*uint8)(unsafe.Add(p, off)))
	case 2:
		return T(load16(p, off))
	}
	return T(load32(p, off))
}

// storePair stores a and b at d[2*i] and d[2*i+1].
func storePair[T uint8 | uint16 | uint32](d unsafe.Pointer, i int, a, b T) {
	switch unsafe.Sizeof(a) {
	case 1:
		store16(d, 2*i, uint16(a)|uint16(b)<<8)
	case 2:
		store32(d, 4*i, uint32(a)|uint32(b)<<16)
	case 4:
		store64(d, 8*i, uint64(a)|uint64(b)<<32)
	}
}
