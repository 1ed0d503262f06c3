// Package imageslice crops, flips, rotates, transposes and subsamples pictures in one pass, without
// converting them. It takes the RGBA, grey and YCbCr pictures of package image. It also has types
// for frames of videos and for packed pixels, which package image lacks.
//
// [Slice] makes a new picture, and [Copy] writes into an existing one. [Orient] and [OrientInto] do
// the same for the eight orientations of EXIF, which [Orientation] reads. [Fit] and [Center] return
// rectangles that lie within a picture. [View] returns a picture's memory and its layout, for other
// work of package slice1: one channel, another order of channels, planes in NCHW order, a plan for
// many pictures. Three functions convert: [Convert] makes a model's input of a picture, [Draw]
// makes a picture of a model's output, and [ToRGBA] makes an *image.RGBA of luma and chroma or of
// packed pixels.
//
// Pictures are the types of package image that keep whole pixels in one slice:
//
//	uint8,  1 channel   *image.Gray, *image.Alpha, *image.Paletted
//	uint8,  4 channels  *image.RGBA, *image.NRGBA, *image.CMYK
//	uint16, 1 channel   *image.Gray16, *image.Alpha16
//	uint16, 4 channels  *image.RGBA64, *image.NRGBA64
//
// [Pixels], with uint8 and 3 or 4 channels, are pictures, too. So are [Frame], a raw frame of a
// video, and the *image.YCbCr of JPEG files in all its ratios, except for View. Sub-images of all
// these are pictures. Package image/draw can draw any other picture into one of these. Pixels move
// unchanged: 16-bit samples stay big-endian and colours do not change.
//
// # Chroma
//
// In an *image.YCbCr or a Frame, several pixels may share a sample of chroma. These pixels are a
// cell: 2 x 2 pixels in 4:2:0. The result of a slice is again an *image.YCbCr or a Frame, and each
// pixel keeps its samples. Therefore the pixels of each cell of the result must share a sample. On
// each axis, a slice of more than one pixel must begin with the first pixel of a cell that its
// steps take: the left or top one or, if the axis is mirrored, the right or bottom one. Otherwise
// the error is slice1.ErrWindow. It names a rectangle nearby that begins so, or an empty one if
// there is none, and Fit returns that rectangle. If the last cell of a picture is cut off, a
// mirrored slice begins one cell before.
//
// Steps change the cells: every second pixel of 4:2:0 is 4:4:4. A step that neither divides the
// side of a cell nor is a multiple of it is slice1.ErrStride. In a transposed picture the sides of
// a cell change places: 4:2:2 becomes 4:4:0. Package image has no ratio for transposed 4:1:1 and
// 4:1:0, so transposing these is [errors.ErrUnsupported]. So is any slice of a picture with cells
// whose bounds begin left of or above 0.
//
// Functions that return an error return the errors of View and of chroma. No function panics, and
// all check everything before they write anything. They write only to dst.
package imageslice

import (
	"errors"
	"fmt"
	"image"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// refused returns an error that matches err and has a text of its own.
func refused(err error, format string, args ...any) error {
	return sentence.New("imageslice", err, format, args...)
}

// refusedField is refused for a field or an argument, of which the text says more.
func refusedField(field string, got, limit int64, err error, format string, args ...any) error {
	return &slice1.DescError{Field: field, Axis: -1, Got: got, Limit: limit, Err: refused(err, field+format, args...)}
}

// own returns an error of package slice1 as one of this package, and nil for nil.
func own(err error) error { return sentence.In("imageslice", err) }

// picture has the fields of the types with one slice of pixels. *image.Paletted also has a palette.
type picture struct {
	Pix    []uint8
	Stride int
	Rect   image.Rectangle
}

// View returns m's memory, without a copy, and m as a tensor in it: [height, width, channels]. The
// first element is the first sample of the pixel at m.Bounds().Min.
//
// The error is [errors.ErrUnsupported] if m is nil or has another type, slice1.ErrEmpty if it has
// no pixels, slice1.ErrStride for a Stride that is shorter than a row or not of whole samples,
// slice1.ErrBuffer for a Pix that ends before the picture, and slice1.ErrSize or slice1.ErrOverflow
// for bounds too large to count.
func View(m image.Image) ([]byte, slice1.TensorDesc, error) {
	var to plane
	_, err := view(m, &to)
	if err != nil {
		return nil, slice1.TensorDesc{}, err
	}
	return to.pix, to.tensor, nil
}

// view opens m as one plane, and returns m's fields.
func view(m image.Image, to *plane) (p picture, err error) {
	if isNil(m) {
		return p, fmt.Errorf("imageslice: the picture is nil (%T): %w", m, errors.ErrUnsupported)
	}
	channels, t := 4, slice1.Uint8
	switch m := m.(type) {
	case *image.YCbCr, *Frame:
		return p, refused(errors.ErrUnsupported, "%T has luma and chroma, which are no single tensor; Slice, Copy, Orient and Convert take it", m)
	case *Pixels:
		p = picture{m.Pix, m.Stride, m.Rect}
		if channels, _, err = m.channels(); err != nil {
			return p, err
		}
	case *image.Paletted:
		p, channels = picture{m.Pix, m.Stride, m.Rect}, 1
	case *image.Gray:
		p, channels = picture(*m), 1
	case *image.Alpha:
		p, channels = picture(*m), 1
	case *image.RGBA:
		p = picture(*m)
	case *image.NRGBA:
		p = picture(*m)
	case *image.CMYK:
		p = picture(*m)
	case *image.Gray16:
		p, channels, t = picture(*m), 1, slice1.Uint16
	case *image.Alpha16:
		p, channels, t = picture(*m), 1, slice1.Uint16
	case *image.RGBA64:
		p, t = picture(*m), slice1.Uint16
	case *image.NRGBA64:
		p, t = picture(*m), slice1.Uint16
	default:
		return p, refused(errors.ErrUnsupported, "%T is no picture of a single slice of pixels; image/draw draws it into one that is", m)
	}
	if p.Rect.Empty() {
		return p, fmt.Errorf("imageslice: %v: %w", p.Rect, slice1.ErrEmpty)
	}
	to.pix = p.Pix
	return p, to.lay(t, [3]int{p.Rect.Dy(), p.Rect.Dx(), channels}, p.Pix, p.Stride, channels, "Stride", "Pix", slice1.ErrStride)
}

// lay sets p's tensor to rows that are pitch bytes apart, of pixels that are `step` samples apart.
// It checks the tensor, the pitch and the length of pix. Errors call the fields strideName and
// pixName, and `short` is the error of a pitch shorter than a row.
func (p *plane) lay(t slice1.DataType, sizes [3]int, pix []uint8, pitch, step int, strideName, pixName string, short error) error {
	size := t.Size()
	p.set(t, [3]int{1, sizes[1], sizes[2]}, [3]int{0, step, 1})
	row, err := p.tensor.MinSize()
	if err != nil {
		return own(err)
	}
	switch stride := int64(pitch); {
	case stride < row:
		return refusedField(strideName, stride, row, short, " is %d bytes, a row takes %d", pitch, row)
	case pitch%size != 0:
		return refusedField(strideName, stride, stride/int64(size)*int64(size), short, " is %d bytes, a sample takes %d", pitch, size)
	}
	p.set(t, sizes, [3]int{pitch / size, step, 1})
	need, err := p.tensor.MinSize()
	if err != nil {
		return own(err)
	}
	if have := int64(len(pix)); have < need {
		return refusedField(pixName, have, need, slice1.ErrBuffer, " has %d bytes, the picture takes %d", have, need)
	}
	return nil
}
