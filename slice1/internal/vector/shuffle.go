//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// Each count of windows up to four has a loop of its own, in which all it needs fits the
// registers.

// lanes makes rows of vectors by form Lanes.
func (r rows) lanes(w *csrc.Windows, d, s unsafe.Pointer) {
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		if w.Count > 0 {
			switch w.Main.Windows {
			case 1:
				lanes1(w, o, i)
			case 2:
				lanes2(w, o, i)
			case 3:
				lanes3(w, o, i)
			case 4:
				lanes4(w, o, i)
			}
		}
		tails(w, o, i)
	}
}

func lanes1(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	left, at, to := w.Count, 0, 0
	for ; left >= 2; left -= 2 {
		x := pick(l0, h0, at, q0)
		at += step
		y := pick(l0, h0, at, q0)
		at += step
		store2(d, to, x)
		store2(d, to+advance, y)
		to += 2 * advance
	}
	if left > 0 {
		store2(d, to, pick(l0, h0, at, q0))
	}
}

func lanes2(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	l1, h1, q1 := unsafe.Add(s, int(v.At[0][1])), unsafe.Add(s, int(v.At[1][1])), indices(&v.Pick[1])
	left, at, to := w.Count, 0, 0
	for ; left >= 2; left -= 2 {
		x := pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1))
		at += step
		y := pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1))
		at += step
		store2(d, to, x)
		store2(d, to+advance, y)
		to += 2 * advance
	}
	if left > 0 {
		store2(d, to, pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1)))
	}
}

func lanes3(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	l1, h1, q1 := unsafe.Add(s, int(v.At[0][1])), unsafe.Add(s, int(v.At[1][1])), indices(&v.Pick[1])
	l2, h2, q2 := unsafe.Add(s, int(v.At[0][2])), unsafe.Add(s, int(v.At[1][2])), indices(&v.Pick[2])
	for left, at, to := w.Count, 0, 0; left > 0; left, at, to = left-1, at+step, to+advance {
		store2(d, to, pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1)).Or(pick(l2, h2, at, q2)))
	}
}

func lanes4(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	l1, h1, q1 := unsafe.Add(s, int(v.At[0][1])), unsafe.Add(s, int(v.At[1][1])), indices(&v.Pick[1])
	l2, h2, q2 := unsafe.Add(s, int(v.At[0][2])), unsafe.Add(s, int(v.At[1][2])), indices(&v.Pick[2])
	l3, h3, q3 := unsafe.Add(s, int(v.At[0][3])), unsafe.Add(s, int(v.At[1][3])), indices(&v.Pick[3])
	for left, at, to := w.Count, 0, 0; left > 0; left, at, to = left-1, at+step, to+advance {
		store2(d, to, pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1)).Or(pick(l2, h2, at, q2).Or(pick(l3, h3, at, q3))))
	}
}

// allLanes returns a vector made of any number of windows by form Lanes.
func allLanes(v *csrc.Vector, s unsafe.Pointer) archsimd.Uint8x32 {
	x := both(s, int(v.At[0][0]), int(v.At[1][0])).PermuteOrZeroGrouped(indices(&v.Pick[0]))
	for k := 1; k < int(v.Windows); k++ {
		k := k & (csrc.MaxWindows - 1)
		x = x.Or(both(s, int(v.At[0][k]), int(v.At[1][k])).PermuteOrZeroGrouped(indices(&v.Pick[k])))
	}
	return x
}

// bytes makes rows of vectors by form Bytes.
func (r rows) bytes(w *csrc.Windows, d, s unsafe.Pointer) {
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		switch w.Main.Windows {
		case 1:
			bytes1(w, o, i)
		case 2:
			bytes2(w, o, i)
		case 3:
			bytes3(w, o, i)
		case 4:
			bytes4(w, o, i)
		default:
			bytes8(w, o, i)
		}
		tails(w, o, i)
	}
}

func bytes1(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	p, q := indices(&v.Perm[0]), words(v)
	w0 := unsafe.Add(s, int(v.At[0][0]))
	left, at, to := w.Count, 0, 0
	for ; left >= 2; left -= 2 {
		x := inOrder(load2(w0, at), p, q)
		at += step
		y := inOrder(load2(w0, at), p, q)
		at += step
		store2(d, to, x)
		store2(d, to+advance, y)
		to += 2 * advance
	}
	if left > 0 {
		store2(d, to, inOrder(load2(w0, at), p, q))
	}
}

func bytes2(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	p, q := indices(&v.Perm[0]), words(v)
	w0, m0 := unsafe.Add(s, int(v.At[0][0])), mask(v, 0)
	w1, m1 := unsafe.Add(s, int(v.At[0][1])), mask(v, 1)
	left, at, to := w.Count, 0, 0
	for ; left >= 2; left -= 2 {
		x := inOrder(load2(w0, at).And(m0).Or(load2(w1, at).And(m1)), p, q)
		at += step
		y := inOrder(load2(w0, at).And(m0).Or(load2(w1, at).And(m1)), p, q)
		at += step
		store2(d, to, x)
		store2(d, to+advance, y)
		to += 2 * advance
	}
	if left > 0 {
		store2(d, to, inOrder(load2(w0, at).And(m0).Or(load2(w1, at).And(m1)), p, q))
	}
}

