package translate

import "github.com/seed2e45c115/dml/slice1"

// Geometry is where the elements of a valid descriptor's tensors lie, in bytes.
type Geometry struct {
	SrcSize, DstSize int64   // lengths of the tensors, from the start of their buffers to the end of the last element
	SrcLo, SrcHi     int64   // where in the source the first element taken in memory begins, and the last ends
	Gaps             bool    // whether there are bytes between output elements
	start            int64   // where in the source the element at WindowOffsets begins
	strides          []int64 // how far the window moves in the source when its offset on an axis grows by 1
}

// GeometryOf returns the geometry of a valid descriptor.
func GeometryOf(d *slice1.Desc) Geometry {
	width := int64(d.Input.DataType.Size())
	low, high, srcLast, dstLast, count, start := int64(0), int64(0), int64(0), int64(0), int64(1), int64(0)
	strides := make([]int64, len(d.Input.Sizes))
	for i, axis := range d.Axes() {
		strides[i] = axis.Src * width
		start += int64(d.WindowOffsets[i]) * strides[i]
		offset, size, _ := axis.Window(0, axis.Out)
		low += offset * axis.Src
		high += (offset + size - 1) * axis.Src
		srcLast += (axis.In - 1) * axis.Src
		dstLast += (axis.Out - 1) * axis.Dst
		count *= axis.Out
	}
	return Geometry{
		SrcSize: (srcLast + 1) * width, DstSize: (dstLast + 1) * width,
		SrcLo: low * width, SrcHi: (high + 1) * width,
		Gaps:  count != dstLast+1,
		start: start, strides: strides,
	}
}

// Shift returns how far the window moves if it goes to the given offsets, one for each axis, in
// bytes of the source. It is negative if the window moves towards the start.
func (g *Geometry) Shift(offsets []int) (bytes int64) {
	bytes = -g.start
	for i, offset := range offsets {
		bytes += int64(offset) * g.strides[i]
	}
	return bytes
}
