//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

const (
	vector = 32 // bytes of destination a wide shuffle stores at a time
	lane   = 16 // bytes within which bytes move; words of 4 move between lanes
	words  = vector / 4
)

// wide makes vectors of the destination from a few windows of the source as
// long as one: picks bytes within the lanes of each, so that the windows fill
// different words, and puts the words in order.
type wide struct {
	windows int                      // 0: a copy
	at      [maxWindows]int          // where each lies, in bytes from the vector's first element
	pick    [maxWindows][vector]int8 // which byte of the lane goes where in it; -1: from another window
	order   [words]uint32            // where each word of the destination is
	src     int                      // bytes from one vector to the next
}

// of sets v, which is zero, to the shuffle for elements of width bytes that
// are stride bytes apart. It returns false if there is none: words are spread
// over lanes, or over too many windows. The windows do not leave the span of
// the vector's own elements.
func (v *wide) of(width, stride int) bool {
	v.src = vector / width * stride
	if stride == width {
		return true
	}
	at := func(i int) int { return i/width*stride + i%width }
	var lo, hi [words]int
	first, last := 0, 0
	for i := range vector {
		w := i / 4
		if i%4 == 0 {
			lo[w], hi[w] = at(i), at(i)
		}
		lo[w], hi[w] = min(lo[w], at(i)), max(hi[w], at(i)+1)
		first, last = min(first, lo[w]), max(last, hi[w])
	}
	var used [2]int // words of the lanes
	for left := 1<<words - 1; left != 0; v.windows++ {
		if v.windows == maxWindows {
			return false
		}
		lowest := last
		for w := range words {
			if left>>w&1 != 0 {
				lowest = min(lowest, lo[w])
			}
		}
		// The lowest word goes to the first lane, or to the second if that is full.
		k, from := v.windows, min(lowest, last-vector)
		if used[(lowest-from)/lane] == lane/4 {
			from = max(first, lowest-lane)
		}
		before := left
		for i := range v.pick[k] {
			v.pick[k][i] = -1
		}
		for w := range words {
			l := (lo[w] - from) / lane
			if left>>w&1 == 0 || lo[w] < from || l > 1 || hi[w] > from+lane*(l+1) || used[l] == lane/4 {
				continue
			}
			left &^= 1 << w
			slot := l*lane/4 + used[l]
			used[l]++
			v.order[w] = uint32(slot)
			for b := range 4 {
				v.pick[k][4*slot+b] = int8(at(4*w+b) - from - l*lane)
			}
		}
		if left == before {
			return false
		}
		v.at[k] = from
	}
	return true
}

// strides holds the wide shuffles, by log2 of the width and stride in
// elements; nil where there is none.
var strides = func() (table [4][2*maxStride + 1]*wide) {
	for log := range table {
		for i := range table[log] {
			// As many windows as elements gain nothing.
			if v := new(wide); i != maxStride && v.of(1<<log, (i-maxStride)<<log) && v.windows < vector>>log {
				table[log][i] = v
			}
		}
	}
	return table
}()

// wideFor returns the wide shuffle for a stride in bytes, or nil.
func wideFor(width, stride int) *wide {
	log := bits.TrailingZeros(uint(width))
	i := stride>>log + maxStride
	if stride&(width-1) != 0 || uint(i) > 2*maxStride {
		return nil
	}
	return strides[log][i]
}

// run makes rows of r.end bytes, at least one vector. The last vector of a row
// may overlap the one before. Each count of windows has a function of its own,
// in which all it needs fits the registers, with a loop over rows of its own: a
// call for each row takes as long as a row of two vectors.
func (v *wide) run(d, s unsafe.Pointer, r *rows) {
	switch v.windows {
	case 0:
		v.run0(d, s, r)
	case 1:
		v.run1(d, s, r)
	case 2:
		v.run2(d, s, r)
	case 3:
		v.run3(d, s, r)
	case 4:
		v.run4(d, s, r)
	}
	archsimd.ClearAVXUpperBits()
}

