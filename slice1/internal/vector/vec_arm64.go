//go:build goexperiment.simd && arm64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// vector is the length of a vector in bytes. A vector has one lane.
const vector = lane

// vec is a vector of bytes. picks is a vector of indices: each byte is the index of a byte of 16,
// or 0x80 for a zero. turned is a vector of a tile, while the tile is transposed in registers.
type (
	vec    = archsimd.Uint8x16
	picks  = archsimd.Uint8x16
	turned = archsimd.Uint64x2
)

// end does nothing: vectors of one lane leave no upper halves of registers to clear.
func end() {}

func load(p unsafe.Pointer, offset int) vec {
	return archsimd.LoadUint8x16Array((*[vector]uint8)(unsafe.Add(p, offset)))
}

func store(p unsafe.Pointer, offset int, v vec) {
	v.StoreArray((*[vector]uint8)(unsafe.Add(p, offset)))
}

// storeLow stores the low lane of v, its only one.
func storeLow(p unsafe.Pointer, offset int, v vec) { store(p, offset, v) }

func indices(p unsafe.Pointer) picks { return load(p, 0) }

// permuted permutes the bytes of x.
func permuted(x vec, bytes picks) vec { return x.LookupOrZero(bytes) }

// vectorsOf makes the main vectors of rows, the first at d. form is always Lanes here.
func (r rows) vectorsOf(w *program.Shuffle, form program.Form, d, s unsafe.Pointer) {
	r.lanes(w, d, s)
}

// pick returns a vector that is picked from the 16 bytes at lo+at. It ignores hi, where a second
// lane's bytes would be.
func pick(lo, hi unsafe.Pointer, offset int, bytes picks) vec {
	return permuted(load(lo, offset), bytes)
}

// pickLow is pickWindow: the low lane is the only one.
func pickLow(v *program.Vector, s unsafe.Pointer, k int) vec { return pickWindow(v, s, k) }

// concat returns a vector of the 16 bytes at lo. It ignores hi, where a second lane would come
// from.
func concat(lo, hi unsafe.Pointer) turned { return load(lo, 0).ReshapeToUint64s() }

// concat8 and concat4 return a vector of the 8 bytes, or the 4 bytes, at lo and zeros.

func concat8(lo, hi unsafe.Pointer) (x turned) { return x.SetElem(0, *(*uint64)(lo)) }

func concat4(lo, hi unsafe.Pointer) (x turned) { return x.SetElem(0, uint64(*(*uint32)(lo))) }

// zip16, zip32 and zip64 interleave elements of 16, 32 and 64 bits of v and w. lo has the
// elements of their first halves, hi the elements of their second halves.

func zip16(v, w turned) (lo, hi turned) {
	x, y := v.ReshapeToUint16s(), w.ReshapeToUint16s()
	return x.InterleaveLo(y).ReshapeToUint64s(), x.InterleaveHi(y).ReshapeToUint64s()
}

func zip32(v, w turned) (lo, hi turned) {
	x, y := v.ReshapeToUint32s(), w.ReshapeToUint32s()
	return x.InterleaveLo(y).ReshapeToUint64s(), x.InterleaveHi(y).ReshapeToUint64s()
}

func zip64(v, w turned) (lo, hi turned) { return v.InterleaveLo(w), v.InterleaveHi(w) }
