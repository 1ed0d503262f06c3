package slice1

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// DataType is the type of a tensor's elements, a DML_TENSOR_DATA_TYPE with its numeric values.
type DataType uint32

// The data types of SLICE1.
const (
	Float32 DataType = 1
	Float16 DataType = 2
	Uint32  DataType = 3
	Uint16  DataType = 4
	Uint8   DataType = 5
	Int32   DataType = 6
	Int16   DataType = 7
	Int8    DataType = 8
	Float64 DataType = 9
	Uint64  DataType = 10
	Int64   DataType = 11
)

// BFloat16 is the upper half of a float32, 2 bytes. DirectML does not have this type: the CPU
// slices and converts it, but [Desc.ValidateFor] and GPU plans refuse it (ErrDataType).
const BFloat16 DataType = 1 << 16

var dataTypes = [...]struct {
	name string
	size int
}{

	Float32: {"float32", 4},
	Float16: {"float16", 2},
	Uint32:  {"uint32", 4},
	Uint16:  {"uint16", 2},
	Uint8:   {"uint8", 1},
	Int32:   {"int32", 4},
	Int16:   {"int16", 2},
	Int8:    {"int8", 1},
	Float64: {"float64", 8},
	Uint64:  {"uint64", 8},
	Int64:   {"int64", 8},
}

// Size returns the bytes of one element: 1, 2, 4 or 8. It is 0 for a value that is not a constant
// of this package.
func (t DataType) Size() int {
	switch {
	case t == BFloat16:
		return 2
	case uint64(t) >= uint64(len(dataTypes)):
		return 0
	}
	return dataTypes[t].size
}

// TensorDesc says how a tensor lies in a buffer, like DML_BUFFER_TENSOR_DESC.
type TensorDesc struct {
	DataType  DataType
	Sizes     []int // extents in elements, outermost first; 1 to 8 of them, each at least 1
	Strides   []int // memory strides in elements, none negative; nil = packed row-major; 0 broadcasts (input only)
	TotalSize int64 // the least number of bytes that the buffer holds; 0 = MinSize()
	BaseAlign int   // GuaranteedBaseOffsetAlignment in bytes; 0 = no promise
}

// Desc is a SLICE1 operator, like DML_SLICE1_OPERATOR_DESC. Its lists have one entry per axis,
// outermost first. Window offsets, sizes and strides count elements along the axis. A Desc is plain
// data, and its JSON has the names of its fields. This package never modifies a Desc.
type Desc struct {
	Input, Output TensorDesc
	WindowOffsets []int // first element of the window, at least 0
	WindowSizes   []int // elements of the window, at least 1; offset+size is at most the input's extent
	WindowStrides []int // not 0; negative walks the window from its end
}

// maxRank is the largest rank of a descriptor.
const maxRank = nest.MaxRank

// layout says where the elements of a valid tensor lie in memory.
type layout struct {
	strides [maxRank]int64 // in elements, also for a packed tensor
	bytes   int64          // from the first to the last element in memory, both included, with gaps
}

// MinSize returns the bytes from the first to the last element in memory, both included. DirectML
// rounds this up to a multiple of 4. The errors are the same as Validate's for t.
func (t TensorDesc) MinSize() (int64, error) {
	l, err := t.layout()
	return l.bytes, err
}

// layout returns t's layout, or what is wrong with t alone.
func (t *TensorDesc) layout() (l layout, err error) {
	if err = t.checkRank(); err == nil {
		err = t.checkType()
	}
	if err == nil {
		err = l.set(t)
	}
	return l, err
}

func (t *TensorDesc) checkRank() error {
	if err := checkCount("Sizes", len(t.Sizes), 1); err != nil {
		return err
	}
	if t.Strides != nil && len(t.Strides) != len(t.Sizes) {
		return rankError("Strides", len(t.Strides), "Sizes", len(t.Sizes))
	}
	return nil
}

func (t *TensorDesc) checkType() error {
	if t.DataType.Size() == 0 {
		return typeError("DataType", t.DataType)
	}
	return nil
}

// set sets l, which must be zero, to t's layout, or returns the error of t's extents and strides.
// The caller has checked the rank and the data type.
func (l *layout) set(t *TensorDesc) error {
	for i, n := range t.Sizes {
		if err := bounded(ErrSize, "Sizes", i, n, 1, math.MaxInt, ""); err != nil {
			return err
		}
	}
	size := int64(t.DataType.Size())
	limit := int64(1<<63-1) >> bits.TrailingZeros64(uint64(size))
	extent := int64(1)
	for i := len(t.Sizes) - 1; i >= 0; i-- {
		n := int64(t.Sizes[i])
		if t.Strides == nil {
			l.strides[i] = extent
			product, ok := mul(extent, n)
			if !ok || product > limit {
				return bounded(ErrOverflow, "Sizes", i, n, 1, limit/extent, uncountable)
			}
			extent = product
			continue
		}
		s := int64(t.Strides[i])
		if s < 0 {
			return bounded(ErrStride, "Strides", i, s, 0, math.MaxInt64, "")
		}
		l.strides[i] = s
		reach, ok := mul(n-1, s)
		if !ok || reach > limit-extent {
			return bounded(ErrOverflow, "Strides", i, s, 0, (limit-extent)/(n-1), uncountable)
		}
		extent += reach
	}
	l.bytes = extent * size
	return nil
}