func (v *wide) run0(d, s unsafe.Pointer, r *rows) {
	full, rest, last := r.end/vector, r.end%vector > 0, r.end-vector
	for n := r.n; ; {
		e, w := d, s
		for left := full; ; {
			store2(e, load2(w))
			if left--; left == 0 {
				break
			}
			e, w = unsafe.Add(e, vector), unsafe.Add(w, vector)
		}
		if rest {
			store2(unsafe.Add(d, last), load2(unsafe.Add(s, last)))
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

func (v *wide) run1(d, s unsafe.Pointer, r *rows) {
	full, rest, last := r.end/vector, r.end%vector > 0, r.end-vector
	order, src := archsimd.LoadUint32x8Array(&v.order), v.src
	a0, q0 := v.at[0], archsimd.LoadInt8x32Array(&v.pick[0])
	for n := r.n; ; {
		e, w0 := d, unsafe.Add(s, a0)
		for left := full; ; {
			store2(e, inOrder(pickOf(w0, q0), order))
			if left--; left == 0 {
				break
			}
			e, w0 = unsafe.Add(e, vector), unsafe.Add(w0, src)
		}
		if rest {
			e, w0 = unsafe.Add(d, last), unsafe.Add(s, a0+r.last)
			store2(e, inOrder(pickOf(w0, q0), order))
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

func (v *wide) run2(d, s unsafe.Pointer, r *rows) {
	full, rest, last := r.end/vector, r.end%vector > 0, r.end-vector
	order, src := archsimd.LoadUint32x8Array(&v.order), v.src
	a0, q0 := v.at[0], archsimd.LoadInt8x32Array(&v.pick[0])
	a1, q1 := v.at[1], archsimd.LoadInt8x32Array(&v.pick[1])
	for n := r.n; ; {
		e, w0, w1 := d, unsafe.Add(s, a0), unsafe.Add(s, a1)
		for left := full; ; {
			store2(e, inOrder(pickOf(w0, q0).Or(pickOf(w1, q1)), order))
			if left--; left == 0 {
				break
			}
			e, w0, w1 = unsafe.Add(e, vector), unsafe.Add(w0, src), unsafe.Add(w1, src)
		}
		if rest {
			e, w0, w1 = unsafe.Add(d, last), unsafe.Add(s, a0+r.last), unsafe.Add(s, a1+r.last)
			store2(e, inOrder(pickOf(w0, q0).Or(pickOf(w1, q1)), order))
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

func (v *wide) run3(d, s unsafe.Pointer, r *rows) {
	full, rest, last := r.end/vector, r.end%vector > 0, r.end-vector
	order, src := archsimd.LoadUint32x8Array(&v.order), v.src
	a0, q0 := v.at[0], archsimd.LoadInt8x32Array(&v.pick[0])
	a1, q1 := v.at[1], archsimd.LoadInt8x32Array(&v.pick[1])
	a2, q2 := v.at[2], archsimd.LoadInt8x32Array(&v.pick[2])
	for n := r.n; ; {
		e, w0, w1, w2 := d, unsafe.Add(s, a0), unsafe.Add(s, a1), unsafe.Add(s, a2)
		for left := full; ; {
			store2(e, inOrder(pickOf(w0, q0).Or(pickOf(w1, q1)).Or(pickOf(w2, q2)), order))
			if left--; left == 0 {
				break
			}
			e, w0, w1, w2 = unsafe.Add(e, vector), unsafe.Add(w0, src), unsafe.Add(w1, src), unsafe.Add(w2, src)
		}
		if rest {
			e, w0, w1, w2 = unsafe.Add(d, last), unsafe.Add(s, a0+r.last), unsafe.Add(s, a1+r.last), unsafe.Add(s, a2+r.last)
			store2(e, inOrder(pickOf(w0, q0).Or(pickOf(w1, q1)).Or(pickOf(w2, q2)), order))
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

func (v *wide) run4(d, s unsafe.Pointer, r *rows) {
	full, rest, last := r.end/vector, r.end%vector > 0, r.end-vector
	order, src := archsimd.LoadUint32x8Array(&v.order), v.src
	a0, q0 := v.at[0], archsimd.LoadInt8x32Array(&v.pick[0])
	a1, q1 := v.at[1], archsimd.LoadInt8x32Array(&v.pick[1])
	a2, q2 := v.at[2], archsimd.LoadInt8x32Array(&v.pick[2])
	a3, q3 := v.at[3], archsimd.LoadInt8x32Array(&v.pick[3])
	for n := r.n; ; {
		e, w0, w1, w2, w3 := d, unsafe.Add(s, a0), unsafe.Add(s, a1), unsafe.Add(s, a2), unsafe.Add(s, a3)
		for left := full; ; {
			store2(e, inOrder(pickOf(w0, q0).Or(pickOf(w1, q1)).Or(pickOf(w2, q2).Or(pickOf(w3, q3))), order))
			if left--; left == 0 {
				break
			}
			e, w0, w1, w2, w3 = unsafe.Add(e, vector), unsafe.Add(w0, src), unsafe.Add(w1, src), unsafe.Add(w2, src), unsafe.Add(w3, src)
		}
		if rest {
			e, w0, w1, w2, w3 = unsafe.Add(d, last), unsafe.Add(s, a0+r.last), unsafe.Add(s, a1+r.last), unsafe.Add(s, a2+r.last), unsafe.Add(s, a3+r.last)
			store2(e, inOrder(pickOf(w0, q0).Or(pickOf(w1, q1)).Or(pickOf(w2, q2).Or(pickOf(w3, q3))), order))
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

// pickOf takes bytes of the window at p.
func pickOf(p unsafe.Pointer, bytes archsimd.Int8x32) archsimd.Uint8x32 {
	return load2(p).PermuteOrZeroGrouped(bytes)
}

func inOrder(v archsimd.Uint8x32, order archsimd.Uint32x8) archsimd.Uint8x32 {
	return v.AsUint32x8().Permute(order).AsUint8x32()
}

func load2(p unsafe.Pointer) archsimd.Uint8x32 {
	return archsimd.LoadUint8x32Array((*[vector]uint8)(p))
}
