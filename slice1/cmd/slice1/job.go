package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

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

// numbers says what the numbers of a result become. Lists have one value, or one for each position
// of an axis.
type numbers struct {
	typ                    slice1.DataType // of -to; 0: float32 if any list is set, else the input's
	typName                string          // of typ, as -to has it
	scale, bias, mean, std []float32
	channel                int            // the axis of the index's result, before -axes, along which the lists go
	quantizes              *slice1.Affine // of -quantize or -dequantize, or nil
}

// converts reports whether numbers may be converted.
func (n *numbers) converts() bool { return n.typ != 0 || n.count() > 0 }

// count returns how many values the longest list has.
func (n *numbers) count() int {
	if n.quantizes != nil {
		return 1
	}
	return max(len(n.scale), len(n.bias), len(n.mean), len(n.std))
}

// normalizes reports whether numbers become fractions of the largest sample.
func (n *numbers) normalizes() bool { return n.mean != nil || n.std != nil }

// formats maps the extensions of OUT, without the point and in lower case, and the values of -to
// to output formats.
var formats = map[string]string{
	"npy": "npy", "npz": "npz", "raw": "raw", "bin": "raw", "png": "png",
	"jpg": "jpeg", "jpeg": "jpeg", "pnm": "pnm", "ppm": "pnm", "pgm": "pnm",
}

// holds says in words what each picture format can hold.
var holds = map[string]string{
	"png":  "a PNG holds uint8 or uint16 of shape [height, width] or [height, width, channels] with 1, 3 or 4 channels",
	"jpeg": "a JPEG holds uint8 of shape [height, width] or [height, width, channels] with 1 or 3 channels",
	"pnm":  "a PNM holds uint8 or uint16 of shape [height, width] or [height, width, channels] with 1 or 3 channels",
}

// holdsType reports whether a picture format has samples of a type.
func holdsType(format string, t slice1.DataType) bool {
	return holds[format] != "" && (t == slice1.Uint8 || t == slice1.Uint16 && format != "jpeg")
}

// savedJob is the JSON that -desc reads and -explain -json writes: a descriptor and the shape of
// the result.
type savedJob struct {
	slice1.Desc
	Shape []int // of the result; if it is missing: Output.Sizes
}

func (j *job) note(text string) { fmt.Fprintf(j.stderr, "slice1: note: %s\n", oneLine(text)) }

// slice is what a job takes of an input.
type slice struct {
	in     *array
	out    *array // the result's elements: in or, if numbers are converted, only a header
	desc   *slice1.Desc
	shape  []int          // of the result: desc.Output.Sizes without the axes that an integer index drops and without the parts of elements, with the axes that None adds
	empty  bool           // the result has no elements; desc is then invalid
	affine *slice1.Affine // converts numbers to desc.Output.DataType; nil: elements are moved
}

// size returns the bytes of the result's elements, or -1 if they are more than maxAlloc.
func (s *slice) size() int64 {
	if s.empty {
		return 0
	}
	return s.out.bytesOf(s.shape)
}

// spans returns the length of raw output in bytes: from its first element to its last, or TotalSize
// if it is more.
func (s *slice) spans() int64 {
	if s.empty || s.affine != nil || s.in.open {
		return s.size()
	}
	size, _ := s.desc.Output.MinSize() // the descriptor is valid
	return max(size, s.desc.Output.TotalSize)
}

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
	output := s.desc.Output
	packed := slice1.TensorDesc{DataType: output.DataType, Sizes: output.Sizes}
	return !slices.Equal(layout(output), layout(packed)) || output.TotalSize > max(s.size(), 0)
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
