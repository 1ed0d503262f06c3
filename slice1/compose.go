package slice1

// Compose returns one descriptor that does what `first` does and then what `second` does to the
// output of `first`, with the smallest windows. The input of `second` must be that output or its
// first elements. It needs the output's rank (ErrRank) and data type (ErrDataType), extents that
// are at most the output's (ErrSize), and the output's memory strides on axes of two elements or
// more (ErrStride). The Field of the [*DescError] begins with "first." or "second.".
func Compose(first, second *Desc) (*Desc, error) {
	var firstInput, firstOutput, secondInput, secondOutput layout
	if err := first.validate(&firstInput, &firstOutput, 0); err != nil {
		return nil, addPrefix("first.", err)
	}
	if err := second.validate(&secondInput, &secondOutput, 0); err != nil {
		return nil, addPrefix("second.", err)
	}
	if len(second.Input.Sizes) != len(first.Output.Sizes) {
		return nil, rankError("second.Input.Sizes", len(second.Input.Sizes), "first.Output.Sizes", len(first.Output.Sizes))
	}
	if second.Input.DataType != first.Output.DataType {
		got, want := second.Input.DataType, first.Output.DataType
		return nil, refused(ErrDataType, "second.Input.DataType", -1, int64(got), int64(want), " is %v, first.Output's is %v", got, want)
	}
	for i, n := range second.Input.Sizes {
		if n > first.Output.Sizes[i] {
			return nil, refused(ErrSize, "second.Input.Sizes", i, n, first.Output.Sizes[i], " is %d, must be at most %d, first.Output's", n, first.Output.Sizes[i])
		}
	}
	for i, n := range second.Input.Sizes {
		if n > 1 && secondInput.strides[i] != firstOutput.strides[i] {
			got, want := secondInput.strides[i], firstOutput.strides[i]
			return nil, refused(ErrStride, "second.Input.Strides", i, got, want, " is %d, first.Output's is %d", got, want)
		}
	}
	c := &Desc{Input: first.Input.clone(), Output: second.Output.clone()}
	for i, n := range second.Output.Sizes {
		// start does not overflow, because it is the index of an input element of first. The
		// product of the strides may overflow if n is 1, but then c.window does not use it.
		step := int64(first.WindowStrides[i])
		start := int64(first.start(i)) + step*int64(second.start(i))
		c.window(Axis{Start: start, Step: step * int64(second.WindowStrides[i])}, 0, n)
	}
	return c, nil
}
