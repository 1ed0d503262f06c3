package portable

import (
	"encoding/binary"
	"unsafe"
)

// le moves words in little-endian order whatever the processor's, so that the
// first byte in memory is the lowest one of the word. It allows any alignment;
// where the processor does too, the compiler makes one instruction of a word.
var le = binary.LittleEndian

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
			e, t := (*[8]byte)(d), unsafe.Add(s, s4)
			le.PutUint16(e[0:], uint16(*(*uint8)(s))|uint16(*(*uint8)(unsafe.Add(s, stride)))<<8)
			le.PutUint16(e[2:], uint16(*(*uint8)(unsafe.Add(s, s2)))|uint16(*(*uint8)(unsafe.Add(s, s3)))<<8)
			le.PutUint16(e[4:], uint16(*(*uint8)(t))|uint16(*(*uint8)(unsafe.Add(t, stride)))<<8)
			le.PutUint16(e[6:], uint16(*(*uint8)(unsafe.Add(t, s2)))|uint16(*(*uint8)(unsafe.Add(t, s3)))<<8)
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
			e, t := (*[16]byte)(d), unsafe.Add(s, s4)
			le.PutUint32(e[0:], uint32(word2(s))|uint32(word2(unsafe.Add(s, stride)))<<16)
			le.PutUint32(e[4:], uint32(word2(unsafe.Add(s, s2)))|uint32(word2(unsafe.Add(s, s3)))<<16)
			le.PutUint32(e[8:], uint32(word2(t))|uint32(word2(unsafe.Add(t, stride)))<<16)
			le.PutUint32(e[12:], uint32(word2(unsafe.Add(t, s2)))|uint32(word2(unsafe.Add(t, s3)))<<16)
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
			e, t := (*[32]byte)(d), unsafe.Add(s, s4)
			le.PutUint64(e[0:], uint64(word4(s))|uint64(word4(unsafe.Add(s, stride)))<<32)
			le.PutUint64(e[8:], uint64(word4(unsafe.Add(s, s2)))|uint64(word4(unsafe.Add(s, s3)))<<32)
			le.PutUint64(e[16:], uint64(word4(t))|uint64(word4(unsafe.Add(t, stride)))<<32)
			le.PutUint64(e[24:], uint64(word4(unsafe.Add(t, s2)))|uint64(word4(unsafe.Add(t, s3)))<<32)
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

func word2(p unsafe.Pointer) uint16 { return le.Uint16((*[2]byte)(p)[:]) }
func word4(p unsafe.Pointer) uint32 { return le.Uint32((*[4]byte)(p)[:]) }
