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
	size := int64(d.Input.DataType.Size())
	first, last, srcLast, dstLast, count, home := int64(0), int64(0), int64(0), int64(0), int64(1), int64(0)
	strides := make([]int64, len(d.Input.Sizes))
	for i, a := range axesOf(d) {
		strides[i] = a.in * size
		home += int64(d.WindowOffsets[i]) * strides[i]
		end := a.start + (a.m-1)*a.step
		first += min(a.start, end) * a.in
		last += max(a.start, end) * a.in
		srcLast += (a.n - 1) * a.in
		dstLast += (a.m - 1) * a.out
		count *= a.m
	}
	return geometry{
		srcSize: (srcLast + 1) * size, dstSize: (dstLast + 1) * size,
		srcLo: first * size, srcHi: (last + 1) * size,
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
