package slice1

import "slices"

// Permute returns d with its axes in another order: axis i of the result is d's axis axes[i]. For
// example, d.Permute(0, 3, 1, 2) makes NCHW of NHWC. The input keeps its place in memory, so the
// result always has Input.Strides. The output is packed in the new order. The errors are the same
// as Validate's, and also ErrRank if axes is no permutation, ErrStride if d.Output.Strides is not
// nil, and ErrOverflow if a stride of a packed input overflows int.
func (d *Desc) Permute(axes ...int) (*Desc, error) {
	var input, output layout
	if err := d.validate(&input, &output, 0); err != nil {
		return nil, err
	}
	rank := len(d.Input.Sizes)
	if len(axes) != rank {
		return nil, rankError("axes", len(axes), "Input.Sizes", rank)
	}
	if d.Output.Strides != nil {
		return nil, refused(ErrStride, "Output.Strides", -1, rank, 0, " has %s, must be nil; the result's may be set", plural(int64(rank), "entry"))
	}
	p := &Desc{Input: d.Input, Output: d.Output}
	p.Input.Sizes, p.Output.Sizes = nil, nil
	p.Input.Strides = make([]int, 0, rank)
	for i, axis := range axes {
		if axis < 0 || axis >= rank {
			return nil, axisError("axes", i, axis, 0, rank-1)
		}
		if slices.Contains(axes[:i], axis) {
			return nil, axisTwice("axes", i, axis, unnamed(axes[:i]))
		}
		if err := intBounded("Input.Strides", axis, input.strides[axis]); err != nil {
			return nil, err
		}
		p.Input.Sizes = append(p.Input.Sizes, d.Input.Sizes[axis])
		p.Input.Strides = append(p.Input.Strides, int(input.strides[axis]))
		p.Output.Sizes = append(p.Output.Sizes, d.Output.Sizes[axis])
		p.WindowOffsets = append(p.WindowOffsets, d.WindowOffsets[axis])
		p.WindowSizes = append(p.WindowSizes, d.WindowSizes[axis])
		p.WindowStrides = append(p.WindowStrides, d.WindowStrides[axis])
	}
	return p, nil
}

// unnamed returns the lowest axis that is not in a list.
func unnamed(axes []int) (axis int) {
	for slices.Contains(axes, axis) {
		axis++
	}
	return axis
}
