package imageslice_test

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// orientedAt returns the pixel of m that a viewer shows at x, y if m's EXIF data has this
// orientation.
func orientedAt(m image.Image, orientation, x, y int) color.Color {
	b := m.Bounds()
	w, h := b.Dx()-1, b.Dy()-1
	from := map[int][2]int{
		1: {x, y}, 2: {w - x, y}, 3: {w - x, h - y}, 4: {x, h - y},
		5: {y, x}, 6: {y, h - x}, 7: {w - y, h - x}, 8: {w - y, x},
	}[orientation]
	return m.At(b.Min.X+from[0], b.Min.Y+from[1])
}

// requireOriented requires that got is src as a viewer shows it.
func requireOriented(t *testing.T, src, got image.Image, orientation int) {
	t.Helper()
	size := src.Bounds().Size()
	if orientation > 4 {
		size = image.Pt(size.Y, size.X)
	}
	require.IsType(t, src, got)
	require.Equal(t, size, got.Bounds().Size())
	min := got.Bounds().Min
	for y := range size.Y {
		for x := range size.X {
			require.Equal(t, orientedAt(src, orientation, x, y), got.At(min.X+x, min.Y+y), "%T %d", src, orientation)
		}
	}
}

func TestOrientationsOfAllTypes(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	for orientation := 1; orientation <= 8; orientation++ {
		dsts := pictures(image.Rect(2, 1, 12, 8))
		if orientation > 4 {
			dsts = pictures(image.Rect(1, 2, 8, 12))
		}
		for i, m := range pictures(image.Rect(-3, 5, 14, 18)) {
			scramble(m, rng)
			src := m.(interface {
				SubImage(image.Rectangle) image.Image
			}).SubImage(image.Rect(1, 7, 11, 14)).(draw.Image)
			got, err := imageslice.Orient(src, orientation)
			require.NoError(t, err)
			requireOriented(t, src, got, orientation)
			require.NoError(t, imageslice.OrientInto(dsts[i], src, orientation))
			requireOriented(t, src, dsts[i], orientation)
		}
	}
}

func TestOrientationsOfChroma(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 2))
	turned := map[image.YCbCrSubsampleRatio]image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444: image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio420: image.YCbCrSubsampleRatio420,
		image.YCbCrSubsampleRatio422: image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio440: image.YCbCrSubsampleRatio422,
	}
	for _, ratio := range ratios {
		m := ycbcr(rng, image.Rect(0, 0, 12, 8), ratio)
		for orientation := 1; orientation <= 8; orientation++ {
			got, err := imageslice.Orient(m, orientation)
			want, there := turned[ratio]
			if orientation > 4 && !there {
				require.ErrorIs(t, err, errors.ErrUnsupported)
				continue
			}
			if orientation <= 4 {
				want = ratio
			}
			require.NoError(t, err)
			require.Equal(t, want, got.SubsampleRatio)
			requireOriented(t, m, got, orientation)
		}
	}
	odd := ycbcr(rng, image.Rect(0, 0, 11, 8), image.YCbCrSubsampleRatio420)
	_, err := imageslice.Orient(odd, 2)
	require.EqualError(t, err, "imageslice: (0,0)-(11,8) in steps of -1 and 1 does not begin with a cell of chroma, (0,0)-(10,8) does")
	got, err := imageslice.Orient(odd, 5)
	require.NoError(t, err)
	requireOriented(t, odd, got, 5)
}

func TestOrientationsThatAreNone(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 3, 2))
	for _, orientation := range []int{-1, 0, 9} {
		got, err := imageslice.Orient(m, orientation)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		assert.True(t, got.Rect.Empty())
		require.ErrorIs(t, imageslice.OrientInto(image.NewGray(m.Rect), m, orientation), errors.ErrUnsupported)
		none, err := imageslice.Orient[image.Image](m, orientation)
		require.Error(t, err)
		assert.Nil(t, none)
	}
	_, err := imageslice.Orient[image.Image](nil, 1)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorIs(t, imageslice.OrientInto(m, image.NewGray(m.Rect), 6), slice1.ErrOutput)
	require.ErrorIs(t, imageslice.OrientInto(m, m, 2), slice1.ErrOverlap)
}
