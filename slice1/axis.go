package slice1

import "math"

// Axis is one axis of a valid descriptor, for programs that execute a slice without a plan: output
// element k, for k from 0 to Out-1, is input element Start + Step*k. [Desc.Axes] makes it; the zero
// Axis stands for no axis.
type Axis struct {
	In, Out     int64 // extents of the input and the output
	Start, Step int64 // elements of the input; Step is 1 if Out is 1
	// Src and Dst are the memory strides of the input and the output in elements, those of packed
	// tensors included.
	Src, Dst int64
}

// Axes returns d's axes, outermost first: 1 to 8 of them. It returns nil if [Desc.Validate] refuses
// d, which may be nil; Validate says why.
func (d *Desc) Axes() []Axis {
	var in, out layout
	if d.validate(&in, &out) != nil {
		return nil
	}
	axes := make([]Axis, len(d.Input.Sizes))
	for i, n := range d.Input.Sizes {
		a := Axis{int64(n), int64(d.Output.Sizes[i]), int64(d.first(i)), 1, in.strides[i], out.strides[i]}
		if a.Out > 1 {
			a.Step = int64(d.WindowStrides[i])
		}
		axes[i] = a
	}
	return axes
}

// first returns the element of the input that becomes output element 0, along an axis of a valid
// d.
func (d *Desc) first(axis int) int {
	if d.WindowStrides[axis] < 0 {
		return d.WindowOffsets[axis] + d.WindowSizes[axis] - 1
	}
	return d.WindowOffsets[axis]
}

// Window returns the smallest window of n >= 1 output elements from lo on.
func (a Axis) Window(lo, n int64) (offset, size, stride int64) {
	offset, size, stride = a.Start+a.Step*lo, 1, 1
	if n > 1 {
		last := offset + a.Step*(n-1)
		offset, size, stride = min(offset, last), max(offset, last)-min(offset, last)+1, a.Step
	}
	return offset, size, stride
}

// window appends the smallest window that yields n output elements of a, from lo on, to d's
// WindowOffsets, WindowSizes and WindowStrides.
func (d *Desc) window(a Axis, lo, n int) {
	offset, size, stride := a.Window(int64(lo), int64(n))
	d.WindowOffsets = append(d.WindowOffsets, int(offset))
	d.WindowSizes = append(d.WindowSizes, int(size))
	d.WindowStrides = append(d.WindowStrides, int(stride))
}

// MemoryStrides returns t's memory strides in elements, one per axis: t.Strides itself or, if that
// is nil, a new list of the strides of a packed row-major tensor. It returns nil if t has none:
// [TensorDesc.MinSize] says why, unless a packed stride overflows int, which only 32 bits allow.
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
