package imageslice

import (
	"errors"
	"image"
	"image/color"
)

// Order is the order of the channels of a pixel in memory.
type Order int

// The orders, first byte first.
const (
	RGB  Order = iota // FFmpeg's rgb24
	BGR               // FFmpeg's bgr24, OpenCV's Mat
	BGRA              // the last byte is alpha
	ARGB
	ABGR
	BGRX // FFmpeg's bgr0, and screens: BGRA with a last byte that means nothing, and that Draw sets to 255
)

// orders has the places of R, G, B and alpha in a pixel, -1 for no alpha, and the bytes of a pixel.
var orders = [...]struct{ r, g, b, a, size int }{
	RGB:  {0, 1, 2, -1, 3},
	BGR:  {2, 1, 0, -1, 3},
	BGRA: {2, 1, 0, 3, 4},
	ARGB: {1, 2, 3, 0, 4},
	ABGR: {3, 2, 1, 0, 4},
	BGRX: {2, 1, 0, -1, 4},
}

// Pixels is a picture of packed 8-bit channels in an order that package image has no type for.
// OpenCV, FFmpeg and screens use such orders. It is an image.Image, and View, Slice, Copy, Orient,
// Convert, Draw and ToRGBA take it. Its colours are not multiplied by alpha. Therefore package
// image/draw multiplies them, and an alpha of 0 makes a pixel black. Screens often leave 0 in the
// place of alpha; use BGRX for these. The first pixel is at Pix[0], and rows are Stride bytes
// apart. An unknown Order is [errors.ErrUnsupported].
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

// At returns the colour of a pixel, a color.NRGBA. The colour is zero outside of p.Rect, and where
// Pix has no sample.
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

// unseen returns the place in a pixel, or -1, of the byte that is none of R, G and B. It is alpha,
// or means nothing.
func (o Order) unseen() int {
	if orders[o].size == 3 {
		return -1
	}
	return 6 - orders[o].r - orders[o].g - orders[o].b // of the places 0, 1, 2 and 3
}

// channels returns how many channels a pixel has, and the axis of R, G and B in a pixel.
func (p *Pixels) channels() (n int, rgb axis, err error) {
	if p.Order < 0 || int(p.Order) >= len(orders) {
		return 0, rgb, refused(errors.ErrUnsupported, "Order is %d, must be 0 to %d", p.Order, len(orders)-1)
	}
	o := orders[p.Order]
	return o.size, axis{o.r, o.g - o.r, 3}, nil
}
