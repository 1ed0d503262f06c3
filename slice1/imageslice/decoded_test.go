package imageslice_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	_ "image/gif"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// sand is the background of testdata/planes/files.py.
var sand = []uint8{200, 100, 50}

// Every kind of PNG, JPEG and GIF becomes what Pillow's convert("RGB"), convert("L") and paste make
// of it, with Resize to its own size, which makes bytes of 16 bits. Of a JPEG, few samples differ
// by a little, since package image/jpeg decodes otherwise. The module bench has the WebPs.
func TestDecodedPicturesAreThoseOfPillow(t *testing.T) {
	file, err := os.Open("../../testdata/planes/files.txt")
	require.NoError(t, err)
	defer file.Close()
	counts := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var format, kind, samples, text string
		var rgb, l, over uint32
		_, err := fmt.Sscanf(lines.Text(), "%s %s %x %x %x %s %s", &format, &kind, &rgb, &l, &over, &samples, &text)
		require.NoError(t, err)
		if format == "webp" {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		m, decoded, err := image.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		require.Equal(t, format, decoded)
		counts[format]++
		m = imageslice.Decoded(m, format)
		convert := func(a imageslice.Tensor) []uint8 {
			a.Type, a.Layout, a.Resize = slice1.Uint8, imageslice.HWC, m.Bounds().Size()
			dst := make([]uint8, a.Channels*a.Resize.X*a.Resize.Y)
			require.NoError(t, imageslice.Convert(dst, m, m.Bounds(), a), kind)
			return dst
		}
		colours, grey := convert(imageslice.Tensor{Channels: 3}), convert(imageslice.Tensor{Channels: 1})
		if format == "jpeg" {
			want, err := base64.StdEncoding.DecodeString(samples)
			require.NoError(t, err)
			other := 0
			for i, v := range want {
				require.InDelta(t, v, colours[i], 3, kind)
				if v != colours[i] {
					other++
				}
			}
			require.Less(t, other, max(4, len(want)/12), kind)
			continue
		}
		if kind != "transparent-1" || format != "gif" { // package image/gif makes a clear entry black
			require.Equal(t, rgb, crc32.ChecksumIEEE(colours), kind)
			require.Equal(t, l, crc32.ChecksumIEEE(grey), kind)
		}
		if strings.HasPrefix(kind, "colour-0-") && strings.HasSuffix(kind, "-transparent-1") && !strings.Contains(kind, "-depth-8-") {
			continue // Pillow 9.4 compares the clear grey of less than 8 bits with other numbers
		}
		require.Equal(t, over, crc32.ChecksumIEEE(convert(imageslice.Tensor{Channels: 3, Background: sand})), kind)
	}
	require.Equal(t, map[string]int{"png": 48, "jpeg": 6, "gif": 2}, counts)
}

// straightAt returns R, G and B of a pixel, or its grey sample three times, and its alpha, in the
// high bytes of samples as they are stored. multiplied says whether colours are multiplied by
// alpha.
func straightAt(m image.Image, x, y int) (rgb [3]uint8, alpha uint8, multiplied bool) {
	if webp, ok := m.(*image.NYCbCrA); ok {
		c := imageslice.LibWebP(&webp.YCbCr).RGBAAt(x, y)
		return [3]uint8{c.R, c.G, c.B}, webp.A[webp.AOffset(x, y)], false
	}
	switch c := m.At(x, y).(type) {
	case color.RGBA:
		_, palette := m.(*image.Paletted)
		if n := color.NRGBAModel.Convert(c).(color.NRGBA); palette {
			return [3]uint8{n.R, n.G, n.B}, n.A, false
		}
		return [3]uint8{c.R, c.G, c.B}, c.A, true
	case color.NRGBA:
		return [3]uint8{c.R, c.G, c.B}, c.A, false
	case color.RGBA64:
		return [3]uint8{uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8)}, uint8(c.A >> 8), true
	case color.NRGBA64:
		return [3]uint8{uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8)}, uint8(c.A >> 8), false
	case color.Gray16:
		return [3]uint8{uint8(c.Y >> 8), uint8(c.Y >> 8), uint8(c.Y >> 8)}, 255, false
	case color.Alpha16:
		return [3]uint8{uint8(c.A >> 8), uint8(c.A >> 8), uint8(c.A >> 8)}, 255, false
	}
	for i, v := range samplesAt(m, x, y) {
		for k := i; k < 3; k++ {
			rgb[k] = uint8(v)
		}
	}
	return rgb, 255, false
}

