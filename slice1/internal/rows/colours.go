package rows

import (
	"image/color"
	"unsafe"
)

// Maker says what R, G and B are made of.
type Maker int

const (
	NoMaker   Maker = iota // the picture has them
	OfLuma                 // a Luma
	OfInks                 // C, M, Y and K
	OfIndices              // of a palette
	OfPixels               // of R, G and B or one channel, whose samples have more than 8 bits or become others
)

// Colours is the source of a picture whose samples are not R, G and B. A row that it makes has
// pixels, or a row of R, one of G and one of B, as Layout says. Several goroutines may make rows at
// once.
type Colours struct {
	Maker  Maker
	Luma   Luma
	Pix    []uint8 // of inks, indices or pixels, in rows that are Stride bytes apart
	Stride int
	Format PixelFormat // of pixels
	Alpha  Alpha       // what is composited on a background
	Grey   bool        // whether a row has one channel: Pillow's L of R, G and B, which is a grey sample itself
	Window Window      // the rows that are made
	Layout Layout

	table [256][3]uint8 // the palette's colours; indices beyond the palette are black
}

// PixelFormat says how a pixel lies: its bytes, and the first bytes of its samples of R, G and B.
// Samples are bytes, or the first bytes of longer ones. If Wide is true, samples have two bytes,
// the upper one first, and become a 257th, rounded.
type PixelFormat struct {
	Size, Red, Green, Blue int
	Wide                   bool
}

// Alpha is the alpha of a picture. That of column x and row y is Pix[y*Stride + x*Step]. Without
// Pix there is none.
type Alpha struct {
	Pix          []uint8
	Stride, Step int
	Multiplied   bool // whether colours are multiplied by alpha
	Background   [3]uint8
}

// divided returns product/255, rounded, as Pillow does it.
func divided(product int) int {
	product += 128
	return (product + product>>8) >> 8
}

// compositeSample composites a sample on one of the background, as Pillow's paste does.
func (plane *Alpha) compositeSample(sample, background, alpha uint8) uint8 {
	rest := int(background) * int(255-alpha)
	if plane.Multiplied {
		return uint8(min(int(sample)+divided(rest), 255))
	}
	return uint8(divided(int(sample)*int(alpha) + rest))
}

// composite composites pixels of four bytes, from a column of a row on.
func (plane *Alpha) composite(pixels []uint8, row, column int) {
	alpha := plane.Pix[row*plane.Stride+column*plane.Step:]
	for i := range len(pixels) / 4 {
		pixel := pixels[4*i:][:3]
		for k := range pixel {
			pixel[k] = plane.compositeSample(pixel[k], plane.Background[k], alpha[i*plane.Step])
		}
	}
}

// straight returns what color.NRGBAModel makes of a colour, and does not allocate.
func straight(c color.Color) color.NRGBA {
	if n, ok := c.(color.NRGBA); ok {
		return n
	}
	r, g, b, alpha := c.RGBA()
	if alpha == 0 {
		return color.NRGBA{}
	}
	return color.NRGBA{uint8(r * 0xffff / alpha >> 8), uint8(g * 0xffff / alpha >> 8), uint8(b * 0xffff / alpha >> 8), uint8(alpha >> 8)}
}

