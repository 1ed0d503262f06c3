package slice1

import "slices"

// FromONNX returns the window of an ONNX Slice, operator set 13, on an array of
// the given shape, extents in elements and outermost first.
//
// Entry i of all lists is about axis axes[i]; -1 is the last axis, -2 the one
// before it. axes may be nil for the first len(starts) axes, steps may be nil
// for steps of 1; axes that are not named are taken whole. To a negative start or
// end the extent is added once. Then starts and ends are clamped: to [0, extent]
// for a positive step; for a negative step, starts to [0, extent-1] and ends to
// [-1, extent-1]. Every int64 is allowed as a start, an end and, but for 0, a
// step. Unlike in Python, a start before the axis with a negative step is
// element 0.
//
// The window has one entry for each of the 0 to 8 axes of shape, all in
// elements, and shares no memory with the arguments. Its Out is the shape of
// the result.
//
// Errors are a [*DescError] whose Field is the list, "starts", "ends", "axes"
// or "steps", and whose Axis is the position in it, or -1 where the length is
// wrong: [ErrRank] for lists of unequal lengths, for more starts than axes of
// shape, for an axis out of range (Limit is the nearest in range) and for an axis
// named twice (Limit is the first axis not named before, or -1 if all are),
// [ErrStride] for a step of 0. A shape with a
// negative extent or of more than 8 axes is an error about "Sizes" with
// [ErrSize] or [ErrRank]. With these errors the window is zero. A result
// without elements is an error about "Out" with [ErrEmpty]; the window is then
// still complete, with the extent 0 in Out.
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

	w := newWindow(len(shape))
	for axis, n := range shape {
		w.set(axis, int64(n), 0, int64(n), 1)
	}
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
		// If start lies before element 0 and the step is negative, Python takes nothing; ONNX
		// starts at element 0.
		w.set(int(axis), n, max(start, -n), ends[i], step)
	}
	return w, w.checkEmpty()
}
