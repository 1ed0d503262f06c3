//go:build goexperiment.simd && arm64 && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// others makes rows by the forms that method run does not know: Inlane, Every2, Every3 and Every4.
func (r rows) others(p *csrc.Program, form csrc.Form, d, s unsafe.Pointer) {
	w := p.Windows()
	log := bits.TrailingZeros32(uint32(p.Width)) & 3
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		switch {
		case w.Count == 0:
		case form == csrc.Inlane:
			inlane(w, o, i)
		case form == csrc.Every3:
			every3(o, i, w.Count, &thirds[log])
		default:
			everySecond(form, log)(o, i, w.Count)
		}
		tails(w, o, i)
	}
}

// inlane makes the main vectors of the row at d by form Inlane, out of merged windows. The loops of
// inlane1 to inlane8 step a pointer to each window, since the compiler loads a vector from a
// register plus a constant, and not from the sum of two registers.
func inlane(w *csrc.Windows, d, s unsafe.Pointer) {
	switch w.Main.Windows {
	case 1:
		if w.Step == -lane && w.Advance == lane {
			backwards(w, d, s)
		} else {
			inlane1(w, d, s)
		}
	case 2:
		inlane2(w, d, s)
	case 3:
		inlane3(w, d, s)
	case 4:
		inlane4(w, d, s)
	default:
		inlane8(w, d, s)
	}
}

// windowOf returns the address of window k of the first vector of a row, and a mask of the bytes to
// take of it. If there is no window k, it returns the address of window 0 and an empty mask.
func windowOf(v *csrc.Vector, s unsafe.Pointer, k int) (unsafe.Pointer, archsimd.Mask8x16) {
	if k < int(v.Windows) {
		return unsafe.Add(s, int(v.At[0][k])), indices(&v.Pick[k]).BitsToInt8().ToMask()
	}
	return unsafe.Add(s, int(v.At[0][0])), archsimd.Mask8x16{}
}

func inlane1(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance, q := &w.Main, int(w.Step), int(w.Advance), indices(&w.Main.Perm[0])
	p, n := unsafe.Add(s, int(v.At[0][0])), w.Count
	for ; n > 4; n -= 4 {
		o := unsafe.Add(d, 2*advance)
		p1 := unsafe.Add(p, step)
		p2 := unsafe.Add(p1, step)
		p3 := unsafe.Add(p2, step)
		x, y := load(p, 0), load(p1, 0)
		store(d, 0, x.LookupOrZero(q))
		store(d, advance, y.LookupOrZero(q))
		x, y = load(p2, 0), load(p3, 0)
		store(o, 0, x.LookupOrZero(q))
		store(o, advance, y.LookupOrZero(q))
		d, p = unsafe.Add(o, 2*advance), unsafe.Add(p3, step)
	}
	for {
		store(d, 0, load(p, 0).LookupOrZero(q))
		if n--; n == 0 {
			return
		}
		d, p = unsafe.Add(d, advance), unsafe.Add(p, step)
	}
}

func inlane2(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance, q := &w.Main, int(w.Step), int(w.Advance), indices(&w.Main.Perm[0])
	p0, _ := windowOf(v, s, 0)
	p1, m1 := windowOf(v, s, 1)
	for n := w.Count; ; {
		store(d, 0, load(p1, 0).IfElse(m1, load(p0, 0)).LookupOrZero(q))
		if n--; n == 0 {
			return
		}
		d = unsafe.Add(d, advance)
		p0, p1 = unsafe.Add(p0, step), unsafe.Add(p1, step)
	}
}

func inlane3(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance, q := &w.Main, int(w.Step), int(w.Advance), indices(&w.Main.Perm[0])
	p0, _ := windowOf(v, s, 0)
	p1, m1 := windowOf(v, s, 1)
	p2, m2 := windowOf(v, s, 2)
	for n := w.Count; ; {
		store(d, 0, load(p2, 0).IfElse(m2, load(p1, 0).IfElse(m1, load(p0, 0))).LookupOrZero(q))
		if n--; n == 0 {
			return
		}
		d = unsafe.Add(d, advance)
		p0, p1 = unsafe.Add(p0, step), unsafe.Add(p1, step)
		p2 = unsafe.Add(p2, step)
	}
}

