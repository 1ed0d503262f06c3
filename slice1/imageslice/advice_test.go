package imageslice_test

import (
	"errors"
	"image"
	"image/draw"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// adviceOf returns the way that an error of a refused resize names, or "".
func adviceOf(err error) string {
	_, way, _ := strings.Cut(err.Error(), "; ")
	return way
}

// eightBits does what the advice says: Convert makes the Pix of a picture with one or three bytes a
// pixel.
func eightBits(t *testing.T, m image.Image, advice string) image.Image {
	r, channels := m.Bounds(), 3
	switch advice {
	case "Convert to Uint8 in layout HWC makes the Pix of an *image.Gray":
		channels = 1
	case "Convert to Uint8 in layout HWC makes the Pix of RGB Pixels":
	default:
		require.Fail(t, advice)
	}
	pix := make([]uint8, channels*r.Dx()*r.Dy())
	require.NoError(t, imageslice.Convert(pix, m, r, imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC}))
	if channels == 1 {
		return &image.Gray{Pix: pix, Stride: r.Dx(), Rect: r}
	}
	return &imageslice.Pixels{Pix: pix, Stride: 3 * r.Dx(), Rect: r}
}

// Every picture of every type that Resize or Tensor.Resize refuses, whatever it should become,
// becomes one that they take in the way that the error names. Its samples are the picture's: 16
// bits are rounded to 8, and alpha changes no colour.
func TestRefusalsOfResizeNameAWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 15))
	r := image.Rect(3, 2, 43, 32)
	var all, targets []image.Image
	for _, m := range pictures(r) {
		scramble(m, rng)
		all, targets = append(all, m), append(targets, m)
	}
	for o := imageslice.RGB; o <= imageslice.BGRX; o++ {
		all, targets = append(all, packedPixels(rng, r, o)), append(targets, packedPixels(rng, r, o))
	}
	all = append(all, ycbcr(rng, r, image.YCbCrSubsampleRatio420), planar(rng, r, image.YCbCrSubsampleRatio420, 0))
	ways := map[string]int{}
	for _, m := range all {
		refusals := []error{imageslice.Convert(make([]float32, 3*r.Dx()*r.Dy()), m, r, imageslice.Tensor{Channels: 3, Resize: r.Size()})}
		for _, dst := range targets {
			if dst != m {
				refusals = append(refusals, imageslice.Resize(dst, m, r, imageslice.Bilinear))
			}
		}
		for _, err := range refusals {
			if !errors.Is(err, errors.ErrUnsupported) {
				require.NoError(t, err)
				continue
			}
			advice := adviceOf(err)
			ways[advice]++
			if made, ok := strings.CutPrefix(advice, "it makes an "); ok { // as it is
				made, _, _ = strings.Cut(made, " or ")
				dst := map[string]image.Image{"*image.RGBA": image.NewRGBA(r), "*image.NRGBA": image.NewNRGBA(r), "*image.Gray": image.NewGray(r)}[made]
				if err := imageslice.Resize(dst, m, r, imageslice.Bilinear); err != nil {
					require.ErrorContains(t, err, "is not opaque") // which names its own way
				}
				continue
			}
			if strings.HasPrefix(advice, "it makes an") {
				require.Fail(t, advice)
			}
			small := eightBits(t, m, advice)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					want := samplesAt(m, x, y)
					for c, v := range samplesAt(small, x, y) {
						require.Equal(t, float32(math.RoundToEven(float64(want[c]))), v, "%T at %d, %d", m, x, y)
					}
				}
			}
			var dst image.Image = image.NewRGBA(image.Rect(0, 0, 20, 15))
			if _, grey := small.(*image.Gray); grey {
				dst = image.NewGray(dst.Bounds())
			}
			require.NoError(t, imageslice.Resize(dst, small, r, imageslice.Bilinear))
			tensor := make([]float32, 3*20*15)
			require.NoError(t, imageslice.Convert(tensor, small, r, imageslice.Tensor{Channels: 3, Resize: image.Pt(20, 15)}))
			require.Equal(t, samplesAt(dst, 7, 9)[0], tensor[9*20+7])
		}
	}
	require.Len(t, ways, 6)
	t.Log(ways)
}

// Package image/draw takes the high byte of opaque pictures of 16 bits, at most 1 from the rounded
// sample.
func TestDrawTakesHighBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 16))
	r := image.Rect(0, 0, 256, 256)
	deep := image.NewNRGBA64(r)
	scramble(deep, rng)
	for i := 0; i < len(deep.Pix); i += 8 {
		deep.Pix[i+6], deep.Pix[i+7] = 255, 255
	}
	high := image.NewRGBA(r)
	draw.Draw(high, r, deep, r.Min, draw.Src)
	rounded := eightBits(t, deep, "Convert to Uint8 in layout HWC makes the Pix of RGB Pixels").(*imageslice.Pixels)
	for i := range r.Dx() * r.Dy() {
		for c := range 3 {
			require.Equal(t, deep.Pix[8*i+2*c], high.Pix[4*i+c])
			require.InDelta(t, high.Pix[4*i+c], rounded.Pix[3*i+c], 1)
		}
	}
}

// The ways that Convert's refusals name: Resize for another size, and Tensor.Whole for all of an
// upright picture.
func TestRefusalsOfConvertNameAWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 17))
	m := image.NewRGBA(image.Rect(0, 0, 640, 480))
	scramble(m, rng)
	numbers := make([]float32, 3*640*480)
	convert := func(m image.Image, r image.Rectangle, t imageslice.Tensor) error {
		shape, err := t.Size(m, r)
		if err != nil {
			return err
		}
		return imageslice.Convert(numbers[:shape[0]*shape[1]*shape[2]], m, r, t)
	}
	require.ErrorContains(t, convert(m, m.Rect, imageslice.Tensor{Width: 224, Height: 224}), "; Resize scales the window")
	require.NoError(t, convert(m, m.Rect, imageslice.Tensor{Width: 224, Height: 224, Resize: image.Pt(224, 224)}))
	for orientation := 5; orientation <= 8; orientation++ {
		upright := imageslice.Tensor{Orientation: orientation}
		require.ErrorContains(t, convert(m, m.Rect, upright), "; Tensor.Whole(m) is all of it")
		all := upright.Whole(m)
		require.Equal(t, image.Rect(0, 0, 480, 640), all)
		require.NoError(t, convert(m, all, upright))
	}
}
