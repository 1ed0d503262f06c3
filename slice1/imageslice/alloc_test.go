//go:build !asan && !race

package imageslice_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// From the third call on Convert does not allocate.
func TestConvertDoesNotAllocate(t *testing.T) {
	bounds := image.Rect(0, 0, 201, 101) // of a layout of its own
	rng := rand.New(rand.NewPCG(50, 9))
	all := []image.Image{image.NewYCbCr(bounds, image.YCbCrSubsampleRatio420)}
	for _, v := range rawVideo {
		f, err := v.frame(noise(rng, v.bytes(101, v.least(201))), 201, 101, 0)
		require.NoError(t, err)
		all = append(all, f)
	}
	for _, m := range pictures(bounds) {
		all = append(all, m)
	}
	dst := make([]float32, 3*220*120)
	tensor := imageslice.Tensor{Width: 220, Height: 120, At: image.Pt(3, 4), Channels: 3, Fill: []float32{1}, Affine: slice1.Affine{Scale: []float32{2}}}
	grey := tensor
	grey.Channels, grey.Background = 1, []uint8{1, 2, 3}
	all = append(all, imageslice.LibJPEG(image.NewYCbCr(bounds, image.YCbCrSubsampleRatio420)), image.NewNYCbCrA(bounds, image.YCbCrSubsampleRatio420))
	patches := tensor
	patches.Patch, patches.Width, patches.Height, patches.At = 1, 201, 101, image.Point{}
	for _, m := range all {
		for _, tensor := range []imageslice.Tensor{tensor, grey, patches} {
			run := func() {
				if imageslice.Convert(dst[:tensor.Channels*tensor.Width*tensor.Height], m, bounds, tensor, slice1.WithLearning(false)) != nil {
					panic("refused")
				}
			}
			run()
			run()
			require.Zero(t, testing.AllocsPerRun(20, run), "%T, %+v", m, tensor)
		}
	}
}

// From the third call on Draw does not allocate.
func TestDrawDoesNotAllocate(t *testing.T) {
	bounds := image.Rect(0, 0, 203, 99) // of a layout of its own
	src := make([]float32, 3*203*99)
	tensor := imageslice.Tensor{BGR: true, StepX: -1, Affine: slice1.Affine{Scale: []float32{2, 3, 4}, Bias: []float32{1}}}
	for _, m := range drawn(bounds) {
		tensor, src := tensor, src
		if len(samplesAt(m, 0, 0)) == 1 {
			tensor.Affine, src = slice1.Affine{}, src[:203*99]
		}
		run := func() {
			if imageslice.Draw(m, bounds, src, tensor, slice1.WithLearning(false)) != nil {
				panic("refused")
			}
		}
		run()
		run()
		require.Zero(t, testing.AllocsPerRun(20, run), "%T", m)
	}
}

// From the third call on ToRGBA does not allocate.
func TestToRGBADoesNotAllocate(t *testing.T) {
	bounds := image.Rect(0, 0, 205, 97) // of a layout of its own
	frame, err := imageslice.NV12(noise(rand.New(rand.NewPCG(64, 3)), 206*146), 205, 97, 206)
	require.NoError(t, err)
	all := []image.Image{frame, image.NewYCbCr(bounds, image.YCbCrSubsampleRatio422)}
	for order := imageslice.RGB; order <= imageslice.BGRX; order++ {
		all = append(all, &imageslice.Pixels{Pix: make([]uint8, 4*205*97), Stride: 4 * 205, Rect: bounds, Order: order})
	}
	dst := image.NewRGBA(bounds)
	for _, m := range all {
		run := func() {
			if imageslice.ToRGBA(dst, m, bounds, slice1.WithLearning(false)) != nil {
				panic("refused")
			}
		}
		run()
		run()
		require.Zero(t, testing.AllocsPerRun(20, run), "%T", m)
	}
}

// From the third call on ToFrame does not allocate.
func TestToFrameDoesNotAllocate(t *testing.T) {
	bounds := image.Rect(0, 0, 207, 95) // of a layout of its own
	for _, v := range rawVideo {
		dst, err := v.frame(make([]uint8, v.bytes(95, v.least(207))), 207, 95, 0)
		require.NoError(t, err)
		for _, m := range []image.Image{image.NewRGBA(bounds), image.NewYCbCr(bounds, image.YCbCrSubsampleRatio422), image.NewGray16(bounds)} {
			run := func() {
				if imageslice.ToFrame(dst, m, bounds, slice1.WithLearning(false)) != nil {
					panic("refused")
				}
			}
			run()
			run()
			require.Zero(t, testing.AllocsPerRun(20, run), "%s of %T", v.name, m)
		}
	}
}
