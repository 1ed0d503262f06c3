package outofcore

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

const (
	// boxBytes bounds the input of a box, and also its output.
	boxBytes = 16 << 20
	// bandBytes bounds the output of a band. So the output is still in the second-level cache when
	// it is written.
	bandBytes = 1 << 20
)

// boxes are the parts into which the output of a descriptor is cut. All have equal extents, except
// that the last ones along an axis may be shorter. They are numbered in row-major order.
type boxes struct {
	count   int64
	desc    *slice1.Desc
	axes    []slice1.Axis
	extents []int // of all boxes except the last ones along an axis
	size    int   // bytes of an element of the output
}

// cut cuts the output of d into boxes of the given extents. Its elements have size bytes.
func cut(d *slice1.Desc, size int, extents []int) boxes {
	b := boxes{count: 1, desc: d, axes: d.Axes(), extents: extents, size: size}
	for axis, n := range d.Output.Sizes {
		b.count *= int64((n-1)/extents[axis]) + 1
	}
	return b
}

// OutputBytes returns the bytes of d's output elements, of size bytes each.
func OutputBytes(d *slice1.Desc, size int) int64 {
	n := int64(size)
	for _, extent := range d.Output.Sizes {
		n *= int64(extent)
	}
	return n
}

// cutBands cuts the output of d into bands. A band is a box that is one stretch of the packed
// output. It has at most limit bytes, or is one element.
func cutBands(d *slice1.Desc, size int, limit int64) boxes {
	sizes := d.Output.Sizes
	extents := make([]int, len(sizes))
	elements := max(int(limit/int64(size)), 1)
	for axis := len(sizes) - 1; axis >= 0; axis-- {
		extents[axis] = min(sizes[axis], elements)
		elements /= sizes[axis]
		elements = max(elements, 1)
	}
	return cut(d, size, extents)
}

// cutFile cuts a slice of a file into bands. Where neighbours in the output are far apart in the
// file, it cuts boxes with long stretches in both instead, if these cost less. The input that is
// read for a box has at most limit bytes, and so has its output, unless the box is one element.
func cutFile(d *slice1.Desc, size int, limit int64) boxes {
	best := cutBands(d, size, min(bandBytes, limit))
	for best.input().bytes() > limit && best.bytes() > int64(size) {
		best = cutBands(d, size, best.bytes()/2)
	}
	if input := best.input(); input.stretches() == 1 && input.bytes() <= 2*best.bytes() {
		return best
	}
	cost := best.cost() * 0.75 // boxes must cost less than this, since bands use the caches better
	for band := int64(bandBytes); band >= int64(size); band /= 2 {
		b := cutBands(d, size, band)
		b.grow(limit)
		if c := b.cost(); c < cost && b.input().bytes() <= limit {
			best, cost = b, c
		}
	}
	return best
}

// grow makes boxes longer, first along the axis on which the input's elements are nearest. Neither
// the input nor the output of a box gets more than limit bytes.
func (b *boxes) grow(limit int64) {
	sizes := b.desc.Output.Sizes
	order := make([]int, len(sizes))
	step := make([]float64, len(sizes))
	for axis, x := range b.axes {
		order[axis] = axis
		step[axis] = math.Abs(float64(x.Step)) * float64(x.Src)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(step[x], step[y]) })
	for _, axis := range order {
		extent, factor := b.extents[axis], max(limit/b.bytes(), 1)
		b.extents[axis] = int(min(int64(sizes[axis]), int64(extent)*factor))
		for b.extents[axis] > extent && b.input().bytes() > limit {
			b.extents[axis] = max(b.extents[axis]/2, extent)
		}
	}
	*b = cut(b.desc, b.size, b.extents)
}

// bytes returns the bytes of output of the largest box, which is the first.
func (b *boxes) bytes() int64 {
	d, _ := b.box(0)
	return OutputBytes(d, b.size)
}

// input returns where the input of the largest box lies.
func (b *boxes) input() region {
	d, _ := b.box(0)
	stretch, _ := gather(d, gapBytes)
	return stretch
}

// output returns where the output of the largest box lies in the packed whole output. If it is one
// stretch, the output of every box is one stretch, and boxes follow each other in the output.
func (b *boxes) output() region {
	d, origin := b.box(0)
	return place(d, b.size, origin, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: b.desc.Output.Sizes}.MemoryStrides())
}

// cost returns the time to read and write the largest box, divided by the bytes of its output. The
// unit of time is the copy of a byte.
func (b *boxes) cost() float64 {
	return float64(b.input().cost()+b.output().cost()) / float64(b.bytes())
}

// box returns box i, counted from 0, as a descriptor with a packed output and the smallest windows.
// It also returns the coordinates in the whole output at which the box begins.
func (b *boxes) box(i int64) (d *slice1.Desc, origin []int) {
	c := *b.desc
	c.Output = slice1.TensorDesc{DataType: c.Output.DataType, Sizes: slices.Clone(c.Output.Sizes)}
	c.WindowOffsets = slices.Clone(c.WindowOffsets)
	c.WindowSizes = slices.Clone(c.WindowSizes)
	origin = make([]int, len(b.extents))
	for axis, extent := range slices.Backward(b.extents) {
		n := b.desc.Output.Sizes[axis]
		boxes := int64((n-1)/extent) + 1
		origin[axis] = int(i%boxes) * extent
		i /= boxes
		c.Output.Sizes[axis] = min(extent, n-origin[axis])
		offset, size, _ := b.axes[axis].Window(int64(origin[axis]), int64(c.Output.Sizes[axis]))
		c.WindowOffsets[axis], c.WindowSizes[axis] = int(offset), int(size)
	}
	return &c, origin
}
