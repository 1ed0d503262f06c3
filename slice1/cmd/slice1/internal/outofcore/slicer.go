package outofcore

import (
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed2e45c115/dml/slice1"
)

const (
	// allBytes bounds the input of the boxes that all goroutines have at a time, and also their
	// output, unless leastBytes per goroutine is more.
	allBytes = 64 << 20
	// leastBytes is the least bound of a box, for many goroutines.
	leastBytes = 64 << 10
	// orderedBytes bounds the output that is assembled in memory before it is written to a
	// stream.
	orderedBytes = 32 << 20
)

// Slicer slices an input box by box on several goroutines. It does one slice at a time. A method
// ends with the first error of a box, or with the error of its context. It looks at the context
// before each box.
type Slicer struct {
	Input   io.ReaderAt     // holds the elements, from the first one on; read by all goroutines
	Data    []byte          // if not nil, the elements in memory; Input is not read then
	Options []slice1.Option // of the plan of each box
	Workers int             // goroutines; 0 means 1
	Advance func(int64)     // if not nil, called with the bytes of output that were written to a file or a stream, by any goroutine
	Sparse  func()          // if not nil, called before boxes with runs that are far apart are read from Input; a slice may call it several times
	// Affine converts elements to numbers of type To, like slice1.NewConversion. If it is nil,
	// elements are moved as they are.
	Affine *slice1.Affine
	To     slice1.DataType

	workers []worker
}

// Runner is a plan or a conversion.
type Runner interface {
	RunContext(ctx context.Context, dst, src []byte) error
}

// worker holds the buffers of one goroutine.
type worker struct{ in, out []byte }

func (s *Slicer) start() {
	if s.workers == nil {
		s.workers = make([]worker, max(s.Workers, 1))
	}
}

// cut cuts the output of d into boxes for s, and calls s.Sparse if their runs are far apart.
func (s *Slicer) cut(d *slice1.Desc) Boxes {
	if s.Data != nil {
		return cutBands(d, s.Size(d), bandBytes)
	}
	b := cutFile(d, s.Size(d), min(max(allBytes/int64(max(s.Workers, 1)), leastBytes), boxBytes))
	if s.Sparse != nil && b.sparse() {
		s.Sparse()
	}
	return b
}

// Size returns the bytes of an element of the output of a slice of d.
func (s *Slicer) Size(d *slice1.Desc) int {
	if s.Affine != nil {
		return s.To.Size()
	}
	return d.Input.DataType.Size()
}

func (s *Slicer) advance(bytes int) {
	if s.Advance != nil {
		s.Advance(int64(bytes))
	}
}

// Output is where elements go: into a file, at the memory strides of the descriptor's output, with
// nothing written between elements; or, packed, into a stream.
type Output struct {
	W    io.Writer
	File io.WriterAt // if not nil, W is not used
	Base int64       // the byte of File at which the elements begin
}

// Run slices d into to.
func (s *Slicer) Run(ctx context.Context, d *slice1.Desc, to Output) error {
	if to.File == nil {
		return s.toStream(ctx, d, to.W)
	}
	b := s.cut(d)
	return s.each(ctx, b.Count, func(ctx context.Context, w *worker, i int64) error {
		box, origin := b.At(i)
		return s.box(ctx, w, &b, box, origin, to)
	})
}

// Box slices a box of b on the caller's goroutine. The box begins at origin. It reads a packed
// row-major Input from lower bytes to higher ones. If to is a stream, the box must be the next one.
func (s *Slicer) Box(ctx context.Context, b *Boxes, box *slice1.Desc, origin []int, to Output) error {
	s.start()
	return s.box(ctx, &s.workers[0], b, box, origin, to)
}

func (s *Slicer) box(ctx context.Context, w *worker, b *Boxes, box *slice1.Desc, origin []int, to Output) error {
	out, err := s.slice(ctx, w, box, origin, nil)
	if err != nil {
		return err
	}
	if to.File == nil {
		_, err = to.W.Write(out)
	} else {
		at := place(box, s.Size(box), origin, b.desc.Output.MemoryStrides())
		at.First += to.Base
		err = at.Write(to.File, out)
	}
	if err == nil {
		s.advance(len(out))
	}
	return err
}

