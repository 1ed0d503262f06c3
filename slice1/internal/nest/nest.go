// Package nest holds the loop nest of a strided copy, the passes that bring it into
// normal form, and what can be asked of one: its class, its span, its bytes. Of all the
// nests that copy the same elements, one is in normal form.
//
// Every pass changes only how the pairs of destination and source bytes are
// enumerated, never the set of pairs.
package nest

// MaxRank is the number of loops a Nest can hold, the rank limit of
// DML_SLICE1_OPERATOR_DESC.
const MaxRank = 8

// Dim is one loop of a Nest.
type Dim struct {
	Extent int64 // iterations
	Src    int64 // bytes the source position moves per iteration, any sign
	Dst    int64 // bytes the destination position moves per iteration
}

// Nest is a strided copy:
//
//	for i0 in Dims[0].Extent { for i1 in Dims[1].Extent { ...
//		copy Width bytes to   dst[DstOff + i0*Dims[0].Dst + i1*Dims[1].Dst + ...]
//		             from src[SrcOff + i0*Dims[0].Src + i1*Dims[1].Src + ...]
//
// Dims[0] is the outermost loop; a Nest of rank 0 copies one element. It holds no
// pointers.
type Nest struct {
	Rank   int32 // loops, 0..MaxRank
	Width  int32 // bytes per element: 1, 2, 4 or 8
	SrcOff int64 // bytes from the start of the source to the first element
	DstOff int64 // bytes from the start of the destination to the first element
	Dims   [MaxRank]Dim
}

// Normalize applies all passes to a nest whose loops have two iterations or
// more and positive destination strides.
func Normalize(n *Nest) {
	Order(n)
	Coalesce(n)
	Widen(n)
}

// Order sorts the loops, the largest destination stride outermost; equal ones
// by source stride, then extent, so that equal copies have equal nests.
func Order(n *Nest) {
	// Insertion sort: at most eight loops, mostly in order already.
	dims := n.Dims[:n.Rank]
	for i := 1; i < len(dims); i++ {
		for j := i; j > 0 && outside(&dims[j], &dims[j-1]); j-- {
			dims[j], dims[j-1] = dims[j-1], dims[j]
		}
	}
}

func outside(a, b *Dim) bool {
	if a.Dst != b.Dst {
		return a.Dst > b.Dst
	}
	if a.Src != b.Src {
		return a.Src > b.Src
	}
	return a.Extent > b.Extent
}

// Coalesce merges neighbours of which the outer one continues where the inner
// one ends, on both sides.
func Coalesce(n *Nest) {
	last := 0
	for i := 1; i < int(n.Rank); i++ {
		outer, inner := &n.Dims[last], n.Dims[i]
		// Differences, since stride*extent may leave 63 bits where
		// stride*(extent-1) does not.
		if outer.Dst-inner.Dst == inner.Dst*(inner.Extent-1) && outer.Src-inner.Src == inner.Src*(inner.Extent-1) {
			inner.Extent *= outer.Extent
			*outer = inner
			continue
		}
		last++
		n.Dims[last] = inner
	}
	if n.Rank > 0 {
		n.Rank = int32(last) + 1
	}
}

// Widen turns an innermost loop over contiguous elements that together have
// 2, 4 or 8 bytes into one element: a row of reversed RGBA pixels becomes a row
// of reversed 4-byte elements.
func Widen(n *Nest) {
	if n.Rank == 0 {
		return
	}
	w, in := int64(n.Width), n.Dims[n.Rank-1]
	if in.Src != w || in.Dst != w || in.Extent > 8 {
		return
	}
	if wide := w * in.Extent; wide == 2 || wide == 4 || wide == 8 {
		n.Width = int32(wide)
		n.Rank--
	}
}

// Span returns the offsets of the first byte the nest touches and of the one
// past the last, on both sides.
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
