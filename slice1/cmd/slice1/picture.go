package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // read by image.Decode
	"image/png"
	"io"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

func isPicture(file []byte) bool {
	return bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")) || bytes.HasPrefix(file, []byte("\xff\xd8"))
}

// parsePicture decodes a PNG or JPEG: [height, width, channel] with channels as
// the file stores them, not premultiplied, and an alpha channel only where
// there is transparency. Palettes become colours. 16-bit samples are turned to
// little-endian. Notes say what the array does not show.
func (a *array) parsePicture() error {
	config, _, err := image.DecodeConfig(a.source.reader())
	if err != nil {
		return err
	}
	// Neither format can hold 8000 pixels in a byte, and a decoder believes
	// the header when it takes memory.
	if int64(config.Width)/8*int64(config.Height) > 1032*a.source.size {
		return fmt.Errorf("%d x %d pixels do not fit in %d bytes", config.Width, config.Height, a.source.size)
	}
	m, _, err := image.Decode(bufio.NewReaderSize(a.source.reader(), 64<<10))
	if err != nil {
		return err
	}
	if err := a.notePNG(m); err != nil {
		return err
	}
	if err := a.source.close(); err != nil {
		return err
	}
	switch m := m.(type) {
	case *image.Gray:
		a.setPixels(m.Pix, m.Stride, m.Rect, 1, 1, 1)
	case *image.Gray16:
		a.setPixels(m.Pix, m.Stride, m.Rect, 1, 1, 2)
	case *image.RGBA:
		a.setPixels(m.Pix, m.Stride, m.Rect, 3, 4, 1)
	case *image.RGBA64:
		a.setPixels(m.Pix, m.Stride, m.Rect, 3, 4, 2)
	case *image.NRGBA:
		a.setPixels(m.Pix, m.Stride, m.Rect, colours(m.Opaque()), 4, 1)
	case *image.NRGBA64:
		a.setPixels(m.Pix, m.Stride, m.Rect, colours(m.Opaque()), 4, 2)
	case *image.Paletted:
		n := expand(m)
		a.setPixels(n.Pix, n.Stride, n.Rect, colours(n.Opaque()), 4, 1)
	default: // the colour models of JPEG, all opaque
		if _, ok := m.(*image.CMYK); ok {
			a.notes = append(a.notes, a.name+": CMYK, taken as RGB")
		}
		n := image.NewRGBA(m.Bounds())
		draw.Draw(n, n.Rect, m, n.Rect.Min, draw.Src)
		a.setPixels(n.Pix, n.Stride, n.Rect, 3, 4, 1)
	}
	return nil
}

// notePNG notes what becomes of a PNG of an odd type; m is the PNG decoded.
func (a *array) notePNG(m image.Image) error {
	const depthAt, typeAt = 24, 25 // in the IHDR chunk, which comes first
	var start [typeAt + 1]byte
	if n, err := a.source.ReadAt(start[:], 0); n < len(start) {
		return err
	}
	if start[0] != '\x89' {
		return nil
	}
	note := func(format string, args ...any) {
		a.notes = append(a.notes, a.name+": "+fmt.Sprintf(format, args...))
	}
	const grey, rgb, palette, greyAlpha, rgba = 0, 2, 3, 4, 6
	depth, kind := start[depthAt], start[typeAt]
	opaque, as := m.(interface{ Opaque() bool }).Opaque(), "RGBA"
	if opaque {
		as = "RGB"
	}
	switch model := m.ColorModel(); {
	case kind == palette:
		note("palette, taken as %s", as)
	case kind == greyAlpha && opaque:
		note("grey with alpha, all opaque, taken as RGB")
	case kind == greyAlpha:
		note("grey with alpha, taken as RGBA")
	case kind == rgba && opaque:
		note("alpha is opaque everywhere and left out")
	case (kind == grey || kind == rgb) && (model == color.NRGBAModel || model == color.NRGBA64Model):
		note("one colour stands for transparent, taken as %s", as)
	case kind == grey && depth == 1:
		note("grey of 1 bit, scaled to 8")
	case kind == grey && depth < 8:
		note("grey of %d bits, scaled to 8", depth)
	}
	return nil
}

