package imageslice

import (
	"errors"
	"image"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// Draw is the inverse of Convert: it stores the tensor src, from t.At on, in window r of m. Each
// number y becomes t.Affine's scale*y + bias, rounded to the nearest sample from 0 to 255, ties to
// even. [Denormalize] returns the Affine for a normalised tensor. 16-bit pictures get 257 times as
// much, rounded only then: 127.5 becomes 32768, and not 128*257. Alpha becomes opaque, and the
// unused byte of BGRX 255. In a picture with colours, one channel is repeated. Steps and
// Orientation are the same as in Convert: Draw writes every |StepX|-th column of r, from its right
// on if StepX is negative, and pixels between keep their values. Draw ignores Fill.
//
// m is an *image.RGBA, NRGBA, Gray, RGBA64, NRGBA64, Gray16 or Pixels. Another type is
// [errors.ErrUnsupported], and so are three channels for a grey picture. r must lie in m
// (slice1.ErrWindow), and src has the length of the whole tensor (slice1.ErrBuffer). The other
// errors are the same as Convert's. If Draw returns an error, it has written nothing.
func Draw[S slice1.Number](m image.Image, r image.Rectangle, src []S, t Tensor) error {
	var to planes
	if err := to.open(m); err != nil {
		return err
	}
	alpha := -1
	switch m := m.(type) {
	case *image.Gray, *image.Gray16:
	case *image.RGBA, *image.NRGBA, *image.RGBA64, *image.NRGBA64:
		alpha = 3
	case *Pixels:
		alpha = m.Order.unseen()
	default:
		return refused(errors.ErrUnsupported,
			"%T is no picture that Draw writes; it writes *image.RGBA, NRGBA, Gray, RGBA64, NRGBA64, Gray16 and *imageslice.Pixels", m)
	}
	channels, err := t.channels(to.rgb.n, 1)
	if err != nil {
		return err
	}
	p, err := t.place(&to, r, channels, false)
	if err != nil {
		return err
	}
	if err := checkType[S]("src", &t); err != nil {
		return err
	}
	if err := p.checkLength("src", len(src), &t, 1); err != nil {
		return err
	}
	if err := t.checkValues(channels); err != nil {
		return err
	}
	if err := separate(&to, slice1.Bytes(src)); err != nil {
		return err
	}
	if to.list[0].tensor.DataType == slice1.Uint16 {
		return drawBands[uint16](&to, alpha, &p, src, &t)
	}
	return drawBands[uint8](&to, alpha, &p, src, &t)
}

// drawBands draws some rows at a time. It converts them to one plane for each channel of the
// picture, in the order of the picture's channels, and slices these planes into the picture.
func drawBands[D uint8 | uint16, S slice1.Number](m *planes, alpha int, p *placement, src []S, t *Tensor) error {
	tensor, pix := m.list[0].tensor, m.list[0].pix
	var room [4 * bandPixels]D
	a, rgb := t.Affine, m.rgb
	a.Axis = 2
	if t.BGR && rgb.n == 3 {
		rgb.first, rgb.step = rgb.first+2*rgb.step, -rgb.step
	}
	step := 1
	if rgb.step < 0 { // the planes ascend, and the tensor's channels descend
		rgb.first, step = rgb.first+2*rgb.step, -1
		a.Scale, a.Bias = reversed(a.Scale), reversed(a.Bias)
	}
	channels := axis{0, 1, rgb.n, 1}
	if step < 0 {
		channels = axis{rgb.n - 1, -1, rgb.n, 1}
	}
	strides := p.strides()
	if p.channels < rgb.n {
		strides[2] = 0
	}
	to := slice1.Uint8
	if tensor.DataType == slice1.Uint16 {
		to = slice1.Uint16
	}
	columnsOf := min(p.columns.n, bandPixels)
	rowsOf := max(1, bandPixels/columnsOf)
	var converts, draws *slice1.Desc // for bands of y.n rows and x.n columns
	var y, x axis
	for row := 0; row < p.rows.n; row += rowsOf {
		for column := 0; column < p.columns.n; column += columnsOf {
			height, width := y.n, x.n
			y, x = p.rows.part(row, rowsOf), p.columns.part(column, columnsOf)
			plane := y.n * x.n
			if y.n != height || x.n != width {
				in := slice1.TensorDesc{DataType: t.dataType(), Sizes: []int{y.n, x.n, rgb.n}, Strides: strides}
				converts = described(in, axis{0, 1, y.n, 1}, axis{0, 1, x.n, 1}, channels)
				converts.Output.Strides = []int{x.n, 1, plane}
				draws = drawing(tensor, y, x, plane)
				if alpha >= 0 {
					opaque := room[alpha*plane:][:plane]
					for i := range opaque {
						opaque[i] = ^D(0)
					}
				}
			}
			numbers := src[p.first+row*p.row+column*p.column:]
			if err := slice1.Copy(room[rgb.first*plane:], numbers, converts, slice1.WithNumbers(to, a), of16Bits(false, to == slice1.Uint16)); err != nil {
				return own(err)
			}
			at := y.lowest()*tensor.Strides[0] + x.lowest()*tensor.Strides[1]
			// unsafe: numbers have no pointers.
			planes := unsafe.Slice((*byte)(unsafe.Pointer(&room)), unsafe.Sizeof(room))
			if err := slice1.CopyBytes(pix[at*tensor.DataType.Size():], planes, draws); err != nil {
				return own(err)
			}
		}
	}
	return nil
}

// drawing returns the descriptor that slices planes into a picture, from the picture's lowest
// element on. The planes have y.n rows of x.n columns and are `plane` elements apart.
func drawing(tensor slice1.TensorDesc, y, x axis, plane int) *slice1.Desc {
	d := slice1.Whole(tensor.DataType, y.n, x.n, tensor.Sizes[2])
	d.Input.Strides = []int{x.n, 1, plane}
	d.Output.Strides = slices.Clone(tensor.Strides)
	for i, a := range [...]axis{y, x} {
		if a.step < 0 {
			d.WindowStrides[i] = -1
		}
		if a.n > 1 {
			d.Output.Strides[i] *= max(a.step, -a.step)
		}
	}
	return d
}

// lowest returns the smallest position that a takes.
func (a axis) lowest() int { return min(a.first, a.first+a.step*(a.n-1)) }

// part returns the n positions of a from number `from` on, or as many as are left.
func (a axis) part(from, n int) axis {
	return axis{a.first + from*a.step, a.step, min(n, a.n-from), 1}
}

// reversed returns v in reverse order.
func reversed(v []float32) []float32 {
	v = slices.Clone(v)
	slices.Reverse(v)
	return v
}
