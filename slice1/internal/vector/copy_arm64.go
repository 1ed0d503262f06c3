//go:build goexperiment.simd && arm64 && go1.27 && !go1.28

package vector

import "unsafe"

// maxCopied is the longest contiguous row, in bytes, that this package copies. No row is longer.
const maxCopied = 1 << 62

// The compiler copies a value of these types by instructions that load or store two vectors each.
// It would copy an array of 128 bytes by a call.
type (
	bytes32  struct{ a, b [2]uint64 }
	bytes64  struct{ a, b bytes32 }
	bytes128 struct{ a, b bytes64 }
)

// copy copies contiguous rows of size bytes each, which are at least a lane.
func (r rows) copy(d, s unsafe.Pointer, size int) {
	switch {
	case size <= 32:
		copyEnds[[2]uint64](r, d, s, size)
	case size < 64:
		copyEnds[bytes32](r, d, s, size)
	case size == 64:
		r.copy64(d, s)
	case size <= 128:
		copyEnds[bytes64](r, d, s, size)
	case size <= 256:
		copyEnds[bytes128](r, d, s, size)
	default:
		r.copyMany(d, s, size)
	}
}

// copy64 copies rows of 64 bytes, two at a time. If their number is odd, it copies the first one
// twice.
func (r rows) copy64(d, s unsafe.Pointer) {
	e, p := d, s
	if r.n%2 == 0 {
		e, p = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
	for n := (r.n + 1) / 2; ; {
		*(*bytes64)(d) = *(*bytes64)(s)
		*(*bytes64)(e) = *(*bytes64)(p)
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(e, r.dst), unsafe.Add(p, r.src)
		e, p = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

// copyEnds copies rows of one to two T. Of each row it copies the first T and the last T, which may
// overlap.
func copyEnds[T any](r rows, d, s unsafe.Pointer, size int) {
	last := size - int(unsafe.Sizeof(*new(T)))
	for n := r.n; ; {
		*(*T)(d) = *(*T)(s)
		*(*T)(unsafe.Add(d, last)) = *(*T)(unsafe.Add(s, last))
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

// copyMany copies rows of more than 256 bytes, the last 128 of which may overlap those before.
func (r rows) copyMany(d, s unsafe.Pointer, size int) {
	last := size - 128
	for n := r.n; ; {
		o, i, left := d, s, size
		for ; left > 512; left -= 512 {
			copy256(o, i)
			copy256(unsafe.Add(o, 256), unsafe.Add(i, 256))
			o, i = unsafe.Add(o, 512), unsafe.Add(i, 512)
		}
		if left == 512 {
			copy256(o, i)
			copy256(unsafe.Add(o, 256), unsafe.Add(i, 256))
		} else {
			for ; left > 128; left -= 128 {
				*(*bytes128)(o) = *(*bytes128)(i)
				o, i = unsafe.Add(o, 128), unsafe.Add(i, 128)
			}
			*(*bytes128)(unsafe.Add(d, last)) = *(*bytes128)(unsafe.Add(s, last))
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

func copy256(d, s unsafe.Pointer) {
	to, from := (*[4]bytes64)(d), (*[4]bytes64)(s)
	to[0] = from[0]
	to[1] = from[1]
	to[2] = from[2]
	to[3] = from[3]
}
