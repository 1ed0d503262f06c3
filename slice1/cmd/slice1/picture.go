package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// parsePicture decodes a picture to an array [height, width, channel], and closes the source.
// Channels are grey, RGB, or RGBA whose colours are not multiplied with alpha. Grey with alpha becomes
// RGBA; other colour models become RGB. A palette is replaced by its colours: RGB if all of these are
// opaque, else RGBA. Without a palette, a picture with alpha becomes RGBA even if all of it is opaque.
// Samples of 16 bits become little-endian. The picture is turned as orient says or, if that is 0, as
// its own orientation says. Notes say what was converted.
func (a *array) parsePicture(f *pictureFormat, orient int) error {
	m, own, err := f.picture(a)
	if err != nil {
		return err
	}
	claim := a.claim
	a.claim = 0
	err = a.source.close()
	a.claim = claim // the pixels stay
	if err != nil {
		return err
	}
	m, channels := plain(m)
	if orient == 0 && own > 1 {
		a.note("EXIF orientation %d is applied, -orient none leaves it", own)
		orient = own
	}
	if orient > 1 {
		if m, err = imageslice.Orient(m, orient); err != nil {
			return err
		}
	}
	a.picture = true
	return a.setPixels(m, channels)
}

func (a *array) note(format string, args ...any) {
	a.notes = append(a.notes, a.name+": "+fmt.Sprintf(format, args...))
}

// shown returns a decoded picture, or another one in its place if its samples are not what plain
// takes: the canvas of a GIF with its first frame on it, colours that are not multiplied with alpha. It
// notes what is lost.
func (a *array) shown(c image.Config, m image.Image) image.Image {
	switch p := m.(type) {
	case *image.CMYK:
		a.note("CMYK, taken as RGB")
	case *image.YCbCr:
		if name := p.SubsampleRatio.String(); name != "YCbCrSubsampleRatio420" && strings.HasPrefix(name, "YCbCrSubsampleRatio4") {
			digits := name[len(name)-3:]
			a.chroma = digits[:1] + ":" + digits[1:2] + ":" + digits[2:]
		}
	case *image.Paletted:
		kind := "RGBA"
		if opaque(p.Palette) {
			kind = "RGB"
		}
		a.note("palette, taken as %s", kind)
		if canvas := image.Rect(0, 0, c.Width, c.Height); p.Rect != canvas {
			a.note("the first frame does not cover the picture, the rest is transparent")
			n := image.NewNRGBA(canvas)
			draw.Draw(n, p.Rect, expand(p), p.Rect.Min, draw.Src)
			return n
		}
	case *image.NYCbCrA, *image.RGBA, *image.RGBA64:
		var n draw.Image
		switch _, wide := m.(*image.RGBA64); {
		case !a.premultiplied && c.ColorModel != color.NYCbCrAModel:
			return m
		case wide:
			n = image.NewNRGBA64(m.Bounds())
		default:
			n = image.NewNRGBA(m.Bounds())
		}
		draw.Draw(n, m.Bounds(), m, m.Bounds().Min, draw.Src)
		return n
	}
	return m
}

