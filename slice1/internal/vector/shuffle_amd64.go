//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// vectorsOf makes the vectors of a row.
func vectorsOf(w *csrc.Windows, form csrc.Form, d, s unsafe.Pointer) {
	if form == csrc.Bytes {
		bytes(w, d, s)
	} else {
		lanes(w, d, s)
	}
}

// bytes makes the vectors of a row by form Bytes, as lanes does by form Lanes.
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

// masked returns where window k is, and the bytes to take of it: none of the first window if
// there is no window k.
func masked(v *csrc.Vector, s unsafe.Pointer, k int) (window unsafe.Pointer, taken vec) {
	if k < int(v.Windows) {
		return unsafe.Add(s, int(v.At[0][k])), mask(v, k)
	}
	return unsafe.Add(s, int(v.At[0][0])), taken
}

// every2 makes rows of every second element. The windows of a vector are an element less
// than a vector apart, so that the elements of both merge.
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

// everySecond is the vector of every second element, for each width: the first window's even
// elements, the second's odd ones.
var everySecond = func() (table [4]csrc.Vector) {
	for log := range table {
		v, width := &table[log], 1<<log
		var held [2]int // words of the lanes
		for to := 0; to < vector; to += 4 {
			// In words: where the source is in its window, and where it is after the bytes
			// of its lane are in order.
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

// inOrder brings the bytes of a merged vector in order within lanes, then words.
func inOrder(x vec, bytes picks, words archsimd.Uint32x8) vec {
	return x.PermuteOrZeroGrouped(bytes).ReshapeToUint32s().Permute(words).ReshapeToUint8s()
}

func words(v *csrc.Vector) archsimd.Uint32x8 {
	return archsimd.LoadUint8x32Array(&v.Perm[1]).ReshapeToUint32s()
}

func mask(v *csrc.Vector, k int) vec { return archsimd.LoadUint8x32Array(&v.Pick[k]) }

// unitsOf makes units from first to end.
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
