package slice1

import (
	"math"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Affine is what becomes of each number x after a slice: Scale*x + Bias in float32, rounded after each
// step, with the same bits everywhere but for a NaN's sign and payload. Scale and Bias have one value
// each, or one per index of output axis Axis, which counts only then; -1 names none. Without values they
// are 1 and 0.
type Affine struct {
	Axis        int
	Scale, Bias []float32
}

// Number is what RunFloat32 converts. uint16 in a Float16 plan is a float16.
type Number interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~int32 | ~float32
}

// RunFloat32 slices src and converts each element x to a.Scale*x + a.Bias in one pass. T must be of
// the plan's type. The plan's Output.Strides count float32, so that
// dst has at least p.DstSize()/p.DataType().Size() of them; gaps keep their value. Errors are those of
// [Plan.Run], ErrDataType for another T, ErrRank for an a.Axis that is no axis, ErrSize for a wrong
// number of values; then nothing has been written. The first call for a plan and an axis allocates,
// later ones only for goroutines. These runs do not learn.
func RunFloat32[T Number](p *Plan, dst []float32, src []T, a Affine) error {
	if !p.valid() {
		return errNoPlan
	}
	return runFloat32(p, dst, bytesOf(src), elementTypeOf[T](p.dataType), DataTypeOf[T](), a, p.srcStart)
}

// RunAtFloat32 is RunFloat32 at other offsets, as [Plan.RunAt] has it.
func RunAtFloat32[T Number](p *Plan, dst []float32, src []T, a Affine, offsets ...int) error {
	at, err := p.startAt(offsets)
	if err != nil {
		return err
	}
	return runFloat32(p, dst, bytesOf(src), elementTypeOf[T](p.dataType), DataTypeOf[T](), a, at)
}

// CopyFloat32 is RunFloat32 of a plan that it makes for one run. It allocates.
func CopyFloat32[T Number](dst []float32, src []T, d *Desc, a Affine, opts ...Option) error {
	p, err := NewPlan(d, opts...)
	if err != nil {
		return err
	}
	return RunFloat32(p, dst, src, a)
}

// notConverted is the type of elements that RunFloat32 does not convert.
const notConverted csrc.ElementType = -1

// elementTypes are the types of elements by data type.
var elementTypes = [...]csrc.ElementType{Uint8: csrc.Uint8, Int8: csrc.Int8, Uint16: csrc.Uint16, Int16: csrc.Int16,
	Int32: csrc.Int32, Float32: csrc.Float32}

// elementTypeOf returns what elements T of a plan of type t are, or notConverted if T is not for t.
func elementTypeOf[T Number](t DataType) csrc.ElementType {
	// Not of T itself: Go 1.26's compiler for s390x without optimisation fails on that.
	if _, ok := any((*T)(nil)).(*convert.Sample); ok {
		return csrc.Sample
	}
	switch given := DataTypeOf[T](); {
	case t == given:
		return elementTypes[t]
	case t == Float16 && given == Uint16:
		return csrc.Float16
	}
	return notConverted
}

// floats is what runs a plan's conversions with values along one axis, or -1.
type floats struct {
	axis, element int
	nest          nest.Nest // writes float32 in place of elements
	*convert.Nest
}

func runFloat32(p *Plan, dst []float32, src []byte, element csrc.ElementType, given DataType, a Affine, at int) error {
	if element == notConverted {
		return &DescError{"src", -1, int64(given), int64(p.dataType), ErrDataType}
	}
	axis, err := affineAxis(p, &a)
	if err != nil {
		return err
	}
	if need := p.dstSize / int64(p.dataType.Size()); int64(len(dst)) < need {
		return BufferError("dst", Float32, 4*int64(len(dst)), 4*min(need, math.MaxInt64/4))
	}
	if int64(len(src)) < p.srcSize {
		return BufferError("src", p.dataType, int64(len(src)), p.srcSize)
	}
	f := p.floats.Load()
	if f == nil || f.axis != axis || f.element != int(element) {
		f = newFloats(p, axis, element)
		p.floats.Store(f)
	}
	// unsafe: elements of float32 have no pointers.
	d, s := pointers(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 4*len(dst)), src, at)
	free, err := checkOverlap(&f.nest, 4, d, s)
	if err != nil {
		return err
	}
	f.Run(d, s, a.Scale, a.Bias, engine.Race && !free)
	return nil
}

var one, zero = []float32{1}, []float32{0}

// affineAxis checks the values of a, sets those that it lacks, and returns the axis that they go along,
// or -1 if there is one value each.
func affineAxis(p *Plan, a *Affine) (axis int, err error) {
	axis = -1
	if len(a.Scale) == 0 {
		a.Scale = one
	}
	if len(a.Bias) == 0 {
		a.Bias = zero
	}
	for name, values := range a.lists {
		if len(values) == 1 {
			continue
		}
		last := p.rank - 1
		if a.Axis < 0 || a.Axis > last {
			return 0, &DescError{"Affine.Axis", -1, int64(a.Axis), int64(min(max(a.Axis, 0), last)), ErrRank}
		}
		axis = a.Axis
		if n := p.axes[axis].loop.Extent; int64(len(values)) != n {
			return 0, &DescError{name, axis, int64(len(values)), n, ErrSize}
		}
	}
	return axis, nil
}

// lists yields Scale and Bias with their names.
func (a *Affine) lists(yield func(name string, values []float32) bool) {
	_ = yield("Affine.Scale", a.Scale) && yield("Affine.Bias", a.Bias)
}

// newFloats makes what runs p's conversions. The lengths of buffers must have been checked, so that no
// product overflows.
func newFloats(p *Plan, axis int, element csrc.ElementType) *floats {
	f, size := &floats{axis: axis, element: int(element)}, p.dataType.Size()
	var loops [maxRank]convert.Loop
	rank := 0
	for i, a := range p.axes[:p.rank] {
		if a.loop.Extent == 1 {
			continue
		}
		l := convert.Loop{Extent: a.loop.Extent, Src: a.loop.Src, Dst: 4 * a.loop.Dst}
		f.nest.Dims[rank] = nest.Dim{Extent: l.Extent, Src: l.Src, Dst: l.Dst}
		if i == axis {
			l.Param = 1
		}
		loops[rank] = l
		rank++
	}
	f.nest.Rank, f.nest.Width = int32(rank), int32(size)
	nest.Order(&f.nest)
	nest.Coalesce(&f.nest)
	f.Nest = convert.Of(loops[:rank], element, int64(size), p.entry.Problem().Kernels, int(p.entry.Problem().Workers))
	return f
}
