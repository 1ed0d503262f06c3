package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
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
	numbers                      // of the result
	format                string // of OUT; "" if none is written
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

// load opens the input and makes the slice that the job takes of it. Unless -q forbids that, it
// prints the notes about the input, and one about a name that NumPy gives to another type.
func (j *job) load() (*slice, error) {
	if j.in == "" {
		return nil, usagef("the name of an input is empty")
	}
	saved, err := j.loadDesc()
	if err != nil {
		return nil, err
	}
	in, err := j.open(saved)
	if err != nil {
		return nil, err
	}
	s := &slice{in: in}
	if saved == nil {
		err = j.resolve(s)
	} else if err = s.fit(saved, j); err == nil {
		err = j.arrange(s)
	}
	if err == nil {
		err = j.prepare(s)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if !j.quiet {
		for _, of := range [...][2]string{{"-raw", j.raw}, {"-to", j.typName}} {
			if flag, name := of[0], of[1]; name == "i8" || name == "u8" {
				j.note(fmt.Sprintf("%s %s is of 8 bits; what NumPy calls %s, 8 bytes each, is %s %s64", flag, name, name, flag, name[:1]))
			}
		}
		for _, note := range s.in.notes {
			j.note(note)
		}
	}
	return s, nil
}

// resolve sets everything of s except its input, from the input and the job.
func (j *job) resolve(s *slice) error {
	if err := j.choose(s); err != nil {
		return err
	}
	return j.arrange(s)
}

// arrange puts the axes of s in the order of -axes, and makes its elements numbers of the type of
// -to.
func (j *job) arrange(s *slice) error {
	channels, err := j.convert(s)
	if err != nil {
		return err
	}
	return j.permute(s, channels)
}

// choose sets the descriptor and the shape of s from the index, or marks s as empty. It ignores
// -axes.
func (j *job) choose(s *slice) (err error) {
	w, shape, err := s.in.ParseIndex(j.index)
	if errors.Is(err, slice1.ErrEmpty) {
		s.empty, err = true, nil
	}
	s.shape, s.desc = shape, w.Of(s.in.tensor())
	return err
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

// copy slices the input j.in into the output j.out, or part j.part of the slice into its place
// there.
func (j *job) copy() error {
	format, err := j.formatOf()
	if err != nil {
		return err
	}
	j.format = format
	to, stream, taken := (*target)(nil), true, error(nil)
	if j.out != "-" {
		if to, stream, taken = newTarget(j.out, j.force || j.parts > 0); !stream && j.outMember != "" {
			taken = cmp.Or(j.loses(), taken)
		}
		if taken != nil && j.in == "-" {
			return taken // before standard input is read in vain
		}
	}
	if j.parts > 0 && (j.in == "-" || stream) {
		return usagef("-part is for files, and a pipe or a device is none")
	}
	j.flows = holds[format] == "" && !j.gpu && j.desc == ""
	j.unknown = j.flows && (format == "raw" || format == "npy" && !stream) // a header that is written first has the number
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.in.Close()
	if taken != nil {
		return taken
	}
	if err := j.fits(s, format); err != nil {
		return err
	}
	out, end, err := j.create(s, to, stream, format)
	if err != nil {
		return err
	}
	if err = j.write(s, format, out); err == nil {
		err = s.in.unchanged()
	}
	return end(err)
}

// create returns an output, and a function that ends the output. For a nil error the
// function completes the output. For another error it removes the output if it is a whole file.
func (j *job) create(s *slice, to *target, stream bool, format string) (out outofcore.Output, end func(error) error, err error) {
	switch {
	case j.parts > 0:
		return j.createPart(s, to, format)
	case j.out == "-":
		return outofcore.Output{W: j.stdout}, func(err error) error { return err }, nil
	case stream:
		f, err := os.OpenFile(j.out, os.O_WRONLY, 0)
		return outofcore.Output{W: f}, func(err error) error { return errors.Join(err, f.Close()) }, err
	}
	f, err := to.create()
	if err != nil {
		return out, nil, err
	}
	return outofcore.Output{W: f.File, File: f.File}, func(err error) error {
		return f.end(errors.Join(err, s.in.Close())) // Windows does not replace an open file, and the input may be the target
	}, nil
}
