package imageslice

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/bits"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// Size returns the shape of the tensor that Convert makes of window r of m, in t's layout. It
// returns Convert's errors about m, r and the shape. It ignores Type and Affine, and asks of Fill
// only whether there is one.
func (t Tensor) Size(m image.Image, r image.Rectangle) (shape [3]int, err error) {
	var src planes
	if err := src.openColours(m); err != nil {
		return shape, err
	}
	p, err := t.place(m, &src, r, 3, len(t.Fill) > 0)
	if err == nil {
		err = t.checkRest(&p)
	}
	if err != nil {
		return shape, err
	}
	return p.shape(t.Layout), nil
}

// placement is where the pixels that a window takes are in a tensor. For example, a row of three
// pixels is mirrored into the middle of a row of five, where it has the places from 1 up to, not
// including, 4.
type placement struct {
	selection                   // inside counts in the tensor; with Resize, of the resampled picture
	resized                     // with Resize
	width, height, channels int // the tensor's
	count                   int // elements of the tensor
	row, column, channel    int // elements of the tensor from one row, column and channel of the picture to the next that is taken
	origin                  int // the tensor's element for the first channel of the first pixel that is taken
	patches                     // with Patch
}

// place returns where the pixels of window r of picture m are in t. alternative is a number of
// channels that t may have in place of the picture's. If clip is true, r may leave the picture.
func (t *Tensor) place(m image.Image, src *planes, r image.Rectangle, alternative int, clip bool) (p placement, err error) {
	channels, err := t.channels(src.rgb.n, alternative)
	if err != nil {
		return p, err
	}
	transform, err := transformOf(t.Orientation, 0)
	switch {
	case err != nil:
		return p, err
	case t.Layout != CHW && t.Layout != HWC:
		return p, refused(slice1.ErrSize, "Layout is %d, must be 0 or 1: CHW or HWC", t.Layout)
	}
	w := window{r, t.StepX, t.StepY, transform}
	for _, step := range [...]*int{&w.dx, &w.dy} {
		if *step == 0 {
			*step = 1
		}
	}
	var width, height int
	if t.Resize != (image.Point{}) {
		width, height, err = t.resize(&p, m, src, w)
	} else {
		scale := "Resize scales the window"
		if alternative == 1 { // Draw
			scale = "Draw does not scale, func Resize does"
		}
		width, height, err = t.placeWindow(&p, src, w, clip, scale)
	}
	if err != nil {
		return placement{}, err
	}
	high, area := bits.Mul64(uint64(width), uint64(height))
	highest, size := bits.Mul64(area, uint64(channels))
	if high != 0 || highest != 0 || size > math.MaxInt {
		return placement{}, fmt.Errorf("imageslice: a tensor of %d x %d pixels: %w", width, height, slice1.ErrOverflow)
	}
	p.width, p.height, p.channels, p.count = width, height, channels, int(size)
	p.inside = p.inside.Add(t.At)
	pixel := 1
	if p.channel = int(area); t.Layout == HWC {
		p.channel, pixel = 1, channels
	}
	p.row, p.column = width*pixel, pixel
	if transform.transposed {
		p.row, p.column = p.column, p.row
	}
	p.origin = (p.inside.Min.Y*width + p.inside.Min.X) * pixel
	if err := t.cut(&p, transform.transposed); err != nil {
		return placement{}, err
	}
	return p, nil
}

// placeWindow sets p to what window w takes of a picture, and returns the tensor's width and
// height. For errors, `scale` says what gives a window another size.
func (t *Tensor) placeWindow(p *placement, src *planes, w window, clip bool, scale string) (width, height int, err error) {
	if p.selection, err = w.selectFrom(src.bounds, clip); err != nil {
		return 0, 0, err
	}
	width, err = extent(p.selection.size.X, t.Width, t.At.X, [...]string{"wide", "Width", "At.X"}, scale)
	if err != nil {
		return 0, 0, err
	}
	height, err = extent(p.selection.size.Y, t.Height, t.At.Y, [...]string{"high", "Height", "At.Y"}, scale)
	return width, height, err
}

// extent returns how many pixels a tensor has along an axis: as many as asked for, or as many as
// the window takes, n, if that is 0. names are what errors call the window's extent, the tensor's,
// and offset, where in the tensor the window begins.
func extent(n, asked, offset int, names [3]string, scale string) (int, error) {
	switch {
	case asked < 0:
		return 0, refusedField(names[1], int64(asked), 0, slice1.ErrSize, " is %d, must be at least 0", asked)
	case asked == 0 && offset != 0, asked > 0 && (offset < 0 || offset > asked-n):
		return 0, refused(slice1.ErrWindow, "the window is %d pixels %s, %s is %d from which %s takes %d; %s", n, names[0], names[1], asked, names[2], offset, scale)
	case asked == 0:
		return n, nil
	}
	return asked, nil
}

// checkRest returns an error unless t says what becomes of the rest of the tensor, where p has no
// pixel of the picture.
func (t *Tensor) checkRest(p *placement) error {
	size := p.inside.Size()
	switch filled := len(t.Fill) > 0; {
	case filled && t.Keep:
		return refused(errors.ErrUnsupported, "Fill and Keep are set: the rest of the tensor is filled, or keeps what it has")
	case !filled && !t.Keep && size != image.Pt(p.width, p.height):
		return refused(slice1.ErrWindow, "the tensor has %d x %d pixels, the picture gives %d x %d; Fill says what the others become, Keep leaves them, Resize scales the picture",
			p.width, p.height, size.X, size.Y)
	}
	return nil
}

