package imageslice

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// transform says how a picture is made upright: whether its columns and rows are taken in reverse
// order, and whether they then change places.
type transform struct {
	x, y       int // 1, or -1 for the reverse order
	transposed bool
}

// transforms has the transform of each EXIF orientation. 0 is an orientation that is not set.
var transforms = [9]transform{
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

// transformOf returns the transform of an orientation from lowest to 8.
func transformOf(orientation, lowest int) (transform, error) {
	if orientation < lowest || orientation >= len(transforms) {
		return transform{}, fmt.Errorf("imageslice: orientation %d is not 1 to 8: %w", orientation, errors.ErrUnsupported)
	}
	return transforms[orientation], nil
}

// upright returns the bounds of the upright picture. Without a transform it keeps its own.
func (t transform) upright(bounds image.Rectangle) image.Rectangle {
	if t == transforms[0] {
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
	transform
}

// selection is what a window takes. For example, a window from -3 up to, not including, 3 in steps
// of -2 takes pixels 2, 0 and -2 of a row of pixels 0 to 4: columns is {2, -2, 2}, size is 3, and
// inside is from 0 up to, not including, 2.
type selection struct {
	columns, rows axis            // of the picture in memory
	size          image.Point     // of the window, after steps
	inside        image.Rectangle // the pixels of the window that the picture has
}

// far is a distance in pixels that no memory holds. The sum of a few such distances does not
// overflow.
const far = math.MaxInt >> 3

// selectFrom returns what w takes of a picture with these bounds. Only if clip is true, r may leave
// the picture.
func (w window) selectFrom(bounds image.Rectangle, clip bool) (t selection, err error) {
	whole := w.upright(bounds)
	switch {
	case w.r.Empty():
		return t, refused(slice1.ErrEmpty, "the window %v has no pixels", w.r)
	case !clip && !w.r.In(whole):
		if w.transform != transforms[0] {
			return t, refused(slice1.ErrWindow, "%v is not in %v, the upright picture (orientation %d); Tensor.Whole(m) is all of it",
				w.r, whole, slices.Index(transforms[:], w.transform))
		}
		return t, fmt.Errorf("imageslice: %v is not in %v: %w", w.r, whole, slice1.ErrWindow)
	case w.dx == 0, w.dy == 0:
		return t, refused(slice1.ErrStride, "steps of %d and %d: must not be 0; 1 takes all pixels, -1 mirrors them", w.dx, w.dy)
	}
	for _, v := range [...]int{w.r.Min.X, w.r.Max.X, w.r.Min.Y, w.r.Max.Y, whole.Min.X, whole.Max.X, whole.Min.Y, whole.Max.Y} {
		if clip && (v < -far || v > far) {
			return t, fmt.Errorf("imageslice: a pixel at %d: %w", v, slice1.ErrOverflow)
		}
	}
	x, width, left := intersect(w.r.Min.X, w.r.Max.X, whole.Min.X, whole.Max.X, w.dx)
	y, height, top := intersect(w.r.Min.Y, w.r.Max.Y, whole.Min.Y, whole.Max.Y, w.dy)
	t.size = image.Pt(width, height)
	if x.n > 0 && y.n > 0 {
		t.inside = image.Rect(left, top, left+x.n, top+y.n)
	}
	if w.transposed {
		x, y = y, x
	}
	t.columns, t.rows = x.mirrored(w.transform.x, bounds.Dx()), y.mirrored(w.transform.y, bounds.Dy())
	return t, nil
}

// steps returns the steps of w through the columns and rows of memory.
func (w window) steps() (dx, dy int) {
	dx, dy = w.dx, w.dy
	if w.transposed {
		dx, dy = dy, dx
	}
	return dx * w.transform.x, dy * w.transform.y
}

// axis is what is taken of the rows, columns or channels of memory: n of them, `step` apart, from
// number `start` on.
type axis struct{ start, step, n int }

// upTo returns the axis of the first n.
func upTo(n int) axis { return axis{0, 1, n} }

// lowest returns the smallest number that x takes.
func (x axis) lowest() int { return min(x.start, x.start+x.step*(x.n-1)) }

// width returns how many rows, columns or channels lie from the lowest that x takes to the highest.
func (x axis) width() int { return (x.n-1)*max(x.step, -x.step) + 1 }

// mirrored returns x in memory of `length` rows or columns. If d is negative, memory has them in
// reverse order.
func (x axis) mirrored(d, length int) axis {
	if d < 0 {
		return axis{length - 1 - x.start, -x.step, x.n}
	}
	return x
}

// count returns how many of n positions a slice with this step takes. n is at least 1, and step is
// not 0.
func count(n, step int) int {
	steps := (n - 1) / step
	return 1 + max(steps, -steps)
}

// intersect returns what a window from lo up to, not including, hi takes of an axis in steps of
// `step`. The axis has positions from low up to, not including, limit. n is how many positions
// the window has, and the result takes those of them that the axis has. The first of these is
// number `skipped` of the window.
func intersect(lo, hi, low, limit, step int) (x axis, n, skipped int) {
	n = count(hi-lo, step)
	step = min(max(step, lo-hi), hi-lo)          // a longer step takes one position, too
	start, ahead, left := lo, low-lo, limit-1-lo // from the window's first position to the axis' first and last
	if step < 0 {
		start, ahead, left = hi-1, hi-limit, hi-1-low
	}
	length := max(step, -step)
	skipped = (max(0, ahead) + length - 1) / length
	if end := min(n, left/length+1); left >= 0 && skipped < end {
		x = axis{start + skipped*step - low, step, end - skipped}
	}
	return x, n, skipped
}

// chromaAxis returns what x takes of the samples that cells of `cell` pixels share, and how many
// pixels of the result share one. x takes pixels `step` apart, also if it takes only one, and its
// first pixel is number `origin` of the picture's coordinates. ok is false if the pixels of a cell
// of the result would not share a sample. shared is 0 if that is so whatever the first pixel.
func (x axis) chromaAxis(origin, step, cell int) (c axis, shared int, ok bool) {
	start := origin + x.start
	switch length := max(step, -step); {
	case cell == 1:
		return x, 1, true
	case step%cell == 0:
		return axis{start/cell - origin/cell, step / cell, x.n}, 1, true
	case cell%length != 0:
		return axis{}, 0, false
	default:
		ahead := start % cell // pixels of start's cell before start, in the direction of the steps
		if step < 0 {
			ahead = cell - 1 - ahead
		}
		shared = cell / length
		return axis{start/cell - origin/cell, step / length, (x.n + shared - 1) / shared}, shared, x.n == 1 || ahead < length
	}
}

// reversed returns what x takes in the other order.
func (x axis) reversed() axis { return axis{x.start + (x.n-1)*x.step, -x.step, x.n} }

// ascending returns what x takes in ascending order, and whether that reverses it.
func (x axis) ascending() (axis, bool) {
	if x.step < 0 {
		return x.reversed(), true
	}
	return x, false
}
