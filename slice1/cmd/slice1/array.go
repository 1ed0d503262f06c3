package main

import (
	"fmt"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// array is an input: a header, and elements in a file, in memory or in a pipe. They begin at byte
// Offset of the source. Size is their bytes in the source, including gaps.
type array struct {
	*source
	npy.Header
	strides   []int    // of pixels, in elements; nil: those of the Header
	raw       bool     // elements without a header
	open      bool     // the first extent of a pipe is unknown; Shape has the largest possible one instead
	data      []byte   // the elements if they are in memory, else nil
	video     *video   // makes the elements, which are pixels, from the source's bytes; nil: they are the source's bytes
	maxSample int      // the largest sample of a PGM or PPM; 0 for other inputs
	picture   bool     // it was decoded, so the strides are not the file's
	notes     []string // for standard error
}

// ReadAt implements io.ReaderAt for the elements: offset 0 is the first one. Its errors name the
// input.
func (a *array) ReadAt(b []byte, at int64) (n int, err error) {
	if a.video != nil {
		n, err = a.video.ReadAt(b, at)
	} else {
		n, err = a.source.ReadAt(b, a.Offset+at)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", a.name, err)
	}
	return n, err
}

func (a *array) note(format string, args ...any) {
	a.notes = append(a.notes, a.name+": "+fmt.Sprintf(format, args...))
}

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

// sizeOf returns the bytes of elements of a shape, of size bytes each, or -1 if they are more than
// maxAlloc.
func sizeOf(size int64, shape []int) int64 {
	for _, extent := range shape {
		if extent > 0 && size > maxAlloc/int64(extent) {
			return -1
		}
		size *= int64(extent)
	}
	return size
}

// bytesOf returns the bytes that elements of the array's type take in a shape, or -1 if they are
// more than maxAlloc.
func (a *array) bytesOf(shape []int) int64 { return sizeOf(a.elementSize(), shape) }

// memory returns the bytes that the elements of an input of a shape take where they lie, or -1 if
// they are more than maxAlloc. A pixel of a video takes 4 bytes.
func (a *array) memory(shape []int) int64 {
	n := a.bytesOf(shape)
	switch {
	case a.video == nil:
		return n
	case n < 0 || n > maxAlloc/4*3:
		return -1
	}
	return n / 3 * 4
}

func product(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

func (a *array) tooLarge() error {
	return fmt.Errorf("%v of %s is too large", brackets(a.Shape), a.typeName())
}

// lie makes size bytes of the source, from offset on, the elements of the array.
func (a *array) lie(offset, size int64) {
	a.Offset, a.Size = offset, size
	if a.bytes != nil && a.video == nil {
		a.data = a.bytes[offset : offset+size]
	}
}

// rowBytes returns the bytes of a row. A row is one position of the first axis, with all positions
// of the others.
func (a *array) rowBytes() int64 { return a.Size / int64(a.Shape[0]) }

// largest returns the largest sample that there may be in an array of integers.
func (a *array) largest() float64 {
	if a.maxSample != 0 {
		return float64(a.maxSample)
	}
	_, largest, _ := bounds(a.Type)
	return largest
}
