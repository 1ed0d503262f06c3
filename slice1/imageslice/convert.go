package imageslice

import (
	"image"
	"image/color"
	"math"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// bandPixels is about how many pixels pass through memory at a time. That many, of three or four
// bytes each, stay in the first-level cache.
const bandPixels = 4096

// Convert stores window r of m in dst, as the tensor that t describes. Steps are the same as in
// [Slice]. The channels are R, G and B, or the only channel of *image.Gray, Gray16, Alpha and
// Alpha16. Samples count 0 to 255; 16-bit samples are divided by 257. Each sample becomes a number
// of t.Type by the rules of [slice1.WithNumbers], with t.Affine's values. dst has exactly the
// length of the whole tensor (slice1.ErrBuffer): a picture that is smaller than expected would
// scramble a tensor of another shape.
//
//	t := imageslice.Tensor{Type: slice1.Float16, Width: 640, Height: 640, At: image.Point{Y: 140}, Fill: []float32{0.5}}
//	err := imageslice.Convert(dst, m, m.Bounds(), t) // 640 x 360 pixels, and grey above and below
//
// m is a picture that View takes, an *image.YCbCr of any ratio or a Frame. r is any window in m. If
// t.Fill is set, r may leave m, and pixels outside of m become t.Fill, too. YCbCr and CMYK become
// RGB by color.YCbCrToRGB and color.CMYKToRGB, which have 8 bits; the 16 bits of At(x, y).RGBA()
// differ from them. A Frame becomes RGB by its own formulas. Palettes are looked up. Alpha is
// dropped, and colours are not divided by it: samples of *image.RGBA are already multiplied by
// alpha. Convert does not resize; golang.org/x/image/draw does that before.
//
// The errors are the same as [slice1.NewPlan]'s and as Slice's, except Slice's rules about
// cells of chroma, and these:
//
//   - slice1.ErrSize for a wrong number of values of Fill or Affine, an unknown Layout, a negative
//     Width or Height, and Channels that are not 0, 1 or 3;
//   - slice1.ErrDataType for a D that does not hold numbers of t.Type: uint8 for Uint8, and uint16
//     for Uint16, Float16 and BFloat16, for example;
//   - slice1.ErrWindow for a window that does not fit the tensor;
//   - slice1.ErrOverflow for a tensor with more numbers than an int counts;
//   - slice1.ErrOverlap for a dst in m's memory.
//
// If Convert returns an error, it has written nothing. Any number of goroutines may call Convert at
// once.
func Convert[D slice1.Number](dst []D, m image.Image, r image.Rectangle, t Tensor) error {
	w := workings.Get().(*working)
	defer w.put()
	from := &w.from
	if err := from.open(m); err != nil {
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
	if err := checkType[D]("dst", &t); err != nil {
		return err
	}
	if err := p.checkLength("dst", len(dst), &t, 3); err != nil {
		return err
	}
	if err := t.checkValues(channels); err != nil {
		return err
	}
	fill, err := fillOf[D](w, &t, channels)
	if err != nil {
		return err
	}
	if err := separate(from, slice1.Bytes(dst)); err != nil {
		return err
	}
	if !p.inside.Empty() {
		if err := convertPixels(dst, &p, w, m, &t); err != nil {
			return err
		}
	}
	if len(t.Fill) > 0 {
		fillAround(dst, &p, t.Layout, fill[:channels])
	}
	return nil
}

// working is the memory that a call of Convert needs besides its tensor. Later calls use it again,
// so they do not allocate.
type working struct {
	from    planes
	made    plane // the tensor of samples that are made before they are converted
	stage   stage
	band    description
	strides [3]int // the tensor's, by the picture's axes
	fill    [3]uint64
	pixels  [3 * bandPixels]uint8
}

var workings = sync.Pool{New: func() any { return new(working) }}

// put gives w back without its references to a picture.
func (w *working) put() {
	w.from, w.stage, w.band = planes{}, stage{}, description{}
	workings.Put(w)
}

// separate returns an error if a tensor shares memory with a picture. Gaps between rows count, too.
//
// unsafe: addresses are compared.
func separate(m *planes, tensor []byte) error {
	to := plane{pix: tensor}
	for i := range m.list {
		if m.list[i].meets(&to) {
			return refused(slice1.ErrOverlap, "the tensor is in the picture's memory")
		}
	}
	return nil
}

// convertPixels converts the pixels of the picture that the tensor takes. It converts them at once.
// If R, G and B must be made first, it converts some rows at a time.
func convertPixels[D slice1.Number](dst []D, p *placement, w *working, m image.Image, t *Tensor) error {
	from, s := &w.from, &w.stage
	channels := from.rgb
	if t.BGR && channels.n == 3 {
		channels.first, channels.step = channels.first+2*channels.step, -channels.step
	}
	if !s.open(m) {
		to := from.list[0].tensor
		if p.channels > channels.n { // grey, repeated
			from.list[0].set(to.DataType, [3]int{to.Sizes[0], to.Sizes[1], p.channels}, [3]int{to.Strides[0], to.Strides[1], 0})
			channels = axis{0, 1, p.channels, 1}
		}
		return convertBand(dst, w, p, p.first, from.list[0].pix, from.list[0].tensor, p.rows, p.columns, channels, t)
	}
	rows, columns := p.rows, p.columns
	left := columns.lowest()
	width := (columns.n-1)*max(columns.step, -columns.step) + 1
	columns.first -= left
	rgb := w.pixels[:]
	switch {
	case width > math.MaxInt/3: // on 32 bits
		return refused(slice1.ErrOverflow, "a window of %d columns", width)
	case width > bandPixels:
		rgb = make([]uint8, 3*width)
	}
	most := max(1, bandPixels/width)
	for done := 0; done < rows.n; done += most {
		n := min(most, rows.n-done)
		s.rows(rgb[:3*width*n], from.bounds.Min.X+left, width, rows.first+done*rows.step, rows.step, n)
		w.made.set(slice1.Uint8, [3]int{n, width, 3}, [3]int{width, 1, width * n})
		if err := convertBand(dst, w, p, p.first+done*p.row, rgb, w.made.tensor, axis{0, 1, n, 1}, columns, channels, t); err != nil {
			return err
		}
	}
	return nil
}

// convertBand converts rows y, columns x and channels of a tensor in pix. It stores them in dst
// from element `at` on.
func convertBand[D slice1.Number](dst []D, w *working, p *placement, at int, pix []uint8, in slice1.TensorDesc, y, x, channels axis, t *Tensor) error {
	d := w.band.set(in, y, x, channels)
	w.strides = [3]int{p.row, p.column, p.channel}
	d.Output.Strides = w.strides[:]
	a := t.Affine
	a.Axis = 2
	wide := of16Bits(in.DataType == slice1.Uint16, false)
	return own(slice1.CopyBytes(slice1.Bytes(dst[at:]), pix, d, slice1.WithNumbers(t.dataType(), a), wide))
}

// of16Bits is the option for elements of a picture with 16 bits per sample. The high byte comes first
// on every machine, and 257*n stands for the same brightness as n in a picture with 8 bits.
func of16Bits(src, dst bool) slice1.Option {
	return engine.WithSamples.Of(engine.Settings{Samples: [2]bool{src, dst}})
}

// stage makes R, G and B for pictures whose samples cannot be converted directly.
type stage struct {
	colours colours
	cmyk    *image.CMYK
	indices *image.Paletted
	table   [256][3]uint8 // the palette's colours; indices beyond the palette are black
}

// open sets s, which must be zero, to the stage of a picture. It returns false if the picture needs
// none.
func (s *stage) open(m image.Image) bool {
	switch m := m.(type) {
	case *image.YCbCr:
		s.colours.set(frameOf(m))
	case *Frame:
		s.colours.set(m)
	case *image.CMYK:
		s.cmyk = m
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
	default:
		return false
	}
	return true
}

// rows makes n rows of R, then n rows of G and n rows of B. A row has `width` pixels from column x0
// on, in the picture's coordinates. The first row is `top` rows below the picture's first row, and
// each further row is `step` rows below the one before.
func (s *stage) rows(rgb []uint8, x0, width, top, step, n int) {
	if s.cmyk == nil && s.indices == nil {
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

// fillOf returns t.Fill as the tensor stores it, one value for each channel.
//
// unsafe: the widest number has 8 bytes.
func fillOf[D slice1.Number](w *working, t *Tensor, channels int) (fill []D, err error) {
	fill = unsafe.Slice((*D)(unsafe.Pointer(&w.fill)), 3)
	n := len(t.Fill)
	if n == 0 {
		return fill, nil
	}
	if n != 1 && n != channels {
		return fill, refused(slice1.ErrSize, "Fill has %d values, the tensor %d channels: must have one for each or one for all", n, channels)
	}
	w.made.set(slice1.Float32, [3]int{1, 1, n}, [3]int{1, 1, 1})
	one := axis{0, 1, 1, 1}
	if err := slice1.Copy(fill[:n], t.Fill, w.band.set(w.made.tensor, one, one, axis{0, 1, n, 1}), slice1.WithNumbers(t.dataType(), slice1.Affine{})); err != nil {
		return fill, own(err)
	}
	for i := n; i < len(fill); i++ {
		fill[i] = fill[0]
	}
	return fill, nil
}

// fillAround stores fill, one value for each channel, wherever p has no pixel of the picture.
func fillAround[D slice1.Number](dst []D, p *placement, l Layout, fill []D) {
	if l == HWC {
		fillPlane(dst, p, fill)
		return
	}
	for c := range fill {
		fillPlane(dst[c*p.channel:][:p.channel], p, fill[c:c+1])
	}
}

// fillPlane is fillAround for pixels of len(fill) values side by side. It fills a pattern first,
// and copies that as fast as memory allows.
func fillPlane[D slice1.Number](plane []D, p *placement, fill []D) {
	var room [3 << 10]D
	pattern := room[:min(len(room), len(plane))]
	for n := copy(pattern, fill); n < len(pattern); n *= 2 {
		copy(pattern[n:], pattern[:n])
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