// checkMemory checks TotalSize and BaseAlign by the CPU's rules.
func (t *TensorDesc) checkMemory(l *layout) error {
	if t.TotalSize != 0 {
		if err := bounded(ErrTotalSize, "TotalSize", -1, t.TotalSize, l.bytes, math.MaxInt64, " bytes"); err != nil {
			return err
		}
	}
	return t.checkAlign(int64(t.DataType.Size()), 1<<(strconv.IntSize-2))
}

// checkAlign returns an error unless BaseAlign is 0 or a power of two from lo to hi. lo and hi must
// be powers of two. The limit of the error is the nearest allowed value, the smaller of two equally
// near ones.
func (t *TensorDesc) checkAlign(lo, hi int64) error {
	align := int64(t.BaseAlign)
	if align == 0 || align >= lo && align <= hi && align&(align-1) == 0 {
		return nil
	}
	nearest := lo
	for nearest < hi && align > nearest && align-nearest > 2*nearest-align {
		nearest *= 2
	}
	return refused(ErrAlign, "BaseAlign", -1, align, nearest, " is %s, the nearest alignment is %d", plural(align, "byte"), nearest)
}

// checkShape checks the numbers of axes and the data types.
func (d *Desc) checkShape() error {
	if err := addPrefix("Input.", d.Input.checkRank()); err != nil {
		return err
	}
	rank := len(d.Input.Sizes)
	switch {
	case len(d.Output.Sizes) != rank:
		return rankError("Output.Sizes", len(d.Output.Sizes), "Input.Sizes", rank)
	case len(d.WindowOffsets) != rank:
		return rankError("WindowOffsets", len(d.WindowOffsets), "Input.Sizes", rank)
	case len(d.WindowSizes) != rank:
		return rankError("WindowSizes", len(d.WindowSizes), "Input.Sizes", rank)
	case len(d.WindowStrides) != rank:
		return rankError("WindowStrides", len(d.WindowStrides), "Input.Sizes", rank)
	}
	if err := addPrefix("Output.", d.Output.checkRank()); err != nil {
		return err
	}
	if err := addPrefix("Input.", d.Input.checkType()); err != nil {
		return err
	}
	if d.Output.DataType != d.Input.DataType {
		return otherType(d.Output.DataType, d.Input.DataType)
	}
	return nil
}

// checkWindow checks the windows, and that they yield the output. The caller has called checkShape
// and checked the extents.
func (d *Desc) checkWindow() error {
	inputs := d.Input.Sizes
	rank := len(inputs)
	// With slices of length rank the compiler drops bounds checks.
	offsets, sizes, strides, outs := d.WindowOffsets[:rank], d.WindowSizes[:rank], d.WindowStrides[:rank], d.Output.Sizes[:rank]
	for i, n := range inputs {
		offset, size, stride, extent := offsets[i], sizes[i], strides[i], outs[i]
		if err := bounded(ErrWindow, "WindowOffsets", i, offset, 0, n-1, leavesInput); err != nil {
			return err
		}
		if err := bounded(ErrWindow, "WindowSizes", i, size, 1, n-offset, leavesInput); err != nil {
			return err
		}
		if stride == 0 {
			return strideError("WindowStrides", i)
		}
		// This is extent > 1 + (size-1)/|stride| without the division, which takes longer than the
		// other checks.
		if hi, reach := bits.Mul64(uint64(extent-1), magnitude(stride)); hi != 0 || reach > uint64(size-1) {
			limit := 1 + int(uint64(size-1)/magnitude(stride))
			return refused(ErrOutput, "Output.Sizes", i, extent, limit, " is %d, the window yields at most %d", extent, limit)
		}
	}
	return nil
}