// ToMemory slices d into dst, with the memory strides of d's output. It does not call Advance.
func (s *Slicer) ToMemory(ctx context.Context, d *slice1.Desc, dst []byte) error {
	return s.toMemory(ctx, d, make([]int, len(d.Output.Sizes)), dst)
}

// toMemory is ToMemory for a box that begins at corner.
func (s *Slicer) toMemory(ctx context.Context, d *slice1.Desc, corner []int, dst []byte) error {
	b := s.cut(d)
	strides := d.Output.MemoryStrides()
	return s.each(ctx, b.Count, func(ctx context.Context, w *worker, i int64) error {
		box, origin := b.At(i)
		box.Output.Strides = strides
		at := 0
		for axis, lo := range origin {
			at += lo * strides[axis]
			origin[axis] += corner[axis]
		}
		_, err := s.slice(ctx, w, box, origin, dst[at*s.Size(d):])
		return err
	})
}

// toStream slices d and writes the packed output from its first byte to its last.
func (s *Slicer) toStream(ctx context.Context, d *slice1.Desc, to io.Writer) error {
	b := s.cut(d)
	if b.output().Runs() > 1 {
		b = cutBands(d, s.Size(d), orderedBytes)
	}
	var buf []byte
	for i := range b.Count {
		band, origin := b.At(i)
		out := grown(&buf, OutputBytes(band, s.Size(band)))
		if err := s.toMemory(ctx, band, origin, out); err != nil {
			return err
		}
		if _, err := to.Write(out); err != nil {
			return err
		}
		s.advance(len(out))
	}
	return nil
}

// slice slices one box, which begins at origin, into dst and returns the output. If dst is nil, the
// output goes packed into w's buffer. If s.Data is nil, slice reads the input into w's buffer.
func (s *Slicer) slice(ctx context.Context, w *worker, d *slice1.Desc, origin []int, dst []byte) ([]byte, error) {
	src := s.Data
	if src == nil {
		from, packed := Gather(d)
		var err error
		if src, err = from.append(s.Input, w.in[:0]); err != nil {
			return nil, err
		}
		w.in, d = src, packed
	}
	if dst == nil { // a box of a stream may be large, so its output is allocated only when its input is there
		dst = grown(&w.out, OutputBytes(d, s.Size(d)))
	}
	r, err := s.Plan(d, origin)
	if err != nil {
		return nil, err
	}
	return dst, r.RunContext(ctx, dst, src)
}

// Plan returns the runner for a box that begins at origin. A box is the work of one goroutine. It
// does not use non-temporal stores, since its output is written to the file next.
func (s *Slicer) Plan(d *slice1.Desc, origin []int) (Runner, error) {
	options := slices.Concat(s.Options, []slice1.Option{slice1.WithParallelism(1), slice1.WithStreaming(-1)})
	if s.Affine == nil {
		return slice1.NewPlan(d, options...)
	}
	a := *s.Affine
	of := func(values []float32) []float32 { // the values of the box
		if len(values) < 2 {
			return values
		}
		return values[origin[a.Axis]:][:d.Output.Sizes[a.Axis]]
	}
	a.Scale, a.Bias = of(a.Scale), of(a.Bias)
	return slice1.NewConversion(d, s.To, a, options...)
}

// each makes each worker call f with the number of the next of n boxes. It ends when no box is
// left, a call returns an error or ctx is done. It returns the first error, or ctx's.
func (s *Slicer) each(ctx context.Context, n int64, f func(ctx context.Context, w *worker, i int64) error) error {
	s.start()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for k := range min(int64(len(s.workers)), n) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= n {
					return
				}
				if err := f(ctx, &s.workers[k], i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// grown returns n bytes of *buf. If *buf is shorter, grown replaces it by new memory.
func grown(buf *[]byte, n int64) []byte {
	if int64(len(*buf)) < n {
		*buf = make([]byte, n)
	}
	return (*buf)[:n]
}
