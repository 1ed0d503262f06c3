//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// vectorsOf makes the main vectors of the row at d by form Bytes or Lanes.
func vectorsOf(w *csrc.Windows, form csrc.Form, d, s unsafe.Pointer) {
	if form == csrc.Bytes {
		bytes(w, d, s)
	} else {
		lanes(w, d, s)
	}
}

// bytes makes the main vectors of the row at d by form Bytes, with loops for the same numbers of
// windows as lanes.
func bytes(w *csrc.Windows, d, s unsafe.Pointer) {
	v := &w.Main
	p, q := indices(&v.Perm[0]), words(v)
	w0, m0 := masked(v, s, 0)
	if v.Windows == 1 {
		mains(w, d, p, func(at int, p picks) vec {
			return load(w0, at).PermuteOrZeroGrouped(p).ReshapeToUint32s().Permute(q).ReshapeToUint8s()
		})
		return
	}
	w1, m1 := masked(v, s, 1)
	if v.Windows == 2 {
		mains(w, d, p, func(at int, p picks) vec { return inOrder(load(w0, at).And(m0).Or(load(w1, at).And(m1)), p, q) })
		return
	}
	w2, m2 := masked(v, s, 2)
	three := func(at int) vec { return load(w0, at).And(m0).Or(load(w1, at).And(m1)).Or(load(w2, at).And(m2)) }
	if v.Windows == 3 {
		mains(w, d, p, func(at int, p picks) vec {
			return three(at).PermuteOrZeroGrouped(p).ReshapeToUint32s().Permute(q).ReshapeToUint8s()
		})
		return
	}
	w3, m3 := masked(v, s, 3)
	if v.Windows == 4 {
		mains(w, d, p, func(at int, p picks) vec { return inOrder(three(at).Or(load(w3, at).And(m3)), p, q) })
		return
	}
	w4, m4 := masked(v, s, 4)
	w5, m5 := masked(v, s, 5)
	w6, m6 := masked(v, s, 6)
	w7, m7 := masked(v, s, 7)
	mains(w, d, p, func(at int, p picks) vec {
		x := three(at).Or(load(w3, at).And(m3).Or(load(w4, at).And(m4)))
		return inOrder(x.Or(load(w5, at).And(m5)).Or(load(w6, at).And(m6).Or(load(w7, at).And(m7))), p, q)
	})
}

// masked returns the address of window k of the first vector of a row, and a mask of the bytes to
// take of it. If there is no window k, it returns the address of window 0 and an empty mask.
func masked(v *csrc.Vector, s unsafe.Pointer, k int) (window unsafe.Pointer, taken vec) {
	if k < int(v.Windows) {
		return unsafe.Add(s, int(v.At[0][k])), mask(v, k)
	}
	return unsafe.Add(s, int(v.At[0][0])), taken
}

// every2 makes rows of every second element of the source. A vector has two windows, which begin
// an element less than a vector apart. Of the first window it takes the elements with even numbers,
// of the second those with odd numbers, so that the two merge. The last vector of a row is its
// tail.
func (r rows) every2(w *csrc.Windows, width int32, d, s unsafe.Pointer) {
	v := &everySecond[bits.TrailingZeros32(uint32(width))&3]
	m0, m1, p, q := mask(v, 0), mask(v, 1), indices(&v.Perm[0]), words(v)
	apart, last, lastTo := vector-int(width), int(w.Tail[0].Src), int(w.Tail[0].Dst)
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		j := unsafe.Add(i, apart)
		to, at, left := 0, 0, w.Count
		for ; left >= 2; left, at, to = left-2, at+4*vector, to+2*vector {
			x := inOrder(load(i, at).And(m0).Or(load(j, at).And(m1)), p, q)
			y := inOrder(load(i, at+2*vector).And(m0).Or(load(j, at+2*vector).And(m1)), p, q)
			store(o, to, x)
			store(o, to+vector, y)
		}
		if left > 0 {
			store(o, to, inOrder(load(i, at).And(m0).Or(load(j, at).And(m1)), p, q))
		}
		store(o, lastTo, inOrder(load(i, last).And(m0).Or(load(j, last).And(m1)), p, q))
	}
}

// everySecond holds the masks and the permutation of every2, for elements of 1<<log bytes at number
// log.
var everySecond = func() (table [4]csrc.Vector) {
	for log := range table {
		v, width := &table[log], 1<<log
		var held [2]int // how many words each lane of the merged vector has so far
		for to := 0; to < vector; to += 4 {
			// The word at byte `to` of the result starts at byte `at` of its window. It is at
			// byte `place` once the bytes of each lane are in order.
			window := to / (vector / 2)
			at := to/width*2*width + to%width - window*(vector-width)
			half := at / lane
			place := half*lane + held[half]*4
			held[half]++
			v.Perm[1][to] = uint8(place / 4)
			for b := range 4 {
				from := (to+b)/width*2*width + (to+b)%width - window*(vector-width)
				v.Pick[window][from] = 0xff
				v.Perm[0][place+b] = uint8(from % lane)
			}
		}
	}
	return table
}()

// inOrder permutes the bytes of x within each lane, then its words of 4 bytes across lanes.
func inOrder(x vec, bytes picks, words archsimd.Uint32x8) vec {
	return x.PermuteOrZeroGrouped(bytes).ReshapeToUint32s().Permute(words).ReshapeToUint8s()
}

func words(v *csrc.Vector) archsimd.Uint32x8 {
	return archsimd.LoadUint8x32Array(&v.Perm[1]).ReshapeToUint32s()
}

func mask(v *csrc.Vector, k int) vec { return archsimd.LoadUint8x32Array(&v.Pick[k]) }

// unitsOf makes units first to end-1 by form UnitsLanes or UnitsBytes.
func unitsOf(u *csrc.Units, form csrc.Form, d, s unsafe.Pointer, first, end int) {
	switch {
	case form == csrc.UnitsLanes:
		unitsLanes(u, d, s, first, end)
	case u.Each.Windows == 2:
		unitsBytes2(u, d, s, first, end)
	default:
		unitsBytes1(u, d, s, first, end)
	}
}

func unitsBytes1(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	v, unit, all := &u.Each, int(u.Unit), u.At[:end]
	p, q := indices(&v.Perm[0]), words(v)
	a0 := int(v.At[0][0])
	for i := first; i < len(all); i++ {
		store(d, i*unit, inOrder(load(s, int(all[i])+a0), p, q))
	}
}

func unitsBytes2(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	v, unit, all := &u.Each, int(u.Unit), u.At[:end]
	p, q := indices(&v.Perm[0]), words(v)
	a0, m0 := int(v.At[0][0]), mask(v, 0)
	a1, m1 := int(v.At[0][1]), mask(v, 1)
	for i := first; i < len(all); i++ {
		at := int(all[i])
		store(d, i*unit, inOrder(load(s, at+a0).And(m0).Or(load(s, at+a1).And(m1)), p, q))
	}
}
