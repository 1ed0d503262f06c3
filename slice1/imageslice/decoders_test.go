package imageslice_test

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// planeOf returns a plane of a case of testdata/planes, by the formula of cases.py.
func planeOf(plane, salt uint64, kind string, stride, rows int) []uint8 {
	s := make([]uint8, stride*rows)
	for i := range s {
		if kind == "smooth" {
			s[i] = uint8(7*(i%stride) + 13*(i/stride) + 50*int(plane) + int(salt))
			continue
		}
		h := (uint64(i) + 1 + (plane+3*salt)<<32) * 0x9E3779B97F4A7C15
		h ^= h >> 29
		s[i] = uint8(h * 0x94D049BB133111EB >> 56)
		if kind == "binary" {
			s[i] = 255 * (s[i] >> 7)
		}
	}
	return s
}

var filtersByName = map[string]imageslice.Filter{"box": imageslice.Box, "bilinear": imageslice.Bilinear, "hamming": imageslice.Hamming,
	"bicubic": imageslice.Bicubic, "lanczos": imageslice.Lanczos}

// usable returns the options of each kernel that this host can run.
func usable() (opts []slice1.Option) {
	for _, k := range slice1.Kernels() {
		if k.Usable {
			opts = append(opts, slice1.WithKernel(k.Name))
		}
	}
	return opts
}

// Planes of JPEG and WebP become the bytes that libjpeg-turbo and libwebp make of them, by every
// kernel: random pictures, windows and sizes, of all ratios, with bounds that begin anywhere.
func TestPlanesBecomeColoursOfPython(t *testing.T) {
	file, err := os.Open("../../testdata/planes/cases.txt")
	require.NoError(t, err)
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var rule, kind, filter string
		var cell, to image.Point
		var rect, window image.Rectangle
		var luma, chroma int
		var salt uint64
		var crc uint32
		_, err := fmt.Sscan(lines.Text(), &rule, &cell.X, &cell.Y, &rect.Min.X, &rect.Min.Y, &rect.Max.X, &rect.Max.Y, &luma, &chroma, &kind, &salt,
			&window.Min.X, &window.Min.Y, &window.Max.X, &window.Max.Y, &to.X, &to.Y, &filter)
		require.NoError(t, err, lines.Text())
		_, err = fmt.Sscanf(lines.Text()[len(lines.Text())-8:], "%x", &crc)
		require.NoError(t, err)
		rows := (rect.Max.Y-1)/cell.Y - rect.Min.Y/cell.Y + 1
		m := &image.YCbCr{Y: planeOf(0, salt, kind, luma, rect.Dy()), Cb: planeOf(1, salt, kind, chroma, rows), Cr: planeOf(2, salt, kind, chroma, rows),
			YStride: luma, CStride: chroma, SubsampleRatio: ratioOfCell[cell], Rect: rect}
		f := imageslice.Decoded(m, map[string]string{"libjpeg": "jpeg", "libwebp": "webp"}[rule]).(*imageslice.Frame)
		tensor := imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC, Resize: to, Filter: filtersByName[filter]}
		size := window.Size()
		if to != (image.Point{}) {
			size = to
		}
		got := make([]uint8, 3*size.X*size.Y)
		for _, opt := range usable() {
			clear(got)
			require.NoError(t, imageslice.Convert(got, f, window, tensor, opt))
			require.Equal(t, crc, crc32.ChecksumIEEE(got), "%v %s", opt, lines.Text())
		}
		if to == (image.Point{}) && size.X*size.Y < 400 {
			got = got[:0]
			for y := window.Min.Y; y < window.Max.Y; y++ {
				for x := window.Min.X; x < window.Max.X; x++ {
					c := f.RGBAAt(x, y)
					got = append(got, c.R, c.G, c.B)
				}
			}
			require.Equal(t, crc, crc32.ChecksumIEEE(got), "At: %s", lines.Text())
		}
	}
	require.Equal(t, 2000, n)
}

var ratioOfCell = map[image.Point]image.YCbCrSubsampleRatio{{X: 1, Y: 1}: image.YCbCrSubsampleRatio444, {X: 2, Y: 1}: image.YCbCrSubsampleRatio422,
	{X: 2, Y: 2}: image.YCbCrSubsampleRatio420, {X: 1, Y: 2}: image.YCbCrSubsampleRatio440, {X: 4, Y: 1}: image.YCbCrSubsampleRatio411, {X: 4, Y: 2}: image.YCbCrSubsampleRatio410}

// frameOfRule returns a random frame that a rule of colours is for.
func frameOfRule(rng *rand.Rand, c imageslice.Colours) *imageslice.Frame {
	r := image.Rect(rng.IntN(4), rng.IntN(4), 5+rng.IntN(90), 5+rng.IntN(20))
	ratio, form := ratios[rng.IntN(len(ratios))], rng.IntN(3)
	switch c {
	case imageslice.Libwebp, imageslice.OpenCV:
		ratio = image.YCbCrSubsampleRatio420
	case imageslice.Swscale:
		ratio, form = [...]image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio422}[rng.IntN(2)], 0
	}
	r.Max.X, r.Max.Y = r.Max.X+r.Dx()%2, r.Max.Y+r.Dy()%2
	f := planar(rng, r, ratio, form)
	f.Matrix, f.Colours = imageslice.Matrix(rng.IntN(2)), c
	return f
}

