package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math/bits"
)

// bmp is the header of a BMP file.
type bmp struct {
	width, height       int
	topDown             bool
	bits                int           // of a pixel
	palette             color.Palette // of pixels of at most 8 bits; else nil
	at                  [4]int        // which bytes of a pixel are red, green, blue and alpha; -1: none is
	resolution, profile bool          // whether the file has these
}

var errBMP = errors.New("broken BMP header")

// readBMP reads a file up to its first row of pixels: the headers, the masks and the palette.
func readBMP(r io.Reader) (*bmp, error) {
	// The lengths in bytes of the file's header, and of the picture's: the least, that of one
	// which ends with the masks of three colours, and the most.
	const file, least, masked, most = 14, 40, 52, 124
	head := make([]byte, file+most)
	if _, err := io.ReadFull(r, head[:file+4]); err != nil {
		return nil, shortened(err)
	}
	start, size := binary.LittleEndian.Uint32(head[10:]), binary.LittleEndian.Uint32(head[file:])
	if size < least || size > most {
		return nil, fmt.Errorf("BMP with a header of %d bytes is not read", size)
	}
	if _, err := io.ReadFull(r, head[file+4:file+size]); err != nil {
		return nil, shortened(err)
	}
	info := head[file:]
	u16, u32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	b := &bmp{width: int(int32(u32(info[4:]))), height: int(int32(u32(info[8:]))), bits: int(u16(info[14:])), at: [4]int{2, 1, 0, -1}}
	b.resolution = u32(info[24:]) != 0
	const embedded = 0x4d424544
	b.profile = size == most && u32(info[56:]) == embedded
	if b.height < 0 {
		b.topDown, b.height = true, -b.height
	}
	read := file + size
	const plain, fields = 0, 3
	switch compression := u32(info[16:]); {
	case compression == fields && b.bits == 32:
		if size < masked { // the masks follow the header
			if _, err := io.ReadFull(r, info[least:masked]); err != nil {
				return nil, shortened(err)
			}
			read += masked - least
		}
		if err := b.readMasks(info[least:], size > masked); err != nil {
			return nil, err
		}
	case compression != plain:
		return nil, errors.New("compressed BMP is not read")
	}
	switch b.bits {
	case 1, 4, 8:
		colours := u32(info[32:])
		if colours == 0 {
			colours = 1 << b.bits
		}
		if err := b.readPalette(r, colours); err != nil {
			return nil, err
		}
		read += 4 * colours
	case 24, 32:
	default:
		return nil, fmt.Errorf("BMP of %d bits a pixel is not read", b.bits)
	}
	if start < read {
		return nil, errBMP
	}
	_, err := io.CopyN(io.Discard, r, int64(start-read))
	return b, shortened(err)
}

// readMasks sets b.at by the masks of red, green, blue and, if alpha is true, alpha. Each mask
// must cover exactly one byte of a pixel, or it is an error; that of alpha may also be 0, for none.
func (b *bmp) readMasks(masks []byte, alpha bool) error {
	for i := range b.at {
		b.at[i] = -1
		if mask := binary.LittleEndian.Uint32(masks[4*i:]); i < 3 || alpha && mask != 0 {
			if b.at[i] = bits.TrailingZeros32(mask) / 8; mask != 0xff<<(8*b.at[i]) || b.at[i] > 3 {
				return errors.New("BMP with samples of other than 8 bits is not read")
			}
		}
	}
	return nil
}

// readPalette reads a palette of n colours. It is an error if n is more than the values that a pixel can have.
func (b *bmp) readPalette(r io.Reader, n uint32) error {
	if n > 1<<b.bits {
		return errBMP
	}
	table := make([]byte, 4*n)
	if _, err := io.ReadFull(r, table); err != nil {
		return shortened(err)
	}
	for ; len(table) > 0; table = table[4:] {
		b.palette = append(b.palette, color.RGBA{table[2], table[1], table[0], 0xff})
	}
	return nil
}

// shortened returns err or, for io.EOF, io.ErrUnexpectedEOF.
func shortened(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func decodeBMPConfig(r io.Reader) (image.Config, error) {
	b, err := readBMP(bufio.NewReader(r))
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{ColorModel: modelOf(false), Width: b.width, Height: b.height}, nil
}

func decodeBMP(r io.Reader) (image.Image, error) {
	b, err := readBMP(r)
	if err != nil {
		return nil, err
	}
	row := make([]byte, (int64(b.width)*int64(b.bits)+31)/32*4)
	var m image.Image
	switch {
	case b.palette != nil:
		m = image.NewPaletted(image.Rect(0, 0, b.width, b.height), b.palette)
	case b.at[3] >= 0:
		m = newImage(b.width, b.height, 4, false)
	default:
		m = newImage(b.width, b.height, 3, false)
	}
	pix := samplesOf(m).pix
	pitch := len(pix) / b.height
	for y := range b.height {
		if _, err := io.ReadFull(r, row); err != nil {
			return nil, shortened(err)
		}
		if !b.topDown {
			y = b.height - 1 - y
		}
		if err := b.row(pix[y*pitch:][:pitch], row); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// row converts from, the pixels of a row of the file, to the pixels of package image: indices
// into the palette if there is one, else four samples each. An index outside the palette is an
// error.
func (b *bmp) row(to, from []byte) error {
	if b.palette == nil {
		for ; len(to) > 0; to, from = to[4:], from[b.bits/8:] {
			for i, at := range b.at {
				if at >= 0 {
					to[i] = from[at]
				}
			}
		}
		return nil
	}
	perByte := 8 / b.bits
	for x := range to {
		to[x] = from[x/perByte] >> (8 - b.bits*(x%perByte+1)) & (1<<b.bits - 1)
		if int(to[x]) >= len(b.palette) {
			return errors.New("BMP with a pixel outside its palette")
		}
	}
	return nil
}

func (s *source) bmpMetadata() *metadata {
	m := new(metadata)
	b, err := readBMP(bufio.NewReader(s.reader()))
	if err != nil {
		return m
	}
	if b.resolution {
		m.add("resolution")
	}
	if b.profile {
		m.add("colour profile")
	}
	return m
}

// noteBMP adds a note if a palette was replaced by its colours, or if the fourth byte of pixels was
// left out because no mask declares it as alpha. It returns m.
func (a *array) noteBMP(_ image.Config, m image.Image) (image.Image, error) {
	b, err := readBMP(bufio.NewReader(a.source.reader()))
	switch {
	case err != nil:
		return nil, err
	case b.palette != nil:
		a.notePalette(b.palette)
	case b.bits == 32 && b.at[3] < 0:
		a.note("32 bits a pixel without alpha, taken as RGB")
	}
	return m, nil
}
