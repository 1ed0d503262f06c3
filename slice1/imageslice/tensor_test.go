package imageslice_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// samplesAt returns R, G and B, or the only sample, of a pixel, from 0 to 255, by package image's
// own methods.
func samplesAt(m image.Image, x, y int) []float32 {
	wide := func(v ...uint16) (s []float32) {
		for _, v := range v {
			s = append(s, float32(v)/257)
		}
		return s
	}
	switch c := m.At(x, y).(type) {
	case color.Gray:
		return []float32{float32(c.Y)}
	case color.Alpha:
		return []float32{float32(c.A)}
	case color.Gray16:
		return wide(c.Y)
	case color.Alpha16:
		return wide(c.A)
	case color.RGBA:
		return []float32{float32(c.R), float32(c.G), float32(c.B)}
	case color.NRGBA:
		return []float32{float32(c.R), float32(c.G), float32(c.B)}
	case color.RGBA64:
		return wide(c.R, c.G, c.B)
	case color.NRGBA64:
		return wide(c.R, c.G, c.B)
	case color.YCbCr:
		r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
		return []float32{float32(r), float32(g), float32(b)}
	case color.CMYK:
		ink := func(v uint8) float32 { // Pillow's
			white := 255 - float64(c.K)
			return float32(white - math.Floor(float64(v)*white/255+.5))
		}
		return []float32{ink(c.C), ink(c.M), ink(c.Y)}
	}
	panic(fmt.Sprintf("%T", m.At(x, y)))
}

// leftAndTop returns the pixel that slicing moves to x, y.
func leftAndTop(r image.Rectangle, dx, dy, x, y int) (int, int) {
	left, top := r.Min.X, r.Min.Y
	if dx < 0 {
		left = r.Max.X - 1
	}
	if dy < 0 {
		top = r.Max.Y - 1
	}
	return left + dx*x, top + dy*y
}

// Every type of picture, whole and in windows at any pixel, in both layouts, against package image.
func TestConvertTakesThePixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 7))
	for turn := range 60 {
		bounds := image.Rect(rng.IntN(9)-4, rng.IntN(9)-4, 20+rng.IntN(60), 20+rng.IntN(50))
		if turn == 0 {
			bounds = image.Rect(2, 3, 700, 60) // of several bands
		}
		var all []image.Image
		for _, m := range pictures(bounds) {
			scramble(m, rng)
			all = append(all, m)
		}
		for _, ratio := range ratios {
			if ratio != image.YCbCrSubsampleRatio444 {
				bounds.Min = image.Pt(max(0, bounds.Min.X), max(0, bounds.Min.Y))
			}
			m := image.NewYCbCr(bounds, ratio)
			for _, p := range [][]uint8{m.Y, m.Cb, m.Cr} {
				for i := range p {
					p[i] = uint8(rng.Uint32())
				}
			}
			all = append(all, m, m.SubImage(random(rng, bounds)), planar(rng, image.Rect(2, 1, bounds.Max.X, bounds.Max.Y), ratio, rng.IntN(3)))
		}
		for _, v := range rawVideo {
			stride := v.least(bounds.Max.X)
			f, err := v.frame(noise(rng, v.bytes(bounds.Max.Y, stride)), bounds.Max.X, bounds.Max.Y, 0)
			require.NoError(t, err)
			all = append(all, f)
		}
		for _, m := range all {
			r, dx, dy := random(rng, m.Bounds()), step(rng), step(rng)
			if turn == 0 {
				r = m.Bounds()
			}
			checkPixels(t, m, r, dx, dy, imageslice.Layout(rng.IntN(2)))
		}
	}
}

func checkPixels(t *testing.T, m image.Image, r image.Rectangle, dx, dy int, l imageslice.Layout) {
	w, h := positions(r.Dx(), dx), positions(r.Dy(), dy)
	channels := len(samplesAt(m, r.Min.X, r.Min.Y))
	a := slice1.Affine{Axis: 77, Scale: []float32{1.5, -2, 0.3}[:channels], Bias: []float32{-7, 1, 2}[:channels]}
	const canary = float32(12345)
	memory := make([]float32, channels*w*h+1)
	memory[channels*w*h] = canary
	got := memory[:channels*w*h]
	require.NoError(t, imageslice.Convert(got, m, r, imageslice.Tensor{StepX: dx, StepY: dy, Layout: l, Affine: a}))
	require.Equal(t, canary, memory[channels*w*h])
	for y := range h {
		for x := range w {
			fromX, fromY := leftAndTop(r, dx, dy, x, y)
			for c, v := range samplesAt(m, fromX, fromY) {
				at := (y*w+x)*channels + c
				if l == imageslice.CHW {
					at = (c*h+y)*w + x
				}
				want := float32(v*a.Scale[c]) + a.Bias[c]
				if math.Float32bits(want) != math.Float32bits(got[at]) {
					require.Failf(t, "another value", "%T %v of %v, steps %d %d, layout %d: channel %d at %d,%d is %v, want %v", m, r, m.Bounds(), dx, dy, l, c, x, y, got[at], want)
				}
			}
		}
	}
}

