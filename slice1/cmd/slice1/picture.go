package main

import (
	"bufio"
	"cmp"
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
	"strings"
	"sync"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// parsePicture decodes a picture to an array [height, width, channel] in memory. Channels are grey,
// RGB, or RGBA. Colours are not multiplied with alpha. Grey with alpha becomes RGBA; other colour
// models become RGB. A palette is replaced by its colours: RGB if all of them are opaque, else
// RGBA. Without a palette, a picture with alpha becomes RGBA even if all of it is opaque. Samples
// of 16 bits become little-endian. The picture is turned as orient says. If orient is 0, its own
// orientation decides. Notes say what was lost.
func (a *array) parsePicture(f *pictureFormat, orient int) error {
	m, channels, own, err := f.picture(a)
	if err != nil {
		return err
	}
	if orient == 0 && own > 1 {
		a.note("EXIF orientation %d is applied, -orient none leaves it", own)
		orient = own
	}
	if orient > 1 {
		pix, _, _ := imageslice.View(m)
		if err := a.reserve(int64(len(pix))); err != nil {
			return err
		}
		if m, err = imageslice.Orient(m, orient); err != nil {
			return err
		}
	}
	a.picture = true
	return a.setPixels(m, channels)
}

// plain returns a decoded picture as one of the types that setPixels takes, and how many samples of
// each pixel are channels: 1, 3 or 4. It converts a picture of another type. A frame of a GIF lies
// on the canvas, which is transparent elsewhere.
func (a *array) plain(m image.Image, canvas image.Rectangle) (image.Image, int, error) {
	switch m := m.(type) {
	case *image.Gray, *image.Gray16:
		return m, 1, nil
	case *image.RGBA, *image.RGBA64:
		return m, 3, nil
	case *image.NRGBA, *image.NRGBA64:
		return m, 4, nil
	case *image.Paletted:
		if m.Rect != canvas {
			a.note("the first frame does not cover the picture, the rest is transparent")
		} else if !slices.ContainsFunc(m.Palette, translucent) {
			return expand(m, canvas), 3, nil
		}
		return expand(m, canvas), 4, nil
	case *image.YCbCr:
		out := image.NewRGBA(canvas)
		return out, 3, imageslice.ToRGBA(out, imageslice.LibJPEG(m), canvas)
	}
	a.note("CMYK, taken as RGB")
	out := image.NewRGBA(canvas)
	draw.Draw(out, canvas, m, canvas.Min, draw.Src)
	return out, 3, nil
}

// setOrient sets j.orient from the value of -orient: 1 to 8, or none, which is 1.
func (j *job) setOrient(text string) error {
	if text == "none" {
		text = "1"
	}
	if integer(&j.orient, 1, 8)(text) != nil {
		return errors.New("none, or an EXIF orientation from 1 to 8")
	}
	return nil
}

// newImage returns a picture of 1, 3 or 4 channels, with samples of 16 bits if wide is true, else
// of 8. With 1 or 4 channels all samples are 0 at first. With 3 channels a pixel has 4 samples.
// They have the largest value at first, so that the picture is opaque.
func newImage(width, height, channels int, wide bool) draw.Image {
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
	m := draw.Image(image.NewRGBA(r))
	if wide {
		m = image.NewRGBA64(r)
	}
	pix, _, _ := imageslice.View(m)
	for n := copy(pix, "\xff"); n < len(pix); {
		n += copy(pix[n:], pix[:n])
	}
	return m
}

// setPixels makes the first `channels` samples of each pixel of m the array's elements. The
// array keeps m's memory, in which setPixels makes samples of 16 bits little-endian.
func (a *array) setPixels(m image.Image, channels int) error {
	pix, t, err := imageslice.View(m)
	if err != nil {
		return err
	}
	a.Type, a.data, a.Size = t.DataType, pix, int64(len(pix))
	a.Shape, a.strides = []int{t.Sizes[0], t.Sizes[1], channels}, t.Strides
	if t.DataType == slice1.Uint16 {
		swapPairs(pix)
	}
	return nil
}

func translucent(c color.Color) bool {
	_, _, _, alpha := c.RGBA()
	return alpha != 0xffff
}

// expand returns a canvas with the colours of m on it.
func expand(m *image.Paletted, canvas image.Rectangle) *image.NRGBA {
	var table [256]color.NRGBA
	for i, c := range m.Palette {
		table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
	}
	n := image.NewNRGBA(canvas)
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			n.SetNRGBA(x, y, table[m.ColorIndexAt(x, y)])
		}
	}
	return n
}

