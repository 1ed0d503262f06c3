package portable

import (
	"math/bits"
	"unsafe"
)

// The reverse kernels are, in elements of their width and for rows of 8 bytes
// or more,
//
//	for i := range n { d[i] = s[-i] }
//
// 8 bytes at a time; the last 8 may overlap the 8 before them. size is that of
// the row in bytes.

func reverse1(d, s unsafe.Pointer, size int) {
	s = unsafe.Add(s, 1-8) // the 8 source bytes that come first in d
	i := 0
	for ; i <= size-32; i += 32 {
		e, p := unsafe.Add(d, i), unsafe.Add(s, -i-24)
		w, r := (*[32]byte)(e), (*[32]byte)(p)
		le.PutUint64(w[0:], bits.ReverseBytes64(le.Uint64(r[24:])))
		le.PutUint64(w[8:], bits.ReverseBytes64(le.Uint64(r[16:])))
		le.PutUint64(w[16:], bits.ReverseBytes64(le.Uint64(r[8:])))
		le.PutUint64(w[24:], bits.ReverseBytes64(le.Uint64(r[0:])))
	}
	for ; i < size; i += 8 {
		i = min(i, size-8)
		w, r := (*[8]byte)(unsafe.Add(d, i)), (*[8]byte)(unsafe.Add(s, -i))
		le.PutUint64(w[:], bits.ReverseBytes64(le.Uint64(r[:])))
	}
}

func reverse2(d, s unsafe.Pointer, size int) {
	s = unsafe.Add(s, 2-8)
	i := 0
	for ; i <= size-32; i += 32 {
		w, r := (*[32]byte)(unsafe.Add(d, i)), (*[32]byte)(unsafe.Add(s, -i-24))
		le.PutUint32(w[0:], bits.RotateLeft32(le.Uint32(r[28:]), 16))
		le.PutUint32(w[4:], bits.RotateLeft32(le.Uint32(r[24:]), 16))
		le.PutUint32(w[8:], bits.RotateLeft32(le.Uint32(r[20:]), 16))
		le.PutUint32(w[12:], bits.RotateLeft32(le.Uint32(r[16:]), 16))
		le.PutUint32(w[16:], bits.RotateLeft32(le.Uint32(r[12:]), 16))
		le.PutUint32(w[20:], bits.RotateLeft32(le.Uint32(r[8:]), 16))
		le.PutUint32(w[24:], bits.RotateLeft32(le.Uint32(r[4:]), 16))
		le.PutUint32(w[28:], bits.RotateLeft32(le.Uint32(r[0:]), 16))
	}
	for ; i < size; i += 8 {
		i = min(i, size-8)
		w, r := (*[8]byte)(unsafe.Add(d, i)), (*[8]byte)(unsafe.Add(s, -i))
		le.PutUint32(w[0:], bits.RotateLeft32(le.Uint32(r[4:]), 16))
		le.PutUint32(w[4:], bits.RotateLeft32(le.Uint32(r[0:]), 16))
	}
}

func reverse4(d, s unsafe.Pointer, size int) {
	s = unsafe.Add(s, 4-8)
	i := 0
	for ; i <= size-32; i += 32 {
		w, r := (*[32]byte)(unsafe.Add(d, i)), (*[32]byte)(unsafe.Add(s, -i-24))
		le.PutUint64(w[0:], bits.RotateLeft64(le.Uint64(r[24:]), 32))
		le.PutUint64(w[8:], bits.RotateLeft64(le.Uint64(r[16:]), 32))
		le.PutUint64(w[16:], bits.RotateLeft64(le.Uint64(r[8:]), 32))
		le.PutUint64(w[24:], bits.RotateLeft64(le.Uint64(r[0:]), 32))
	}
	for ; i < size; i += 8 {
		i = min(i, size-8)
		w, r := (*[8]byte)(unsafe.Add(d, i)), (*[8]byte)(unsafe.Add(s, -i))
		le.PutUint64(w[:], bits.RotateLeft64(le.Uint64(r[:]), 32))
	}
}
