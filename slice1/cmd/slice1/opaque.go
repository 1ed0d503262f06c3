package main

import (
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// typeName returns the name of the element type for messages and saved jobs. In place of control
// characters, which names of fields may have, it has spaces.
func (a *array) typeName() string {
	if a.Type == slice1.BFloat16 {
		return a.Type.String()
	}
	return oneLine(a.TypeName())
}

// maxRank returns the most axes of an array of this type. A descriptor has 8 axes. Elements of
// several parts take one of them.
func (a *array) maxRank() int {
	if a.Inner > 1 {
		return 7
	}
	return 8
}

// elementSize returns the bytes of an element.
func (a *array) elementSize() int64 { return int64(a.Type.Size()) * int64(max(a.Inner, 1)) }

// tensor returns the array, which has elements, as a tensor. If elements have several parts, the
// parts are the last axis.
func (a *array) tensor() slice1.TensorDesc {
	t, _ := a.Desc() // the extents were checked
	if a.strides != nil {
		t.Strides = slices.Clone(a.strides)
	}
	return t
}
