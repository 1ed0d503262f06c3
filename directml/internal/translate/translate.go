package translate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// MaxRank is the most axes that an operator has.
const MaxRank = 8 // DML_TENSOR_DIMENSION_COUNT_MAX1

// Capability says what a device supports, as far as translations need to know it.
type Capability struct {
	Level slice1.FeatureLevel
	Types uint32 // bit t is set if it supports DataType t
}

// CapabilityOf returns the capability of a device of the given level. supports reports whether the
// device supports a type. CapabilityOf asks it for all types. Below level 4.1 it leaves out the
// types of 8 bytes, which older DLLs need not know. It returns the first error of supports.
func CapabilityOf(level slice1.FeatureLevel, supports func(slice1.DataType) (bool, error)) (Capability, error) {
	c := Capability{Level: level}
	for t := slice1.Float32; t <= slice1.Int64; t++ {
		if t.Size() == 8 && level < slice1.FeatureLevel4_1 {
			continue
		}
		ok, err := supports(t)
		if err != nil {
			return c, err
		}
		if ok {
			c.Types |= 1 << t
		}
	}
	return c, nil
}

// Takes reports whether the device supports a type.
func (c Capability) Takes(t slice1.DataType) bool { return c.Types>>t&1 != 0 }

// Operator is a SLICE1 in the form that DirectML gets. Equal operators do the same, so an Operator
// is the key of a device's compiled operators.
//
//   - The data type is an unsigned one. A slice copies bits, so any type of the same width will do,
//     and not every device has every type.
//   - Elements that lie side by side in both tensors become one element of up to 8 bytes, since
//     DirectML takes a thread for each element, and an adapter may see no more than MostElements.
//   - The window is the smallest that yields the output. With a larger window DirectML 1.15.4 may
//     return wrong elements, if the output is smaller than the window yields and axes chain in
//     memory.
//   - Memory strides are written out, for packed tensors too. No element depends on the stride of
//     an axis of extent 1. It is set to continue the axes after it, up to 2^32-1.
//   - Total sizes are the least that DirectML takes. They reach to the end of the last element,
//     rounded up to a multiple of 4. DirectML may write to all of an output's total size.
type Operator struct {
	DataType      slice1.DataType
	Rank          uint32 // how many axes are in use; the rest of each array is 0
	Input, Output Tensor
	Offsets       [MaxRank]uint32
	Windows       [MaxRank]uint32 // the windows' sizes
	Steps         [MaxRank]int32  // the windows' strides
}

// Tensor is the input or the output of an operator. Sizes and memory strides are in elements.
type Tensor struct {
	Sizes, Strides [MaxRank]uint32
	Total          uint64 // bytes, a multiple of 4
}

// Alignment is the least alignment that DirectML asks of the start of a tensor in a buffer, in
// bytes.
const Alignment = 16

// Validate returns the error of d.ValidateFor for level 6.4, or for c's level if it is newer. For
// older levels from 2.1 on, OperatorOf translates d. Level 2.1 is the first with SLICE1. Below it
// Validate returns the error of d.ValidateFor for c's level.
func (c Capability) Validate(d *slice1.Desc) error {
	level := c.Level
	if level >= slice1.FeatureLevel2_1 {
		level = max(level, slice1.FeatureLevel6_4)
	}
	return d.ValidateFor(level)
}

// OperatorOf returns the operator by which a device of capability c executes d on whole tensors. d
// must be valid. The error is ErrDataType if the device has no unsigned type that is narrow enough.
// It is ErrOverflow if elements become several narrower ones and their number exceeds DirectML's 32
// bits. It is ErrRank if too many axes are left after merging.
func OperatorOf(d *slice1.Desc, c Capability) (Operator, error) {
	return c.operator(d, false)
}

// MovableOf is OperatorOf for an operator that is executed only by its Spans. They begin at the
// first element taken, so elements can be wide wherever the window is. Descriptors that differ only
// in their WindowOffsets have operators with equal Spans.
func MovableOf(d *slice1.Desc, c Capability) (Operator, error) {
	return c.operator(d, true)
}

func (c Capability) operator(d *slice1.Desc, movable bool) (Operator, error) {
	dataType := d.Input.DataType
	for _, unit := range [...]slice1.DataType{slice1.Uint64, slice1.Uint32, slice1.Uint16, slice1.Uint8} {
		if !c.Takes(unit) {
			continue
		}
		width, parts := int64(unit.Size())/int64(dataType.Size()), int64(dataType.Size())/int64(unit.Size())
		axes, ok := d.Axes(), false
		if width > 1 {
			if axes, ok = widen(axes, width, movable); !ok {
				continue
			}
		} else if parts > 1 {
			var err error
			if axes, err = split(axes, parts); err != nil {
				return Operator{}, err
			}
		}
		minRank, maxRank := 1, MaxRank
		if c.Level < slice1.FeatureLevel3_0 {
			minRank, maxRank = 4, 5
		}
		rank := len(axes)
		if axes, ok = fit(axes, minRank, maxRank); ok {
			return newOperator(unit, axes), nil
		}
		if width <= 1 {
			got := len(d.Input.Sizes)
			limit := maxRank - (rank - got)
			return Operator{}, Refused(slice1.ErrRank, "Input.Sizes", int64(got), int64(limit),
				" has %d entries, must have at most %d: feature level %v has at most %d axes, and no more of these can be merged", got, limit, c.Level, maxRank)
		}
	}
	return Operator{}, Refused(slice1.ErrDataType, "Input.DataType", int64(dataType), int64(slice1.Uint32),
		" is %v, and the device has no unsigned type that holds it; most devices have %v", dataType, slice1.Uint32)
}

