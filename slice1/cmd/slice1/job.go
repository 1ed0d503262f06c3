package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// job is what the command line asks for.
type job struct {
	index, desc           string  // what to take; desc may replace index
	source, raw, shape    string  // IN, and what its raw elements are
	target, member        string  // OUT, and the member of an .npz to write
	ending                string  // the value of -to, if it is a format
	format                *format // of OUT; nil if none is written
	numbers                       // of the result
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

func (j *job) note(text string) {
	if !j.quiet {
		fmt.Fprintf(j.stderr, "slice1: note: %s\n", oneLine(text))
	}
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

// format is a format of OUT. Pictures hold samples of some types and as many channels as some.
type format struct {
	name, endings   string // endings are extensions and values of -to, in lower case
	types, channels string // "" if it is no picture
	limit           int    // of a picture's extents
}

var formats = []format{
	{name: "npy", endings: "npy"},
	{name: "npz", endings: "npz"},
	{name: "raw", endings: "raw bin"},
	{"png", "png", "uint8 or uint16", "1, 3 or 4", math.MaxInt32},
	{"jpeg", "jpg jpeg", "uint8", "1 or 3", math.MaxUint16},
	{"pnm", "pnm ppm pgm", "uint8 or uint16", "1 or 3", math.MaxInt32},
}

// formatOf returns the format with an ending, or nil.
func formatOf(ending string) *format {
	i := slices.IndexFunc(formats, func(f format) bool { return hasWord(ending)(f.endings) })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// picture reports whether f, which may be nil, is a picture format.
func (f *format) picture() bool { return f != nil && f.types != "" }

// holdsType reports whether f is a picture format with samples of a type.
func (f *format) holdsType(t slice1.DataType) bool {
	return f != nil && hasWord(t.String())(f.types)
}
