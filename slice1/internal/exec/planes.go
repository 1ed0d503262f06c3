package exec

import (
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// PlaneColumns runs a pass over the columns of planes, of as many rows as a vector of the set has
// numbers. If there are fewer rows, the last one is taken again in place of the missing ones.
// csrc/planes.h says what starts, count, weights and room are for each pass.
//
// unsafe: rows are addressed by their distance from the first one. dst and src keep them alive.
func PlaneColumns(set int32, p *program.PlaneColumnPass, starts, count []int32, weights unsafe.Pointer, room []uint8, dst, src [][]uint8) {
	for k := range p.Dst {
		p.Dst[k], p.Src[k] = distance(dst, k), distance(src, k)
	}
	csrc.PlaneColumns(set, unsafe.Pointer(p), unsafe.Pointer(&starts[0]), unsafe.Pointer(&count[0]), weights, unsafe.Pointer(&room[0]),
		unsafe.Pointer(&dst[0][0]), unsafe.Pointer(&src[0][0]))
	runtime.KeepAlive(dst)
	runtime.KeepAlive(src)
}

// PlaneRows runs a pass over rows of planes, and makes rows of at least a vector each, the first
// one at dst. offsets says where each row begins, in bytes from src. csrc/planes.h says what
// weights are.
//
// unsafe: dst has room for the rows.
func PlaneRows(set int32, p *program.PlaneRowPass, offsets []int64, weights unsafe.Pointer, dst []uint8, src *uint8) {
	csrc.PlaneRows(set, unsafe.Pointer(p), unsafe.Pointer(&offsets[0]), weights, unsafe.Pointer(&dst[0]), unsafe.Pointer(src))
}
