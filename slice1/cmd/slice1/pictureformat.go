package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

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

// picture decodes the picture in the array's source, adds notes to the array, and returns the
// picture, how many samples of a pixel are channels, and its orientation. Before it decodes, it
// takes memory for the file and for what decoding takes.
func (f *pictureFormat) picture(a *array) (m image.Image, channels, orientation int, err error) {
	file, err := a.whole()
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
	if err := a.reserve(f.peak(c, file)); err != nil {
		return nil, 0, 0, err
	}
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("broken %s: %v", f.name, p)
		}
	}()
	in := bytes.NewReader(file)
	if m, err = f.decode(in); err != nil {
		return nil, 0, 0, err
	}
	if b := m.Bounds(); f.name != "GIF" && b.Size() != image.Pt(c.Width, c.Height) {
		return nil, 0, 0, fmt.Errorf("%s of %v pixels, the header says %d x %d", f.name, b.Size(), c.Width, c.Height)
	}
	rest := file[len(file)-in.Len():]
	before, _, _ := bytes.Cut(file, []byte("IDAT"))
	switch {
	case f.name == "PNM":
		h, _ := readPNM(bytes.NewReader(file))
		a.maxSample = h.maxSample
		if begins(bytes.TrimLeft(rest, " \t\r\n"), "P?") {
			a.note("the first of several pictures")
		}
	case f.name == "GIF" && (begins(rest, ",") || bytes.Contains(rest, []byte("!\xf9\x04"))), // a frame begins, or an extension before one
		f.name == "PNG" && bytes.Contains(before, []byte("acTL")):
		a.note("the first of several frames")
	}
	if m, channels, err = a.plain(m, image.Rect(0, 0, c.Width, c.Height)); err == nil {
		orientation, err = imageslice.Orientation(bytes.NewReader(file))
	}
	return m, channels, orientation, err
}

// peak returns the most bytes that decoding a file and method plain take at a time, for a picture
// with the configuration in the file's header.
func (f *pictureFormat) peak(c image.Config, file []byte) int64 {
	const interlaceAt = 28 // in a PNG
	pixel := int64(4)      // also of the picture that is made from another one
	switch c.ColorModel {
	case color.GrayModel:
		pixel = 1
	case color.Gray16Model:
		pixel = 2
	case color.RGBA64Model, color.NRGBA64Model:
		pixel = 8
	}
	pixels := int64(c.Width) * int64(c.Height)
	_, palette := c.ColorModel.(color.Palette)
	switch {
	case f.name == "JPEG" && c.ColorModel == color.GrayModel:
		return planesOf(file, c)
	case f.name == "JPEG" && c.ColorModel == color.CMYKModel:
		return planesOf(file, c) + 8*pixels
	case f.name == "JPEG":
		return planesOf(file, c) + 4*pixels
	case palette:
		return 6 * pixels
	case f.name == "PNG" && pixel < 4 && bytes.Contains(file, []byte("tRNS")): // alpha that is not in the model
		pixel *= 4
	}
	if f.name == "PNG" && len(file) > interlaceAt && file[interlaceAt] != 0 {
		pixel *= 2
	}
	return pixel * pixels
}

// planesOf returns the bytes that package jpeg takes for the planes of a file. Each plane has the
// rows and columns that its sampling factors give, in whole blocks. A sample takes a byte and, if
// the JPEG is progressive, 4 bytes more for its coefficient. Like that package, planesOf passes
// over fill bytes and over what stands between segments, until the header of the frame.
func planesOf(file []byte, c image.Config) int64 {
	const baseline, progressive, restart, end = 0xc0, 0xc2, 0xd0, 0xd9
	for at := 2; at+1 < len(file); {
		if at++; file[at-1] != 0xff {
			continue
		}
		for at < len(file)-1 && file[at] == 0xff {
			at++
		}
		marker, segment := file[at], file[at+1:]
		if at++; marker == 0 || marker >= restart && marker <= end {
			continue
		}
		if len(segment) < 8 {
			break
		}
		if marker < baseline || marker > progressive {
			at += int(binary.BigEndian.Uint16(segment))
			continue
		}
		wide, high, factors := int64(1), int64(1), []byte{}
		for i := 9; i < len(segment) && len(factors) < int(segment[7]); i += 3 {
			factors = append(factors, segment[i])
			wide, high = max(wide, int64(segment[i]>>4)), max(high, int64(segment[i]&15))
		}
		if len(factors) == 1 { // package jpeg ignores the factors of the only plane
			wide, high, factors[0] = 1, 1, 0x11
		}
		samples := int64(0)
		for _, f := range factors {
			samples += int64(f>>4) * int64(f&15)
		}
		if marker == progressive {
			samples *= 5
		}
		return samples * 64 * ((int64(c.Width)-1)/(8*wide) + 1) * ((int64(c.Height)-1)/(8*high) + 1)
	}
	return 15 * int64(c.Width) * int64(c.Height)
}
