//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// Each count of windows up to four has a loop of its own. pick makes a vector of the bytes
// that it takes of one window of each lane.

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
			default:
				lanes8(w, o, i)
			}
		}
		tails(w, o, i)
	}
}

func lanes1(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	left, at, to := w.Count, 0, 0
	for ; left >= 4; left -= 4 {
		x, y := pick(l0, h0, at, q0), pick(l0, h0, at+step, q0)
		at += 2 * step
		store(d, to, x)
		store(d, to+advance, y)
		x, y = pick(l0, h0, at, q0), pick(l0, h0, at+step, q0)
		at += 2 * step
		store(d, to+2*advance, x)
		store(d, to+3*advance, y)
		to += 4 * advance
	}
	for ; left > 0; left, at, to = left-1, at+step, to+advance {
		store(d, to, pick(l0, h0, at, q0))
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
		store(d, to, x)
		store(d, to+advance, y)
		to += 2 * advance
	}
	if left > 0 {
		store(d, to, pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1)))
	}
}

func lanes3(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	l1, h1, q1 := unsafe.Add(s, int(v.At[0][1])), unsafe.Add(s, int(v.At[1][1])), indices(&v.Pick[1])
	l2, h2, q2 := unsafe.Add(s, int(v.At[0][2])), unsafe.Add(s, int(v.At[1][2])), indices(&v.Pick[2])
	for left, at, to := w.Count, 0, 0; left > 0; left, at, to = left-1, at+step, to+advance {
		store(d, to, pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1)).Or(pick(l2, h2, at, q2)))
	}
}

func lanes4(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	l1, h1, q1 := unsafe.Add(s, int(v.At[0][1])), unsafe.Add(s, int(v.At[1][1])), indices(&v.Pick[1])
	l2, h2, q2 := unsafe.Add(s, int(v.At[0][2])), unsafe.Add(s, int(v.At[1][2])), indices(&v.Pick[2])
	l3, h3, q3 := unsafe.Add(s, int(v.At[0][3])), unsafe.Add(s, int(v.At[1][3])), indices(&v.Pick[3])
	for left, at, to := w.Count, 0, 0; left > 0; left, at, to = left-1, at+step, to+advance {
		store(d, to, pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1)).Or(pick(l2, h2, at, q2).Or(pick(l3, h3, at, q3))))
	}
}

// lanes8 makes vectors of five to eight windows. Where there are fewer than eight, the others
// repeat the first one, and nothing is picked out of them.
func lanes8(w *csrc.Windows, d, s unsafe.Pointer) {
	v, step, advance := &w.Main, int(w.Step), int(w.Advance)
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	l1, h1, q1 := unsafe.Add(s, int(v.At[0][1])), unsafe.Add(s, int(v.At[1][1])), indices(&v.Pick[1])
	l2, h2, q2 := unsafe.Add(s, int(v.At[0][2])), unsafe.Add(s, int(v.At[1][2])), indices(&v.Pick[2])
	l3, h3, q3 := unsafe.Add(s, int(v.At[0][3])), unsafe.Add(s, int(v.At[1][3])), indices(&v.Pick[3])
	l4, h4, q4 := unsafe.Add(s, int(v.At[0][4])), unsafe.Add(s, int(v.At[1][4])), indices(&v.Pick[4])
	l5, h5, q5 := unsafe.Add(s, int(v.At[0][5])), unsafe.Add(s, int(v.At[1][5])), indices(&v.Pick[5])
	l6, h6, q6 := unsafe.Add(s, int(v.At[0][6])), unsafe.Add(s, int(v.At[1][6])), indices(&v.Pick[6])
	l7, h7, q7 := unsafe.Add(s, int(v.At[0][7])), unsafe.Add(s, int(v.At[1][7])), indices(&v.Pick[7])
	for left, at, to := w.Count, 0, 0; left > 0; left, at, to = left-1, at+step, to+advance {
		x := pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1)).Or(pick(l2, h2, at, q2).Or(pick(l3, h3, at, q3)))
		y := pick(l4, h4, at, q4).Or(pick(l5, h5, at, q5)).Or(pick(l6, h6, at, q6).Or(pick(l7, h7, at, q7)))
		store(d, to, x.Or(y))
	}
}

// tails makes the tails of the row at d.
func tails(w *csrc.Windows, d, s unsafe.Pointer) {
	for i := range int(w.Tails) {
		t := &w.Tail[i&(csrc.MaxTails-1)]
		v, from := &t.Vector, unsafe.Add(s, int(t.Src))
		if vector > lane && w.TailLanes > 1 {
			store(d, int(t.Dst), ofWindows(v, from))
		} else {
			storeLane(d, int(t.Dst), laneOfWindows(v, from))
		}
	}
}

// ofWindows returns a vector made of any number of windows by form Lanes.
func ofWindows(v *csrc.Vector, s unsafe.Pointer) vec {
	x := pick(unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), 0, indices(&v.Pick[0]))
	for k := 1; k < int(v.Windows); k++ {
		k := k & (csrc.MaxWindows - 1)
		x = x.Or(pick(unsafe.Add(s, int(v.At[0][k])), unsafe.Add(s, int(v.At[1][k])), 0, indices(&v.Pick[k])))
	}
	return x
}

// laneOfWindows returns a lane made of any number of windows.
func laneOfWindows(v *csrc.Vector, s unsafe.Pointer) archsimd.Uint8x16 {
	x := pickLane(s, int(v.At[0][0]), &v.Pick[0])
	for k := 1; k < int(v.Windows); k++ {
		k := k & (csrc.MaxWindows - 1)
		x = x.Or(pickLane(s, int(v.At[0][k]), &v.Pick[k]))
	}
	return x
}
