package imageslice

import (
	"fmt"
	"image"
	"reflect"

	"github.com/seed2e45c115/dml/slice1"
)

// Slice returns a new picture of m's type: every |dx|-th column and every |dy|-th row of r's
// pixels. It counts columns from r's left or, if dx is negative, from its right. It counts rows
// from r's top or, if dy is negative, from its bottom. So 1, 1 crops, -1, 1 mirrors, -1, -1 turns
// by 180 degrees, and 2, 2 halves.
//
// r is in m's coordinates. Unlike the r of SubImage, it must lie within m's bounds
// (slice1.ErrWindow) and not be empty (slice1.ErrEmpty); Fit returns such a rectangle. A dx or dy
// of 0 is slice1.ErrStride. The new picture's bounds start at 0, 0. It shares m's palette.
//
// With an error, the picture is nil if M is an interface. Otherwise it is empty, because a nil
// pointer that becomes an image.Image is not nil.
func Slice[M image.Image](m M, r image.Rectangle, dx, dy int) (M, error) {
	return result(m, slicing{r: r, dx: dx, dy: dy})
}

// Copy writes into dst what Slice would return. A smaller dst gets the first rows and columns, and
// a larger dst is slice1.ErrOutput. It is slice1.ErrDataType if dst has another type, palette,
// order of channels, form, matrix, range or ratio of chroma than Slice's result. It is
// slice1.ErrOverlap if a byte would be both read and written, or if a plane of dst shares memory
// with another plane of src. So the left half of a picture can be copied onto its right half. If
// dst has chroma, it must begin at the edge of a cell (slice1.ErrWindow). Copy writes whole cells,
// also at dst's right and bottom edge.
func Copy(dst, src image.Image, r image.Rectangle, dx, dy int) error {
	return write(dst, src, slicing{r: r, dx: dx, dy: dy})
}

// Fit returns a rectangle near r with which Slice(m, r, dx, dy) returns no error. It is the part of
// r within m's bounds. If m has chroma, Fit moves the sides where the slice begins to the edge of a
// cell: outward, or inward if outward would leave m's bounds. The rectangle is empty if m is nil or
// nothing of r is left. For some m, dx or dy, Slice returns an error whatever the rectangle; then
// the result still lies within m's bounds.
func Fit(m image.Image, r image.Rectangle, dx, dy int) image.Rectangle {
	if isNil(m) {
		return image.Rectangle{}
	}
	bounds := m.Bounds()
	r = r.Intersect(bounds)
	cell := one
	if bounds.Min.X >= 0 && bounds.Min.Y >= 0 {
		switch m := m.(type) {
		case *image.YCbCr:
			cell = cells[m.SubsampleRatio]
		case *Frame:
			cell = cells[m.Ratio]
		}
	}
	r.Min.X, r.Max.X = fit(r.Min.X, r.Max.X, bounds.Min.X, bounds.Max.X, dx, cell.X)
	r.Min.Y, r.Max.Y = fit(r.Min.Y, r.Max.Y, bounds.Min.Y, bounds.Max.Y, dy, cell.Y)
	if r.Empty() {
		return image.Rectangle{}
	}
	return r
}

// isNil reports whether m is nil or a nil pointer.
func isNil(m image.Image) bool {
	return m == nil || reflect.ValueOf(m).Kind() == reflect.Pointer && reflect.ValueOf(m).IsNil()
}

// Center returns the rectangle of the given size in the middle of m. If m is smaller on an axis, so
// is the rectangle: on that axis it is all of m, and it does not fit a tensor made for the full
// size (see [Convert]). An odd rest is rounded down, towards the left and the top. If m has chroma,
// the rectangle's left and top are moved to the edge of a cell, like by Fit with steps of 1.
//
// Center knows no orientation and counts in the picture as it is stored. For a [Tensor] with an
// Orientation use [Tensor.Center].
func Center(m image.Image, width, height int) image.Rectangle {
	if isNil(m) {
		return image.Rectangle{}
	}
	all := Fit(m, m.Bounds(), 1, 1)
	r := middle(all, width, height)
	at := Fit(m, r, 1, 1).Min
	return image.Rectangle{at, at.Add(r.Size())}.Intersect(all)
}

// middle returns the rectangle of the given size in the middle of all. On an axis on which all is
// smaller, it is all of it.
func middle(all image.Rectangle, width, height int) image.Rectangle {
	size := image.Pt(min(max(width, 0), all.Dx()), min(max(height, 0), all.Dy()))
	at := all.Min.Add(all.Size().Sub(size).Div(2))
	return image.Rectangle{at, at.Add(size)}
}

// slicing says what is taken of a picture.
type slicing struct {
	r          image.Rectangle
	whole      bool // take all of the picture and ignore r
	dx, dy     int
	transposed bool // columns of the picture become rows of the result, and rows become columns
}

