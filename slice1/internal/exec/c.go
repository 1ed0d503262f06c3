package exec

import (
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Colours stores R, G and B of the rows that c names from dst on, by kernel k. y begins with the
// luma of the first pixel's column in the first row. cb and cr begin with its chroma in the first
// rows of their planes or, by a rule other than Formula, with their planes. Go's vectors have only
// Formula and LibJPEG.
func Colours(k plan.Kernel, c *program.Colours, dst, y, cb, cr []uint8) {
	switch {
	case k.CallsC():
		csrc.Colours(int32(k), unsafe.Pointer(c), unsafe.Pointer(&dst[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&cb[0]), unsafe.Pointer(&cr[0]))
	case k != plan.Go && vector.Converts && (c.Rule == program.Formula || c.Rule == program.LibJPEG):
		vector.Colours(c, dst, y, cb, cr)
	default:
		portable.Colours(c, dst, y, cb, cr)
	}
}

// Frame stores luma and chroma of the rows of pixels that f names, by kernel k. src begins with the
// first pixel, and y, cb and cr with the first samples that are stored. Go's vectors have no loops
// for it.
func Frame(k plan.Kernel, f *program.Frame, y, cb, cr, src []uint8) {
	if k.CallsC() {
		csrc.Frame(int32(k), unsafe.Pointer(f), unsafe.Pointer(&y[0]), unsafe.Pointer(&cb[0]), unsafe.Pointer(&cr[0]), unsafe.Pointer(&src[0]))
		return
	}
	portable.Frame(f, y, cb, cr, src)
}

// Columns runs a pass over the columns of at most [program.MaxRows] rows, and makes at least as
// many pixels of each as the pass makes at once. Where rows are missing of as many as it takes at
// once, the last one is taken again. csrc/resample.h and csrc/area.h say what starts and weights
// are for each pass, also in Go's vectors. Columns sets p.Rows, p.Dst and p.Src for C.
//
// unsafe: rows are addressed by their distance from the first one. dst and src keep them alive.
func Columns(set int32, p *program.ColumnPass, starts []int32, weights []uint8, dst, src [][]uint8) {
	if program.Sets[set].InGo {
		vector.Columns(p, starts, weights, dst, src)
		return
	}
	p.Rows = (int32(len(src)) + p.AtOnce - 1) / p.AtOnce * p.AtOnce
	for k := range p.Rows {
		p.Dst[k], p.Src[k] = distance(dst, int(k)), distance(src, int(k))
	}
	csrc.Columns(set, unsafe.Pointer(p), unsafe.Pointer(unsafe.SliceData(starts)), unsafe.Pointer(unsafe.SliceData(weights)),
		unsafe.Pointer(&dst[0][0]), unsafe.Pointer(&src[0][0]))
	runtime.KeepAlive(dst)
	runtime.KeepAlive(src)
}

// distance returns how many bytes row k, or the last row, lies behind the first one.
func distance(rows [][]uint8, k int) int64 {
	row := rows[min(k, len(rows)-1)]
	return int64(uintptr(unsafe.Pointer(&row[0])) - uintptr(unsafe.Pointer(&rows[0][0])))
}

// Rows runs a pass over rows, and makes rows of at least a vector each, the first one at dst. list
// says for each how many rows it takes, and where each of these begins, in bytes from src.
// csrc/resample.h and csrc/area.h say what weights are.
//
// unsafe: dst has room for the rows.
func Rows(set int32, p *program.RowPass, list []int64, weights, dst []uint8, src *uint8) {
	csrc.Rows(set, unsafe.Pointer(p), unsafe.Pointer(&list[0]), unsafe.Pointer(unsafe.SliceData(weights)), unsafe.Pointer(&dst[0]), unsafe.Pointer(src))
}