// setOrient sets j.orient from the value of -orient: 1 to 8, or none, which is 1.
func (j *job) setOrient(text string) error {
	if text == "none" {
		j.orient = 1
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 8 {
		return errors.New("1 to 8, or none")
	}
	j.orient = n
	return nil
}

// opaque reports whether every colour of a palette is opaque.
func opaque(p color.Palette) bool {
	return !slices.ContainsFunc(p, func(c color.Color) bool {
		_, _, _, alpha := c.RGBA()
		return alpha != 0xffff
	})
}

// plain returns a picture as one of the types that setPixels takes, and how many samples of each
// pixel are channels: 1, 3 or 4. It converts a picture of another type.
func plain(m image.Image) (image.Image, int) {
	switch m := m.(type) {
	case *image.Gray, *image.Gray16:
		return m, 1
	case *image.RGBA, *image.RGBA64:
		return m, 3
	case *image.NRGBA, *image.NRGBA64:
		return m, 4
	case *image.Paletted:
		if opaque(m.Palette) {
			return expand(m), 3
		}
		return expand(m), 4
	}
	n := image.NewRGBA(m.Bounds()) // for YCbCr and CMYK of JPEG, which have no alpha
	draw.Draw(n, n.Rect, m, n.Rect.Min, draw.Src)
	return n, 3
}

// newImage returns a picture of 1, 3 or 4 channels, with samples of 16 bits if wide is true, else of
// 8. Samples are 0 at first. With 3 channels a pixel has 4 samples, all of which are the largest
// possible at first, so that the picture is opaque.
func newImage(width, height, channels int, wide bool) image.Image {
	r := image.Rect(0, 0, width, height)
	switch {
	case channels == 1 && wide:
		return image.NewGray16(r)
	case channels == 1:
		return image.NewGray(r)
	case channels == 4 && wide:
		return image.NewNRGBA64(r)
	case channels == 4:
		return image.NewNRGBA(r)
	}
	m := image.Image(image.NewRGBA(r))
	if wide {
		m = image.NewRGBA64(r)
	}
	pix, _, _ := imageslice.View(m)
	for n := copy(pix, "\xff"); n < len(pix); {
		n += copy(pix[n:], pix[:n])
	}
	return m
}

// setPixels makes the first samples of each pixel of m, as many as channels says, the elements of a.
// a keeps m's memory, in which setPixels makes samples of 16 bits little-endian.
func (a *array) setPixels(m image.Image, channels int) error {
	pix, t, err := imageslice.View(m)
	if err != nil {
		return err
	}
	a.dtype, a.data, a.size = t.DataType, pix, int64(len(pix))
	a.shape, a.strides = []int{t.Sizes[0], t.Sizes[1], channels}, t.Strides
	if t.DataType == slice1.Uint16 {
		swapPairs(pix)
	}
	return nil
}

func expand(m *image.Paletted) *image.NRGBA {
	var table [256]color.NRGBA
	for i, c := range m.Palette {
		table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	n := image.NewNRGBA(m.Rect)
	for i, index := range m.Pix { // rows of decoded pictures have no padding
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

// picture is an output array that becomes a PNG or JPEG.
type picture struct {
	image  image.Image
	pix    []byte // the samples of image, which are the destination of the slice
	padded bool   // pixels of 3 channels take 4 samples, the last one opaque
	swap   bool   // the slice has little-endian samples of 16 bits; the encoder takes big-endian ones
}

// channelsOf returns the channels of a picture of the given shape.
func channelsOf(shape []int) int {
	if len(shape) == 3 {
		return shape[2]
	}
	return 1
}

// holds says in words what each picture format can hold.
var holds = map[string]string{
	"png":  "a PNG holds uint8 or uint16 of shape [height, width] or [height, width, channels] with 1, 3 or 4 channels",
	"jpeg": "a JPEG holds uint8 of shape [height, width] or [height, width, channels] with 1 or 3 channels",
	"pnm":  "a PNM holds uint8 or uint16 of shape [height, width] or [height, width, channels] with 1 or 3 channels",
}

// checkPicture returns an error if a picture format cannot hold an array of a's type and the given
// shape, because of the type, the shape, or an extent that is 0 or too large.
func checkPicture(a *array, shape []int, format string) error {
	channels, name := channelsOf(shape), strings.ToUpper(format)
	sampled := a.descr == "" && (a.dtype == slice1.Uint8 || a.dtype == slice1.Uint16 && format != "jpeg")
	if !sampled || len(shape) < 2 || len(shape) > 3 || channels != 1 && channels != 3 && channels != 4 {
		return fmt.Errorf("%s, not %v %v", holds[format], a.typeName(), brackets(shape))
	}
	if channels == 4 && format != "png" {
		return fmt.Errorf("%s, not %v; [..., :3] leaves alpha out", holds[format], brackets(shape))
	}
	height, width := int64(shape[0]), int64(shape[1])
	if height == 0 || width == 0 {
		return fmt.Errorf("a %s cannot be empty, as %v is", name, brackets(shape))
	}
	most := int64(math.MaxInt32)
	if format == "jpeg" {
		most = math.MaxUint16
	}
	const sample = 8 // bytes of the largest pixel
	if height > most || width > most || height*width > maxAlloc/sample {
		return fmt.Errorf("%v is too large for a %s", brackets(shape), name)
	}
	return nil
}

// newPicture returns a picture for an array that checkPicture accepts.
func newPicture(a *array, shape []int) *picture {
	wide, channels := a.dtype == slice1.Uint16, channelsOf(shape)
	m := newImage(shape[1], shape[0], channels, wide)
	pix, _, _ := imageslice.View(m)
	return &picture{image: m, pix: pix, padded: channels == 3, swap: wide && !a.bigEndian}
}

// strides returns the memory strides by which an output with the extents out fills p.pix. They are
// nil unless p is padded; then the last extent above 1 is that of the 3 channels.
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

func (p *picture) encodePNG(w io.Writer) error {
	if p.swap {
		swapPairs(p.pix)
	}
	e := png.Encoder{BufferPool: &pngBuffers}
	return e.Encode(p.translucent(w), p.image)
}

// pngBuffers keeps the encoder's buffers for further PNGs. To make new ones takes longer than to
// encode a small picture.
var pngBuffers encoderBuffers

// encoderBuffers is a png.EncoderBufferPool.
type encoderBuffers struct{ pool sync.Pool }

func (e *encoderBuffers) Get() *png.EncoderBuffer {
	b, _ := e.pool.Get().(*png.EncoderBuffer)
	return b
}

func (e *encoderBuffers) Put(b *png.EncoderBuffer) { e.pool.Put(b) }

func (p *picture) encodeJPEG(w io.Writer, quality int) error {
	const usual = 90
	if quality == 0 {
		quality = usual
	}
	return jpeg.Encode(w, p.image, &jpeg.Options{Quality: quality})
}

// translucent returns a writer to w with which png.Encode keeps the alpha channel of p if p has one.
// png.Encode drops alpha if all pixels are opaque. Therefore translucent makes the first pixel not
// opaque. By its first write the encoder has decided, so that the writer then gives the pixel its
// alpha back. If p has no alpha, translucent returns w.
func (p *picture) translucent(w io.Writer) io.Writer {
	alpha := 0
	switch p.image.(type) {
	case *image.NRGBA:
		alpha = 3
	case *image.NRGBA64:
		alpha = 6
	}
	if p.padded || alpha == 0 {
		return w
	}
	was := p.pix[alpha]
	p.pix[alpha] = 0
	return writerFunc(func(b []byte) (int, error) {
		p.pix[alpha] = was
		return w.Write(b)
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
