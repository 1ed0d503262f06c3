package portable

import "unsafe"

// pack is, for n >= 8 and elements of T, of `width` bytes, of which W holds two,
//
//	for i := range n { d[i*width] = s[i*stride] }
//
// Two elements make one store: stores are what limits the plain loop, and
// packing more than two costs more shifts than it saves. The last 8 elements
// may overlap the 8 before them.
func pack[T uint8 | uint16 | uint32, W uint16 | uint32 | uint64](d, s unsafe.Pointer, n, stride int) {
	width := int(unsafe.Sizeof(T(0)))
	s3, s4 := 3*stride, 4*stride
	s2 := s3 - stride // The compiler would double stride again for each load.
	for rest, n := n%8, n/8; ; {
		for {
			e, t := (*[4]W)(d), unsafe.Add(s, s4)
			e[0] = W(*(*T)(s)) | W(*(*T)(unsafe.Add(s, stride)))<<(8*width)
			e[1] = W(*(*T)(unsafe.Add(s, s2))) | W(*(*T)(unsafe.Add(s, s3)))<<(8*width)
			e[2] = W(*(*T)(t)) | W(*(*T)(unsafe.Add(t, stride)))<<(8*width)
			e[3] = W(*(*T)(unsafe.Add(t, s2))) | W(*(*T)(unsafe.Add(t, s3)))<<(8*width)
			if n--; n == 0 {
				break
			}
			d, s = unsafe.Add(d, 8*width), unsafe.Add(t, s4)
		}
		if rest == 0 {
			return
		}
		d, s = unsafe.Add(d, rest*width), unsafe.Add(s, rest*stride)
		n, rest = 1, 0
	}
}
