package portable

import "unsafe"

// every is pack for bytes and a stride that Every accepts, but loads words of the source.
// It leaves elements near the ends to pack, so that no word reaches beyond the first or the
// last.
func every(d, s unsafe.Pointer, n, stride int) {
	var done int
	switch stride {
	case 2:
		groups := (n - 8) / 16
		every2(d, s, groups, 0x00FF00FF00FF00FF)
		done = 16 * groups
	case 3:
		groups := (n - 8) / 12
		every3(d, s, groups, 0x00FF0000FF0000FF, 1<<32|1<<16|1)
		done = 12 * groups
	default:
		everyPair(d, s, n, stride)
		return
	}
	pack[uint8, uint16](unsafe.Add(d, done), unsafe.Add(s, done*stride), n-done, stride)
}

// everyPair is every for strides of which one word has two elements, in either order.
func everyPair(d, s unsafe.Pointer, n, stride int) {
	groups := (n - 16) / 16
	first := n - 8 - 16*groups
	e, p := unsafe.Add(d, n-16), unsafe.Add(s, (n-12)*stride)
	switch stride {
	case 4:
		pairs(e, unsafe.Add(p, -1), groups, -16, 6, 0x0000FF000000FF00, 0xFF000000FF000000, 1<<24|1)
	case 5:
		pairs(e, p, groups, -20, 8, 0x0000FF00000000FF, 0xFF00000000FF0000, 1<<32|1)
	case -2:
		pairs(e, unsafe.Add(p, -4), groups, 8, -3, 0x000000FF000000FF, 0x0000FF000000FF00, 1<<48|1)
	case -3:
		pairs(e, unsafe.Add(p, -4), groups, 12, -8, 0x000000FF0000FF00, 0x00FF0000FF000000, 1<<32|1)
	case -4:
		pairs(e, unsafe.Add(p, -4), groups, 16, -10, 0x000000FF000000FF, 0x00FF000000FF0000, 1<<40|1)
	}
	pack[uint8, uint16](d, s, first, stride)
	pack[uint8, uint16](unsafe.Add(d, n-8), unsafe.Add(s, (n-8)*stride), 8, stride)
}

// The masks and the factor are arguments of functions that are not inlined because the
// compiler would load constants again for each word.

// every2 is
//
//	for i := range 16*n { d[i] = s[2*i] }
//
// Each load makes two pairs, which are stored one by one.
//
//go:noinline
func every2(d, s unsafe.Pointer, n int, even uint64) {
	for {
		a := *(*uint64)(s) & even
		a |= a >> 8
		*(*uint16)(d) = uint16(a)
		*(*uint16)(unsafe.Add(d, 2)) = uint16(a >> 32)
		a = *(*uint64)(unsafe.Add(s, 8)) & even
		a |= a >> 8
		*(*uint16)(unsafe.Add(d, 4)) = uint16(a)
		*(*uint16)(unsafe.Add(d, 6)) = uint16(a >> 32)
		a = *(*uint64)(unsafe.Add(s, 16)) & even
		a |= a >> 8
		*(*uint16)(unsafe.Add(d, 8)) = uint16(a)
		*(*uint16)(unsafe.Add(d, 10)) = uint16(a >> 32)
		a = *(*uint64)(unsafe.Add(s, 24)) & even
		a |= a >> 8
		*(*uint16)(unsafe.Add(d, 12)) = uint16(a)
		*(*uint16)(unsafe.Add(d, 14)) = uint16(a >> 32)
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, 16), unsafe.Add(s, 32)
	}
}

// every3 is
//
//	for i := range 12*n { d[i] = s[3*i] }
//
// and writes a byte more, which is wrong until the next store or the caller replaces it. The
// product has bytes 0, 3 and 6 of the word side by side, as bytes 4, 5 and 6, and adds no two
// bytes.
//
//go:noinline
func every3(d, s unsafe.Pointer, n int, thirds, factor uint64) {
	for {
		*(*uint32)(d) = uint32(*(*uint64)(s) & thirds * factor >> 32)
		*(*uint32)(unsafe.Add(d, 3)) = uint32(*(*uint64)(unsafe.Add(s, 9)) & thirds * factor >> 32)
		*(*uint32)(unsafe.Add(d, 6)) = uint32(*(*uint64)(unsafe.Add(s, 18)) & thirds * factor >> 32)
		*(*uint32)(unsafe.Add(d, 9)) = uint32(*(*uint64)(unsafe.Add(s, 27)) & thirds * factor >> 32)
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, 12), unsafe.Add(s, 36)
	}
}

// pairs makes 16*n elements, the last four first, which are bytes 4 to 7 of the word at d. The
// four bytes below are wrong, until the next word or the caller replaces them. Two words of the
// source, at s and at s + apart, have two elements each, which their masks leave. The product has
// the four of them in order at its top and adds no two bytes. s moves by step from four elements
// to the four before.
//
//go:noinline
func pairs(d, s unsafe.Pointer, n, step, apart int, first, second, factor uint64) {
	both := step + apart
	for {
		p := unsafe.Add(s, 2*step)
		a := (*(*uint64)(s)&first | *(*uint64)(unsafe.Add(s, apart))&second) * factor
		b := (*(*uint64)(unsafe.Add(s, step))&first | *(*uint64)(unsafe.Add(s, both))&second) * factor
		*(*uint64)(d) = a
		*(*uint64)(unsafe.Add(d, -4)) = b
		a = (*(*uint64)(p)&first | *(*uint64)(unsafe.Add(p, apart))&second) * factor
		b = (*(*uint64)(unsafe.Add(p, step))&first | *(*uint64)(unsafe.Add(p, both))&second) * factor
		*(*uint64)(unsafe.Add(d, -8)) = a
		*(*uint64)(unsafe.Add(d, -12)) = b
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, -16), unsafe.Add(p, 2*step)
	}
}
