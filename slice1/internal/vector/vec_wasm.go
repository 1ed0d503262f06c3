//go:build goexperiment.simd && wasm && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// maxCopied is the most bytes of a row that are copied here. Longer ones the runtime copies as
// fast.
const maxCopied = 1024

// A turned is a vector that tiles are turned by.
type turned = archsimd.Uint64x2

// picks are indices of bytes of a vector.
type picks = archsimd.Int8x16

func indices(of *[csrc.VectorBytes]uint8) picks {
	return loadLane(unsafe.Pointer(of), 0).BitsToInt8()
}

// pick returns the picked bytes of the window at lo+at. It ignores hi, the window of a second
// lane, since a vector has one lane.
func pick(lo, hi unsafe.Pointer, at int, bytes picks) vec {
	return load(lo, at).BitsToInt8().LookupOrZero(bytes).ToBits()
}

// archsimd has no instruction of wasm that zips: elements are made twice as wide, and those of
// the other vector shifted beside them.

func zip8(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint8s(), b.ReshapeToUint8s()
	return x.ExtendLo8ToUint16().Or(y.ExtendLo8ToUint16().ShiftAllLeft(8)).ReshapeToUint64s(), x.ExtendHi8ToUint16().Or(y.ExtendHi8ToUint16().ShiftAllLeft(8)).ReshapeToUint64s()
}

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

// unitsOf makes units from first to end.
func unitsOf(u *csrc.Units, form csrc.Form, d, s unsafe.Pointer, first, end int) {
	unitsLanes(u, d, s, first, end)
}

// others is not called: the set has only the forms that every architecture has.
func (r rows) others(p *csrc.Program, form csrc.Form, d, s unsafe.Pointer) {}

func line(s unsafe.Pointer, at, apart int) turned { return loadLane(s, at).ReshapeToUint64s() }