// shape returns the extents of the tensor, outermost first.
func (p *placement) shape(l Layout) [3]int {
	if p.side > 0 {
		return [3]int{1, p.count / p.numbers(), p.numbers()}
	}
	if l == HWC {
		return [3]int{p.height, p.width, p.channels}
	}
	return [3]int{p.channels, p.height, p.width}
}

// checkLength returns an error unless a tensor has n values. The error says so if t would have n
// values with alternative channels in place of its own.
func (p *placement) checkLength(name string, n int, t *Tensor, alternative int) error {
	if n == p.count {
		return nil
	}
	hint := ""
	if t.Channels == 0 && p.channels != alternative && n == p.count/p.channels*alternative {
		hint = fmt.Sprintf("; Channels: %d makes it %d", alternative, n)
	}
	return refused(slice1.ErrBuffer, "%s has %d values, a tensor of shape %v has %d%s", name, n, p.shape(t.Layout), p.count, hint)
}

// resized is what a tensor's Resize takes of a picture and makes of it.
type resized struct {
	left, top int       // the first column and row of the window in memory
	x, y      rows.Axis // of the picture in memory
	rowsFirst bool      // the picture lies transposed
	pixel     int       // bytes of a pixel that is resampled
	filter    Filter
	opaque    bool // whether the pixels that are made are opaque
}

// resize sets p to the part of the resampled window w that stays in t's tensor, and returns the
// tensor's width and height.
func (t *Tensor) resize(p *placement, m image.Image, ps *planes, w window) (width, height int, err error) {
	switch {
	case w.dx != 1 && w.dx != -1, w.dy != 1 && w.dy != -1:
		return 0, 0, refused(slice1.ErrStride, "steps of %d and %d: with Resize they must be 1 or -1", w.dx, w.dy)
	case t.Filter < Bilinear || t.Filter > Area:
		return 0, 0, refusedField("Filter", int64(t.Filter), int64(min(max(t.Filter, Bilinear), Area)), slice1.ErrSize, " is %d, must be 0 to %d", t.Filter, Area)
	}
	crop, err := window{w.r, 1, 1, w.transform}.selectFrom(ps.bounds, false)
	if err != nil {
		return 0, 0, err
	}
	if err := t.fitted.check(t, w.r); err != nil {
		return 0, 0, err
	}
	x, width, err := kept(t.Resize.X, t.Width, t.At.X, [...]string{"Resize.X", "Width", "At.X"})
	if err != nil {
		return 0, 0, err
	}
	y, height, err := kept(t.Resize.Y, t.Height, t.At.Y, [...]string{"Resize.Y", "Height", "At.Y"})
	if err != nil || x.n <= 0 || y.n <= 0 {
		return width, height, err
	}
	if size := w.r.Size(); t.Filter == Area && (t.Resize.X > size.X || t.Resize.Y > size.Y) {
		return 0, 0, refused(errors.ErrUnsupported, "Filter Area of %v pixels to %v: no side may grow", size, t.Resize)
	}
	w.r = image.Rect(x.start, y.start, x.start+x.n, y.start+y.n)
	if w.dx < 0 {
		w.r.Min.X, w.r.Max.X = t.Resize.X-w.r.Max.X, t.Resize.X-w.r.Min.X
	}
	if w.dy < 0 {
		w.r.Min.Y, w.r.Max.Y = t.Resize.Y-w.r.Max.Y, t.Resize.Y-w.r.Min.Y
	}
	size := t.Resize
	if w.transposed {
		size.X, size.Y = size.Y, size.X
	}
	if p.selection, err = w.selectFrom(image.Rectangle{Max: size}, false); err != nil {
		return 0, 0, err
	}
	p.inside = p.inside.Add(image.Pt(x.start, y.start))
	axisOf := func(crop, kept axis, size, d int) rows.Axis {
		return rows.Axis{Size: crop.n, Scaled: size, Begin: kept.lowest(), End: kept.lowest() + kept.n, Flip: d < 0}
	}
	p.resized = resized{left: crop.columns.lowest(), top: crop.rows.lowest(), rowsFirst: w.transposed, filter: t.Filter,
		x: axisOf(crop.columns, p.columns, size.X, w.transform.x), y: axisOf(crop.rows, p.rows, size.Y, w.transform.y)}
	return width, height, nil
}

// kept returns which of n resampled pixels stay in a tensor that has as many as asked for along an
// axis, or n if that is 0. The first of the n is pixel `offset` of the tensor. names are what
// errors call n, the tensor's extent and `offset`.
func kept(n, asked, offset int, names [3]string) (stay axis, extent int, err error) {
	switch {
	case n <= 0:
		return stay, 0, refusedField(names[0], int64(n), 1, slice1.ErrSize, " is %d, must be at least 1", n)
	case n > math.MaxInt32:
		return stay, 0, refusedField(names[0], int64(n), math.MaxInt32, slice1.ErrOverflow, " is %d, must be at most %d", n, math.MaxInt32)
	case asked < 0:
		return stay, 0, refusedField(names[1], int64(asked), 0, slice1.ErrSize, " is %d, must be at least 0", asked)
	case offset < -far || offset > far:
		return stay, 0, refusedField(names[2], int64(offset), int64(min(max(offset, -far), far)), slice1.ErrOverflow, " is %d, must be %d to %d", offset, -far, far)
	case asked == 0:
		asked = n
	}
	start := max(0, -offset)
	return axis{start, 1, min(n, asked-offset) - start}, asked, nil
}
