package main

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
)

// tiffPicture is the first picture of a TIFF file.
type tiffPicture struct {
	*directory
	width, height int    // in pixels
	bits, samples int    // the bits of a sample; the samples of a pixel
	kind          uint32 // what the samples are: whiteIsZero and so on
	extra         uint32 // what the fourth sample is: premultiplied, unassociated or something else
	separate      bool   // each sample has blocks of its own
	predicted     bool   // samples are differences from the pixel before
	compression   uint32
	block         image.Point   // width and height of a block, which is a strip or a tile, in pixels
	palette       color.Palette // nil unless kind is tiffPalette
}

// Values of kind.
const (
	whiteIsZero = iota
	blackIsZero
	tiffRGB
	tiffPalette
)

// Values of extra: alpha with which the colours are multiplied, and alpha with which they are not.
const premultiplied, unassociated = 1, 2

var errTIFF = errors.New("broken TIFF directory")

// readTIFF reads all but the pixels of the first picture. r must be an io.ReaderAt. A picture of a
// kind that is not read is an error.
func readTIFF(r io.Reader) (*tiffPicture, error) {
	d, err := readDirectory(r.(io.ReaderAt))
	if err != nil {
		return nil, errTIFF
	}
	const width, height, bits, compression, kind, order, samples, planar, predictor, extra, format = 256, 257, 258, 259, 262, 266, 277, 284, 317, 338, 339
	t := &tiffPicture{
		directory: d,
		width:     int(min(d.first(width, 0), 1<<30)), height: int(min(d.first(height, 0), 1<<30)),
		samples: int(d.first(samples, 1)), compression: d.first(compression, 1), kind: d.first(kind, blackIsZero),
		separate: d.first(planar, 1) == 2, predicted: d.first(predictor, 1) == 2, extra: d.first(extra, 0),
	}
	all := d.values(bits, 8)
	if all == nil {
		all = []uint32{1}
	}
	for _, n := range all {
		if n != all[0] {
			return nil, errors.New("TIFF with samples of several sizes is not read")
		}
	}
	for _, n := range d.values(format, 8) {
		if n != 1 {
			return nil, errors.New("TIFF with samples other than unsigned integers is not read")
		}
	}
	t.bits = int(min(all[0], 64))
	switch {
	case d.first(order, 1) != 1 || d.first(predictor, 1) > 2:
		return nil, errors.New("TIFF with bits in another order, or predicted as floats, is not read")
	case !t.known():
		return nil, fmt.Errorf("TIFF of colours %d, %d samples of %d bits is not read", t.kind, t.samples, t.bits)
	case t.predicted && t.bits < 8:
		return nil, errTIFF
	}
	if t.kind == tiffPalette {
		if err := t.readPalette(); err != nil {
			return nil, err
		}
	}
	return t, t.readBlock()
}

// known reports whether pixels of this kind, with this number of samples and of bits in each, can be read.
func (t *tiffPicture) known() bool {
	small := t.bits == 1 || t.bits == 2 || t.bits == 4 || t.bits == 8
	switch t.kind {
	case whiteIsZero, blackIsZero:
		return t.samples == 1 && (small || t.bits == 16)
	case tiffPalette:
		return t.samples == 1 && small
	case tiffRGB:
		alpha := t.samples == 4 && (t.extra == premultiplied || t.extra == unassociated)
		return (t.samples == 3 || alpha) && (t.bits == 8 || t.bits == 16)
	}
	return false
}

func (t *tiffPicture) readPalette() error {
	const colours = 320
	n := 1 << t.bits
	table := t.values(colours, 3*n)
	if len(table) < 3*n {
		return errTIFF
	}
	for i := range n {
		t.palette = append(t.palette, color.RGBA{uint8(table[i] >> 8), uint8(table[n+i] >> 8), uint8(table[2*n+i] >> 8), 0xff})
	}
	return nil
}

// readBlock sets t.block to the size of the tiles or, without these, of the strips.
func (t *tiffPicture) readBlock() error {
	const rows, tileWidth, tileHeight, most = 278, 322, 323, 1 << 16
	t.block = image.Pt(t.width, int(min(t.first(rows, 1<<30), uint32(max(t.height, 0)))))
	if t.first(tileWidth, 0) > 0 {
		t.block = image.Pt(int(min(t.first(tileWidth, 0), 1<<30)), int(min(t.first(tileHeight, 0), 1<<30)))
	}
	if t.width > 0 && t.height > 0 && (t.block.X < 1 || t.block.Y < 1 || t.block.X > max(t.width, most)) {
		return errTIFF
	}
	return nil
}