// validate returns an error if the CPU cannot run d, for an output whose elements have the type
// dstType or, if that is 0, the input's. Otherwise it sets *input and *output, which must be zero,
// to the layouts of d's input and output.
func (d *Desc) validate(input, output *layout, dstType DataType) error {
	if d == nil {
		return refused(ErrRank, "Desc", -1, 0, 1, " is nil")
	}
	if err := d.checkShape(); err != nil {
		return err
	}
	if err := addPrefix("Input.", input.set(&d.Input)); err != nil {
		return err
	}
	stored := d.Output
	if dstType != 0 {
		stored.DataType = dstType
	}
	if err := addPrefix("Output.", output.set(&stored)); err != nil {
		return err
	}
	if err := d.checkWindow(); err != nil {
		return err
	}
	if err := addPrefix("Input.", d.Input.checkMemory(input)); err != nil {
		return err
	}
	if err := addPrefix("Output.", stored.checkMemory(output)); err != nil {
		return err
	}
	if d.Output.Strides == nil { // packed elements are apart
		return nil
	}
	return d.checkDistinct()
}

// Validate returns nil if the CPU can run d, and otherwise a [*DescError]. NewPlan checks the same
// rules:
//
//   - rank 1 to 8, equal for all lists (ErrRank), and one known type (ErrDataType);
//   - extents of at least 1 (ErrSize), memory strides of at least 0 (ErrStride), a tensor whose
//     bytes 63 bits can count (ErrOverflow);
//   - offset >= 0, size >= 1, offset+size <= extent (ErrWindow), a window stride that is not 0
//     (ErrStride), an output extent that the window yields (ErrOutput);
//   - TotalSize 0 or at least MinSize (ErrTotalSize), BaseAlign 0 or a power of two of at least the
//     element size (ErrAlign);
//   - no two output elements that share a byte, and no strides so entangled that it takes about 16
//     ms to decide that (both match ErrOverlap and ErrStride).
func (d *Desc) Validate() error {
	var input, output layout
	return d.validate(&input, &output, 0)
}

// start returns the index of the input element that becomes output element 0 along an axis. d must
// be valid.
func (d *Desc) start(axis int) int {
	if d.WindowStrides[axis] < 0 {
		return d.WindowOffsets[axis] + d.WindowSizes[axis] - 1
	}
	return d.WindowOffsets[axis]
}

// loops sets n, which must be zero, to the nest of a valid descriptor. The nest is not in normal
// form. Elements of the destination have dstSize bytes. loops returns the bytes of the source
// before the window, and n.SrcOff counts from there. Axes of one output element have no loop, and
// their strides may be anything. No product overflows, because each is the distance of two elements
// of a tensor.
func (d *Desc) loops(n *nest.Nest, input, output *layout, dstSize int) (srcStart int) {
	size := int64(d.Input.DataType.Size())
	n.Width = int32(size)
	rank, nestStart, windowStart := 0, int64(0), int64(0)
	for i, extent := range d.Output.Sizes {
		step := int64(d.WindowStrides[i])
		windowStart += int64(d.WindowOffsets[i]) * input.strides[i]
		nestStart += int64(d.start(i)-d.WindowOffsets[i]) * input.strides[i]
		if extent > 1 {
			dim := &n.Dims[rank]
			dim.Extent = int64(extent)
			dim.Src = step * input.strides[i] * size
			dim.Dst = output.strides[i] * int64(dstSize)
			rank++
		}
	}
	n.Rank, n.SrcOff = int32(rank), nestStart*size
	return int(windowStart * size)
}

// mul returns x*y for operands that are not negative. ok is false if the product exceeds 63 bits.
func mul(x, y int64) (product int64, ok bool) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	return int64(lo), hi == 0 && int64(lo) >= 0
}

// magnitude returns |v|, which does not fit an int for the most negative v.
func magnitude(v int) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// bounded returns nil if lo <= got <= hi, and otherwise a DescError with the nearer limit. Its text
// ends with what follows the limit.
func bounded[T int | int64](sentinel error, field string, axis int, got, lo, hi T, ending string) error {
	if got < lo || got > hi {
		return outside(sentinel, field, axis, int64(got), int64(lo), int64(hi), ending)
	}
	return nil
}

// What follows the limit in the texts of bounded.
const (
	leavesInput   = ": the window is empty or leaves the input"
	uncountable   = ": 63 bits must count the tensor's bytes"
	tooManyForInt = ", which an int holds"
)

// checkCount returns an error unless a list has as many entries as there may be axes, and at least
// as many as lowest.
func checkCount(field string, rank, lowest int) error {
	if rank < lowest || rank > maxRank {
		return refused(ErrRank, field, -1, rank, min(max(rank, lowest), maxRank), " has %s, must have %d to %d", plural(int64(rank), "entry"), lowest, maxRank)
	}
	return nil
}

// addPrefix puts a prefix before the field of err, a *DescError with a text that begins with the
// field, or nil.
func addPrefix(prefix string, err error) error {
	if e, ok := err.(*DescError); ok {
		e.Field = prefix + e.Field
		e.Err = sentence.Append("slice1: ", prefix, e.Err)
	}
	return err
}