func swapPairs(b []byte) {
	for i := 1; i < len(b); i += 2 {
		b[i-1], b[i] = b[i], b[i-1]
	}
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

// checkPicture returns an error if a picture format cannot hold the result of s. The reason is its
// type, its shape, an extent that is 0 or too large, or that floats or booleans would become
// samples although no flag says which of them is white.
func (j *job) checkPicture(s *slice, format string) error {
	shape, typ := s.shape, s.out.Type
	channels, name := channelsOf(shape), strings.ToUpper(format)
	if s.out.Descr != "" || !holdsType(format, typ) {
		return fmt.Errorf("%s, not %v %v%s", holds[format], s.out.typeName(), brackets(shape), j.advice(s.in))
	}
	if len(shape) < 2 || len(shape) > 3 || channels != 1 && channels != 3 && channels != 4 {
		return fmt.Errorf("%s, not %v %v", holds[format], s.out.typeName(), brackets(shape))
	}
	if (isFloat(s.in.Type) || isBool(s.in.Header)) && j.count() == 0 {
		_, white, _ := bounds(typ)
		return fmt.Errorf("a %s has samples of 0 to %.0f: -scale %.0[2]f makes them of numbers from 0 to 1, -scale 1 of numbers from 0 to %.0[2]f", name, white)
	}
	if channels == 4 && format != "png" {
		return fmt.Errorf("%s, not %v; [..., :3] leaves alpha out", holds[format], brackets(shape))
	}
	height, width := int64(shape[0]), int64(shape[1])
	if height == 0 || width == 0 {
		return fmt.Errorf("a %s cannot be empty, as %v is", name, brackets(shape))
	}
	limit := int64(math.MaxInt32)
	if format == "jpeg" {
		limit = math.MaxUint16
	}
	const sample = 8 // bytes of the largest pixel
	if height > limit || width > limit || height*width > maxAlloc/sample {
		return fmt.Errorf("%v is too large for a %s", brackets(shape), name)
	}
	return nil
}

// writePicture slices s into memory and writes it as a PNG, JPEG or PNM. checkPicture must have
// accepted it.
func (j *job) writePicture(s *slice, format string, w io.Writer) error {
	size, channels := s.out.Type.Size(), channelsOf(s.shape)
	samples := int64(channels) // of a pixel in memory
	if channels == 3 && format != "pnm" {
		samples = 4
	}
	if err := s.in.reserve(int64(s.shape[0]) * int64(s.shape[1]) * samples * int64(size)); err != nil {
		return err
	}
	var m image.Image
	var pix []byte
	if format == "pnm" {
		pix = make([]byte, s.size())
	} else {
		m = newImage(s.shape[1], s.shape[0], channels, size == 2)
		pix, _, _ = imageslice.View(m)
		if channels == 3 { // a pixel takes 4 samples
			strides := s.desc.Output.MemoryStrides()
			for i, n := range strides {
				if n > 1 { // outside the channels
					strides[i] = n / 3 * 4
				}
			}
			s.desc.Output.Strides = strides
		}
	}
	err := j.timed(s, false, func(plan plan) error { return j.into(plan, s, pix) })
	if err != nil {
		return err
	}
	if size == 2 && !s.out.BigEndian { // all formats have big-endian samples
		swapPairs(pix)
	}
	b := bufio.NewWriterSize(w, 64<<10) // encoders write a few bytes at a time
	switch format {
	case "png":
		e, to := png.Encoder{BufferPool: &pngBuffers}, io.Writer(b)
		if channels == 4 {
			to = keepAlpha(b, &pix[3*size])
		}
		err = e.Encode(to, m)
	case "jpeg":
		err = jpeg.Encode(b, m, &jpeg.Options{Quality: cmp.Or(j.quality, 90)})
	case "pnm":
		_, _ = b.Write(s.pnmHeader()) // b keeps its error
		_, err = b.Write(pix)
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

// pngBuffers keeps the encoder's buffers for later PNGs. It takes longer to make new ones than to
// encode a small picture.
var pngBuffers encoderBuffers

// encoderBuffers is a png.EncoderBufferPool.
type encoderBuffers struct{ pool sync.Pool }

func (e *encoderBuffers) Get() *png.EncoderBuffer {
	b, _ := e.pool.Get().(*png.EncoderBuffer)
	return b
}

func (e *encoderBuffers) Put(b *png.EncoderBuffer) { e.pool.Put(b) }

// keepAlpha returns a writer to w that makes png.Encode keep the alpha channel. png.Encode drops it
// if all pixels are opaque. Therefore keepAlpha makes the first pixel not opaque. alpha is the
// alpha of that pixel. At its first write the encoder has decided, so the writer then gives the
// pixel its alpha back.
func keepAlpha(w io.Writer, alpha *byte) io.Writer {
	was := *alpha
	*alpha = 0
	return writerFunc(func(b []byte) (int, error) {
		*alpha = was
		return w.Write(b)
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
