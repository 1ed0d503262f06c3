package engine

import (
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// elementTypes maps a slice1.DataType, which is a DML_TENSOR_DATA_TYPE, to its type of numbers.
var elementTypes = [...]program.ElementType{1: program.Float32, program.Float16, program.Uint32, program.Uint16, program.Uint8,
	program.Int32, program.Int16, program.Int8, program.Float64, program.Uint64, program.Int64}

// bfloat16 is slice1.BFloat16, which DirectML does not have.
const bfloat16 = 1 << 16

// ElementTypeOf returns the type of numbers of t, a slice1.DataType, or Opaque if there is none.
func ElementTypeOf[T ~uint32](t T) program.ElementType {
	switch {
	case t == bfloat16:
		return program.BFloat16
	case uint64(t) < uint64(len(elementTypes)):
		return elementTypes[t]
	}
	return program.Opaque
}

// Affine asks for elements of another type. Its fields are those of slice1.Affine.
type Affine struct {
	Type        uint32 // of the elements written, a slice1.DataType
	Divide      bool
	Axis        int       // of the output, along which the values go if there are several
	Scale, Bias []float32 // one value each, or one for each index of the axis
	Zero        []int32   // the same
	Table       []float32 // 256 values, or 256 for each index of the axis
}

// HasValue reports whether there is a value. It is false for nil.
func (n *Affine) HasValue() bool {
	return n != nil && (len(n.Scale) > 0 || len(n.Bias) > 0 || len(n.Zero) > 0 || len(n.Table) > 0 || n.Divide)
}

// Count returns how many indices of the axis have values of their own, or 1.
func (n *Affine) Count() int {
	return max(1, len(n.Scale), len(n.Bias), len(n.Zero), len(n.Table)/program.TableSize)
}

// List is a list of values by its field of slice1.Affine.
type List struct {
	Field string
	Len   int
	Count int    // how many indices have values of their own
	Rest  int    // values that are too many or too few for that
	Unit  string // what there is one of for each index
}

// Lists returns the lists of n.
func (n *Affine) Lists() [4]List {
	tables, rest := len(n.Table)/program.TableSize, len(n.Table)%program.TableSize
	return [...]List{
		{"Affine.Scale", len(n.Scale), len(n.Scale), 0, "value"},
		{"Affine.Bias", len(n.Bias), len(n.Bias), 0, "value"},
		{"Affine.Zero", len(n.Zero), len(n.Zero), 0, "value"},
		{"Affine.Table", len(n.Table), tables, rest, "table"},
	}
}

// Conflict returns the field of slice1.Affine that does not go with the others or with the types,
// and what a sentence about it says, or "". src is the type of the source's elements.
func (n *Affine) Conflict(src program.ElementType) (field, text string) {
	dst := ElementTypeOf(n.Type)
	switch {
	case len(n.Table) > 0 && src != program.Uint8:
		return "Affine.Table", "is for sources of uint8 alone"
	case len(n.Table) > 0 && len(n.Scale) > 0:
		return "Affine.Scale", "is set beside Table, which has what it makes"
	case len(n.Table) > 0 && len(n.Bias) > 0:
		return "Affine.Bias", "is set beside Table, which has what it makes"
	case len(n.Table) > 0 && n.Divide:
		return "Affine.Divide", "is set beside Table, which has what it makes"
	case len(n.Zero) > 0 && len(n.Table) > 0:
		return "Affine.Zero", "is set beside Table, which has what it makes"
	case len(n.Zero) > 0 && len(n.Bias) > 0:
		return "Affine.Zero", "is set beside Bias; a zero point is subtracted or added as an integer"
	case n.Divide && len(n.Bias) > 0:
		return "Affine.Divide", "is set beside Bias, which it does not add"
	case len(n.Zero) > 0 && n.Divide && !dst.IsInteger():
		return "Affine.Zero", "with Divide is for results of integers alone"
	case len(n.Zero) > 0 && !n.Divide && !src.IsInteger():
		return "Affine.Zero", "without Divide is for sources of integers alone"
	}
	return "", ""
}

// NotPositive returns the index of a scale that is not above 0 though it divides, or has a zero
// point, or -1.
func (n *Affine) NotPositive() int {
	if !n.Divide && len(n.Zero) == 0 {
		return -1
	}
	return slices.IndexFunc(n.Scale, func(s float32) bool { return !(s > 0) })
}

// unit, nothing and noZero are the scale, the bias and the zero point that change nothing: 1, -0
// and 0. A bias of 0 would make 0 of -0.
var (
	unit    = []float32{1}
	nothing = []float32{float32(math.Copysign(0, -1))}
	noZero  = []int32{0}
)

// Resolve returns what becomes of elements of type src that are stored as type dst, and the values
// of runs. n, which may be nil, has been checked. Tables go into *room, which grows if need be.
// Values refer to the lists of n.
func (n *Affine) Resolve(src, dst program.ElementType, room *[]uint64) (plan.Cast, Values) {
	v := Values{Scale: unit, Bias: nothing}
	x := plan.CastOf(src, dst, n.HasValue())
	if !n.HasValue() {
		return x, v
	}
	if len(n.Table) > 0 {
		if x.Rule == program.InFloat32 && productAndSum(n.Table, room, &v) {
			return x, v
		}
		x.Rule = program.ByTable
		store(n.Table, dst, room, &v)
		return x, v
	}
	if len(n.Scale) > 0 {
		v.Scale = n.Scale
	}
	if len(n.Bias) > 0 {
		v.Bias = n.Bias
	}
	if !n.Divide && len(n.Zero) == 0 {
		return x, v
	}
	if v.Zero = noZero; len(n.Zero) > 0 {
		v.Zero = n.Zero
	}
	switch {
	case !n.Divide:
		x.Rule = program.Dequantized
	case dst.IsInteger():
		x.Rule = program.Quantized
	default:
		x.Rule = program.Quotient
	}
	return x, v
}