// widen makes one element of each group of width neighbours in memory, and changes axes. For
// instance, rows of 640 bytes that lie 704 bytes apart become rows of 80 elements of 8 bytes, 88
// elements apart. Along one axis elements must lie side by side in both tensors. widen joins axes
// that continue it to this axis. All distances must be multiples of width: the axis's extent of the
// output, the strides of the others and, unless movable is set, the place where the window begins.
// Otherwise ok is false.
func widen(axes []slice1.Axis, width int64, movable bool) (wide []slice1.Axis, ok bool) {
	if movable { // then it makes no difference where the one element of an axis is
		axes = slices.DeleteFunc(axes, func(axis slice1.Axis) bool { return axis.Out == 1 })
	}
	adjacent := func(axis slice1.Axis) bool { return axis.Src == 1 && axis.Dst == 1 && axis.Step == 1 && axis.Out > 1 }
	inner := slices.IndexFunc(axes, adjacent)
	if inner < 0 {
		return nil, false
	}
	for i := 0; i < len(axes); i++ {
		if joined, ok := merge(axes[i], axes[inner]); ok && i != inner && adjacent(joined) {
			axes[inner] = joined
			axes = slices.Delete(axes, i, i+1)
			inner, i = slices.IndexFunc(axes, adjacent), -1 // an axis that did not continue it may do so now
		}
	}
	for i := range axes {
		axis := &axes[i]
		if i == inner {
			if axis.Out%width != 0 || !movable && axis.Start%width != 0 {
				return nil, false
			}
			axis.In, axis.Out, axis.Start = axis.In/width, axis.Out/width, axis.Start/width
			continue
		}
		if axis.In > 1 && axis.Src%width != 0 || axis.Out > 1 && axis.Dst%width != 0 {
			return nil, false
		}
		axis.Src, axis.Dst = axis.Src/width, axis.Dst/width
	}
	return axes, true
}

// split splits every element into the given number of narrower elements, which become an axis
// of their own, the innermost one. It changes axes. The error is ErrOverflow if a tensor then
// has or spans more than 2^32-1 elements.
func split(axes []slice1.Axis, parts int64) ([]slice1.Axis, error) {
	elements, extent := parts, parts // narrow elements of the input: how many it has, and how many fit from the first to the last in memory
	for i := range axes {
		axis := &axes[i]
		axis.Src *= parts
		axis.Dst *= parts
		elements *= axis.In
		extent += (axis.In - 1) * axis.Src
	}
	if got := max(elements, extent); got > math.MaxUint32 {
		return nil, Refused(slice1.ErrOverflow, "Input.Sizes", got/parts, math.MaxUint32/parts,
			": the input has or spans %d elements, must be at most %d, because the device has only smaller ones", got/parts, math.MaxUint32/parts)
	}
	extent = parts
	for _, axis := range axes {
		extent += (axis.Out - 1) * axis.Dst
	}
	if extent > math.MaxUint32 {
		return nil, Refused(slice1.ErrOverflow, "Output.Strides", extent/parts, math.MaxUint32/parts,
			": the output spans %d elements, must be at most %d, because the device has only smaller ones", extent/parts, math.MaxUint32/parts)
	}
	return append(axes, slice1.Axis{In: parts, Out: parts, Step: 1, Src: 1, Dst: 1}), nil
}

// newOperator returns the operator over elements of type t and over axes. All numbers of axes must
// fit DirectML's 32 bits.
func newOperator(t slice1.DataType, axes []slice1.Axis) Operator {
	op := Operator{DataType: t, Rank: uint32(len(axes))}
	lastIn, lastOut := int64(0), int64(0)
	nextIn, nextOut := int64(1), int64(1)
	for i, axis := range slices.Backward(axes) {
		if axis.In == 1 {
			axis.Src = min(nextIn, math.MaxUint32)
		}
		if axis.Out == 1 {
			axis.Dst = min(nextOut, math.MaxUint32)
		}
		nextIn, nextOut = axis.Src*axis.In, axis.Dst*axis.Out
		lastIn += (axis.In - 1) * axis.Src
		lastOut += (axis.Out - 1) * axis.Dst

		op.Input.Sizes[i], op.Input.Strides[i] = uint32(axis.In), uint32(axis.Src)
		op.Output.Sizes[i], op.Output.Strides[i] = uint32(axis.Out), uint32(axis.Dst)
		offset, size, step := axis.Window(0, axis.Out)
		op.Offsets[i], op.Windows[i], op.Steps[i] = uint32(offset), uint32(size), int32(step)
	}
	size := int64(t.Size())
	op.Input.Total = uint64((lastIn+1)*size+3) &^ 3
	op.Output.Total = uint64((lastOut+1)*size+3) &^ 3
	return op
}

// String shows the operator: "uint32 [4 3] window 1+3/-1,0+2/1 out [3 2],
// memory strides [3 1] to [2 1]". The window on each axis is offset+size/stride.
func (op *Operator) String() string {
	r := op.Rank
	windows := make([]string, r)
	for i := range windows {
		windows[i] = fmt.Sprintf("%d+%d/%d", op.Offsets[i], op.Windows[i], op.Steps[i])
	}
	return fmt.Sprintf("%v %v window %s out %v, memory strides %v to %v", op.DataType, op.Input.Sizes[:r],
		strings.Join(windows, ","), op.Output.Sizes[:r], op.Input.Strides[:r], op.Output.Strides[:r])
}
