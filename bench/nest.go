package main

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// axis is one loop: its extent, and its strides in elements.
type axis struct{ n, src, dst int }

// axesOf returns a loop for each axis of a descriptor. It also returns the place in memory, in
// elements, of the first input element taken.
func axesOf(d *slice1.Desc) (axes []axis, start int) {
	for _, x := range d.Axes() {
		start += int(x.Start * x.Src)
		axes = append(axes, axis{int(x.Out), int(x.Step * x.Src), int(x.Dst)})
	}
	return axes, start
}

// join drops loops of one iteration and joins neighbours that continue each other in the source
// and in the destination. It returns at least one loop.
func join(axes []axis) []axis {
	var joined []axis
	for _, x := range axes {
		if x.n == 1 {
			continue
		}
		if k := len(joined) - 1; k >= 0 && joined[k].src == x.n*x.src && joined[k].dst == x.n*x.dst {
			joined[k] = axis{joined[k].n * x.n, x.src, x.dst}
			continue
		}
		joined = append(joined, x)
	}
	if joined == nil {
		return []axis{{1, 1, 1}}
	}
	return joined
}

// visit calls f for each iteration of the loops, with the numbers of its element in the destination
// and in the source. The first element has the numbers dstAt and srcAt.
func visit(axes []axis, dstAt, srcAt int, f func(dstAt, srcAt int)) {
	if len(axes) == 0 {
		f(dstAt, srcAt)
		return
	}
	for k := range axes[0].n {
		visit(axes[1:], dstAt+k*axes[0].dst, srcAt+k*axes[0].src, f)
	}
}

const line = 64 // bytes of a cache line

// roofBytes returns how many bytes memcpy has to copy to touch as many cache lines as d, read and
// written lines together. Buffers begin at cache lines.
func roofBytes(d *slice1.Desc, srcSize, dstSize int) int {
	axes, start := axesOf(d)
	axes = join(axes)
	rows, row := axes[:len(axes)-1], axes[len(axes)-1]
	width, count := d.Input.DataType.Size(), 0
	// touch counts the lines of a row that are new. An element lies in one line. Elements less than
	// a line apart leave no line out.
	touch := func(seen []bool, element, stride int) {
		begin, step, n := element*width, stride*width, row.n
		if step < 0 {
			begin, step = begin+step*(n-1), -step
		}
		if step < line {
			n, step = (begin+step*(n-1))/line-begin/line+1, line
		}
		for k := range n {
			if l := (begin + k*step) / line; !seen[l] {
				seen[l] = true
				count++
			}
		}
	}
	read, written := make([]bool, srcSize/line+1), make([]bool, dstSize/line+1)
	visit(rows, 0, start, func(dstAt, srcAt int) {
		touch(written, dstAt, row.dst)
		touch(read, srcAt, row.src)
	})
	return count * line / 2
}

// naiveLoop returns the loops that a Go programmer writes first, one for each axis. start is the
// number of the first element taken in src.
func naiveLoop(dst, src []byte, axes []axis, start, width int) func() {
	switch width {
	case 1:
		return naiveOf(dst, src, axes, start)
	case 2:
		return naiveOf(elements[uint16](dst), elements[uint16](src), axes, start)
	case 4:
		return naiveOf(elements[uint32](dst), elements[uint32](src), axes, start)
	default:
		return naiveOf(elements[uint64](dst), elements[uint64](src), axes, start)
	}
}

func naiveOf[T any](dst, src []T, axes []axis, start int) func() {
	var walk func(axes []axis, dstAt, srcAt int)
	walk = func(axes []axis, dstAt, srcAt int) {
		switch {
		case len(axes) == 1:
			naiveRow(dst, src, axes[0], dstAt, srcAt)
			return
		case len(axes) == 2 && axes[1].n == 3:
			naivePixels(dst, src, axes[0], axes[1], dstAt, srcAt)
			return
		}
		for range axes[0].n {
			walk(axes[1:], dstAt, srcAt)
			dstAt += axes[0].dst
			srcAt += axes[0].src
		}
	}
	return func() { walk(axes, 0, start) }
}

func naiveRow[T any](dst, src []T, x axis, dstAt, srcAt int) {
	switch {
	case x.src == 1 && x.dst == 1:
		copy(dst[dstAt:dstAt+x.n], src[srcAt:srcAt+x.n])
	case x.dst == 1:
		row := dst[dstAt : dstAt+x.n]
		for i := range row {
			row[i] = src[srcAt]
			srcAt += x.src
		}
	default:
		for range x.n {
			dst[dstAt] = src[srcAt]
			dstAt += x.dst
			srcAt += x.src
		}
	}
}

// naivePixels copies pixels of three elements by three assignments in place of an inner loop.
func naivePixels[T any](dst, src []T, pixels, channels axis, dstAt, srcAt int) {
	for range pixels.n {
		dst[dstAt], dst[dstAt+channels.dst], dst[dstAt+2*channels.dst] = src[srcAt], src[srcAt+channels.src], src[srcAt+2*channels.src]
		dstAt += pixels.dst
		srcAt += pixels.src
	}
}

// elements views bytes, aligned for T, as elements.
func elements[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}
