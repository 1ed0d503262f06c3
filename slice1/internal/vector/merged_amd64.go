//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// vectorsOf makes the main vectors of rows, the first at d, by form Bytes or Lanes.
func (r rows) vectorsOf(w *program.Shuffle, form program.Form, d, s unsafe.Pointer) {
	if form == program.Bytes {
		r.bytes(w, d, s)
	} else {
		r.lanes(w, d, s)
	}
}

// bytes makes the main vectors of rows, the first at d, by form Bytes. It has loops for the same
// numbers of windows as lanes.
func (r rows) bytes(w *program.Shuffle, d, s unsafe.Pointer) {
	v := &w.Main
	p, q := indices(unsafe.Pointer(&v.Perm[0])), words(v)
	w0, m0 := masked(v, s, 0)
	if v.Windows == 1 {
		r.mains(w, d, p, func(offset int, p picks) vec { return inOrder(load(w0, offset), p, q) })
		return
	}
	w1, m1 := masked(v, s, 1)
	if v.Windows == 2 {
		r.mains(w, d, p, func(offset int, p picks) vec {
			return inOrder(load(w0, offset).And(m0).Or(load(w1, offset).And(m1)), p, q)
		})
		return
	}
	w2, m2 := masked(v, s, 2)
	three := func(offset int) vec {
		return load(w0, offset).And(m0).Or(load(w1, offset).And(m1)).Or(load(w2, offset).And(m2))
	}
	if v.Windows == 3 {
		r.mains(w, d, p, func(offset int, p picks) vec { return inOrder(three(offset), p, q) })
		return
	}
	w3, m3 := masked(v, s, 3)
	if v.Windows == 4 {
		r.mains(w, d, p, func(offset int, p picks) vec { return inOrder(three(offset).Or(load(w3, offset).And(m3)), p, q) })
		return
	}
	w4, m4 := masked(v, s, 4)
	w5, m5 := masked(v, s, 5)
	w6, m6 := masked(v, s, 6)
	w7, m7 := masked(v, s, 7)
	r.mains(w, d, p, func(offset int, p picks) vec {
		x := three(offset).Or(load(w3, offset).And(m3).Or(load(w4, offset).And(m4)))
		return inOrder(x.Or(load(w5, offset).And(m5)).Or(load(w6, offset).And(m6).Or(load(w7, offset).And(m7))), p, q)
	})
}

// masked returns the address of window k of the first vector of a row, and a mask of the bytes to
// take of it. If there is no window k, it returns the address of window 0 and an empty mask.
func masked(v *program.Vector, s unsafe.Pointer, k int) (window unsafe.Pointer, taken vec) {
	if k < int(v.Windows) {
		return unsafe.Add(s, int(v.At[0][k])), mask(v, k)
	}
	return unsafe.Add(s, int(v.At[0][0])), taken
}

// inOrder permutes the bytes of x within each lane, then its words of 4 bytes across lanes.
func inOrder(x vec, bytes picks, words archsimd.Uint32x8) vec {
	return x.PermuteOrZeroGrouped(bytes).ReshapeToUint32s().Permute(words).ReshapeToUint8s()
}

func words(v *program.Vector) archsimd.Uint32x8 {
	return archsimd.LoadUint8x32Array(&v.Perm[1]).ReshapeToUint32s()
}

func mask(v *program.Vector, k int) vec { return archsimd.LoadUint8x32Array(&v.Pick[k]) }
