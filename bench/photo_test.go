package main

import (
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// photo returns testdata/astronaut.png as width x height pixels. Where the photograph ends, its
// mirror image goes on.
func photo(t testing.TB, width, height int) *image.RGBA {
	file, err := os.Open("../testdata/astronaut.png")
	require.NoError(t, err)
	defer file.Close()
	m, err := png.Decode(file)
	require.NoError(t, err)
	r := m.Bounds()
	once, all := image.NewRGBA(r), image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(once, r, m, r.Min, draw.Src)
	mirrored := func(i, n int) int { return min(i%(2*n), 2*n-1-i%(2*n)) }
	for y := range height {
		for x := range width {
			all.SetRGBA(x, y, once.RGBAAt(mirrored(x, r.Dx()), mirrored(y, r.Dy())))
		}
	}
	return all
}

// photoJPEG returns what package jpeg reads of a picture that it wrote: 4:2:0.
func photoJPEG(t testing.TB, m image.Image) *image.YCbCr {
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, m, &jpeg.Options{Quality: 90}))
	read, err := jpeg.Decode(&file)
	require.NoError(t, err)
	require.IsType(t, &image.YCbCr{}, read)
	return read.(*image.YCbCr)
}

// photoNV12 returns photo as a frame of limited-range BT.709, and its samples.
func photoNV12(t testing.TB, width, height int) (*imageslice.Frame, []uint8) {
	m := photoJPEG(t, photo(t, width, height))
	limit := func(v uint8, from, to int) uint8 { return uint8(from + int(v)*(to-from)/255) }
	pix := make([]uint8, width*height*3/2)
	for y := range height {
		for x := range width {
			pix[y*width+x] = limit(m.Y[m.YOffset(x, y)], 16, 235)
			pair := pix[(height+y/2)*width+x&^1:]
			pair[0], pair[1] = limit(m.Cb[m.COffset(x, y)], 16, 240), limit(m.Cr[m.COffset(x, y)], 16, 240)
		}
	}
	f, err := imageslice.NV12(pix, width, height, 0)
	require.NoError(t, err)
	f.Matrix = imageslice.BT709
	return f, pix
}

// The photograph keeps its colours in each form: on average, samples are off by less than 8.
func TestPhotoKeepsItsColours(t *testing.T) {
	want := photo(t, 600, 700)
	assert.Equal(t, want.RGBAAt(511, 0), want.RGBAAt(512, 0))
	assert.Equal(t, want.RGBAAt(424, 400), want.RGBAAt(599, 623))
	f, _ := photoNV12(t, 600, 700)
	f.Matrix = imageslice.BT601 // as package jpeg's
	for _, m := range []image.Image{photoJPEG(t, want), f} {
		got, off := image.NewRGBA(want.Rect), 0
		require.NoError(t, imageslice.ToRGBA(got, m, got.Rect))
		for i, v := range got.Pix {
			off += max(int(v), int(want.Pix[i])) - min(int(v), int(want.Pix[i]))
		}
		assert.Less(t, off, 8*len(got.Pix))
	}
}
