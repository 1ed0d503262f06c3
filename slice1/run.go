package slice1

import (
	"context"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
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
// written; if there is one, or if about 20 microseconds do not tell, the error is ErrOverlap. With
// an error nothing has been written. Without, and on one goroutine, Run allocates only a few times
// while it learns.
func (p *Plan) Run(dst, src []byte) error {
	if !p.valid() || !p.fits(dst, src, p.srcStart) {
		return p.RunContext(context.Background(), dst, src)
	}
	d, s := pointers(dst, src, p.srcStart)
	switch w := p.entry.Small(); {
	case w == nil:
		return p.entry.Run(context.Background(), d, s, true)
	case w.Table != nil:
		w.Table.Run(d, s)
	default:
		w.Run(d, s)
	}
	return nil
}

// RunContext is Run, but returns ctx's error if ctx is done when the buffers have been checked or
// before each 2 MiB of output or so. Each output element is then either written or unchanged. A nil
// ctx is never done.
func (p *Plan) RunContext(ctx context.Context, dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	return p.runAt(ctx, dst, src, p.srcStart)
}

// runAt is RunContext with the window `at` bytes into src.
func (p *Plan) runAt(ctx context.Context, dst, src []byte, at int) error {
	parallel, err := p.admit(&p.entry.Problem().Nest, dst, src, at)
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
	return p.entry.Run(ctx, d, s, parallel)
}

// Check returns the error that Run would return, without writing anything.
func (p *Plan) Check(dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	_, err := p.admit(&p.entry.Problem().Nest, dst, src, p.srcStart)
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
	if !p.valid() {
		return errNoPlan
	}
	at, err := p.startAt(offsets)
	if err != nil {
		return err
	}
	return p.runAt(ctx, dst, src, at)
}

// CheckAt returns the error that RunAt would return, without writing anything.
func (p *Plan) CheckAt(dst, src []byte, offsets ...int) error {
	if !p.valid() {
		return errNoPlan
	}
	at, err := p.startAt(offsets)
	if err == nil {
		_, err = p.admit(&p.entry.Problem().Nest, dst, src, at)
	}
	return err
}

// startAt returns the bytes of the source before the element that the nest counts from, with the
// window at the given offsets, or an error of the offsets that RunAt documents.
func (p *placed) startAt(offsets []int) (int, error) {
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

// admit returns an error if nest n, whose buffers b describes, cannot run on these, with the window
// `at` bytes into src. parallel reports whether several goroutines may run it. If the spans of dst
// and src meet, a kernel may load a gap of the source while another goroutine stores there. That is
// harmless, since the gap is not used, but the race detector reports it. So under the race detector
// one goroutine runs such slices.
func (b *buffers) admit(n *nest.Nest, dst, src []byte, at int) (parallel bool, err error) {
	if b.fits(dst, src, at) {
		return true, nil
	}
	if int64(len(dst)) < b.dstSize {
		return false, BufferError("dst", b.dstType, int64(len(dst)), b.dstSize)
	}
	if int64(len(src)) < b.srcSize {
		return false, BufferError("src", b.dataType, int64(len(src)), b.srcSize)
	}
	d, s := pointers(dst, src, at)
	free, err := checkOverlap(n, int64(n.Width)+int64(b.dstType.Size()-b.dataType.Size()), d, s)
	return free || !engine.Race, err
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
func (b *buffers) fits(dst, src []byte, at int) bool {
	d, s := pointers(dst, src, 0)
	return int64(len(dst)) >= b.dstSize && int64(len(src)) >= b.srcSize &&
		uintptr(d)-(uintptr(s)+uintptr(at))+b.spanOffset >= b.spanGap
}

// copyBytes is CopyBytes of a slice whose elements have elemSize bytes, with settings.
func copyBytes(dst, src []byte, elemSize int, desc *Desc, settings engine.Settings) error {
	if settings.Candidate != "" || settings.Measure > 0 {
		p, err := newPlan(desc, settings)
		if err == nil {
			err = checkElement(elemSize, p.dataType)
		}
		if err == nil {
			err = p.Run(dst, src)
		}
		return err
	}
	var b buffers
	var problem engine.Problem
	var in, out layout
	if err := b.init(&problem, desc, &in, &out, &settings); err != nil {
		return err
	}
	if err := checkElement(elemSize, b.dataType); err != nil {
		return err
	}
	parallel, err := b.admit(&problem.Nest, dst, src, b.srcStart)
	if err != nil {
		return err
	}
	d, s := pointers(dst, src, b.srcStart)
	problem.Run(d, s, parallel)
	return nil
}

// pointers returns the addresses of dst and of a window `at` bytes into src.
//
// unsafe: both lie in their buffers if these have the lengths that fits requires.
func pointers(dst, src []byte, at int) (d, s unsafe.Pointer) {
	return unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), at)
}

// anySize stands for the size of the plan's elements, whatever that is.
const anySize = 0

// checkElement returns an error if elements of type t do not have size bytes and size is not
// anySize.
func checkElement(size int, t DataType) error {
	if size != t.Size() && size != anySize {
		return &DescError{"element size", -1, int64(size), int64(t.Size()), typed{ErrDataType, t}}
	}
	return nil
}
