package portable

import "unsafe"

// The pack kernels are, in elements of their width and for n >= 8,
//
//	for i := range n { d[i] = s[i*stride] }
//
// Two elements make one store: stores are what limits the plain loop, and
// packing more than two costs more shifts than it saves. The last 8 elements
// may overlap the 8 before them.

func pack1(d, s unsafe.Pointer, n, stride int) {
	s2, s3, s4 := 2*stride, 3*stride, 4*stride
	for rest, n := n%8, n/8; ; {
		for {
			e, t := (*[4]uint16)(d), unsafe.Add(s, s4)
			e[0] = uint16(*(*uint8)(s)) | uint16(*(*uint8)(unsafe.Add(s, stride)))<<8
			e[1] = uint16(*(*uint8)(unsafe.Add(s, s2))) | uint16(*(*uint8)(unsafe.Add(s, s3)))<<8
			e[2] = uint16(*(*uint8)(t)) | uint16(*(*uint8)(unsafe.Add(t, stride)))<<8
			e[3] = uint16(*(*uint8)(unsafe.Add(t, s2))) | uint16(*(*uint8)(unsafe.Add(t, s3)))<<8
			if n--; n == 0 {
				break
			}
			d, s = unsafe.Add(d, 8), unsafe.Add(t, s4)
		}
		if rest == 0 {
			return
		}
		d, s = unsafe.Add(d, rest), unsafe.Add(s, rest*stride)
		n, rest = 1, 0
	}
}

func pack2(d, s unsafe.Pointer, n, stride int) {
	s2, s3, s4 := 2*stride, 3*stride, 4*stride
	for rest, n := n%8, n/8; ; {
		for {
			e, t := (*[4]uint32)(d), unsafe.Add(s, s4)
			e[0] = uint32(*(*uint16)(s)) | uint32(*(*uint16)(unsafe.Add(s, stride)))<<16
			e[1] = uint32(*(*uint16)(unsafe.Add(s, s2))) | uint32(*(*uint16)(unsafe.Add(s, s3)))<<16
			e[2] = uint32(*(*uint16)(t)) | uint32(*(*uint16)(unsafe.Add(t, stride)))<<16
			e[3] = uint32(*(*uint16)(unsafe.Add(t, s2))) | uint32(*(*uint16)(unsafe.Add(t, s3)))<<16
			if n--; n == 0 {
				break
			}
			d, s = unsafe.Add(d, 16), unsafe.Add(t, s4)
		}
		if rest == 0 {
			return
		}
		d, s = unsafe.Add(d, 2*rest), unsafe.Add(s, rest*stride)
		n, rest = 1, 0
	}
}

func pack4(d, s unsafe.Pointer, n, stride int) {
	s2, s3, s4 := 2*stride, 3*stride, 4*stride
	for rest, n := n%8, n/8; ; {
		for {
			e, t := (*[4]uint64)(d), unsafe.Add(s, s4)
			e[0] = uint64(*(*uint32)(s)) | uint64(*(*uint32)(unsafe.Add(s, stride)))<<32
			e[1] = uint64(*(*uint32)(unsafe.Add(s, s2))) | uint64(*(*uint32)(unsafe.Add(s, s3)))<<32
			e[2] = uint64(*(*uint32)(t)) | uint64(*(*uint32)(unsafe.Add(t, stride)))<<32
			e[3] = uint64(*(*uint32)(unsafe.Add(t, s2))) | uint64(*(*uint32)(unsafe.Add(t, s3)))<<32
			if n--; n == 0 {
				break
			}
			d, s = unsafe.Add(d, 32), unsafe.Add(t, s4)
		}
		if rest == 0 {
			return
		}
		d, s = unsafe.Add(d, 4*rest), unsafe.Add(s, rest*stride)
		n, rest = 1, 0
	}
}
