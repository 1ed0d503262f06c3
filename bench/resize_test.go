package main

import (
	"fmt"
	"image"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/draw"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// resizers are the filters, with the scalers of package draw that weigh as these do.
var resizers = []struct {
	name   string
	filter imageslice.Filter
	by     draw.Scaler
}{
	{"nearest", imageslice.Nearest, draw.NearestNeighbor},
	{"linear", imageslice.Linear, draw.ApproxBiLinear},
	{"box", imageslice.Box, &draw.Kernel{Support: .501, At: func(float64) float64 { return 1 }}},
	{"bilinear", imageslice.Bilinear, draw.BiLinear},
	{"hamming", imageslice.Hamming, &draw.Kernel{Support: 1, At: func(x float64) float64 { return sinc(x) * (.54 + .46*math.Cos(math.Pi*x)) }}},
	{"bicubic", imageslice.Bicubic, draw.CatmullRom},
	{"lanczos", imageslice.Lanczos, &draw.Kernel{Support: 3, At: func(x float64) float64 { return sinc(x) * sinc(x/3) }}},
	{"area", imageslice.Area, nil}, // of which package draw has none
}

// areaOnly are sizes that 1920 x 1080 pixels get by Area alone: a half, and a model's input.
var areaOnly = map[image.Point]bool{{960, 540}: true, {224, 224}: true}

// scaler returns a scaler of package draw that has its weights.
func scaler(by draw.Scaler, to, from image.Point) draw.Scaler {
	if k, ok := by.(*draw.Kernel); ok {
		return k.NewScaler(to.X, to.Y, from.X, from.Y)
	}
	return by
}

// inRGB returns a picture in rows of R, G and B.
func inRGB(m *image.RGBA) *imageslice.Pixels {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	p := &imageslice.Pixels{Order: imageslice.RGB, Pix: make([]uint8, 3*width*height), Stride: 3 * width, Rect: m.Rect}
	for i := range width * height {
		copy(p.Pix[3*i:][:3], m.Pix[4*i:])
	}
	return p
}

// BenchmarkResize measures photographs of R, G, B and A, of packed R, G and B, and of grey that get
// another size, on one goroutine, by every filter and kernel. The last one is that of 1920 x 1080
// as a detector's letterbox: 640 x 360 pixels in the middle of 640 x 640, in planes of float32 from
// 0 to 1. It compares with golang.org/x/image/draw, whose weights are prepared, and for the
// letterbox with a loop after it. pictures.py runs it and does the same with other libraries.
//
//	go -C bench test -run - -bench Resize -cpu 1
func BenchmarkResize(b *testing.B) {
	kernels := []string{""}
	for _, k := range slice1.Kernels() {
		if k.Usable {
			kernels = append(kernels, k.Name)
		}
	}
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	byAll := func(name string, f func(...slice1.Option) error) {
		for _, kernel := range kernels {
			by, opts := kernel, []slice1.Option{slice1.WithParallelism(1), slice1.WithKernel(kernel)}
			if kernel == "" {
				by, opts = "dml", opts[:1]
			}
			run(name+"/by="+by, func() error { return f(opts...) })
		}
	}
	var large *image.RGBA
	for _, size := range [][2]image.Point{{{1920, 1080}, {960, 540}}, {{1920, 1080}, {640, 360}}, {{1920, 1080}, {224, 224}}, {{4032, 3024}, {224, 224}}, {{512, 512}, {224, 224}}, {{160, 160}, {640, 640}}} {
		m, to := photo(b, size[0].X, size[0].Y), image.NewRGBA(image.Rectangle{Max: size[1]})
		if large == nil {
			large = m
		}
		packed, packedTo := inRGB(m), inRGB(to)
		grey, greyTo := image.NewGray(m.Rect), image.NewGray(to.Rect)
		for i := range grey.Pix {
			grey.Pix[i] = m.Pix[4*i+1]
		}
		for _, r := range resizers {
			if r.filter == imageslice.Area && size[1].X > size[0].X || r.filter != imageslice.Area && areaOnly[size[1]] && size[0].X == 1920 {
				continue
			}
			sizes := fmt.Sprintf("from=%dx%d/to=%dx%d/", size[0].X, size[0].Y, size[1].X, size[1].Y)
			name := sizes + "filter=" + r.name
			byAll(name, func(opts ...slice1.Option) error { return imageslice.Resize(to, m, m.Rect, r.filter, opts...) })
			byAll(sizes+"pixels=RGB/filter="+r.name, func(opts ...slice1.Option) error {
				return imageslice.Resize(packedTo, packed, m.Rect, r.filter, opts...)
			})
			byAll(sizes+"pixels=grey/filter="+r.name, func(opts ...slice1.Option) error { return imageslice.Resize(greyTo, grey, m.Rect, r.filter, opts...) })
			if by := scaler(r.by, size[1], size[0]); by != nil {
				run(name+"/by=draw", func() error { by.Scale(to, to.Rect, m, m.Rect, draw.Src, nil); return nil })
			}
		}
	}
	const side = 640
	dst := make([]float32, 3*side*side)
	box := imageslice.Tensor{Resize: image.Pt(side, 360), Width: side, Height: side, At: image.Pt(0, 140), Fill: []float32{114. / 255}, Affine: imageslice.Normalize(nil, nil)}
	byAll("from=1920x1080/to=letterbox/filter=bilinear", func(opts ...slice1.Option) error {
		return imageslice.Convert(dst, large, large.Rect, box, opts...)
	})
	small := image.NewRGBA(image.Rect(0, 0, side, 360))
	by, place := scaler(draw.BiLinear, small.Rect.Size(), large.Rect.Size()), aPicture{m: small, r: small.Rect, t: box}
	run("from=1920x1080/to=letterbox/filter=bilinear/by=draw", func() error {
		by.Scale(small, small.Rect, large, large.Rect, draw.Src, nil)
		place.byPix(dst, [3]int{3, side, side})
		return nil
	})
}

// The scalers of package draw weigh as the filters do: on average, samples are off by less than 3.
func TestResizersWeighAlike(t *testing.T) {
	m := photo(t, 300, 200)
	for _, size := range []image.Point{{90, 70}, {450, 333}} {
		for _, r := range resizers {
			if r.by == nil {
				continue
			}
			got, want, off := image.NewRGBA(image.Rectangle{Max: size}), image.NewRGBA(image.Rectangle{Max: size}), 0
			require.NoError(t, imageslice.Resize(got, m, m.Rect, r.filter))
			scaler(r.by, size, m.Rect.Size()).Scale(want, want.Rect, m, m.Rect, draw.Src, nil)
			for i, v := range got.Pix {
				off += max(int(v), int(want.Pix[i])) - min(int(v), int(want.Pix[i]))
			}
			assert.Less(t, off, 3*len(got.Pix), "%s to %v", r.name, size)
		}
	}
}
