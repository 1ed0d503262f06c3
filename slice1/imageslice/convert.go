package imageslice

import (
	"fmt"
	"image"
	"image/color"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// bandPixels is about how many pixels pass through memory at a time: as many as stay in the first-level
// cache, three or four bytes each.
const bandPixels = 4096

// Convert stores window r of m, in steps as [Slice] has them, into dst as the tensor that t describes: R, G and B, or
// the only channel of *image.Gray, Gray16, Alpha and Alpha16. Samples count 0 to 255; those of 16 bits are divided
// by 257. Each becomes a number of t.Type as [slice1.NewConversion] says, with t.Affine's values. dst has the length of
// the whole tensor, neither less nor more (slice1.ErrBuffer): a tensor of another shape would be scrambled by a
// picture that is smaller than expected.
//
//	t := imageslice.Tensor{Type: slice1.Float16, Width: 640, Height: 640, At: image.Pt(0, 140), Fill: []float32{0.5}}
//	err := imageslice.Convert(dst, m, m.Bounds(), t) // 640 x 360 pixels, and grey above and below
//
// m is a picture that View takes, an *image.YCbCr of any ratio or a Frame, and r any window in it. If t.Fill is set,
// r may leave m, and what lies outside is t.Fill, too. YCbCr and CMYK become RGB as package image/color makes it, a
// Frame as it says, and palettes are looked up. Alpha is dropped, not divided by: the samples of *image.RGBA are those
// that alpha has been multiplied into. Pictures are not resized; golang.org/x/image/draw does that before.
//
// The errors are those of Slice but for what it says about cells of chroma, those of [slice1.NewConversion],
// slice1.ErrSize for a wrong number of values, an unknown layout, a negative size and Channels that are not 0, 1 or 3,
// slice1.ErrWindow for a window that does not fit the tensor, and slice1.ErrOverlap for a dst in m's memory. With an
// error nothing has been written. Convert may be called by any number of goroutines at once.
func Convert[D slice1.Number](dst []D, m image.Image, r image.Rectangle, t Tensor) error {
	from, err := open(m)
	if err != nil {
		return err
	}
	channels, err := t.channels(from.rgb.n, 3)
	if err != nil {
		return err
	}
	p, err := t.place(from, r, channels, len(t.Fill) > 0)
	if err != nil {
		return err
	}
	if err := p.checkLength("dst", len(dst), t.Layout); err != nil {
		return err
	}
	fill, err := fillOf[D](&t, channels)
	if err != nil {
		return err
	}
	if err := separate(from, slice1.Bytes(dst)); err != nil {
		return err
	}
	if !p.inside.Empty() {
		if err := t.convert(&p, from, m, func(at int, pix []uint8, sampled bool, d *slice1.Desc) error {
			d.Output.Strides = p.strides()
			a := t.Affine
			a.Axis = 2
			if sampled {
				// unsafe: a Sample may lie at any address.
				return slice1.CopyConvert(dst[at:], unsafe.Slice((*engine.Sample)(unsafe.Pointer(unsafe.SliceData(pix))), len(pix)/2), d, t.dataType(), a)
			}
			return slice1.CopyConvert(dst[at:], pix, d, t.dataType(), a)
		}); err != nil {
			return err
		}
	}
	if len(t.Fill) > 0 {
		fillAround(dst, &p, t.Layout, fill[:channels])
	}
	return nil
}

// separate returns an error if a tensor shares memory with a picture, gaps between rows included.
//
// unsafe: addresses are compared.
func separate(m *planes, tensor []byte) error {
	to := plane{pix: tensor}
	for i := range m.list {
		if m.list[i].meets(&to) {
			return refused{"the tensor is in the picture's memory", slice1.ErrOverlap}
		}
	}
	return nil
}

// convert calls run with the pixels of the picture that the tensor takes, at once or some rows at a time: with the
// element of the tensor where they begin, their memory, whether they are samples of 16 bits, and the descriptor that
// takes them, of rows, columns and channels, without strides of the output.
func (t *Tensor) convert(p *placement, from *planes, m image.Image, run func(at int, pix []uint8, sampled bool, d *slice1.Desc) error) error {
	channels := from.rgb
	if t.BGR && channels.n == 3 {
		channels.first, channels.step = channels.first+2*channels.step, -channels.step
	}
	s := stageOf(m)
	if s == nil {
		tensor := from.list[0].tensor
		if p.channels > channels.n { // grey, repeated
			tensor.Sizes = []int{tensor.Sizes[0], tensor.Sizes[1], p.channels}
			tensor.Strides = []int{tensor.Strides[0], tensor.Strides[1], 0}
			channels = axis{0, 1, p.channels, 1}
		}
		return run(p.first, from.list[0].pix, tensor.DataType == slice1.Uint16, described(tensor, p.rows, p.columns, channels))
	}
	rows, columns := p.rows, p.columns
	left := columns.lowest()
	width := (columns.n-1)*max(columns.step, -columns.step) + 1
	columns.first -= left
	var room [3 * bandPixels]uint8
	rgb := room[:]
	if width > bandPixels {
		rgb = make([]uint8, 3*width)
	}
	most := max(1, bandPixels/width)
	for done := 0; done < rows.n; done += most {
		n := min(most, rows.n-done)
		s.rows(rgb[:3*width*n], from.bounds.Min.X+left, width, rows.first+done*rows.step, rows.step, n)
		band := slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{n, width, 3}, Strides: []int{width, 1, width * n}}
		if err := run(p.first+done*p.row, rgb, false, described(band, axis{0, 1, n, 1}, columns, channels)); err != nil {
			return err
		}
	}
	return nil
}

