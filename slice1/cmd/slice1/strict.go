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

// checkBMP returns an error if a BMP has something that package bmp of golang.org/x/image does not
// read.
func checkBMP(r io.ReaderAt) error {
	const infoAt = 14
	b := make([]byte, infoAt+124)
	_, _ = r.ReadAt(b, 0) // package bmp returns an error if the file ends before
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

// decodeBMP gives a picture alpha only if the header has a mask for it. Only headers with BITFIELDS
// have one.
func decodeBMP(r io.Reader) (image.Image, error) {
	var compression [4]byte
	_, _ = r.(io.ReaderAt).ReadAt(compression[:], 30)
	m, err := bmp.Decode(r)
	if p, ok := m.(*image.NRGBA); ok && compression == [4]byte{} {
		return (*image.RGBA)(p), err
	}
	return m, err
}

// checkWebP says why package webp does not read a file, for cases in which the package's error does
// not say it.
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

// decodeWebP makes RGB or RGBA from lossy pixels. Their samples are limited-range BT.601. The
// result is the same as libwebp's, except that a sample of half a percent of all colours is 1 off.
func decodeWebP(r io.Reader) (image.Image, error) {
	opaque, _ := webpPixels(r.(io.ReaderAt))
	m, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *image.NRGBA:
		if opaque {
			return (*image.RGBA)(m), nil
		}
	case *image.YCbCr:
		out := image.NewRGBA(m.Rect)
		return out, imageslice.ToRGBA(out, imageslice.Limited(m), m.Rect)
	case *image.NYCbCrA:
		out := image.NewNRGBA(m.Rect)
		err := imageslice.ToRGBA((*image.RGBA)(out), imageslice.Limited(&m.YCbCr), m.Rect)
		for i := range len(out.Pix) / 4 {
			out.Pix[4*i+3] = m.A[i/out.Rect.Dx()*m.AStride+i%out.Rect.Dx()]
		}
		return out, err
	}
	return m, nil
}
