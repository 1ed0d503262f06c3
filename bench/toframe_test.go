package main

import (
	"fmt"
	"image"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// BenchmarkFrameOfRGBA measures a photograph of 1920 x 1080 pixels of R, G, B and A that becomes
// NV12 and I420, in limited range, on one goroutine. libyuv and FFmpeg's scaler have BT.601 alone,
// by the functions that are called here.
//
//	go -C bench test -run - -bench FrameOfRGBA -count 6 | tee frame.txt
//	benchstat -col /by frame.txt
func BenchmarkFrameOfRGBA(b *testing.B) {
	const width, height = 1920, 1080
	rgba, dst := photoRGBA(b, width, height), make([]uint8, width*height*3/2)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(rgba.Pix)))
			for b.Loop() {
				f()
			}
		})
	}
	for _, k := range slice1.Kernels() {
		if !k.Usable {
			continue
		}
		for _, m := range []imageslice.Matrix{imageslice.BT601, imageslice.BT709} {
			matrix := []string{"601", "709"}[m]
			for name, frame := range map[string]func(pix []uint8, width, height, stride int) (*imageslice.Frame, error){"nv12": imageslice.NV12, "i420": imageslice.I420} {
				f, err := frame(dst, width, height, 0)
				require.NoError(b, err)
				f.Matrix = m
				run(fmt.Sprintf("to=%s/matrix=%s/by=dml/kernel=%s", name, matrix, k.Name), func() {
					if err := imageslice.ToFrame(f, rgba, rgba.Rect, slice1.WithParallelism(1), slice1.WithKernel(k.Name)); err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
	peers := map[string]func() (nv12, i420 coder, err error){"libyuv": yuvCoders, "swscale": func() (nv12, i420 coder, err error) { return scalerCoders(width, height) }}
	for name, peer := range peers {
		nv12, i420, err := peer()
		if err != nil {
			b.Log(err)
			continue
		}
		run("to=nv12/matrix=601/by="+name, func() { nv12(dst, rgba.Pix, width, height) })
		run("to=i420/matrix=601/by="+name, func() { i420(dst, rgba.Pix, width, height) })
	}
	run("to=i420/matrix=601/by=loop", func() { toFrameLoop(dst, rgba, width, height) })
	run("to=i420/matrix=601/by=at", func() { toFrameLoop(dst, rgbaByAt{rgba}, width, height) })
}

// photoRGBA returns a photograph, resized.
func photoRGBA(tb testing.TB, width, height int) *image.RGBA {
	f, _ := photoNV12(tb, width, height)
	m := image.NewRGBA(f.Rect)
	require.NoError(tb, imageslice.ToRGBA(m, f, f.Rect))
	return m
}

// rgbaByAt hides the type of a picture, as a function that takes any image.Image has it.
type rgbaByAt struct{ image.Image }

// toFrameLoop is the code that a Go programmer writes: the integers of BT.601 that many documents
// have, and the mean of R, G and B of four pixels, or, of a picture of any type, the first of these
// pixels.
func toFrameLoop(dst []uint8, m image.Image, width, height int) {
	luma, cb, cr := dst[:width*height], dst[width*height:][:width*height/4], dst[width*height*5/4:]
	rgba, ok := m.(*image.RGBA)
	for y := range height {
		for x := range width {
			if !ok {
				r, g, b, _ := m.At(x, y).RGBA()
				r8, g8, b8 := int(r>>8), int(g>>8), int(b>>8)
				luma[y*width+x] = uint8((66*r8+129*g8+25*b8+128)>>8 + 16)
				if x%2 == 0 && y%2 == 0 {
					at := y/2*(width/2) + x/2
					cb[at] = uint8((-38*r8-74*g8+112*b8+128)>>8 + 128)
					cr[at] = uint8((112*r8-94*g8-18*b8+128)>>8 + 128)
				}
				continue
			}
			i := rgba.PixOffset(x, y)
			r, g, b := int(rgba.Pix[i]), int(rgba.Pix[i+1]), int(rgba.Pix[i+2])
			luma[y*width+x] = uint8((66*r+129*g+25*b+128)>>8 + 16)
			if x%2 == 0 && y%2 == 0 {
				sum := [3]int{}
				for _, k := range [...]int{i, i + 4, i + rgba.Stride, i + rgba.Stride + 4} {
					for c := range sum {
						sum[c] += int(rgba.Pix[k+c])
					}
				}
				r, g, b := sum[0]/4, sum[1]/4, sum[2]/4
				at := y/2*(width/2) + x/2
				cb[at] = uint8((-38*r-74*g+112*b+128)>>8 + 128)
				cr[at] = uint8((112*r-94*g-18*b+128)>>8 + 128)
			}
		}
	}
}

// The contenders of BenchmarkFrameOfRGBA make the same picture: luma is at most 2 apart, and so are
// chroma.
func TestCodersOfPeers(t *testing.T) {
	const width, height = 64, 32
	rgba := photoRGBA(t, width, height)
	for name, frame := range map[string]func(pix []uint8, width, height, stride int) (*imageslice.Frame, error){"nv12": imageslice.NV12, "i420": imageslice.I420} {
		want, got := make([]uint8, width*height*3/2), make([]uint8, width*height*3/2)
		f, err := frame(want, width, height, 0)
		require.NoError(t, err)
		require.NoError(t, imageslice.ToFrame(f, rgba, rgba.Rect))
		compare := func(by string, most int) {
			for i, v := range got {
				require.LessOrEqual(t, math.Abs(float64(v)-float64(want[i])), float64(most), "%s by %s, sample %d", name, by, i)
			}
		}
		for by, peer := range map[string]func() (nv12, i420 coder, err error){"libyuv": yuvCoders, "swscale": func() (nv12, i420 coder, err error) { return scalerCoders(width, height) }} {
			nv12, i420, err := peer()
			if err != nil {
				t.Log(by, err)
				continue
			}
			map[string]coder{"nv12": nv12, "i420": i420}[name](got, rgba.Pix, width, height)
			compare(by, 2)
		}
		if name == "i420" {
			toFrameLoop(got, rgba, width, height)
			compare("loop", 2)
		}
	}
}
