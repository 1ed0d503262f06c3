package portable

import "unsafe"

// everyRow is the fewest elements of a row that everyWord makes. In shorter rows, its calls cost
// more than words of the source save.
const everyRow = 96

// pack1 is pack for elements of one byte. It leaves long rows of small strides to everyWord.
func pack1(d, s unsafe.Pointer, n, stride int) {
	if n >= everyRow && (2 <= stride && stride <= 5 || -4 <= stride && stride <= -2) {
		everyWord(d, s, n, stride)
	} else {
		pack[uint8, uint16](d, s, n, stride)
	}
}

// everyWord copies what pack copies, for elements of one byte, and for n and stride for which pack1
// calls it. It loads words of the source. It leaves elements at the end of the row to pack, and, in
// everyPair, elements at its start too, so that no word reaches beyond the row's first or last
// element.
func everyWord(d, s unsafe.Pointer, n, stride int) {
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

// everyPair is everyWord for strides 4, 5, -2, -3 and -4, by function pairs.
func everyPair(d, s unsafe.Pointer, n, stride int) {
	groups := (n - 16) / 16
	rest := n - 8 - 16*groups
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
	pack[uint8, uint16](d, s, rest, stride)
	pack[uint8, uint16](unsafe.Add(d, n-8), unsafe.Add(s, (n-8)*stride), 8, stride)
}

// Masks and factors are arguments of every2, every3 and pairs, and these are not inlined, because
// the compiler would load constants again for each word.

// every2 is
//
//	for i := range 16*n { d[i] = s[2*i] }
//
// Each word of the source has four of these elements, which are stored as two pairs. The mask
// `even` leaves bytes 0, 2, 4 and 6 of a word.
//
//go:noinline
func every2(d, s unsafe.Pointer, n int, even uint64) {
	for {
		x := *(*uint64)(s) & even
		x |= x >> 8
		*(*uint16)(d) = uint16(x)
		*(*uint16)(unsafe.Add(d, 2)) = uint16(x >> 32)
		x = *(*uint64)(unsafe.Add(s, 8)) & even
		x |= x >> 8
		*(*uint16)(unsafe.Add(d, 4)) = uint16(x)
		*(*uint16)(unsafe.Add(d, 6)) = uint16(x >> 32)
		x = *(*uint64)(unsafe.Add(s, 16)) & even
		x |= x >> 8
		*(*uint16)(unsafe.Add(d, 8)) = uint16(x)
		*(*uint16)(unsafe.Add(d, 10)) = uint16(x >> 32)
		x = *(*uint64)(unsafe.Add(s, 24)) & even
		x |= x >> 8
		*(*uint16)(unsafe.Add(d, 12)) = uint16(x)
		*(*uint16)(unsafe.Add(d, 14)) = uint16(x >> 32)
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
// Each store is four bytes: three elements, and a wrong byte that the next store or the caller
// replaces. The mask `thirds` leaves bytes 0, 3 and 6 of a word of the source, and the product with
// factor has them side by side, as bytes 4, 5 and 6. No two bytes overlap in that product.
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

// pairs makes 16*n elements of a row, four at a time, from the last four to the first four. Each
// store is a word of 8 bytes, which has the four elements as bytes 4 to 7. Its bytes 0 to 3 are
// wrong. The next store, four bytes lower, or the caller replaces them. The first word is stored at
// d.
//
// The elements come from two words of the source, one at s and one `apart` bytes further. The masks
// mask1 and mask2 leave two elements of each. The product of both words with factor has the
// four elements in order as bytes 4 to 7, where no two bytes overlap. From four elements to the
// four before them, s moves by step bytes.
//
//go:noinline
func pairs(d, s unsafe.Pointer, n, step, apart int, mask1, mask2, factor uint64) {
	period := step + apart
	for {
		p := unsafe.Add(s, 2*step)
		x := (*(*uint64)(s)&mask1 | *(*uint64)(unsafe.Add(s, apart))&mask2) * factor
		b := (*(*uint64)(unsafe.Add(s, step))&mask1 | *(*uint64)(unsafe.Add(s, period))&mask2) * factor
		*(*uint64)(d) = x
		*(*uint64)(unsafe.Add(d, -4)) = b
		x = (*(*uint64)(p)&mask1 | *(*uint64)(unsafe.Add(p, apart))&mask2) * factor
		b = (*(*uint64)(unsafe.Add(p, step))&mask1 | *(*uint64)(unsafe.Add(p, period))&mask2) * factor
		*(*uint64)(unsafe.Add(d, -8)) = x
		*(*uint64)(unsafe.Add(d, -12)) = b
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, -16), unsafe.Add(p, 2*step)
	}
}
