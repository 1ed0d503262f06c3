package slice1

import (
	"errors"
	"math"
)

// Into returns the slice that writes a packed input, of shape w.Out, into window w of t, like
//
//	a[10:20, ::-1] = b
//
// in NumPy. Of reads a window, and Into writes one. The output begins at the window's lowest
// element in t's buffer, which [Part] finds:
//
//	into, err := w.Into(t)
//	err = slice1.Copy(slice1.Part(a, into), b, into.Desc)
//
// For a plan with [WithNumbers], t.DataType is the type that is read, that of b, and t's strides
// count elements of the type that is written, that of a.
//
// The Desc's Output.TotalSize is t.TotalSize less the bytes before that element, and its
// Output.BaseAlign is 0. The errors are the same as Validate's for w.Of(t), and these:
//
//   - ErrEmpty for an empty w;
//   - ErrOverlap if two elements of the window share memory, or if t has a stride of 0 on an axis
//     of several elements. Other elements of t may share memory;
//   - ErrOverflow if two neighbours of the window are further apart in memory than an int counts.
func (w Window) Into(t TensorDesc) (Shard, error) {
	if err := w.checkEmpty(); err != nil {
		return Shard{}, err
	}
	read := w.Of(t)
	if err := read.Validate(); err != nil {
		return Shard{}, err
	}
	axes := read.Axes()
	tensor := TensorDesc{DataType: t.DataType, Sizes: read.Output.Sizes, TotalSize: t.TotalSize, Strides: make([]int, len(axes))}
	s := Shard{Desc: Whole(t.DataType, read.Output.Sizes...)}
	for i, axis := range axes {
		if axis.Src == 0 && axis.In > 1 {
			return Shard{}, overlapError("Strides", i, 0, 1)
		}
		lowest, stride := axis.Start, int64(1)
		if axis.Out > 1 { // the distance of two elements of t, so nothing overflows
			stride = axis.Step * axis.Src
		}
		if axis.Step < 0 {
			lowest, stride = axis.Start+axis.Step*(axis.Out-1), max(stride, -stride)
			s.Desc.WindowStrides[i] = -1
		}
		if stride > math.MaxInt { // on 32 bits
			limit := math.MaxInt / max(axis.Step, -axis.Step)
			return Shard{}, refused(ErrOverflow, "Strides", i, axis.Src, limit, " is %d, must be at most %d in steps of %d", axis.Src, limit, axis.Step)
		}
		tensor.Strides[i] = int(stride)
		s.Offset += lowest * axis.Src
	}
	s.Offset *= int64(t.DataType.Size())
	if tensor.TotalSize != 0 {
		tensor.TotalSize -= s.Offset
	}
	s.Desc.Output = tensor
	if err := s.Desc.Validate(); err != nil {
		return Shard{}, err
	}
	return s, nil
}

// Assign is dst[expr] = src. It writes src into a part of the packed row-major array of the given
// shape at the beginning of dst. expr is index text and says which elements, like in [ParseIndex].
// src holds as many elements as expr takes, packed, or a single element, which fills them all.
// Another number is ErrSize. If expr takes no element, src has none or one, and Assign does
// nothing. A dst that is shorter than the array is ErrBuffer. If src has several elements, it must
// not share a byte with the elements that Assign writes (ErrOverlap); a single element is read
// before anything is written. Assign allocates.
func Assign[T Element](dst []T, shape []int, expr string, src []T) error {
	w, _, err := ParseIndex(expr, shape)
	if errors.Is(err, ErrEmpty) {
		return checkValues(len(src), 0)
	}
	if err != nil {
		return err
	}
	t := TensorDesc{DataType: DataTypeOf[T](), Sizes: shape}
	shard, err := w.Into(t)
	if err != nil {
		return err
	}
	count := int64(1)
	for _, n := range shard.Desc.Output.Sizes {
		count *= int64(n)
	}
	if err := checkValues(len(src), count); err != nil {
		return err
	}
	if len(shape) == 0 {
		t.Sizes = []int{1}
	}
	need, err := t.MinSize()
	if err != nil {
		return err
	}
	if size := int64(len(Bytes(dst))); size < need {
		return BufferError("dst", t.DataType, size, need)
	}
	if len(src) == 1 {
		src = []T{src[0]}
		shard.Desc.Input.Strides = make([]int, len(shard.Desc.Input.Sizes))
	}
	return Copy(Part(dst, shard), src, shard.Desc)
}

// checkValues returns an error unless `values` is 1 or `count`.
func checkValues(values int, count int64) error {
	if values == 1 || int64(values) == count {
		return nil
	}
	return refused(ErrSize, "src", -1, int64(values), count,
		" has %s, the window takes %d: must have one for each or one for all", plural(int64(values), "value"), count)
}
