package directml

import (
	"math/bits"

	"github.com/seed2e45c115/dml/slice1"
)

// geometry is what a run on host memory has to know of a valid descriptor, in bytes.
type geometry struct {
	srcSize, dstSize int64   // from the start of the buffers to the end of their tensors
	srcLo, srcHi     int64   // what is read of the source: [lo, hi); the destination is written from 0 to dstSize
	gaps             bool    // there are bytes between output elements
	home             int64   // where the window starts in the source
	strides          []int64 // of an offset of the window along each axis
}

func geometryOf(d *slice1.Desc) geometry {
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
	return geometry{
		srcSize: (srcLast + 1) * width, dstSize: (dstLast + 1) * width,
		srcLo: first * width, srcHi: (last + 1) * width,
		gaps: count != dstLast+1,
		home: home, strides: strides,
	}
}

// at returns how many bytes further into the source than it is the window is at
// other offsets, one for each axis.
func (g *geometry) at(offsets []int) (bytes int64) {
	bytes = -g.home
	for i, offset := range offsets {
		bytes += int64(offset) * g.strides[i]
	}
	return bytes
}

// sizeClass rounds bytes up to what is allocated: powers of two from 64 KiB,
// the placement alignment of Direct3D 12 resources, to 16 MiB, and whole
// multiples of 16 MiB from there, so that buffers can be used again for others.
func sizeClass(size int64) int64 {
	const least, most = 64 << 10, 16 << 20
	if size > most {
		return (size + most - 1) / most * most
	}
	return max(least, int64(1)<<bits.Len64(uint64(size-1)))
}
