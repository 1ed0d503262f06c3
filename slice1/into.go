package slice1

import (
	"errors"
	"math"
)

// Into returns the descriptor that writes a packed input, of the shape w.Out, into window w of t,
// as
//
//	a[10:20, ::-1] = b
//
// of NumPy does it: Of takes a window out, and Into puts one in. The destination that the
// descriptor is for begins `offset` bytes into t's buffer; a t.TotalSize is reduced by that, and
// t.BaseAlign dropped. The errors are those of Validate for w.Of(t), ErrOverlap for a t with
// elements that share memory, and ErrEmpty for an empty w.
func (w Window) Into(t TensorDesc) (d *Desc, offset int64, err error) {
	if err := w.checkEmpty(); err != nil {
		return nil, 0, err
	}
	from := w.Of(t)
	if err := from.Validate(); err != nil {
		return nil, 0, err
	}
	axes := from.Axes()
	out := TensorDesc{DataType: t.DataType, Sizes: from.Output.Sizes, TotalSize: t.TotalSize, Strides: make([]int, len(axes))}
	d = Whole(t.DataType, from.Output.Sizes...)
	for i, a := range axes {
		if a.Src == 0 && a.In > 1 {
			return nil, 0, &DescError{"Strides", i, 0, 1, errStrideOverlap}
		}
		lowest, stride := a.Start, a.Step
		if a.Step < 0 {
			lowest, stride = a.Start+a.Step*(a.Out-1), -a.Step
			d.WindowStrides[i] = -1
		}
		offset += lowest * a.Src // of an element of t, so that nothing overflows
		if a.Out > 1 {
			stride *= a.Src
		}
		if stride > math.MaxInt {
			return nil, 0, &DescError{"Strides", i, a.Src, math.MaxInt, ErrOverflow}
		}
		out.Strides[i] = int(stride)
	}
	offset *= int64(t.DataType.Size())
	if out.TotalSize != 0 {
		out.TotalSize -= offset
	}
	d.Output = out
	if err := d.Validate(); err != nil {
		return nil, 0, err
	}
	return d, offset, nil
}

// Assign is dst[expr] = src: it writes src into the elements that index text takes, as [ParseIndex]
// reads it, of the packed row-major array of the given shape that dst begins with. src has as many
// elements as that takes, packed, or a single one, which fills them all. Another number is ErrSize.
// If the text takes no element, src has none or one, and Assign does nothing. A dst that is shorter
// than the array is ErrBuffer. If src has several elements, dst must not share a byte that is
// written with them (ErrOverlap); a single one is read before anything is written. It allocates.
func Assign[T Element](dst []T, shape []int, expr string, src []T) error {
	w, _, err := ParseIndex(expr, shape)
	if errors.Is(err, ErrEmpty) {
		return checkValues(len(src), 0)
	}
	if err != nil {
		return err
	}
	t := TensorDesc{DataType: DataTypeOf[T](), Sizes: shape}
	d, offset, err := w.Into(t)
	if err != nil {
		return err
	}
	count := int64(1)
	for _, n := range d.Output.Sizes {
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
	if have := int64(len(Bytes(dst))); have < need {
		return BufferError("dst", t.DataType, have, need)
	}
	if len(src) == 1 {
		src = []T{src[0]}
		d.Input.Strides = make([]int, len(d.Input.Sizes))
	}
	return Copy(dst[offset/int64(sizeOf[T]()):], src, d)
}

// checkValues returns an error unless so many values, or a single one, are for `count` elements.
func checkValues(values int, count int64) error {
	if values == 1 || int64(values) == count {
		return nil
	}
	return &DescError{"src", -1, int64(values), count, ErrSize}
}
