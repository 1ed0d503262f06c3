package portable

import "unsafe"

// fill is, in elements of `width` bytes, for a row of at least 8 bytes, `size` in all,
//
//	for i := range size / width { d[i] = s[0] }
//
// It stores words of 8 bytes. The last one may overlap the one before.
func fill(d, s unsafe.Pointer, size, width int) {
	var v uint64
	switch width {
	case 1:
		v = uint64(*(*uint8)(s)) * 0x0101010101010101
	case 2:
		v = uint64(*(*uint16)(s)) * 0x0001000100010001
	case 4:
		v = uint64(*(*uint32)(s)) * 0x0000000100000001
	case 8:
		v = *(*uint64)(s)
	}
	i := 0
	for ; i <= size-32; i += 32 {
		*(*[4]uint64)(unsafe.Add(d, i)) = [4]uint64{v, v, v, v}
	}
	for ; i < size; i += 8 {
		i = min(i, size-8)
		*(*uint64)(unsafe.Add(d, i)) = v
	}
}