func TestConvertOfPalettes(t *testing.T) {
	m := image.NewPaletted(image.Rect(0, 0, 4, 1), color.Palette{color.NRGBA{200, 100, 50, 10}, color.Gray{7}, nil})
	copy(m.Pix, []uint8{1, 0, 2, 255})
	got := make([]float32, 12)
	require.NoError(t, imageslice.Convert(got, m, m.Rect, imageslice.Tensor{Layout: imageslice.HWC}))
	require.Equal(t, []float32{7, 7, 7, 200, 100, 50, 0, 0, 0, 0, 0, 0}, got)
}

func TestConvertRefuses(t *testing.T) {
	m := image.NewYCbCr(image.Rect(0, 0, 8, 8), image.YCbCrSubsampleRatio420)
	grey, rgba := image.NewGray(m.Rect), image.NewRGBA(m.Rect)
	dst := make([]float32, 192)
	none, three := slice1.Affine{}, slice1.Affine{Scale: []float32{1, 2, 3}}
	for _, c := range []struct {
		m      image.Image
		r      image.Rectangle
		dx, dy int
		dst    []float32
		a      slice1.Affine
		is     error
	}{
		{nil, m.Rect, 1, 1, dst, none, errors.ErrUnsupported},
		{image.NewUniform(color.Black), m.Rect, 1, 1, dst, none, errors.ErrUnsupported},
		{m, image.Rect(0, 0, 9, 8), 1, 1, dst, none, slice1.ErrWindow},
		{m, image.Rectangle{}, 1, 1, dst, none, slice1.ErrEmpty},
		{m, m.Rect, 1, 1, dst[:191], none, slice1.ErrBuffer},
		{m, m.Rect, 1, 1, dst, slice1.Affine{Bias: []float32{1, 2}}, slice1.ErrSize},
		{grey, m.Rect, 1, 1, dst[:63], none, slice1.ErrBuffer},
		{grey, m.Rect, 1, 1, dst[:64], three, slice1.ErrSize},
		{grey, m.Rect, 1, 1, dst, none, slice1.ErrBuffer},
		{m, image.Rect(0, 0, 8, 6), 1, 1, dst, none, slice1.ErrBuffer},
		{rgba, m.Rect, 2, 1, dst, none, slice1.ErrBuffer},
		{&image.YCbCr{Y: bytesOf(dst)[:64], Cb: m.Cb, Cr: m.Cr, YStride: 8, CStride: 4, Rect: m.Rect, SubsampleRatio: m.SubsampleRatio}, m.Rect, 1, 1, dst, none, slice1.ErrOverlap},
		{&image.Gray{Pix: bytesOf(dst)[:64], Stride: 8, Rect: m.Rect}, m.Rect, 1, 1, dst[:64], none, slice1.ErrOverlap},
	} {
		for _, l := range []imageslice.Layout{imageslice.CHW, imageslice.HWC} {
			require.ErrorIs(t, imageslice.Convert(c.dst, c.m, c.r, imageslice.Tensor{StepX: c.dx, StepY: c.dy, Layout: l, Affine: c.a}), c.is, "%+v", c)
			require.Equal(t, make([]float32, 192), dst)
		}
	}
	require.EqualError(t, imageslice.Convert(dst, grey, m.Rect, imageslice.Tensor{Affine: none}), "imageslice: dst has 192 values, a tensor of shape [1 8 8] has 64; Channels: 3 makes it 192")
	err := imageslice.Convert(dst, m, m.Rect, imageslice.Tensor{Layout: 7, Affine: none})
	require.ErrorIs(t, err, slice1.ErrSize)
	require.EqualError(t, err, "imageslice: Layout is 7, must be 0 or 1: CHW or HWC")
}

