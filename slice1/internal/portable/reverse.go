package portable

import (
	"math/bits"
	"unsafe"
)

// reverse1, reverse2 and reverse4 are, in elements of 1, 2 and 4 bytes, for a row of n
// elements that has size bytes, 8 or more,
//
//	for i := range n { d[i] = s[-i] }
//
// They take 8 bytes at a time. The last 8 may overlap the ones before.

func reverse1(d, s unsafe.Pointer, size int) {
	s = unsafe.Add(s, 1-8) // s points to the 8 source bytes that d begins with, reversed.
	i := 0
	for ; i <= size-32; i += 32 {
		w, r := (*[4]uint64)(unsafe.Add(d, i)), (*[4]uint64)(unsafe.Add(s, -i-24))
		w[0] = bits.ReverseBytes64(r[3])
		w[1] = bits.ReverseBytes64(r[2])
		w[2] = bits.ReverseBytes64(r[1])
		w[3] = bits.ReverseBytes64(r[0])
	}
	for ; i < size; i += 8 {
		i = min(i, size-8)
		w, r := (*uint64)(unsafe.Add(d, i)), (*uint64)(unsafe.Add(s, -i))
		*w = bits.ReverseBytes64(*r)
	}
}

func reverse2(d, s unsafe.Pointer, size int) {
	s = unsafe.Add(s, 2-8)
	i := 0
	for ; i <= size-32; i += 32 {
		w, r := (*[8]uint32)(unsafe.Add(d, i)), (*[8]uint32)(unsafe.Add(s, -i-24))
		w[0] = bits.RotateLeft32(r[7], 16)
		w[1] = bits.RotateLeft32(r[6], 16)
		w[2] = bits.RotateLeft32(r[5], 16)
		w[3] = bits.RotateLeft32(r[4], 16)
		w[4] = bits.RotateLeft32(r[3], 16)
		w[5] = bits.RotateLeft32(r[2], 16)
		w[6] = bits.RotateLeft32(r[1], 16)
		w[7] = bits.RotateLeft32(r[0], 16)
	}
	for ; i < size; i += 8 {
		i = min(i, size-8)
		w, r := (*[2]uint32)(unsafe.Add(d, i)), (*[2]uint32)(unsafe.Add(s, -i))
		w[0] = bits.RotateLeft32(r[1], 16)
		w[1] = bits.RotateLeft32(r[0], 16)
	}
}

func reverse4(d, s unsafe.Pointer, size int) {
	s = unsafe.Add(s, 4-8)
	i := 0
	for ; i <= size-32; i += 32 {
		w, r := (*[4]uint64)(unsafe.Add(d, i)), (*[4]uint64)(unsafe.Add(s, -i-24))
		w[0] = bits.RotateLeft64(r[3], 32)
		w[1] = bits.RotateLeft64(r[2], 32)
		w[2] = bits.RotateLeft64(r[1], 32)
		w[3] = bits.RotateLeft64(r[0], 32)
	}
	for ; i < size; i += 8 {
		i = min(i, size-8)
		w, r := (*uint64)(unsafe.Add(d, i)), (*uint64)(unsafe.Add(s, -i))
		*w = bits.RotateLeft64(*r, 32)
	}
}
