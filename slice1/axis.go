package slice1

import "math"

// Axis is one axis of a valid descriptor, for programs that execute a slice without a plan. For k
// from 0 to Out-1, output element k is input element Start + Step*k. [Desc.Axes] makes an Axis; the
// zero Axis stands for no axis.
type Axis struct {
	In, Out     int64 // extents of the input and the output
	Start, Step int64 // elements of the input; Step is 1 if Out is 1
	// Src and Dst are the memory strides of the input and the output in elements. They are set for
	// packed tensors, too.
	Src, Dst int64
}

// Axes returns d's 1 to 8 axes, outermost first. It returns nil if [Desc.Validate] refuses d, and
// Validate says why. d may be nil.
func (d *Desc) Axes() []Axis {
	var input, output layout
	if d.validate(&input, &output, 0) != nil {
		return nil
	}
	axes := make([]Axis, len(d.Input.Sizes))
	for i, n := range d.Input.Sizes {
		axis := Axis{int64(n), int64(d.Output.Sizes[i]), int64(d.start(i)), 1, input.strides[i], output.strides[i]}
		if axis.Out > 1 {
			axis.Step = int64(d.WindowStrides[i])
		}
		axes[i] = axis
	}
	return axes
}

// Window returns the smallest window that yields the n output elements from lo on. n must be at
// least 1.
func (axis Axis) Window(lo, n int64) (offset, size, stride int64) {
	offset, size, stride = axis.Start+axis.Step*lo, 1, 1
	if n > 1 {
		final := offset + axis.Step*(n-1)
		offset, size, stride = min(offset, final), max(offset, final)-min(offset, final)+1, axis.Step
	}
	return offset, size, stride
}

// window appends to d's WindowOffsets, WindowSizes and WindowStrides the smallest window that
// yields the n output elements of axis from lo on.
func (d *Desc) window(axis Axis, lo, n int) {
	offset, size, stride := axis.Window(int64(lo), int64(n))
	d.WindowOffsets = append(d.WindowOffsets, int(offset))
	d.WindowSizes = append(d.WindowSizes, int(size))
	d.WindowStrides = append(d.WindowStrides, int(stride))
}

// MemoryStrides returns t's memory strides in elements, one per axis. That is t.Strides itself or,
// if t.Strides is nil, a new list with the strides of a packed row-major tensor. It returns nil for
// an invalid t, and [TensorDesc.MinSize] says what is wrong. On 32 bits it also returns nil if a
// packed stride overflows int.
func (t TensorDesc) MemoryStrides() []int {
	l, err := t.layout()
	if err != nil {
		return nil
	}
	if t.Strides != nil {
		return t.Strides
	}
	strides := make([]int, len(t.Sizes))
	for i := range strides {
		if l.strides[i] > math.MaxInt {
			return nil
		}
		strides[i] = int(l.strides[i])
	}
	return strides
}
