package imageslice

import (
	"image"
	"image/color"

	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// Matrix says how R, G and B are computed from luma and chroma.
type Matrix int

// The matrices, named after the recommendations of the ITU that define them.
const (
	BT601  Matrix = iota // for standard definition, JPEG and WebP
	BT709                // for high definition
	BT2020               // for ultra-high definition, with non-constant luminance
)

// Frame is a raw frame of a video with 8 bits a sample. It is an image.Image, with the colours of
// its matrix and range. [NV12] and the functions of the other [Formats] make a Frame of a buffer,
// and [Limited] makes one of an *image.YCbCr. A Frame made by hand lays out its samples like an
// *image.YCbCr with its Ratio and Rect, but steps from sample to sample. The luma of x, y is
// Y[(y-Rect.Min.Y)*YStride + (x-Rect.Min.X)*YStep]. In 4:2:0 its chroma are Cb[i] and Cr[i] with i
// = (y/2-Rect.Min.Y/2)*CStride + (x/2-Rect.Min.X/2)*CStep.
//
// R, G and B have 8 bits. They are the matrix's real numbers, rounded and limited to 0 to 255, or
// at most 1 off. At, Convert and ToRGBA give the same values on every machine. Full-range BT601 is
// exactly color.YCbCrToRGB, which cuts off and does not round. With the other matrices and ranges,
// over all colours, one sample in 5,000 is 1 off. Other libraries give other samples; Colours has
// some of theirs. libyuv 1857 counts in 64ths and has no factor above 2. It is at most 2 off the
// real numbers in full range, and up to 3, 15 and 18 off in the blue of limited BT601, BT709 and
// BT2020.
//
// Slice, Copy and Orient take a Frame whose luma is a plane and whose chroma are planes or pairs. A
// pair is a byte of Cb and a byte of Cr, in either order, and Cb and Cr are slices of one array.
// The result has the same form, matrix and range. For other forms, like YUY2 and UYVY, they return
// errors.ErrUnsupported.
//
// Functions that return an error return errors.ErrUnsupported for bounds that begin left of or
// above 0 and for an unknown ratio, slice1.ErrDataType for an unknown matrix, slice1.ErrStride for
// a negative step, slice1.ErrBuffer for slices that end before the picture and for rows that are
// shorter than it, and slice1.ErrEmpty for a Frame without pixels.
type Frame struct {
	Y, Cb, Cr        []uint8 // Cb and Cr may be parts of one slice, or of Y's
	YStride, CStride int     // bytes from row to row
	// YStep and CStep are bytes from sample to sample: 1 in planes, 2 for the chroma of NV12 and
	// the luma of YUY2, 4 for the chroma of YUY2. 0 counts as 1.
	YStep, CStep int
	Ratio        image.YCbCrSubsampleRatio
	Rect         image.Rectangle
	Matrix       Matrix
	FullRange    bool    // false: luma 16..235, chroma 16..240
	Colours      Colours // whose rule makes R, G and B
}

// ColorModel returns color.RGBAModel.
func (f *Frame) ColorModel() color.Model { return color.RGBAModel }

// Bounds returns f.Rect.
func (f *Frame) Bounds() image.Rectangle { return f.Rect }

// Opaque returns true.
func (f *Frame) Opaque() bool { return true }

// At returns the colour of a pixel, a color.RGBA. The colour is zero outside of f.Rect, and where f
// has no sample.
func (f *Frame) At(x, y int) color.Color { return f.RGBAAt(x, y) }

// RGBA64At is At for package image/draw.
func (f *Frame) RGBA64At(x, y int) color.RGBA64 {
	c := f.RGBAAt(x, y)
	return color.RGBA64{uint16(c.R) * 0x101, uint16(c.G) * 0x101, uint16(c.B) * 0x101, uint16(c.A) * 0x101}
}

// RGBAAt is At without an interface.
func (f *Frame) RGBAAt(x, y int) color.RGBA {
	cell, ok := cells[f.Ratio]
	if !ok || !(image.Point{x, y}).In(f.Rect) || f.checkColours() != nil {
		return color.RGBA{}
	}
	if f.Colours != Repeated {
		if f.Rect.Min.X < 0 || f.Rect.Min.Y < 0 {
			return color.RGBA{}
		}
		p := f.ycbcr()
		r, g, b, ok := p.PixelAt(x-f.Rect.Min.X, y-f.Rect.Min.Y)
		if !ok {
			return color.RGBA{}
		}
		return color.RGBA{r, g, b, 255}
	}
	luma := (y-f.Rect.Min.Y)*f.YStride + (x-f.Rect.Min.X)*max(1, f.YStep)
	chroma := (y/cell.Y-f.Rect.Min.Y/cell.Y)*f.CStride + (x/cell.X-f.Rect.Min.X/cell.X)*max(1, f.CStep)
	if uint(luma) >= uint(len(f.Y)) || uint(chroma) >= uint(min(len(f.Cb), len(f.Cr))) {
		return color.RGBA{}
	}
	r, g, b := f.formula().RGB(f.Y[luma], f.Cb[chroma], f.Cr[chroma])
	return color.RGBA{r, g, b, 255}
}

// ycbcr returns f's luma and chroma. Opening f as planes must have checked them.
func (f *Frame) ycbcr() rows.Luma {
	cell := cells[f.Ratio]
	p := rows.Luma{Formula: f.formula(), Y: f.Y, Cb: f.Cb, Cr: f.Cr, YStride: f.YStride, CStride: f.CStride,
		YStep: max(1, f.YStep), CStep: max(1, f.CStep), CellX: cell.X, CellY: cell.Y}
	if cell != onePixel { // no coordinate is negative then
		p.PhaseX, p.PhaseY = f.Rect.Min.X%cell.X, f.Rect.Min.Y%cell.Y
	}
	p.Columns, p.Rows = samples(f.Rect.Min.X, f.Rect.Max.X, cell.X), samples(f.Rect.Min.Y, f.Rect.Max.Y, cell.Y)
	return p
}

// frameOf returns a picture of package image as a frame, with full-range BT.601.
func frameOf(m *image.YCbCr) Frame {
	return Frame{Y: m.Y, Cb: m.Cb, Cr: m.Cr, YStride: m.YStride, CStride: m.CStride, YStep: 1, CStep: 1,
		Ratio: m.SubsampleRatio, Rect: m.Rect, FullRange: true}
}

var onePixel = image.Pt(1, 1)

// cells has, by ratio, the columns and rows of pixels that share a sample of chroma.
var cells = map[image.YCbCrSubsampleRatio]image.Point{
	image.YCbCrSubsampleRatio444: image.Pt(1, 1),
	image.YCbCrSubsampleRatio422: image.Pt(2, 1),
	image.YCbCrSubsampleRatio420: image.Pt(2, 2),
	image.YCbCrSubsampleRatio440: image.Pt(1, 2),
	image.YCbCrSubsampleRatio411: image.Pt(4, 1),
	image.YCbCrSubsampleRatio410: image.Pt(4, 2),
}

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

// Pixels is a picture of packed 8-bit channels in an order that package image has no type for.
// OpenCV, FFmpeg and screens use such orders. It is an image.Image, and View, Slice, Copy, Orient,
// Convert, Draw, ToRGBA and Resize take it. Its colours are not multiplied by alpha. Therefore
// package image/draw multiplies them, and an alpha of 0 makes a pixel black. Screens often leave 0
// in the place of alpha; use BGRX for these. The first pixel is at Pix[0], and rows are Stride
// bytes apart. An unknown Order is [errors.ErrUnsupported].
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
	o := &orders[p.Order]
	i := (y-p.Rect.Min.Y)*p.Stride + (x-p.Rect.Min.X)*o.channels
	if i < 0 || i > len(p.Pix)-o.channels {
		return color.NRGBA{}
	}
	red, step := i+o.colours.start, o.colours.step
	c := color.NRGBA{p.Pix[red], p.Pix[red+step], p.Pix[red+2*step], 255}
	if o.alpha >= 0 {
		c.A = p.Pix[i+o.alpha]
	}
	return c
}
