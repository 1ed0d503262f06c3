package main

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// aPicture is a picture and the tensor of planes of float32 from 0 to 1 that it becomes.
type aPicture struct {
	name string
	m    image.Image
	r    image.Rectangle
	t    imageslice.Tensor
}

// thePictures returns 640 x 360 pixels in the middle of 640 x 640, with grey above and below, like
// detectors take them. It also returns the middle 224 x 224 of these pixels, like classifiers take
// them, and 1920 x 1080 pixels as they are. All are of a photograph: in random samples a loop
// mispredicts every limit of a colour.
func thePictures(t testing.TB) (list []aPicture) {
	small, large := image.Rect(0, 0, 640, 360), image.Rect(0, 0, 1920, 1080)
	to1 := imageslice.Tensor{Affine: imageslice.Normalize(nil, nil)}
	letterbox := to1
	letterbox.Width, letterbox.Height = 640, 640
	letterbox.At, letterbox.Fill = image.Pt(0, 140), []float32{114. / 255}
	for _, r := range []image.Rectangle{small, large} {
		rgba := photo(t, r.Dx(), r.Dy())
		for i, m := range []image.Image{rgba, photoJPEG(t, rgba)} {
			from := [...]string{"rgba", "ycbcr"}[i]
			if r == large {
				list = append(list, aPicture{"to=1080p/from=" + from, m, r, to1})
				continue
			}
			list = append(list, aPicture{"to=letterbox/from=" + from, m, r, letterbox},
				aPicture{"to=crop/from=" + from, m, imageslice.Center(m, 224, 224), to1})
		}
	}
	f, _ := photoNV12(t, large.Dx(), large.Dy())
	return append(list, aPicture{"to=1080p/from=nv12", f, large, to1})
}

// BenchmarkPictures measures pictures that become a model's input, on one goroutine. It compares
// them with two loops of Go programs: one calls At for each pixel, and one knows how pixels lie. It
// also compares with clearing as many bytes, and all of an image.RGBA with a loop in C of
// non-temporal stores. pictures.py runs it, does the same with OpenCV, NumPy and PyTorch, and
// prints a table of all.
func BenchmarkPictures(b *testing.B) {
	for _, p := range thePictures(b) {
		shape, err := p.t.Size(p.m, p.r)
		require.NoError(b, err)
		dst := make([]float32, shape[0]*shape[1]*shape[2])
		clear(dst) // so that its pages are there
		run := func(by string, f func() error) {
			b.Run(p.name+"/by="+by, func(b *testing.B) {
				b.SetBytes(int64(4 * len(dst)))
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("dml", func() error { return imageslice.Convert(dst, p.m, p.r, p.t) })
		run("at", func() error { p.byAt(dst, shape); return nil })
		run("pix", func() error { p.byPix(dst, shape); return nil })
		if rgba, ok := p.m.(*image.RGBA); ok && p.storesPastCaches() {
			run("stream", func() error { planesPastCaches(dst, rgba, p.t.Affine.Scale[0]); return nil })
		}
		run("clear", func() error { clear(dst); return nil })
		if p.t.Fill != nil {
			t, outside := p.t, p.r.Add(p.r.Size())
			run("fill", func() error { return imageslice.Convert(dst, p.m, outside, t) })
		}
	}
}

// planes stores the fill around the picture, and returns where its pixels go in each plane.
func (p *aPicture) planes(dst []float32, shape [3]int) (red, green, blue []float32, width int) {
	if p.t.Fill != nil {
		for i := range dst {
			dst[i] = p.t.Fill[0]
		}
	}
	width = shape[2]
	n, first := shape[1]*width, p.t.At.Y*width+p.t.At.X
	return dst[first:n], dst[n+first : 2*n], dst[2*n+first:], width
}

// byAt is the loop over any picture.
func (p *aPicture) byAt(dst []float32, shape [3]int) {
	red, green, blue, width := p.planes(dst, shape)
	scale := p.t.Affine.Scale[0]
	for y := range p.r.Dy() {
		for x := range p.r.Dx() {
			r, g, b, _ := p.m.At(p.r.Min.X+x, p.r.Min.Y+y).RGBA()
			i := y*width + x
			red[i], green[i], blue[i] = float32(r>>8)*scale, float32(g>>8)*scale, float32(b>>8)*scale
		}
	}
}

// byPix is the loop over the pixels of a known type.
func (p *aPicture) byPix(dst []float32, shape [3]int) {
	red, green, blue, width := p.planes(dst, shape)
	scale := p.t.Affine.Scale[0]
	switch m := p.m.(type) {
	case *image.RGBA:
		for y := range p.r.Dy() {
			pix := m.Pix[m.PixOffset(p.r.Min.X, p.r.Min.Y+y):][:4*p.r.Dx()]
			for x := range p.r.Dx() {
				i := y*width + x
				red[i], green[i], blue[i] = float32(pix[4*x])*scale, float32(pix[4*x+1])*scale, float32(pix[4*x+2])*scale
			}
		}
	case *image.YCbCr:
		for y := range p.r.Dy() {
			luma := m.Y[m.YOffset(p.r.Min.X, p.r.Min.Y+y):]
			for x := range p.r.Dx() {
				c := m.COffset(p.r.Min.X+x, p.r.Min.Y+y)
				r, g, b := color.YCbCrToRGB(luma[x], m.Cb[c], m.Cr[c])
				i := y*width + x
				red[i], green[i], blue[i] = float32(r)*scale, float32(g)*scale, float32(b)*scale
			}
		}
	case *imageslice.Frame: // all of it
		n := m.YStride * p.r.Dy()
		pix := m.Y[:n+n/2]
		one, none := []float32{scale, scale, scale}, make([]float32, 3)
		frameLoopToFloat32(dst, pix, p.r.Dx(), p.r.Dy(), slice1.Affine{Scale: one, Bias: none})
	}
}

// storesPastCaches reports whether planesPastCaches makes the tensor of a picture that is an
// image.RGBA.
func (p *aPicture) storesPastCaches() bool {
	return planesPastCaches != nil && cpuid.Host().AVX2 && p.r == p.m.Bounds() && p.t.Fill == nil
}

// The contenders of BenchmarkPictures do the same.
func TestPicturesByLoops(t *testing.T) {
	for _, p := range thePictures(t) {
		shape, err := p.t.Size(p.m, p.r)
		require.NoError(t, err)
		n := shape[0] * shape[1] * shape[2]
		want, at, pix := make([]float32, n), make([]float32, n), make([]float32, n)
		require.NoError(t, imageslice.Convert(want, p.m, p.r, p.t), p.name)
		p.byAt(at, shape)
		p.byPix(pix, shape)
		assert.Equal(t, want, at, p.name)
		assert.Equal(t, want, pix, p.name)
		if rgba, ok := p.m.(*image.RGBA); ok && p.storesPastCaches() {
			stream := make([]float32, n)
			planesPastCaches(stream, rgba, p.t.Affine.Scale[0])
			assert.Equal(t, want, stream, p.name)
		}
	}
}
