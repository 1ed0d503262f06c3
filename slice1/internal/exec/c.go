package exec

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Functions that call C panic if the build does not have the loops of a set in C, as program.InC
// reports. They check nothing else: the caller guarantees that the host has the instructions of the
// sets, that every element lies in its buffer, and that no element of the destination shares a byte
// with one of the source. C keeps no pointer after a call and does not call Go.

// sliceParts runs the program of each part, at least one, from the addresses dst and src plus what
// the part adds.
func sliceParts(programs []program.Program, parts []program.Part, dst, src unsafe.Pointer) {
	for i := range parts {
		mustBuild(programs[parts[i].Program].Set)
	}
	csrc.SliceParts(unsafe.Pointer(&programs[0]), unsafe.Pointer(&parts[0]), int64(len(parts)), dst, src)
}

// convertInC converts a part from src to dst by the loops of a set. If srcProgram is not nil, it
// first slices src into memory at srcMade, and converts that. If dstProgram is not nil, it converts
// into memory at dstMade, and dstProgram slices that to dst. The programs may be of other sets.
func convertInC(set int32, srcProgram *program.Program, c *program.Conversion, dstProgram *program.Program,
	dst, src, srcMade, dstMade unsafe.Pointer, params *program.Params) {
	for _, p := range [...]*program.Program{srcProgram, dstProgram} {
		if p != nil {
			mustBuild(p.Set)
		}
	}
	csrc.Convert(set, unsafe.Pointer(srcProgram), unsafe.Pointer(c), unsafe.Pointer(dstProgram),
		dst, src, srcMade, dstMade, unsafe.Pointer(params))
}

// Colours stores R, G and B of the rows that c names from dst on, by kernel k. y, cb and cr begin
// with the samples of the first pixel's column in the first rows of their planes.
func Colours(k plan.Kernel, c *program.Colours, dst, y, cb, cr []uint8) {
	switch {
	case k.InC():
		csrc.Colours(int32(k), unsafe.Pointer(c), unsafe.Pointer(&dst[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&cb[0]), unsafe.Pointer(&cr[0]))
	case k != plan.Go && vector.Converts:
		vector.Colours(c, dst, y, cb, cr)
	default:
		portable.Colours(c, dst, y, cb, cr)
	}
}

// Columns runs a pass over the columns of four rows, and makes n pixels of each, at least as many
// as the pass makes at once. resample.h says what it takes.
func Columns(set int32, pass program.Pass, first []int32, n, groups int, weights []uint8, dst, src *[4]unsafe.Pointer) {
	csrc.Columns(set, int32(pass), unsafe.Pointer(unsafe.SliceData(first)), int64(n), int64(groups),
		unsafe.Pointer(unsafe.SliceData(weights)), dst, src)
}

// Rows runs a pass over rows, an even number of them, and makes n samples, at least a vector.
// offsets says where each row begins, counted from src. resample.h says what it takes.
func Rows(set int32, pass program.Pass, offsets []int64, weights, dst []uint8, src *uint8, n int) {
	csrc.Rows(set, int32(pass), unsafe.Pointer(&offsets[0]), int64(len(offsets)/2),
		unsafe.Pointer(&weights[0]), unsafe.Pointer(&dst[0]), unsafe.Pointer(src), int64(n))
}

// mustBuild panics if the build does not have the loops of a set in C.
func mustBuild(set int32) {
	if !csrc.Built(set) {
		panic("exec: the build does not include the set")
	}
}
