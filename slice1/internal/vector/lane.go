//go:build goexperiment.simd && (arm64 || wasm) && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// vector is the length of a vector in bytes. A vector has one lane.
const vector = lane

// vec is a vector of bytes.
type vec = archsimd.Uint8x16

func end() {}

// load and store do what loadLane and storeLane do, but do not call them. Where the compiler
// inlines a call inside an inlined call, it leaves a no-op instruction.

func load(p unsafe.Pointer, at int) vec {
	return archsimd.LoadUint8x16Array((*[vector]uint8)(unsafe.Add(p, at)))
}

func store(p unsafe.Pointer, at int, v vec) {
	v.StoreArray((*[vector]uint8)(unsafe.Add(p, at)))
}

// pickLane returns a lane that is picked from the 16 bytes at s+at by the first 16 indices of `of`.
func pickLane(s unsafe.Pointer, at int, of *[csrc.VectorBytes]uint8) vec {
	return pick(s, s, at, indices(of))
}

// vectorsOf makes the main vectors of the row at d. form is always Lanes here.
func vectorsOf(w *csrc.Windows, form csrc.Form, d, s unsafe.Pointer) { lanes(w, d, s) }

// enlarge does nothing: a vector of one lane makes tiles that are as high as wide.
func (t *tiling) enlarge() {}

// adjacent is strip, since enlarge changes no tile.
func (t *tiling) adjacent(d unsafe.Pointer, ds int, s unsafe.Pointer, n int) { t.strip(d, ds, s, n) }
