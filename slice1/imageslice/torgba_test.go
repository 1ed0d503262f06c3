package imageslice_test

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// canvasFor returns a picture of random pixels, a copy of it, and a place in it from (1, 0) on that
// is at most as large as r.
func canvasFor(rng *rand.Rand, r image.Rectangle) (canvas, same *image.RGBA, place image.Rectangle) {
	canvas = image.NewRGBA(image.Rect(-2, -3, r.Dx()+4, r.Dy()+2))
	scramble(canvas, rng)
	same = image.NewRGBA(canvas.Rect)
	copy(same.Pix, canvas.Pix)
	return canvas, same, image.Rect(1, 0, 1+1+rng.IntN(r.Dx()), 1+rng.IntN(r.Dy()))
}

// ToRGBA stores the same as package image/draw, and only in the pixels of dst.
func TestToRGBA(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 7))
	for range 200 {
		bounds := image.Rect(rng.IntN(5), rng.IntN(5), 6+rng.IntN(90), 6+rng.IntN(20))
		var m image.Image = planar(rng, bounds, ratios[rng.IntN(len(ratios))], rng.IntN(3))
		if rng.IntN(4) == 0 {
			m = ycbcr(rng, bounds, ratios[rng.IntN(len(ratios))])
		}
		r := random(rng, bounds)
		canvas, want, place := canvasFor(rng, r)
		require.NoError(t, imageslice.ToRGBA(canvas.SubImage(place).(*image.RGBA), m, r))
		for y := range place.Dy() {
			for x := range place.Dx() {
				s := samplesAt(m, r.Min.X+x, r.Min.Y+y)
				want.SetRGBA(1+x, y, color.RGBA{uint8(s[0]), uint8(s[1]), uint8(s[2]), 255})
			}
		}
		require.Equal(t, want.Pix, canvas.Pix)
		if f, ok := m.(*imageslice.Frame); ok {
			drawn, got := image.NewRGBA(f.Rect), image.NewRGBA(f.Rect)
			draw.Draw(drawn, f.Rect, f, f.Rect.Min, draw.Src)
			require.NoError(t, imageslice.ToRGBA(got, f, f.Rect))
			require.Equal(t, drawn.Pix, got.Pix)
		}
	}
	f := planar(rng, image.Rect(0, 0, 8, 8), image.YCbCrSubsampleRatio420, 0)
	dst := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for _, c := range []struct {
		dst  *image.RGBA
		m    image.Image
		r    image.Rectangle
		want error
	}{
		{dst, nil, f.Rect, errors.ErrUnsupported},
		{dst, dst, f.Rect, slice1.ErrOverlap},
		{nil, f, f.Rect, errors.ErrUnsupported},
		{dst, &imageslice.Pixels{Pix: make([]uint8, 255), Stride: 32, Rect: dst.Rect, Order: imageslice.BGRX}, dst.Rect, slice1.ErrBuffer},
		{dst, &imageslice.Pixels{Pix: make([]uint8, 256), Stride: 32, Rect: dst.Rect, Order: 9}, dst.Rect, errors.ErrUnsupported},
		{dst.SubImage(image.Rect(0, 0, 8, 4)).(*image.RGBA), &imageslice.Pixels{Pix: dst.Pix[127:], Stride: 32, Rect: image.Rect(0, 0, 8, 4), Order: imageslice.BGRX}, image.Rect(0, 0, 8, 4), slice1.ErrOverlap},
		{dst, f, image.Rect(0, 0, 9, 8), slice1.ErrWindow},
		{dst, f, image.Rectangle{}, slice1.ErrEmpty},
		{dst, f, image.Rect(0, 0, 8, 7), slice1.ErrOutput},
		{&image.RGBA{Pix: dst.Pix[:255], Stride: 32, Rect: dst.Rect}, f, f.Rect, slice1.ErrBuffer},
		{dst, &imageslice.Frame{Y: dst.Pix[255:], Cb: f.Cb, Cr: f.Cr, YStride: 1, CStride: 1, Rect: image.Rect(0, 0, 1, 1)}, image.Rect(0, 0, 1, 1), slice1.ErrOutput},
		{dst.SubImage(image.Rect(7, 7, 8, 8)).(*image.RGBA), &imageslice.Frame{Y: f.Y, Cb: dst.Pix[255:], Cr: f.Cr, YStride: 1, CStride: 1, Rect: image.Rect(0, 0, 1, 1)}, image.Rect(0, 0, 1, 1), slice1.ErrOverlap},
	} {
		require.ErrorIs(t, imageslice.ToRGBA(c.dst, c.m, c.r), c.want, "%+v", c)
		require.Equal(t, make([]uint8, 256), dst.Pix)
	}
}

// Whatever sizes a frame claims, it is an error, or all of its pixels can be read.
func FuzzFrames(f *testing.F) {
	f.Add(uint8(0), 96, 8, 8, 8)
	f.Add(uint8(3), 64, 3, 5, 0)
	f.Add(uint8(1), 64, math.MaxInt, math.MaxInt, math.MaxInt)
	f.Add(uint8(2), 0, math.MinInt, 1, -1)
	f.Fuzz(func(t *testing.T, format uint8, size, width, height, stride int) {
		v := rawVideo[int(format)%len(rawVideo)]
		if size < 0 || size > 1<<16 {
			size = 1 << 10
		}
		m, err := v.frame(make([]uint8, size), width, height, stride)
		if err != nil {
			assert.Nil(t, m)
			return
		}
		for _, at := range []image.Point{{}, {width - 1, 0}, {0, height - 1}, {width - 1, height - 1}} {
			require.Equal(t, uint8(255), m.At(at.X, at.Y).(color.RGBA).A)
		}
		require.NoError(t, imageslice.ToRGBA(image.NewRGBA(m.Rect), m, m.Rect))
	})
}
