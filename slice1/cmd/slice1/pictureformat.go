package main

import (
	"bufio"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
)

// pictureFormat is a picture format that can be read.
type pictureFormat struct {
	name     string
	magic    string // the first bytes of a file; ? stands for any byte
	density  int64  // the most pixels that a byte of a file holds; 0: deflated
	anywhere bool   // config and decode need an io.ReaderAt
	config   func(io.Reader) (image.Config, error)
	decode   func(io.Reader) (image.Image, error)
	look     func(*source) *metadata // reads the metadata
	// shown adds a note if an unusual picture is converted. It returns the picture, or another
	// one in its place.
	shown func(*array, image.Config, image.Image) (image.Image, error)
}

// The most pixels of one bit that deflate and LZW pack into a byte. Deflate repeats 258 bytes by at
// least two bits, for a length and a distance, so that a byte holds at most 1032 bytes. A code of
// LZW stands for fewer bytes than there are codes, and those for most bytes have 12 bits.
const (
	deflated = 1032 * 8
	lzwed    = lzwCodes * 8 * 8 / 12
)

var pictureFormats = []pictureFormat{
	{name: "PNG", magic: "\x89PNG\r\n\x1a\n", config: png.DecodeConfig, decode: png.Decode, look: (*source).pngMetadata, shown: (*array).notePNG},
	// A JPEG's block of 64 pixels takes at least one bit.
	{name: "JPEG", magic: "\xff\xd8", density: 64 * 8, config: jpeg.DecodeConfig, decode: jpeg.Decode, look: (*source).jpegMetadata, shown: (*array).noteJPEG},
	{name: "GIF", magic: "GIF8?a", config: gif.DecodeConfig, decode: gif.Decode, look: (*source).gifMetadata, shown: (*array).noteGIF},
	{name: "BMP", magic: "BM????\x00\x00\x00\x00", density: 8, config: decodeBMPConfig, decode: decodeBMP, look: (*source).bmpMetadata, shown: (*array).noteBMP},
	{name: "TIFF", magic: "II*\x00", density: lzwed, anywhere: true, config: decodeTIFFConfig, decode: decodeTIFF, look: (*source).tiffMetadata, shown: (*array).noteTIFF},
	{name: "TIFF", magic: "MM\x00*", density: lzwed, anywhere: true, config: decodeTIFFConfig, decode: decodeTIFF, look: (*source).tiffMetadata, shown: (*array).noteTIFF},
	{name: "PNM", magic: "P5", density: 1, config: decodePNMConfig, decode: decodePNM, look: (*source).pnmMetadata, shown: (*array).notePNM},
	{name: "PNM", magic: "P6", density: 1, config: decodePNMConfig, decode: decodePNM, look: (*source).pnmMetadata, shown: (*array).notePNM},
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

// begins reports whether start, the first bytes of a file, begins with magic, in which ? stands for
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

// bound returns an error if a header declares more pixels than a file of size bytes can hold:
// decoders allocate what the header says. Pictures of at most 16 Mi pixels pass in files of any
// size, but an extent below 1 is an error.
func (f *pictureFormat) bound(width, height int, size int64) error {
	const few, sample = 1 << 24, 8
	density := int64(deflated)
	if f.density > 0 {
		density = f.density
	}
	most := max(min(size, math.MaxInt64/density)*density, few)
	switch {
	case width < 1 || height < 1:
		return fmt.Errorf("%s of %d x %d pixels", f.name, width, height)
	case int64(height) > min(most, maxAlloc/sample)/int64(width):
		return fmt.Errorf("%d x %d pixels do not fit in %d bytes", width, height, size)
	}
	return nil
}

// picture decodes the picture in a's source, sets a.meta and adds notes to a.
func (f *pictureFormat) picture(a *array) (image.Image, error) {
	const small = 4 << 20 // bytes of a file that is read at once, since decoders read a few at a time
	if a.file != nil && a.source.size <= small {
		if err := a.source.load(); err != nil {
			return nil, err
		}
	}
	config, err := f.config(a.source.reader())
	if err != nil {
		return nil, err
	}
	if err := f.bound(config.Width, config.Height, a.source.size); err != nil {
		return nil, err
	}
	var r io.Reader = a.source.reader()
	if !f.anywhere {
		r = bufio.NewReaderSize(r, 64<<10)
	}
	m, err := f.decode(r)
	if err != nil {
		return nil, err
	}
	a.meta = f.look(a.source)
	return f.shown(a, config, m)
}
