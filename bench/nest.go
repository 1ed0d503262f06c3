package main

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// axis is one loop: its extent, and its strides in elements.
type axis struct{ n, src, dst int }

// axesOf returns a loop for each axis of a descriptor, and the number of the first input element
// taken, counted in memory.
func axesOf(d *slice1.Desc) (axes []axis, first int) {
	in, out := strides(d.Input), strides(d.Output)
	for i, n := range d.Output.Sizes {
		first += firstOf(d, i) * in[i]
		axes = append(axes, axis{n, d.WindowStrides[i] * in[i], out[i]})
	}
	return axes, first
}

// firstOf returns the index, along an axis of the input, of what the first output element is.
func firstOf(d *slice1.Desc, axis int) int {
	first := d.WindowOffsets[axis]
	if d.WindowStrides[axis] < 0 {
		first += d.WindowSizes[axis] - 1
	}
	return first
}

func strides(t slice1.TensorDesc) []int {
	if t.Strides != nil {
		return t.Strides
	}
	return packedStrides(t.Sizes)
}

// packedStrides returns the strides of a row-major array.
func packedStrides(sizes []int) []int {
	packed := make([]int, len(sizes))
	for i, n := len(packed)-1, 1; i >= 0; i-- {
		packed[i] = n
		n *= sizes[i]
	}
	return packed
}

// join drops loops of one iteration and joins neighbours that continue each other in the source
// and in the destination.
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
		a := axes[0]
		for k := range a.n {
			if len(axes) > 1 {
				walk(axes[1:], to+k*a.dst, from+k*a.src)
				continue
			}
			copy(dst[(to+k*a.dst)*width:][:width], src[(from+k*a.src)*width:])
		}
	}
	walk(axes, 0, first)
}

const line = 64 // bytes of a cache line

// touched returns the number of distinct cache lines in which the elements lie that the loops
// visit, from element `first` on. The buffer has size bytes and starts at a cache line.
func touched(axes []axis, first, width, size int, stride func(axis) int) int {
	if n := dense(axes, stride); n > 0 { // no walk, since it may be hundreds of MiB
		return ((first+n)*width-1)/line - first*width/line + 1
	}
	seen := make([]byte, (size/line+8)/8*8+8)
	mark := func(lo, hi int) { // marks the lines of elements lo to hi, hi included
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

// dense returns the number of elements that the loops visit if the elements fill a stretch of
// memory without gaps, the loops in any order and of positive strides. Otherwise it returns 0.
func dense(axes []axis, stride func(axis) int) int {
	sorted := slices.SortedFunc(slices.Values(axes), func(a, b axis) int { return cmp.Compare(stride(a), stride(b)) })
	n := 1
	for _, a := range sorted {
		if stride(a) != n {
			return 0
		}
		n *= a.n
	}
	return n
}

// roofBytes returns how many bytes memcpy has to copy to touch as many cache lines, read and
// written together, as d.
func roofBytes(d *slice1.Desc, srcSize, dstSize int) int {
	axes, first := axesOf(d)
	axes = join(axes)
	width := d.Input.DataType.Size()
	r := touched(axes, first, width, srcSize, func(a axis) int { return a.src })
	w := touched(axes, 0, width, dstSize, func(a axis) int { return a.dst })
	return (r + w) * line / 2
}
