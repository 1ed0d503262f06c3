package slice1

import (
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Affine is what a plan with numbers does to each number x before it stores it: Scale*x + Bias,
// rounded after each step. The steps are in float32, or in float64 if x or the result is a Float64
// or an integer of 32 bits or more, which float32 would not hold. The bits are the same everywhere, except a NaN's sign and
// payload. Scale and Bias each have one value, or one per index of output axis Axis. Axis is looked
// at only if one of them has several; an Axis of -1 names no axis, and is an error then. A nil or
// empty Scale is 1, and a nil or empty Bias is -0: they change nothing.
type Affine struct {
	Axis        int
	Scale, Bias []float32
}

// Number is a Go type of the numbers that package imageslice takes and makes. A uint16 holds a
// Uint16, a Float16 or a BFloat16.
type Number interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 | ~float32 | ~float64
}

// conversion is how a plan with numbers was made. All its memory is the plan's own.
type conversion struct {
	desc     *Desc
	settings engine.Settings
	numbers  engine.Numbers
}

// WithAffine returns the same plan with other values, which it copies. Use it for values that are
// known only per picture or per tensor. affine has as many values as the plan's Affine (ErrSize)
// and, if these are several, their axis (ErrRank). A nil or empty list counts as one value. The
// result shares everything else with p, unless one of the two has no values at all. The error is
// ErrPlan for a plan without [WithNumbers].
func (p *Plan) WithAffine(affine Affine) (*Plan, error) {
	if !p.valid() {
		return nil, errNoPlan
	}
	if p.conversion == nil {
		return nil, saying(ErrPlan, "the plan was made without WithNumbers, so it has no values to replace")
	}
	c := p.conversion
	n := c.numbers
	count := max(1, len(n.Scale), len(n.Bias))
	if given := max(1, len(affine.Scale), len(affine.Bias)); given != count {
		field := "Affine.Scale"
		if given == len(affine.Bias) {
			field = "Affine.Bias"
		}
		return nil, refused(ErrSize, field, -1, given, count, " has %s, the plan has %d", plural(int64(given), "value"), count)
	}
	if count > 1 && affine.Axis != n.Axis {
		return nil, refused(ErrRank, "Affine.Axis", -1, affine.Axis, n.Axis, " is %d, the plan's values go along axis %d", affine.Axis, n.Axis)
	}
	n.Scale, n.Bias = affine.Scale, affine.Bias
	if n.HasValue() != c.numbers.HasValue() { // "without values" may have rules of its own
		return newPlan(c.desc, &c.settings, &n)
	}
	if _, err := valuesOf(&n, c.desc.Output.Sizes); err != nil {
		return nil, err
	}
	q := *p
	q.keep(c.desc, &c.settings, &n)
	return &q, nil
}

// keep gives p copies of the values of its numbers, which are right, and notes how p was made. desc
// is p's own.
func (p *Plan) keep(desc *Desc, s *engine.Settings, numbers *engine.Numbers) {
	n := *numbers
	n.Scale, n.Bias = slices.Clone(n.Scale), slices.Clone(n.Bias)
	p.values, _ = valuesOf(&n, desc.Output.Sizes)
	p.conversion = &conversion{desc, *s, n}
}

// one and zero are the scale and the bias that change nothing. zero is -0: 0 would make 0 of -0.
var one, zero = []float32{1}, []float32{float32(math.Copysign(0, -1))}

