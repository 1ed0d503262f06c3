package slice1

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Affine is what a conversion does to each number x before it stores it: Scale*x + Bias in float32,
// rounded after each step. The bits are the same everywhere, except a NaN's sign and payload. Scale
// and Bias each have one value, or one per index of output axis Axis. Axis matters only for several
// values; -1 names no axis. A nil or empty Scale is 1, and a nil or empty Bias is -0: they change
// nothing.
type Affine struct {
	Axis        int
	Scale, Bias []float32
}

// Conversion is a prepared slice whose elements become numbers of another type. Any number of
// goroutines may run it at once. It keeps no reference to the descriptor or to the values. A nil or
// zero Conversion writes nothing, and its methods return ErrPlan, 0 or a sentence.
type Conversion struct {
	placed
	nest        nest.Nest // all axes with two elements or more, in bytes, from the first element on
	valued      int       // the axis along which the values go, or -1
	extents     [maxRank]int64
	entry       *engine.Entry
	settings    engine.Settings
	scale, bias []float32
}

// NewConversion prepares the slice of d whose elements x become a.Scale*x + a.Bias, stored as
// numbers of type `to`. Each of d.Input.DataType and `to` is Uint8, Int8, Uint16, Int16, Int32,
// Float16, BFloat16 or Float32, in any pair. Other types are ErrDataType. d.Output.DataType must
// equal d.Input.DataType. Output.Strides count elements of `to`. Output.TotalSize, if set, must be
// at least [Conversion.DstSize] (ErrTotalSize).
//
// An Int32 x is first rounded to float32. Float16 and BFloat16 results are rounded to the nearest
// value, ties to even, and become infinite if they are too large: they are not saturated. Integer
// results are rounded in the same way and saturated, and a NaN becomes 0. All kernels and machines
// give the same bits, except a NaN's sign and payload.
//
// The errors are the same as [NewPlan]'s, and also ErrRank if a.Axis is no axis and ErrSize for a
// wrong number of values. The options are the same, and [WithByteOrder] is one.
func NewConversion(d *Desc, to DataType, a Affine, opts ...Option) (*Conversion, error) {
	c := new(Conversion)
	if err := c.init(d, to, &a, engine.Configure(opts)); err != nil {
		return nil, err
	}
	c.scale, c.bias = slices.Clone(c.scale), slices.Clone(c.bias)
	return c, nil
}

// init makes c, which must be zero. c refers to a's values and does not copy them.
func (c *Conversion) init(d *Desc, to DataType, a *Affine, s engine.Settings) error {
	if engine.ElementTypeOf(to) == program.Opaque {
		return &DescError{"to", -1, int64(to), int64(Float32), errNotConverted}
	}
	var in, out layout
	if err := d.validateTo(&in, &out, to); err != nil {
		return err
	}
	from := d.Input.DataType
	if engine.ElementTypeOf(from) == program.Opaque {
		return &DescError{"Input.DataType", -1, int64(from), int64(Float32), errNotConverted}
	}
	before := d.loops(&c.nest, &in, &out, to.Size())
	c.set(from, to, &in, &out, before, &c.nest)
	c.setAxes(d, &in)
	for i, n := range d.Output.Sizes {
		c.extents[i] = int64(n)
	}
	c.settings = s
	return c.setValues(a)
}

// With returns the same conversion with other values, which it copies. Use it for values that are
// known only per picture or per tensor. The result shares everything else with c, unless its values
// go along another axis.
func (c *Conversion) With(a Affine) (*Conversion, error) {
	if !c.valid() {
		return nil, errNoPlan
	}
	other := *c
	if err := other.setValues(&a); err != nil {
		return nil, err
	}
	other.scale, other.bias = slices.Clone(other.scale), slices.Clone(other.bias)
	return &other, nil
}

var one, zero = []float32{1}, []float32{float32(math.Copysign(0, -1))}

// setValues gives c the values of a. If they go along another axis than before, it finds the entry
// that runs c.
func (c *Conversion) setValues(a *Affine) error {
	c.scale, c.bias = one, zero
	if len(a.Scale) > 0 {
		c.scale = a.Scale
	}
	if len(a.Bias) > 0 {
		c.bias = a.Bias
	}
	valued := -1
	for i, values := range [...][]float32{c.scale, c.bias} {
		if len(values) == 1 {
			continue
		}
		if a.Axis < 0 || a.Axis >= c.rank {
			return &DescError{"Affine.Axis", -1, int64(a.Axis), int64(min(max(a.Axis, 0), c.rank-1)), ErrRank}
		}
		valued = a.Axis
		if n := c.extents[valued]; int64(len(values)) != n {
			return &DescError{[...]string{"Affine.Scale", "Affine.Bias"}[i], valued, int64(len(values)), n, ErrSize}
		}
	}
	if c.entry != nil && valued == c.valued {
		return nil
	}
	c.valued = valued
	problem := engine.Problem{Nest: c.nest}
	x := &problem.Numbers
	x.From, x.To, x.Valued = engine.ElementTypeOf(c.dataType), engine.ElementTypeOf(c.dstType), -1
	x.Swap = c.settings.Swap && x.From.Size() > 1
	for i, number := range [...]*program.ElementType{&x.From, &x.To} {
		if c.settings.Samples[i] {
			*number, x.Swap = program.Sample, false
		}
	}
	loop := int8(0)
	for i, n := range c.extents[:c.rank] {
		if n > 1 {
			if i == valued {
				x.Valued = loop
			}
			loop++
		}
	}
	if err := problem.Configure(&c.settings); err != nil {
		return err
	}
	entry, err := problem.Entry(&c.settings)
	if err == nil {
		c.entry = entry
	}
	return err
}

