package main

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// BenchmarkFrameOfJPEG measures the planes of a JPEG of 1920 x 1080 pixels in 4:2:0 that become
// bytes of R, G and B, on one goroutine: with chroma that are repeated, and as libjpeg-turbo,
// libwebp, FFmpeg and OpenCV make them.
//
//	go -C bench test -run - -bench FrameOfJPEG -count 6 | tee jpeg.txt
//	benchstat -col /colours jpeg.txt
//
// pictures.py runs it beside libjpeg-turbo's step from planes to colours, which repeats chroma.
func BenchmarkFrameOfJPEG(b *testing.B) {
	m := image.NewYCbCr(image.Rect(0, 0, 1920, 1080), image.YCbCrSubsampleRatio420)
	rng := rand.New(rand.NewPCG(80, 11))
	for _, plane := range [][]uint8{m.Y, m.Cb, m.Cr} {
		for i := range plane {
			plane[i] = uint8(rng.Uint32())
		}
	}
	dst, rgba := make([]uint8, 3*1920*1080), image.NewRGBA(m.Rect)
	limited := func(c imageslice.Colours) image.Image {
		f := imageslice.Limited(m)
		f.Colours = c
		return f
	}
	for _, c := range []struct {
		name string
		m    image.Image
	}{{"repeated", m}, {"libjpeg", imageslice.LibJPEG(m)}, {"libwebp", imageslice.LibWebP(m)}, {"swscale", limited(imageslice.Swscale)}, {"opencv", limited(imageslice.OpenCV)}} {
		for layout, name := range []string{"chw", "hwc"} {
			b.Run(fmt.Sprintf("to=%s/colours=%s/by=dml", name, c.name), func(b *testing.B) {
				for b.Loop() {
					if err := imageslice.Convert(dst, c.m, m.Rect, imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.Layout(layout)}, slice1.WithParallelism(1)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run("to=rgba/colours="+c.name+"/by=dml", func(b *testing.B) {
			for b.Loop() {
				if err := imageslice.ToRGBA(rgba, c.m, m.Rect, slice1.WithParallelism(1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkResizeOfJPEG measures 512 x 512 pixels that become 224 x 224, on one goroutine: of R, G,
// B and A, and of planes in 4:2:0 whose chroma are repeated or libjpeg-turbo's. To resize planes
// should take as long as to make colours of them (filter=none), and to resize these.
//
//	go -C bench test -run - -bench ResizeOfJPEG -cpu 1
func BenchmarkResizeOfJPEG(b *testing.B) {
	m := image.NewYCbCr(image.Rect(0, 0, 512, 512), image.YCbCrSubsampleRatio420)
	rng := rand.New(rand.NewPCG(83, 5))
	for _, plane := range [][]uint8{m.Y, m.Cb, m.Cr} {
		for i := range plane {
			plane[i] = uint8(rng.Uint32())
		}
	}
	rgba, small := image.NewRGBA(m.Rect), image.NewRGBA(image.Rect(0, 0, 224, 224))
	for _, from := range []struct {
		name string
		m    image.Image
	}{{"rgba", rgba}, {"repeated", m}, {"libjpeg", imageslice.LibJPEG(m)}} {
		run := func(filter string, f func() error) {
			b.Run(fmt.Sprintf("from=%s/filter=%s", from.name, filter), func(b *testing.B) {
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		if from.m != image.Image(rgba) {
			run("none", func() error { return imageslice.ToRGBA(rgba, from.m, m.Rect, slice1.WithParallelism(1)) })
		}
		for _, r := range resizers {
			run(r.name, func() error { return imageslice.Resize(small, from.m, m.Rect, r.filter, slice1.WithParallelism(1)) })
		}
	}
}
