package main

import (
	"math"
	"slices"
)

// permute reorders the axes of the result as -axes says, like NumPy's transpose. channels is the
// axis of s's shape, before -axes, along which the values of a conversion go, or -1. permute sets
// the axis of the conversion to where that axis comes to lie. With -axes or converted numbers, a
// -desc with output strides is a usage error.
func (j *job) permute(s *slice, channels int) error {
	if j.axes == "" && s.affine == nil {
		return nil
	}
	along := -1 // the axis of the descriptor that channels stands for
	if channels >= 0 && !s.empty {
		along = s.long()[len(withoutOnes(s.shape[:channels]))]
	}
	if !s.empty && (s.desc.Output.Strides != nil || s.desc.Output.TotalSize != 0 && s.affine != nil) {
		return usagef("-axes is not for %s, which says where its output lies, nor is -to of a type", j.desc)
	}
	if j.axes != "" {
		axes, err := parseAxes(j.axes, len(s.shape))
		if err != nil {
			return err
		}
		order, shape := s.order(axes), make([]int, len(axes))
		for i, axis := range axes {
			shape[i] = s.shape[axis]
		}
		if s.shape = shape; !s.empty {
			if s.desc, err = s.desc.Permute(order...); err != nil {
				return err
			}
			along = slices.Index(order, along)
		}
	}
	if s.affine != nil {
		s.affine.Axis = along
	}
	return nil
}

// long returns the axes of the descriptor with extents other than 1.
func (s *slice) long() (axes []int) {
	for axis, n := range s.desc.Output.Sizes {
		if n != 1 {
			axes = append(axes, axis)
		}
	}
	return axes
}

// order returns the order of the descriptor's axes that gives the result's axes the order in axes.
// The descriptor may have more or fewer axes of extent 1 than the result. Their places do not
// matter. In the returned order they come first. If the descriptor's last axis counts the parts of
// an element, it comes last.
func (s *slice) order(axes []int) (order []int) {
	long := s.long()
	for axis, n := range s.desc.Output.Sizes {
		if n == 1 {
			order = append(order, axis)
		}
	}
	longBefore := func(axis int) int { return len(withoutOnes(s.shape[:axis])) }
	for _, axis := range axes {
		if s.shape[axis] != 1 {
			order = append(order, long[longBefore(axis)])
		}
	}
	return append(order, long[longBefore(len(s.shape)):]...)
}

// withoutOnes returns the extents of a shape that are not 1.
func withoutOnes(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n == 1 })
}

// parseAxes reads a permutation of as many axes as rank says. Negative axes count from the end.
func parseAxes(text string, rank int) ([]int, error) {
	axes, err := integers("-axes", text, math.MinInt)
	if err != nil {
		return nil, err
	}
	for i, n := range axes {
		if n < 0 {
			axes[i] += rank
		}
		switch {
		case n < -rank || n >= rank:
			return nil, usagef("-axes %s: %d is no axis of a result of rank %d", text, n, rank)
		case slices.Contains(axes[:i], axes[i]):
			return nil, usagef("-axes %s: axis %d may come only once", text, n)
		}
	}
	if len(axes) != rank {
		return nil, usagef("-axes %s: %d axes, but the result has rank %d", text, len(axes), rank)
	}
	return axes, nil
}