// valuesOf returns the values of numbers, which it does not copy, for an output of the given
// extents. If numbers is nil, there are none.
func valuesOf(numbers *engine.Numbers, extents []int) (engine.Values, error) {
	v := engine.Values{Scale: one, Bias: zero}
	if numbers == nil {
		return v, nil
	}
	for i, values := range [...][]float32{numbers.Scale, numbers.Bias} {
		if len(values) == 0 {
			continue
		}
		if n := len(values); n > 1 {
			axis := numbers.Axis
			if axis < 0 || axis >= len(extents) {
				last := len(extents) - 1
				return v, refused(ErrRank, "Affine.Axis", -1, axis, min(max(axis, 0), last),
					" is %d, must be the output axis along which the values go, 0 to %d", axis, last)
			}
			if extent := extents[axis]; n != extent {
				field := [...]string{"Affine.Scale", "Affine.Bias"}[i]
				return v, &DescError{field, axis, int64(n), int64(extent),
					saying(ErrSize, "%s has %s, output axis %d has extent %d: must have one for each or one for all", field, plural(int64(n), "value"), axis, extent)}
			}
		}
		*[...]*[]float32{&v.Scale, &v.Bias}[i] = values
	}
	return v, nil
}

// numbersOf returns what becomes of the elements of a valid descriptor. The zero Numbers means that
// they are opaque.
func numbersOf(d *Desc, s *engine.Settings, numbers *engine.Numbers) plan.Numbers {
	srcType, dstType := d.Input.DataType, d.Input.DataType
	if numbers != nil {
		dstType = numbers.Type
	}
	swap := s.Swap && srcType.Size() > 1
	var src, dst program.ElementType
	switch {
	case srcType != dstType || numbers.HasValue() || s.Samples != [2]bool{}:
		src, dst = engine.ElementTypeOf(srcType), engine.ElementTypeOf(dstType)
	case swap:
		src = [...]program.ElementType{2: program.Bits16, 4: program.Bits32, 8: program.Bits64}[srcType.Size()]
		dst = src
	}
	for i, number := range [...]*program.ElementType{&src, &dst} {
		if s.Samples[i] {
			*number, swap = program.Sample, false
		}
	}
	if dst == program.Opaque {
		return plan.Numbers{}
	}
	x := plan.NumbersOf(src, dst, numbers.HasValue())
	x.Swap = swap
	return x
}

// element is a Go type of elements. The zero element is bytes that hold elements of any type.
type element struct {
	size   int
	number DataType // of a Go type of numbers, if numbers are asked for; else 0
}

func elementOf[T Element](numbers bool) element {
	e := element{size: sizeOf[T]()}
	if numbers {
		e.number = numberOf[T]()
	}
	return e
}

// checkElements returns an error unless d and s suit a plan that reads srcType and writes dstType:
// numbers of these types if numbers is true, else elements of their size.
func checkElements(d, s element, dstType, srcType DataType, numbers bool) error {
	if numbers && d.number == dstType && s.number == srcType || !numbers && d.size == dstType.Size() && s.size == srcType.Size() {
		return nil
	}
	if err := d.check("dst", "writes", dstType, numbers); err != nil {
		return err
	}
	return s.check("src", "reads", srcType, numbers)
}

func (e element) check(field, does string, t DataType, numbers bool) error {
	switch {
	case e.size == 0:
		return nil
	case !numbers && e.size == t.Size(), numbers && (e.number == t || e.number == Uint16 && (t == Float16 || t == BFloat16)):
		return nil
	case numbers && e.number == 0:
		return refused(ErrDataType, field, -1, 0, int64(t), " has elements that are no numbers, the plan %s %v", does, t)
	case numbers:
		return refused(ErrDataType, field, -1, int64(e.number), int64(t), " has elements of type %v, the plan %s %v", e.number, does, t)
	case e.size == 1:
		return refused(ErrDataType, field, -1, 1, t.Size(),
			" has elements of 1 byte, the plan %s %v, of %d; Plan.Run and CopyBytes take bytes of any type", does, t, t.Size())
	}
	converts := "; WithNumbers converts"
	if numbers || e.size > 8 {
		converts = ""
	}
	return refused(ErrDataType, field, -1, e.size, t.Size(), " has elements of %d bytes, the plan %s %v, of %d%s", e.size, does, t, t.Size(), converts)
}
