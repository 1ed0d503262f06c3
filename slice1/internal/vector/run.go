//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

// Package vector holds loops for programs, in the vector instructions of Go's package
// simd/archsimd. They are the loops of the sets of package program that have InGo. They are part of
// builds by Go 1.27 with GOEXPERIMENT=simd, for amd64 and arm64.
//
// Files _amd64 and _arm64 hold what differs between them: how a vector is loaded, stored and
// permuted, and, for amd64, loops of form Bytes. A vector of amd64 has two lanes of 16 bytes, one
// of arm64 has one.
//
// What package portable says of its kernels and their callers holds here too.
package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

const lane = program.LaneBytes

// rows are the rows that one call of a loop makes: their number n, and the bytes from one to the
// next in the destination and in the source. In a program of form program.Tile or
// program.Table, a row is a transposed view.
type rows struct{ n, dst, src int }

// Slice runs p once. dst and src are the addresses that the offsets of p count from. The set of p
// must be the one of this architecture. What package exec asks of its callers holds here too.
func Slice(p *program.Program, dst, src unsafe.Pointer) {
	form := program.FormOf(p.Loop)
	if leaves(p, form) {
		portableRun(p, dst, src)
		return
	}
	inner := &p.Innermost
	r := rows{int(inner.Extent), int(inner.Dst), int(inner.Src)}
	d, s := int(p.Dst), int(p.Src)
	if p.Outer <= 1 {
		r.store(p, form, unsafe.Add(dst, d), unsafe.Add(src, s))
		end()
		return
	}
	counts := [program.MaxRank]int64{}
	for {
		r.store(p, form, unsafe.Add(dst, d), unsafe.Add(src, s))
		step := advance(p, &counts)
		if step == nil {
			break
		}
		d += (r.n-1)*r.dst + int(step.Dst)
		s += (r.n-1)*r.src + int(step.Src)
	}
	end()
}

// advance moves to the next iteration of the loops around p.Innermost; counts holds the number of
// each loop's iteration. It returns the loop that takes a step, or nil after the last iteration.
// The strides of that loop count from where the loops inside it have ended.
func advance(p *program.Program, counts *[program.MaxRank]int64) *program.Dim {
	for i := int(p.Outer) - 2; i >= 0; i-- {
		if counts[i]++; counts[i] < p.Dims[i].Extent {
			return &p.Dims[i]
		}
		counts[i] = 0
	}
	return nil
}

// leaves reports whether package portable runs p, whose form is `form`. The loops here gain nothing
// for Element, and for copies of rows shorter than minCopied or longer than maxCopied.
func leaves(p *program.Program, form program.Form) bool {
	if form == program.Copy {
		n := p.Row.Extent * int64(p.Width)
		return n < minCopied || n > maxCopied
	}
	return form == program.Element
}

// portableRun runs p, which leaves accepts, by package portable.
func portableRun(p *program.Program, dst, src unsafe.Pointer) {
	n := nest.Nest{Width: p.Width, Rank: p.Outer + 1, SrcOff: p.Src, DstOff: p.Dst}
	// d and s are how far the loops inside p.Dims[i] have moved at their end. The strides of
	// p.Dims[i] take that back.
	var d, s int64
	for i := p.Outer - 1; i >= 0; i-- {
		dim := &p.Dims[i]
		n.Dims[i] = nest.Dim{Extent: dim.Extent, Src: dim.Src + s, Dst: dim.Dst + d}
		d += (dim.Extent - 1) * n.Dims[i].Dst
		s += (dim.Extent - 1) * n.Dims[i].Src
	}
	n.Dims[p.Outer] = nest.Dim(p.Row)
	portable.Slice(&n, dst, src)
}

// store makes the rows, the first from s to d, by the loop of a form.
func (r rows) store(p *program.Program, form program.Form, d, s unsafe.Pointer) {
	switch form {
	case program.Copy:
		r.copy(d, s, int(p.Row.Extent)*int(p.Width))
	case program.Tile, program.Table:
		r.tiles(p, d, s)
	case program.UnitsLanes:
		r.units(p.Units(), p.Width, d, s)
	default:
		r.shuffled(p.Shuffle(), form, d, s)
	}
}
