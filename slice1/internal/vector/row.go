//go:build goexperiment.simd && amd64 && go1.26

// Package vector holds the kernels in Go's own vector instructions, package
// simd/archsimd. It exists where the experiment is on, for amd64.
//
// What package portable says of its kernels holds for these too, but for one
// thing: bytes between the first and the last source element of a row may be
// read.
package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Built says that this build has these kernels. They need AVX2.
const Built = true

// Suits reports whether Run has a kernel for the nest that is faster than
// portable's.
func Suits(n *csrc.Nest) bool {
	var r rows
	var own shuffle
	return r.of(n, &own) != nil
}

// Run copies every element of the nest. The nest's offsets count from dst and
// src.
func Run(n *csrc.Nest, dst, src unsafe.Pointer) {
	var r rows
	var own shuffle
	v := r.of(n, &own)
	if v == nil {
		portable.Run(n, dst, src)
		return
	}
	r.walk(v, n, 0, unsafe.Add(dst, int(n.DstOff)), unsafe.Add(src, int(n.SrcOff)))
}

// rows is what a shuffle does in one call: rows whose destination is
// contiguous, each one loop of the nest, or two.
type rows struct {
	loops       int // around the rows
	n, dst, src int // rows, and bytes from one to the next
	pairs       int // bytes of a row to make in pairs of units
	units       int // bytes of a row to make in units, those in pairs included
	end         int // bytes of a row; what is more than units, one more unit makes that ends here
	last        int // where the source of that unit is
	// What is left of a row of two loops.
	rest csrc.Nest
}

// of sets r, which is zero, to the rows of a nest and returns the shuffle for
// them: own, or one that is ready made. It returns nil where there is none.
func (r *rows) of(n *csrc.Nest, own *shuffle) *shuffle {
	if n.Rank == 0 || n.Width == 8 || n.Dims[n.Rank-1].Dst != int64(n.Width) {
		return nil
	}
	w, in := int(n.Width), &n.Dims[n.Rank-1]
	size := int(in.Extent) * w
	if size <= unit {
		return r.pattern(n, own)
	}
	if in.Extent < minRow || in.Src == -int64(w) && n.Rank > 1 && size < minReversed {
		return nil
	}
	v := steps(w, int(in.Src))
	if v != nil {
		r.around(n, 1)
		r.pairs = size &^ (2*unit - 1)
		r.units = size &^ (unit - 1)
		r.end = size
		r.last = (size - unit) / w * int(in.Src)
	}
	return v
}

// around sets the loops outside the innermost ones, as many as given.
func (r *rows) around(n *csrc.Nest, inside int) {
	r.n = 1
	if r.loops = int(n.Rank) - inside; r.loops > 0 {
		r.loops--
		l := &n.Dims[r.loops]
		r.n, r.dst, r.src = int(l.Extent), int(l.Dst), int(l.Src)
	}
}

// pattern is of for rows of two loops.
func (r *rows) pattern(n *csrc.Nest, v *shuffle) *shuffle {
	w, in := int(n.Width), &n.Dims[n.Rank-1]
	if n.Rank < 2 || n.Dims[n.Rank-2].Dst != in.Extent*int64(w) {
		return nil
	}
	out, period := &n.Dims[n.Rank-2], int(in.Extent)
	size := int(out.Extent) * period * w
	if size < minPattern*w || !v.of(w, period, int(in.Src), int(out.Src)) || w == 4 && v.windows > 1 {
		return nil
	}
	// What the row spans, and how many units keep their windows inside.
	inner, outer := int(in.Src)*(period-1), int(out.Src)*int(out.Extent-1)
	lo := min(0, inner) + min(0, outer)
	hi := max(0, inner) + max(0, outer) + w
	inside := func(u int) bool { return u*v.src+v.lo >= lo && u*v.src+v.hi <= hi }
	units := (size-unit)/v.dst + 1
	for units > 0 && !inside(units-1) {
		units--
	}
	if units == 0 || !inside(0) {
		return nil
	}
	done := units * v.dst / (period * w)
	r.units = units * v.dst
	r.end = r.units
	if v.dst == unit {
		r.pairs = r.units &^ (2*unit - 1)
	}
	if left := out.Extent - int64(done); left > 0 {
		r.rest.Rank, r.rest.Width = 2, n.Width
		r.rest.Dims[0], r.rest.Dims[1] = *out, *in
		r.rest.Dims[0].Extent = left
		r.rest.DstOff, r.rest.SrcOff = int64(done)*out.Dst, int64(done)*out.Src
	}
	r.around(n, 2)
	return v
}

// walk makes the rows for each coordinate of the loops around them from axis on.
func (r *rows) walk(v *shuffle, n *csrc.Nest, axis int, d, s unsafe.Pointer) {
	if axis < r.loops {
		l := &n.Dims[axis]
		for i := range int(l.Extent) {
			r.walk(v, n, axis+1, unsafe.Add(d, i*int(l.Dst)), unsafe.Add(s, i*int(l.Src)))
		}
		return
	}
	v.run(d, s, r)
	if r.rest.Rank > 0 {
		for i := range r.n {
			portable.Run(&r.rest, unsafe.Add(d, i*r.dst), unsafe.Add(s, i*r.src))
		}
	}
}
