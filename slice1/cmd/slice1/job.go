package main

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// maxAlloc bounds allocations and results, in bytes.
const maxAlloc = min(math.MaxInt, 1<<46)

// job is what the command line asks for.
type job struct {
	index, window, onnx, desc string // what is taken; one of the last three may replace index
	in, member, raw, shape    string
	out, outMember, to        string
	kernel                    string
	orient                    int    // EXIF orientation of a picture, 1 to 8; 0: that of its file
	axes                      string // the order of the result's axes; "": as they are
	quality                   int    // of a JPEG output in percent; 0: the default
	skip                      int64  // bytes before raw elements
	gpu                       bool
	adapter                   int           // with gpu: its index; -1: the first hardware adapter that can be opened
	workers                   int           // goroutines; 0: as many as goroutines says
	measure                   time.Duration // how long candidates may be raced; 0: they are not
	force, verbose, quiet     bool
	json                      bool   // explain as JSON
	stack                     bool   // the slices of all inputs become one output
	tiles                     string // extents of the tiles that a slice is cut into, or ""
	part, parts               int    // of -part i/n: i, from 1 on, and n; both 0 without -part
	flows                     bool   // the output's format and the flags allow that pipes are sliced while they are read
	stdin                     io.Reader
	stdout, stderr            io.Writer
	bar                       *meter // nil: no progress is shown
}

// slice is what a job takes of an input.
type slice struct {
	in    *array
	desc  *slice1.Desc
	shape []int    // of the result: desc.Output.Sizes without the axes that an integer index drops and without the parts of elements, with the axes that None adds
	empty bool     // the result has no elements; desc is then invalid
	stack []string // with -stack: the inputs, whose number is the first extent of shape; in and desc are those of the first
}

// load opens the input and makes the slice that the job takes of it. It prints the notes about the
// input unless -q forbids that.
func (j *job) load() (*slice, error) {
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
		err = j.permute(s)
	}
	if err == nil && in.pipe != nil {
		err = j.settle(s)
	}
	if err != nil {
		return nil, errors.Join(err, in.close())
	}
	if in.meta != nil && j.out != "" {
		format, err := j.format()
		if err != nil {
			return nil, errors.Join(err, in.close())
		}
		if lost := in.meta.lost(in.meta.keep(format, channelsOf(s.shape))); lost != "" {
			in.note("%s", lost)
		}
	}
	if !j.quiet {
		for _, note := range s.in.notes {
			j.note(note)
		}
	}
	return s, nil
}

// resolve sets the descriptor and the shape of s from the text of the job and from the input of s.
// The job must not have -desc.
func (j *job) resolve(s *slice) error {
	err := j.choose(s)
	if err == nil {
		err = j.permute(s)
	}
	if err == nil {
		err = s.widen()
	}
	return err
}

// choose sets the descriptor and the shape of s, or that s is empty, from -window, from -onnx or,
// without these, from the index. It ignores -axes, and elements that have parts.
func (j *job) choose(s *slice) (err error) {
	var w slice1.Window
	switch {
	case j.window != "":
		w, err = parseWindow(j.window, s.in.shape)
		s.shape = w.Out
	case j.onnx != "":
		w, err = parseONNX(j.onnx, s.in.shape)
		s.shape = w.Out
	default:
		w, s.shape, err = slice1.ParseIndex(j.index, s.in.shape)
	}
	if errors.Is(err, slice1.ErrEmpty) {
		s.empty, err = true, nil
	}
	s.desc = slice1.NewDesc(s.in.dtype, s.in.shape, w)
	s.desc.Input.Strides = s.in.strides
	return err
}

func (s *slice) header() []byte {
	return npy.AppendHeader(nil, s.in.header(s.shape))
}

// size returns the bytes of the result's elements, or -1 if these are more than maxAlloc.
func (s *slice) size() int64 {
	if s.empty {
		return 0
	}
	size := s.in.elementSize()
	for _, extent := range s.shape {
		if int64(extent) > maxAlloc/size {
			return -1
		}
		size *= int64(extent)
	}
	return size
}

// copy slices the input j.in into the output j.out.
func (j *job) copy() error { return j.copyOf(j.load) }

// copyOf slices what load returns into the output j.out, and closes the slice's input.
func (j *job) copyOf(load func() (*slice, error)) error {
	format, err := j.format()
	if err != nil {
		return err
	}
	j.flows = (format == "npy" || format == "npz" || format == "raw") && !j.gpu && j.desc == "" && j.axes == ""
	to, stream, taken := (*target)(nil), true, error(nil)
	if j.out != "-" {
		if to, stream, taken = newTarget(j.out, j.force); taken != nil && j.in == "-" {
			return taken // before standard input is read in vain
		}
	}
	s, err := load()
	if err != nil {
		return err
	}
	defer s.in.close()
	if taken != nil {
		return taken
	}
	if err := j.fits(s, format); err != nil {
		return err
	}
	if stream {
		return j.toStream(s, format)
	}
	// A signal must not leave the temporary file behind.
	ctx, stop := untilSignal()
	defer stop()
	return j.toFile(ctx, s, to, format)
}

// untilSignal returns a context that one of the signals in endings cancels, and a function that
// stops catching them. Signals that the process ignores stay ignored.
func untilSignal() (context.Context, context.CancelFunc) {
	if caught := slices.DeleteFunc(endings(), signal.Ignored); len(caught) > 0 {
		return signal.NotifyContext(context.Background(), caught...)
	}
	return context.WithCancel(context.Background())
}

func (j *job) toStream(s *slice, format string) error {
	ctx := context.Background()
	if j.out == "-" {
		return j.write(ctx, s, format, sink{w: j.stdout})
	}
	f, err := os.OpenFile(j.out, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(j.write(ctx, s, format, sink{w: f}), f.Close())
}

// toFile writes a temporary file and renames it to the target at the end. It closes the input of s.
// After an error it removes the temporary file.
func (j *job) toFile(ctx context.Context, s *slice, to *target, format string) error {
	f, err := to.create()
	if err != nil {
		return err
	}
	err = j.write(ctx, s, format, sink{w: f.File, file: f.File})
	// Windows does not replace an open file, and the input may be the target.
	if err = errors.Join(err, s.in.close(), ctx.Err()); err != nil {
		f.discard()
		return to.named(err, f.Name())
	}
	return f.commit()
}
