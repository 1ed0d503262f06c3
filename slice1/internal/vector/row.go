//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

// Package vector holds the kernels in Go's own vector instructions, package
// simd/archsimd. It exists where the experiment is on, for amd64.
//
// What package portable says of its kernels holds for these too, but for one
// thing: bytes between the first and the last source element of a row may be
// read.
package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Built reports whether this build has these kernels. They need AVX2.
const Built = true

// Suits reports whether Run has a kernel for the nest that is faster than
// portable's.
func Suits(n *nest.Nest) bool {
	var r rows
	var own shuffle
	_, ok := r.of(n, &own)
	return ok
}

// Run copies every element of the nest. The nest's offsets count from dst and
// src.
func Run(n *nest.Nest, dst, src unsafe.Pointer) {
	var r rows
	var own shuffle
	v, ok := r.of(n, &own)
	if !ok {
		portable.Run(n, dst, src)
		return
	}
	r.walk(v, n, 0, unsafe.Add(dst, int(n.DstOff)), unsafe.Add(src, int(n.SrcOff)))
}

// rows is what a shuffle does in one call: rows whose destination is
// contiguous, each one loop of the nest, or two.
type rows struct {
	wide        *wide // if no shuffle of units makes them
	loops       int   // around the rows
	n, dst, src int   // rows, and bytes from one to the next
	pairs       int   // bytes of a row to make in pairs of units
	units       int   // bytes of a row to make in units, those in pairs included
	end         int   // bytes of a row; what is more than units, one more unit makes that ends here
	last        int   // where the source of that unit is
	// What is left of a row of two loops.
	rest nest.Nest
}

// of sets r, which is zero, to the rows of a nest. It returns the shuffle for
// their units, own or one that is ready made, and nil if they are wide. ok is
// false if there is none.
func (r *rows) of(n *nest.Nest, own *shuffle) (v *shuffle, ok bool) {
	if n.Rank == 0 || n.Dims[n.Rank-1].Dst != int64(n.Width) {
		return nil, false
	}
	w, in := int(n.Width), &n.Dims[n.Rank-1]
	r.end = int(in.Extent) * w
	if r.end < vector {
		return own, w < 8 && r.end <= unit && r.pattern(n, own)
	}
	stride := int(in.Src)
	r.around(n, 1)
	if r.wide = wideFor(w, stride); r.wide != nil {
		r.last = (r.end - vector) / w * stride
		return nil, stride != w || n.Rank > 1 && minCopied <= r.end && r.end <= maxCopied
	}
	r.pairs = r.end &^ (2*unit - 1)
	r.units = r.end &^ (unit - 1)
	r.last = (r.end - unit) / w * stride
	v = steps(w, stride)
	return v, v != nil && in.Extent >= minRow
}

// around sets the loops outside the innermost ones, as many as given.
func (r *rows) around(n *nest.Nest, inside int) {
	r.n = 1
	if r.loops = int(n.Rank) - inside; r.loops > 0 {
		r.loops--
		l := &n.Dims[r.loops]
		r.n, r.dst, r.src = int(l.Extent), int(l.Dst), int(l.Src)
	}
}

// pattern is of for rows of two loops.
func (r *rows) pattern(n *nest.Nest, v *shuffle) bool {
	w, in := int(n.Width), &n.Dims[n.Rank-1]
	if n.Rank < 2 || n.Dims[n.Rank-2].Dst != in.Extent*int64(w) {
		return false
	}
	out, period := &n.Dims[n.Rank-2], int(in.Extent)
	size := int(out.Extent) * period * w
	if size < minPattern*w || !v.of(w, period, int(in.Src), int(out.Src)) || w == 4 && v.windows > 1 {
		return false
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
		return false
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
	return true
}

// walk makes the rows for each coordinate of the loops around them from axis on.
func (r *rows) walk(v *shuffle, n *nest.Nest, axis int, d, s unsafe.Pointer) {
	if axis < r.loops {
		l := &n.Dims[axis]
		for i := range int(l.Extent) {
			r.walk(v, n, axis+1, unsafe.Add(d, i*int(l.Dst)), unsafe.Add(s, i*int(l.Src)))
		}
		return
	}
	if r.wide != nil {
		r.wide.run(d, s, r)
		return
	}
	v.run(d, s, r)
	if r.rest.Rank > 0 {
		for i := range r.n {
			portable.Run(&r.rest, unsafe.Add(d, i*r.dst), unsafe.Add(s, i*r.src))
		}
	}
}
