package main

import "unsafe"

// naiveLoop returns the loops a Go programmer writes first, one for each axis. first is the number
// of the first element taken of src.
func naiveLoop(dst, src []byte, axes []axis, first, width int) func() {
	switch width {
	case 1:
		return naiveOf(dst, src, axes, first)
	case 2:
		return naiveOf(elements[uint16](dst), elements[uint16](src), axes, first)
	case 4:
		return naiveOf(elements[uint32](dst), elements[uint32](src), axes, first)
	default:
		return naiveOf(elements[uint64](dst), elements[uint64](src), axes, first)
	}
}

func naiveOf[T any](dst, src []T, axes []axis, first int) func() {
	if len(axes) == 0 {
		axes = []axis{{1, 1, 1}}
	}
	if len(axes) == 1 {
		return func() { naiveRow(dst, src, axes[0], 0, first) }
	}
	var walk func(axes []axis, to, from int)
	walk = func(axes []axis, to, from int) {
		a := axes[0]
		for range a.n {
			if len(axes) == 2 {
				naiveRow(dst, src, axes[1], to, from)
			} else {
				walk(axes[1:], to, from)
			}
			to += a.dst
			from += a.src
		}
	}
	return func() { walk(axes, 0, first) }
}

func naiveRow[T any](dst, src []T, a axis, to, from int) {
	switch {
	case a.src == 1 && a.dst == 1:
		copy(dst[to:to+a.n], src[from:from+a.n])
	case a.dst == 1:
		row := dst[to : to+a.n]
		for i := range row {
			row[i] = src[from]
			from += a.src
		}
	default:
		for range a.n {
			dst[to] = src[from]
			to += a.dst
			from += a.src
		}
	}
}

// elements views bytes, aligned for T, as elements.
func elements[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}
