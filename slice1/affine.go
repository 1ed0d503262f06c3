package slice1

import (
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Affine is what a plan with numbers does to each number x before it stores it: Scale*x + Bias,
// rounded after each step. The steps are in float32, or in float64 if x or the result is a Float64
// or an integer of 32 bits or more, which float32 would not hold. The bits are the same everywhere,
// except a NaN's sign and payload. Lists have one value, or one per index of output axis Axis. Axis
// is looked at only if one of them has several; an Axis of -1 names no axis, and is an error then.
// A nil or empty Scale is 1, and a nil or empty Bias is -0: they change nothing.
//
// Table, Zero and Divide are in place of that: [Affine.Quantize], [Quantize] and [Dequantize] set
// them, and so does Pipeline.Normalize of package imageslice.
type Affine struct {
	Axis        int
	Scale, Bias []float32

	// Table has what each byte becomes: 256 values, or 256 for each index of Axis one after
	// another. Byte x at index i of the axis becomes Table[256*i+x], stored like any number. The
	// source is Uint8, and Scale, Bias, Zero and Divide are not set (else [errors.ErrUnsupported]).
	// Any curve is a table, a gamma for example. If a table is a product and a sum in all its
	// values, a plan finds out, and is as fast as with these.
	Table []float32

	// Zero are zero points. Without Divide the source is of integers: (x - Zero) * Scale, where the
	// difference is exact, in float32. With Divide the result is of integers: see there. Zero with
	// Bias is [errors.ErrUnsupported]. A nil or empty Zero is 0.
	Zero []int32

	// Divide makes x/Scale, in float32 whatever the types are. For integers that is rounded, ties
	// to even, before Zero is added to it, and then saturated; a NaN counts as 0. Divide with Bias
	// is [errors.ErrUnsupported]. With Divide or Zero each Scale is above 0 (else ErrSize).
	Divide bool
}

// Quantize returns the Affine of ONNX's QuantizeLinear, which TFLite and DirectML have, too:
//
//	saturate(round(x/scale) + zero)
//
// Ties are rounded to even before the zero point is added, as by ONNX's QuantizeLinear, QLinearConv
// and QLinearMatMul. ONNX Runtime's QLinearAdd, QLinearMul and QLinearAveragePool add it first, as
// a product and a sum do, of Scale 1/scale and Bias zero: with an odd zero point each tie then goes
// to the other side. A photograph's bytes may all be ties: for a scale of 2/255, a zero point of -1
// and bytes as -1 to 1, one product and sum never make half of the 256 results.
func Quantize(scale []float32, zero []int32) Affine {
	return Affine{Scale: scale, Zero: zero, Divide: true}
}

// Dequantize returns the Affine of ONNX's DequantizeLinear: (q - zero) * scale, in this order. With
// Scale scale and Bias -scale*zero the last bits would differ.
func Dequantize(scale []float32, zero []int32) Affine {
	if len(zero) == 0 {
		zero = []int32{0}
	}
	return Affine{Scale: scale, Zero: zero}
}

// Quantize returns a Table of what [Quantize] makes of each value of affine's Table, so that a
// picture becomes the input of an int8 model in one pass:
//
//	t.Type, t.Affine = slice1.Int8, imageslice.Divide.Normalize(mean, std).Quantize(scale, zero)
//
// Without a Table it makes one of the 256 bytes by affine's Scale and Bias. A scale that is not
// above 0, lists of different lengths, and an Affine with Zero or Divide give a Table of a wrong
// length, which NewPlan and Convert refuse (ErrSize).
func (affine Affine) Quantize(scale float32, zero int) Affine {
	table := slices.Clone(affine.Table)
	if len(table) == 0 {
		table = affine.bytes()
	}
	if !(scale > 0) || affine.Divide || len(affine.Zero) > 0 || len(affine.Table) > 0 && len(affine.Scale)+len(affine.Bias) > 0 {
		table = make([]float32, 1)
	}
	for i, x := range table {
		y := math.RoundToEven(float64(x / scale))
		if y != y {
			y = 0
		}
		table[i] = float32(y + float64(zero))
	}
	return Affine{Axis: affine.Axis, Table: table}
}

// bytes returns a table of what affine's Scale and Bias make of each byte.
func (affine Affine) bytes() (table []float32) {
	n := max(1, len(affine.Scale), len(affine.Bias))
	value := func(v []float32, i int, otherwise float32) float32 {
		if len(v) == 0 {
			return otherwise
		}
		return v[min(i, len(v)-1)]
	}
	if len(affine.Scale) > 1 && len(affine.Scale) != n || len(affine.Bias) > 1 && len(affine.Bias) != n {
		return make([]float32, 1)
	}
	for i := range n {
		for x := range program.TableSize {
			table = append(table, float32(value(affine.Scale, i, 1)*float32(x))+value(affine.Bias, i, float32(math.Copysign(0, -1))))
		}
	}
	return table
}

// WithAffine returns the same plan with other values, which it copies. Use it for values that are
// known only per picture or per tensor. affine has as many values as the plan's Affine (ErrSize)
// and, if these are several, their axis (ErrRank). A nil or empty list counts as one value, and 256
// of a Table as one. The result shares everything else with p, unless the two have values of
// another sort: none, Table, Zero or Divide. The error is ErrPlan for a plan without [WithNumbers].
func (p *Plan) WithAffine(affine Affine) (*Plan, error) {
	if !p.valid() {
		return nil, errNoPlan
	}
	if p.conversion == nil {
		return nil, saying(ErrPlan, "the plan was made without WithNumbers, so it has no values to replace")
	}
	c := p.conversion
	n := affine.numbers(DataType(c.numbers.Type))
	count := c.numbers.Count()
	if given := n.Count(); given != count {
		field := "Affine.Scale"
		switch given {
		case len(affine.Table) / program.TableSize:
			field = "Affine.Table"
		case len(affine.Zero):
			field = "Affine.Zero"
		case len(affine.Bias):
			field = "Affine.Bias"
		}
		return nil, refused(ErrSize, field, -1, given, count, " has %s, the plan has %d", plural(int64(given), "value"), count)
	}
	if count > 1 && affine.Axis != c.numbers.Axis {
		return nil, refused(ErrRank, "Affine.Axis", -1, affine.Axis, c.numbers.Axis, " is %d, the plan's values go along axis %d", affine.Axis, c.numbers.Axis)
	}
	n.Axis = c.numbers.Axis
	if err := checkAffine(&n, c.desc.Input.DataType, c.desc.Output.Sizes); err != nil {
		return nil, err
	}
	q := *p
	if q.keep(c.desc, &c.settings, &n); q.conversion.becomes != c.becomes { // values of another sort have another rule
		return newPlan(c.desc, &c.settings, &n)
	}
	return &q, nil
}
