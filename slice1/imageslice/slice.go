package imageslice

import (
	"errors"
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
	return result(m, window{r, dx, dy, transforms[0]})
}

// Copy writes into dst what Slice would return. A smaller dst gets the first rows and columns, and
// a larger dst is slice1.ErrOutput. It is slice1.ErrDataType if dst has another type, palette,
// order of channels, form, matrix, range, Colours or ratio of chroma than Slice's result. It is
// slice1.ErrOverlap if a byte would be both read and written, or if a plane of dst shares memory
// with another plane of src. So the left half of a picture can be copied onto its right half. If
// dst has chroma, it must begin at the edge of a cell (slice1.ErrWindow). Copy writes whole cells,
// also at dst's right and bottom edge.
func Copy(dst, src image.Image, r image.Rectangle, dx, dy int) error {
	return write(dst, src, window{r, dx, dy, transforms[0]})
}

// result returns what w takes of m as a new picture, or nothing with an error.
func result[M image.Image](m M, w window) (M, error) {
	picture, err := sliced(m, w)
	if err != nil {
		return noPicture[M](), err
	}
	return picture.(M), nil
}

// noPicture returns nil if M is an interface, else an empty picture.
func noPicture[M image.Image]() (empty M) {
	if t := reflect.TypeFor[M](); t.Kind() == reflect.Pointer {
		return reflect.New(t.Elem()).Interface().(M)
	}
	return empty
}

// crop is what a window takes of each plane of a picture.
type crop struct {
	planes
	rows, columns [2]axis     // of luma or of the only plane, and of chroma
	cell          image.Point // columns and rows of pixels of the result that share a sample of chroma
	size          image.Point // of the result
	transposed    bool
}

// openWindow sets c, which must be zero, to what w takes of m. The error is about m, about w, or
// about steps or a first pixel that do not suit the cells of chroma.
func (c *crop) openWindow(m image.Image, w window) error {
	if err := c.open(m); err != nil {
		return err
	}
	if err := c.refuseScattered(); err != nil {
		return err
	}
	t, err := w.selectFrom(c.bounds, false)
	if err != nil {
		return err
	}
	r, b := w.r, c.bounds
	if w.transform != transforms[0] { // Orient takes all of the picture
		r = b
	}
	dx, dy := w.steps()
	c.columns[0], c.rows[0], c.size, c.transposed = t.columns, t.rows, t.size, w.transposed
	var okX, okY bool
	c.columns[1], c.cell.X, okX = t.columns.chromaAxis(b.Min.X, dx, c.planes.cell.X)
	c.rows[1], c.cell.Y, okY = t.rows.chromaAxis(b.Min.Y, dy, c.planes.cell.Y)
	switch {
	case c.cell.X == 0 || c.cell.Y == 0:
		side, divisors := c.planes.cell.X, map[int]string{2: "1", 4: "1, 2"}
		if c.cell.X != 0 {
			side = c.planes.cell.Y
		}
		return refused(slice1.ErrStride, "steps of %d and %d through cells of chroma of %v pixels: through %d pixels they must be %s or a multiple of %d",
			dx, dy, c.planes.cell, side, divisors[side], side)
	case !okX || !okY:
		fitting := r
		fitting.Min.X, fitting.Max.X = fit(fitting.Min.X, fitting.Max.X, b.Min.X, b.Max.X, dx, c.planes.cell.X)
		fitting.Min.Y, fitting.Max.Y = fit(fitting.Min.Y, fitting.Max.Y, b.Min.Y, b.Max.Y, dy, c.planes.cell.Y)
		return refused(slice1.ErrWindow, "%v in steps of %d and %d does not begin with a cell of chroma, %v does", r, dx, dy, fitting)
	}
	if w.transposed {
		c.cell.X, c.cell.Y = c.cell.Y, c.cell.X
	}
	return nil
}

