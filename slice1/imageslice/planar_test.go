package imageslice_test

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// Bytes of colours that are made in the tensor's planes or pixels are those of numbers, which are
// not: in windows with steps, mirrored and turned, in the middle of a tensor, on goroutines, by
// every kernel. Where there is no pixel the tensor keeps what it has.
func TestPlanesAreThoseOfPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 52))
	ratios := []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio410}
	for turn := range 400 {
		bounds := image.Rect(3, 1, 4+rng.IntN(300), 2+rng.IntN(40))
		m := image.NewYCbCr(bounds, ratios[rng.IntN(len(ratios))])
		for _, plane := range [][]uint8{m.Y, m.Cb, m.Cr} {
			for i := range plane {
				plane[i] = uint8(rng.Uint32())
			}
		}
		var picture image.Image = m
		switch turn % 4 {
		case 0:
			picture = imageslice.LibJPEG(m)
		case 1:
			inks := image.NewCMYK(bounds)
			for i := range inks.Pix {
				inks.Pix[i] = uint8(rng.Uint32())
			}
			picture = inks
		case 2:
			indices := image.NewPaletted(bounds, color.Palette{color.Black, color.RGBA{1, 2, 3, 255}, color.RGBA{9, 8, 7, 255}})
			for i := range indices.Pix {
				indices.Pix[i] = uint8(rng.IntN(3))
			}
			picture = indices
		}
		r := image.Rect(bounds.Min.X+rng.IntN(bounds.Dx()), bounds.Min.Y+rng.IntN(bounds.Dy()), bounds.Max.X, bounds.Max.Y)
		p := imageslice.Tensor{Type: slice1.Float32, Layout: imageslice.HWC, BGR: rng.IntN(4) == 0, StepX: 1, StepY: 1, Keep: true, Orientation: 1 + rng.IntN(8)}
		if rng.IntN(2) == 0 {
			p.Orientation = 0
		} else {
			r = p.Whole(picture)
		}
		if rng.IntN(3) == 0 {
			p.StepX, p.StepY = []int{1, 2, -1}[rng.IntN(3)], []int{1, 3, -1}[rng.IntN(3)]
		}
		shape, err := p.Size(picture, r)
		require.NoError(t, err)
		if rng.IntN(2) == 0 {
			p.At = image.Pt(rng.IntN(4), rng.IntN(4))
			p.Width, p.Height = shape[1]+p.At.X+rng.IntN(4), shape[0]+p.At.Y+rng.IntN(4)
			shape[0], shape[1] = p.Height, p.Width
		}
		n := shape[0] * shape[1]
		want := make([]float32, 3*n)
		for i := range want {
			want[i] = 0xa5
		}
		require.NoError(t, imageslice.Convert(want, picture, r, p, slice1.WithKernel("go")))
		p.Type = slice1.Uint8
		kernels := slice1.Kernels()
		for i := range 2 * len(kernels) {
			k := kernels[i/2]
			if !k.Usable {
				continue
			}
			p.Layout = imageslice.CHW
			pixel, plane := 1, n
			if i%2 == 0 {
				p.Layout, pixel, plane = imageslice.HWC, 3, 1
			}
			got := fenced(t, 3*n, turn%3 != 0)
			for i := range got {
				got[i] = 0xa5
			}
			require.NoError(t, imageslice.Convert(got, picture, r, p, slice1.WithKernel(k.Name), slice1.WithParallelism(1+rng.IntN(3))))
			for c := range 3 {
				for i := range n {
					if v := got[c*plane+i*pixel]; float32(v) != want[3*i+c] {
						require.FailNow(t, "other bytes", "%T %v, kernel %s, %+v: channel %d of pixel %d is %d, not %v", picture, r, k.Name, p, c, i, v, want[3*i+c])
					}
				}
			}
		}
	}
}
