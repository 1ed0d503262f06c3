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
	// Affine converts elements to numbers of type To, like slice1.WithNumbers. If it is nil,
	// elements keep their type.
	Affine *slice1.Affine
	To     slice1.DataType

	workers []worker
}

// worker holds the buffers of one goroutine.
type worker struct{ src, dst []byte }

// cut cuts the output of d into boxes for s.
func (s *Slicer) cut(d *slice1.Desc) boxes {
	if s.Data != nil {
		return cutBands(d, s.Size(d), bandBytes)
	}
	return cutFile(d, s.Size(d), min(max(allBytes/int64(max(s.Workers, 1)), leastBytes), boxBytes))
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
	File io.WriterAt // if not nil, elements go there and not to W
	Base int64       // the byte of File at which the elements begin
}

// Run slices d into to.
func (s *Slicer) Run(ctx context.Context, d *slice1.Desc, dst Output) error {
	if dst.File == nil {
		return s.toStream(ctx, d, dst.W)
	}
	b := s.cut(d)
	return s.visit(ctx, &b, func(ctx context.Context, w *worker, box *slice1.Desc, origin []int) error {
		output, err := s.slice(ctx, w, box, origin, nil)
		if err != nil {
			return err
		}
		target := place(box, b.size, origin, d.Output.MemoryStrides())
		target.start += dst.Base
		if err := target.write(dst.File, output); err != nil {
			return err
		}
		s.advance(len(output))
		return nil
	})
}

// ToMemory slices d into dst, with the memory strides of d's output. It does not call Advance.
func (s *Slicer) ToMemory(ctx context.Context, d *slice1.Desc, dst []byte) error {
	return s.toMemory(ctx, d, make([]int, len(d.Output.Sizes)), dst)
}

// toMemory is ToMemory for a box that begins at corner.
func (s *Slicer) toMemory(ctx context.Context, d *slice1.Desc, corner []int, dst []byte) error {
	b, strides := s.cut(d), d.Output.MemoryStrides()
	return s.visit(ctx, &b, func(ctx context.Context, w *worker, box *slice1.Desc, origin []int) error {
		box.Output.Strides = strides
		start := 0
		for axis, lo := range origin {
			start += lo * strides[axis]
			origin[axis] += corner[axis]
		}
		_, err := s.slice(ctx, w, box, origin, dst[start*b.size:])
		return err
	})
}

// toStream slices d and writes the packed output from its first byte to its last.
func (s *Slicer) toStream(ctx context.Context, d *slice1.Desc, dst io.Writer) error {
	b := s.cut(d)
	if b.output().stretches() > 1 {
		b = cutBands(d, s.Size(d), orderedBytes)
	}
	var buf []byte
	for i := range b.count {
		band, origin := b.box(i)
		output := grown(&buf, OutputBytes(band, b.size))
		if err := s.toMemory(ctx, band, origin, output); err != nil {
			return err
		}
		if _, err := dst.Write(output); err != nil {
			return err
		}
		s.advance(len(output))
	}
	return nil
}

// slice slices one box, which begins at origin, into dst and returns the output. If dst is nil, the
// output goes packed into w's buffer. If s.Data is nil, slice reads the input into w's buffer.
func (s *Slicer) slice(ctx context.Context, w *worker, d *slice1.Desc, origin []int, dst []byte) ([]byte, error) {
	src := s.Data
	if src == nil {
		stretches, packed := gather(d, gapBytes)
		src, d = grown(&w.src, stretches.bytes()), packed
		if err := stretches.read(s.Input, src); err != nil {
			return nil, err
		}
	}
	if dst == nil {
		dst = grown(&w.dst, OutputBytes(d, s.Size(d)))
	}
	r, err := s.Plan(d, origin)
	if err != nil {
		return nil, err
	}
	return dst, r.RunContext(ctx, dst, src)
}

// Plan returns the plan for a box that begins at origin. A box is the work of one goroutine. It
// does not use non-temporal stores, since its output is written to the file next.
func (s *Slicer) Plan(d *slice1.Desc, origin []int) (*slice1.Plan, error) {
	options := slices.Concat(s.Options, []slice1.Option{slice1.WithParallelism(1), slice1.WithStreaming(-1)})
	if s.Affine != nil {
		affine := *s.Affine
		affine.Scale, affine.Bias, affine.Zero = ofBox(affine.Scale, 1, &affine, d, origin), ofBox(affine.Bias, 1, &affine, d, origin), ofBox(affine.Zero, 1, &affine, d, origin)
		affine.Table = ofBox(affine.Table, 256, &affine, d, origin)
		options = append(options, slice1.WithNumbers(s.To, affine))
	}
	return slice1.NewPlan(d, options...)
}

// ofBox returns which of an Affine's values are for box d, which begins at origin. There are `each`
// values for an index.
func ofBox[T any](values []T, count int, affine *slice1.Affine, d *slice1.Desc, origin []int) []T {
	if len(values) <= count {
		return values
	}
	return values[count*origin[affine.Axis]:][:count*d.Output.Sizes[affine.Axis]]
}

// visit makes each worker call f with the next box of b and its origin. It ends when no box is
// left, a call returns an error or ctx is done. It returns the first error, or ctx's.
func (s *Slicer) visit(ctx context.Context, b *boxes, f func(ctx context.Context, w *worker, box *slice1.Desc, origin []int) error) error {
	if s.workers == nil {
		s.workers = make([]worker, max(s.Workers, 1))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var index atomic.Int64
	var wg sync.WaitGroup
	for k := range min(int64(len(s.workers)), b.count) {
		wg.Go(func() {
			for i := index.Add(1) - 1; i < b.count && ctx.Err() == nil; i = index.Add(1) - 1 {
				box, origin := b.box(i)
				if err := f(ctx, &s.workers[k], box, origin); err != nil {
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