func sliced(m image.Image, w window) (image.Image, error) {
	var source crop
	if err := source.openWindow(m, w); err != nil {
		return nil, err
	}
	result, err := blank(m, &source.planes, source.size, source.cell)
	if err != nil {
		return nil, err
	}
	var target planes
	if err := target.open(result); err != nil {
		return nil, err
	}
	return result, source.store(&target)
}

// write copies what w takes of src into dst.
func write(dst, src image.Image, w window) error {
	var target planes
	if err := target.open(dst); err != nil {
		return err
	}
	if err := target.refuseScattered(); err != nil {
		return err
	}
	var source crop
	if err := source.openWindow(src, w); err != nil {
		return err
	}
	if difference := unlike(&target, &source.planes); difference != "" {
		return refused(slice1.ErrDataType, "%s", difference)
	}
	switch {
	case target.cell != source.cell:
		return fmt.Errorf("imageslice: cells of chroma of %v pixels into those of %v: %w", source.cell, target.cell, slice1.ErrDataType)
	case target.bounds.Dx() > source.size.X, target.bounds.Dy() > source.size.Y:
		return fmt.Errorf("imageslice: dst has %v pixels, the slice %v: %w", target.bounds.Size(), source.size, slice1.ErrOutput)
	case target.bounds.Min.X%target.cell.X != 0, target.bounds.Min.Y%target.cell.Y != 0:
		return refused(slice1.ErrWindow, "dst, %v, does not begin with a cell of chroma", target.bounds)
	}
	return source.store(&target)
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
	for _, x := range [...]axis{rows, columns, upTo(t.Sizes[2])} {
		o, s, step := slice1.Axis{Start: int64(x.start), Step: int64(x.step)}.Window(0, int64(x.n))
		d.WindowOffsets, d.WindowSizes, d.WindowStrides = append(d.WindowOffsets, int(o)), append(d.WindowSizes, int(s)), append(d.WindowStrides, int(step))
	}
	return d
}

// Orient returns a new picture of m's type. It shows m like a viewer does if m's EXIF data has this
// orientation:
//
//	1  as it is            5  transposed
//	2  mirrored            6  rotated by 90 degrees, clockwise
//	3  rotated by 180      7  transposed and rotated by 180
//	4  upside down         8  rotated by 90 degrees, anticlockwise
//
// Another orientation is [errors.ErrUnsupported]. The new picture's bounds start at 0, 0. With an
// error, Orient returns the same picture as Slice with an error.
func Orient[M image.Image](m M, orientation int) (M, error) {
	w, err := wholeWindow(m, orientation)
	if err != nil {
		return noPicture[M](), err
	}
	return result(m, w)
}

// OrientInto is Orient into an existing picture. It follows the rules of Copy.
func OrientInto(dst, src image.Image, orientation int) error {
	w, err := wholeWindow(src, orientation)
	if err != nil {
		return err
	}
	return write(dst, src, w)
}

// wholeWindow returns the window of all pixels of a picture with this orientation.
func wholeWindow(m image.Image, orientation int) (window, error) {
	t, err := transformOf(orientation, 1)
	if err != nil || isNil(m) { // a nil picture is refused where it is opened
		return window{dx: 1, dy: 1, transform: t}, err
	}
	return window{t.upright(m.Bounds()), 1, 1, t}, nil
}

// blank returns a new picture of the given size, with chroma of the given cell. It has m's type,
// form, palette, order and colours; src has m's planes. The error is errors.ErrUnsupported if no
// ratio has such a cell.
func blank(m image.Image, src *planes, size, cell image.Point) (image.Image, error) {
	r := image.Rectangle{Max: size}
	if src.kind.channels > 0 {
		row := size.X * src.kind.channels * src.sample.Size()
		made := reflect.New(reflect.TypeOf(m).Elem())
		made.Elem().Set(reflect.ValueOf(m).Elem())
		for name, v := range map[string]any{"Pix": make([]uint8, size.Y*row), "Stride": row, "Rect": r} {
			made.Elem().FieldByName(name).Set(reflect.ValueOf(v))
		}
		return made.Interface().(image.Image), nil
	}
	ratio, err := ratioOf(cell, src.frame.Ratio)
	if err != nil {
		return nil, err
	}
	made := image.NewYCbCr(r, ratio)
	if src.kind == &ycbcrKind {
		return made, nil
	}
	f := frameOf(made)
	f.Matrix, f.FullRange, f.Colours = src.frame.Matrix, src.frame.FullRange, src.frame.Colours
	if src.form != apart {
		pairs := make([]uint8, 2*len(f.Cb))
		f.CStride, f.CStep, f.Cb, f.Cr = 2*f.CStride, 2, pairs, pairs[1:]
		if src.form == redFirst {
			f.Cb, f.Cr = f.Cr, f.Cb
		}
	}
	return &f, nil
}

