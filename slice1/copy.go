package slice1

import (
	"context"
	"errors"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
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

// copyBytes is CopyBytes for elements of Go's types.
func copyBytes(dst, src []byte, dstElement, srcElement element, desc *Desc, settings *engine.Settings, numbers *engine.Affine) error {
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
	s, numbers := settings(opts)
	dstElement, srcElement := element{size: sizeOf[D]()}, element{size: sizeOf[S]()}
	if numbers != nil {
		dstElement, srcElement = elementOf[D](true), elementOf[S](true)
	}
	return copyBytes(Bytes(dst), Bytes(src), dstElement, srcElement, d, &s, numbers)
}

// CopyBytes is Copy on bytes that hold tensors of any data type.
func CopyBytes(dst, src []byte, d *Desc, opts ...Option) error {
	s, numbers := settings(opts)
	return copyBytes(dst, src, element{}, element{}, d, &s, numbers)
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
