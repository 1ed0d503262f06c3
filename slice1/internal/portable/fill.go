package portable

import "unsafe"

// fill is, for rows of 8 bytes or more,
//
//	for i := range n { d[i] = s[0] }
//
// 8 bytes at a time; the last 8 may overlap the 8 before them. size is that of
// the row in bytes.
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
