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
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

// maxAlloc is the largest allocation in bytes.
const maxAlloc = min(math.MaxInt, 1<<46)

// job is what the command line asks for.
type job struct {
	index, window, onnx, desc string // what is taken; one of the last three may replace index
	in, member, raw, shape    string
	out, outMember, to        string
	kernel                    string
	orient                    int    // EXIF orientation of a picture, 1 to 8; 0: that of its EXIF data
	axes                      string // the order of the result's axes
	quality                   int    // of a JPEG output in percent; 0: the default
	skip                      int64  // bytes before raw elements
	gpu                       bool
	adapter                   int           // with gpu: its index; -1: the first that can be opened
	workers                   int           // goroutines; 0: as many as pay
	measure                   time.Duration // budget of a race of candidates; 0: none
	force, verbose, quiet     bool
	json                      bool   // explain as JSON
	stack                     bool   // several inputs become one output
	tiles                     string // extents of the tiles that an input is cut into, or ""
	part, parts               int    // part i of n, from 1 on; parts is 0 without -part
	flows                     bool   // the format allows that pipes are sliced while they are read
	stdin                     io.Reader
	stdout, stderr            io.Writer
	bar                       *meter
}

// slice is a job with the descriptor for its input.
type slice struct {
	in    *array
	desc  *slice1.Desc
	shape []int    // of the result: desc.Output.Sizes without the axes that an integer index drops, with those that None adds
	empty bool     // the result has no elements; desc is then invalid
	stack []string // with -stack: the inputs, which shape's first axis counts; desc is that of one input
}

// load opens the input and makes the descriptor of the job.
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

// resolve makes the descriptor of the job, without -desc, from the shape of the input.
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

// choose makes the descriptor of the index, the window or the ONNX parameters.
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

// size returns the bytes of the result's elements, or -1 if they are more than maxAlloc.
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

// copy slices the input into the output.
func (j *job) copy() error { return j.copyOf(j.load) }

// copyOf writes the slice that load returns.
func (j *job) copyOf(load func() (*slice, error)) error {
	format, err := j.format()
	if err != nil {
		return err
	}
	j.flows = (format == "npy" || format == "npz" || format == "raw") && !j.gpu && j.desc == "" && j.axes == ""
	to, stream, taken := (*target)(nil), true, error(nil)
	if j.out != "-" {
		if to, stream, taken = newTarget(j.out, j.force); taken != nil && j.in == "-" {
			return taken // before a pipe is read in vain
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
	// Signals are caught only while there is a temporary file to remove.
	ctx, stop := untilSignal()
	defer stop()
	return j.toFile(ctx, s, to, format)
}

// untilSignal returns a context that a signal cancels. Signals that the process ignores
// stay ignored.
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

// toFile writes a temporary file and renames it to the target at the end.
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
