package main

import (
	"fmt"
	"slices"
)

// typeName returns the name of the element type for messages and saved jobs. In place of control
// characters, which names of fields may have, it has spaces.
func (a *array) typeName() string { return oneLine(a.TypeName()) }

// maxRank is the largest number of axes of a descriptor.
const maxRank = 8

// elementSize returns the bytes of an element.
func (a *array) elementSize() int64 { return int64(a.Type.Size()) * int64(max(a.Inner, 1)) }

// wide returns the extents and memory strides of elements of a's type as those of the parts of these
// elements, which are a last axis. Nil strides stay nil.
func (a *array) wide(sizes, strides []int) (_, _ []int) {
	sizes = append(slices.Clone(sizes), a.Inner)
	if strides == nil {
		return sizes, nil
	}
	wide := make([]int, 0, len(sizes))
	for _, stride := range strides {
		wide = append(wide, stride*a.Inner)
	}
	return sizes, append(wide, 1)
}

// widen adds a last axis to the descriptor, that of the parts of an element, if an element has
// several. It is an error if the descriptor then has more than maxRank axes.
func (s *slice) widen() error {
	d, n := s.desc, s.in.Inner
	switch {
	case s.empty || n <= 1:
		return nil
	case len(d.Input.Sizes) == maxRank:
		return fmt.Errorf("%s: %s of rank %d, of which at most %d are sliced", s.in.name, s.in.typeName(), maxRank, maxRank-1)
	}
	d.Input.Sizes, d.Input.Strides = s.in.wide(d.Input.Sizes, d.Input.Strides)
	d.Output.Sizes = append(slices.Clone(d.Output.Sizes), n)
	d.WindowOffsets = append(slices.Clone(d.WindowOffsets), 0)
	d.WindowSizes = append(slices.Clone(d.WindowSizes), n)
	d.WindowStrides = append(slices.Clone(d.WindowStrides), 1)
	return nil
}