func decodeTIFFConfig(r io.Reader) (image.Config, error) {
	t, err := readTIFF(r)
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{ColorModel: modelOf(t.bits == 16), Width: t.width, Height: t.height}, nil
}

func (t *tiffPicture) blank() image.Image {
	if t.kind == tiffPalette {
		return image.NewPaletted(image.Rect(0, 0, t.width, t.height), t.palette)
	}
	return newImage(t.width, t.height, t.samples, t.bits == 16)
}

func decodeTIFF(r io.Reader) (image.Image, error) {
	t, err := readTIFF(r)
	if err != nil {
		return nil, err
	}
	m := t.blank()
	to := samplesOf(m)
	across, down := (t.width-1)/t.block.X+1, (t.height-1)/t.block.Y+1
	planes, inPlane := 1, t.samples
	if t.separate {
		planes, inPlane = t.samples, 1
	}
	starts, lengths, err := t.blocks(int64(across) * int64(down) * int64(planes))
	if err != nil {
		return nil, err
	}
	row := make([]byte, (int64(t.block.X)*int64(inPlane*t.bits)+7)/8)
	for i, start := range starts {
		from, err := t.open(int64(start), int64(lengths[i]))
		if err != nil {
			return nil, err
		}
		plane, at := i/(across*down), i%(across*down)
		x, y := at%across*t.block.X, at/across*t.block.Y
		for end := min(y+t.block.Y, t.height); y < end; y++ {
			if _, err := io.ReadFull(from, row); err != nil {
				return nil, fmt.Errorf("TIFF: %w", shortened(err))
			}
			t.place(to, row, x, y, plane, inPlane)
		}
	}
	if t.extra == premultiplied && t.samples == 4 {
		divide(to.pix, to.size)
	}
	return m, nil
}

// blocks returns where the n blocks begin in the file, and their lengths, in bytes. It is an error if
// the lengths are together more than that of the file.
func (t *tiffPicture) blocks(n int64) (starts, lengths []uint32, err error) {
	starts, lengths = t.some(n, 324, 273), t.some(n, 325, 279)
	sum, size := int64(0), t.r.(interface{ Size() int64 }).Size()
	for _, length := range lengths {
		sum += int64(length)
	}
	if starts == nil || lengths == nil || sum > size {
		return nil, nil, errTIFF
	}
	return starts, lengths, nil
}

// some returns the first n values of the first of the tags that has as many, or nil if none has, or
// if n is more than the file or memory can hold.
func (t *tiffPicture) some(n int64, tags ...uint16) []uint32 {
	for _, tag := range tags {
		if e, ok := t.tags[tag]; ok && int64(e.count) >= n && n <= min(t.r.(interface{ Size() int64 }).Size()/2, maxAlloc/4) {
			return t.values(tag, int(n))
		}
	}
	return nil
}

// open returns a reader of the decompressed bytes of a block, which is length bytes of the file from
// start on.
func (t *tiffPicture) open(start, length int64) (io.Reader, error) {
	const none, lzw, deflate, oldDeflate, packBits = 1, 5, 8, 32946, 32773
	r := bufio.NewReader(io.NewSectionReader(t.r, start, length))
	switch t.compression {
	case none:
		return r, nil
	case lzw:
		return newLZW(r), nil
	case deflate, oldDeflate:
		return zlib.NewReader(r)
	case packBits:
		return &packBitsReader{r: r}, nil
	}
	return nil, fmt.Errorf("TIFF with compression %d is not read", t.compression)
}

// place converts a row of a block, whose first pixel is at x and y of the picture, and copies it into
// the samples m. The row has inPlane samples of each pixel: all of them, or only that of the given
// plane.
func (t *tiffPicture) place(m samples, row []byte, x, y, plane, inPlane int) {
	size := m.size
	if t.predicted {
		t.predict(row, inPlane*size)
	}
	n := min(t.block.X, t.width-x)
	to := m.pix[(y*m.stride+x*m.step)*size:]
	if t.bits < 8 {
		t.unpack(to[:n], row)
		return
	}
	for k := range inPlane {
		for i := range n {
			from, at := row[(i*inPlane+k)*size:], to[(i*m.step+plane+k)*size:]
			switch {
			case size == 1:
				at[0] = from[0]
			default:
				binary.BigEndian.PutUint16(at, t.order.Uint16(from))
			}
		}
	}
	if t.kind == whiteIsZero {
		for i := range n * size {
			to[i] = ^to[i]
		}
	}
}

