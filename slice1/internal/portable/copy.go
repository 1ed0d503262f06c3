package portable

import "unsafe"

// copyRows is, for rows of at most maxCopied bytes that are contiguous in the source and in the
// destination,
//
//	for i := range rows.n { copy(d[i*rows.dst:][:size], s[i*rows.src:][:size]) }
func copyRows(d, s unsafe.Pointer, rows loop, size int) {
	switch {
	case size <= 2:
		copyEnds[[1]byte](d, s, rows, size)
	case size <= 4:
		copyEnds[[2]byte](d, s, rows, size)
	case size <= 8:
		copyEnds[[4]byte](d, s, rows, size)
	case size <= 16:
		copyEnds[[8]byte](d, s, rows, size)
	case size <= 32:
		copyEnds[bytes16](d, s, rows, size)
	case size <= 64:
		copyOneByOne[bytes32](d, s, rows, size)
	default:
		copyOneByOne[bytes64](d, s, rows, size)
	}
}

// copyEnds copies rows of one to two T. Of each row it copies the first T and the last
// T, which may overlap, so that no branch depends on the size. It takes two rows at a
// time, as adjacent does, and if their number is odd, it copies the first one twice.
func copyEnds[T any](d, s unsafe.Pointer, rows loop, size int) {
	var t T
	tail := size - int(unsafe.Sizeof(t))
	e, p := d, s
	if rows.n%2 == 0 {
		e, p = unsafe.Add(d, rows.dst), unsafe.Add(s, rows.src)
	}
	for n := (rows.n + 1) / 2; ; {
		*(*T)(d) = *(*T)(s)
		*(*T)(unsafe.Add(d, tail)) = *(*T)(unsafe.Add(s, tail))
		*(*T)(e) = *(*T)(p)
		*(*T)(unsafe.Add(e, tail)) = *(*T)(unsafe.Add(p, tail))
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(e, rows.dst), unsafe.Add(p, rows.src)
		e, p = unsafe.Add(d, rows.dst), unsafe.Add(s, rows.src)
	}
}

// Structs of 16 to 64 bytes. The compiler copies them in place, and arrays of that length by a
// call: of 16 bytes on some architectures, of more bytes on all.
type (
	bytes16 struct{ Lower, Upper [8]byte }
	bytes32 struct{ Lower, Upper bytes16 }
	bytes64 struct{ Lower, Upper bytes32 }
)

// copyOneByOne does what copyEnds does, but takes one row at a time.
func copyOneByOne[T bytes32 | bytes64](d, s unsafe.Pointer, rows loop, size int) {
	tail := size - int(unsafe.Sizeof(*new(T)))
	for n := rows.n; ; {
		*(*T)(d) = *(*T)(s)
		*(*T)(unsafe.Add(d, tail)) = *(*T)(unsafe.Add(s, tail))
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, rows.dst), unsafe.Add(s, rows.src)
	}
}

// copyLong does what copyRows does, for rows of any length.
func copyLong(d, s unsafe.Pointer, rows loop, size int) {
	for n := rows.n; ; {
		copyOne(d, s, size)
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, rows.dst), unsafe.Add(s, rows.src)
	}
}

// copyOne leaves a row to the built-in copy. If at least 2048 bytes go to a destination
// that is aligned to 16 bytes, copy uses REP MOVSQ on some amd64 processors. That was
// measured seven times slower than copy's vectors if the source is not aligned so, and
// never faster. So copyOne moves the first 8 bytes of such a row itself: the rest is
// not aligned, and copy uses vectors.
func copyOne(d, s unsafe.Pointer, size int) {
	if size >= 2048 && uintptr(d)%16 == 0 {
		*(*[8]byte)(d) = *(*[8]byte)(s)
		d, s, size = unsafe.Add(d, 8), unsafe.Add(s, 8), size-8
	}
	copy(unsafe.Slice((*byte)(d), size), unsafe.Slice((*byte)(s), size))
}
