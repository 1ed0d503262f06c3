package directml

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

const maxRank = 8 // DML_TENSOR_DIMENSION_COUNT_MAX1

// capability is what translations aim at: what a device takes.
type capability struct {
	level slice1.FeatureLevel
	types uint32 // bit t is set where it takes DataType t
}

// capabilityOf asks for each type that SLICE1 has at a level. DLLs of lower levels
// than 4.1 need not know types of 8 bytes, and are not asked.
func capabilityOf(level slice1.FeatureLevel, supports func(slice1.DataType) (bool, error)) (capability, error) {
	c := capability{level: level}
	for t := slice1.Float32; t <= slice1.Int64; t++ {
		if t.Size() == 8 && level < slice1.FeatureLevel4_1 {
			continue
		}
		ok, err := supports(t)
		if err != nil {
			return c, err
		}
		if ok {
			c.types |= 1 << t
		}
	}
	return c, nil
}

func (c capability) takes(t slice1.DataType) bool { return c.types>>t&1 != 0 }

// An operator is a SLICE1 in the form DirectML gets it. Equal operators do the
// same: plans are cached by them.
//
//   - The data type is an unsigned one: a slice copies bits, so that the sign
//     and the point make no difference, but not every device has every type.
//   - The window is the smallest that yields the output. With a larger one
//     DirectML 1.15.4 returns wrong elements where an output is smaller than its
//     window yields and the axes around it chain in memory.
//   - Memory strides are always there. Those of axes of extent 1, which mean
//     nothing, continue the ones inside.
//   - Total sizes are the least DirectML takes, so that it has no padding at
//     the end to write to.
type operator struct {
	dataType slice1.DataType
	rank     uint32
	in, out  tensor
	offsets  [maxRank]uint32
	windows  [maxRank]uint32
	steps    [maxRank]int32
}

type tensor struct {
	sizes, strides [maxRank]uint32
	total          uint64 // bytes, a multiple of 4
}

// axis is one dimension of a slice, by itself: element k of the output is
// element start + step*k of the input.
type axis struct {
	n, m        int64 // extents of the input and the output
	start, step int64 // step is 1 where m is 1
	in, out     int64 // memory strides in elements
}

// validate returns the error of d.ValidateFor with the newest level's rules.
func (c capability) validate(d *slice1.Desc) error {
	level := c.level
	if level >= slice1.FeatureLevel2_1 { // with SLICE1, and then as good as any
		level = max(level, slice1.FeatureLevel6_4)
	}
	return d.ValidateFor(level)
}

// translate returns the operator that does what d, which is valid, says on a
// device. The error says which rule of the device's level d cannot be brought to
// fit.
func translate(d *slice1.Desc, c capability) (operator, error) {
	axes := axesOf(d)
	dataType := d.Input.DataType
	unit, ok := c.widest(dataType.Size())
	if !ok {
		return operator{}, &slice1.DescError{Field: "Input.DataType", Axis: -1, Got: int64(dataType), Limit: int64(slice1.Uint32), Err: slice1.ErrDataType}
	}
	if parts := int64(dataType.Size() / unit.Size()); parts > 1 {
		var err error
		if axes, err = split(axes, parts); err != nil {
			return operator{}, err
		}
	}
	least, most := 1, maxRank
	if c.level < slice1.FeatureLevel3_0 {
		least, most = 4, 5
	}
	rank := len(axes)
	if axes, ok = fit(axes, least, most); !ok {
		got := len(d.Input.Sizes)
		return operator{}, &slice1.DescError{Field: "Input.Sizes", Axis: -1, Got: int64(got), Limit: int64(most - (rank - got)), Err: slice1.ErrRank}
	}
	return newOperator(unit, axes), nil
}

// widest returns the widest unsigned type of at most size bytes that the
// device takes.
func (c capability) widest(size int) (slice1.DataType, bool) {
	for _, t := range [...]slice1.DataType{slice1.Uint64, slice1.Uint32, slice1.Uint16, slice1.Uint8} {
		if t.Size() <= size && c.takes(t) {
			return t, true
		}
	}
	return 0, false
}

