package imageslice_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// letters of the channels of each order.
var orderLetters = map[imageslice.Order]string{imageslice.RGB: "RGB", imageslice.BGR: "BGR", imageslice.BGRA: "BGRA", imageslice.ARGB: "ARGB", imageslice.ABGR: "ABGR", imageslice.BGRX: "BGRX"}

func packedPixels(rng *rand.Rand, r image.Rectangle, o imageslice.Order) *imageslice.Pixels {
	stride := r.Dx()*len(orderLetters[o]) + rng.IntN(4)
	return &imageslice.Pixels{Pix: noise(rng, (r.Dy()-1)*stride+r.Dx()*len(orderLetters[o])), Stride: stride, Rect: r, Order: o}
}

// Pixels have the channels that the names of their orders spell, and are sliced, copied, oriented
// and converted.
func TestPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 8))
	for o, letters := range orderLetters {
		m := packedPixels(rng, image.Rect(-2, 3, 7, 9), o)
		require.Equal(t, m.Rect, m.Bounds())
		for y := 3; y < 9; y++ {
			for x := -2; x < 7; x++ {
				want := color.NRGBA{A: 255}
				var none uint8
				for i, letter := range letters {
					v := m.Pix[(y-3)*m.Stride+(x+2)*len(letters)+i]
					*map[rune]*uint8{'R': &want.R, 'G': &want.G, 'B': &want.B, 'A': &want.A, 'X': &none}[letter] = v
				}
				require.Equal(t, want, m.At(x, y), letters)
			}
		}
		require.Equal(t, color.NRGBA{}, m.At(7, 3))
		require.Equal(t, color.NRGBA{}, m.At(-2, 2))
		pix, tensor, err := imageslice.View(m)
		require.NoError(t, err)
		require.Same(t, &m.Pix[0], &pix[0])
		require.Equal(t, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{6, 9, len(letters)}, Strides: []int{m.Stride, len(letters), 1}}, tensor)
		for range 60 {
			r, dx, dy := random(rng, m.Rect), step(rng), step(rng)
			name := fmt.Sprintf("%s %v, %d %d", letters, r, dx, dy)
			got, err := imageslice.Slice(m, r, dx, dy)
			require.NoError(t, err)
			require.Equal(t, o, got.Order)
			dst := packedPixels(rng, got.Rect, o)
			require.NoError(t, imageslice.Copy(dst, m, r, dx, dy))
			for y := range got.Rect.Dy() {
				for x := range got.Rect.Dx() {
					require.Equal(t, at(m, r, dx, dy, x, y), got.At(x, y), name)
					require.Equal(t, at(m, r, dx, dy, x, y), dst.At(x, y), name)
				}
			}
			for _, l := range []imageslice.Layout{imageslice.CHW, imageslice.HWC} {
				checkPixels(t, m, r, dx, dy, l)
			}
			canvas, want, place := canvasFor(rng, r)
			require.NoError(t, imageslice.ToRGBA(canvas.SubImage(place).(*image.RGBA), m, r))
			for y := range place.Dy() {
				for x := range place.Dx() {
					c := m.At(r.Min.X+x, r.Min.Y+y).(color.NRGBA)
					want.SetRGBA(1+x, y, color.RGBA{c.R, c.G, c.B, 255})
				}
			}
			require.Equal(t, want.Pix, canvas.Pix, name)
			dst.Order = (o + 1) % imageslice.Order(len(orderLetters))
			if len(orderLetters[dst.Order]) <= len(letters) {
				require.ErrorIs(t, imageslice.Copy(dst, m, r, dx, dy), slice1.ErrDataType)
			}
		}
		for orientation := 1; orientation <= 8; orientation++ {
			got, err := imageslice.Orient(m, orientation)
			require.NoError(t, err)
			requireOriented(t, m, got, orientation)
		}
		require.Equal(t, image.Rect(0, 5, 4, 7), imageslice.Center(m, 4, 2))
		short := *m
		short.Pix = m.Pix[1:]
		_, _, err = imageslice.View(&short)
		require.ErrorIs(t, err, slice1.ErrBuffer)
		require.Equal(t, color.NRGBA{}, short.At(6, 8))
		narrow := *m
		narrow.Stride = 9*len(letters) - 1
		_, _, err = imageslice.View(&narrow)
		require.ErrorIs(t, err, slice1.ErrStride)
	}
	for _, o := range []imageslice.Order{-1, 6} {
		m := &imageslice.Pixels{Pix: make([]uint8, 64), Stride: 8, Rect: image.Rect(0, 0, 2, 2), Order: o}
		require.Equal(t, color.NRGBA{}, m.At(0, 0))
		_, _, err := imageslice.View(m)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.ErrorIs(t, imageslice.Convert(make([]float32, 12), m, m.Rect, imageslice.Tensor{}), errors.ErrUnsupported)
	}
	_, _, err := imageslice.View((*imageslice.Pixels)(nil))
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