// Background, one channel of colours, and Resize of every kind of picture, by every kernel. What
// Convert makes of a window is what it makes of the same colours in RGB pixels, or of their grey.
func TestGreyAndBackground(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 7))
	division := func(v int) uint8 { return uint8((v + 127) / 255) } // rounded: 255 has no halves
	for _, k := range kinds(t) {
		for range 25 {
			m := k.lay(rng, image.Rect(rng.IntN(4), rng.IntN(4), 5+rng.IntN(40), 5+rng.IntN(12)), func(n int) []uint8 { return noise(rng, n) })
			a := imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.Layout(rng.IntN(2)), BGR: rng.IntN(2) == 0, StepX: 1 - 2*rng.IntN(2), StepY: 1 - 2*rng.IntN(2),
				Orientation: 1 + rng.IntN(8), Channels: []int{1, 3}[rng.IntN(2)], Filter: imageslice.Filter(rng.IntN(7))}
			background := noise(rng, 3)
			if rng.IntN(3) > 0 {
				a.Background = background
			}
			b := m.Bounds()
			narrow := &imageslice.Pixels{Pix: make([]uint8, 3*b.Dx()*b.Dy()), Stride: 3 * b.Dx(), Rect: b}
			grey := image.NewGray(b)
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					rgb, alpha, multiplied := straightAt(m, x, y)
					pixel := narrow.Pix[(y-b.Min.Y)*narrow.Stride+3*(x-b.Min.X):][:3]
					for c, v := range rgb {
						switch rest := int(background[c]) * (255 - int(alpha)); {
						case a.Background == nil:
							pixel[c] = v
						case multiplied:
							pixel[c] = uint8(min(255, int(v)+int(division(rest))))
						default:
							pixel[c] = division(int(v)*int(alpha) + rest)
						}
					}
					grey.SetGray(x, y, color.Gray{Y: uint8((19595*int(pixel[0]) + 38470*int(pixel[1]) + 7471*int(pixel[2]) + 32768) >> 16)})
				}
			}
			_, deep := map[string]bool{"Gray16": true, "Alpha16": true, "RGBA64": true, "NRGBA64": true}[k.name]
			if rng.IntN(2) == 0 || deep { // without Resize, samples of 16 bits may stay what they are
				a.Resize = image.Pt(1+rng.IntN(30), 1+rng.IntN(20))
			}
			plain := a
			plain.Background = nil
			var same image.Image = narrow
			if a.Channels == 1 {
				same = grey
			}
			r := random(rng, a.Whole(m))
			shape, err := a.Size(m, r)
			require.NoError(t, err)
			want, got := make([]uint8, shape[0]*shape[1]*shape[2]), make([]uint8, shape[0]*shape[1]*shape[2])
			require.NoError(t, imageslice.Convert(want, same, r, plain, slice1.WithKernel("go")))
			for _, opt := range usable() {
				clear(got)
				require.NoError(t, imageslice.Convert(got, m, r, a, opt))
				require.Equal(t, want, got, "%s %v of %v, %+v", k.name, r, b, a)
			}
			if a.Background == nil {
				small := image.NewGray(image.Rect(3, 2, 3+1+rng.IntN(20), 2+1+rng.IntN(9)))
				like := image.NewGray(small.Rect)
				window := random(rng, b)
				require.NoError(t, imageslice.Resize(small, m, window, a.Filter))
				require.NoError(t, imageslice.Resize(like, grey, window, a.Filter))
				require.Equal(t, like.Pix, small.Pix, k.name)
			}
		}
	}
}

// Rows that are longer than what becomes grey at a time.
func TestGreyOfLongRows(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2500, 2))
	copy(m.Pix, noise(rand.New(rand.NewPCG(80, 9)), len(m.Pix)))
	got := make([]uint8, 2*2500)
	require.NoError(t, imageslice.Convert(got, m, m.Rect, imageslice.Tensor{Type: slice1.Uint8, Channels: 1}))
	for i := range got {
		p := m.Pix[4*i:]
		require.EqualValues(t, (19595*int(p[0])+38470*int(p[1])+7471*int(p[2])+32768)>>16, got[i])
	}
}

// Without Resize, grey and background of 16 bits are those of high bytes, too.
func TestGreyOfDeepColours(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 8))
	m := image.NewNRGBA64(image.Rect(0, 0, 9, 5))
	copy(m.Pix, noise(rng, len(m.Pix)))
	got := make([]float32, 45)
	require.NoError(t, imageslice.Convert(got, m, m.Rect, imageslice.Tensor{Channels: 1}))
	for i := range got {
		p := m.Pix[8*i:]
		require.EqualValues(t, (19595*int(p[0])+38470*int(p[2])+7471*int(p[4])+32768)>>16, got[i])
	}
	for _, n := range []int{0, 1, 4} {
		require.ErrorIs(t, imageslice.Convert(make([]float32, 135), m, m.Rect, imageslice.Tensor{Background: make([]uint8, n)}), slice1.ErrSize)
	}
}
