package slice1

import (
	"errors"
	"math"
)

// Into returns the descriptor that writes a packed input, of shape w.Out, into window w of t, like
//
//	a[10:20, ::-1] = b
//
// in NumPy. Of reads a window, and Into writes one. The destination buffer of the descriptor begins
// `offset` bytes into t's buffer. Therefore a t.TotalSize is reduced by offset, and t.BaseAlign is
// dropped. The errors are the same as Validate's for w.Of(t), and also ErrOverlap if elements of t
// share memory and ErrEmpty for an empty w.
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
		offset += lowest * a.Src // the distance of an element of t, so nothing overflows
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

// checkValues returns an error unless `values` is 1 or `count`.
func checkValues(values int, count int64) error {
	if values == 1 || int64(values) == count {
		return nil
	}
	return &DescError{"src", -1, int64(values), count, ErrSize}
}