// Frames of every rule give the same colours by At, Convert and ToRGBA, in every window, mirrored,
// in steps and turned: what Convert makes of a window are the pixels of the whole picture.
func TestColoursOfRulesAreThoseOfAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 3))
	for turn := range 600 {
		f := frameOfRule(rng, imageslice.Colours(turn%5))
		orientation := 1 + rng.IntN(8)
		whole, err := imageslice.Orient(rgbaOf(f), orientation)
		require.NoError(t, err)
		shift := image.Point{}
		if orientation == 1 {
			shift = f.Rect.Min
		}
		r := random(rng, whole.Rect)
		dx, dy := []int{1, -1, 2, -3}[rng.IntN(4)], []int{1, -1, 2, -3}[rng.IntN(4)]
		want, err := imageslice.Slice(whole, r, dx, dy)
		require.NoError(t, err)
		got := make([]uint8, 3*want.Rect.Dx()*want.Rect.Dy())
		for _, opt := range usable() {
			tensor := imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC, Orientation: orientation, StepX: dx, StepY: dy}
			require.NoError(t, imageslice.Convert(got, f, r.Add(shift), tensor, opt))
			for i := range len(got) / 3 {
				require.Equal(t, want.Pix[4*i:][:3], got[3*i:][:3], "%v, rule %d, pixel %d of %v of %v", opt, f.Colours, i, r, f.Rect)
			}
		}
		window := random(rng, f.Rect)
		rgba := image.NewRGBA(image.Rectangle{Max: window.Size()})
		require.NoError(t, imageslice.ToRGBA(rgba, f, window))
		requireWindow(t, rgba, f, window)
	}
}

// rgbaOf returns the colours that f.At has, from 0, 0 on.
func rgbaOf(f *imageslice.Frame) *image.RGBA {
	m := image.NewRGBA(image.Rectangle{Max: f.Rect.Size()})
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			m.SetRGBA(x, y, f.RGBAAt(f.Rect.Min.X+x, f.Rect.Min.Y+y))
		}
	}
	return m
}

// requireWindow requires that m has the pixels of window r of f.
func requireWindow(t *testing.T, m *image.RGBA, f *imageslice.Frame, r image.Rectangle) {
	for y := range r.Dy() {
		for x := range r.Dx() {
			require.Equal(t, f.At(r.Min.X+x, r.Min.Y+y), m.At(x, y))
		}
	}
}

// LibJPEG, LibWebP and Decoded share memory, and Slice and Copy keep the rule.
func TestDecoded(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 4))
	m := ycbcr(rng, image.Rect(2, 2, 20, 16), image.YCbCrSubsampleRatio420)
	for format, want := range map[string]imageslice.Colours{"jpeg": imageslice.Libjpeg, "webp": imageslice.Libwebp} {
		f := imageslice.Decoded(m, format).(*imageslice.Frame)
		require.Equal(t, want, f.Colours)
		require.Same(t, &m.Y[0], &f.Y[0])
		part, err := imageslice.Slice(f, image.Rect(4, 4, 12, 12), 1, 1)
		require.NoError(t, err)
		require.Equal(t, want, part.Colours)
		other := *part
		other.Colours = imageslice.Repeated
		require.ErrorIs(t, imageslice.Copy(&other, f, image.Rect(4, 4, 12, 12), 1, 1), slice1.ErrDataType)
	}
	require.Equal(t, image.Image(m), imageslice.Decoded(m, "png"))
	require.Equal(t, image.Image((*image.YCbCr)(nil)), imageslice.Decoded((*image.YCbCr)(nil), "jpeg"))
	require.Nil(t, imageslice.Decoded(nil, "jpeg"))
	grey := image.NewGray(image.Rect(0, 0, 2, 2))
	require.Equal(t, image.Image(grey), imageslice.Decoded(grey, "jpeg"))
	require.Nil(t, imageslice.LibJPEG(nil))
	require.Nil(t, imageslice.LibWebP(nil))
}

