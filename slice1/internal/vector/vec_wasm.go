//go:build goexperiment.simd && wasm && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"
)

// picks is a vector of indices: each byte is the index of a byte of 16, or 0x80 for a zero.
type picks = archsimd.Int8x16

func indices(p unsafe.Pointer) picks { return load(p, 0).BitsToInt8() }

// permuted permutes the bytes of x.
func permuted(x vec, bytes picks) vec { return x.BitsToInt8().LookupOrZero(bytes).ToBits() }

// zip16, zip32 and zip64 interleave elements of 16, 32 and 64 bits of a and b. lo has the
// elements of their first halves, hi the elements of their second halves. archsimd has no
// instruction of wasm for that. The first two make elements twice as wide, and shift the elements
// of b to the upper half.

func zip16(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint16s(), b.ReshapeToUint16s()
	return x.ExtendLo4ToUint32().Or(y.ExtendLo4ToUint32().ShiftAllLeft(16)).ReshapeToUint64s(), x.ExtendHi4ToUint32().Or(y.ExtendHi4ToUint32().ShiftAllLeft(16)).ReshapeToUint64s()
}

func zip32(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint32s(), b.ReshapeToUint32s()
	return x.ExtendLo2ToUint64().Or(y.ExtendLo2ToUint64().ShiftAllLeft(32)), x.ExtendHi2ToUint64().Or(y.ExtendHi2ToUint64().ShiftAllLeft(32))
}

func zip64(a, b turned) (lo, hi turned) {
	return a.SetElem(1, b.GetElem(0)), b.SetElem(0, a.GetElem(1))
}
