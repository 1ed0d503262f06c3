//go:build cgo && turbojpeg

// Command jpegplanes decodes JPEG files to planes by libjpeg-turbo and makes R, G and B of them by
// imageslice.LibJPEG: the bytes of Pillow, OpenCV and torchvision, where planes of package
// image/jpeg differ in 2 to 4 of 100 samples. For each file it prints the name, the size, the
// CRC-32 of the bytes R, G, B, and the milliseconds that either decoder took with the colours, on
// one goroutine, the least of eight runs. check.py compares the bytes with Pillow's.
//
// It needs libjpeg-turbo's header (Debian's libturbojpeg0-dev):
//
//	go -C bench run -tags turbojpeg ./jpegplanes FILE...
package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"log"
	"math"
	"os"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

/*
#cgo LDFLAGS: -lturbojpeg
#include <turbojpeg.h>

// Go's rules let C have pointers to Go memory as arguments, but no array of such pointers.
static int to_planes(tjhandle h, const unsigned char *file, unsigned long bytes, unsigned char *y, unsigned char *cb,
                     unsigned char *cr, int width, int stride, int chroma, int height) {
  unsigned char *planes[] = {y, cb, cr};
  int strides[] = {stride, chroma, chroma};
  return tjDecompressToYUVPlanes(h, file, bytes, planes, width, strides, height, 0);
}
*/
import "C"

// maxPixels bounds what a header may claim: 64 Mi pixels take 192 MiB as 4:4:4.
const maxPixels = 1 << 26

var ratios = map[C.int]image.YCbCrSubsampleRatio{
	C.TJSAMP_444: image.YCbCrSubsampleRatio444, C.TJSAMP_422: image.YCbCrSubsampleRatio422,
	C.TJSAMP_420: image.YCbCrSubsampleRatio420, C.TJSAMP_440: image.YCbCrSubsampleRatio440,
	C.TJSAMP_411: image.YCbCrSubsampleRatio411,
}

// planes decodes a JPEG to an *image.YCbCr, or to an *image.Gray if it has no colours. CMYK files
// have no such planes: image/jpeg decodes these. A file with as little as a warning is an error.
func planes(file []byte) (image.Image, error) {
	h := C.tjInitDecompress()
	if h == nil {
		return nil, errors.New("libjpeg-turbo has no memory")
	}
	defer C.tjDestroy(h)
	if len(file) == 0 {
		return nil, errors.New("an empty file is no JPEG")
	}
	data, size := (*C.uchar)(&file[0]), C.ulong(len(file))
	var width, height, sampling, space C.int
	if C.tjDecompressHeader3(h, data, size, &width, &height, &sampling, &space) != 0 {
		return nil, errors.New(C.GoString(C.tjGetErrorStr2(h)))
	}
	if width < 1 || height < 1 || int64(width)*int64(height) > maxPixels {
		return nil, fmt.Errorf("%d x %d pixels, must have 1 to %d", width, height, maxPixels)
	}
	box := image.Rect(0, 0, int(width), int(height))
	var m image.Image
	var y, cb, cr *C.uchar
	var stride, chroma C.int
	if ratio, ok := ratios[sampling]; ok && space == C.TJCS_YCbCr {
		// libjpeg-turbo fills whole cells: of 7 columns in 4:2:0 it writes 8 bytes of luma a row.
		cells := image.Rect(0, 0, (box.Max.X+3)&^3, (box.Max.Y+1)&^1)
		p := image.NewYCbCr(cells, ratio)
		m, y, cb, cr = p.SubImage(box), (*C.uchar)(&p.Y[0]), (*C.uchar)(&p.Cb[0]), (*C.uchar)(&p.Cr[0])
		stride, chroma = C.int(p.YStride), C.int(p.CStride)
	} else if space == C.TJCS_GRAY {
		p := image.NewGray(box)
		m, y, stride = p, (*C.uchar)(&p.Pix[0]), C.int(p.Stride)
	} else {
		return nil, errors.New("no planes of Y, Cb and Cr in this file")
	}
	if C.to_planes(h, data, size, y, cb, cr, width, stride, chroma, height) != 0 {
		return nil, errors.New(C.GoString(C.tjGetErrorStr2(h)))
	}
	return m, nil
}

// rgb returns the bytes R, G, B of a picture that was decoded from a JPEG.
func rgb(m image.Image) ([]uint8, error) {
	b := m.Bounds()
	dst := make([]uint8, 3*b.Dx()*b.Dy())
	t := imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC, Channels: 3}
	return dst, imageslice.Convert(dst, imageslice.Decoded(m, "jpeg"), b, t, slice1.WithParallelism(1))
}

// least returns what decode and the colours take, in milliseconds: the least of eight runs.
func least(decode func() (image.Image, error)) (dst []uint8, ms float64, err error) {
	ms = math.Inf(1)
	for range 8 {
		start := time.Now()
		m, err := decode()
		if err != nil {
			return nil, 0, err
		}
		if dst, err = rgb(m); err != nil {
			return nil, 0, err
		}
		ms = min(ms, time.Since(start).Seconds()*1e3)
	}
	return dst, ms, nil
}

func main() {
	log.SetFlags(0)
	for _, name := range os.Args[1:] {
		file, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		ours, turbo, err := least(func() (image.Image, error) { return planes(file) })
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		_, standard, err := least(func() (image.Image, error) { return jpeg.Decode(bytes.NewReader(file)) })
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		fmt.Printf("%s %d %08x %.2f %.2f\n", name, len(ours)/3, crc32.ChecksumIEEE(ours), turbo, standard)
	}
}