// stage makes R, G and B of pictures whose samples are not converted as they are.
type stage struct {
	colours *colours
	cmyk    *image.CMYK
	indices *image.Paletted
	table   [256][3]uint8 // of the palette; indices that it does not have are black
}

// stageOf returns the stage of a picture, or nil if it needs none.
func stageOf(m image.Image) *stage {
	switch m := m.(type) {
	case *image.YCbCr:
		return &stage{colours: coloursOf(frameOf(m))}
	case *Frame:
		return &stage{colours: coloursOf(m)}
	case *image.CMYK:
		return &stage{cmyk: m}
	case *image.Paletted:
		s := &stage{indices: m}
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
		return s
	}
	return nil
}

// rows makes n rows of R, then as many of G and of B, of `width` pixels from column x0 on, in the picture's
// coordinates. The first is `top` rows below the picture's first one, and each `step` rows below the one before.
func (s *stage) rows(rgb []uint8, x0, width, top, step, n int) {
	if s.colours != nil {
		s.colours.store(rgb, x0, x0+width, top, step, n, 1, width, width*n)
		return
	}
	plane := width * n
	for k := range n {
		row := top + k*step
		red, green, blue := rgb[k*width:][:width], rgb[plane+k*width:][:width], rgb[2*plane+k*width:][:width]
		if s.cmyk != nil {
			pix := s.cmyk.Pix[row*s.cmyk.Stride+4*(x0-s.cmyk.Rect.Min.X):]
			for i := range red {
				red[i], green[i], blue[i] = color.CMYKToRGB(pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3])
			}
			continue
		}
		for i, index := range s.indices.Pix[row*s.indices.Stride+x0-s.indices.Rect.Min.X:][:width] {
			red[i], green[i], blue[i] = s.table[index][0], s.table[index][1], s.table[index][2]
		}
	}
}

// fillOf returns t.Fill as it is stored, one value for each channel.
func fillOf[D slice1.Number](t *Tensor, channels int) (fill [3]D, err error) {
	n := len(t.Fill)
	if n == 0 {
		return fill, nil
	}
	if n != 1 && n != channels {
		return fill, refused{fmt.Sprintf("Fill has %d values, the tensor %d channels: must have one for each or one for all", n, channels), slice1.ErrSize}
	}
	if err := slice1.CopyConvert(fill[:n], t.Fill, slice1.Whole(slice1.Float32, n), t.dataType(), slice1.Affine{}); err != nil {
		return fill, err
	}
	for i := n; i < len(fill); i++ {
		fill[i] = fill[0]
	}
	return fill, nil
}

// fillAround stores fill, a value for each channel, wherever p has no pixel of the picture.
func fillAround[D slice1.Number](dst []D, p *placement, l Layout, fill []D) {
	if l == HWC {
		fillPlane(dst, p, fill)
		return
	}
	for c := range fill {
		fillPlane(dst[c*p.channel:][:p.channel], p, fill[c:c+1])
	}
}

// fillPlane is fillAround for pixels of len(fill) values side by side. What it stores goes through a pattern, which
// copy stores as fast as memory takes it.
func fillPlane[D slice1.Number](plane []D, p *placement, fill []D) {
	var room [3 << 10]D
	pattern := room[:len(room)/3*len(fill)]
	for i := range pattern[:min(len(pattern), len(plane))] {
		pattern[i] = fill[i%len(fill)]
	}
	store := func(from, to int) { // pixels
		for part := plane[from*len(fill) : to*len(fill)]; len(part) > 0; {
			part = part[copy(part, pattern):]
		}
	}
	in := p.inside
	if in.Empty() {
		store(0, p.width*p.height)
		return
	}
	store(0, in.Min.Y*p.width+in.Min.X)
	for y := in.Min.Y; y < in.Max.Y-1; y++ { // from the right margin of a row to the left one of the next
		store(y*p.width+in.Max.X, (y+1)*p.width+in.Min.X)
	}
	store((in.Max.Y-1)*p.width+in.Max.X, p.width*p.height)
}
