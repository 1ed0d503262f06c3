package nest

import "github.com/seed2e45c115/dml/csrc"

// Class is how a loop moves from element to element.
type Class uint8

// In all classes but Scattered the destination is packed: its stride is the width of an element.
const (
	Contiguous Class = iota // the source is packed too
	Reversed                // the source is packed backwards: its stride is minus the width
	Repeated                // the source stride is 0: one element, repeated
	Strided                 // any other source stride
	Scattered               // any other destination stride, whatever the source stride is
)

// ClassOf returns the class of a loop over elements of width bytes whose strides are
// given in bytes.
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

// Inner returns the innermost loop, or for a nest without loops a contiguous loop of one iteration.
func (n *Nest) Inner() Dim {
	if n.Rank == 0 {
		return Dim{Extent: 1, Src: int64(n.Width), Dst: int64(n.Width)}
	}
	return n.Dims[n.Rank-1]
}

// Class returns the class of the innermost loop. That of a nest without loops is Contiguous.
func (n *Nest) Class() Class {
	in := n.Inner()
	return ClassOf(int64(n.Width), in.Src, in.Dst)
}

// Leaves reports whether each step by src bytes, up or down, leaves the cache line it begins in.
func Leaves(src int64) bool { return max(src, -src) >= csrc.LineBytes }

// Crosses reports whether two nested loops of these source strides are a transposed view: each step
// of the inner loop leaves a line of the source, and the outer one runs along the lines. Of bytes
//
//	for y in 100 { for x in 50 { dst[50*y + x] = src[y + 100*x] } }
//
// is one: in this order the loops read a line 64 times, once for each y, and take a byte of it each
// time.
func Crosses(inner, outer int64) bool { return Leaves(inner) && !Leaves(outer) }

// Along returns the index in Dims of the loop around the innermost one that runs along the lines of
// the source, or -1 if there is none. In the example of [Crosses] it is loop y. In general it is
// the loop with the smallest source stride, up or down, that is not 0 and less than a line; of
// equal strides the outermost. Loops of fewer than `least` iterations are left out. The innermost
// loop must be packed in the destination.
func Along(n *Nest, least int64) int {
	if n.Rank < 2 || n.Inner().Dst != int64(n.Width) {
		return -1
	}
	y, smallest := -1, int64(csrc.LineBytes)
	for i, d := range n.Dims[:n.Rank-1] {
		if up := max(d.Src, -d.Src); up > 0 && up < smallest && d.Extent >= least {
			y, smallest = i, up
		}
	}
	return y
}

// Transposed returns the index of the loop with which the innermost one is a transposed view, as
// [Crosses] and [Along] say, or -1 if n is none.
func Transposed(n *Nest) int {
	if y := Along(n, 1); y >= 0 && Crosses(n.Inner().Src, n.Dims[y].Src) {
		return y
	}
	return -1
}
