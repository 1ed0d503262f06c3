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
	return result(m, window{r, dx, dy, turns[0]})
}

// Copy writes into dst what Slice would return. A smaller dst gets the first rows and columns, and
// a larger dst is slice1.ErrOutput. It is slice1.ErrDataType if dst has another type, palette,
// order of channels, form, matrix, range or ratio of chroma than Slice's result. It is
// slice1.ErrOverlap if a byte would be both read and written, or if a plane of dst shares memory
// with another plane of src. So the left half of a picture can be copied onto its right half. If
// dst has chroma, it must begin at the edge of a cell (slice1.ErrWindow). Copy writes whole cells,
// also at dst's right and bottom edge.
func Copy(dst, src image.Image, r image.Rectangle, dx, dy int) error {
	return write(dst, src, window{r, dx, dy, turns[0]})
}

// result returns what w takes of m as a new picture, or nothing with an error.
func result[M image.Image](m M, w window) (M, error) {
	out, err := sliced(m, w)
	if err != nil {
		return noPicture[M](), err
	}
	return out.(M), nil
}

// noPicture returns nil if M is an interface, else an empty picture.
func noPicture[M image.Image]() (none M) {
	if t := reflect.TypeFor[M](); t.Kind() == reflect.Pointer {
		return reflect.New(t.Elem()).Interface().(M)
	}
	return none
}

// crop is what a window takes of each plane of a picture.
type crop struct {
	planes
	rows, columns [2]axis     // of luma or of the only plane, and of chroma
	cell          image.Point // columns and rows of pixels of the result that share a sample of chroma
	size          image.Point // of the result
	transposed    bool
}

// set sets c, which must be zero, to what w takes of m. The error is about m, about w, or about
// steps or a first pixel that do not suit the cells of chroma.
func (c *crop) set(m image.Image, w window) error {
	if err := c.open(m); err != nil {
		return err
	}
	if err := c.refuseScattered(m); err != nil {
		return err
	}
	t, err := w.take(c.bounds, false)
	if err != nil {
		return err
	}
	r, b := w.r, c.bounds
	if w.turn != turns[0] { // a picture that is turned is taken whole
		r = b
	}
	dx, dy := w.steps()
	c.columns[0], c.rows[0], c.size, c.transposed = t.columns, t.rows, t.size, w.transposed
	var okX, okY bool
	c.columns[1], c.cell.X, okX = t.columns.cells(b.Min.X, dx, c.planes.cell.X)
	c.rows[1], c.cell.Y, okY = t.rows.cells(b.Min.Y, dy, c.planes.cell.Y)
	switch {
	case c.cell.X == 0 || c.cell.Y == 0:
		side, divisors := c.planes.cell.X, map[int]string{2: "1", 4: "1, 2"}
		if c.cell.X != 0 {
			side = c.planes.cell.Y
		}
		return refused(slice1.ErrStride, "steps of %d and %d through cells of chroma of %v pixels: through %d pixels they must be %s or a multiple of %d",
			dx, dy, c.planes.cell, side, divisors[side], side)
	case !okX || !okY:
		near := r
		near.Min.X, near.Max.X = fit(near.Min.X, near.Max.X, b.Min.X, b.Max.X, dx, c.planes.cell.X)
		near.Min.Y, near.Max.Y = fit(near.Min.Y, near.Max.Y, b.Min.Y, b.Max.Y, dy, c.planes.cell.Y)
		return refused(slice1.ErrWindow, "%v in steps of %d and %d does not begin with a cell of chroma, %v does", r, dx, dy, near)
	}
	if w.transposed {
		c.cell.X, c.cell.Y = c.cell.Y, c.cell.X
	}
	return nil
}

func sliced(m image.Image, w window) (image.Image, error) {
	var from crop
	if err := from.set(m, w); err != nil {
		return nil, err
	}
	out, err := blank(m, &from.planes, from.size, from.cell)
	if err != nil {
		return nil, err
	}
	var to planes
	if err := to.open(out); err != nil {
		return nil, err
	}
	return out, from.store(&to)
}

// write copies what w takes of src into dst.
func write(dst, src image.Image, w window) error {
	var to planes
	if err := to.open(dst); err != nil {
		return err
	}
	if err := to.refuseScattered(dst); err != nil {
		return err
	}
	var from crop
	if err := from.set(src, w); err != nil {
		return err
	}
	if why := unlike(dst, src, to.form, from.form); why != "" {
		return refused(slice1.ErrDataType, "%s", why)
	}
	switch {
	case to.cell != from.cell:
		return fmt.Errorf("imageslice: cells of chroma of %v pixels into those of %v: %w", from.cell, to.cell, slice1.ErrDataType)
	case to.bounds.Dx() > from.size.X, to.bounds.Dy() > from.size.Y:
		return fmt.Errorf("imageslice: dst has %v pixels, the slice %v: %w", to.bounds.Size(), from.size, slice1.ErrOutput)
	case to.bounds.Min.X%to.cell.X != 0, to.bounds.Min.Y%to.cell.Y != 0:
		return refused(slice1.ErrWindow, "dst, %v, does not begin with a cell of chroma", to.bounds)
	}
	return from.store(&to)
}

// store copies what c takes of each plane to the planes of another picture. If there is an error,
// it copies nothing.
func (c *crop) store(dst *planes) error {
	plans := make([]*slice1.Plan, len(dst.list))
	for i := range dst.list {
		plane := min(i, 1)
		d := described(c.list[i].tensor, c.rows[plane], c.columns[plane])
		d.Output = dst.list[i].tensor
		if c.transposed {
			t := d.Output
			d.Output.Sizes, d.Output.Strides = []int{t.Sizes[1], t.Sizes[0], t.Sizes[2]}, []int{t.Strides[1], t.Strides[0], t.Strides[2]}
		}
		var err error
		if plans[i], err = slice1.NewPlan(d); err != nil {
			return adopt(err)
		}
		for j := range c.list {
			if i == j {
				err = adopt(plans[i].Check(dst.list[i].pix, c.list[i].pix))
			} else if dst.list[i].meets(&c.list[j]) {
				err = fmt.Errorf("imageslice: planes of dst and src: %w", slice1.ErrOverlap)
			}
			if err != nil {
				return err
			}
		}
	}
	for i, p := range plans {
		if err := p.Run(dst.list[i].pix, c.list[i].pix); err != nil {
			return adopt(err)
		}
	}
	return nil
}

// described returns the slice that takes rows, columns and all channels of a tensor. Its caller
// sets the output.
func described(t slice1.TensorDesc, rows, columns axis) *slice1.Desc {
	d := &slice1.Desc{Input: t}
	for _, a := range [...]axis{rows, columns, upTo(t.Sizes[2])} {
		o, s, step := slice1.Axis{Start: int64(a.first), Step: int64(a.step)}.Window(0, int64(a.n))
		d.WindowOffsets, d.WindowSizes, d.WindowStrides = append(d.WindowOffsets, int(o)), append(d.WindowSizes, int(s)), append(d.WindowStrides, int(step))
	}
	return d
}
