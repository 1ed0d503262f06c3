//go:build goexperiment.simd && arm64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// picks is a vector of indices: each byte is the index of a byte of 16.
type picks = archsimd.Uint8x16

func indices(of *[csrc.VectorBytes]uint8) picks {
	return loadLane(unsafe.Pointer(of), 0)
}

// pick returns a vector that is picked from the 16 bytes at lo+at. `bytes` holds the index of each
// byte, or 0x80 for a zero. pick ignores hi, where a second lane's bytes would be: a vector has
// one lane.
func pick(lo, hi unsafe.Pointer, at int, bytes picks) vec {
	return load(lo, at).LookupOrZero(bytes)
}
