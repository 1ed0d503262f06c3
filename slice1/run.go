package slice1

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
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
// of dst beyond that and between output elements keep their value. A span is all bytes from the
// first to the last that the slice touches in a buffer. If the spans of dst and src meet, Run
// searches for a byte that it would both read and write, mostly for less than a microsecond. The
// error is ErrOverlap if there is such a byte, or if about 20 microseconds do not suffice to tell.
// If Run returns an error, it has written nothing. Otherwise, on one goroutine, it allocates in two
// cases: a few times while it learns, and if it needs scratch memory and the garbage collector has
// taken that of earlier runs.
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
	var problem plan.Problem
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
	engine.Copy(&problem, d, s, &values, parallel)
	return nil
}

// pointers returns the addresses of dst and of a window srcStart bytes into src.
//
// unsafe: both lie in their buffers if these have the lengths that fits requires.
func pointers(dst, src []byte, srcStart int) (d, s unsafe.Pointer) {
	return unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), srcStart)
}

// Run is r.Run on slices of elements, on the CPU or a GPU. D must suit r's DstType, and S its
// SrcType (ErrDataType): by its size, or if r is a plan with [WithNumbers] by its kind. A uint16
// then holds a Uint16, a Float16 or a BFloat16, an int or a uint the type of its size, and bools,
// complex numbers and arrays are no numbers. A nil r is ErrPlan.
func Run[D, S Element](r Runner, dst []D, src []S) error {
	if p, ok := r.(*Plan); ok && p.moves(sizeOf[D](), sizeOf[S]()) { // all checks take as long as a tiny slice
		return p.Run(Bytes(dst), Bytes(src))
	}
	numbers := makesNumbers(r)
	if err := checkRunner(r, elementOf[D](numbers), elementOf[S](numbers), numbers); err != nil {
		return err
	}
	return r.Run(Bytes(dst), Bytes(src))
}

// RunAt is r.RunAt on slices of elements. Types are checked like in Run.
func RunAt[D, S Element](r RunnerAt, dst []D, src []S, offsets ...int) error {
	numbers := makesNumbers(r)
	if err := checkRunner(r, elementOf[D](numbers), elementOf[S](numbers), numbers); err != nil {
		return err
	}
	if p, ok := r.(*Plan); ok {
		return p.RunAt(Bytes(dst), Bytes(src), offsets...)
	}
	return r.RunAt(Bytes(dst), Bytes(src), slices.Clone(offsets)...) // so that only this call allocates
}

// moves reports whether p moves elements of these sizes, at least 1, as they are.
func (p *Plan) moves(dstSize, srcSize int) bool {
	return p != nil && p.conversion == nil && int32(dstSize) == p.size && int32(srcSize) == p.size
}

// checkRunner returns an error unless d and s suit r. A plan that nothing made has no types. It
// returns its own error when it runs.
func checkRunner(r Runner, d, s element, numbers bool) error {
	if r == nil {
		return errNoPlan
	}
	written, read := r.DstType(), r.SrcType()
	if written == 0 || read == 0 {
		return nil
	}
	return checkElements(d, s, written, read, numbers)
}

// makesNumbers reports whether the elements of r are numbers, and not opaque.
func makesNumbers(r Runner) bool {
	if p, ok := r.(*Plan); ok {
		return p.valid() && p.conversion != nil
	}
	return r != nil && r.DstType() != r.SrcType()
}

// Copy runs d once. From the second call with the same layout on, it reuses the plan and what runs
// have taught it, from a cache of 4 MiB for the whole process. It then takes about .15 microseconds
// more than [Plan.Run] for 4 KiB on a Zen 4 (go test -run - -bench 'Run|Copy' ./slice1). A call
// does not allocate, unless it
//
//   - has 4 MiB of output or more, and is the first with its layout or starts goroutines,
//   - puts its layout into the cache, which the second call with a layout does,
//   - learns,
//   - returns an error,
//   - has [WithCandidate] or [WithMeasure].
//
// The errors are the same as [NewPlan]'s and [Run]'s.
func Copy[D, S Element](dst []D, src []S, d *Desc, opts ...Option) error {
	var s engine.Settings
	numbers := s.Configure(opts)
	dstElement, srcElement := element{size: sizeOf[D]()}, element{size: sizeOf[S]()}
	if numbers != nil {
		dstElement, srcElement = elementOf[D](true), elementOf[S](true)
	}
	return copyBytes(Bytes(dst), Bytes(src), dstElement, srcElement, d, &s, numbers)
}

// CopyBytes is Copy on bytes that hold tensors of any data type.
func CopyBytes(dst, src []byte, d *Desc, opts ...Option) error {
	var s engine.Settings
	return copyBytes(dst, src, element{}, element{}, d, &s, s.Configure(opts))
}

// Slice applies index text, like [ParseIndex], to the packed row-major array of the given shape at
// the beginning of src. It returns a new slice and its shape. If the result has no elements, the
// slice is empty and not nil. A src that is nil or shorter than the array is ErrBuffer.
func Slice[T Element](src []T, shape []int, expr string) (dst []T, outShape []int, err error) {
	w, outShape, err := ParseIndex(expr, shape)
	if errors.Is(err, ErrEmpty) {
		return []T{}, outShape, nil
	}
	if err != nil {
		return nil, nil, err
	}
	d := NewDesc(DataTypeOf[T](), shape, w)
	need, err := d.Input.MinSize()
	if err != nil {
		return nil, nil, err
	}
	if length := int64(len(Bytes(src))); length < need {
		return nil, nil, BufferError("src", d.Input.DataType, length, need)
	}
	size, _ := d.Output.MinSize() // at most src's
	dst = make([]T, size/int64(sizeOf[T]()))
	if err := Copy(dst, src, d); err != nil {
		return nil, nil, err
	}
	return dst, outShape, nil
}
