package translate

import "github.com/seed2e45c115/dml/slice1"

// Geometry is what a run on host memory needs to know of a valid descriptor, in bytes.
type Geometry struct {
	SrcSize, DstSize int64   // lengths of the tensors, from the start of their buffers
	SrcLo, SrcHi     int64   // the span that is read of the source; the destination is written from 0 to DstSize
	Gaps             bool    // there are bytes between output elements
	home             int64   // the first byte of the window in the source
	strides          []int64 // of one step of the window's offset along each axis
}

// GeometryOf returns the geometry of a valid descriptor.
func GeometryOf(d *slice1.Desc) Geometry {
	width := int64(d.Input.DataType.Size())
	first, last, srcLast, dstLast, count, home := int64(0), int64(0), int64(0), int64(0), int64(1), int64(0)
	strides := make([]int64, len(d.Input.Sizes))
	for i, a := range d.Axes() {
		strides[i] = a.Src * width
		home += int64(d.WindowOffsets[i]) * strides[i]
		offset, size, _ := a.Window(0, a.Out)
		first += offset * a.Src
		last += (offset + size - 1) * a.Src
		srcLast += (a.In - 1) * a.Src
		dstLast += (a.Out - 1) * a.Dst
		count *= a.Out
	}
	return Geometry{
		SrcSize: (srcLast + 1) * width, DstSize: (dstLast + 1) * width,
		SrcLo: first * width, SrcHi: (last + 1) * width,
		Gaps: count != dstLast+1,
		home: home, strides: strides,
	}
}

// At returns the distance from the plan's window to a window at other offsets, one for each
// axis, in bytes of the source.
func (g *Geometry) At(offsets []int) (bytes int64) {
	bytes = -g.home
	for i, offset := range offsets {
		bytes += int64(offset) * g.strides[i]
	}
	return bytes
}