func inlane4(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance, q := &w.Main, int(w.Step), int(w.Advance), indices(&w.Main.Perm[0])
	p0, _ := windowOf(v, s, 0)
	p1, m1 := windowOf(v, s, 1)
	p2, m2 := windowOf(v, s, 2)
	p3, m3 := windowOf(v, s, 3)
	for n := w.Count; ; {
		store(d, 0, load(p3, 0).IfElse(m3, load(p2, 0).IfElse(m2, load(p1, 0).IfElse(m1, load(p0, 0)))).LookupOrZero(q))
		if n--; n == 0 {
			return
		}
		d = unsafe.Add(d, advance)
		p0, p1 = unsafe.Add(p0, step), unsafe.Add(p1, step)
		p2, p3 = unsafe.Add(p2, step), unsafe.Add(p3, step)
	}
}

// inlane8 makes vectors of five to eight windows. In place of windows that a vector does not have,
// it loads window 0 and takes none of the bytes.
func inlane8(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance, q := &w.Main, int(w.Step), int(w.Advance), indices(&w.Main.Perm[0])
	p0, _ := windowOf(v, s, 0)
	p1, m1 := windowOf(v, s, 1)
	p2, m2 := windowOf(v, s, 2)
	p3, m3 := windowOf(v, s, 3)
	p4, m4 := windowOf(v, s, 4)
	p5, m5 := windowOf(v, s, 5)
	p6, m6 := windowOf(v, s, 6)
	p7, m7 := windowOf(v, s, 7)
	for n := w.Count; ; {
		x := load(p0, 0)
		x = load(p1, 0).IfElse(m1, x)
		x = load(p2, 0).IfElse(m2, x)
		x = load(p3, 0).IfElse(m3, x)
		x = load(p4, 0).IfElse(m4, x)
		x = load(p5, 0).IfElse(m5, x)
		x = load(p6, 0).IfElse(m6, x)
		x = load(p7, 0).IfElse(m7, x)
		store(d, 0, x.LookupOrZero(q))
		if n--; n == 0 {
			return
		}
		d = unsafe.Add(d, advance)
		p0, p1 = unsafe.Add(p0, step), unsafe.Add(p1, step)
		p2, p3 = unsafe.Add(p2, step), unsafe.Add(p3, step)
		p4, p5 = unsafe.Add(p4, step), unsafe.Add(p5, step)
		p6, p7 = unsafe.Add(p6, step), unsafe.Add(p7, step)
	}
}

// backwards is inlane1 for vectors of which each is a lane further in the destination than the one
// before, and its window a lane lower in the source.
func backwards(w *csrc.Windows, d, s unsafe.Pointer) {
	q, at, to := indices(&w.Main.Perm[0]), int(w.Main.At[0][0]), 0
	left := w.Count
	for ; left >= 4; left, at, to = left-4, at-4*lane, to+4*lane {
		o, i := unsafe.Add(d, to), unsafe.Add(s, at-3*lane)
		store(o, 0, load(i, 3*lane).LookupOrZero(q))
		store(o, lane, load(i, 2*lane).LookupOrZero(q))
		store(o, 2*lane, load(i, lane).LookupOrZero(q))
		store(o, 3*lane, load(i, 0).LookupOrZero(q))
	}
	for ; left > 0; left, at, to = left-1, at-lane, to+lane {
		store(d, to, load(s, at).LookupOrZero(q))
	}
}

// everySecond returns the loop for elements of 1<<log bytes that makes vectors of every second
// element, or of every fourth one if form is Every4.
func everySecond(form csrc.Form, log int) func(d, s unsafe.Pointer, n int64) {
	switch {
	case form == csrc.Every4 && log == 0:
		return fourths1
	case form == csrc.Every4:
		return fourths2
	case log == 0:
		return halves1
	case log == 1:
		return halves2
	}
	return halves4
}

// halves1, halves2 and halves4 make n vectors of elements of 1, 2 and 4 bytes. In elements of
// `width` bytes they are
//
//	for i := range n * vector / width { d[i] = s[2*i] }
//
// fourths1 and fourths2 are the same with s[4*i], for elements of 1 and 2 bytes.

func halves1(d, s unsafe.Pointer, n int64) {
	to := 0
	for ; n >= 4; n, to = n-4, to+4*lane {
		o, i := unsafe.Add(d, to), unsafe.Add(s, 2*to)
		store(o, 0, load(i, 0).ConcatEven(load(i, lane)))
		store(o, lane, load(i, 2*lane).ConcatEven(load(i, 3*lane)))
		store(o, 2*lane, load(i, 4*lane).ConcatEven(load(i, 5*lane)))
		store(o, 3*lane, load(i, 6*lane).ConcatEven(load(i, 7*lane)))
	}
	for ; n > 0; n, to = n-1, to+lane {
		i := unsafe.Add(s, 2*to)
		store(d, to, load(i, 0).ConcatEven(load(i, lane)))
	}
}

