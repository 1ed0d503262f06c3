//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

const vector = 2 * lane

// vec is a vector of bytes. picks is a vector of indices: each byte of a lane is the index of a
// byte of 16, or 0x80 for a zero. turned is a vector of a tile, while the tile is transposed in
// registers.
type (
	vec    = archsimd.Uint8x32
	picks  = archsimd.Int8x32
	turned = archsimd.Uint64x4
)

// end is called at the end of a program and clears the upper halves of the vector registers.
// Processors may slow down SSE instructions that run before that.
func end() { archsimd.ClearAVXUpperBits() }

func load(p unsafe.Pointer, offset int) vec {
	return archsimd.LoadUint8x32Array((*[vector]uint8)(unsafe.Add(p, offset)))
}

func store(p unsafe.Pointer, offset int, v vec) {
	v.StoreArray((*[vector]uint8)(unsafe.Add(p, offset)))
}

func indices(p unsafe.Pointer) picks { return load(p, 0).BitsToInt8() }

// pick returns a vector whose low lane is picked from the 16 bytes at lo+offset, and whose high
// lane is picked from the 16 bytes at hi+offset.
func pick(lo, hi unsafe.Pointer, offset int, bytes picks) (x vec) {
	return permuted(x.SetLo(loadLane(lo, offset)).SetHi(loadLane(hi, offset)), bytes)
}

// pickLow returns the low lane of what pickWindow returns.
func pickLow(v *program.Vector, s unsafe.Pointer, k int) (x vec) {
	return permuted(x.SetLo(loadLane(s, int(v.At[0][k]))), indices(unsafe.Pointer(&v.Pick[k])))
}

// permuted permutes the bytes of x within each lane.
func permuted(x vec, bytes picks) vec { return x.PermuteOrZeroGrouped(bytes) }

func loadLane(p unsafe.Pointer, offset int) archsimd.Uint8x16 {
	return archsimd.LoadUint8x16Array((*[lane]uint8)(unsafe.Add(p, offset)))
}

// storeLow stores the low lane of v.
func storeLow(p unsafe.Pointer, offset int, v vec) {
	v.GetLo().StoreArray((*[lane]uint8)(unsafe.Add(p, offset)))
}

// concat returns a vector of the 16 bytes at lo and the 16 bytes at hi.
func concat(lo, hi unsafe.Pointer) turned {
	var x vec
	return x.SetLo(loadLane(lo, 0)).SetHi(loadLane(hi, 0)).ReshapeToUint64s()
}

// concat8 returns a vector of the 8 bytes at lo, 8 zeros, the 8 bytes at hi and 8 zeros.
func concat8(lo, hi unsafe.Pointer) (x turned) {
	var l, h archsimd.Uint64x2
	return x.SetLo(l.SetElem(0, *(*uint64)(lo))).SetHi(h.SetElem(0, *(*uint64)(hi)))
}

// concat4 returns a vector of the 4 bytes at lo, 12 zeros, the 4 bytes at hi and 12 zeros.
func concat4(lo, hi unsafe.Pointer) turned {
	var x archsimd.Uint32x8
	var l, h archsimd.Uint32x4
	return x.SetLo(l.SetElem(0, *(*uint32)(lo))).SetHi(h.SetElem(0, *(*uint32)(hi))).ReshapeToUint64s()
}

// zip16, zip32 and zip64 interleave elements of 16, 32 and 64 bits of v and w, each lane
// by itself. lo has the elements of the first halves of their lanes, hi the elements of the second
// halves.

func zip16(v, w turned) (lo, hi turned) {
	x, y := v.ReshapeToUint16s(), w.ReshapeToUint16s()
	return x.InterleaveLoGrouped(y).ReshapeToUint64s(), x.InterleaveHiGrouped(y).ReshapeToUint64s()
}

func zip32(v, w turned) (lo, hi turned) {
	x, y := v.ReshapeToUint32s(), w.ReshapeToUint32s()
	return x.InterleaveLoGrouped(y).ReshapeToUint64s(), x.InterleaveHiGrouped(y).ReshapeToUint64s()
}

func zip64(v, w turned) (lo, hi turned) {
	return v.InterleaveLoGrouped(w), v.InterleaveHiGrouped(w)
}
