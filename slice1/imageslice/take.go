package imageslice

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// turn says how a picture is turned upright: whether its columns and rows are taken in reverse
// order, and whether they then change places.
type turn struct {
	x, y       int // 1, or -1 for the reverse order
	transposed bool
}

// turns has the turn of each EXIF orientation. 0 is an orientation that is not set.
var turns = [9]turn{
	{x: 1, y: 1},
	{x: 1, y: 1},
	{x: -1, y: 1},
	{x: -1, y: -1},
	{x: 1, y: -1},
	{x: 1, y: 1, transposed: true},
	{x: 1, y: -1, transposed: true},
	{x: -1, y: -1, transposed: true},
	{x: -1, y: 1, transposed: true},
}

// oriented returns the turn of an orientation from lowest to 8.
func oriented(orientation, lowest int) (turn, error) {
	if orientation < lowest || orientation >= len(turns) {
		return turn{}, fmt.Errorf("imageslice: orientation %d is not 1 to 8: %w", orientation, errors.ErrUnsupported)
	}
	return turns[orientation], nil
}

// upright returns the bounds of the upright picture. A picture that is not turned keeps its own.
func (t turn) upright(bounds image.Rectangle) image.Rectangle {
	if t == turns[0] {
		return bounds
	}
	bounds = image.Rectangle{Max: bounds.Size()}
	if t.transposed {
		bounds.Max.X, bounds.Max.Y = bounds.Max.Y, bounds.Max.X
	}
	return bounds
}

// window says which pixels of the upright picture are taken: every |dx|-th column and every |dy|-th
// row of r, from its right or bottom on for a negative step.
type window struct {
	r      image.Rectangle
	dx, dy int
	turn
}

// taken is what a window takes. For example, a window from -3 up to, not including, 3 in steps of
// -2 takes pixels 2, 0 and -2 of a row of pixels 0 to 4: columns is {2, -2, 2}, size is 3, and
// inside is from 0 up to, not including, 2.
type taken struct {
	columns, rows axis            // of the picture in memory
	size          image.Point     // of the window, after steps
	inside        image.Rectangle // the pixels of the window that the picture has
}

// far is a distance in pixels that no memory holds. The sum of a few such distances does not
// overflow.
const far = math.MaxInt >> 3

// take returns what w takes of a picture with these bounds. Only if clip is true, r may leave the
// picture.
func (w window) take(bounds image.Rectangle, clip bool) (t taken, err error) {
	all := w.upright(bounds)
	switch {
	case w.r.Empty():
		return t, fmt.Errorf("imageslice: %v: %w", w.r, slice1.ErrEmpty)
	case !clip && !w.r.In(all):
		of := ""
		if w.turn != turns[0] {
			of = fmt.Sprintf(" of the upright picture (orientation %d)", slices.Index(turns[:], w.turn))
		}
		return t, fmt.Errorf("imageslice: %v is not in %v%s: %w", w.r, all, of, slice1.ErrWindow)
	case w.dx == 0, w.dy == 0:
		return t, fmt.Errorf("imageslice: steps of %d and %d: %w", w.dx, w.dy, slice1.ErrStride)
	}
	for _, v := range [...]int{w.r.Min.X, w.r.Max.X, w.r.Min.Y, w.r.Max.Y, all.Min.X, all.Max.X, all.Min.Y, all.Max.Y} {
		if clip && (v < -far || v > far) {
			return t, fmt.Errorf("imageslice: a pixel at %d: %w", v, slice1.ErrOverflow)
		}
	}
	x, width, left := intersect(w.r.Min.X, w.r.Max.X, all.Min.X, all.Max.X, w.dx)
	y, height, top := intersect(w.r.Min.Y, w.r.Max.Y, all.Min.Y, all.Max.Y, w.dy)
	t.size = image.Pt(width, height)
	if x.n > 0 && y.n > 0 {
		t.inside = image.Rect(left, top, left+x.n, top+y.n)
	}
	if w.transposed {
		x, y = y, x
	}
	t.columns, t.rows = x.turned(w.turn.x, bounds.Dx()), y.turned(w.turn.y, bounds.Dy())
	return t, nil
}

// steps returns the steps of w through the columns and rows of memory.
func (w window) steps() (dx, dy int) {
	dx, dy = w.dx, w.dy
	if w.transposed {
		dx, dy = dy, dx
	}
	return dx * w.turn.x, dy * w.turn.y
}
