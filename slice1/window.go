package slice1

// Window is what a front end makes of a slice: a window for each axis of the
// input and the extents it yields. All four have the input's rank.
type Window struct {
	Offsets, Sizes, Strides, Out []int
}

// NewDesc returns the descriptor that applies w to a packed row-major input of
// the given type and shape, giving a packed row-major output. A shape of no
// axes, a scalar, becomes one axis of extent 1, since SLICE1 has no rank 0.
// The descriptor shares memory with shape and w.
func NewDesc(t DataType, shape []int, w Window) *Desc {
	if len(shape) == 0 && len(w.Out) == 0 {
		one := []int{1}
		shape, w = one, Window{[]int{0}, one, one, one}
	}
	return &Desc{
		Input:         TensorDesc{DataType: t, Sizes: shape},
		Output:        TensorDesc{DataType: t, Sizes: w.Out},
		WindowOffsets: w.Offsets,
		WindowSizes:   w.Sizes,
		WindowStrides: w.Strides,
	}
}
