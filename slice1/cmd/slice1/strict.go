package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

var bmpCompressions = map[uint32]string{0: "none", 1: "run lengths", 2: "run lengths", 3: "BITFIELDS", 4: "JPEG", 5: "PNG"}

// checkBMP says what a BMP has that package bmp of golang.org/x/image does not read.
func checkBMP(r io.ReaderAt) error {
	const infoAt = 14
	b := make([]byte, infoAt+124)
	_, _ = r.ReadAt(b, 0) // package bmp says if the file ends before
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	info, bits, packed, colours := u32(infoAt), u32(28)&0xffff, u32(30), uint32(0)
	if bits <= 8 {
		colours = cmp.Or(u32(46), 1<<bits)
	}
	masked := bits == 32 && info > 40 && u32(54) == 0xff0000 && u32(58) == 0xff00 && u32(62) == 0xff && u32(66) == 0xff000000
	switch pixels := infoAt + info + 4*colours; {
	case info != 40 && info != 108 && info != 124:
		return fmt.Errorf("BMP with a header of %d bytes, as of OS/2, and not of 40, 108 or 124", info)
	case packed != 0 && (packed != 3 || !masked), !slices.Contains([]uint32{1, 2, 4, 8, 24, 32}, bits), colours > 1<<bits:
		return fmt.Errorf("BMP of %d bits a pixel and a palette of %d colours, with compression %d (%s)", bits, colours, packed, bmpCompressions[packed])
	case u32(10) != pixels, u32(26)&0xffff != 1, int32(u32(18)) < 1, u32(22)<<1 == 0:
		return fmt.Errorf("BMP of %d x %d pixels in %d planes from byte %d on, and not %d", int32(u32(18)), int32(u32(22)), u32(26)&0xffff, u32(10), pixels)
	}
	return nil
}

// decodeBMP gives a picture alpha only if the header has a mask for it, which only BITFIELDS have.
func decodeBMP(r io.Reader) (image.Image, error) {
	var compression [4]byte
	_, _ = r.(io.ReaderAt).ReadAt(compression[:], 30)
	m, err := bmp.Decode(r)
	if p, ok := m.(*image.NRGBA); ok && compression == [4]byte{} {
		return (*image.RGBA)(p), err
	}
	return m, err
}

// checkWebP says why package webp does not read a file, where that has no words for it.
func checkWebP(r io.ReaderAt) (err error) { _, err = webpPixels(r); return err }

// webpPixels reports whether pixels are lossless and without alpha.
func webpPixels(r io.ReaderAt) (opaque bool, err error) {
	const most, animated, alpha = 100, 1 << 1, 1 << 4
	missing, b := false, make([]byte, 8+5) // name and length of a chunk, and the flags of VP8X or the header of VP8L
	for at, n := int64(12), 0; n < most && err == nil; n++ {
		_, err = r.ReadAt(b, at)
		switch name := string(b[:4]); {
		case name == "ANIM", name == "VP8X" && b[8]&animated != 0:
			return false, errors.New("animated WebP, of which `webpmux -get frame 1` takes a picture")
		case name == "VP8X", name == "ALPH":
			missing = name == "VP8X" && b[8]&alpha != 0
		case name == "VP8 " && missing:
			return false, errors.New("WebP whose header says that it has alpha, which is missing")
		case name == "VP8 ", name == "VP8L":
			return name == "VP8L" && b[12]&alpha == 0, nil
		}
		at += (8 + int64(binary.LittleEndian.Uint32(b[4:])) + 1) &^ 1
	}
	return false, nil
}

// decodeWebP makes RGB or RGBA of lossy pixels. Their luma is 16 to 235 and their chroma 16 to 240, as in
// BT.601, and not 0 to 255 as in package image. Each sample is that of libwebp:
//
//	R = 1.164*(Y-16) + 1.596*(V-128)
//	G = 1.164*(Y-16) - 0.392*(U-128) - 0.813*(V-128)
//	B = 1.164*(Y-16) + 2.017*(U-128)
func decodeWebP(r io.Reader) (image.Image, error) {
	opaque, _ := webpPixels(r.(io.ReaderAt))
	m, err := webp.Decode(r)
	y, channels, alpha := (*image.YCbCr)(nil), 3, []byte(nil)
	switch m := m.(type) {
	case *image.NRGBA:
		if opaque {
			return (*image.RGBA)(m), err
		}
	case *image.YCbCr:
		y = m
	case *image.NYCbCrA:
		y, channels, alpha = &m.YCbCr, 4, m.A
	}
	if y == nil || err != nil {
		return m, err
	}
	width := y.Rect.Dx()
	out := newImage(width, y.Rect.Dy(), channels, false)
	pix, _, _ := imageslice.View(out)
	clip := func(v int) byte { return byte(max(0, min(v>>6, 255))) }
	for i := range len(pix) / 4 {
		luma, chroma := y.YOffset(i%width, i/width), y.COffset(i%width, i/width)
		l, u, v := int(y.Y[luma])*19077>>8, int(y.Cb[chroma]), int(y.Cr[chroma])
		p := pix[4*i : 4*i+4]
		p[0], p[1], p[2] = clip(l+v*26149>>8-14234), clip(l-u*6419>>8-v*13320>>8+8708), clip(l+u*33050>>8-17685)
		if alpha != nil {
			p[3] = alpha[i]
		}
	}
	return out, nil
}
