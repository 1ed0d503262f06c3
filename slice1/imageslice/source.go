package imageslice

import (
	"image"
	"image/color"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/colours"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// source makes R, G and B of pictures whose samples are something else. A row that it makes is a
// pixels, or a row of R, one of G and one of B, as layout says.
type source struct {
	colours     colours.Picture
	cmyk        *image.CMYK
	indices     *image.Paletted
	table       [256][3]uint8 // the palette's colours; indices beyond the palette are black
	rows        axis          // of the picture, from its first row on
	left, width int           // columns of the picture, from its first column on
	layout      colours.Layout
}

// open makes s, which must be zero, the source of a picture. It returns false if the picture needs
// none.
func (s *source) open(m image.Image, by *engine.Settings) (ok bool, err error) {
	switch m := m.(type) {
	case *image.YCbCr:
		s.colours = frameOf(m).picture()
	case *Frame:
		s.colours = m.picture()
	case *image.CMYK:
		s.cmyk = m
		return true, nil
	case *image.Paletted:
		s.indices = m
		for i, c := range m.Palette[:min(len(m.Palette), 256)] {
			switch c := c.(type) {
			case nil:
			case color.NRGBA:
				s.table[i] = [3]uint8{c.R, c.G, c.B}
			default:
				r, g, b, _ := c.RGBA()
				s.table[i] = [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
			}
		}
		return true, nil
	default:
		return false, nil
	}
	s.colours.Kernel, err = engine.KernelOf(by)
	return true, adopt(err)
}

// Make makes `count` of the rows that s takes, from number `first` on.
//
// unsafe: dst has room for these rows.
func (s *source) Make(dst unsafe.Pointer, first, count int64) {
	rows := s.rows.part(int(first), int(count))
	rgb := unsafe.Slice((*uint8)(dst), (rows.n-1)*s.layout.Stride+max(3*s.layout.Plane, s.layout.Pixel*s.width))
	s.store(rgb, s.layout, colours.Rows{Left: s.left, Width: s.width, First: rows.first, Step: rows.step, Count: rows.n})
}

// store stores R, G and B of rows of the picture. Of pixels of four bytes, the last byte may keep
// what it holds.
func (s *source) store(rgb []uint8, to colours.Layout, rows colours.Rows) {
	if s.cmyk == nil && s.indices == nil {
		s.colours.Store(rgb, to, rows)
		return
	}
	plane := to.Plane
	if to.Pixel == 4 {
		plane = 1
	}
	for k := range rows.Count {
		row, made := rows.First+k*rows.Step, rgb[k*to.Stride:]
		red, green, blue := made, made[plane:], made[2*plane:]
		if s.cmyk != nil {
			pix := s.cmyk.Pix[row*s.cmyk.Stride+4*rows.Left:]
			for i := range rows.Width {
				at := i * to.Pixel
				red[at], green[at], blue[at] = color.CMYKToRGB(pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3])
			}
			continue
		}
		for i, index := range s.indices.Pix[row*s.indices.Stride+rows.Left:][:rows.Width] {
			at := i * to.Pixel
			red[at], green[at], blue[at] = s.table[index][0], s.table[index][1], s.table[index][2]
		}
	}
}
