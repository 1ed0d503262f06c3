package imageslice_test

import (
	"bufio"
	"encoding/json"
	"hash/crc32"
	"image"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// sampleOf is the formula of testdata/frames/make.py.
func sampleOf(plane, x, y int) uint8 {
	return uint8([...]int{31*x + 57*y + 7, 13*x + 101*y + 80, 91*x + 29*y + 160}[plane])
}

// Frames of each format, of even and odd sizes, as FFmpeg's rawvideo has them: each sample is where
// FFmpeg put it, also of frames that are narrower than the rows.
func TestFramesAreFFmpegs(t *testing.T) {
	file, err := os.Open("../../testdata/frames/frames.jsonl")
	require.NoError(t, err)
	defer file.Close()
	formats, seen := map[string]imageslice.Format{}, map[string]int{}
	for _, f := range imageslice.Formats() {
		formats[f.Name] = f
	}
	for scan := bufio.NewScanner(file); scan.Scan(); {
		var c struct {
			Format        string
			Width, Height int
			Bytes         []byte
		}
		require.NoError(t, json.Unmarshal(scan.Bytes(), &c))
		format := formats[c.Format]
		seen[c.Format]++
		size, err := format.Size(c.Width, c.Height, 0)
		require.NoError(t, err)
		require.EqualValues(t, len(c.Bytes), size, scan.Text())
		whole, err := format.Frame(c.Bytes, c.Width, c.Height, 0)
		require.NoError(t, err)
		for width := 1; width <= c.Width; width++ {
			f, err := format.Frame(c.Bytes, width, c.Height, whole.YStride)
			require.NoError(t, err)
			first := image.NewYCbCr(image.Rect(0, 0, 2, 2), f.Ratio) // which knows the cells
			cell := image.Pt(2/first.CStride, 2/(len(first.Cb)/first.CStride))
			for y := range c.Height {
				for x := range width {
					i, k := y*f.YStride+x*f.YStep, y/cell.Y*f.CStride+x/cell.X*f.CStep
					require.Equal(t, [3]uint8{sampleOf(0, x, y), sampleOf(1, x/cell.X, y/cell.Y), sampleOf(2, x/cell.X, y/cell.Y)},
						[3]uint8{f.Y[i], f.Cb[k], f.Cr[k]}, "%d of %s: %d %d", width, scan.Text(), x, y)
				}
			}
		}
	}
	for name := range formats {
		require.Equal(t, 5, seen[name], name)
	}
}

// Each format has a function of its name, and each function its format.
func TestFormatsHaveFunctions(t *testing.T) {
	require.Len(t, rawVideo, len(imageslice.Formats()))
	for _, v := range rawVideo {
		name := runtime.FuncForPC(reflect.ValueOf(v.frame).Pointer()).Name()
		require.True(t, strings.HasSuffix(name, "."+v.name), name)
		found := 0
		for _, f := range imageslice.Formats() {
			if f.Name != strings.ToLower(v.name) {
				continue
			}
			found++
			pix := make([]uint8, v.bytes(5, v.least(7)))
			a, err := v.frame(pix, 7, 5, 0)
			require.NoError(t, err)
			b, err := f.Frame(pix, 7, 5, 0)
			require.NoError(t, err)
			require.Equal(t, a, b)
			_, err = f.Size(-1, 1, 0)
			require.ErrorIs(t, err, slice1.ErrSize)
		}
		require.Equal(t, 1, found, v.name)
	}
}

// P010 is NV12 of the high bytes, of any size and stride, whatever the low bytes are.
func TestP010IsNV12OfTheHighBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(78, 1))
	for range 300 {
		width, height := 1+rng.IntN(70), 1+rng.IntN(9)
		stride := (width + rng.IntN(5) + 1) / 2 * 2 // even, so that both have as many pairs in a row
		pix := noise(rng, 2*(stride*height+stride*((height+1)/2)))
		high := make([]uint8, len(pix)/2)
		for i := range high {
			high[i] = pix[2*i+1]
		}
		wide, err := imageslice.P010(pix, width, height, 2*stride)
		require.NoError(t, err)
		f, err := imageslice.NV12(high, width, height, stride)
		require.NoError(t, err)
		wide.Matrix = imageslice.Matrix(rng.IntN(3))
		f.Matrix = wide.Matrix
		r := random(rng, f.Rect)
		a := imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.Layout(rng.IntN(2))}
		if rng.IntN(2) == 0 {
			a.Resize = image.Pt(1+rng.IntN(20), 1+rng.IntN(20))
		}
		shape, err := a.Size(f, r)
		require.NoError(t, err)
		got, want := make([]uint8, shape[0]*shape[1]*shape[2]), make([]uint8, shape[0]*shape[1]*shape[2])
		require.NoError(t, imageslice.Convert(got, wide, r, a))
		require.NoError(t, imageslice.Convert(want, f, r, a))
		require.Equal(t, want, got)
		require.Equal(t, f.At(r.Min.X, r.Min.Y), wide.At(r.Min.X, r.Min.Y))
	}
}

// Every pair of an ink and black has Pillow's R, G and B, of which testdata/frames/make.py printed
// the CRC-32.
func TestInksArePillows(t *testing.T) {
	m := image.NewCMYK(image.Rect(0, 0, 256, 256))
	for i := range 1 << 16 {
		copy(m.Pix[4*i:], []uint8{uint8(i), uint8(i), 255 - uint8(i), uint8(i >> 8)})
	}
	rgb := make([]uint8, 3<<16)
	require.NoError(t, imageslice.Convert(rgb, m, m.Rect, imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC}))
	require.Equal(t, uint32(0x108a8615), crc32.ChecksumIEEE(rgb))
	rgba := image.NewRGBA(m.Rect)
	require.NoError(t, imageslice.ToRGBA(rgba, m, m.Rect))
	for i := range 1 << 16 {
		require.Equal(t, [4]uint8{rgb[3*i], rgb[3*i+1], rgb[3*i+2], 255}, [4]uint8(rgba.Pix[4*i:]))
	}
}
