//go:build goexperiment.simd && arm64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"
)

// picks is a vector of indices: each byte is the index of a byte of 16, or 0x80 for a zero.
type picks = archsimd.Uint8x16

func indices(p unsafe.Pointer) picks { return load(p, 0) }

// permuted permutes the bytes of x.
func permuted(x vec, bytes picks) vec { return x.LookupOrZero(bytes) }

// zip16, zip32 and zip64 interleave elements of 16, 32 and 64 bits of a and b. lo has the
// elements of their first halves, hi the elements of their second halves.

func zip16(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint16s(), b.ReshapeToUint16s()
	return x.InterleaveLo(y).ReshapeToUint64s(), x.InterleaveHi(y).ReshapeToUint64s()
}

func zip32(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint32s(), b.ReshapeToUint32s()
	return x.InterleaveLo(y).ReshapeToUint64s(), x.InterleaveHi(y).ReshapeToUint64s()
}

func zip64(a, b turned) (lo, hi turned) { return a.InterleaveLo(b), a.InterleaveHi(b) }