func halves2(d, s unsafe.Pointer, n int64) {
	to := 0
	for ; n >= 4; n, to = n-4, to+4*lane {
		o, i := unsafe.Add(d, to), unsafe.Add(s, 2*to)
		store(o, 0, load(i, 0).ReshapeToUint16s().ConcatEven(load(i, lane).ReshapeToUint16s()).ReshapeToUint8s())
		store(o, lane, load(i, 2*lane).ReshapeToUint16s().ConcatEven(load(i, 3*lane).ReshapeToUint16s()).ReshapeToUint8s())
		store(o, 2*lane, load(i, 4*lane).ReshapeToUint16s().ConcatEven(load(i, 5*lane).ReshapeToUint16s()).ReshapeToUint8s())
		store(o, 3*lane, load(i, 6*lane).ReshapeToUint16s().ConcatEven(load(i, 7*lane).ReshapeToUint16s()).ReshapeToUint8s())
	}
	for ; n > 0; n, to = n-1, to+lane {
		i := unsafe.Add(s, 2*to)
		store(d, to, load(i, 0).ReshapeToUint16s().ConcatEven(load(i, lane).ReshapeToUint16s()).ReshapeToUint8s())
	}
}

func halves4(d, s unsafe.Pointer, n int64) {
	to := 0
	for ; n >= 4; n, to = n-4, to+4*lane {
		o, i := unsafe.Add(d, to), unsafe.Add(s, 2*to)
		store(o, 0, load(i, 0).ReshapeToUint32s().ConcatEven(load(i, lane).ReshapeToUint32s()).ReshapeToUint8s())
		store(o, lane, load(i, 2*lane).ReshapeToUint32s().ConcatEven(load(i, 3*lane).ReshapeToUint32s()).ReshapeToUint8s())
		store(o, 2*lane, load(i, 4*lane).ReshapeToUint32s().ConcatEven(load(i, 5*lane).ReshapeToUint32s()).ReshapeToUint8s())
		store(o, 3*lane, load(i, 6*lane).ReshapeToUint32s().ConcatEven(load(i, 7*lane).ReshapeToUint32s()).ReshapeToUint8s())
	}
	for ; n > 0; n, to = n-1, to+lane {
		i := unsafe.Add(s, 2*to)
		store(d, to, load(i, 0).ReshapeToUint32s().ConcatEven(load(i, lane).ReshapeToUint32s()).ReshapeToUint8s())
	}
}

func fourths1(d, s unsafe.Pointer, n int64) {
	to := 0
	for ; n >= 4; n, to = n-4, to+4*lane {
		o, i := unsafe.Add(d, to), unsafe.Add(s, 4*to)
		store(o, 0, load(i, 0).ConcatEven(load(i, lane)).ConcatEven(load(i, 2*lane).ConcatEven(load(i, 3*lane))))
		store(o, lane, load(i, 4*lane).ConcatEven(load(i, 5*lane)).ConcatEven(load(i, 6*lane).ConcatEven(load(i, 7*lane))))
		store(o, 2*lane, load(i, 8*lane).ConcatEven(load(i, 9*lane)).ConcatEven(load(i, 10*lane).ConcatEven(load(i, 11*lane))))
		store(o, 3*lane, load(i, 12*lane).ConcatEven(load(i, 13*lane)).ConcatEven(load(i, 14*lane).ConcatEven(load(i, 15*lane))))
	}
	for ; n > 0; n, to = n-1, to+lane {
		i := unsafe.Add(s, 4*to)
		store(d, to, load(i, 0).ConcatEven(load(i, lane)).ConcatEven(load(i, 2*lane).ConcatEven(load(i, 3*lane))))
	}
}

