package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"slices"

	"golang.org/x/image/tiff"
)

// Tags of a TIFF, and values of some.
const (
	tagPurpose, tagBits, tagCompression, tagPhotometric, tagFillOrder, tagStrips, tagSamples = 254, 258, 259, 262, 266, 273, 277
	tagPlanar, tagPredictor, tagColours, tagTiled, tagTiles, tagOthers, tagExtra, tagFormat  = 284, 317, 320, 322, 324, 330, 338, 339

	uncompressed, ccitt3, ccitt4, lzwCompressed, deflate, oldDeflate, packBits = 1, 3, 4, 5, 8, 32946, 32773
	whiteZero, blackZero, coloured, indexed                                    = 0, 1, 2, 3
	associated                                                                 = 1 // ExtraSamples: colours are multiplied with alpha
)

// tiffTags are the tags that say how pixels are stored. For the values in right, package tiff of
// golang.org/x/image makes the same pixels as libtiff. If the tag is missing, the first value
// counts.
var tiffTags = []struct {
	tag   uint16
	name  string
	right []uint32
}{
	{tagPurpose, "NewSubfileType", []uint32{0, 2}}, {255, "SubfileType", []uint32{1, 3}},
	{tagCompression, "Compression", []uint32{uncompressed, ccitt3, ccitt4, lzwCompressed, deflate, oldDeflate, packBits}},
	{tagPhotometric, "PhotometricInterpretation", []uint32{whiteZero, blackZero, coloured, indexed}},
	{tagFormat, "SampleFormat", []uint32{1}}, {tagBits, "BitsPerSample", []uint32{1, 8, 16}}, {tagSamples, "SamplesPerPixel", []uint32{1, 3, 4}},
	{tagExtra, "ExtraSamples", []uint32{0, associated, 2}}, {tagPlanar, "PlanarConfiguration", []uint32{1, 2}},
	{tagPredictor, "Predictor", []uint32{1, 2}}, {tagFillOrder, "FillOrder", []uint32{1, 2}}, {292, "T4Options", []uint32{0}}, {293, "T6Options", []uint32{0}},
	{32995, "Matteing", []uint32{0}}, {32996, "DataType", []uint32{2}}, {32997, "ImageDepth", []uint32{1}},
}

// tiffWords says what some values mean that are not in right.
var tiffWords = map[[2]uint32]string{
	{tagPurpose, 1}: " (a smaller picture, as RAW photos have before the photo)", {tagCompression, 6}: " (old JPEG)", {tagCompression, 7}: " (JPEG)",
	{tagCompression, 34925}: " (LZMA)", {tagCompression, 50000}: " (Zstandard)", {tagPhotometric, 5}: " (CMYK)", {tagPhotometric, 6}: " (YCbCr)",
	{tagPhotometric, 8}: " (CIE L*a*b*)", {tagPhotometric, 32803}: " (samples of a camera)", {tagFormat, 2}: " (signed)", {tagFormat, 3}: " (floats)",
}

// tiffRates has the most bytes that a byte of a compression can hold. LZW and CCITT are missing.
// CCITT codes whole rows, with one bit for each pixel, in a few bits.
var tiffRates = map[uint32]int64{uncompressed: 1, packBits: 64, deflate: deflated, oldDeflate: deflated}

// tiffDirectory is the first directory of a TIFF.
type tiffDirectory struct {
	file   io.ReaderAt
	order  binary.ByteOrder
	fields map[uint16]tiffField
	values map[uint16]uint32 // of tiffTags
	more   bool              // the file has more pictures
	err    error             // of the file
}

// tiffField is integers of 2 or 4 bytes, or values of another type if size is 0.
type tiffField struct{ size, count, at int64 }

// read returns n bytes of the file, or zeros after an error.
func (d *tiffDirectory) read(at, n int64) []byte {
	b := make([]byte, n)
	if _, err := d.file.ReadAt(b, at); err == io.EOF {
		d.err = errors.New("TIFF whose directory or pixels are cut off")
	} else if err != nil {
		d.err = err
	}
	return b
}

// value returns a value of a field.
func (d *tiffDirectory) value(f tiffField, i int64) uint32 {
	if f.size == 2 {
		return uint32(d.order.Uint16(d.read(f.at+i*f.size, 2)))
	}
	return d.order.Uint32(d.read(f.at+i*f.size, 4))
}

// openTIFF reads the first directory. It returns an error unless package tiff makes the same pixels
// as libtiff.
func openTIFF(r io.ReaderAt) (*tiffDirectory, error) {
	const entry = 12
	d := &tiffDirectory{file: r, order: binary.LittleEndian, fields: map[uint16]tiffField{}, values: map[uint16]uint32{}}
	head := d.read(0, 8)
	if head[0] == 'M' {
		d.order = binary.BigEndian
	}
	at := int64(d.order.Uint32(head[4:])) + 2
	for e := d.read(at, int64(d.order.Uint16(d.read(at-2, 2)))*entry); len(e) > 0; e, at = e[entry:], at+entry {
		f := tiffField{map[uint16]int64{3: 2, 4: 4}[d.order.Uint16(e[2:])], int64(d.order.Uint32(e[4:])), at + 8}
		if f.size*f.count > 4 {
			f.at = int64(d.order.Uint32(e[8:]))
		}
		d.fields[d.order.Uint16(e)] = f
	}
	next := make([]byte, 4) // zeros if the file ends before
	_, _ = r.ReadAt(next, at)
	d.more = d.order.Uint32(next) != 0 || d.fields[tagOthers].count > 0
	for _, t := range tiffTags {
		f, there := d.fields[t.tag]
		if d.values[t.tag] = t.right[0]; !there && t.tag != tagPhotometric {
			continue
		}
		if f.size == 0 || f.count < 1 || f.count > 1 && t.tag != tagBits && t.tag != tagFormat || f.count > 4 {
			return d, cmp.Or(d.err, fmt.Errorf("TIFF with no %s, with too many, or of another type than SHORT or LONG", t.name))
		}
		for i := f.count - 1; i >= 0; i-- { // package tiff compares the values of samples
			v := d.value(f, i)
			if d.values[t.tag] = v; !slices.Contains(t.right, v) {
				return d, cmp.Or(d.err, fmt.Errorf("TIFF of %s %d%s", t.name, v, tiffWords[[2]uint32{uint32(t.tag), v}]))
			}
		}
	}
	return d, cmp.Or(d.err, d.together())
}

