package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

// maxAlloc bounds what is allocated at once, in bytes.
const maxAlloc = min(math.MaxInt, 1<<46)

// job is what the command line asks for.
type job struct {
	index, window  string // window, if not "", replaces index
	in, out        string
	kernel         string
	gpu            bool
	adapter        int // with gpu: which; -1: the first that will do
	force, verbose bool
	stdin          io.Reader
	stdout, stderr io.Writer
}

// slice is a job with its input looked at.
type slice struct {
	in    *array
	desc  *slice1.Desc
	shape []int // of the result: desc.Output.Sizes without dropped and with new axes
	empty bool  // the result has no elements; desc is then no valid one
}

// load opens the input and applies the index or the window to its shape.
func (j *job) load() (*slice, error) {
	in, err := open(j.in, j.stdin)
	if err != nil {
		return nil, err
	}
	s := &slice{in: in}
	var w slice1.Window
	if j.window != "" {
		w, err = parseWindow(j.window, in.shape)
		s.shape = w.Out
	} else if w, s.shape, err = slice1.ParseIndex(j.index, in.shape); errors.Is(err, slice1.ErrEmpty) {
		s.empty, err = true, nil
	}
	if err != nil {
		return nil, errors.Join(err, in.close())
	}
	s.desc = slice1.NewDesc(in.dtype, in.shape, w)
	s.desc.Input.Strides = in.strides
	return s, nil
}

func (s *slice) header() []byte {
	return npy.AppendHeader(nil, npy.Header{Type: s.in.dtype, BigEndian: s.in.bigEndian, Shape: s.shape})
}

// size returns the bytes of the result. It is at most the input's, which exists.
func (s *slice) size() int64 {
	size := int64(s.in.dtype.Size())
	for _, extent := range s.shape {
		size *= int64(extent)
	}
	return size
}

// copy does the job.
func (j *job) copy() error {
	asPNG := strings.EqualFold(filepath.Ext(j.out), ".png")
	to, stream := (*target)(nil), true
	if j.out != "-" {
		var err error
		if to, stream, err = newTarget(j.out, j.force); err != nil {
			return err
		}
		if !stream && !asPNG && !strings.EqualFold(filepath.Ext(j.out), ".npy") {
			return usagef("%s: output is .npy or .png", j.out)
		}
	}
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.in.close()
	if stream {
		return j.toStream(s, asPNG)
	}
	// Signals are caught only while there is something to remove.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return j.toFile(ctx, s, to, asPNG)
}

func (j *job) toStream(s *slice, asPNG bool) error {
	ctx := context.Background()
	if j.out == "-" {
		return j.writeNPY(ctx, s, j.stdout)
	}
	f, err := os.OpenFile(j.out, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if asPNG {
		err = j.writePNG(ctx, s, f)
	} else {
		err = j.writeNPY(ctx, s, f)
	}
	return errors.Join(err, f.Close())
}

// toFile writes to a temporary file that takes the target's name at the end.
func (j *job) toFile(ctx context.Context, s *slice, to *target, asPNG bool) error {
	f, err := to.create()
	if err != nil {
		return err
	}
	if asPNG {
		err = j.writePNG(ctx, s, f)
	} else {
		err = j.mapNPY(ctx, s, f.File)
	}
	// Windows replaces no file that is mapped, and the input may be the target.
	if err = errors.Join(err, s.in.close(), ctx.Err()); err != nil {
		f.discard()
		return err
	}
	return f.commit()
}

// mapNPY slices into a mapping of the empty file f, or writes to f where it
// can not be mapped.
func (j *job) mapNPY(ctx context.Context, s *slice, f *os.File) error {
	header := s.header()
	size := int64(len(header)) + s.size()
	if s.empty {
		return j.writeNPY(ctx, s, f)
	}
	err := reserve(f, size)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%s: %w", j.out, err)
	}
	var file []byte
	var unmap func() error
	if err == nil {
		file, unmap, err = mapFile(f, size, true)
	}
	if err != nil {
		return j.writeNPY(ctx, s, f)
	}
	copy(file, header)
	return errors.Join(j.run(ctx, s, file[len(header):]), unmap())
}

func (j *job) writeNPY(ctx context.Context, s *slice, w io.Writer) error {
	if s.size() > maxAlloc {
		return fmt.Errorf("%v is too large to hold in memory", brackets(s.shape))
	}
	data := make([]byte, s.size())
	if err := j.run(ctx, s, data); err != nil {
		return err
	}
	if _, err := w.Write(s.header()); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}

func (j *job) writePNG(ctx context.Context, s *slice, w io.Writer) error {
	p, err := newPicture(s.in, s.shape)
	if err != nil {
		return err
	}
	s.desc.Output.Strides = p.strides(s.desc.Output.Sizes)
	if err := j.run(ctx, s, p.pix); err != nil {
		return err
	}
	return p.encode(contextWriter{ctx, w})
}

// run slices into dst, which is the result's memory.
func (j *job) run(ctx context.Context, s *slice, dst []byte) error {
	kernel := "none"
	var took time.Duration
	if !s.empty {
		p, err := j.plan(s.desc)
		if err != nil {
			return err
		}
		kernel = p.Kernel()
		start := time.Now()
		err = p.RunContext(ctx, dst, s.in.data)
		took = time.Since(start)
		if err = errors.Join(err, p.Close()); err != nil {
			return err
		}
	}
	if j.verbose {
		rate := float64(s.size()) / float64(max(took, 1)) // bytes per ns are GB/s
		fmt.Fprintf(j.stderr, "%v %v -> %v, kernel %s, %d bytes in %v, %.3g GB/s\n",
			s.in.dtype, brackets(s.in.shape), brackets(s.shape), kernel, s.size(), took, rate)
	}
	return nil
}

// contextWriter fails once its context is done.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