// ratioOf returns the ratio with such cells of chroma. Its error names `old`, the ratio of the
// picture that is transposed.
func ratioOf(cell image.Point, old image.YCbCrSubsampleRatio) (image.YCbCrSubsampleRatio, error) {
	for ratio, known := range cells {
		if known == cell {
			return ratio, nil
		}
	}
	return 0, fmt.Errorf("imageslice: %v transposed: %w", old, errors.ErrUnsupported)
}

// unlike compares the types, palettes, orders of channels, forms, matrices, ranges and rules of
// colours of two pictures. It says what differs, so that samples do not mean the same, or returns
// "". It ignores ratios of chroma.
func unlike(dst, src *planes) string {
	switch {
	case dst.name != src.name:
		return fmt.Sprintf("dst is %s, must be %s", dst.name, src.name)
	case dst.kind != src.kind:
		return "dst has another order of channels than src"
	case !reflect.DeepEqual(dst.palette, src.palette):
		return "dst has another palette than src"
	case dst.frame.Matrix != src.frame.Matrix || dst.frame.FullRange != src.frame.FullRange:
		return "dst has another matrix or range than src"
	case dst.frame.Colours != src.frame.Colours:
		return "dst has other Colours than src"
	case dst.kind == &frameKind && dst.form != src.form:
		return "chroma of one of dst and src are planes and of the other pairs, or pairs in another order"
	}
	return ""
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
	cell := onePixel
	var p picture
	if p.describe(m) == nil && p.kind.channels == 0 && bounds.Min.X >= 0 && bounds.Min.Y >= 0 {
		cell = cells[p.frame.Ratio]
	}
	r.Min.X, r.Max.X = fit(r.Min.X, r.Max.X, bounds.Min.X, bounds.Max.X, dx, cell.X)
	r.Min.Y, r.Max.Y = fit(r.Min.Y, r.Max.Y, bounds.Min.Y, bounds.Max.Y, dy, cell.Y)
	if r.Empty() {
		return image.Rectangle{}
	}
	return r
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
	fitted := Fit(m, m.Bounds(), 1, 1)
	r := middle(fitted, width, height)
	corner := Fit(m, r, 1, 1).Min
	return image.Rectangle{corner, corner.Add(r.Size())}.Intersect(fitted)
}

// middle returns the rectangle of the given size in the middle of bounds. If bounds are smaller on
// an axis, the rectangle is as long as they are there.
func middle(bounds image.Rectangle, width, height int) image.Rectangle {
	size := image.Pt(min(max(width, 0), bounds.Dx()), min(max(height, 0), bounds.Dy()))
	corner := bounds.Min.Add(bounds.Size().Sub(size).Div(2))
	return image.Rectangle{corner, corner.Add(size)}
}

// fit returns lo and hi, and moves one of them to the edge of a cell: the one at which steps of d
// begin. It moves outward, or inward if the edge outside is not within low to high. It moves
// nothing if cell is at most 1, d is 0 or the range is empty.
func fit(lo, hi, low, high, d, cell int) (int, int) {
	switch {
	case cell <= 1 || lo >= hi:
	case d > 0:
		if lo -= lo % cell; lo < low {
			lo += cell
		}
	case d < 0:
		if hi += (cell - hi%cell) % cell; hi > high {
			hi -= cell
		}
	}
	return lo, hi
}
