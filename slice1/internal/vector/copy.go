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
// and one `tail` bytes further.
func (r rows) copyTwo(d, s unsafe.Pointer, tail int) {
	for n := r.n; ; d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src) {
		v, w := load(s, 0), load(unsafe.Add(s, tail), 0)
		store(d, 0, v)
		store(unsafe.Add(d, tail), 0, w)
		if n--; n == 0 {
			return
		}
	}
}

// copyMany copies rows of more than two vectors, two at a time. The last two begin `tail` bytes
// from the start, and may overlap the ones before.
func (r rows) copyMany(d, s unsafe.Pointer, tail int) {
	for n, dstAt, srcAt := r.n, 0, 0; n > 0; n, dstAt, srcAt = n-1, dstAt+r.dst, srcAt+r.src {
		o, i := unsafe.Add(d, dstAt), unsafe.Add(s, srcAt)
		for offset := 0; offset < tail; offset += 2 * vector {
			v, w := load(i, offset), load(i, offset+vector)
			store(o, offset, v)
			store(o, offset+vector, w)
		}
		v, w := load(i, tail), load(i, tail+vector)
		store(o, tail, v)
		store(o, tail+vector, w)
	}
}