func bytesOf(v []float32) []uint8 {
	return unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

func TestNormalize(t *testing.T) {
	a := imageslice.Normalize([]float32{0.5, 0.25}, []float32{0.5, 0.125})
	require.Equal(t, []float32{1 / 127.5, 8. / 255}, a.Scale)
	require.Equal(t, []float32{-1, -2}, a.Bias)
	a = imageslice.Normalize([]float32{0.5}, []float32{0.5, 0.125})
	require.Equal(t, []float32{-1, -4}, a.Bias)
	a = imageslice.Normalize(nil, nil)
	require.Equal(t, slice1.Affine{Axis: -1, Scale: []float32{1. / 255}}, a)
}

// Lists of values that fit neither each other nor the channels, and means that count samples, are
// no values: Convert, Draw and plans refuse what Normalize and Denormalize make of them, by name.
func TestNormalizeOfWhatIsNoMean(t *testing.T) {
	r := image.Rect(0, 0, 2, 1)
	pictures := map[int]image.Image{1: image.NewGray(r), 3: image.NewRGBA(r)}
	refusedBy := func(a slice1.Affine) (fields []string) { // of Convert, Draw and a plan, for 1 and 3 channels
		for channels, m := range pictures {
			numbers := make([]float32, channels*2)
			d := slice1.Whole(slice1.Float32, channels, 2)
			onChannels := a
			onChannels.Axis = 0
			_, planned := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, onChannels))
			for _, err := range []error{
				imageslice.Convert(numbers, m, r, imageslice.Tensor{Affine: a}), imageslice.Draw(m, r, numbers, imageslice.Tensor{Affine: a}), planned,
			} {
				field := ""
				if err != nil {
					require.ErrorIs(t, err, slice1.ErrSize)
					place, ok := errors.AsType[*slice1.DescError](err)
					require.True(t, ok)
					field = place.Field
				}
				fields = append(fields, fmt.Sprint(channels, " ", field))
			}
		}
		slices.Sort(fields)
		return fields
	}
	makers := []func(mean, std []float32) slice1.Affine{imageslice.Normalize, imageslice.Denormalize}
	field := func(channels, scale, bias int) string {
		switch {
		case scale > 1 && scale != channels:
			return fmt.Sprint(channels, " Affine.Scale")
		case bias > 1 && bias != channels:
			return fmt.Sprint(channels, " Affine.Bias")
		}
		return fmt.Sprint(channels, " ")
	}
	for means := range 6 {
		for deviations := range 6 {
			bias := means
			if means <= 1 {
				bias = max(means, deviations)
			}
			want := []string{field(1, deviations, bias), field(3, deviations, bias)}
			for _, normalize := range makers {
				a := normalize(slices.Repeat([]float32{0.5}, means), slices.Repeat([]float32{0.25}, deviations))
				require.Equal(t, want, slices.Compact(refusedBy(a)), "%d means, %d deviations", means, deviations)
			}
		}
	}
	for _, c := range []struct {
		mean    float32
		refused bool
	}{
		{123.675, true}, {-123.675, true}, {16.001, true}, {-16.001, true}, {float32(math.Inf(1)), true}, {float32(math.Inf(-1)), true},
		{16, false}, {-16, false}, {0.485, false}, {float32(math.NaN()), false},
	} {
		for _, normalize := range makers {
			for _, means := range [][]float32{{c.mean}, {c.mean, 0, 0}, {0, 0, c.mean}} {
				for _, deviations := range [][]float32{nil, {1}, {1, 1, 1}} {
					numbers := make([]float32, 6)
					a := normalize(means, deviations)
					for i, err := range []error{
						imageslice.Convert(numbers, pictures[3], r, imageslice.Tensor{Affine: a}), imageslice.Draw(pictures[3], r, numbers, imageslice.Tensor{Affine: a}),
						imageslice.Convert(numbers[:2], pictures[1], r, imageslice.Tensor{Affine: a}),
					} {
						switch {
						case c.refused:
							require.ErrorIs(t, err, slice1.ErrSize)
							require.ErrorContains(t, err, "the mean "+fmt.Sprint(c.mean)+" counts samples")
						case i < 2:
							require.NoError(t, err)
						}
					}
					if c.refused {
						require.NotContains(t, refusedBy(a), "1 ")
						require.NotContains(t, refusedBy(a), "3 ")
					}
				}
			}
		}
	}
}
