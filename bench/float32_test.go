package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// BenchmarkFloat32 measures pictures of bytes that become the normalised float32 of a model's input, on one
// goroutine, beside the plain loop in Go and beside clearing the result:
//
//	go -C bench test -run - -bench Float32 -count 6 | tee float32.txt
//	benchstat -col /by float32.txt
func BenchmarkFloat32(b *testing.B) {
	a := imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225})
	for _, size := range []image.Point{{224, 224}, {1920, 1080}} {
		dst := make([]float32, 3*size.X*size.Y)
		run := func(name string, f func() error) {
			b.Run(fmt.Sprintf("height=%d/%s", size.Y, name), func(b *testing.B) {
				b.SetBytes(int64(4 * len(dst)))
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("by=clear", func() error { clear(dst); return nil })
		for _, channels := range []int{3, 4} {
			for _, layout := range []imageslice.Layout{imageslice.CHW, imageslice.HWC} {
				p, src := pictureOf(b, size, channels, layout, &a)
				name := fmt.Sprintf("channels=%d/layout=%s/by=", channels, [...]string{"chw", "hwc"}[layout])
				run(name+"dml", func() error { return slice1.RunFloat32(p, dst, src, a) })
				run(name+"loop", func() error { convertLoop(dst, src, channels, layout, a); return nil })
			}
		}
		jpeg := image.NewYCbCr(image.Rectangle{Max: size}, image.YCbCrSubsampleRatio420)
		fill(jpeg.Y)
		fill(jpeg.Cb)
		fill(jpeg.Cr)
		rgba := image.NewRGBA(jpeg.Rect)
		run("ycbcr/by=dml", func() error { return imageslice.Float32(dst, jpeg, jpeg.Rect, 1, 1, imageslice.CHW, a) })
		run("ycbcr/by=loop", func() error { convertYCbCr(dst, jpeg, a); return nil })
		run("ycbcr/by=draw", func() error {
			draw.Draw(rgba, rgba.Rect, jpeg, image.Point{}, draw.Src)
			return imageslice.Float32(dst, rgba, rgba.Rect, 1, 1, imageslice.CHW, a)
		})
	}
}

// pictureOf returns a plan for a picture of so many channels, whose first three it takes, and the picture.
func pictureOf(b *testing.B, size image.Point, channels int, l imageslice.Layout, a *slice1.Affine) (*slice1.Plan, []uint8) {
	shape := []int{size.Y, size.X, channels}
	w, err := slice1.Crop(shape, nil, []int{size.Y, size.X, 3})
	require.NoError(b, err)
	d := slice1.NewDesc(slice1.Uint8, shape, w)
	if a.Axis = 2; l == imageslice.CHW {
		a.Axis = 0
		d, err = d.Permute(2, 0, 1)
		require.NoError(b, err)
	}
	p, err := slice1.NewPlan(d, slice1.WithParallelism(1))
	require.NoError(b, err)
	src := make([]uint8, size.X*size.Y*channels)
	fill(src)
	return p, src
}

func convertLoop(dst []float32, src []uint8, channels int, l imageslice.Layout, a slice1.Affine) {
	n := len(src) / channels
	pixel, plane := 3, 1
	if l == imageslice.CHW {
		pixel, plane = 1, n
	}
	for c := range 3 {
		scale, bias := a.Scale[c], a.Bias[c]
		to, from := dst[c*plane:], src[c:]
		for i := range n {
			to[i*pixel] = float32(from[i*channels])*scale + bias
		}
	}
}

func convertYCbCr(dst []float32, m *image.YCbCr, a slice1.Affine) {
	n := m.Rect.Dx() * m.Rect.Dy()
	red, green, blue := dst[:n], dst[n:2*n], dst[2*n:3*n]
	i := 0
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			c := m.COffset(x, y)
			r, g, b := color.YCbCrToRGB(m.Y[y*m.YStride+x], m.Cb[c], m.Cr[c])
			red[i] = float32(r)*a.Scale[0] + a.Bias[0]
			green[i] = float32(g)*a.Scale[1] + a.Bias[1]
			blue[i] = float32(b)*a.Scale[2] + a.Bias[2]
			i++
		}
	}
}
