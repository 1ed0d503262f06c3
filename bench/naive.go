package main

import "unsafe"

// naiveLoop returns the loop a Go programmer writes first.
func naiveLoop(dst, src []byte, stride, width int) func() {
	switch width {
	case 1:
		return naiveOf[uint8](dst, src, stride)
	case 2:
		return naiveOf[uint16](dst, src, stride)
	case 4:
		return naiveOf[uint32](dst, src, stride)
	default:
		return naiveOf[uint64](dst, src, stride)
	}
}

func naiveOf[T any](dst, src []byte, stride int) func() {
	d, s := elements[T](dst), elements[T](src)
	start := 0
	if stride < 0 {
		start = len(s) - 1
	}
	return func() {
		j := start
		for i := range d {
			d[i] = s[j]
			j += stride
		}
	}
}

func elements[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}
