//go:build goexperiment.simd && (amd64 || wasm) && go1.27 && !go1.28

package vector

import "unsafe"

// copy copies contiguous rows of size bytes each, which are at least a lane.
func (r rows) copy(d, s unsafe.Pointer, size int) {
	switch {
	case size < vector:
		r.copyLanes(d, s, size)
	case size <= 2*vector:
		r.copyTwo(d, s, size-vector)
	case size <= 4*vector:
		r.copyFour(d, s, size)
	default:
		r.copyMany(d, s, size)
	}
}

// copyLanes copies rows of one to two lanes as the first lane and the last, which may overlap.
func (r rows) copyLanes(d, s unsafe.Pointer, size int) {
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		a, b := loadLane(s, so), loadLane(s, so+size-lane)
		storeLane(d, do, a)
		storeLane(d, do+size-lane, b)
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

// copyFour copies rows of two to four vectors as four, of which the last two may overlap the others.
func (r rows) copyFour(d, s unsafe.Pointer, size int) {
	last := size - 2*vector
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		end, from := unsafe.Add(o, last), unsafe.Add(i, last)
		a, b, c, e := load(i, 0), load(i, vector), load(from, 0), load(from, vector)
		store(o, 0, a)
		store(o, vector, b)
		store(end, 0, c)
		store(end, vector, e)
	}
}

// copyMany copies rows of more than four vectors, the last of which may overlap the one
// before.
func (r rows) copyMany(d, s unsafe.Pointer, size int) {
	last := size - vector
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		at := 0
		for ; at <= size-4*vector; at += 4 * vector {
			a, b, c, e := load(i, at), load(i, at+vector), load(i, at+2*vector), load(i, at+3*vector)
			store(o, at, a)
			store(o, at+vector, b)
			store(o, at+2*vector, c)
			store(o, at+3*vector, e)
		}
		for ; at < last; at += vector {
			store(o, at, load(i, at))
		}
		if at < size {
			store(o, last, load(i, last))
		}
	}
}
