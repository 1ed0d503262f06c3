//go:build goexperiment.simd && arm64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// picks are indices of bytes of a vector.
type picks = archsimd.Uint8x16

func indices(of *[csrc.VectorBytes]uint8) picks {
	return loadLane(unsafe.Pointer(of), 0)
}

// pick returns the picked bytes of the window at lo+at. It ignores hi, the window of a second
// lane, since a vector has one lane.
func pick(lo, hi unsafe.Pointer, at int, bytes picks) vec {
	return load(lo, at).LookupOrZero(bytes)
}
