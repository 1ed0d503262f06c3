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
	axes := d.Axes()
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

// split sees every element as `parts` narrower ones, which are an axis of their own.
func split(axes []slice1.Axis, parts int64) ([]slice1.Axis, error) {
	elements, extent := parts, parts // of the narrow type: how many, and from the first to the last
	for i := range axes {
		a := &axes[i]
		a.Src *= parts
		a.Dst *= parts
		elements *= a.In
		extent += (a.In - 1) * a.Src
	}
	if got := max(elements, extent); got > math.MaxUint32 {
		return nil, &slice1.DescError{Field: "Input.Sizes", Axis: -1, Got: got / parts, Limit: math.MaxUint32 / parts, Err: slice1.ErrOverflow}
	}
	extent = parts
	for _, a := range axes {
		extent += (a.Out - 1) * a.Dst
	}
	if extent > math.MaxUint32 {
		return nil, &slice1.DescError{Field: "Output.Strides", Axis: -1, Got: extent / parts, Limit: math.MaxUint32 / parts, Err: slice1.ErrOverflow}
	}
	return append(axes, slice1.Axis{In: parts, Out: parts, Step: 1, Src: 1, Dst: 1}), nil
}

// newOperator narrows axes that keep the limits to DirectML's 32 bits.
func newOperator(t slice1.DataType, axes []slice1.Axis) operator {
	op := operator{dataType: t, rank: uint32(len(axes))}
	lastIn, lastOut := int64(0), int64(0)
	nextIn, nextOut := int64(1), int64(1)
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		if a.In == 1 {
			a.Src = min(nextIn, math.MaxUint32)
		}
		if a.Out == 1 {
			a.Dst = min(nextOut, math.MaxUint32)
		}
		nextIn, nextOut = a.Src*a.In, a.Dst*a.Out
		lastIn += (a.In - 1) * a.Src
		lastOut += (a.Out - 1) * a.Dst

		op.in.sizes[i], op.in.strides[i] = uint32(a.In), uint32(a.Src)
		op.out.sizes[i], op.out.strides[i] = uint32(a.Out), uint32(a.Dst)
		offset, size, step := a.Window(0, a.Out)
		op.offsets[i], op.windows[i], op.steps[i] = uint32(offset), uint32(size), int32(step)
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
	axes := make([]slice1.Axis, op.rank)
	for i := range axes {
		axes[i] = slice1.Axis{
			In: int64(op.windows[i]), Out: int64(op.out.sizes[i]),
			Start: max(0, -int64(op.steps[i])*int64(op.out.sizes[i]-1)), Step: int64(op.steps[i]),
			Src: int64(op.in.strides[i]), Dst: int64(op.out.strides[i]),
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
