package slice1

import (
	"math"
	"slices"
)

// Permute returns d with its axes in another order: axis i of the result is d's axis axes[i]. The
// input stays where it is, and the result has its strides in full. The output is packed in the new
// order. The errors are the same as Validate's, and also ErrRank if axes is no permutation,
// ErrStride if d.Output.Strides is not nil, and ErrOverflow if a stride of a packed input overflows
// int.
func (d *Desc) Permute(axes ...int) (*Desc, error) {
	var in, out layout
	if err := d.validate(&in, &out); err != nil {
		return nil, err
	}
	rank := len(d.Input.Sizes)
	if len(axes) != rank {
		return nil, rankError("axes", len(axes), rank)
	}
	if d.Output.Strides != nil {
		return nil, &DescError{"Output.Strides", -1, int64(rank), 0,
			saying(ErrStride, "Output.Strides is set, must be nil; the result's may be set")}
	}
	p := &Desc{Input: d.Input, Output: d.Output}
	p.Input.Sizes, p.Output.Sizes = nil, nil
	p.Input.Strides = make([]int, 0, rank)
	for i, axis := range axes {
		if axis < 0 || axis >= rank {
			return nil, &DescError{"axes", i, int64(axis), int64(min(max(axis, 0), rank-1)), ErrRank}
		}
		if slices.Contains(axes[:i], axis) {
			return nil, &DescError{"axes", i, int64(axis), int64(unnamed(axes[:i])), errAxisTwice}
		}
		if in.strides[axis] > math.MaxInt {
			return nil, &DescError{"Input.Strides", axis, in.strides[axis], math.MaxInt, ErrOverflow}
		}
		p.Input.Sizes = append(p.Input.Sizes, d.Input.Sizes[axis])
		p.Input.Strides = append(p.Input.Strides, int(in.strides[axis]))
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