// valid reports whether NewConversion or With made c.
func (c *Conversion) valid() bool { return c != nil && c.entry != nil }

// Run slices src and converts it into dst, in one pass. dst must have at least DstSize bytes, and
// src at least SrcSize bytes (ErrBuffer). Both may begin at any address. Bytes of dst beyond
// DstSize and between output elements keep their value. Run returns ErrOverlap for the same buffers
// as [Plan.Run]. If Run returns an error, it has written nothing. On one goroutine it does not
// allocate. If another library has changed how the processor rounds, C kernels convert with the
// default and then restore the change; plain Go does not.
func (c *Conversion) Run(dst, src []byte) error {
	return c.RunContext(context.Background(), dst, src)
}

// RunContext is Run with a context. It stops when ctx is done, like [Plan.RunContext].
func (c *Conversion) RunContext(ctx context.Context, dst, src []byte) error {
	if !c.valid() {
		return errNoPlan
	}
	return c.runAt(ctx, dst, src, c.srcStart)
}

// RunAt is Run with the window at other offsets, like [Plan.RunAt].
func (c *Conversion) RunAt(dst, src []byte, offsets ...int) error {
	return c.RunAtContext(context.Background(), dst, src, offsets...)
}

// RunAtContext is RunAt with a context, like RunContext.
func (c *Conversion) RunAtContext(ctx context.Context, dst, src []byte, offsets ...int) error {
	if !c.valid() {
		return errNoPlan
	}
	at, err := c.startAt(offsets)
	if err != nil {
		return err
	}
	return c.runAt(ctx, dst, src, at)
}

func (c *Conversion) runAt(ctx context.Context, dst, src []byte, at int) error {
	parallel, err := c.admit(&c.nest, dst, src, at)
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	d, s := pointers(dst, src, at)
	return c.entry.Run(ctx, d, s, engine.Values{Scale: c.scale, Bias: c.bias}, parallel)
}

// From returns the data type of the source's elements.
func (c *Conversion) From() DataType {
	if !c.valid() {
		return 0
	}
	return c.dataType
}

// To returns the data type of the destination's elements.
func (c *Conversion) To() DataType {
	if !c.valid() {
		return 0
	}
	return c.dstType
}

// DstSize returns the number of bytes that dst must have at least.
func (c *Conversion) DstSize() int64 {
	if !c.valid() {
		return 0
	}
	return c.dstSize
}

// SrcSize returns the number of bytes that src must have at least.
func (c *Conversion) SrcSize() int64 {
	if !c.valid() {
		return 0
	}
	return c.srcSize
}

// String describes a run: the types, the kernel, the parts, the goroutines, the steps of each part,
// and the loops with strides in bytes.
func (c *Conversion) String() string {
	if !c.valid() {
		return errNoPlan.Error()
	}
	return fmt.Sprintf("%v to %v, %s", c.dataType, c.dstType, explain(c.entry, &c.buffers))
}

// Number is a Go type whose values a conversion reads or writes. A uint16 holds a Uint16, a Float16
// or a BFloat16, depending on the conversion.
type Number interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~int32 | ~float32
}

// Convert is c.Run on slices of numbers. D must be the Go type for c.To, and S the one for c.From
// (ErrDataType). For example, uint8 is wrong for Int8.
func Convert[D, S Number](c *Conversion, dst []D, src []S) error {
	if err := checkNumbers[D, S](c); err != nil {
		return err
	}
	return c.Run(Bytes(dst), Bytes(src))
}

// ConvertAt is c.RunAt on slices of numbers. Types are checked like in Convert.
func ConvertAt[D, S Number](c *Conversion, dst []D, src []S, offsets ...int) error {
	if err := checkNumbers[D, S](c); err != nil {
		return err
	}
	return c.RunAt(Bytes(dst), Bytes(src), offsets...)
}

// CopyConvert makes a conversion like [NewConversion] does, and runs it once like Convert. From the
// second call with the same layout on, it reuses what it prepared, from the cache that [Copy] uses.
// Then it allocates only for goroutines and errors.
func CopyConvert[D, S Number](dst []D, src []S, d *Desc, to DataType, a Affine, opts ...Option) error {
	var c Conversion
	s := engine.Configure(opts)
	if err := c.init(d, to, &a, s); err != nil {
		return err
	}
	return Convert(&c, dst, src)
}

func checkNumbers[D, S Number](c *Conversion) error {
	if !c.valid() {
		return errNoPlan
	}
	if given := DataTypeOf[D](); !isOf(given, c.dstType) {
		return &DescError{"dst", -1, int64(given), int64(c.dstType), ErrDataType}
	}
	if given := DataTypeOf[S](); !isOf(given, c.dataType) {
		return &DescError{"src", -1, int64(given), int64(c.dataType), ErrDataType}
	}
	return nil
}

// isOf reports whether a Go type of data type `given` can hold values of t.
func isOf(given, t DataType) bool {
	return given == t || given == Uint16 && (t == Float16 || t == BFloat16)
}