// A rule refuses the frames that it is not for, in every function that makes colours, and At has
// none of them. Slice takes them.
func TestRulesRefuseOtherFrames(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 5))
	type frame = imageslice.Frame
	for name, edit := range map[string]func(f *frame){
		"libwebp of 4:2:2":      func(f *frame) { f.Colours, f.Ratio = imageslice.Libwebp, image.YCbCrSubsampleRatio422 },
		"opencv of 4:4:4":       func(f *frame) { f.Colours, f.Ratio = imageslice.OpenCV, image.YCbCrSubsampleRatio444 },
		"opencv of odd width":   func(f *frame) { f.Colours, f.Rect.Max.X = imageslice.OpenCV, 15 },
		"opencv of odd height":  func(f *frame) { f.Colours, f.Rect.Max.Y = imageslice.OpenCV, 15 },
		"swscale of BT2020":     func(f *frame) { f.Colours, f.Matrix = imageslice.Swscale, imageslice.BT2020 },
		"swscale of 4:4:4":      func(f *frame) { f.Colours, f.Ratio = imageslice.Swscale, image.YCbCrSubsampleRatio444 },
		"swscale of odd height": func(f *frame) { f.Colours, f.Rect.Max.Y = imageslice.Swscale, 15 },
		"swscale of pairs": func(f *frame) {
			*f = *planar(rng, f.Rect, f.Ratio, 1)
			f.Colours, f.Matrix = imageslice.Swscale, imageslice.BT601
		},
	} {
		f := planar(rng, image.Rect(0, 0, 16, 16), image.YCbCrSubsampleRatio444, 0)
		f.Ratio = image.YCbCrSubsampleRatio420
		edit(f)
		r := image.Rect(0, 0, 2, 2)
		_, err := imageslice.Tensor{}.Size(f, r)
		require.ErrorIs(t, err, errors.ErrUnsupported, name)
		require.ErrorIs(t, imageslice.Convert(make([]float32, 12), f, r, imageslice.Tensor{}), errors.ErrUnsupported, name)
		require.ErrorIs(t, imageslice.ToRGBA(image.NewRGBA(r), f, r), errors.ErrUnsupported, name)
		require.ErrorIs(t, imageslice.Resize(image.NewRGBA(r), f, f.Rect, imageslice.Bicubic), errors.ErrUnsupported, name)
		require.Equal(t, color.RGBA{}, f.At(1, 1), name)
		part, err := imageslice.Slice(f, r, 1, 1)
		require.NoError(t, err, name)
		require.Equal(t, f.Colours, part.Colours)
	}
	for _, c := range []imageslice.Colours{-1, imageslice.OpenCV + 1} {
		f := planar(rng, image.Rect(0, 0, 4, 4), image.YCbCrSubsampleRatio420, 0)
		f.Colours = c
		_, err := imageslice.Slice(f, f.Rect, 1, 1)
		require.ErrorIs(t, err, slice1.ErrDataType)
		require.Equal(t, color.RGBA{}, f.At(1, 1))
	}
	// Without a sample there is no colour: neighbours are samples, too.
	f := imageslice.LibJPEG(ycbcr(rng, image.Rect(0, 0, 16, 16), image.YCbCrSubsampleRatio420))
	f.Cb = slices.Clip(f.Cb[:f.CStride])
	require.NotEqual(t, color.RGBA{}, f.At(3, 0))
	require.Equal(t, color.RGBA{}, f.At(3, 1))
	f.Rect = f.Rect.Sub(image.Pt(1, 1))
	require.Equal(t, color.RGBA{}, f.At(-1, -1))
}

// Frames become the bytes that FFmpeg's scaler and OpenCV's cvtColor make of them, by every kernel.
// The variable PLANES_FRAMES names another file than testdata's, with any number of frames.
func TestFramesBecomeColoursOfFFmpegAndOpenCV(t *testing.T) {
	file, err := os.Open(cmp.Or(os.Getenv("PLANES_FRAMES"), "../../testdata/planes/frames.txt"))
	require.NoError(t, err)
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var rule, format, matrix, samples string
		var w, h int
		var salt uint64
		var crc uint32
		_, err := fmt.Sscanf(lines.Text(), "%s %s %s %s %d %d %d %x", &rule, &format, &matrix, &samples, &w, &h, &salt, &crc)
		require.NoError(t, err, lines.Text())
		cw := (w + 1) / 2
		chroma := cw * h / 2
		if format == "yuv422p" {
			chroma = cw * h
		}
		pix := planeOf(0, salt, "noise", w*h+2*chroma, 1)
		f := &imageslice.Frame{Y: pix, Cb: pix[w*h:], Cr: pix[w*h+chroma:], YStride: w, CStride: cw, Rect: image.Rect(0, 0, w, h), FullRange: samples == "pc",
			Ratio: image.YCbCrSubsampleRatio420}
		switch format {
		case "yuv422p":
			f.Ratio = image.YCbCrSubsampleRatio422
		case "nv12":
			f, err = imageslice.NV12(pix, w, h, 0)
		case "nv21":
			f, err = imageslice.NV21(pix, w, h, 0)
		}
		require.NoError(t, err)
		f.Colours, f.Matrix = imageslice.OpenCV, imageslice.BT709 // which does not count
		if rule == "swscale" {
			f.Colours = imageslice.Swscale
			if matrix == "bt601" {
				f.Matrix = imageslice.BT601
			}
		}
		got := make([]uint8, 3*w*h)
		for _, opt := range usable() {
			clear(got)
			require.NoError(t, imageslice.Convert(got, f, f.Rect, imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC}, opt))
			require.Equal(t, crc, crc32.ChecksumIEEE(got), "%v %s", opt, lines.Text())
		}
	}
	require.GreaterOrEqual(t, n, 200)
}
