package slice1

import "slices"

// FromONNX returns the window of an ONNX Slice, operator set 13. Entry i of all lists is about axis
// axes[i], and axis -1 is the last. Nil axes are the first axes, nil steps are 1, and nil starts
// and ends take the whole array. A nil shape is the shape of a scalar. Starts and ends are clamped
// by ONNX's rules: unlike in Python, a start before the axis with a negative step is element 0.
// Errors have the Field "starts", "ends", "axes", "steps" or "Sizes". They are ErrRank for lists of
// unequal lengths and for an axis that is out of range or named twice, ErrStride for a step of 0,
// ErrSize for a negative extent, and ErrEmpty for a result without elements. With ErrEmpty the
// window is complete.
func FromONNX(shape []int, starts, ends, axes, steps []int64) (Window, error) {
	if err := checkExtents(shape, 0); err != nil {
		return Window{}, err
	}
	rank := int64(len(shape))
	count := int64(len(starts))
	switch {
	case len(ends) != len(starts):
		return Window{}, &DescError{"ends", -1, int64(len(ends)), count, ErrRank}
	case axes == nil && count > rank:
		return Window{}, &DescError{"starts", -1, count, rank, ErrRank}
	case axes != nil && len(axes) != len(starts):
		return Window{}, &DescError{"axes", -1, int64(len(axes)), count, ErrRank}
	case steps != nil && len(steps) != len(starts):
		return Window{}, &DescError{"steps", -1, int64(len(steps)), count, ErrRank}
	}

	w := wholeWindow(shape)
	var named [maxRank]bool
	for i, start := range starts {
		axis, step := int64(i), int64(1)
		if axes != nil {
			axis = axes[i]
			if axis < -rank || axis >= rank {
				return Window{}, &DescError{"axes", i, axis, min(max(axis, -rank), rank-1), ErrRank}
			}
			if axis < 0 {
				axis += rank
			}
			if named[axis] {
				free := slices.Index(named[:rank], false)
				return Window{}, &DescError{"axes", i, axes[i], int64(free), errAxisTwice}
			}
			named[axis] = true
		}
		if steps != nil {
			step = steps[i]
			if step == 0 {
				return Window{}, &DescError{"steps", i, 0, 1, ErrStride}
			}
		}
		n := int64(shape[axis])
		// Example: start -9, step -1, extent 4. Python takes nothing; ONNX starts at element 0.
		w.set(int(axis), n, max(start, -n), ends[i], step)
	}
	return w, w.checkEmpty()
}
