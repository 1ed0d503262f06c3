package main

import (
	"fmt"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

// header returns the header of an .npy file of the given shape with a's type.
func (a *array) header(shape []int) npy.Header {
	return npy.Header{Type: a.dtype, Descr: a.descr, Inner: a.inner, UTF8: a.utf8, BigEndian: a.bigEndian, Shape: shape}
}

// typeName returns the name of the element type for messages, without the control characters
// that names of fields may have.
func (a *array) typeName() string { return oneLine(a.header(nil).TypeName()) }

// maxRank bounds the axes of what is sliced.
const maxRank = 8

// elementSize returns the bytes of an element.
func (a *array) elementSize() int64 { return int64(a.dtype.Size()) * int64(max(a.inner, 1)) }

// wide returns t, a tensor of a's elements, as a tensor of their parts: if an element has
// several, they are a further axis.
func (a *array) wide(t *savedTensor) *savedTensor {
	if a.inner <= 1 {
		return t
	}
	w := &savedTensor{DataType: a.dtype.String(), Sizes: append(slices.Clone(t.Sizes), a.inner)}
	for _, stride := range t.Strides {
		w.Strides = append(w.Strides, stride*a.inner)
	}
	if w.Strides != nil {
		w.Strides = append(w.Strides, 1)
	}
	return w
}

// widen adds the axis of an element's parts to the descriptor if an element has several.
func (s *slice) widen() error {
	d, n := s.desc, s.in.inner
	switch {
	case s.empty || n <= 1:
		return nil
	case len(d.Input.Sizes) == maxRank:
		return fmt.Errorf("%s: %s of rank %d, of which at most %d are sliced", s.in.name, s.in.typeName(), maxRank, maxRank-1)
	}
	in := s.in.wide(&savedTensor{Sizes: d.Input.Sizes, Strides: d.Input.Strides})
	d.Input.Sizes, d.Input.Strides = in.Sizes, in.Strides
	d.Output.Sizes = append(slices.Clone(d.Output.Sizes), n)
	d.WindowOffsets = append(slices.Clone(d.WindowOffsets), 0)
	d.WindowSizes = append(slices.Clone(d.WindowSizes), n)
	d.WindowStrides = append(slices.Clone(d.WindowStrides), 1)
	return nil
}
