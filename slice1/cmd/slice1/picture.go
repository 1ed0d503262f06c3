package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// parsePicture decodes a picture to an array [height, width, channel] in memory. Channels are grey,
// RGB, or RGBA. Colours are not multiplied with alpha. Grey with alpha becomes RGBA; other colour
// models become RGB. A palette is replaced by its colours: RGB if all of them are opaque, else
// RGBA. Without a palette, a picture with alpha becomes RGBA even if all of it is opaque. Samples
// of 16 bits become little-endian. The picture is turned as orient says. If orient is 0, its own
// orientation decides. Notes say what was lost.
func (arr *array) parsePicture(f *pictureFormat, orient int) error {
	m, channels, stored, err := f.picture(arr)
	if err != nil {
		return err
	}
	if orient == 0 && stored > 1 {
		arr.note("EXIF orientation %d is applied, -orient none leaves it", stored)
		orient = stored
	}
	if orient > 1 {
		if m, err = imageslice.Orient(m, orient); err != nil {
			return err
		}
	}
	arr.picture = true
	return arr.setPixels(m, channels)
}

// plain returns a decoded picture as one of the types that setPixels takes, and how many samples of
// each pixel are channels: 1, 3 or 4. It converts a picture of another type. A frame of a GIF lies
// on the canvas, which is transparent elsewhere.
func (arr *array) plain(m image.Image, canvas image.Rectangle) (image.Image, int, error) {
	switch m := m.(type) {
	case *image.Gray, *image.Gray16:
		return m, 1, nil
	case *image.RGBA, *image.RGBA64:
		return m, 3, nil
	case *image.NRGBA, *image.NRGBA64:
		return m, 4, nil
	case *image.Paletted:
		if m.Rect != canvas {
			arr.note("the first frame does not cover the picture, the rest is transparent")
		} else if !slices.ContainsFunc(m.Palette, translucent) {
			return expand(m, canvas), 3, nil
		}
		return expand(m, canvas), 4, nil
	case *image.YCbCr:
		rgba := image.NewRGBA(canvas)
		return rgba, 3, imageslice.ToRGBA(rgba, imageslice.LibJPEG(m), canvas)
	}
	arr.note("CMYK, taken as RGB")
	rgba := image.NewRGBA(canvas)
	draw.Draw(rgba, canvas, m, canvas.Min, draw.Src)
	return rgba, 3, nil
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
func (arr *array) setPixels(m image.Image, channels int) error {
	pix, t, err := imageslice.View(m)
	if err != nil {
		return err
	}
	arr.Type, arr.data, arr.Size = t.DataType, pix, int64(len(pix))
	arr.Shape, arr.strides = []int{t.Sizes[0], t.Sizes[1], channels}, t.Strides
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

// pictureFormat is a picture format that can be read.
type pictureFormat struct {
	name   string
	magic  string // the first bytes of a file; ? stands for any byte
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var pictureFormats = []pictureFormat{
	{"PNG", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	{"JPEG", "\xff\xd8", jpeg.DecodeConfig, jpeg.Decode},
	{"GIF", "GIF8?a", gif.DecodeConfig, gif.Decode},
	{"PNM", "P5", decodePNMConfig, decodePNM},
	{"PNM", "P6", decodePNMConfig, decodePNM},
}

// pictureOf returns the picture format of a file with the given first bytes, or nil.
func pictureOf(start []byte) *pictureFormat {
	for i := range pictureFormats {
		if f := &pictureFormats[i]; begins(start, f.magic) {
			return f
		}
	}
	return nil
}

// picture decodes the picture in the array's source, adds notes to the array, and returns the
// picture, how many samples of a pixel are channels, and its orientation. A picture whose header
// claims too much is not decoded.
func (f *pictureFormat) picture(arr *array) (m image.Image, channels, orientation int, err error) {
	file, err := arr.whole()
	if err != nil {
		return nil, 0, 0, err
	}
	c, err := f.config(bytes.NewReader(file))
	if err != nil {
		return nil, 0, 0, err
	}
	if c.Width < 1 || c.Height < 1 || int64(c.Width) > maxAlloc/int64(c.Height) {
		return nil, 0, 0, fmt.Errorf("%s of %d x %d pixels", f.name, c.Width, c.Height)
	}
	if err := arr.claim(claimed(c)); err != nil {
		return nil, 0, 0, err
	}
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("broken %s: %v", f.name, p)
		}
	}()
	reader := bytes.NewReader(file)
	if m, err = f.decode(reader); err != nil {
		return nil, 0, 0, err
	}
	if b := m.Bounds(); f.name != "GIF" && b.Size() != image.Pt(c.Width, c.Height) {
		return nil, 0, 0, fmt.Errorf("%s of %v pixels, the header says %d x %d", f.name, b.Size(), c.Width, c.Height)
	}
	rest := file[len(file)-reader.Len():]
	head, _, _ := bytes.Cut(file, []byte("IDAT"))
	switch {
	case f.name == "PNM":
		h, _ := readPNM(bytes.NewReader(file))
		arr.maxSample = h.maxSample
		if begins(bytes.TrimLeft(rest, " \t\r\n"), "P?") {
			arr.note("the first of several pictures")
		}
	case f.name == "GIF" && (begins(rest, ",") || bytes.Contains(rest, []byte("!\xf9\x04"))), // a frame begins, or an extension before one
		f.name == "PNG" && bytes.Contains(head, []byte("acTL")):
		arr.note("the first of several frames")
	}
	if m, channels, err = arr.plain(m, image.Rect(0, 0, c.Width, c.Height)); err == nil {
		orientation, err = imageslice.Orientation(bytes.NewReader(file))
	}
	return m, channels, orientation, err
}

// claimed returns the bytes of a picture's pixels with the configuration in a file's header.
func claimed(c image.Config) int64 {
	pixel := int64(4)
	switch c.ColorModel {
	case color.GrayModel:
		pixel = 1
	case color.Gray16Model:
		pixel = 2
	case color.RGBA64Model, color.NRGBA64Model:
		pixel = 8
	}
	return pixel * int64(c.Width) * int64(c.Height)
}

// pnm is the header of a binary PGM or PPM.
type pnm struct {
	channels, width, height, maxSample int // maxSample: the largest sample that there may be
}

// pnmStart is the magic number, then width, height and largest sample. White space or a comment is
// before each of these numbers. One byte of white space follows the last.
var pnmStart = regexp.MustCompile(`^P([56])` + strings.Repeat(`(?:[ \t-\r]|#[^\n]*\n)+([0-9]{1,9})`, 3) + `[ \t-\r]`)

// readPNM reads the header from a *bytes.Reader, up to the first sample.
func readPNM(r io.Reader) (h pnm, err error) {
	b, start := r.(*bytes.Reader), make([]byte, 4<<10)
	n, _ := b.ReadAt(start, 0)
	match := pnmStart.FindSubmatch(start[:n])
	if match == nil {
		return h, errors.New("broken PNM header")
	}
	if h.channels = 1; match[1][0] == '6' {
		h.channels = 3
	}
	for i, n := range []*int{&h.width, &h.height, &h.maxSample} {
		*n, _ = strconv.Atoi(string(match[2+i])) // 9 digits
	}
	if h.maxSample < 1 || h.maxSample > 0xffff {
		return h, errors.New("broken PNM header")
	}
	_, err = b.Seek(int64(len(match[0])), io.SeekStart)
	return h, err
}

func decodePNMConfig(r io.Reader) (image.Config, error) {
	h, err := readPNM(r)
	return image.Config{ColorModel: newImage(0, 0, h.channels, h.maxSample > 0xff).ColorModel(), Width: h.width, Height: h.height}, err
}

// decodePNM returns the picture with its samples as they are. It does not scale them, even if the
// largest possible sample is neither 255 nor 65535.
func decodePNM(r io.Reader) (image.Image, error) {
	h, err := readPNM(r)
	if err != nil {
		return nil, err
	}
	m := newImage(h.width, h.height, h.channels, h.maxSample > 0xff)
	pix, t, _ := imageslice.View(m)
	size := t.DataType.Size()
	if h.channels == 1 {
		_, err = io.ReadFull(r, pix)
		return m, err
	}
	pixels := make([]byte, len(pix)/4*3)
	if _, err := io.ReadFull(r, pixels); err != nil {
		return nil, err
	}
	d := slice1.Whole(slice1.Uint8, h.width*h.height, 3*size)
	d.Output.Strides = []int{4 * size, 1}
	return m, slice1.Copy(pix, pixels, d)
}

// pnmHeader returns the header of a PPM for 3 channels, else of a PGM.
func (s *slice) pnmHeader() []byte {
	kind, maxSample := 5, 1<<(8*s.result.Type.Size())-1
	if channelsOf(s.shape) == 3 {
		kind = 6
	}
	if s.result.maxSample != 0 {
		maxSample = s.result.maxSample
	}
	return fmt.Appendf(nil, "P%d\n%d %d\n%d\n", kind, s.shape[1], s.shape[0], maxSample)
}
