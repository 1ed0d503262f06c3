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

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// drawn are the types of pictures that Draw writes.
func drawn(r image.Rectangle) []image.Image {
	all := []image.Image{image.NewRGBA(r), image.NewNRGBA(r), image.NewGray(r), image.NewRGBA64(r), image.NewNRGBA64(r), image.NewGray16(r)}
	for _, order := range []imageslice.Order{imageslice.RGB, imageslice.BGR, imageslice.BGRA, imageslice.ARGB, imageslice.ABGR, imageslice.BGRX} {
		size := 4
		if order == imageslice.RGB || order == imageslice.BGR {
			size = 3
		}
		all = append(all, &imageslice.Pixels{Pix: make([]uint8, size*r.Dx()*r.Dy()), Stride: size * r.Dx(), Rect: r, Order: order})
	}
	return all
}

// disturb gives a picture that Draw writes any samples.
func disturb(m image.Image, rng *rand.Rand) {
	pix, _, err := imageslice.View(m)
	if err != nil {
		panic(err)
	}
	for i := range pix {
		pix[i] = uint8(rng.Uint32())
	}
}

// Draw writes the pixels that Convert reads. Package image's own methods check each pixel: alpha is
// opaque, and pixels between are unchanged.
func TestDrawIsTheWayBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 2))
	for turn := range 400 {
		bounds := image.Rect(rng.IntN(9)-4, rng.IntN(9)-4, 12+rng.IntN(20), 12+rng.IntN(20))
		if turn%100 == 0 {
			bounds = image.Rect(0, 0, 5000, 20) // of several bands
		}
		kind := rng.IntN(11)
		m, before := drawn(bounds)[kind], drawn(bounds)[kind]
		disturb(m, rng)
		require.NoError(t, imageslice.Copy(before, m, bounds, 1, 1))
		grey := len(samplesAt(m, bounds.Min.X, bounds.Min.Y)) == 1
		wide := kind >= 3 && kind <= 5
		r := random(rng, bounds)
		tensor := anyTensor(rng, r, false)
		if tensor.Orientation > 1 {
			upright := image.Rectangle{Max: bounds.Size()}
			if tensor.Orientation >= 5 {
				upright.Max.X, upright.Max.Y = upright.Max.Y, upright.Max.X
			}
			r = random(rng, upright)
			tensor.Width, tensor.Height, tensor.At = 0, 0, image.Point{}
		}
		if grey {
			tensor.Affine = slice1.Affine{Scale: []float32{20}, Bias: []float32{100}}
		} else if rng.IntN(4) == 0 {
			tensor.Channels = 1
			tensor.Affine = slice1.Affine{Scale: []float32{20}}
		}
		w, h, channels := positions(r.Dx(), abs(stepOr1(tensor.StepX))), positions(r.Dy(), abs(stepOr1(tensor.StepY))), 3
		if grey || tensor.Channels == 1 {
			channels = 1
		}
		if tensor.Width > 0 {
			require.GreaterOrEqual(t, tensor.Width, w)
		}
		tw, th := max(tensor.Width, w), max(tensor.Height, h)
		if tensor.Width == 0 {
			tw, th = w, h
		}
		shape := [3]int{channels, th, tw}
		if tensor.Layout == imageslice.HWC {
			shape = [3]int{th, tw, channels}
		}
		src := make([]float32, channels*th*tw)
		for i := range src {
			src[i] = float32(rng.NormFloat64() * 60)
		}
		require.NoError(t, imageslice.Draw(m, r, src, tensor))
		most := float32(255)
		unit := float32(1)
		if wide {
			unit = 257
		}
		taken := map[image.Point][]float32{}
		for y := range h {
			for x := range w {
				toX, toY := leftAndTop(r, stepOr1(tensor.StepX), stepOr1(tensor.StepY), x, y)
				var v []float32
				for c := range map[bool]int{true: 1, false: 3}[grey] {
					from := min(c, channels-1)
					if tensor.BGR && channels == 3 {
						from = 2 - c
					}
					a := min(from, len(tensor.Affine.Scale)-1)
					bias := float32(0)
					if len(tensor.Affine.Bias) > 0 {
						bias = tensor.Affine.Bias[min(from, len(tensor.Affine.Bias)-1)]
					}
					s := float32(src[place(tensor, shape, from, y+tensor.At.Y, x+tensor.At.X)]*tensor.Affine.Scale[a]) + bias
					s = float32(math.RoundToEven(float64(float32(min(max(float32(s*unit), 0), most*unit)))))
					v = append(v, s/unit)
				}
				taken[image.Pt(toX, toY)] = v
			}
		}
		upright := bounds
		if tensor.Orientation > 1 {
			upright = image.Rectangle{Max: bounds.Size()}
			if tensor.Orientation >= 5 {
				upright.Max.X, upright.Max.Y = upright.Max.Y, upright.Max.X
			}
		}
		about := fmt.Sprintf("%T of %v, %v, %+v", m, bounds, r, tensor)
		for y := upright.Min.Y; y < upright.Max.Y; y++ {
			for x := upright.Min.X; x < upright.Max.X; x++ {
				want, ok := taken[image.Pt(x, y)]
				if !ok {
					want = uprightAt(before, tensor.Orientation, x, y)
				}
				require.Equal(t, want, uprightAt(m, tensor.Orientation, x, y), "%s at %d, %d", about, x, y)
			}
		}
		opaque := 0
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				if m.At(x, y) != before.At(x, y) && alphaOf(m.At(x, y)) == 0xffff {
					opaque++
				}
				if alphaOf(m.At(x, y)) != alphaOf(before.At(x, y)) {
					require.Equal(t, uint32(0xffff), alphaOf(m.At(x, y)), about)
				}
			}
		}
		require.LessOrEqual(t, opaque, len(taken), about)
	}
}

