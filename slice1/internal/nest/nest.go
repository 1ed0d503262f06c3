// Package nest has the loop nest of a strided copy and the passes that bring a nest into normal
// form. It also has functions that return properties of a nest: its class, its span, how many bytes
// it copies. Nests that differ only in the order of their loops have one normal form. So have nests
// that differ only in how a loop is split into loops that continue each other.
//
// A pass changes only the order of the pairs of destination and source bytes, never the set of
// pairs.
package nest

import (
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// MaxRank is the most loops that a Nest can hold, the rank limit of DML_SLICE1_OPERATOR_DESC.
const MaxRank = program.MaxRank

// Dim is one loop of a Nest: its iterations, and the bytes from one iteration to the next in the
// source and in the destination. Both strides may have any sign, but Normalize needs positive ones
// in the destination. Param is 1 if each iteration has a scale and a bias of its own, else 0.
type Dim = program.Dim

// Nest is a strided copy:
//
//	for i0 in Dims[0].Extent { for i1 in Dims[1].Extent { ...
//		copy Width bytes to   dst[DstOff + i0*Dims[0].Dst + i1*Dims[1].Dst + ...]
//		             from src[SrcOff + i0*Dims[0].Src + i1*Dims[1].Src + ...]
//
// Dims[0] is the outermost loop. A Nest of rank 0 copies one element. A Nest holds no pointers.
type Nest struct {
	Rank   int32 // the number of loops, 0 to MaxRank
	Width  int32 // bytes per element: 1, 2, 4 or 8
	SrcOff int64 // bytes from the start of the source to the first element
	DstOff int64 // bytes from the start of the destination to the first element
	Dims   [MaxRank]Dim
}

// Normalize brings n into normal form by all passes. Each loop of n must have at least two
// iterations and a positive destination stride.
func Normalize(n *Nest) {
	Order(n)
	Coalesce(n)
	widen(n)
}

// Order sorts the loops by destination stride, the largest outermost. It sorts loops of equal
// destination stride by source stride and then by extent, the larger one outside. So the result
// does not depend on the order of the loops before.
func Order(n *Nest) {
	// This is an insertion sort: there are at most eight loops, and most are in order already.
	dims := n.Dims[:n.Rank]
	for i := 1; i < len(dims); i++ {
		for j := i; j > 0 && outside(&dims[j], &dims[j-1]); j-- {
			dims[j], dims[j-1] = dims[j-1], dims[j]
		}
	}
}

// outside reports whether Order puts loop x outside loop y.
func outside(x, y *Dim) bool {
	if x.Dst != y.Dst {
		return x.Dst > y.Dst
	}
	if x.Src != y.Src {
		return x.Src > y.Src
	}
	return x.Extent > y.Extent
}

// Coalesce merges neighbouring loops as [Merged] does.
func Coalesce(n *Nest) { n.Rank = int32(len(Merged(n.Dims[:n.Rank]))) }

// Merged merges two neighbouring loops into one if the outer loop continues where the inner one
// ends. It leaves no two such loops. The result is in the same memory, and may be shorter.
func Merged(loops []Dim) []Dim {
	top := 0
	for i := 1; i < len(loops); i++ {
		outer, inner := &loops[top], &loops[i]
		if Continues(outer, inner) {
			extent := outer.Extent * inner.Extent
			*outer = *inner
			outer.Extent = extent
			continue
		}
		if top++; top != i {
			loops[top] = *inner
		}
	}
	return loops[:min(len(loops), top+1)]
}

// Continues reports whether the next iteration of outer goes on where the last one of inner ends,
// in the source, in the destination and in the values.
func Continues(outer, inner *Dim) bool {
	// The condition is outer step == inner step * extent. It is written with differences, since
	// step*extent may overflow where step*(extent-1) does not.
	steps := inner.Extent - 1
	return outer.Dst-inner.Dst == inner.Dst*steps && outer.Src-inner.Src == inner.Src*steps && outer.Param-inner.Param == inner.Param*steps
}

// widen turns the innermost loop into one element if its elements are contiguous on both sides and
// together have 2, 4 or 8 bytes: a row of reversed RGBA pixels becomes a row of reversed 4-byte
// elements.
func widen(n *Nest) {
	if n.Rank == 0 {
		return
	}
	w, inner := int64(n.Width), n.Dims[n.Rank-1]
	if inner.Src != w || inner.Dst != w || inner.Extent > 8 {
		return
	}
	if wide := w * inner.Extent; wide == 2 || wide == 4 || wide == 8 {
		n.Width = int32(wide)
		n.Rank--
	}
}

// Span returns, for the source and for the destination, the offset of the lowest byte that the nest
// touches and the offset past the highest one.
func Span(n *Nest) (srcLo, srcHi, dstLo, dstHi int64) {
	srcLo, dstLo = n.SrcOff, n.DstOff
	srcHi, dstHi = srcLo+int64(n.Width), dstLo+int64(n.Width)
	for _, d := range n.Dims[:n.Rank] {
		srcLo += min(0, d.Src*(d.Extent-1))
		srcHi += max(0, d.Src*(d.Extent-1))
		dstLo += min(0, d.Dst*(d.Extent-1))
		dstHi += max(0, d.Dst*(d.Extent-1))
	}
	return
}

// Bytes returns how many bytes the nest copies.
func Bytes(n *Nest) int64 {
	b := int64(n.Width)
	for _, d := range n.Dims[:n.Rank] {
		b *= d.Extent
	}
	return b
}

// Class is how a loop moves from element to element.
type Class uint8

// In all classes but Scattered the destination is packed: its stride is the width of an element.
const (
	Contiguous Class = iota // the source is packed too
	Reversed                // the source is packed backwards: its stride is minus the width
	Repeated                // the source stride is 0: one element, repeated
	Strided                 // any other source stride
	Scattered               // any other destination stride, with any source stride
)

// ClassOf returns the class of a loop over elements of width bytes. The strides are in bytes.
func ClassOf(width, src, dst int64) Class {
	switch {
	case dst != width:
		return Scattered
	case src == width:
		return Contiguous
	case src == -width:
		return Reversed
	case src == 0:
		return Repeated
	}
	return Strided
}

// ParamLoop returns the index in Dims of the loop whose iterations have a scale and a bias each, or
// -1 if there is none.
func (n *Nest) ParamLoop() int {
	return slices.IndexFunc(n.Dims[:n.Rank], func(d Dim) bool { return d.Param != 0 })
}

// Inner returns the innermost loop, or for a nest without loops a contiguous loop of one iteration.
func (n *Nest) Inner() Dim {
	if n.Rank == 0 {
		return Dim{Extent: 1, Src: int64(n.Width), Dst: int64(n.Width)}
	}
	return n.Dims[n.Rank-1]
}

// Class returns the class of the innermost loop. A nest without loops is Contiguous.
func (n *Nest) Class() Class {
	inner := n.Inner()
	return ClassOf(int64(n.Width), inner.Src, inner.Dst)
}

// Leaves reports whether a step by src bytes, up or down, is at least a cache line long, so that it
// ends in another line wherever it begins.
func Leaves(src int64) bool { return max(src, -src) >= program.LineBytes }

// Crosses reports whether two nested loops with these source strides are a transposed view: each
// step of the inner loop leaves a cache line of the source, and the outer loop runs along the
// lines. For example, these loops over bytes are one:
//
//	for y in 100 { for x in 50 { dst[50*y + x] = src[y + 100*x] } }
//
// They read a line of 64 bytes 64 times, once for each y, and take one byte of it each time.
func Crosses(inner, outer int64) bool { return Leaves(inner) && !Leaves(outer) }
