package imageslice

import "image"

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
