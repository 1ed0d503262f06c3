package slice1

import (
	"math"
	"slices"
)

// FromONNX returns the window of an ONNX Slice, operator set 13. Entry i of all lists is about axis
// axes[i], and axis -1 is the last. Nil axes are the first axes, nil steps are 1, and nil starts
// and ends take the whole array. A nil shape is the shape of a scalar. Starts and ends are clamped
// by ONNX's rules: unlike in Python, a start before the axis with a negative step is element 0.
//
// ONNX Runtime departs from these rules: with a negative step it reads an end of exactly 2^31-1 or
// 2^63-1 as "through element 0". By ONNX's text such an end takes nothing, and here it is ErrEmpty.
// For what the runtime takes, write math.MinInt64 in its place:
//
//	FromONNX([]int{5}, []int64{-1}, []int64{math.MinInt64}, nil, []int64{-1}) // all, reversed
//
// Errors have the Field "starts", "ends", "axes", "steps" or "shape". They are ErrRank for lists of
// unequal lengths and for an axis that is out of range or named twice, ErrStride for a step of 0,
// ErrSize for a negative extent, and ErrEmpty for a result without elements. With ErrEmpty the
// window is complete.
func FromONNX(shape []int, starts, ends, axes, steps []int64) (Window, error) {
	if err := checkExtents(shape, 0); err != nil {
		return Window{}, err
	}
	if err := checkONNX(len(shape), starts, ends, axes, steps); err != nil {
		return Window{}, err
	}
	rank := int64(len(shape))
	w := wholeWindow(shape)
	var named [maxRank]bool
	for i, start := range starts {
		axis, step := int64(i), int64(1)
		if axes != nil {
			axis = axes[i]
			if axis < -rank || axis >= rank {
				return Window{}, axisError("axes", i, axis, -rank, rank-1)
			}
			if axis < 0 {
				axis += rank
			}
			if named[axis] {
				return Window{}, axisTwice("axes", i, axes[i], int64(slices.Index(named[:rank], false)))
			}
			named[axis] = true
		}
		if steps != nil {
			step = steps[i]
			if step == 0 {
				return Window{}, strideError("steps", i)
			}
		}
		n := int64(shape[axis])
		// Example: start -9, step -1, extent 4. Python takes nothing; ONNX starts at element 0.
		w.set(int(axis), n, max(start, -n), ends[i], step)
	}
	return w, explainEmpty(w.checkEmpty(), shape, ends, axes, steps)
}

// checkONNX returns an error if the lists do not have a length that suits a shape of this rank.
func checkONNX(rank int, starts, ends, axes, steps []int64) error {
	switch {
	case len(ends) != len(starts):
		return rankError("ends", len(ends), "starts", len(starts))
	case axes == nil && len(starts) > rank:
		return rankError("starts", len(starts), "shape", rank)
	case axes != nil && len(axes) != len(starts):
		return rankError("axes", len(axes), "starts", len(starts))
	case steps != nil && len(steps) != len(starts):
		return rankError("steps", len(steps), "starts", len(starts))
	}
	return nil
}

// explainEmpty returns err, and says of an axis that is empty by ONNX alone what ONNX Runtime
// takes.
func explainEmpty(err error, shape []int, ends, axes, steps []int64) error {
	empty, ok := err.(*DescError)
	if !ok {
		return err
	}
	rank := int64(len(shape))
	for i, end := range ends {
		axis := i
		if axes != nil {
			axis = int((axes[i] + rank) % rank)
		}
		if axis == empty.Axis && steps != nil && steps[i] < 0 && shape[axis] > 0 && (end == math.MaxInt32 || end == math.MaxInt64) {
			empty.Err = saying(ErrEmpty, "axis %d: nothing selected by ends[%d] of %d and a negative step; ONNX Runtime goes through element 0, as an end of math.MinInt64 does", axis, i, end)
		}
	}
	return err
}