func colours(opaque bool) int {
	if opaque {
		return 3
	}
	return 4
}

// setPixels makes a the samples of a picture, rows stride bytes apart: the first
// channels of each pixel's step samples of size bytes. It owns pix.
func (a *array) setPixels(pix []byte, stride int, r image.Rectangle, channels, step, size int) {
	a.dtype, a.data, a.size = slice1.Uint8, pix, int64(len(pix))
	a.shape, a.strides = []int{r.Dy(), r.Dx(), channels}, []int{stride / size, step, 1}
	if size == 2 {
		a.dtype = slice1.Uint16
		swapPairs(pix)
	}
}

func expand(m *image.Paletted) *image.NRGBA {
	var table [256]color.NRGBA
	for i, c := range m.Palette {
		table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	n := image.NewNRGBA(m.Rect)
	for i, index := range m.Pix { // PNG pads no rows
		c := table[index]
		copy(n.Pix[4*i:4*i+4], []byte{c.R, c.G, c.B, c.A})
	}
	return n
}

func swapPairs(b []byte) {
	for i := 1; i < len(b); i += 2 {
		b[i-1], b[i] = b[i], b[i-1]
	}
}

// picture is an output: an array about to become a PNG.
type picture struct {
	image  image.Image
	pix    []byte // where the slice goes
	padded bool   // pixels of 3 channels take 4 samples, the last one opaque
	swap   bool   // samples arrive little-endian
}

var errNoPicture = errors.New("a PNG holds uint8 or uint16 of shape [height, width] or [height, width, channels] with 1, 3 or 4 channels")

// checkPicture says why an array of a's type and the given shape is no picture.
func checkPicture(a *array, shape []int) error {
	channels := 1
	if len(shape) == 3 {
		channels = shape[2]
	}
	if a.dtype != slice1.Uint16 && a.dtype != slice1.Uint8 || len(shape) < 2 || len(shape) > 3 || !slices.Contains([]int{1, 3, 4}, channels) {
		return fmt.Errorf("%w, not %v %v", errNoPicture, a.dtype, brackets(shape))
	}
	height, width := int64(shape[0]), int64(shape[1])
	if height == 0 || width == 0 {
		return fmt.Errorf("a PNG cannot be empty, as %v is", brackets(shape))
	}
	const sample = 8 // bytes of the largest pixel
	if height > math.MaxInt32 || width > math.MaxInt32 || height*width > maxAlloc/sample {
		return fmt.Errorf("%v is too large for a PNG", brackets(shape))
	}
	return nil
}

// newPicture prepares a picture for an array that checkPicture has passed.
func newPicture(a *array, shape []int) *picture {
	wide := a.dtype == slice1.Uint16
	channels := 1
	if len(shape) == 3 {
		channels = shape[2]
	}
	r := image.Rect(0, 0, shape[1], shape[0])
	p := &picture{padded: channels == 3, swap: wide && !a.bigEndian}
	switch {
	case channels == 1 && !wide:
		m := image.NewGray(r)
		p.image, p.pix = m, m.Pix
	case channels == 1:
		m := image.NewGray16(r)
		p.image, p.pix = m, m.Pix
	case !wide:
		m := image.NewNRGBA(r)
		p.image, p.pix = m, m.Pix
	default:
		m := image.NewNRGBA64(r)
		p.image, p.pix = m, m.Pix
	}
	if p.padded {
		for i := range p.pix {
			p.pix[i] = 0xff
		}
	}
	return p
}

// strides returns the memory strides for a window that yields out, whose last
// extent other than 1 is the channels if there are 3.
func (p *picture) strides(out []int) []int {
	if !p.padded {
		return nil
	}
	strides := make([]int, len(out))
	step, channels := 1, true
	for i := len(out) - 1; i >= 0; i-- {
		strides[i] = step
		if out[i] > 1 && channels {
			channels = false
			step *= 4
			continue
		}
		step *= out[i]
	}
	return strides
}

func (p *picture) encode(w io.Writer) error {
	if p.swap {
		swapPairs(p.pix)
	}
	return png.Encode(w, p.image)
}
