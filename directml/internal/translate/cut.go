package translate

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// MostElements is how many elements of a view of a buffer every adapter sees, whatever their size
// (D3D12_REQ_BUFFER_RESOURCE_TEXEL_COUNT_2_TO_EXP). Direct3D 12 has no way to ask whether an
// adapter sees more. Beyond the elements that it sees, reads give zeros and writes are lost,
// without an error.
const MostElements = 1 << 27

// mostBytes is where in an allocation views must end: drivers are known to fail beyond 4 GiB.
const mostBytes = 1 << 32

// Part is a part of a slice that runs by itself, over a range of the input and a range of the
// output.
type Part struct {
	Operator               // zero if there is none
	Src, SrcSize int64     // bytes: where the part's input begins in the slice's input, and how long it is
	Dst, DstSize int64     // bytes: where the part's first output element is in the slice's output, and how many the part makes
	Ends         [3]Region // for Spans: the copies to the last and to the first output element in memory, and the copy from the last input element taken in memory

	// Scatter copies the output of a part of Spans from the start of one buffer to another buffer,
	// which begins at Dst. It is nil if the elements lie the same way in both.
	Scatter *slice1.Desc
}

// Spans returns op in parts with buffers of their own. A part's input goes from the first to the
// last element that it takes. Its output elements lie one after the other, in the same order as
// op's. Src counts from the first element that op takes. No view of a part has more elements than
// limit. limit must be at least 8. Slices that differ only in their WindowOffsets have equal
// parts.
func (op *Operator) Spans(limit int64) []Part {
	parts, _ := op.parts(limit, false)
	return parts
}

// Parts returns op in parts that are bound to ranges of the buffers of op's tensors. No view of a
// part has more elements than limit. If op's views have no more, op is the only part. Otherwise Src
// and Dst are multiples of 16. If that is not possible, the error is ErrOverflow. Elements of other
// parts may lie between the output elements of a part.
func (op *Operator) Parts(limit int64) ([]Part, error) {
	side, elements := op.excess(limit)
	if side == "" {
		return []Part{{Operator: *op}}, nil
	}
	parts, ok := op.parts(limit, true)
	if !ok {
		return nil, Refused(slice1.ErrOverflow, side, elements, limit,
			": an operator sees %d elements, an adapter may see at most %d, and no parts of the tensors begin at multiples of 16 bytes", elements, limit)
	}
	return parts, nil
}

// CheckReach returns ErrOverflow unless both views of a part of Parts end within 4 GiB of their
// allocations. The output tensor begins at byte dst of its allocation, and the input tensor at byte
// src of its own.
func (p *Part) CheckReach(dst, src int64) error {
	field, end := "dst", dst+p.Dst+int64(p.Output.Total)
	if end <= mostBytes {
		field, end = "src", src+p.Src+int64(p.Input.Total)
	}
	if end <= mostBytes {
		return nil
	}
	return Refused(slice1.ErrOverflow, field, end, mostBytes,
		": the operator's view ends at byte %d of the allocation, must end at byte %d at most, because drivers fail beyond", end, int64(mostBytes))
}

// excess returns the field of a tensor if its view has more elements than limit, and how many it
// has. If neither view has more, the field is "".
func (op *Operator) excess(limit int64) (field string, elements int64) {
	width := uint64(op.DataType.Size())
	if elements = int64(op.Input.Total / width); elements > limit {
		return "Input.Sizes", elements
	}
	if elements = int64(op.Output.Total / width); elements > limit {
		return "Output.Sizes", elements
	}
	return "", 0
}

// parts returns the parts of Spans or, if bound is set, of Parts. On each axis all parts except
// the last have one extent, so that few operators differ. ok is false if views of limit elements
// are too small.
func (op *Operator) parts(limit int64, bound bool) (parts []Part, ok bool) {
	axes := op.axes()
	begin, extents := make([]int64, len(axes)), make([]int64, len(axes))
	for i, axis := range axes {
		extents[i] = axis.Out
	}
	for {
		p := op.part(axes, begin, extents, bound)
		if field, _ := p.excess(limit); field != "" {
			if !op.halve(extents, field == "Input.Sizes", bound) {
				return nil, false
			}
			parts = nil
			clear(begin)
			continue
		}
		parts = append(parts, p)
		i := len(axes) - 1
		for ; i >= 0; i-- {
			if begin[i] += extents[i]; begin[i] < axes[i].Out {
				break
			}
			begin[i] = 0
		}
		if i < 0 {
			return parts, true
		}
	}
}

