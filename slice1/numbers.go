package slice1

import (
	"errors"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// numbers returns a as package engine has it.
func (affine *Affine) numbers(t DataType) engine.Affine {
	return engine.Affine{Type: uint32(t), Axis: affine.Axis, Scale: affine.Scale, Bias: affine.Bias, Table: affine.Table, Zero: affine.Zero, Divide: affine.Divide}
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
	numbers  engine.Affine
	becomes  plan.Cast
}

// keep gives p copies of the values of its numbers, which are right, and notes how p was made. desc
// is p's own.
func (p *Plan) keep(desc *Desc, s *engine.Settings, numbers *engine.Affine) {
	n := *numbers
	n.Scale, n.Bias = slices.Clone(n.Scale), slices.Clone(n.Bias)
	n.Zero, n.Table = slices.Clone(n.Zero), slices.Clone(n.Table)
	p.conversion = &conversion{desc: desc, settings: *s, numbers: n}
	p.conversion.becomes, p.values = resolve(desc, s, &n)
}

// checkAffine returns an error unless the values of numbers suit a source of type srcType and an
// output of the given extents.
func checkAffine(n *engine.Affine, srcType DataType, extents []int) error {
	if field, text := n.Conflict(engine.ElementTypeOf(srcType)); field != "" {
		return refused(errors.ErrUnsupported, field, -1, 0, 0, " %s", text)
	}
	if i := n.NotPositive(); i >= 0 {
		return refused(ErrSize, "Affine.Scale", -1, 0, 0, " has the value %v, must be above 0 with Zero or Divide", n.Scale[i])
	}
	for _, list := range n.Lists() {
		if list.Rest != 0 || list.Count > 1 {
			if err := checkList(n, list, extents); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkList returns an error unless a list has one value for each index of the axis of n.
func checkList(n *engine.Affine, list engine.List, extents []int) error {
	if list.Rest != 0 {
		return refused(ErrSize, list.Field, -1, list.Len, program.TableSize, " has %s, must have %d, or as many for each index of the axis", plural(int64(list.Len), "value"), program.TableSize)
	}
	axis, final := n.Axis, len(extents)-1
	if axis < 0 || axis > final {
		return refused(ErrRank, "Affine.Axis", -1, axis, min(max(axis, 0), final),
			" is %d, must be the output axis along which the values go, 0 to %d", axis, final)
	}
	if extent := extents[axis]; list.Count != extent {
		return &DescError{list.Field, axis, int64(list.Count), int64(extent),
			saying(ErrSize, "%s has %s, output axis %d has extent %d: must have one for each or one for all", list.Field, plural(int64(list.Count), list.Unit), axis, extent)}
	}
	return nil
}

// resolve returns what becomes of the elements of a valid descriptor, and the values of runs, which
// refer to those of numbers. The zero Numbers means that elements are opaque.
func resolve(d *Desc, s *engine.Settings, numbers *engine.Affine) (plan.Cast, engine.Values) {
	srcType, dstType := d.Input.DataType, d.Input.DataType
	if numbers != nil {
		dstType = DataType(numbers.Type)
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
			*number, swap = program.Sample257, false
		}
	}
	x, v := numbers.Resolve(src, dst, new([]uint64))
	if dst == program.Opaque {
		return plan.Cast{}, v
	}
	x.Swap = swap
	return x, v
}

func (t TensorDesc) clone() TensorDesc {
	t.Sizes, t.Strides = slices.Clone(t.Sizes), slices.Clone(t.Strides)
	return t
}
