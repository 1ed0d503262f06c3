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

// maxAlloc bounds what is allocated at once, in bytes.
const maxAlloc = min(math.MaxInt, 1<<46)

// job is what the command line asks for.
type job struct {
	index, window, onnx, desc string // what to take; one of the last three may replace index
	in, member, raw, shape    string
	out, to                   string
	kernel                    string
	orient                    int    // of a picture, 1 to 8; 0: as EXIF data say
	axes                      string // of the result, reordered
	quality                   int    // of a JPEG to write; 0: the default
	skip                      int64  // bytes before raw elements
	gpu                       bool
	adapter                   int           // with gpu: which; -1: the first that will do
	workers                   int           // goroutines; 0: as many as pay
	measure                   time.Duration // budget of a race of candidates; 0: none
	force, verbose, quiet     bool
	json                      bool // explain as JSON
	stack                     bool // several inputs become one output
	part, parts               int  // which of how many to do; 0: all at once
	flows                     bool // pipes may be taken as they come
	stdin                     io.Reader
	stdout, stderr            io.Writer
	bar                       *meter
}

// slice is a job with its input looked at.
type slice struct {
	in    *array
	desc  *slice1.Desc
	shape []int    // of the result: desc.Output.Sizes without dropped and with new axes
	empty bool     // the result has no elements; desc is then no valid one
	stack []string // the inputs, where shape's first axis counts them; desc is that of one
}

// load opens the input and applies to its shape what the job takes of it.
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

// resolve applies to the shape of the input what the job takes of it.
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

// choose applies the index, the window or the ONNX parameters.
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

// size returns the bytes of the result's elements, or -1 beyond maxAlloc.
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

// copy does the job.
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
			return taken // rather than read a pipe first
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
	// Signals are caught only while there is something to remove, and only those
	// that would end the command.
	ctx, stop := untilSignal()
	defer stop()
	return j.toFile(ctx, s, to, format)
}

// untilSignal returns a context that ends with a signal that would end the command.
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

// toFile writes to a temporary file that takes the target's name at the end.
func (j *job) toFile(ctx context.Context, s *slice, to *target, format string) error {
	f, err := to.create()
	if err != nil {
		return err
	}
	err = j.write(ctx, s, format, sink{w: f.File, file: f.File})
	// Windows replaces no file that is open, and the input may be the target.
	if err = errors.Join(err, s.in.close(), ctx.Err()); err != nil {
		f.discard()
		return to.named(err, f.Name())
	}
	return f.commit()
}