// axesOf takes a valid descriptor apart.
func axesOf(d *slice1.Desc) []axis {
	axes := make([]axis, len(d.Input.Sizes))
	in, out := int64(1), int64(1) // packed strides
	for i := len(axes) - 1; i >= 0; i-- {
		a := &axes[i]
		*a = axis{
			n: int64(d.Input.Sizes[i]), m: int64(d.Output.Sizes[i]),
			start: int64(d.WindowOffsets[i]), step: int64(d.WindowStrides[i]),
			in: in, out: out,
		}
		if a.step < 0 {
			a.start += int64(d.WindowSizes[i]) - 1
		}
		if a.m == 1 {
			a.step = 1
		}
		in *= a.n
		out *= a.m
		if d.Input.Strides != nil {
			a.in = int64(d.Input.Strides[i])
		}
		if d.Output.Strides != nil {
			a.out = int64(d.Output.Strides[i])
		}
	}
	return axes
}

// split sees every element as `parts` narrower ones, which are an axis of their own.
func split(axes []axis, parts int64) ([]axis, error) {
	elements, extent := parts, parts // of the narrow type: how many, and from the first to the last
	for i := range axes {
		a := &axes[i]
		a.in *= parts
		a.out *= parts
		elements *= a.n
		extent += (a.n - 1) * a.in
	}
	if got := max(elements, extent); got > math.MaxUint32 {
		return nil, &slice1.DescError{Field: "Input.Sizes", Axis: -1, Got: got / parts, Limit: math.MaxUint32 / parts, Err: slice1.ErrOverflow}
	}
	extent = parts
	for _, a := range axes {
		extent += (a.m - 1) * a.out
	}
	if extent > math.MaxUint32 {
		return nil, &slice1.DescError{Field: "Output.Strides", Axis: -1, Got: extent / parts, Limit: math.MaxUint32 / parts, Err: slice1.ErrOverflow}
	}
	return append(axes, axis{n: parts, m: parts, step: 1, in: 1, out: 1}), nil
}

// newOperator narrows axes that keep the limits to DirectML's 32 bits.
func newOperator(t slice1.DataType, axes []axis) operator {
	op := operator{dataType: t, rank: uint32(len(axes))}
	lastIn, lastOut := int64(0), int64(0)
	nextIn, nextOut := int64(1), int64(1)
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		if a.n == 1 {
			a.in = min(nextIn, math.MaxUint32)
		}
		if a.m == 1 {
			a.out = min(nextOut, math.MaxUint32)
		}
		nextIn, nextOut = a.in*a.n, a.out*a.m
		lastIn += (a.n - 1) * a.in
		lastOut += (a.m - 1) * a.out

		op.in.sizes[i], op.in.strides[i] = uint32(a.n), uint32(a.in)
		op.out.sizes[i], op.out.strides[i] = uint32(a.m), uint32(a.out)
		op.steps[i] = int32(a.step)
		op.offsets[i] = uint32(min(a.start, a.start+(a.m-1)*a.step))
		op.windows[i] = uint32((a.m-1)*max(a.step, -a.step) + 1)
	}
	size := int64(t.Size())
	op.in.total = uint64((lastIn+1)*size+3) &^ 3
	op.out.total = uint64((lastOut+1)*size+3) &^ 3
	return op
}

// narrowed returns the operator over what op takes of its input and no more: a
// tensor that starts with the first element taken in memory and ends with the
// last. Slices that differ only in where their window is have the same.
func (op *operator) narrowed() operator {
	axes := make([]axis, op.rank)
	for i := range axes {
		a := &axes[i]
		*a = axis{
			n: int64(op.windows[i]), m: int64(op.out.sizes[i]), step: int64(op.steps[i]),
			in: int64(op.in.strides[i]), out: int64(op.out.strides[i]),
		}
		if a.step < 0 {
			a.start = a.n - 1
		}
	}
	return newOperator(op.dataType, axes)
}

// String shows the operator: "uint32 [4 3] window 1+3/-1,0+2/1 out [3 2],
// memory strides [3 1] to [2 1]".
func (op *operator) String() string {
	r := op.rank
	windows := make([]string, r)
	for i := range windows {
		windows[i] = fmt.Sprintf("%d+%d/%d", op.offsets[i], op.windows[i], op.steps[i])
	}
	return fmt.Sprintf("%v %v window %s out %v, memory strides %v to %v", op.dataType, op.in.sizes[:r],
		strings.Join(windows, ","), op.out.sizes[:r], op.in.strides[:r], op.out.strides[:r])
}