// SetPalette sets the colours of indices. Alpha is dropped: colours that are multiplied by it stay
// so, and others are not. If there is a background, the colours are composited on it.
func (c *Colours) SetPalette(p color.Palette, background *[3]uint8) {
	for i, entry := range p[:min(len(p), len(c.table))] {
		if entry != nil && background != nil {
			n := straight(entry)
			c.table[i] = [3]uint8{c.Alpha.compositeSample(n.R, background[0], n.A), c.Alpha.compositeSample(n.G, background[1], n.A), c.Alpha.compositeSample(n.B, background[2], n.A)}
			continue
		}
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

// Make makes `count` rows of c's window, from number `start` on, or as many as are left.
//
// unsafe: dst has room for these rows.
func (c *Colours) Make(dst unsafe.Pointer, start, count int64) {
	w, layout := c.Window, &c.Layout
	w.Top, w.Count = w.Top+int(start)*w.Step, min(int(count), w.Count-int(start))
	n := (w.Count-1)*layout.Stride + layout.Pixel*w.Width
	if layout.Pixel == 1 {
		n += 2 * layout.Plane
	}
	rgb := unsafe.Slice((*uint8)(dst), n)
	c.store(rgb, c.Layout, w)
}

// attenuate returns what an ink leaves of the light that black leaves, as Pillow's convert("RGB")
// has it: white - ink*white/255, where the quotient is rounded to nearest. color.CMYKToRGB rounds
// another product, and differs by 1 in 29.9 % of all pairs of an ink and black.
func attenuate(ink uint8, white int) uint8 {
	product := int(ink)*white + 128
	return uint8(white - (product+product>>8)>>8)
}

// narrowed returns a 257th of a sample of two bytes, rounded. No 257th lies between two numbers.
func narrowed(sample []uint8) uint8 { return uint8((int(sample[0])<<8 + int(sample[1]) + 128) / 257) }

// chunk is how many pixels are composited, or become grey, at a time.
const chunk = 1024

// store stores rows of the picture. Of R, G and B in pixels of four bytes, the fourth becomes 255.
func (c *Colours) store(dst []uint8, layout Layout, rows Window) {
	if !c.Grey && c.Alpha.Pix == nil {
		c.colours(dst, layout, rows)
		return
	}
	var room [4 * chunk]uint8
	for k := range rows.Count {
		row := rows.Top + k*rows.Step
		for x, n := 0, 0; x < rows.Width; x += n {
			n = min(chunk, rows.Width-x)
			pixels, made := room[:4*n], dst[k*layout.Stride+x*layout.Pixel:]
			c.colours(pixels, Layout{Pixel: 4}, Window{Left: rows.Left + x, Width: n, Top: row, Step: 1, Count: 1})
			if c.Alpha.Pix != nil {
				c.Alpha.composite(pixels, row, rows.Left+x)
			}
			switch {
			case c.Grey:
				for i := range n {
					made[i] = uint8((19595*uint32(pixels[4*i]) + 38470*uint32(pixels[4*i+1]) + 7471*uint32(pixels[4*i+2]) + 1<<15) >> 16)
				}
			case layout.Pixel == 4:
				copy(made, pixels)
			case layout.Pixel == 3:
				packPixels(made, pixels, layout)
			default:
				for i := range n {
					made[i], made[layout.Plane+i], made[2*layout.Plane+i] = pixels[4*i], pixels[4*i+1], pixels[4*i+2]
				}
			}
		}
	}
}

// colours stores R, G and B of rows, of grey pixels three times the same.
func (c *Colours) colours(rgb []uint8, layout Layout, rows Window) {
	if c.Maker == OfLuma {
		c.Luma.Store(rgb, layout, rows)
		return
	}
	redAt, plane := 0, layout.Plane
	switch layout.Pixel {
	case 3:
		redAt, _ = layout.ends()
	case 4:
		plane = 1
	}
	for k := range rows.Count {
		row, made := rows.Top+k*rows.Step, rgb[k*layout.Stride:]
		red, green, blue := made[redAt:], made[redAt+plane:], made[redAt+2*plane:]
		switch c.Maker {
		case OfInks:
			pix := c.Pix[row*c.Stride+4*rows.Left:]
			for i := range rows.Width {
				offset, ink, white := i*layout.Pixel, pix[4*i:][:4], 255-int(pix[4*i+3])
				red[offset], green[offset], blue[offset] = attenuate(ink[0], white), attenuate(ink[1], white), attenuate(ink[2], white)
			}
		case OfPixels:
			pix, size := c.Pix[row*c.Stride+c.Format.Size*rows.Left:], c.Format.Size
			if c.Format.Wide {
				for i := range rows.Width {
					offset, pixel := i*layout.Pixel, pix[i*size:][:size]
					red[offset], green[offset], blue[offset] = narrowed(pixel[c.Format.Red:]), narrowed(pixel[c.Format.Green:]), narrowed(pixel[c.Format.Blue:])
				}
				break
			}
			for i := range rows.Width {
				offset, start := i*layout.Pixel, i*size
				red[offset], green[offset], blue[offset] = pix[start+c.Format.Red], pix[start+c.Format.Green], pix[start+c.Format.Blue]
			}
		default:
			for i, index := range c.Pix[row*c.Stride+rows.Left:][:rows.Width] {
				offset := i * layout.Pixel
				red[offset], green[offset], blue[offset] = c.table[index][0], c.table[index][1], c.table[index][2]
			}
		}
		for i := 3; layout.Pixel == 4 && i < 4*rows.Width; i += 4 {
			made[i] = 255
		}
	}
}