func bytes3(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	p, q := indices(&v.Perm[0]), words(v)
	w0, m0 := unsafe.Add(s, int(v.At[0][0])), mask(v, 0)
	w1, m1 := unsafe.Add(s, int(v.At[0][1])), mask(v, 1)
	w2, m2 := unsafe.Add(s, int(v.At[0][2])), mask(v, 2)
	for left, at, to := w.Count, 0, 0; left > 0; left, at, to = left-1, at+step, to+advance {
		x := load2(w0, at).And(m0).Or(load2(w1, at).And(m1)).Or(load2(w2, at).And(m2))
		store2(d, to, inOrder(x, p, q))
	}
}

func bytes4(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	p, q := indices(&v.Perm[0]), words(v)
	w0, m0 := unsafe.Add(s, int(v.At[0][0])), mask(v, 0)
	w1, m1 := unsafe.Add(s, int(v.At[0][1])), mask(v, 1)
	w2, m2 := unsafe.Add(s, int(v.At[0][2])), mask(v, 2)
	w3, m3 := unsafe.Add(s, int(v.At[0][3])), mask(v, 3)
	for left, at, to := w.Count, 0, 0; left > 0; left, at, to = left-1, at+step, to+advance {
		x := load2(w0, at).And(m0).Or(load2(w1, at).And(m1)).Or(load2(w2, at).And(m2).Or(load2(w3, at).And(m3)))
		store2(d, to, inOrder(x, p, q))
	}
}

// bytes8 takes no bytes of windows that there are not.
func bytes8(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	p, q := indices(&v.Perm[0]), words(v)
	w0, m0 := unsafe.Add(s, int(v.At[0][0])), mask(v, 0)
	w1, m1 := unsafe.Add(s, int(v.At[0][1])), mask(v, 1)
	w2, m2 := unsafe.Add(s, int(v.At[0][2])), mask(v, 2)
	w3, m3 := unsafe.Add(s, int(v.At[0][3])), mask(v, 3)
	w4, m4 := unsafe.Add(s, int(v.At[0][4])), mask(v, 4)
	w5, m5 := perhaps(v, s, 5)
	w6, m6 := perhaps(v, s, 6)
	w7, m7 := perhaps(v, s, 7)
	for left, at, to := w.Count, 0, 0; left > 0; left, at, to = left-1, at+step, to+advance {
		x := load2(w0, at).And(m0).Or(load2(w1, at).And(m1)).Or(load2(w2, at).And(m2).Or(load2(w3, at).And(m3))).Or(load2(w4, at).And(m4).Or(load2(w5, at).And(m5)).Or(load2(w6, at).And(m6).Or(load2(w7, at).And(m7))))
		store2(d, to, inOrder(x, p, q))
	}
}

// perhaps returns where window k is, and the bytes to take of it: none of the first window
// if there is no window k.
func perhaps(v *csrc.Vector, s unsafe.Pointer, k int) (window unsafe.Pointer, taken archsimd.Uint8x32) {
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
			x := inOrder(load2(i, at).And(m0).Or(load2(j, at).And(m1)), p, q)
			y := inOrder(load2(i, at+2*vector).And(m0).Or(load2(j, at+2*vector).And(m1)), p, q)
			store2(o, to, x)
			store2(o, to+vector, y)
		}
		if left > 0 {
			store2(o, to, inOrder(load2(i, at).And(m0).Or(load2(j, at).And(m1)), p, q))
		}
		store2(o, lastTo, inOrder(load2(i, last).And(m0).Or(load2(j, last).And(m1)), p, q))
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

// tails makes the tails of the row at d.
func tails(w *csrc.Windows, d, s unsafe.Pointer) {
	for i := range int(w.Tails) {
		t := &w.Tail[i&(csrc.MaxTails-1)]
		if w.TailLanes > 1 {
			store2(d, int(t.Dst), allLanes(&t.Vector, unsafe.Add(s, int(t.Src))))
			continue
		}
		v, from := &t.Vector, unsafe.Add(s, int(t.Src))
		x := load(from, int(v.At[0][0])).PermuteOrZero(indices(&v.Pick[0]).GetLo())
		for k := 1; k < int(v.Windows); k++ {
			k := k & (csrc.MaxWindows - 1)
			x = x.Or(load(from, int(v.At[0][k])).PermuteOrZero(indices(&v.Pick[k]).GetLo()))
		}
		store(d, int(t.Dst), x)
	}
}

// pick takes bytes of the windows of a lane at lo+at and hi+at.
func pick(lo, hi unsafe.Pointer, at int, bytes archsimd.Int8x32) (x archsimd.Uint8x32) {
	return x.SetLo(load(lo, at)).SetHi(load(hi, at)).PermuteOrZeroGrouped(bytes)
}

// inOrder brings the bytes of a merged vector in order within lanes, then words.
func inOrder(x archsimd.Uint8x32, bytes archsimd.Int8x32, words archsimd.Uint32x8) archsimd.Uint8x32 {
	return x.PermuteOrZeroGrouped(bytes).ReshapeToUint32s().Permute(words).ReshapeToUint8s()
}

func indices(of *[vector]uint8) archsimd.Int8x32 {
	return archsimd.LoadUint8x32Array(of).BitsToInt8()
}

func words(v *csrc.Vector) archsimd.Uint32x8 {
	return archsimd.LoadUint8x32Array(&v.Perm[1]).ReshapeToUint32s()
}

func mask(v *csrc.Vector, k int) archsimd.Uint8x32 { return archsimd.LoadUint8x32Array(&v.Pick[k]) }
