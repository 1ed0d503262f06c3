// Package imageslice slices the pictures of package image: crops, mirrors and
// thins them, without a copy but the slice itself.
//
// [Slice] makes a new picture and [Copy] writes into one there is. [View] gives
// a picture's memory and how it is laid out, for all else that package slice1
// does: one channel, another order of channels, a plan for many pictures.
//
// Pictures are those types of package image that keep whole pixels in one slice:
//
//	uint8,  1 channel   *image.Gray, *image.Alpha
//	uint8,  4 channels  *image.RGBA, *image.NRGBA, *image.CMYK
//	uint16, 1 channel   *image.Gray16, *image.Alpha16
//	uint16, 4 channels  *image.RGBA64, *image.NRGBA64
//
// and their sub-images. Of others, such as the *image.YCbCr of JPEG files,
// package image/draw makes one of these. Pixels move as they are: 16-bit samples
// stay big-endian and colours what they were.
//
// The errors of all functions are those of View; none panics, and nothing is
// written unless everything is right. Pictures are only read, but for a dst.
package imageslice

import (
	"errors"
	"fmt"
	"image"
	"reflect"

	"github.com/seed2e45c115/dml/slice1"
)

// picture is what all the types are.
type picture struct {
	Pix    []uint8
	Stride int
	Rect   image.Rectangle
}

// View returns m's memory, no copy, and m as a tensor in it: [height, width,
// channels], the first element being the first sample of the pixel at
// m.Bounds().Min.
//
// A nil m or one of another type is [errors.ErrUnsupported], one without pixels
// slice1.ErrEmpty, a Stride shorter than a row or not of whole samples
// slice1.ErrStride, and a Pix that ends before the picture slice1.ErrBuffer.
func View(m image.Image) ([]byte, slice1.TensorDesc, error) {
	p, t, err := view(m)
	if err != nil {
		return nil, slice1.TensorDesc{}, err
	}
	return p.Pix, t, nil
}

func view(m image.Image) (p *picture, t slice1.TensorDesc, err error) {
	channels := 4
	t.DataType = slice1.Uint8
	switch m := m.(type) {
	case *image.Gray:
		p, channels = (*picture)(m), 1
	case *image.Alpha:
		p, channels = (*picture)(m), 1
	case *image.RGBA:
		p = (*picture)(m)
	case *image.NRGBA:
		p = (*picture)(m)
	case *image.CMYK:
		p = (*picture)(m)
	case *image.Gray16:
		p, channels, t.DataType = (*picture)(m), 1, slice1.Uint16
	case *image.Alpha16:
		p, channels, t.DataType = (*picture)(m), 1, slice1.Uint16
	case *image.RGBA64:
		p, t.DataType = (*picture)(m), slice1.Uint16
	case *image.NRGBA64:
		p, t.DataType = (*picture)(m), slice1.Uint16
	}
	if p == nil {
		return nil, t, fmt.Errorf("imageslice: %T: %w", m, errors.ErrUnsupported)
	}
	if p.Rect.Empty() {
		return nil, t, fmt.Errorf("imageslice: %v: %w", p.Rect, slice1.ErrEmpty)
	}
	size := t.DataType.Size()
	t.Sizes = []int{p.Rect.Dy(), p.Rect.Dx(), channels}
	t.Strides = []int{p.Stride / size, channels, 1}
	need, err := t.MinSize()
	if err != nil {
		return nil, t, err
	}
	stride := int64(p.Stride)
	if row := int64(t.Sizes[1]) * int64(channels*size); stride < row || p.Stride%size != 0 {
		nearest := max(row, stride/int64(size)*int64(size))
		return nil, t, &slice1.DescError{Field: "Stride", Axis: -1, Got: stride, Limit: nearest, Err: slice1.ErrStride}
	}
	if int64(len(p.Pix)) < need {
		return nil, t, &slice1.DescError{Field: "Pix", Axis: -1, Got: int64(len(p.Pix)), Limit: need, Err: slice1.ErrBuffer}
	}
	return p, t, nil
}

// Slice returns a new picture of m's type: of r's pixels every dx-th column and
// every dy-th row, from r's left and top, or where dx or dy are negative from its
// right and bottom. So 1, 1 crops, -1, 1 mirrors, -1, -1 turns by 180 degrees, and
// 2, 2 halves.
//
// r is in m's coordinates and, unlike that of SubImage, must lie within m's bounds
// (slice1.ErrWindow) and not be empty (slice1.ErrEmpty); 0 for dx or dy is
// slice1.ErrStride. The new picture's bounds start at 0, 0.
func Slice[M image.Image](m M, r image.Rectangle, dx, dy int) (M, error) {
	var none M
	src, from, err := view(m)
	if err != nil {
		return none, err
	}
	width, height, channels := count(r.Dx(), dx), count(r.Dy(), dy), from.Sizes[2]
	to := slice1.TensorDesc{DataType: from.DataType, Sizes: []int{height, width, channels}}
	plan, err := newPlan(to, from, src.Rect, r, dx, dy)
	if err != nil {
		return none, err
	}
	row := width * channels * to.DataType.Size()
	dst := &picture{make([]uint8, height*row), row, image.Rect(0, 0, width, height)}
	if err := plan.Run(dst.Pix, src.Pix); err != nil {
		return none, err
	}
	return reflect.ValueOf(dst).Convert(reflect.TypeOf(m)).Interface().(M), nil
}

// Copy writes into dst what Slice would return. A smaller dst gets the first rows
// and columns; one that is larger is slice1.ErrOutput, one of another type than src
// slice1.ErrDataType, and one that shares pixels with what is read
// slice1.ErrOverlap. The left half of a picture goes onto its right half.
func Copy(dst, src image.Image, r image.Rectangle, dx, dy int) error {
	d, to, err := view(dst)
	if err != nil {
		return err
	}
	s, from, err := view(src)
	if err != nil {
		return err
	}
	if reflect.TypeOf(dst) != reflect.TypeOf(src) {
		return fmt.Errorf("imageslice: %T into %T: %w", src, dst, slice1.ErrDataType)
	}
	plan, err := newPlan(to, from, s.Rect, r, dx, dy)
	if err != nil {
		return err
	}
	return plan.Run(d.Pix, s.Pix)
}

// newPlan plans r of a picture in bounds.
func newPlan(to, from slice1.TensorDesc, bounds, r image.Rectangle, dx, dy int) (*slice1.Plan, error) {
	if r.Empty() {
		return nil, fmt.Errorf("imageslice: %v: %w", r, slice1.ErrEmpty)
	}
	if !r.In(bounds) {
		return nil, fmt.Errorf("imageslice: %v is not in %v: %w", r, bounds, slice1.ErrWindow)
	}
	channels := from.Sizes[2]
	return slice1.NewPlan(&slice1.Desc{
		Input:         from,
		Output:        to,
		WindowOffsets: []int{r.Min.Y - bounds.Min.Y, r.Min.X - bounds.Min.X, 0},
		WindowSizes:   []int{r.Dy(), r.Dx(), channels},
		WindowStrides: []int{dy, dx, 1},
	})
}

// count returns how many of n positions are taken, step apart.
func count(n, step int) int {
	if step == 0 {
		return 1 // and Validate refuses the step
	}
	steps := (n - 1) / step
	return 1 + max(steps, -steps)
}
