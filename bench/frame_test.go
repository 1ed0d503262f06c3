package main

import (
	"image"
	"image/draw"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// BenchmarkFrame measures a photograph of 1920 x 1080 pixels in NV12, limited-range BT.709, on one
// goroutine. It becomes R, G, B and A, or the normalised float32 of a model's input. The benchmark
// compares with libyuv, package image/draw and a plain loop in Go. A machine that others use may be
// slow for a second; so dml and libyuv also take turns, once plans have learned, and the least time
// of each is reported:
//
//	go -C bench test -run - -bench Frame -count 6 | tee frame.txt
//	benchstat -col /by frame.txt
func BenchmarkFrame(b *testing.B) {
	const width, height = 1920, 1080
	f, pix := photoNV12(b, width, height)
	rgba, tensor := image.NewRGBA(f.Rect), make([]float32, 3*width*height)
	a := imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225})
	toTensor := func(m image.Image) error {
		return imageslice.Convert(tensor, m, f.Rect, imageslice.Tensor{Affine: a})
	}
	run := func(name string, size int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	toRGBA := func() error { return imageslice.ToRGBA(rgba, f, f.Rect) }
	run("to=rgba/by=dml", len(rgba.Pix), toRGBA)
	run("to=rgba/by=loop", len(rgba.Pix), func() error { frameLoop(rgba.Pix, pix, width, height); return nil })
	run("to=rgba/by=draw", len(rgba.Pix), func() error { draw.Draw(rgba, f.Rect, f, image.Point{}, draw.Src); return nil })
	run("to=chw/by=dml", 4*len(tensor), func() error { return toTensor(f) })
	run("to=chw/by=loop", 4*len(tensor), func() error { frameLoopToFloat32(tensor, pix, width, height, a); return nil })
	yuv, err := frameYUV()
	if err != nil {
		b.Log(err)
		return
	}
	byLibyuv := func() error { yuv(rgba.Pix, pix, width, height); return nil }
	libyuvToTensor := func() error { yuv(rgba.Pix, pix, width, height); return toTensor(rgba) }
	run("to=rgba/by=libyuv", len(rgba.Pix), byLibyuv)
	run("to=chw/by=libyuv", 4*len(tensor), libyuvToTensor)
	turns := func(name string, ours, theirs func() error) {
		b.Run(name, func(b *testing.B) {
			for range 128 { // until the plans have learned
				if err := ours(); err != nil {
					b.Fatal(err)
				}
			}
			least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				for k, f := range [2]func() error{ours, theirs} {
					start := time.Now()
					if err := f(); err != nil {
						b.Fatal(err)
					}
					least[k] = min(least[k], time.Since(start))
				}
			}
			b.ReportMetric(float64(least[0].Nanoseconds())/1e3, "us-dml")
			b.ReportMetric(float64(least[1].Nanoseconds())/1e3, "us-libyuv")
		})
	}
	turns("to=rgba/by=turns", toRGBA, byLibyuv)
	turns("to=chw/by=turns", func() error { return toTensor(f) }, libyuvToTensor)
}

// frameLoop is the code that a Go programmer writes, in 65536ths.
func frameLoop(dst, pix []uint8, width, height int) {
	limit := func(v int32) uint8 { return uint8(max(0, min(v>>16, 255))) }
	pairs := pix[width*height:]
	for y := range height {
		for x := range width {
			c := y/2*width + x&^1
			luma, u, v := int32(pix[y*width+x])*76309-1188177, int32(pairs[c])-128, int32(pairs[c+1])-128
			to := dst[4*(y*width+x):][:4]
			to[0] = limit(luma + 117489*v)
			to[1] = limit(luma - 13975*u - 34925*v)
			to[2] = limit(luma + 138438*u)
			to[3] = 255
		}
	}
}

// frameLoopToFloat32 is frameLoop for planes of float32.
func frameLoopToFloat32(dst []float32, pix []uint8, width, height int, a slice1.Affine) {
	limit := func(v int32) float32 { return float32(max(0, min(v>>16, 255))) }
	n := width * height
	pairs, red, green, blue := pix[n:], dst[:n], dst[n:2*n], dst[2*n:3*n]
	for y := range height {
		for x := range width {
			c, to := y/2*width+x&^1, y*width+x
			luma, u, v := int32(pix[to])*76309-1188177, int32(pairs[c])-128, int32(pairs[c+1])-128
			red[to] = limit(luma+117489*v)*a.Scale[0] + a.Bias[0]
			green[to] = limit(luma-13975*u-34925*v)*a.Scale[1] + a.Bias[1]
			blue[to] = limit(luma+138438*u)*a.Scale[2] + a.Bias[2]
		}
	}
}

// The contenders of BenchmarkFrame do the same. The loop gives the same bytes. libyuv differs in
// its rounding and in its blue, since its factor for blue is at most 2.
func TestFramesOfPeers(t *testing.T) {
	const width, height = 64, 32
	pix := make([]uint8, width*height*3/2)
	fill(pix)
	f, err := imageslice.NV12(pix, width, height, 0)
	require.NoError(t, err)
	f.Matrix = imageslice.BT709
	want, got := image.NewRGBA(f.Rect), image.NewRGBA(f.Rect)
	require.NoError(t, imageslice.ToRGBA(want, f, f.Rect))
	frameLoop(got.Pix, pix, width, height)
	require.Equal(t, want.Pix, got.Pix)
	a := imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225})
	tensor, planes := make([]float32, 3*width*height), make([]float32, 3*width*height)
	require.NoError(t, imageslice.Convert(planes, f, f.Rect, imageslice.Tensor{Affine: a}))
	frameLoopToFloat32(tensor, pix, width, height, a)
	require.Equal(t, planes, tensor)
	if yuv, err := frameYUV(); err == nil {
		yuv(got.Pix, pix, width, height)
		for i, v := range got.Pix {
			require.InDelta(t, want.Pix[i], v, []float64{2, 2, 16, 0}[i%4])
		}
	}
}
