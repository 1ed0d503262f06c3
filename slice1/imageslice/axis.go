package imageslice

import (
	"fmt"
	"image"

	"github.com/seed2e45c115/dml/slice1"
)

// axis is what a slice takes of the columns or of the rows of a plane: n samples, `step` apart,
// from sample `first` on.
type axis struct {
	first, step, n int
	cell           int // pixels of the result that share a sample
}

// window returns the smallest window that yields a's samples.
func (a axis) window() (offset, size, stride int) {
	o, s, step := slice1.Axis{Start: int64(a.first), Step: int64(a.step)}.Window(0, int64(a.n))
	return int(o), int(s), int(step)
}

// axes returns what s takes of columns, x, and of rows, y. x[0] and y[0] are for luma or for the
// only plane, and x[1] and y[1] are for chroma. The error is about the rectangle, about the steps,
// or about steps or a first pixel that do not suit the cells of chroma.
func (s slicing) axes(from *planes) (x, y [2]axis, err error) {
	if s.whole {
		s.r = from.bounds
	}
	switch {
	case s.r.Empty():
		return x, y, fmt.Errorf("imageslice: %v: %w", s.r, slice1.ErrEmpty)
	case !s.r.In(from.bounds):
		return x, y, fmt.Errorf("imageslice: %v is not in %v: %w", s.r, from.bounds, slice1.ErrWindow)
	case s.dx == 0, s.dy == 0:
		return x, y, fmt.Errorf("imageslice: steps of %d and %d: %w", s.dx, s.dy, slice1.ErrStride)
	}
	for i, cell := range [2]image.Point{one, from.cell} {
		var okX, okY bool
		x[i], okX = along(s.r.Min.X, s.r.Max.X, from.bounds.Min.X, s.dx, cell.X)
		y[i], okY = along(s.r.Min.Y, s.r.Max.Y, from.bounds.Min.Y, s.dy, cell.Y)
		switch {
		case x[i].n == 0 || y[i].n == 0:
			return x, y, fmt.Errorf("imageslice: steps of %d and %d through cells of chroma of %v pixels: %w", s.dx, s.dy, cell, slice1.ErrStride)
		case !okX || !okY:
			near, b := s.r, from.bounds
			near.Min.X, near.Max.X = fit(near.Min.X, near.Max.X, b.Min.X, b.Max.X, s.dx, cell.X)
			near.Min.Y, near.Max.Y = fit(near.Min.Y, near.Max.Y, b.Min.Y, b.Max.Y, s.dy, cell.Y)
			return x, y, refused(slice1.ErrWindow, "%v in steps of %d and %d does not begin with a cell of chroma, %v does", s.r, s.dx, s.dy, near)
		}
	}
	return x, y, nil
}

// along returns the axis of samples for every d-th pixel from lo up to, not including, hi. Pixel
// `origin` has sample 0, and `cell` pixels share a sample. ok is false if the pixels of a cell of
// the result would not share a sample. a is zero if that is so whatever the first pixel.
func along(lo, hi, origin, d, cell int) (a axis, ok bool) {
	start, n := lo, count(hi-lo, d)
	if d < 0 {
		start = hi - 1
	}
	switch length := max(d, -d); {
	case cell == 1:
		return axis{start - origin, d, n, 1}, true
	case d%cell == 0:
		return axis{start/cell - origin/cell, d / cell, n, 1}, true
	case cell%length != 0:
		return axis{}, false
	default:
		ahead := start % cell // pixels of start's cell before start, in the direction of the steps
		if d < 0 {
			ahead = cell - 1 - ahead
		}
		shared := cell / length
		return axis{start/cell - origin/cell, d / length, (n + shared - 1) / shared, shared}, n == 1 || ahead < length
	}
}

// fit returns lo and hi, and moves one of them to the edge of a cell: the one at which steps of d
// begin. It moves outward, or inward if the edge outside is not within first to last. It moves
// nothing if cell is at most 1, d is 0 or the range is empty.
func fit(lo, hi, first, last, d, cell int) (int, int) {
	switch {
	case cell <= 1 || lo >= hi:
	case d > 0:
		if lo -= lo % cell; lo < first {
			lo += cell
		}
	case d < 0:
		if hi += (cell - hi%cell) % cell; hi > last {
			hi -= cell
		}
	}
	return lo, hi
}

// count returns how many of n positions a slice with this step takes. n is at least 1, and step is
// not 0.
func count(n, step int) int {
	steps := (n - 1) / step
	return 1 + max(steps, -steps)
}
