//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package vector

import "unsafe"

// minCopied and maxCopied are the shortest and the longest contiguous row, in bytes, that this
// package copies. Package portable is as fast with other rows.
const (
	minCopied = vector
	maxCopied = 256
)

// copy copies contiguous rows of size bytes each.
func (r rows) copy(d, s unsafe.Pointer, size int) {
	if size <= 2*vector {
		r.copyTwo(d, s, size-vector)
	} else {
		r.copyMany(d, s, size-2*vector)
	}
}

// copyTwo copies rows of one to two vectors as two vectors, which may overlap: one at the start,
// and one `last` bytes further.
func (r rows) copyTwo(d, s unsafe.Pointer, last int) {
	for n := r.n; ; d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src) {
		a, b := load(s, 0), load(unsafe.Add(s, last), 0)
		store(d, 0, a)
		store(unsafe.Add(d, last), 0, b)
		if n--; n == 0 {
			return
		}
	}
}

// copyMany copies rows of more than two vectors, two at a time. The last two begin `last` bytes
// from the start, and may overlap the ones before.
func (r rows) copyMany(d, s unsafe.Pointer, last int) {
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		for at := 0; at < last; at += 2 * vector {
			a, b := load(i, at), load(i, at+vector)
			store(o, at, a)
			store(o, at+vector, b)
		}
		a, b := load(i, last), load(i, last+vector)
		store(o, last, a)
		store(o, last+vector, b)
	}
}