func fourths2(d, s unsafe.Pointer, n int64) {
	to := 0
	for ; n >= 4; n, to = n-4, to+4*lane {
		o, i := unsafe.Add(d, to), unsafe.Add(s, 4*to)
		store(o, 0, load(i, 0).ReshapeToUint16s().ConcatEven(load(i, lane).ReshapeToUint16s()).ConcatEven(load(i, 2*lane).ReshapeToUint16s().ConcatEven(load(i, 3*lane).ReshapeToUint16s())).ReshapeToUint8s())
		store(o, lane, load(i, 4*lane).ReshapeToUint16s().ConcatEven(load(i, 5*lane).ReshapeToUint16s()).ConcatEven(load(i, 6*lane).ReshapeToUint16s().ConcatEven(load(i, 7*lane).ReshapeToUint16s())).ReshapeToUint8s())
		store(o, 2*lane, load(i, 8*lane).ReshapeToUint16s().ConcatEven(load(i, 9*lane).ReshapeToUint16s()).ConcatEven(load(i, 10*lane).ReshapeToUint16s().ConcatEven(load(i, 11*lane).ReshapeToUint16s())).ReshapeToUint8s())
		store(o, 3*lane, load(i, 12*lane).ReshapeToUint16s().ConcatEven(load(i, 13*lane).ReshapeToUint16s()).ConcatEven(load(i, 14*lane).ReshapeToUint16s().ConcatEven(load(i, 15*lane).ReshapeToUint16s())).ReshapeToUint8s())
	}
	for ; n > 0; n, to = n-1, to+lane {
		i := unsafe.Add(s, 4*to)
		store(d, to, load(i, 0).ReshapeToUint16s().ConcatEven(load(i, lane).ReshapeToUint16s()).ConcatEven(load(i, 2*lane).ReshapeToUint16s().ConcatEven(load(i, 3*lane).ReshapeToUint16s())).ReshapeToUint8s())
	}
}

// every3 makes n vectors. It is, in elements of `width` bytes, for which `of` is the entry of thirds,
//
//	for i := range n * vector / width { d[i] = s[3*i] }
//
// A vector comes from three vectors of the source, side by side. No two of the elements that are
// taken have the same place in their vectors, so that all of them merge into one vector.
func every3(d, s unsafe.Pointer, n int64, of *third) {
	m1, m2 := loadLane(unsafe.Pointer(&of.second), 0).BitsToInt8().ToMask(), loadLane(unsafe.Pointer(&of.third), 0).BitsToInt8().ToMask()
	q := loadLane(unsafe.Pointer(&of.order), 0)
	if n%2 != 0 {
		store(d, 0, load(s, 2*lane).IfElse(m2, load(s, lane).IfElse(m1, load(s, 0))).LookupOrZero(q))
		if n == 1 {
			return
		}
		d, s = unsafe.Add(d, lane), unsafe.Add(s, 3*lane)
	}
	for n /= 2; ; {
		store(d, 0, load(s, 2*lane).IfElse(m2, load(s, lane).IfElse(m1, load(s, 0))).LookupOrZero(q))
		store(d, lane, load(s, 5*lane).IfElse(m2, load(s, 4*lane).IfElse(m1, load(s, 3*lane))).LookupOrZero(q))
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, 2*lane), unsafe.Add(s, 6*lane)
	}
}

// third says how three vectors of the source become one of every third element: masks of the bytes
// that the second and the third vector replace in the first, and for each byte of the result its
// index in the merged vector.
type third struct{ second, third, order [lane]uint8 }

// thirds holds, at number log, the third for elements of 1<<log bytes.
var thirds = func() (table [4]third) {
	for log := range table {
		t := &table[log]
		for to := range lane {
			at := to>>log*3<<log + to&(1<<log-1)
			t.order[to] = uint8(at % lane)
			switch at / lane {
			case 1:
				t.second[at%lane] = 0xff
			case 2:
				t.third[at%lane] = 0xff
			}
		}
	}
	return table
}()

// unitsOf makes units first to end-1 by form UnitsLanes, the only one that the set has for units.
func unitsOf(u *csrc.Units, form csrc.Form, d, s unsafe.Pointer, first, end int) {
	if u.Each.Windows == 2 {
		unitsLanes2(u, d, s, first, end)
		return
	}
	all, unit := u.At[first:end], int(u.Unit)
	d, s = unsafe.Add(d, first*unit), unsafe.Add(s, int(u.Each.At[0][0]))
	q := indices(&u.Each.Pick[0])
	for len(all) > 4 {
		a, o := (*[4]int32)(all), unsafe.Add(d, 2*unit)
		x0, x1, x2, x3 := load(s, int(a[0])), load(s, int(a[1])), load(s, int(a[2])), load(s, int(a[3]))
		store(d, 0, x0.LookupOrZero(q))
		store(d, unit, x1.LookupOrZero(q))
		store(o, 0, x2.LookupOrZero(q))
		store(o, unit, x3.LookupOrZero(q))
		all, d = all[4:], unsafe.Add(o, 2*unit)
	}
	for i, at := range all {
		store(d, i*unit, load(s, int(at)).LookupOrZero(q))
	}
}
