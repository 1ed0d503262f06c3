//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

const vector = 2 * lane

// maxCopied is the most bytes of a row that are copied here. Longer ones the runtime copies as
// fast.
const maxCopied = 1024

// A vec is a vector, picks are indices of bytes of each lane, and a turned is a vector that
// tiles are turned by.
type (
	vec    = archsimd.Uint8x32
	picks  = archsimd.Int8x32
	turned = archsimd.Uint64x4
)

// end clears the upper halves of the vector registers at the end of a program. Processors may
// slow down SSE instructions that run while the halves are in use.
func end() { archsimd.ClearAVXUpperBits() }

func load(p unsafe.Pointer, at int) vec {
	return archsimd.LoadUint8x32Array((*[vector]uint8)(unsafe.Add(p, at)))
}

func store(p unsafe.Pointer, at int, v vec) {
	v.StoreArray((*[vector]uint8)(unsafe.Add(p, at)))
}

func indices(of *[csrc.VectorBytes]uint8) picks {
	return archsimd.LoadUint8x32Array(of).BitsToInt8()
}

// pick takes bytes of the windows of the lanes at lo+at and hi+at.
func pick(lo, hi unsafe.Pointer, at int, bytes picks) (x vec) {
	return x.SetLo(loadLane(lo, at)).SetHi(loadLane(hi, at)).PermuteOrZeroGrouped(bytes)
}

// pickLane takes bytes of the window at s+at.
func pickLane(s unsafe.Pointer, at int, of *[csrc.VectorBytes]uint8) archsimd.Uint8x16 {
	return loadLane(s, at).PermuteOrZero(indices(of).GetLo())
}

// others makes rows by the forms that some architecture lacks.
func (r rows) others(p *csrc.Program, form csrc.Form, d, s unsafe.Pointer) {
	switch form {
	case csrc.Bytes:
		r.shuffled(p.Windows(), form, d, s)
	case csrc.Every2:
		r.every2(p.Windows(), p.Width, d, s)
	default:
		r.short(p, form, d, s)
	}
}
