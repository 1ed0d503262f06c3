package imageslice

import (
	"errors"
	"fmt"
	"image"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/colours"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// ToRGBA stores the colours of window r of m in dst's first pixels, opaque. m is a *Frame, a
// *Pixels or an *image.YCbCr, and its alpha is left out. A smaller dst gets the first rows and
// columns. For opaque pictures ToRGBA does the same as package image/draw with draw.Src, up to a
// hundred times as fast for a Frame. The errors are the same as Convert's, and also
// slice1.ErrOutput for a dst larger than r, slice1.ErrOverlap for a dst in m's memory, and
// [errors.ErrUnsupported] for another m. If ToRGBA returns an error, it has written nothing. It
// allocates little, and any number of goroutines may call it at once. The options are Convert's.
func ToRGBA(dst *image.RGBA, m image.Image, r image.Rectangle, opts ...slice1.Option) error {
	by, err := settings(opts)
	if err != nil {
		return err
	}
	var from planes
	if err := from.open(m); err != nil {
		return err
	}
	var f *Frame
	switch m := m.(type) {
	case *Frame:
		f = m
	case *image.YCbCr:
		f = frameOf(m)
	case *Pixels:
	default:
		return refused(errors.ErrUnsupported,
			"%T is no picture that ToRGBA reads; it reads *Frame, *Pixels and *image.YCbCr, and image/draw the others", m)
	}
	var to plane
	p, err := view(dst, &to)
	if err != nil {
		return err
	}
	if _, err := (window{r, 1, 1, turns[0]}).take(from.bounds, false); err != nil {
		return err
	}
	rows, columns := to.sizes[0], to.sizes[1]
	if columns > r.Dx() || rows > r.Dy() {
		return fmt.Errorf("imageslice: dst has %v pixels, the window %v: %w", p.Rect.Size(), r.Size(), slice1.ErrOutput)
	}
	need, _ := to.tensor.MinSize()
	to.pix = p.Pix[:need]
	for i := range from.list {
		if from.list[i].meets(&to) {
			return fmt.Errorf("imageslice: dst is in the picture's memory: %w", slice1.ErrOverlap)
		}
	}
	if m, ok := m.(*Pixels); ok {
		m.store(&to, r.Min.X-from.bounds.Min.X, r.Min.Y-from.bounds.Min.Y)
		return nil
	}
	c := f.picture()
	if c.Kernel, err = engine.KernelOf(&by); err != nil {
		return own(err)
	}
	c.Store(to.pix, colours.Layout{Pixel: 4, Stride: p.Stride},
		colours.Rows{Left: r.Min.X - from.bounds.Min.X, Width: columns, First: r.Min.Y - from.bounds.Min.Y, Step: 1, Count: rows})
	return nil
}
