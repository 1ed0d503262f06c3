//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"
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

func load(p unsafe.Pointer, at int) vec {
	return archsimd.LoadUint8x32Array((*[vector]uint8)(unsafe.Add(p, at)))
}

func store(p unsafe.Pointer, at int, v vec) {
	v.StoreArray((*[vector]uint8)(unsafe.Add(p, at)))
}

func indices(p unsafe.Pointer) picks { return load(p, 0).BitsToInt8() }

// pick returns a vector whose low lane is picked from the 16 bytes at lo+at, and whose high lane is
// picked from the 16 bytes at hi+at.
func pick(lo, hi unsafe.Pointer, at int, bytes picks) (x vec) {
	return x.SetLo(loadLane(lo, at)).SetHi(loadLane(hi, at)).PermuteOrZeroGrouped(bytes)
}

func loadLane(p unsafe.Pointer, at int) archsimd.Uint8x16 {
	return archsimd.LoadUint8x16Array((*[lane]uint8)(unsafe.Add(p, at)))
}

// storeLow stores the low lane of v.
func storeLow(p unsafe.Pointer, at int, v vec) {
	v.GetLo().StoreArray((*[lane]uint8)(unsafe.Add(p, at)))
}

// pairsOfBytes holds the indices by which zip8 turns what zip16 has made into elements of one byte
// that alternate.
var pairsOfBytes = [vector]uint8{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15, 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}

// both returns a vector of the 16 bytes at lo and the 16 bytes at hi.
func both(lo, hi unsafe.Pointer) turned {
	var x vec
	return x.SetLo(loadLane(lo, 0)).SetHi(loadLane(hi, 0)).ReshapeToUint64s()
}

// zip8, zip16, zip32 and zip64 interleave elements of 8, 16, 32 and 64 bits of a and b, each lane
// by itself. lo has the elements of the first halves of their lanes, hi the elements of the second
// halves.

func zip8(a, b turned) (lo, hi turned) {
	pairs := indices(unsafe.Pointer(&pairsOfBytes))
	lo, hi = zip16(a, b)
	return lo.ReshapeToUint8s().PermuteOrZeroGrouped(pairs).ReshapeToUint64s(), hi.ReshapeToUint8s().PermuteOrZeroGrouped(pairs).ReshapeToUint64s()
}

func zip16(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint16s(), b.ReshapeToUint16s()
	return x.InterleaveLoGrouped(y).ReshapeToUint64s(), x.InterleaveHiGrouped(y).ReshapeToUint64s()
}

func zip32(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint32s(), b.ReshapeToUint32s()
	return x.InterleaveLoGrouped(y).ReshapeToUint64s(), x.InterleaveHiGrouped(y).ReshapeToUint64s()
}

func zip64(a, b turned) (lo, hi turned) {
	return a.InterleaveLoGrouped(b), a.InterleaveHiGrouped(b)
}
