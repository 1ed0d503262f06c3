package rows

import (
	"image/color"
	"unsafe"
)

// Maker says what R, G and B are made of.
type Maker int

const (
	None      Maker = iota // the picture has them
	OfLuma                 // a Luma
	OfInks                 // C, M, Y and K
	OfIndices              // of a palette
)

// Colours is the source of a picture whose samples are not R, G and B. A row that it makes has
// pixels, or a row of R, one of G and one of B, as Layout says. Several goroutines may make rows at
// once.
type Colours struct {
	Maker  Maker
	Luma   Luma
	Pix    []uint8 // of inks or indices, in rows that are Stride bytes apart
	Stride int
	Window Window // the rows that are made
	Layout Layout

	table [256][3]uint8 // the palette's colours; indices beyond the palette are black
}

// SetPalette sets the colours of indices. Alpha is dropped: colours that are multiplied by it stay
// so, and others are not.
func (c *Colours) SetPalette(p color.Palette) {
	for i, entry := range p[:min(len(p), len(c.table))] {
		switch entry := entry.(type) {
		case nil:
		case color.NRGBA:
			c.table[i] = [3]uint8{entry.R, entry.G, entry.B}
		default:
			r, g, b, _ := entry.RGBA()
			c.table[i] = [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
		}
	}
}

// Make makes `count` rows of c's window, from number `first` on, or as many as are left.
//
// unsafe: dst has room for these rows.
func (c *Colours) Make(dst unsafe.Pointer, first, count int64) {
	w, to := c.Window, &c.Layout
	w.First, w.Count = w.First+int(first)*w.Step, min(int(count), w.Count-int(first))
	rgb := unsafe.Slice((*uint8)(dst), (w.Count-1)*to.Stride+max(3*to.Plane, to.Pixel*w.Width))
	c.store(rgb, c.Layout, w)
}

// under returns what an ink leaves of the light that black leaves, as Pillow's convert("RGB") has
// it: white - ink*white/255, where the quotient is rounded to nearest. color.CMYKToRGB rounds
// another product, and differs by 1 in 29.9 % of all pairs of an ink and black.
func under(ink uint8, white int) uint8 {
	product := int(ink)*white + 128
	return uint8(white - (product+product>>8)>>8)
}

// store stores R, G and B of rows of the picture, in pixels of four bytes with 255 behind them.
func (c *Colours) store(rgb []uint8, to Layout, rows Window) {
	if c.Maker == OfLuma {
		c.Luma.Store(rgb, to, rows)
		return
	}
	plane := to.Plane
	if to.Pixel == 4 {
		plane = 1
	}
	for k := range rows.Count {
		row, made := rows.First+k*rows.Step, rgb[k*to.Stride:]
		red, green, blue := made, made[plane:], made[2*plane:]
		if c.Maker == OfInks {
			pix := c.Pix[row*c.Stride+4*rows.Left:]
			for i := range rows.Width {
				at, ink, white := i*to.Pixel, pix[4*i:][:4], 255-int(pix[4*i+3])
				red[at], green[at], blue[at] = under(ink[0], white), under(ink[1], white), under(ink[2], white)
			}
		} else {
			for i, index := range c.Pix[row*c.Stride+rows.Left:][:rows.Width] {
				at := i * to.Pixel
				red[at], green[at], blue[at] = c.table[index][0], c.table[index][1], c.table[index][2]
			}
		}
		for i := 3; to.Pixel == 4 && i < 4*rows.Width; i += 4 {
			made[i] = 255
		}
	}
}
