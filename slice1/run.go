package slice1

import (
	"context"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Runner executes a slice: a [*Plan], or a plan of package directml on a GPU.
type Runner interface {
	Run(dst, src []byte) error
	RunContext(ctx context.Context, dst, src []byte) error // begins no more work when ctx is done
	DataType() DataType                                    // of both tensors
}

// Run slices src into dst. Each must be at least as long as its tensor's MinSize (ErrBuffer); bytes
// beyond that, and those of dst between output elements, keep their value. Where the spans of both
// meet, Run searches, mostly for less than a microsecond, for a byte that would be both read and
// written; if there is one, or if about 20 microseconds do not tell, the error is ErrOverlap. With an
// error nothing has been written. Without, and on one goroutine, Run allocates only a few times while it learns.
func (p *Plan) Run(dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	if !p.fits(dst, src, p.srcStart) {
		return p.run(context.Background(), dst, src, p.srcStart)
	}
	d, s := pointers(dst, src, p.srcStart)
	// What execute does for small slices, without calls that take as long as a tiny one.
	if w := p.entry.settled.Load(); w != nil && !w.learned && p.entry.pieces.Count == 1 {
		if w.table != nil {
			w.table.Run(d, s)
		} else {
			w.run(&p.entry.pieces, 0, 1, d, s)
		}
		return nil
	}
	return p.entry.execute(context.Background(), d, s, true)
}

// RunContext is Run, but returns ctx's error if ctx is done when the buffers have been checked or before
// each 2 MiB of output or so. Each output element is then either written or unchanged. A nil ctx is never
// done.
func (p *Plan) RunContext(ctx context.Context, dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	return p.run(ctx, dst, src, p.srcStart)
}

// run is RunContext with the window `at` bytes into src. If the spans meet, a kernel may load a gap of
// the source while another goroutine stores there. That is harmless, since the gap is not used, but the
// race detector reports it. So under the race detector such slices run on one goroutine.
func (p *Plan) run(ctx context.Context, dst, src []byte, at int) error {
	free, err := p.admit(&p.entry.nest, dst, src, at)
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d, s := pointers(dst, src, at)
	return p.entry.execute(ctx, d, s, free || !raceEnabled)
}

// Check returns the error that Run would return, without writing anything.
func (p *Plan) Check(dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	_, err := p.admit(&p.entry.nest, dst, src, p.srcStart)
	return err
}

// RunAt is Run with the window at other offsets, one per axis in elements of the input, for random
// crops or a sliding window. Another number of offsets is ErrRank, a window that leaves the input
// ErrWindow. Offsets are not kept.
func (p *Plan) RunAt(dst, src []byte, offsets ...int) error {
	return p.RunAtContext(context.Background(), dst, src, offsets...)
}

// RunAtContext is RunAt, but looks at ctx as RunContext does.
func (p *Plan) RunAtContext(ctx context.Context, dst, src []byte, offsets ...int) error {
	at, err := p.startAt(offsets)
	if err != nil {
		return err
	}
	return p.run(ctx, dst, src, at)
}

// CheckAt returns the error that RunAt would return, without writing anything.
func (p *Plan) CheckAt(dst, src []byte, offsets ...int) error {
	at, err := p.startAt(offsets)
	if err == nil {
		_, err = p.admit(&p.entry.nest, dst, src, at)
	}
	return err
}

// startAt returns the bytes of the source before the element that the nest counts from, with the window at
// the given offsets, or an error of p or of offsets that RunAt documents.
func (p *Plan) startAt(offsets []int) (int, error) {
	if !p.valid() {
		return 0, errNoPlan
	}
	if len(offsets) != p.rank {
		return 0, rankError("WindowOffsets", len(offsets), p.rank)
	}
	start := p.first
	for i, at := range offsets {
		a := &p.axes[i]
		if at < 0 || at > a.last {
			return 0, &DescError{"WindowOffsets", i, int64(at), int64(min(max(at, 0), a.last)), ErrWindow}
		}
		start += int64(at) * a.stride
	}
	return int(start), nil
}

// admit returns an error if nest n, of which p is the place, cannot run on the buffers, with the window `at` bytes into
// src. free reports whether the spans of dst and src that n touches have no byte in
// common.
func (p *place) admit(n *nest.Nest, dst, src []byte, at int) (free bool, err error) {
	if p.fits(dst, src, at) {
		return true, nil
	}
	if int64(len(dst)) < p.dstSize {
		return false, BufferError("dst", p.dataType, int64(len(dst)), p.dstSize)
	}
	if int64(len(src)) < p.srcSize {
		return false, BufferError("src", p.dataType, int64(len(src)), p.srcSize)
	}
	d, s := pointers(dst, src, at)
	return checkOverlap(n, int64(n.Width), d, s)
}

// fits reports whether the buffers hold their tensors and the spans that the slice
// touches have no byte in common, with the window `at` bytes into src: whether
//
//	dst+dstHi <= src+at+srcLo || dst+dstLo >= src+at+srcHi
//
// As both spans together are shorter than the address space, one comparison of
// uintptrs, which wrap around, decides this.
//
// unsafe: addresses are compared, not used.
func (p *place) fits(dst, src []byte, at int) bool {
	d, s := pointers(dst, src, 0)
	return int64(len(dst)) >= p.dstSize && int64(len(src)) >= p.srcSize &&
		uintptr(d)-(uintptr(s)+uintptr(at))+p.spanOffset >= p.spanGap
}

// runOnce runs desc, by what theCache has for its shape or else by what it plans. A program that runs
// once is on the stack.
func runOnce(dst, src []byte, elemSize int, desc *Desc, c config) error {
	if c.candidate != "" || c.budget > 0 {
		p, err := newPlan(desc, c)
		if err == nil {
			err = checkElement(elemSize, p.dataType)
		}
		if err == nil {
			err = p.Run(dst, src)
		}
		return err
	}
	var p place
	var of shape
	var in, out layout
	if err := p.init(&of, desc, &in, &out, c); err != nil {
		return err
	}
	if err := checkElement(elemSize, p.dataType); err != nil {
		return err
	}
	free, err := p.admit(&of.nest, dst, src, p.srcStart)
	if err != nil {
		return err
	}
	d, s := pointers(dst, src, p.srcStart)
	e, again := theCache.find(&of)
	switch {
	case e != nil:
	case again:
		e = theCache.put(newEntry(of))
	case of.workers > 1:
		e = newEntry(of)
	default:
		of.runNew(d, s)
		return nil
	}
	return e.execute(context.Background(), d, s, free || !raceEnabled)
}

// pointers returns the addresses of dst and of a window `at` bytes into src.
//
// unsafe: both lie in their buffers if these have the lengths that fits requires.
func pointers(dst, src []byte, at int) (d, s unsafe.Pointer) {
	return unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), at)
}

// anySize stands for the size of the plan's elements, whatever that is.
const anySize = 0

// checkElement returns an error if elements of type t do not have size bytes and size is not anySize.
func checkElement(size int, t DataType) error {
	if size != t.Size() && size != anySize {
		return &DescError{"element size", -1, int64(size), int64(t.Size()), typed{ErrDataType, t}}
	}
	return nil
}