// together returns an error if each value is right but the combination is not.
func (d *tiffDirectory) together() error {
	bits, samples, kind, alpha := d.values[tagBits], int64(d.values[tagSamples]), d.values[tagPhotometric], d.values[tagExtra]
	compression, predictor, fill := d.values[tagCompression], d.values[tagPredictor], d.values[tagFillOrder]
	colours, depths, extra := d.fields[tagColours], max(d.fields[tagBits].count, 1), d.fields[tagExtra].count
	packed, fax := compression == lzwCompressed || compression == deflate || compression == oldDeflate, d.fax()
	_, tiled := d.fields[tagTiled]
	switch {
	case kind == coloured && samples == 4 && alpha == 0:
		return errors.New("TIFF of RGB and a fourth sample that ExtraSamples does not call alpha")
	case depths != samples, kind != coloured && samples+extra > 1, kind == coloured && (bits == 1 || samples-extra != 3), fax && bits != 1:
		return fmt.Errorf("TIFF of %d samples of %d bits for %d, %d extra, with PhotometricInterpretation %d and Compression %d", samples, bits, depths, extra, kind, compression)
	case kind == indexed && (fax || bits > 8 || colours.size != 2 || colours.count != 3<<bits):
		return fmt.Errorf("TIFF of a palette (ColorMap) of %d values for %d bits with Compression %d", colours.count, bits, compression)
	case d.values[tagPlanar] == 2 && samples > 1:
		return errors.New("TIFF of separate planes, of which `tiffcp -p contig` makes one")
	case predictor == 2 && (!packed || bits == 1), fill == 2 && !fax:
		return fmt.Errorf("TIFF of %d bits of Predictor %d and FillOrder %d with Compression %d", bits, predictor, fill, compression)
	case tiled != (d.fields[tagTiles].count > 0), tiled == (d.fields[tagStrips].count > 0):
		return errors.New("TIFF without places of strips or tiles, or with both")
	}
	return nil
}

func (d *tiffDirectory) fax() bool {
	return d.values[tagCompression] == ccitt3 || d.values[tagCompression] == ccitt4
}

func checkTIFF(r io.ReaderAt) (err error) { _, err = openTIFF(r); return err }

func refuseBigTIFF(io.ReaderAt) error { return errors.New("BigTIFF, of which `tiffcp` makes a TIFF") }

// decodeTIFF turns the picture of package tiff into libtiff's. If all colours of a palette are
// below 256, they have 8 bits. White runs of CCITT are zeros, also if zeros are black. Colours that
// are multiplied with alpha are divided by it.
func decodeTIFF(r io.Reader) (image.Image, error) {
	d, err := openTIFF(r.(io.ReaderAt))
	if err != nil {
		return nil, err
	}
	m, err := tiff.Decode(r)
	switch p := m.(type) {
	case *image.Paletted:
		if !slices.ContainsFunc(p.Palette, func(c color.Color) bool { s := c.(color.RGBA64); return max(s.R, s.G, s.B) > 0xff }) {
			for i, c := range p.Palette {
				s := c.(color.RGBA64)
				p.Palette[i] = color.RGBA{uint8(s.R), uint8(s.G), uint8(s.B), 0xff}
			}
		}
	case *image.Gray:
		for i := range p.Pix {
			if d.fax() && d.values[tagPhotometric] == blackZero {
				p.Pix[i] ^= 0xff
			}
		}
	}
	if err != nil || d.values[tagExtra] != associated {
		return m, err
	}
	size := m.Bounds().Size()
	to := newImage(size.X, size.Y, 4, d.values[tagBits] == 16)
	for i := range size.X * size.Y {
		r, g, b, alpha := m.At(i%size.X, i/size.X).RGBA()
		to.Set(i%size.X, i/size.X, color.RGBA64{uint16(min(r, alpha)), uint16(min(g, alpha)), uint16(min(b, alpha)), uint16(alpha)})
	}
	return to, nil
}

// lookTIFF refuses the LZW of libtiff before version 3, since package tiff would make wrong pixels
// of it. The LZW that package tiff reads begins with the code 256 in 9 bits.
func lookTIFF(a *array, file []byte) (bits, rate int64, err error) {
	d, err := openTIFF(bytes.NewReader(file))
	places, compression := cmp.Or(d.fields[tagTiles], d.fields[tagStrips]), d.values[tagCompression]
	for i := int64(0); compression == lzwCompressed && i < places.count && err == nil; i++ {
		if start := d.read(int64(d.value(places, i)), 2); start[0] != 0x80 || start[1] > 0x7f {
			err = cmp.Or(d.err, errors.New("TIFF of LZW as libtiff wrote it before version 3, or broken"))
		}
	}
	a.associated = d.values[tagExtra] == associated
	if d.values[tagBits] == 1 && d.values[tagPhotometric] != indexed {
		a.note("grey of 1 bit, scaled to 8")
	}
	if d.more && err == nil {
		a.note("the first of several pages")
	}
	return int64(d.values[tagBits]) * int64(d.values[tagSamples]), cmp.Or(tiffRates[compression], lzwed), err
}
