package slice1

import "slices"

// Compose returns one descriptor that does what a does and then what b does to a's output, with the
// smallest windows. b's input must be a's output or its first elements. It needs a's rank (ErrRank)
// and data type (ErrDataType), extents that are at most a's (ErrSize), and a's memory strides on
// axes of two elements or more (ErrStride). The Field of the [*DescError] begins with "a." or "b.".
func Compose(a, b *Desc) (*Desc, error) {
	var inputA, outputA, inputB, outputB layout
	if err := a.validate(&inputA, &outputA); err != nil {
		return nil, within("a.", err)
	}
	if err := b.validate(&inputB, &outputB); err != nil {
		return nil, within("b.", err)
	}
	if len(b.Input.Sizes) != len(a.Output.Sizes) {
		return nil, rankError("b.Input.Sizes", len(b.Input.Sizes), "a.Output.Sizes", len(a.Output.Sizes))
	}
	if b.Input.DataType != a.Output.DataType {
		got, want := b.Input.DataType, a.Output.DataType
		return nil, refused(ErrDataType, "b.Input.DataType", -1, int64(got), int64(want), " is %v, a.Output's is %v", got, want)
	}
	for i, n := range b.Input.Sizes {
		if n > a.Output.Sizes[i] {
			return nil, refused(ErrSize, "b.Input.Sizes", i, n, a.Output.Sizes[i], " is %d, must be at most %d, a.Output's", n, a.Output.Sizes[i])
		}
	}
	for i, n := range b.Input.Sizes {
		if n > 1 && inputB.strides[i] != outputA.strides[i] {
			got, want := inputB.strides[i], outputA.strides[i]
			return nil, refused(ErrStride, "b.Input.Strides", i, got, want, " is %d, a.Output's is %d", got, want)
		}
	}
	c := &Desc{Input: a.Input.clone(), Output: b.Output.clone()}
	for i, n := range b.Output.Sizes {
		// first does not overflow, because it is an element of a's window. The product of the
		// strides may overflow if n is 1, but then window does not use it.
		step := int64(a.WindowStrides[i])
		first := int64(a.first(i)) + step*int64(b.first(i))
		c.window(Axis{Start: first, Step: step * int64(b.WindowStrides[i])}, 0, n)
	}
	return c, nil
}

func (t TensorDesc) clone() TensorDesc {
	t.Sizes, t.Strides = slices.Clone(t.Sizes), slices.Clone(t.Strides)
	return t
}