// result returns what s takes of m as a new picture, or nothing with an error.
func result[M image.Image](m M, s slicing) (M, error) {
	out, err := s.of(m)
	if err != nil {
		return nothing[M](), err
	}
	return out.(M), nil
}

// nothing returns nil if M is an interface, else an empty picture.
func nothing[M image.Image]() (none M) {
	if t := reflect.TypeFor[M](); t.Kind() == reflect.Pointer {
		return reflect.New(t.Elem()).Interface().(M)
	}
	return none
}

// take opens m. x and y are what s takes of m for the columns and the rows of the result.
func (s slicing) take(m image.Image) (from *planes, x, y [2]axis, err error) {
	from = new(planes)
	if err = from.open(m); err != nil {
		return nil, x, y, err
	}
	if err = from.refuseScattered(m); err != nil {
		return nil, x, y, err
	}
	if x, y, err = s.axes(from); s.transposed {
		x, y = y, x
	}
	return from, x, y, err
}

func (s slicing) of(m image.Image) (image.Image, error) {
	from, x, y, err := s.take(m)
	if err != nil {
		return nil, err
	}
	out, err := blank(m, from, image.Pt(x[0].n, y[0].n), image.Pt(x[1].cell, y[1].cell))
	if err != nil {
		return nil, err
	}
	var to planes
	if err := to.open(out); err != nil {
		return nil, err
	}
	return out, to.fill(from, x, y, s.transposed)
}

// write copies what s takes of src into dst.
func write(dst, src image.Image, s slicing) error {
	var to planes
	if err := to.open(dst); err != nil {
		return err
	}
	if err := to.refuseScattered(dst); err != nil {
		return err
	}
	from, x, y, err := s.take(src)
	if err != nil {
		return err
	}
	if why := unlike(dst, src, to.form, from.form); why != "" {
		return refused(slice1.ErrDataType, "%s", why)
	}
	switch size := image.Pt(x[0].n, y[0].n); {
	case to.cell != image.Pt(x[1].cell, y[1].cell):
		return fmt.Errorf("imageslice: cells of chroma of %v pixels into those of %v: %w", image.Pt(x[1].cell, y[1].cell), to.cell, slice1.ErrDataType)
	case to.bounds.Dx() > size.X, to.bounds.Dy() > size.Y:
		return fmt.Errorf("imageslice: dst has %v pixels, the slice %v: %w", to.bounds.Size(), size, slice1.ErrOutput)
	case to.bounds.Min.X%to.cell.X != 0, to.bounds.Min.Y%to.cell.Y != 0:
		return refused(slice1.ErrWindow, "dst, %v, does not begin with a cell of chroma", to.bounds)
	}
	return to.fill(from, x, y, s.transposed)
}

// fill copies what x and y, the results of axes, take of each plane. If there is an error, it
// copies nothing.
func (to *planes) fill(from *planes, x, y [2]axis, transposed bool) error {
	plans := make([]*slice1.Plan, len(to.list))
	for i := range to.list {
		t, of := from.list[i].tensor, min(i, 1) // x and y have an axis for luma and one for all chroma planes
		if transposed {
			t.Sizes = []int{t.Sizes[1], t.Sizes[0], t.Sizes[2]}
			t.Strides = []int{t.Strides[1], t.Strides[0], t.Strides[2]}
		}
		d := described(t, y[of], x[of], axis{0, 1, t.Sizes[2], 1})
		d.Output = to.list[i].tensor
		var err error
		if plans[i], err = slice1.NewPlan(d); err != nil {
			return own(err)
		}
		for j := range from.list {
			if i == j {
				err = own(plans[i].Check(to.list[i].pix, from.list[i].pix))
			} else if to.list[i].meets(&from.list[j]) {
				err = fmt.Errorf("imageslice: planes of dst and src: %w", slice1.ErrOverlap)
			}
			if err != nil {
				return err
			}
		}
	}
	for i, p := range plans {
		if err := p.Run(to.list[i].pix, from.list[i].pix); err != nil {
			return own(err)
		}
	}
	return nil
}

// described returns the slice that takes y of t's first axis, x of its second and `channels` of its
// third. Its output is packed.
func described(t slice1.TensorDesc, y, x, channels axis) *slice1.Desc {
	return new(description).set(t, y, x, channels)
}

// description is a descriptor with the memory of its lists, so that making it need not allocate.
type description struct {
	slice1.Desc
	offsets, sizes, strides, outs [3]int
}

// set sets d to the result of described.
func (d *description) set(t slice1.TensorDesc, y, x, channels axis) *slice1.Desc {
	for i, along := range [...]axis{y, x, channels} {
		d.offsets[i], d.sizes[i], d.strides[i] = along.window()
		d.outs[i] = along.n
	}
	d.Desc = slice1.Desc{Input: t, Output: slice1.TensorDesc{DataType: t.DataType, Sizes: d.outs[:]},
		WindowOffsets: d.offsets[:], WindowSizes: d.sizes[:], WindowStrides: d.strides[:]}
	return &d.Desc
}
