package portable

import "unsafe"

// pack is, for n >= 8 elements of type T, which has `width` bytes, with indices in bytes,
//
//	for i := range n { d[i*width] = s[i*stride] }
//
// Each store is a W, which holds two elements. Stores limit a loop that stores elements one by one.
// To pack more than two elements costs more by shifts than it saves by stores. pack takes 8
// elements at a time. The last 8 may overlap the ones before.
func pack[T uint8 | uint16 | uint32, W uint16 | uint32 | uint64](d, s unsafe.Pointer, n, stride int) {
	width := int(unsafe.Sizeof(T(0)))
	s3, s4 := 3*stride, 4*stride
	s2 := s3 - stride // If this were 2*stride, the compiler would compute it again for each load.
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
