package portable

import "github.com/seed2e45c115/dml/slice1/internal/nest"

// oracle copies the nest by its definition: one coordinate after the other, byte by
// byte. The nest's offsets count from the starts of dst and src.
func oracle(n *nest.Nest, dst, src []byte) {
	var walk func(axis int, d, s int64)
	walk = func(axis int, d, s int64) {
		if axis == int(n.Rank) {
			for i := range int64(n.Width) {
				dst[d+i] = src[s+i]
			}
			return
		}
		l := n.Dims[axis]
		for i := range l.Extent {
			walk(axis+1, d+i*l.Dst, s+i*l.Src)
		}
	}
	walk(0, n.DstOff, n.SrcOff)
}

// span returns the lowest and the highest offset of an element, counted from the first element.
// `stride` picks the stride of a loop.
func span(dims []nest.Dim, stride func(nest.Dim) int64) (lo, hi int64) {
	for _, d := range dims {
		if v := (d.Extent - 1) * stride(d); v < 0 {
			lo += v
		} else {
			hi += v
		}
	}
	return lo, hi
}

// place returns a nest of the loops, and buffers of exactly the bytes that it spans, filled
// with zeros.
func place(width int, dims []nest.Dim) (n nest.Nest, dst, src []byte) {
	n.Rank, n.Width = int32(len(dims)), int32(width)
	copy(n.Dims[:], dims)
	lo, hi := span(dims, func(d nest.Dim) int64 { return d.Dst })
	n.DstOff, dst = -lo, make([]byte, hi-lo+int64(width))
	lo, hi = span(dims, func(d nest.Dim) int64 { return d.Src })
	n.SrcOff, src = -lo, make([]byte, hi-lo+int64(width))
	return n, dst, src
}
