package imageslice

import (
	"errors"
	"image"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/colours"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// ToRGBA stores the colours of window r of m in dst's first pixels, opaque. m is a *Frame, a
// *Pixels or an *image.YCbCr, and its alpha is left out. A smaller dst gets the first rows and
// columns. For opaque pictures ToRGBA does the same as package image/draw with draw.Src, up to a
// hundred times as fast for a Frame. The errors are the same as Convert's, and also
// slice1.ErrOutput for a dst larger than r, slice1.ErrOverlap for a dst in m's memory, and
// [errors.ErrUnsupported] for another m. If ToRGBA returns an error, it has written nothing.
// Any number of goroutines may call it at once. The options are Convert's, and it takes goroutines
// and allocates like Draw.
func ToRGBA(dst *image.RGBA, m image.Image, r image.Rectangle, opts ...slice1.Option) error {
	w := workings.Get().(*working)
	defer w.put()
	return w.toRGBA(dst, m, r, opts)
}

func (w *working) toRGBA(dst *image.RGBA, m image.Image, r image.Rectangle, opts []slice1.Option) (err error) {
	if w.settings, err = settings(opts); err != nil {
		return err
	}
	if err := w.picture.open(m); err != nil {
		return err
	}
	switch m.(type) {
	case *Frame, *image.YCbCr, *Pixels:
	default:
		return refused(errors.ErrUnsupported,
			"%T is no picture that ToRGBA reads; it reads *Frame, *Pixels and *image.YCbCr, and image/draw the others", m)
	}
	target := &w.target
	p, err := view(dst, target)
	if err != nil {
		return err
	}
	crop, err := window{r, 1, 1, turns[0]}.take(w.picture.bounds, false)
	if err != nil {
		return err
	}
	rows, columns := target.sizes[0], target.sizes[1]
	if columns > r.Dx() || rows > r.Dy() {
		return refused(slice1.ErrOutput, "dst has %v pixels, the window %v", p.Rect.Size(), r.Size())
	}
	need, _ := target.tensor.MinSize()
	target.pix = p.Pix[:need]
	if err := separate("dst", &w.picture, target.pix); err != nil {
		return err
	}
	crop.rows.n, crop.columns.n = rows, columns
	s := &w.source
	if makes, err := s.open(m, &w.settings); err != nil {
		return err
	} else if makes {
		pitch := int64(p.Stride)
		s.rows, s.left, s.width = crop.rows, crop.columns.first, columns
		s.layout = colours.Layout{Pixel: 4, Stride: p.Stride}
		j := job{made: pitch, inPlace: true, loops: [3]nest.Dim{{Extent: int64(rows), Src: pitch, Dst: pitch}, {Extent: int64(columns), Src: 4, Dst: 4}, {Extent: 4, Src: 1, Dst: 1}}}
		j.number[0], j.values.Source = program.Uint8, s
		return j.store(unsafe.Pointer(&target.pix[0]), nil, &w.settings)
	}
	src, d := &w.picture.list[0], &w.drawing
	d.open(target, columns, 0, 3, &w.settings)
	at := 0
	for i, l := range [...]struct {
		a    axis
		made int
	}{{crop.rows, d.pitch}, {crop.columns, 1}, {w.picture.rgb, d.plane}} {
		at += l.a.first * src.strides[i]
		d.numbers.loops[i] = nest.Dim{Extent: int64(l.a.n), Src: int64(l.a.step * src.strides[i]), Dst: int64(l.made)}
	}
	d.numbers.number[0], d.src = program.Uint8, unsafe.Pointer(&src.pix[at])
	return d.store(target, upTo(rows), upTo(columns))
}
