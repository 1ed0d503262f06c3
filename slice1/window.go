package slice1

import (
	"math"
	"slices"
)

// Window is a slice of an array. For each axis of the input it has the offset, size and stride of
// the window, and the output extent, Out, that these yield. All four lists have one entry per axis.
// Nil lists, like the zero Window's, are the window of a scalar.
type Window struct {
	Offsets, Sizes, Strides, Out []int
}

// Crop returns the window of the given sizes that begins at offsets, with strides of 1. Nil offsets
// are zeros, and nil sizes take all that is left. A nil shape is the shape of a scalar. The errors
// are ErrRank for more than 8 axes and for lists whose length is not shape's, ErrWindow for a
// window that is empty or leaves the array, and ErrSize for an extent below 1.
func Crop(shape, offsets, sizes []int) (Window, error) {
	if err := checkExtents(shape, 1); err != nil {
		return Window{}, err
	}
	rank := len(shape)
	if offsets != nil && len(offsets) != rank {
		return Window{}, rankError("offsets", len(offsets), "shape", rank)
	}
	if sizes != nil && len(sizes) != rank {
		return Window{}, rankError("sizes", len(sizes), "shape", rank)
	}
	w := wholeWindow(shape)
	copy(w.Offsets, offsets)
	for i, n := range shape {
		offset := w.Offsets[i]
		if err := bounded(ErrWindow, "offsets", i, offset, 0, n-1, leavesInput); err != nil {
			return Window{}, err
		}
		size := n - offset
		if sizes != nil {
			size = sizes[i]
		}
		if err := bounded(ErrWindow, "sizes", i, size, 1, n-offset, leavesInput); err != nil {
			return Window{}, err
		}
		w.Sizes[i], w.Out[i] = size, size
	}
	return w, nil
}

// wholeWindow returns the window of a whole array.
func wholeWindow(shape []int) Window {
	rank := len(shape)
	return Window{make([]int, rank), append([]int{}, shape...), slices.Repeat([]int{1}, rank), append([]int{}, shape...)}
}

// checkExtents returns an error if shape has too many axes or an extent below lowest.
func checkExtents(shape []int, lowest int) error {
	if err := checkCount("shape", len(shape), 0); err != nil {
		return err
	}
	for axis, n := range shape {
		if err := bounded(ErrSize, "shape", axis, n, lowest, math.MaxInt, ""); err != nil {
			return err
		}
	}
	return nil
}

// set sets one axis of w to the elements of Python's slice(start, stop, step).indices(n), where n
// is the axis's extent. If there are no such elements, its size and its output extent become 0.
// step must not be 0, and n must not be negative; start and stop may be anything.
func (w Window) set(axis int, n, start, stop, step int64) {
	lo, hi := int64(0), n
	if step < 0 {
		lo, hi = -1, n-1
	}
	if start < 0 {
		start += n
	}
	if stop < 0 {
		stop += n
	}
	begin, end := min(max(start, lo), hi), min(max(stop, lo), hi)
	if step < 0 {
		begin, end = end+1, begin+1
	}
	// On 32 bits a step beyond int takes at most one element, and so does the nearest int.
	stride, size := int(min(max(step, math.MinInt), math.MaxInt)), int(max(0, end-begin))
	w.Offsets[axis], w.Sizes[axis], w.Strides[axis], w.Out[axis] = int(begin), size, stride, 0
	if size > 0 {
		w.Out[axis] = 1 + int(uint64(size-1)/magnitude(stride))
	}
}

// checkEmpty returns ErrEmpty, with the first axis on which w.Out is 0, if there is such an axis.
func (w Window) checkEmpty() error {
	for axis, n := range w.Out {
		if n == 0 {
			return &DescError{"Out", axis, 0, 1, saying(ErrEmpty, "axis %d: nothing selected", axis)}
		}
	}
	return nil
}

// Step returns w with other strides and the output extents that these yield. The result shares
// Offsets and Sizes with w. The errors are ErrRank unless there is one stride per axis, ErrStride
// for a stride of 0, and ErrWindow for an empty window.
func (w Window) Step(strides ...int) (Window, error) {
	if len(strides) != len(w.Sizes) {
		return Window{}, rankError("strides", len(strides), "Sizes", len(w.Sizes))
	}
	s := Window{w.Offsets, w.Sizes, make([]int, len(strides)), make([]int, len(strides))}
	for i, stride := range strides {
		size := w.Sizes[i]
		if stride == 0 {
			return Window{}, strideError("strides", i)
		}
		if err := bounded(ErrWindow, "Sizes", i, size, 1, math.MaxInt, leavesInput); err != nil {
			return Window{}, err
		}
		s.Strides[i], s.Out[i] = stride, 1+int(uint64(size-1)/magnitude(stride))
	}
	return s, nil
}

// Of returns the descriptor that applies w to t and gives a packed row-major output. t may have any
// memory strides. A scalar, with no axes, becomes one axis of extent 1, and t may have that axis.
// The descriptor shares memory with t and w, and Of does not validate it.
func (w Window) Of(t TensorDesc) *Desc {
	if len(w.Out) == 0 && (len(t.Sizes) == 0 || slices.Equal(t.Sizes, []int{1})) {
		scalar := []int{1}
		t.Sizes, t.Strides, w = scalar, nil, Window{[]int{0}, scalar, scalar, scalar}
	}
	return &Desc{
		Input:         t,
		Output:        TensorDesc{DataType: t.DataType, Sizes: w.Out},
		WindowOffsets: w.Offsets,
		WindowSizes:   w.Sizes,
		WindowStrides: w.Strides,
	}
}

// NewDesc is w.Of(TensorDesc{DataType: t, Sizes: shape}), for a packed input.
func NewDesc(t DataType, shape []int, w Window) *Desc {
	return w.Of(TensorDesc{DataType: t, Sizes: shape})
}

// Whole returns the descriptor that copies a packed row-major array. Use it as the start for
// Permute or for output strides. A scalar, with no axes, becomes one axis of extent 1.
func Whole(t DataType, shape ...int) *Desc {
	return NewDesc(t, slices.Clone(shape), wholeWindow(shape))
}