// predict undoes horizontal prediction: it adds to each sample that of the pixel before. pixel is the
// bytes of a pixel in the row.
func (t *tiffPicture) predict(row []byte, pixel int) {
	for i := pixel; i < len(row); i += t.bits / 8 {
		if t.bits == 8 {
			row[i] += row[i-pixel]
		} else {
			t.order.PutUint16(row[i:], t.order.Uint16(row[i:])+t.order.Uint16(row[i-pixel:]))
		}
	}
}

// unpack widens samples of less than a byte to bytes. It scales grey samples to the full range, with
// black at 0, and leaves indices into a palette as they are.
func (t *tiffPicture) unpack(to, row []byte) {
	most := byte(1<<t.bits - 1)
	for i := range to {
		at := i * t.bits
		v := row[at/8] >> (8 - t.bits - at%8) & most
		switch t.kind {
		case whiteIsZero:
			v = 0xff - v*(0xff/most)
		case blackIsZero:
			v *= 0xff / most
		}
		to[i] = v
	}
}

// divide undoes the multiplication of colours with alpha in pixels of 4 samples, which have size bytes
// each. Where alpha is 0, it leaves the colours as they are.
func divide(pix []byte, size int) {
	for ; len(pix) > 0; pix = pix[4*size:] {
		if size == 1 {
			for c := range 3 {
				if a := int(pix[3]); a > 0 {
					pix[c] = byte(min((int(pix[c])*0xff+a/2)/a, 0xff))
				}
			}
			continue
		}
		a := int64(binary.BigEndian.Uint16(pix[6:]))
		for c := 0; c < 6 && a > 0; c += 2 {
			v := (int64(binary.BigEndian.Uint16(pix[c:]))*0xffff + a/2) / a
			binary.BigEndian.PutUint16(pix[c:], uint16(min(v, 0xffff)))
		}
	}
}

// noteTIFF notes how a picture was converted if it has a palette, grey of less than 8 bits, or colours
// multiplied with alpha. It returns m.
func (a *array) noteTIFF(_ image.Config, m image.Image) (image.Image, error) {
	t, err := readTIFF(a.source.reader())
	switch {
	case err != nil:
		return nil, err
	case t.palette != nil:
		a.notePalette(t.palette)
	case t.bits == 1:
		a.note("grey of 1 bit, scaled to 8")
	case t.bits < 8:
		a.note("grey of %d bits, scaled to 8", t.bits)
	case t.samples == 4 && t.extra == premultiplied:
		a.note("colours are divided by the alpha that they were multiplied with")
	}
	return m, nil
}

// tiffNames are tags of metadata that an array does not have, with their names in notes.
var tiffNames = []struct {
	tag  uint16
	name string
}{
	{270, "texts"}, {305, "texts"}, {315, "texts"}, {282, "resolution"}, {34675, "colour profile"}, {700, "XMP"}, {33723, "IPTC"},
	{34665, "EXIF"}, {tagGPS, "GPS"}, {33550, "geographic tags"}, {33922, "geographic tags"}, {34735, "geographic tags"},
}

// tiffMetadata reads the metadata in the first directory of a TIFF and counts the pages.
func (s *source) tiffMetadata() *metadata {
	m := new(metadata)
	r := s.reader()
	d, err := readDirectory(r)
	if err != nil {
		return m
	}
	m.orientation = d.orientation()
	for _, t := range tiffNames {
		if _, ok := d.tags[t.tag]; ok {
			m.add(t.name)
		}
	}
	m.frames = pagesOf(r)
	return m
}

// pagesOf counts the directories of a TIFF up to 1000. Their list may be circular; each counts once. A
// directory that is cut off does not count, and ends the list.
func pagesOf(r io.ReaderAt) int {
	const most = 1000
	seen := map[int64]bool{}
	order, at, err := tiffHeader(r)
	for err == nil && at != 0 && !seen[at] && len(seen) < most {
		seen[at] = true
		if at, err = directoryAfter(r, order, at); err != nil {
			return len(seen) - 1
		}
	}
	return len(seen)
}
