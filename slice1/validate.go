package slice1

import (
	"math/bits"
	"strconv"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

const maxRank = nest.MaxRank

// layout is the place of a valid tensor's elements in memory.
type layout struct {
	strides [maxRank]int64 // in elements; worked out if the tensor is packed
	extent  int64          // elements from the first to the last in memory, both included, with gaps
	bytes   int64          // extent in bytes
}

// MinSize returns the bytes from the first element to the last in memory, both included, or the error
// that Validate has for t alone. DirectML rounds them up to a multiple of 4.
func (t TensorDesc) MinSize() (int64, error) {
	if err := t.checkRank(""); err != nil {
		return 0, err
	}
	if err := t.checkType(""); err != nil {
		return 0, err
	}
	l, err := t.layout("")
	return l.bytes, err
}

func (t *TensorDesc) checkRank(side string) error {
	rank := int64(len(t.Sizes))
	if rank < 1 {
		return &DescError{side + "Sizes", -1, rank, 1, ErrRank}
	}
	if rank > maxRank {
		return &DescError{side + "Sizes", -1, rank, maxRank, ErrRank}
	}
	if t.Strides != nil && int64(len(t.Strides)) != rank {
		return &DescError{side + "Strides", -1, int64(len(t.Strides)), rank, ErrRank}
	}
	return nil
}

func (t *TensorDesc) checkType(side string) error {
	if t.DataType.Size() == 0 {
		limit := int64(Int64)
		if t.DataType == 0 {
			limit = int64(Float32)
		}
		return &DescError{side + "DataType", -1, int64(t.DataType), limit, ErrDataType}
	}
	return nil
}

// layout returns t's layout, or the error of t's extents and strides. The rank and the
// data type must have been checked.
func (t *TensorDesc) layout(side string) (l layout, err error) {
	err = l.set(t, side)
	return l, err
}

// set is layout into l, which must be zero.
func (l *layout) set(t *TensorDesc, side string) error {
	for i, n := range t.Sizes {
		if n < 1 {
			return &DescError{side + "Sizes", i, int64(n), 1, ErrSize}
		}
	}
	size := int64(t.DataType.Size())
	limit := int64(1<<63-1) >> bits.TrailingZeros64(uint64(size))
	extent := int64(1)
	for i := len(t.Sizes) - 1; i >= 0; i-- {
		n := int64(t.Sizes[i])
		if t.Strides == nil {
			l.strides[i] = extent
			whole, ok := mul(extent, n)
			if !ok || whole > limit {
				return &DescError{side + "Sizes", i, n, limit / extent, ErrOverflow}
			}
			extent = whole
			continue
		}
		s := int64(t.Strides[i])
		if s < 0 {
			return &DescError{side + "Strides", i, s, 0, ErrStride}
		}
		l.strides[i] = s
		reach, ok := mul(n-1, s)
		if !ok || reach > limit-extent {
			return &DescError{side + "Strides", i, s, (limit - extent) / (n - 1), ErrOverflow}
		}
		extent += reach
	}
	l.extent, l.bytes = extent, extent*size
	return nil
}

// promises reports whether t has a TotalSize or a BaseAlign, which checkMemory checks.
func (t *TensorDesc) promises() bool { return t.TotalSize != 0 || t.BaseAlign != 0 }

// checkMemory checks TotalSize and BaseAlign by the CPU's rules.
func (t *TensorDesc) checkMemory(side string, l *layout) error {
	if t.TotalSize != 0 && t.TotalSize < l.bytes {
		return &DescError{side + "TotalSize", -1, t.TotalSize, l.bytes, ErrTotalSize}
	}
	size := t.DataType.Size()
	if a := t.BaseAlign; a != 0 && (a < size || a&(a-1) != 0) {
		return &DescError{side + "BaseAlign", -1, int64(a), nearestPower(int64(a), int64(size), 1<<(strconv.IntSize-2)), ErrAlign}
	}
	return nil
}

// nearestPower returns the power of two that is nearest to a, the smaller one of two, but at least
// least and at most most, which must be powers of two.
func nearestPower(a, least, most int64) int64 {
	p := least
	for p < most && a-p > 2*p-a {
		p *= 2
	}
	return p
}

// checkShape checks the numbers of axes and the data types.
func (d *Desc) checkShape() error {
	if err := d.Input.checkRank("Input."); err != nil {
		return err
	}
	rank := len(d.Input.Sizes)
	switch {
	case len(d.Output.Sizes) != rank:
		return rankError("Output.Sizes", len(d.Output.Sizes), rank)
	case len(d.WindowOffsets) != rank:
		return rankError("WindowOffsets", len(d.WindowOffsets), rank)
	case len(d.WindowSizes) != rank:
		return rankError("WindowSizes", len(d.WindowSizes), rank)
	case len(d.WindowStrides) != rank:
		return rankError("WindowStrides", len(d.WindowStrides), rank)
	}
	if err := d.Output.checkRank("Output."); err != nil {
		return err
	}
	if err := d.Input.checkType("Input."); err != nil {
		return err
	}
	if d.Output.DataType != d.Input.DataType {
		return &DescError{"Output.DataType", -1, int64(d.Output.DataType), int64(d.Input.DataType), ErrDataType}
	}
	return nil
}

func rankError(field string, got, want int) error {
	return &DescError{field, -1, int64(got), int64(want), ErrRank}
}

// checkWindow checks the windows and that they yield the output. What checkShape checks,
// and the extents, must have been checked.
func (d *Desc) checkWindow() error {
	inputs := d.Input.Sizes
	rank := len(inputs)
	// With slices of length rank the compiler drops bounds checks.
	offsets, sizes, strides, outs := d.WindowOffsets[:rank], d.WindowSizes[:rank], d.WindowStrides[:rank], d.Output.Sizes[:rank]
	for i, n := range inputs {
		offset, size, stride, out := offsets[i], sizes[i], strides[i], outs[i]
		switch {
		case offset < 0:
			return &DescError{"WindowOffsets", i, int64(offset), 0, ErrWindow}
		case offset >= n:
			return &DescError{"WindowOffsets", i, int64(offset), int64(n - 1), ErrWindow}
		case size < 1:
			return &DescError{"WindowSizes", i, int64(size), 1, ErrWindow}
		case size > n-offset:
			return &DescError{"WindowSizes", i, int64(size), int64(n - offset), ErrWindow}
		case stride == 0:
			return &DescError{"WindowStrides", i, 0, 1, ErrStride}
		}
		// This is out > 1 + (size-1)/|stride| without the division, which takes longer than
		// the other checks.
		if hi, reach := bits.Mul64(uint64(out-1), magnitude(stride)); hi != 0 || reach > uint64(size-1) {
			return &DescError{"Output.Sizes", i, int64(out), 1 + int64(uint64(size-1)/magnitude(stride)), ErrOutput}
		}
	}
	return nil
}

// validate returns an error if the CPU cannot run d. Otherwise it sets *in and *out, which
// must be zero, to the layouts of d's input and output.
func (d *Desc) validate(in, out *layout) error {
	if d == nil {
		return &DescError{"Desc", -1, 0, 1, ErrRank}
	}
	if err := d.checkShape(); err != nil {
		return err
	}
	if err := in.set(&d.Input, "Input."); err != nil {
		return err
	}
	if err := out.set(&d.Output, "Output."); err != nil {
		return err
	}
	if err := d.checkWindow(); err != nil {
		return err
	}
	if d.Input.promises() {
		if err := d.Input.checkMemory("Input.", in); err != nil {
			return err
		}
	}
	if d.Output.promises() {
		if err := d.Output.checkMemory("Output.", out); err != nil {
			return err
		}
	}
	if d.Output.Strides != nil {
		return checkDistinct(d.Output.Sizes, d.Output.Strides)
	}
	return nil
}

// Validate returns nil if the CPU takes d, as [NewPlan] does, or else a [*DescError]:
//
//   - rank 1 to 8, the same for all lists (ErrRank), and one known data type (ErrDataType);
//   - extents of at least 1 (ErrSize), memory strides of at least 0 (ErrStride), an end within 63
//     bits (ErrOverflow);
//   - offset >= 0, size >= 1, offset+size <= extent (ErrWindow), a window stride that is not 0
//     (ErrStride), an output extent that the window yields (ErrOutput);
//   - TotalSize 0 or at least MinSize (ErrTotalSize), BaseAlign 0 or a power of two of at least the
//     element size (ErrAlign);
//   - no output elements that share a byte (ErrOverlap and ErrStride), nor strides so entangled that
//     it takes about 16 ms to decide.
func (d *Desc) Validate() error {
	var in, out layout
	return d.validate(&in, &out)
}
