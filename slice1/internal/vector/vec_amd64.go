//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

const vector = 2 * lane

// maxCopied is the longest contiguous row, in bytes, that this package copies. Package portable
// leaves longer rows to the runtime, which is as fast.
const maxCopied = 1024

// vec is a vector of bytes. picks is a vector of indices: each byte of a lane is the index of a byte
// of 16. turned is a vector of a tile, while the tile is transposed in registers.
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

func indices(of *[csrc.VectorBytes]uint8) picks {
	return archsimd.LoadUint8x32Array(of).BitsToInt8()
}

// pick returns a vector whose low lane is picked from the 16 bytes at lo+at, and whose high lane
// from those at hi+at. `bytes` holds the index of each byte, or 0x80 for a zero.
func pick(lo, hi unsafe.Pointer, at int, bytes picks) (x vec) {
	return x.SetLo(loadLane(lo, at)).SetHi(loadLane(hi, at)).PermuteOrZeroGrouped(bytes)
}

// pickLane returns a lane that is picked from the 16 bytes at s+at by the first 16 indices of `of`.
func pickLane(s unsafe.Pointer, at int, of *[csrc.VectorBytes]uint8) archsimd.Uint8x16 {
	return loadLane(s, at).PermuteOrZero(indices(of).GetLo())
}

// others makes rows by the forms that method run does not know: Bytes, Every2, Narrow and Folded.
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