// halve halves one of the extents of parts, about. It chooses the axis over which elements of the
// input, or of the output, are farthest apart. It returns false if all extents are too small.
func (op *Operator) halve(extents []int64, input, bound bool) bool {
	axis, half, farthest := -1, int64(0), int64(0)
	for i, x := range op.axes() {
		unit := int64(1)
		if bound {
			unit = op.unit(x.Dst)
		}
		distance := x.Dst
		if input {
			distance = x.Src * max(x.Step, -x.Step)
		}
		distance *= extents[i] - 1
		if n := ((extents[i]+1)/2 + unit - 1) / unit * unit; n < extents[i] && distance > farthest {
			axis, half, farthest = i, n, distance
		}
	}
	if axis < 0 {
		return false
	}
	extents[axis] = half
	return true
}

// unit returns the least number of strides that make a multiple of 16 bytes. DirectML binds a
// buffer only at such a place.
func (op *Operator) unit(stride int64) int64 {
	n := int64(1)
	for n*stride*int64(op.DataType.Size())%Alignment != 0 {
		n *= 2
	}
	return n
}

// axes returns op's axes.
func (op *Operator) axes() []slice1.Axis {
	axes := make([]slice1.Axis, op.Rank)
	for i := range axes {
		axes[i] = slice1.Axis{
			In: int64(op.Input.Sizes[i]), Out: int64(op.Output.Sizes[i]), Start: int64(op.Offsets[i]), Step: int64(op.Steps[i]),
			Src: int64(op.Input.Strides[i]), Dst: int64(op.Output.Strides[i]),
		}
		if op.Steps[i] < 0 {
			axes[i].Start += int64(op.Windows[i]) - 1
		}
	}
	return axes
}

// part returns the part of op that begins at output element begin and has the given extents, or
// less where the output ends. axes are op's axes.
func (op *Operator) part(axes []slice1.Axis, begin, extents []int64, bound bool) Part {
	width := int64(op.DataType.Size())
	p := Part{SrcSize: width, DstSize: width}
	cut := make([]slice1.Axis, len(axes))
	for i, axis := range axes {
		n := min(extents[i], axis.Out-begin[i])
		start, size, step := axis.Window(begin[i], n)
		base, _, _ := axis.Window(0, axis.Out)
		if bound {
			// The binding begins at or before the window.
			skipped := start % op.unit(axis.Src)
			start, size, base = start-skipped, size+skipped, 0
		}
		cut[i] = slice1.Axis{In: size, Out: n, Start: axis.Start + axis.Step*begin[i] - start, Step: step, Src: axis.Src, Dst: axis.Dst}
		p.Src += (start - base) * axis.Src * width
		p.Dst += begin[i] * axis.Dst * width
		p.SrcSize += (size - 1) * axis.Src * width
		p.DstSize *= n
		p.addEnds(axis, begin[i], n, base, width)
	}
	if !bound {
		cut = p.pack(cut, op.DataType)
	}
	p.Operator = newOperator(op.DataType, cut)
	return p
}

// addEnds adds an axis to p.Ends, of elements of width bytes. The part makes n elements of the
// axis, from element begin on. Src begins at element base of the axis.
func (p *Part) addEnds(axis slice1.Axis, begin, n, base, width int64) {
	end := begin + n - 1
	far := end
	if axis.Step < 0 {
		far = begin
	}
	for i, position := range [...]int64{end, begin, far} {
		e := &p.Ends[i]
		e.Dst += position * axis.Dst * width
		e.Src += (axis.Start + axis.Step*position - base) * axis.Src * width
		e.Size = width
	}
}

// pack returns the axes with the gaps taken out of the output, and sets Scatter.
func (p *Part) pack(axes []slice1.Axis, t slice1.DataType) []slice1.Axis {
	packed := slices.Clone(axes)
	order := make([]int, len(axes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(axes[i].Dst, axes[j].Dst) })
	span, equal := int64(1), true
	for _, i := range order {
		packed[i].Dst = span
		span *= axes[i].Out
		equal = equal && (axes[i].Out == 1 || packed[i].Dst == axes[i].Dst)
	}
	if equal {
		return packed
	}
	sizes := make([]int, len(axes))
	gap, length := slices.Clone(sizes), slices.Clone(sizes)
	for i, axis := range axes {
		sizes[i], gap[i], length[i] = int(axis.Out), int(packed[i].Dst), int(axis.Dst)
	}
	p.Scatter = slice1.Whole(t, sizes...)
	p.Scatter.Input.Strides, p.Scatter.Output.Strides = gap, length
	return packed
}
