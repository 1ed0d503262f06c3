package imageslice

import (
	"errors"
	"fmt"
	"image"
	"image/color"
)

// Order is the order of the channels of a pixel in memory.
type Order int

// The orders, first byte first.
const (
	RGB  Order = iota // rgb24 of FFmpeg
	BGR               // bgr24 of FFmpeg, Mat of OpenCV
	BGRA              // whose last byte is alpha
	ARGB
	ABGR
	BGRX // bgr0 of FFmpeg, of screens: as BGRA, but the last byte means nothing
)

// orders have the places of R, G, B and alpha in a pixel, -1 for no alpha, and its bytes.
var orders = [...]struct{ r, g, b, a, size int }{
	RGB:  {0, 1, 2, -1, 3},
	BGR:  {2, 1, 0, -1, 3},
	BGRA: {2, 1, 0, 3, 4},
	ARGB: {1, 2, 3, 0, 4},
	ABGR: {3, 2, 1, 0, 4},
	BGRX: {2, 1, 0, -1, 4},
}

// Pixels is a picture of packed 8-bit channels that package image has no type for, as OpenCV,
// FFmpeg and screens have them: an image.Image that View, Slice, Copy, Orient, Convert and Draw
// take. Alpha is not multiplied into colours, so that package image/draw multiplies it: an alpha of
// 0 makes a pixel black. Screens often leave 0 where alpha would be, for which there is BGRX. The
// first pixel is at Pix[0]; rows are Stride bytes apart. An unknown Order is
// [errors.ErrUnsupported].
type Pixels struct {
	Pix    []uint8
	Stride int
	Rect   image.Rectangle
	Order  Order
}

// ColorModel returns color.NRGBAModel.
func (p *Pixels) ColorModel() color.Model { return color.NRGBAModel }

// Bounds returns p.Rect.
func (p *Pixels) Bounds() image.Rectangle { return p.Rect }

// At returns the colour of a pixel, a color.NRGBA: the zero one outside of p.Rect, and where Pix
// has no sample.
func (p *Pixels) At(x, y int) color.Color {
	if p.Order < 0 || int(p.Order) >= len(orders) || !(image.Point{x, y}).In(p.Rect) {
		return color.NRGBA{}
	}
	o := orders[p.Order]
	i := (y-p.Rect.Min.Y)*p.Stride + (x-p.Rect.Min.X)*o.size
	if i < 0 || i > len(p.Pix)-o.size {
		return color.NRGBA{}
	}
	c := color.NRGBA{p.Pix[i+o.r], p.Pix[i+o.g], p.Pix[i+o.b], 255}
	if o.a >= 0 {
		c.A = p.Pix[i+o.a]
	}
	return c
}

// store stores the colours of the pixels from (x, y) on, counted from the first pixel, into the
// pixels of to, opaque.
func (p *Pixels) store(to *plane, x, y int) {
	o := orders[p.Order]
	for row := range to.sizes[0] {
		d := to.pix[row*to.strides[0]:][:4*to.sizes[1]]
		s := p.Pix[(y+row)*p.Stride+x*o.size:]
		for len(d) >= 4 && len(s) >= o.size {
			d[0], d[1], d[2], d[3] = s[o.r], s[o.g], s[o.b], 255
			d, s = d[4:], s[o.size:]
		}
	}
}

// channels returns how many channels a pixel has, and the axis of R, G and B among them.
func (p *Pixels) channels() (n int, rgb axis, err error) {
	if p.Order < 0 || int(p.Order) >= len(orders) {
		return 0, rgb, refused{fmt.Sprintf("%d is no order of channels", p.Order), errors.ErrUnsupported}
	}
	o := orders[p.Order]
	return o.size, axis{o.r, o.g - o.r, 3, 1}, nil
}
