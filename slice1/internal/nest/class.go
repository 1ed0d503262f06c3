package nest

// Line is the size of a cache line, in bytes, on most processors.
const Line = 64

// Class is how a loop moves from element to element.
type Class uint8

const (
	Contiguous Class = iota // both sides packed
	Reversed                // packed destination, source backwards
	Repeated                // packed destination, one source element
	Strided                 // packed destination, any other source stride
	Scattered               // a destination with gaps
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

// Inner returns the innermost loop, or for a nest of one element a loop of one iteration.
func (n *Nest) Inner() Dim {
	if n.Rank == 0 {
		return Dim{Extent: 1, Src: int64(n.Width), Dst: int64(n.Width)}
	}
	return n.Dims[n.Rank-1]
}

// Class returns the class of the innermost loop, that of one element being Contiguous.
func (n *Nest) Class() Class {
	in := n.Inner()
	return ClassOf(int64(n.Width), in.Src, in.Dst)
}

// Leaves reports whether each step of a source stride in bytes leaves a cache line.
func Leaves(src int64) bool { return max(src, -src) >= Line }

// Pixels reports whether the two innermost loops take pixels of three elements that lie side by
// side on both sides, with at least six pixels in a row. Elements have two bytes, or one byte
// and then either order in the source. Pixels are packed in the destination; in the source they
// do not overlap and are less than a line apart, up or down.
func Pixels(n *Nest) bool {
	in, w := n.Inner(), int64(n.Width)
	if n.Rank < 2 || w > 2 || in.Extent != 3 || in.Dst != w || in.Src != w && (w != 1 || in.Src != -1) {
		return false
	}
	out := n.Dims[n.Rank-2]
	return out.Dst == 3*w && out.Extent >= 6 && max(out.Src, -out.Src) >= 3*w && !Leaves(out.Src)
}

// Transposed returns the loop that runs along the lines of the source, the one with the smallest
// stride if there are several, if the innermost loop packs the destination and leaves its line
// of the source at each step. Otherwise it returns -1.
func Transposed(n *Nest) int {
	if in := n.Inner(); n.Rank < 2 || in.Dst != int64(n.Width) || !Leaves(in.Src) {
		return -1
	}
	y, least := -1, int64(Line)
	for i, d := range n.Dims[:n.Rank-1] {
		if up := max(d.Src, -d.Src); up > 0 && up < least {
			y, least = i, up
		}
	}
	return y
}
