package portable

import "unsafe"

// every is pack1, but loads words of the source. It leaves the last eight
// elements or more to pack1, so that no word reaches beyond the last element.
func every(d, s unsafe.Pointer, n, stride int) {
	group := 8
	if stride == 3 {
		group = 12
	}
	groups := (n - 8) / group
	switch stride {
	case 2:
		every2(d, s, groups, 0x00FF00FF00FF00FF)
	case 3:
		every3(d, s, groups, 0x00FF0000FF0000FF, 1<<32|1<<16|1)
	case 4:
		every4(d, s, groups, 0x000000FF000000FF, 0x00FF000000FF0000)
	}
	done := groups * group
	pack1(unsafe.Add(d, done), unsafe.Add(s, done*stride), n-done, stride)
}

// The masks and the factor are arguments because the compiler would load
// constants again for each word.

// every2 is
//
//	for i := range 8*n { d[i] = s[2*i] }
//
// and writes two bytes more, which are wrong. Each load makes two pairs, which
// are stored one by one, the second with two bytes that the next one replaces.
func every2(d, s unsafe.Pointer, n int, even uint64) {
	for {
		a, b := *(*uint64)(s)&even, *(*uint64)(unsafe.Add(s, 8))&even
		a |= a >> 8
		b |= b >> 8
		*(*uint16)(d) = uint16(a)
		*(*uint32)(unsafe.Add(d, 2)) = uint32(a >> 32)
		*(*uint16)(unsafe.Add(d, 4)) = uint16(b)
		*(*uint32)(unsafe.Add(d, 6)) = uint32(b >> 32)
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, 8), unsafe.Add(s, 16)
	}
}

// every3 is
//
//	for i := range 12*n { d[i] = s[3*i] }
//
// and writes a byte more, which is wrong. The product has bytes 0, 3 and 6 of
// the word side by side, as bytes 4, 5 and 6, and adds no two bytes.
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

// every4 is
//
//	for i := range 8*n { d[i] = s[4*i] }
//
// Two loads make four elements. The second one begins where its two elements fall
// between those of the first.
func every4(d, s unsafe.Pointer, n int, first, second uint64) {
	for {
		a := *(*uint64)(s)&first | *(*uint64)(unsafe.Add(s, 6))&second
		b := *(*uint64)(unsafe.Add(s, 16))&first | *(*uint64)(unsafe.Add(s, 22))&second
		*(*uint32)(d) = uint32(a | a>>24)
		*(*uint32)(unsafe.Add(d, 4)) = uint32(b | b>>24)
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, 8), unsafe.Add(s, 32)
	}
}