func alphaOf(c color.Color) uint32 {
	_, _, _, a := c.RGBA()
	return a
}

// Each pixel that Draw writes in BGRX ends with 255, in the first band and in later ones, and other
// pixels keep their bytes.
func TestDrawSetsTheUnusedByte(t *testing.T) {
	for _, size := range []image.Point{{100, 100}, {5000, 3}} {
		r := image.Rectangle{Max: size}
		m := &imageslice.Pixels{Pix: noise(rand.New(rand.NewPCG(62, 8)), 4*size.X*size.Y), Stride: 4 * size.X, Rect: r, Order: imageslice.BGRX}
		before := slices.Clone(m.Pix)
		src := make([]float32, size.X/2*size.Y)
		for i := range src {
			src[i] = float32(i % 250)
		}
		require.NoError(t, imageslice.Draw(m, r, src, imageslice.Tensor{Channels: 1, StepX: 2}))
		for i := range size.X * size.Y {
			want := [4]uint8(before[4*i:])
			if x, y := i%size.X, i/size.X; x%2 == 0 {
				v := uint8((y*size.X/2 + x/2) % 250)
				want = [4]uint8{v, v, v, 255}
			}
			require.Equal(t, want, [4]uint8(m.Pix[4*i:]), "%v: pixel %d", size, i)
		}
	}
}

func TestDrawRefuses(t *testing.T) {
	r := image.Rect(0, 0, 4, 4)
	rgba, grey := image.NewRGBA(r), image.NewGray(r)
	src := make([]float32, 48)
	for _, c := range []struct {
		m   image.Image
		r   image.Rectangle
		src []float32
		t   imageslice.Tensor
		is  error
	}{
		{image.NewAlpha(r), r, src, imageslice.Tensor{}, errors.ErrUnsupported},
		{image.NewAlpha16(r), r, src, imageslice.Tensor{}, errors.ErrUnsupported},
		{image.NewCMYK(r), r, src, imageslice.Tensor{}, errors.ErrUnsupported},
		{image.NewPaletted(r, color.Palette{color.Black}), r, src, imageslice.Tensor{}, errors.ErrUnsupported},
		{image.NewYCbCr(r, image.YCbCrSubsampleRatio420), r, src, imageslice.Tensor{}, errors.ErrUnsupported},
		{imageslice.Limited(image.NewYCbCr(r, image.YCbCrSubsampleRatio420)), r, src, imageslice.Tensor{}, errors.ErrUnsupported},
		{nil, r, src, imageslice.Tensor{}, errors.ErrUnsupported},
		{grey, r, src, imageslice.Tensor{Channels: 3}, errors.ErrUnsupported},
		{rgba, r, src[:47], imageslice.Tensor{}, slice1.ErrBuffer},
		{rgba, image.Rect(0, 0, 5, 4), src, imageslice.Tensor{Fill: []float32{1}}, slice1.ErrWindow},
		{rgba, image.Rectangle{}, src, imageslice.Tensor{}, slice1.ErrEmpty},
		{rgba, r, src, imageslice.Tensor{Type: slice1.Float16}, slice1.ErrDataType},
		{rgba, r, src, imageslice.Tensor{Affine: slice1.Affine{Scale: []float32{1, 2}}}, slice1.ErrSize},
		{rgba, r, src[:16], imageslice.Tensor{Channels: 1, Affine: slice1.Affine{Scale: []float32{1, 2, 3}}}, slice1.ErrSize},
		{rgba, r, src[:16], imageslice.Tensor{Channels: 1, Affine: slice1.Affine{Bias: []float32{1, 2, 3}}}, slice1.ErrSize},
		{&image.RGBA{Pix: bytesOf(src)[:64], Stride: 16, Rect: r}, r, src, imageslice.Tensor{}, slice1.ErrOverlap},
	} {
		require.ErrorIs(t, imageslice.Draw(c.m, c.r, c.src, c.t), c.is, "%T %v %+v", c.m, c.r, c.t)
	}
	require.Equal(t, make([]uint8, 64), rgba.Pix)
	require.Equal(t, make([]uint8, 16), grey.Pix)
}
