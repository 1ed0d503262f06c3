package main

import (
	"fmt"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// BenchmarkFilters measures photographs of six sizes that get another size by Pillow's filters, on
// one goroutine, by every kernel: of R, G, B and A, of packed R, G and B, and of grey. It imports
// nothing that a commit from b5f4530e on lacks, so that turns.py compares commits by it.
//
//	go -C bench test -run - -bench Filters -cpu 1
func BenchmarkFilters(b *testing.B) {
	filters := []struct {
		name   string
		filter imageslice.Filter
	}{{"box", imageslice.Box}, {"bilinear", imageslice.Bilinear}, {"hamming", imageslice.Hamming}, {"bicubic", imageslice.Bicubic}, {"lanczos", imageslice.Lanczos}}
	for _, size := range [][2]image.Point{{{160, 160}, {640, 640}}, {{512, 512}, {224, 224}}, {{640, 480}, {299, 224}}, {{1920, 1080}, {640, 360}}, {{4032, 3024}, {299, 224}}, {{4928, 3279}, {852, 567}}} {
		rgba, out := photo(b, size[0].X, size[0].Y), image.NewRGBA(image.Rectangle{Max: size[1]})
		packed := &imageslice.Pixels{Order: imageslice.RGB, Pix: make([]uint8, len(rgba.Pix)/4*3), Stride: 3 * size[0].X, Rect: rgba.Rect}
		packedOut := &imageslice.Pixels{Order: imageslice.RGB, Pix: make([]uint8, len(out.Pix)/4*3), Stride: 3 * size[1].X, Rect: out.Rect}
		grey, greyOut := image.NewGray(rgba.Rect), image.NewGray(out.Rect)
		for i := range grey.Pix {
			copy(packed.Pix[3*i:][:3], rgba.Pix[4*i:])
			grey.Pix[i] = rgba.Pix[4*i+1]
		}
		for _, f := range filters {
			for _, pixels := range []string{"RGBA", "RGB", "grey"} {
				resize := map[string]func(...slice1.Option) error{
					"RGBA": func(opts ...slice1.Option) error { return imageslice.Resize(out, rgba, rgba.Rect, f.filter, opts...) },
					"RGB": func(opts ...slice1.Option) error {
						return imageslice.Resize(packedOut, packed, rgba.Rect, f.filter, opts...)
					},
					"grey": func(opts ...slice1.Option) error {
						return imageslice.Resize(greyOut, grey, rgba.Rect, f.filter, opts...)
					},
				}[pixels]
				for _, k := range slice1.Kernels() {
					if !k.Usable {
						continue
					}
					opts := []slice1.Option{slice1.WithParallelism(1), slice1.WithKernel(k.Name)}
					b.Run(fmt.Sprintf("pixels=%s/by=%s/from=%dx%d/to=%dx%d/filter=%s", pixels, k.Name, size[0].X, size[0].Y, size[1].X, size[1].Y, f.name), func(b *testing.B) {
						for b.Loop() {
							require.NoError(b, resize(opts...))
						}
					})
				}
			}
		}
	}
}
