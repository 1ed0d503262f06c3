package slice1

import (
	"context"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Runner runs a slice. It is a [*Plan], or a plan of package directml on a GPU.
type Runner interface {
	Run(dst, src []byte) error
	RunContext(ctx context.Context, dst, src []byte) error // begins no more work after ctx is done
	SrcType() DataType                                     // of the elements read
	DstType() DataType                                     // of the elements written
}

// RunnerAt is a Runner that also runs the slice with its window at other offsets, like
// [Plan.RunAt].
type RunnerAt interface {
	Runner
	RunAt(dst, src []byte, offsets ...int) error
}

// Run slices src into dst. Each buffer must have at least its tensor's MinSize (ErrBuffer). Bytes
// of dst beyond that and between output elements keep their value. If the spans of dst and src
// meet, Run searches for a byte that it would both read and write, mostly for less than a
// microsecond. The error is ErrOverlap if there is such a byte, or if about 20 microseconds do not
// suffice to tell. If Run returns an error, it has written nothing. Otherwise, on one goroutine, it
// allocates only a few times while it learns.
func (p *Plan) Run(dst, src []byte) error {
	if !p.valid() || !p.fits(dst, src, p.srcStart) {
		return p.RunContext(context.Background(), dst, src)
	}
	d, s := pointers(dst, src, p.srcStart)
	w := p.entry.Small()
	if w == nil {
		return p.entry.Run(context.Background(), d, s, &p.values, true)
	}
	w.Slice(d, s)
	return nil
}

// RunContext is Run with a context. It checks ctx after the buffers, and then before each 2 MiB of
// output or so. If ctx is done, it returns ctx's error, and each output element is either written
// or unchanged. A nil ctx is never done.
func (p *Plan) RunContext(ctx context.Context, dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	return p.sliceAt(ctx, dst, src, p.srcStart)
}

// sliceAt is RunContext with the window srcStart bytes into src.
func (p *Plan) sliceAt(ctx context.Context, dst, src []byte, srcStart int) error {
	parallel, err := p.admit(&p.entry.Problem().Nest, dst, src, srcStart)
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d, s := pointers(dst, src, srcStart)
	return p.entry.Run(ctx, d, s, &p.values, parallel)
}

// Check returns the error that Run would return, without writing anything.
func (p *Plan) Check(dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	_, err := p.admit(&p.entry.Problem().Nest, dst, src, p.srcStart)
	return err
}

// RunAt is Run with the window at other offsets, for random crops or a sliding window. There is one
// offset per axis, in elements of the input, in the order of the plan's descriptor: after
// [Desc.Permute], in the order of the permuted axes. Another number of offsets is ErrRank, and a
// window that leaves the input is ErrWindow. The plan does not keep the offsets.
func (p *Plan) RunAt(dst, src []byte, offsets ...int) error {
	return p.RunAtContext(context.Background(), dst, src, offsets...)
}

// RunAtContext is RunAt with a context, like RunContext.
func (p *Plan) RunAtContext(ctx context.Context, dst, src []byte, offsets ...int) error {
	srcStart, err := p.startAt(offsets)
	if err != nil {
		return err
	}
	return p.sliceAt(ctx, dst, src, srcStart)
}

// CheckAt returns the error that RunAt would return, without writing anything.
func (p *Plan) CheckAt(dst, src []byte, offsets ...int) error {
	srcStart, err := p.startAt(offsets)
	if err == nil {
		_, err = p.admit(&p.entry.Problem().Nest, dst, src, srcStart)
	}
	return err
}

// startAt returns the bytes of the source before the element that the nest counts from, for the
// window at the given offsets. Its errors are the ones that RunAt documents.
func (p *Plan) startAt(offsets []int) (int, error) {
	if !p.valid() {
		return 0, errNoPlan
	}
	if len(offsets) != p.rank {
		return 0, rankError("offsets", len(offsets), "Input.Sizes", p.rank)
	}
	start := p.first
	for i, offset := range offsets {
		a := &p.axes[i]
		if err := bounded(ErrWindow, "offsets", i, offset, 0, a.last, leavesInput); err != nil {
			return 0, err
		}
		start += int64(offset) * a.stride
	}
	return int(start), nil
}

// admit returns an error if nest n cannot run on dst and src, with the window srcStart bytes into
// src. b must describe the buffers of n. parallel reports whether several goroutines may run it. If
// the spans of dst and src meet, a kernel may load a gap of the source while another goroutine
// stores there. That is harmless, because the kernel does not use the gap, but the race detector
// reports it. So under the race detector one goroutine runs such slices.
func (b *buffers) admit(n *nest.Nest, dst, src []byte, srcStart int) (parallel bool, err error) {
	if b.fits(dst, src, srcStart) {
		return true, nil
	}
	if int64(len(dst)) < b.dstSize {
		return false, BufferError("dst", b.dstType, int64(len(dst)), b.dstSize)
	}
	if int64(len(src)) < b.srcSize {
		return false, BufferError("src", b.srcType, int64(len(src)), b.srcSize)
	}
	d, s := pointers(dst, src, srcStart)
	free, err := checkOverlap(n, int64(n.Width)+int64(b.dstType.Size()-b.srcType.Size()), d, s)
	return free || !engine.Race, err
}

// fits reports whether the buffers are long enough and the spans that the slice touches have no
// byte in common. The window is srcStart bytes into src. The spans do not meet if
//
//	dst+dstHi <= src+srcStart+srcLo || dst+dstLo >= src+srcStart+srcHi
//
// Both spans together are shorter than the address space, and uintptrs wrap around. So one
// comparison decides this.
//
// unsafe: addresses are compared, not used.
func (b *buffers) fits(dst, src []byte, srcStart int) bool {
	d, s := pointers(dst, src, 0)
	return int64(len(dst)) >= b.dstSize && int64(len(src)) >= b.srcSize &&
		uintptr(d)-(uintptr(s)+uintptr(srcStart))+b.spanOffset >= b.spanGap
}

// copyBytes is CopyBytes for elements of Go's types.
func copyBytes(dst, src []byte, dstElement, srcElement element, desc *Desc, settings *engine.Settings, numbers *engine.Numbers) error {
	if settings.Candidate != "" || settings.Measure > 0 {
		p, err := newPlan(desc, settings, numbers)
		if err == nil {
			err = checkElements(dstElement, srcElement, p.dstType, p.srcType, numbers != nil)
		}
		if err == nil {
			err = p.Run(dst, src)
		}
		return err
	}
	var b buffers
	var problem engine.Problem
	var input, output layout
	var values engine.Values
	if err := b.init(&problem, desc, &input, &output, settings, numbers, &values); err != nil {
		return err
	}
	if err := checkElements(dstElement, srcElement, b.dstType, b.srcType, numbers != nil); err != nil {
		return err
	}
	parallel, err := b.admit(&problem.Nest, dst, src, b.srcStart)
	if err != nil {
		return err
	}
	d, s := pointers(dst, src, b.srcStart)
	problem.Copy(d, s, &values, parallel)
	return nil
}

// pointers returns the addresses of dst and of a window srcStart bytes into src.
//
// unsafe: both lie in their buffers if these have the lengths that fits requires.
func pointers(dst, src []byte, srcStart int) (d, s unsafe.Pointer) {
	return unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), srcStart)
}
