package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// maxAlloc is the most bytes of an allocation or a result.
const maxAlloc = min(math.MaxInt, 1<<46)

// maxOpen is the most bytes of elements of a pipe of unknown length. A stream of 10 GB/s takes most
// of a year for that.
const maxOpen = min(math.MaxInt, 1<<58)

// job is what the command line asks for.
type job struct {
	index, desc           string // what to take; desc may replace index
	in, raw, shape        string
	out, outMember, to    string
	format                string // of OUT; "" if none is written
	numbers                      // of the result
	kernel                string
	orient                int    // EXIF orientation of a picture, 1 to 8; 0: its file's
	axes                  string // the order of the result's axes; "": as they are
	quality               int    // of a JPEG output in percent; 0: the default
	skip                  int64  // bytes before raw elements
	gpu                   bool
	adapter               int // with gpu: the adapter's index; -1: the first hardware adapter that can be opened
	workers               int // goroutines; 0: as many as goroutines says
	force, verbose, quiet bool
	json                  bool   // explain as JSON
	part, parts           int    // of -part i/n: i, from 1 on, and n; both 0 without -part
	flows                 bool   // the output's format and the flags allow pipes to be sliced while they are read
	unknown               bool   // flows, and they allow that even if the number of rows is unknown
	text                  []byte // of the file of -desc, once it is read
	stdin                 io.Reader
	stdout, stderr        io.Writer
	bar                   *meter // nil: no progress is shown
}

// slice is what a job takes of an input.
type slice struct {
	in     *array
	out    *array // the result's elements: in or, if numbers are converted, only a header
	desc   *slice1.Desc
	shape  []int          // of the result: desc.Output.Sizes without the axes that an integer index drops and without the parts of elements, with the axes that None adds
	empty  bool           // the result has no elements; desc is then invalid
	affine *slice1.Affine // converts numbers to desc.Output.DataType; nil: elements are moved
}

// header returns what stands before the elements in a format: nothing in raw.
func (s *slice) header(format string) []byte {
	switch format {
	case "raw":
		return nil
	case "pnm":
		return s.pnmHeader()
	}
	h := s.out.Header
	h.Shape = s.shape
	header, err := npy.AppendHeader(nil, h)
	if err != nil {
		panic(err) // an output has a type of .npy, and fewer elements than its input
	}
	return header
}

// size returns the bytes of the result's elements, or -1 if they are more than maxAlloc.
func (s *slice) size() int64 {
	if s.empty {
		return 0
	}
	return s.out.bytesOf(s.shape)
}

func (j *job) note(text string) { fmt.Fprintf(j.stderr, "slice1: note: %s\n", oneLine(text)) }

// tooLarge returns the error of a result that is too large.
func (s *slice) tooLarge() error {
	return fmt.Errorf("%v of %v is too large", brackets(s.shape), s.out.typeName())
}

// strided reports whether the output is more than its elements in row-major order: its strides
// leave gaps or have another order, or its TotalSize is larger.
func (s *slice) strided() bool {
	if s.empty {
		return false
	}
	out := s.desc.Output
	packed := slice1.TensorDesc{DataType: out.DataType, Sizes: out.Sizes}
	return !slices.Equal(layout(out), layout(packed)) || out.TotalSize > max(s.size(), 0)
}

// layout returns the memory stride and the extent of each axis that is longer than 1.
func layout(t slice1.TensorDesc) (axes [][2]int) {
	for axis, stride := range t.MemoryStrides() {
		if t.Sizes[axis] > 1 {
			axes = append(axes, [2]int{stride, t.Sizes[axis]})
		}
	}
	return axes
}
