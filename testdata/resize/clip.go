//go:build ignore

// Command clip writes of a PNG or JPEG what CLIP takes of it, 3 x 224 x 224: samples, then float32
// numbers in the host's byte order, and before them all its pixels in R, G and B.
//
//	go run testdata/resize/clip.go in.png >out
package main

import (
	"image"
	_ "image/jpeg"
	_ "image/png"
	"log"
	"os"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

func convert[D slice1.Number](m image.Image, n int, t imageslice.Tensor) {
	dst := make([]D, n)
	if err := imageslice.Convert(dst, m, m.Bounds(), t); err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(slice1.Bytes(dst)); err != nil {
		log.Fatal(err)
	}
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	m, format, err := image.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	m = imageslice.Decoded(m, format)
	r := m.Bounds()
	convert[uint8](m, 3*r.Dx()*r.Dy(), imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC})
	t := imageslice.Tensor{Type: slice1.Uint8, Filter: imageslice.Bicubic}.ResizeCrop(r, 224, 224)
	convert[uint8](m, 3*224*224, t)
	t.Type = slice1.Float32
	t.Affine = imageslice.Normalize([]float32{0.48145466, 0.4578275, 0.40821073}, []float32{0.26862954, 0.26130258, 0.27577711})
	convert[float32](m, 3*224*224, t)
}
