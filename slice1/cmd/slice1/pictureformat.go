package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// pictureFormat is a picture format that can be read.
type pictureFormat struct {
	name   string
	magic  string                  // the first bytes of a file; ? stands for any byte
	rate   int64                   // the most bytes of samples that a byte of a file can hold
	check  func(io.ReaderAt) error // returns an error if config or decode would fail or decode would be wrong; nil: their errors are enough
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error) // the reader is also an io.ReaderAt of the same bytes
	// look reads the parts of a file that its decoder passes over. It adds notes, and returns the
	// bits of a pixel and the rate. It returns an error if the decoder would not read what the file
	// says. It may be nil.
	look func(a *array, file []byte) (bits, rate int64, err error)
}

// The most bytes that a byte can hold. Deflate repeats 258 bytes with at least two bits. LZW has
// codes of at least 9 bits for at most 4096 bytes. A JPEG's block of 64 samples takes at least a
// bit.
const (
	deflated = 1032
	lzwed    = 4096 * 8 / 9
	jpegged  = 64 * 8
)

var pictureFormats = []pictureFormat{
	{"PNG", "\x89PNG\r\n\x1a\n", deflated, nil, png.DecodeConfig, png.Decode, lookPNG},
	{"JPEG", "\xff\xd8", jpegged, nil, jpeg.DecodeConfig, jpeg.Decode, nil},
	{"GIF", "GIF8?a", lzwed, nil, gif.DecodeConfig, gif.Decode, nil},
	{"BMP", "BM????\x00\x00\x00\x00", 1, checkBMP, bmp.DecodeConfig, decodeBMP, nil},
	{"TIFF", "II*\x00", lzwed, checkTIFF, tiff.DecodeConfig, decodeTIFF, lookTIFF},
	{"TIFF", "MM\x00*", lzwed, checkTIFF, tiff.DecodeConfig, decodeTIFF, lookTIFF},
	{"BigTIFF", "II+\x00", 1, refuseBigTIFF, nil, nil, nil},
	{"BigTIFF", "MM\x00+", 1, refuseBigTIFF, nil, nil, nil},
	{"WebP", "RIFF????WEBP", lzwed, checkWebP, webp.DecodeConfig, decodeWebP, nil},
	{"PNM", "P5", 1, nil, decodePNMConfig, decodePNM, lookPNM},
	{"PNM", "P6", 1, nil, decodePNMConfig, decodePNM, lookPNM},
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

// begins reports whether start, the first bytes of a file, begins with magic. In magic ? stands for
// any byte.
func begins(start []byte, magic string) bool {
	if len(start) < len(magic) {
		return false
	}
	for i, c := range []byte(magic) {
		if c != '?' && c != start[i] {
			return false
		}
	}
	return true
}

// bitsOf returns the least bits that a pixel of a colour model takes in a file, and the most bytes
// that it takes in memory.
func bitsOf(model color.Model) (bits, bytes int64) {
	switch model {
	case color.GrayModel:
		return 1, 1
	case color.Gray16Model:
		return 16, 2
	case color.RGBA64Model, color.NRGBA64Model:
		return 48, 8
	case color.RGBAModel, color.NRGBAModel:
		return 24, 4
	case color.YCbCrModel:
		return 12, 7 // including the RGBA that is made from it
	case color.NYCbCrAModel:
		return 12, 8 // including the NRGBA that is made from it
	case color.CMYKModel:
		return 32, 8
	}
	return 1, 5 // a palette, including the NRGBA that is made from it
}

// header returns the configuration in the header of a file, or an error that says why it is not
// read.
func (f *pictureFormat) header(file []byte) (image.Config, error) {
	if f.check != nil {
		if err := f.check(bytes.NewReader(file)); err != nil {
			return image.Config{}, err
		}
	}
	return f.config(bytes.NewReader(file))
}

// picture decodes the picture in a's source, adds notes to a, and returns the picture and its
// orientation. It takes memory for the file, the picture, and the picture that is made from it.
func (f *pictureFormat) picture(a *array) (m image.Image, orientation int, err error) {
	file, err := a.whole()
	if err != nil {
		return nil, 0, err
	}
	c, err := f.header(file)
	if err != nil {
		return nil, 0, err
	}
	bits, size := bitsOf(c.ColorModel)
	if c.Width < 1 || c.Height < 1 || c.Width > math.MaxInt32 || c.Height > math.MaxInt32 {
		return nil, 0, fmt.Errorf("%s of %d x %d pixels", f.name, c.Width, c.Height)
	}
	const small = 1 << 24 // so many pixels may be in any file
	pixels, rate := int64(c.Width)*int64(c.Height), f.rate
	for _, look := range []func(*array, []byte) (int64, int64, error){nil, f.look} {
		if look != nil {
			if bits, rate, err = look(a, file); err != nil {
				return nil, 0, err
			}
		}
		if pixels > small && pixels/8*bits/rate > int64(len(file)) {
			return nil, 0, fmt.Errorf("%d x %d pixels do not fit in %d bytes", c.Width, c.Height, len(file))
		}
	}
	size *= pixels
	switch {
	case f.name == "JPEG" && c.ColorModel == color.GrayModel:
		size = jpegSize(file, pixels)
	case f.name == "JPEG":
		size = jpegSize(file, pixels) + 4*pixels
	case a.associated:
		size *= 2
	}
	if err := a.reserve(size); err != nil {
		return nil, 0, err
	}
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("broken %s: %v", f.name, p)
		}
	}()
	in := bytes.NewReader(file)
	if m, err = f.decode(in); err != nil {
		return nil, 0, err
	}
	if rest := file[len(file)-in.Len():]; f.name == "GIF" && (begins(rest, ",") || bytes.Contains(rest, []byte("!\xf9\x04"))) {
		a.note("the first of several frames") // a frame begins, or an extension before one
	}
	if b := m.Bounds(); f.name != "GIF" && b.Size() != image.Pt(c.Width, c.Height) {
		return nil, 0, fmt.Errorf("%s of %v pixels, the header says %d x %d", f.name, b.Size(), c.Width, c.Height)
	}
	orientation, err = imageslice.Orientation(bytes.NewReader(file))
	return a.shown(c, m), orientation, err
}

// lookPNG notes how a PNG is converted if it is grey with less than 8 bits or with alpha, or if one
// colour stands for transparent.
func lookPNG(a *array, file []byte) (bits, rate int64, err error) {
	const depthAt, typeAt, grey, rgb, greyAlpha = 24, 25, 0, 2, 4 // in the first chunk, IHDR
	depth, kind := int64(file[depthAt]), file[typeAt]
	before, _, _ := bytes.Cut(file, []byte("IDAT"))
	if bytes.Contains(before, []byte("acTL")) {
		a.note("the first of several frames")
	}
	switch {
	case kind == greyAlpha:
		a.note("grey with alpha, taken as RGBA")
	case (kind == grey || kind == rgb) && bytes.Contains(before, []byte("tRNS")):
		a.note("one colour stands for transparent, taken as RGBA")
	case kind == grey && depth == 1:
		a.note("grey of 1 bit, scaled to 8")
	case kind == grey && depth < 8:
		a.note("grey of %d bits, scaled to 8", depth)
	}
	channels := map[byte]int64{rgb: 3, greyAlpha: 2, 6: 4}[kind]
	return max(channels, 1) * depth, deflated, nil
}
