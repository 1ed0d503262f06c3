package main

import (
	"encoding/binary"
	"math/bits"

	"github.com/seed2e45c115/dml/slice1"
)

// axis is one loop: its extent, and its strides in elements.
type axis struct{ n, src, dst int }

// axesOf returns one loop per axis of a descriptor and the first element taken.
func axesOf(d *slice1.Desc) (axes []axis, first int) {
	in, out := strides(d.Input), strides(d.Output)
	for i, n := range d.Output.Sizes {
		step, start := d.WindowStrides[i], d.WindowOffsets[i]
		if step < 0 {
			start += d.WindowSizes[i] - 1
		}
		first += start * in[i]
		axes = append(axes, axis{n, step * in[i], out[i]})
	}
	return axes, first
}

func strides(t slice1.TensorDesc) []int {
	if t.Strides != nil {
		return t.Strides
	}
	packed := make([]int, len(t.Sizes))
	for i, n := len(packed)-1, 1; i >= 0; i-- {
		packed[i] = n
		n *= t.Sizes[i]
	}
	return packed
}

// join drops loops of one iteration and joins those that continue each other.
func join(axes []axis) []axis {
	var joined []axis
	for _, a := range axes {
		if a.n == 1 {
			continue
		}
		if k := len(joined) - 1; k >= 0 && joined[k].src == a.n*a.src && joined[k].dst == a.n*a.dst {
			joined[k] = axis{joined[k].n * a.n, a.src, a.dst}
			continue
		}
		joined = append(joined, a)
	}
	return joined
}

// reference slices by the operator's formula, one element at a time.
func reference(d *slice1.Desc, dst, src []byte) {
	axes, first := axesOf(d)
	width := d.Input.DataType.Size()
	var walk func(axes []axis, to, from int)
	walk = func(axes []axis, to, from int) {
		if len(axes) == 0 {
			copy(dst[to*width:][:width], src[from*width:])
			return
		}
		a := axes[0]
		for k := range a.n {
			walk(axes[1:], to+k*a.dst, from+k*a.src)
		}
	}
	walk(axes, 0, first)
}

const line = 64 // bytes of a cache line

// touched returns the number of distinct cache lines in which the elements of
// a buffer lie that the loops visit, the buffer starting at one.
func touched(axes []axis, first, width, size int, stride func(axis) int) int {
	seen := make([]byte, (size/line+8)/8*8+8)
	mark := func(lo, hi int) { // elements, inclusive
		for l := lo * width / line; l <= (hi*width+width-1)/line; l++ {
			seen[l/8] |= 1 << (l % 8)
		}
	}
	var walk func(axes []axis, at int)
	walk = func(axes []axis, at int) {
		if len(axes) == 0 {
			mark(at, at)
			return
		}
		n, by := axes[0].n, stride(axes[0])
		if len(axes) == 1 && max(by, -by)*width <= line { // no line between is skipped
			last := at + (n-1)*by
			mark(min(at, last), max(at, last))
			return
		}
		for k := range n {
			walk(axes[1:], at+k*by)
		}
	}
	walk(axes, first)
	count := 0
	for ; len(seen) > 0; seen = seen[8:] {
		count += bits.OnesCount64(binary.NativeEndian.Uint64(seen))
	}
	return count
}

// roofBytes returns how much memcpy moves to touch as many lines as d.
func roofBytes(d *slice1.Desc, srcSize, dstSize int) int {
	axes, first := axesOf(d)
	axes = join(axes)
	width := d.Input.DataType.Size()
	r := touched(axes, first, width, srcSize, func(a axis) int { return a.src })
	w := touched(axes, 0, width, dstSize, func(a axis) int { return a.dst })
	return (r + w) * line / 2
}
