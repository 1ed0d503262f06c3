package slice1

import "slices"

// Window is a slice of an array as ParseIndex, FromONNX and Crop return it: offset, size and
// stride of the window on each axis of the input, and the output extents, Out, that these yield.
// All four fields have one entry for each axis of the input.
type Window struct {
	Offsets, Sizes, Strides, Out []int
}

// Crop returns the window of sizes elements from offsets on, along each axis of an array
// of the given shape, with strides of 1. Nil offsets are zeros, nil sizes all that is left:
// Crop(shape, nil, nil) is the whole array. One channel of pixels is
//
//	green, err := slice1.Crop([]int{height, width, 3}, []int{0, 0, 1}, []int{height, width, 1})
//
// The window shares no memory with the arguments. The error is a [*DescError]. About
// "offsets" or "sizes" it is ErrRank if there are not as many of them as axes, ErrWindow for a
// window that is empty or leaves the array. About "Sizes", the shape, it is ErrRank for more
// than 8 axes, ErrSize for an extent below 1.
func Crop(shape, offsets, sizes []int) (Window, error) {
	if err := checkExtents(shape, 1); err != nil {
		return Window{}, err
	}
	rank := len(shape)
	if offsets != nil && len(offsets) != rank {
		return Window{}, rankError("offsets", len(offsets), rank)
	}
	if sizes != nil && len(sizes) != rank {
		return Window{}, rankError("sizes", len(sizes), rank)
	}
	w := newWindow(rank)
	for i, n := range shape {
		if offsets != nil {
			w.Offsets[i] = offsets[i]
		}
		at := w.Offsets[i]
		if at < 0 || at >= n {
			return Window{}, &DescError{"offsets", i, int64(at), int64(min(max(at, 0), n-1)), ErrWindow}
		}
		size := n - at
		if sizes != nil {
			size = sizes[i]
		}
		if size < 1 || size > n-at {
			return Window{}, &DescError{"sizes", i, int64(size), int64(min(max(size, 1), n-at)), ErrWindow}
		}
		w.Sizes[i], w.Strides[i], w.Out[i] = size, 1, size
	}
	return w, nil
}

// Step returns w with these strides, one for each axis, in place of its own, and with the
// output extents that follow: 1 takes every element of the window, 2 every second, -1 all of
// them from the window's end on. The result shares Offsets and Sizes with w. The error is a
// [*DescError]: ErrRank if there are not as many strides as axes, ErrStride for a stride of 0,
// ErrWindow for a window without elements.
func (w Window) Step(strides ...int) (Window, error) {
	if len(strides) != len(w.Sizes) {
		return Window{}, rankError("strides", len(strides), len(w.Sizes))
	}
	s := Window{w.Offsets, w.Sizes, make([]int, len(strides)), make([]int, len(strides))}
	for i, stride := range strides {
		size := w.Sizes[i]
		if stride == 0 {
			return Window{}, &DescError{"strides", i, 0, 1, ErrStride}
		}
		if size < 1 {
			return Window{}, &DescError{"Sizes", i, int64(size), 1, ErrWindow}
		}
		s.Strides[i], s.Out[i] = stride, 1+int(uint64(size-1)/magnitude(stride))
	}
	return s, nil
}

// Of returns the descriptor that applies w to t and gives a packed row-major output. t may
// have any memory strides. A t and a w of no axes become one axis of extent 1, since SLICE1
// has no rank 0. The descriptor shares memory with t and w. Of does not validate it.
func (w Window) Of(t TensorDesc) *Desc {
	if len(t.Sizes) == 0 && len(w.Out) == 0 {
		one := []int{1}
		t.Sizes, t.Strides, w = one, nil, Window{[]int{0}, one, one, one}
	}
	return &Desc{
		Input:         t,
		Output:        TensorDesc{DataType: t.DataType, Sizes: w.Out},
		WindowOffsets: w.Offsets,
		WindowSizes:   w.Sizes,
		WindowStrides: w.Strides,
	}
}

// NewDesc returns the descriptor that applies w to a packed row-major input of
// the given type and shape, giving a packed row-major output. A shape and a w of
// no axes, a scalar, become one axis of extent 1, since SLICE1 has no rank 0. The
// descriptor shares memory with shape and w. NewDesc does not validate it.
func NewDesc(t DataType, shape []int, w Window) *Desc {
	return w.Of(TensorDesc{DataType: t, Sizes: shape})
}

// Whole returns the descriptor that copies all of a packed row-major array to a packed
// row-major output. It is a beginning for Permute, or for output strides that the caller sets:
//
//	planes, err := slice1.Whole(slice1.Int16, frames, channels).Permute(1, 0)
//
// The descriptor shares no memory with shape. A shape of no axes becomes one of extent 1.
func Whole(t DataType, shape ...int) *Desc {
	w := newWindow(len(shape))
	for i, n := range shape {
		w.Sizes[i], w.Strides[i], w.Out[i] = n, 1, n
	}
	return NewDesc(t, slices.Clone(shape), w)
}
