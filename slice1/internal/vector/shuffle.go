//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// lanes makes the main vectors of rows, the first at d, by form Lanes. One, two, three and four
// windows have a loop each, and five to eight share one. The functions for more than two windows
// call the functions for fewer. Each call is on a line that computes something too, since the
// compiler leaves a no-op instruction for an inlined call on any other line.
func (r rows) lanes(w *program.Shuffle, d, s unsafe.Pointer) {
	v := &w.Main
	l0, h0, p := window(v, s, 0)
	if v.Windows == 1 {
		r.mains(w, d, p, func(offset int, p picks) vec { return pick(l0, h0, offset, p) })
		return
	}
	l1, h1, q1 := window(v, s, 1)
	pick2 := func(offset int, p picks) vec { return pick(l0, h0, offset, p).Or(pick(l1, h1, offset, q1)) }
	if v.Windows == 2 {
		r.mains(w, d, p, pick2)
		return
	}
	l2, h2, q2 := window(v, s, 2)
	if v.Windows == 3 {
		r.mains(w, d, p, func(offset int, p picks) vec { return pick2(offset, p).Or(pick(l2, h2, offset, q2)) })
		return
	}
	l3, h3, q3 := window(v, s, 3)
	four := func(offset int, p picks) vec {
		return pick2(offset, p).Or(pick(l2, h2, offset, q2).Or(pick(l3, h3, offset, q3)))
	}
	if v.Windows == 4 {
		r.mains(w, d, p, four)
		return
	}
	// A vector of five to seven windows repeats the first one in place of the missing ones, and
	// picks no byte of these.
	l4, h4, q4 := window(v, s, 4)
	l5, h5, q5 := window(v, s, 5)
	l6, h6, q6 := window(v, s, 6)
	l7, h7, q7 := window(v, s, 7)
	r.mains(w, d, p, func(offset int, p picks) vec {
		x := four(offset, p).Or(pick(l4, h4, offset, q4).Or(pick(l5, h5, offset, q5)))
		return x.Or(pick(l6, h6, offset, q6).Or(pick(l7, h7, offset, q7)))
	})
}

// window returns the addresses of window k of the first vector of a row, for the low lane and for
// the high lane, and the indices of the bytes to pick from both.
func window(v *program.Vector, s unsafe.Pointer, k int) (lo, hi unsafe.Pointer, bytes picks) {
	return unsafe.Add(s, int(v.At[0][k])), unsafe.Add(s, int(v.At[1][k])), indices(unsafe.Pointer(&v.Pick[k]))
}

// mains makes the main vectors of rows, the first of which is at d. make returns the vector whose
// source begins `offset` bytes behind that of the first row's first vector, and is given p. The
// compiler inlines mains, long as it is, and make in it, because make has p, a vector, as an
// argument.
func (r rows) mains(w *program.Shuffle, d unsafe.Pointer, p picks, make func(offset int, p picks) vec) {
	step, advance := int(w.Step), int(w.Advance)
	for i := range r.n {
		offset, target := i*r.src, unsafe.Add(d, i*r.dst)
		left := w.Count
		for ; left >= 2; left -= 2 {
			x, y := make(offset, p), make(offset+step, p)
			store(target, 0, x)
			store(target, advance, y)
			offset, target = offset+2*step, unsafe.Add(target, 2*advance)
		}
		if left > 0 {
			store(target, 0, make(offset, p))
		}
	}
}

// chunk is how many rows get their main vectors before they get their tails.
const chunk = 16

// shuffled makes rows, the first at d.
func (r rows) shuffled(w *program.Shuffle, form program.Form, d, s unsafe.Pointer) {
	for left := r.n; left > 0; left -= chunk {
		r.n = min(left, chunk)
		if w.Count > 0 {
			r.vectorsOf(w, form, d, s)
		}
		for range r.n {
			tails(w, d, s)
			d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
		}
	}
}

// tails makes the tails of the row at d. Each has w.TailLanes lanes, and comes from any number of
// windows by form Lanes.
func tails(w *program.Shuffle, d, s unsafe.Pointer) {
	for i := range int(w.Tails) {
		t := &w.Tail[i&(program.MaxTails-1)]
		v, src, dst, n := &t.Vector, unsafe.Add(s, int(t.Src)), unsafe.Add(d, int(t.Dst)), int(t.Vector.Windows)
		if int(w.TailLanes)*lane < vector {
			x := pickLow(v, src, 0)
			for k := 1; k < n; k++ {
				x = x.Or(pickLow(v, src, k&(program.MaxWindows-1)))
			}
			storeLow(dst, 0, x)
			continue
		}
		x := pickWindow(v, src, 0)
		for k := 1; k < n; k++ {
			x = x.Or(pickWindow(v, src, k&(program.MaxWindows-1)))
		}
		store(dst, 0, x)
	}
}

// pickWindow returns a vector of what v picks out of window k, of the vector whose source begins at
// s.
func pickWindow(v *program.Vector, s unsafe.Pointer, k int) vec {
	lo, hi, bytes := window(v, s, k)
	return pick(lo, hi, 0, bytes)
}
