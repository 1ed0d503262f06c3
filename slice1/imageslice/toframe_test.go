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

// luminance has Kr and Kb of each matrix.
var luminance = [...][2]float64{imageslice.BT601: {.299, .114}, imageslice.BT709: {.2126, .0722}, imageslice.BT2020: {.2627, .0593}}

// samplesOf returns luma and chroma of R, G and B by the matrix and range of f, in real numbers.
func samplesOf(f *imageslice.Frame, rgb [3]float64) (y, cb, cr float64) {
	kr, kb := luminance[f.Matrix][0], luminance[f.Matrix][1]
	luma := kr*rgb[0] + (1-kr-kb)*rgb[1] + kb*rgb[2]
	y, cb, cr = luma, (rgb[2]-luma)/(2-2*kb), (rgb[0]-luma)/(2-2*kr)
	if !f.FullRange {
		y, cb, cr = 16+y*219/255, cb*224/255, cr*224/255
	}
	return y, 128 + cb, 128 + cr
}

// rgbOf returns R, G and B of a pixel as ToFrame takes them: of 16 bits a 257th, rounded.
func rgbOf(m image.Image, x, y int) [3]uint8 {
	narrow := func(v uint16) uint8 { return uint8(math.Round(float64(v) / 257)) }
	switch c := m.At(x, y).(type) {
	case color.Gray16:
		return [3]uint8{narrow(c.Y), narrow(c.Y), narrow(c.Y)}
	case color.Alpha16:
		return [3]uint8{narrow(c.A), narrow(c.A), narrow(c.A)}
	case color.RGBA64:
		return [3]uint8{narrow(c.R), narrow(c.G), narrow(c.B)}
	case color.NRGBA64:
		return [3]uint8{narrow(c.R), narrow(c.G), narrow(c.B)}
	case color.RGBA:
		return [3]uint8{c.R, c.G, c.B} // of palettes, too
	}
	rgb, _, _ := straightAt(m, x, y)
	return rgb
}

// requireFrame requires that f has the samples of what m has from a pixel on: the real numbers,
// rounded. In 0.51, 0.01 is for factors in 65536ths. The greatest chroma of full range are 255.5,
// and become 255.
func requireFrame(t *testing.T, name string, f *imageslice.Frame, m image.Image, from image.Point) {
	near := func(got uint8, want float64, what string, x, y int) {
		if d := math.Abs(float64(got) - min(want, 255.49)); d > 0.51 {
			require.Failf(t, "off", "%s: %s of %d %d is %d, not %v", name, what, x, y, got, want)
		}
	}
	cell := image.Pt(2, 2)
	switch f.Ratio {
	case image.YCbCrSubsampleRatio422:
		cell.Y = 1
	case image.YCbCrSubsampleRatio444:
		cell = image.Pt(1, 1)
	}
	b := f.Rect
	for y := b.Min.Y; y < b.Max.Y; y += cell.Y - y%cell.Y {
		for x := b.Min.X; x < b.Max.X; x += cell.X - x%cell.X {
			var sum [3]float64
			n := 0.
			for v := y; v < min(b.Max.Y, y+cell.Y-y%cell.Y); v++ {
				for u := x; u < min(b.Max.X, x+cell.X-x%cell.X); u++ {
					c := rgbOf(m, from.X+u-b.Min.X, from.Y+v-b.Min.Y)
					rgb := [3]float64{float64(c[0]), float64(c[1]), float64(c[2])}
					luma, _, _ := samplesOf(f, rgb)
					near(f.Y[(v-b.Min.Y)*f.YStride+(u-b.Min.X)*max(1, f.YStep)], luma, "luma", u, v)
					for k := range sum {
						sum[k] += rgb[k]
					}
					n++
				}
			}
			_, cb, cr := samplesOf(f, [3]float64{sum[0] / n, sum[1] / n, sum[2] / n})
			i := (y/cell.Y-b.Min.Y/cell.Y)*f.CStride + (x/cell.X-b.Min.X/cell.X)*max(1, f.CStep)
			near(f.Cb[i], cb, "Cb", x, y)
			near(f.Cr[i], cr, "Cr", x, y)
		}
	}
}

// Windows of pictures of every format, matrix and range become frames of every format, matrix and
// range, by every kernel, also frames of which a part is shown. Every kernel stores the same bytes,
// and these are the real numbers, rounded. TestNothingOutsideOfTheDestinationIsWritten tries every
// pair of types.
func TestToFrame(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	turns := 100
	if testing.Short() {
		turns = 20
	}
	for turn := range turns {
		w, h := 1+rng.IntN(40), 1+rng.IntN(9)
		if turn%16 == 0 {
			w += 500 * (1 + rng.IntN(4))
		}
		src := image.NewRGBA(image.Rect(0, 0, w+3, h+2))
		scramble(src, rng)
		for _, v := range rawVideo {
			stride := v.least(w) + rng.IntN(4)
			before := noise(rng, v.bytes(h, stride))
			var first []uint8
			m, full, left, top := imageslice.Matrix(rng.IntN(3)), rng.IntN(2) == 0, rng.IntN(min(w, 3)), rng.IntN(min(h, 3))
			for _, o := range usable() {
				pix := slices.Clone(before)
				f, err := v.frame(pix, w, h, stride)
				require.NoError(t, err)
				f.Matrix, f.FullRange = m, full
				f.Rect.Max = f.Rect.Max.Sub(image.Pt(left, top))
				name := fmt.Sprintf("%s %v of %d x %d, stride %d, matrix %d, full range %v", v.name, f.Rect, w, h, stride, m, full)
				require.NoError(t, imageslice.ToFrame(f, src, image.Rect(1, 2, 1+w, 2+h), o), name)
				if first == nil {
					requireFrame(t, name, f, src, image.Pt(1, 2))
					first = pix
				}
				require.True(t, slices.Equal(first, pix), name)
			}
		}
	}
}

// A picture with smooth colours comes back from its frame, as far as chroma are shared: the next
// pixel's colours differ by at most 2, so the mean of four is at most 1.5 from each, and rounding
// luma, chroma and colours adds what 8 bits of limited range make of it.
func TestToFrameComesBack(t *testing.T) {
	const w, h = 240, 100
	src, back := image.NewRGBA(image.Rect(0, 0, w, h)), image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			src.SetRGBA(x, y, color.RGBA{uint8(x), uint8(255 - x), uint8(20 + 2*y), 255})
		}
	}
	for _, v := range rawVideo {
		for m := range imageslice.BT2020 + 1 {
			for _, full := range []bool{false, true} {
				f, err := v.frame(make([]uint8, v.bytes(h, v.least(w))), w, h, 0)
				require.NoError(t, err)
				f.Matrix, f.FullRange = m, full
				require.NoError(t, imageslice.ToFrame(f, src, src.Rect))
				require.NoError(t, imageslice.ToRGBA(back, f, f.Rect))
				most := 0
				for i, p := range src.Pix {
					most = max(most, int(p)-int(back.Pix[i]), int(back.Pix[i])-int(p))
				}
				require.LessOrEqual(t, most, 4, "%s, matrix %d, full range %v", v.name, m, full)
				if v.name == "I444" {
					require.LessOrEqual(t, most, 2, "matrix %d, full range %v", m, full)
				}
			}
		}
	}
}

// Grey has chroma of 128, and black and white have the ends of luma.
func TestGreyBecomesLuma(t *testing.T) {
	src := image.NewGray(image.Rect(0, 0, 256, 3))
	for i := range src.Pix {
		src.Pix[i] = uint8(i)
	}
	for _, full := range []bool{false, true} {
		for m := range imageslice.BT2020 + 1 {
			f, err := imageslice.NV12(make([]uint8, 256*5), 256, 3, 0)
			require.NoError(t, err)
			f.Matrix, f.FullRange = m, full
			require.NoError(t, imageslice.ToFrame(f, src, src.Rect))
			want := [2]uint8{16, 235}
			if full {
				want = [2]uint8{0, 255}
				require.Equal(t, src.Pix, f.Y[:len(src.Pix)])
			}
			require.Equal(t, want, [2]uint8{f.Y[0], f.Y[255]})
			require.Equal(t, slices.Repeat([]uint8{128}, 512), f.Cb[:512])
		}
	}
}

// Planes of dst may lie between each other's samples, and share no sample. What shares one is
// found, by a search of all bytes.
func TestToFrameOfPlanesThatMeet(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 6))
	src, met := image.NewRGBA(image.Rect(0, 0, 8, 8)), 0
	for range 4000 {
		w, h := 1+rng.IntN(8), 1+rng.IntN(6)
		pix := make([]uint8, 200)
		f := &imageslice.Frame{YStep: 1 + rng.IntN(4), CStep: 1 + rng.IntN(5), Ratio: ratios[rng.IntN(3)], Rect: image.Rect(0, 0, w, h)}
		f.YStride, f.CStride = (w-1)*f.YStep+1+rng.IntN(9), (w-1)*f.CStep+1+rng.IntN(9)
		if rng.IntN(2) == 0 {
			f.CStride = max(f.YStride, f.CStride)
			f.YStride = f.CStride
		}
		f.Y, f.Cb, f.Cr = pix[rng.IntN(60):], pix[rng.IntN(60):], pix[rng.IntN(60):]
		samples, shared := map[*uint8]int{}, false
		func() {
			defer func() {
				if recover() != nil {
					samples = nil // pix ends before the picture
				}
			}()
			eachByte(f, func(b *uint8) { samples[b]++ })
		}()
		for _, n := range samples {
			shared = shared || n > 1
		}
		switch err := imageslice.ToFrame(f, src, src.Rect); {
		case samples == nil:
			require.ErrorIs(t, err, slice1.ErrBuffer)
		case shared:
			met++
			require.ErrorIs(t, err, slice1.ErrOverlap, "%+v", f.Rect)
			require.Equal(t, make([]uint8, 200), pix)
		default:
			require.NoError(t, err)
		}
	}
	require.True(t, met > 500 && met < 3500, met)
}

// What ToFrame refuses leaves dst as it is.
func TestToFrameRefuses(t *testing.T) {
	r := image.Rect(0, 0, 8, 8)
	src := image.NewRGBA(r)
	for i := range src.Pix {
		src.Pix[i] = 255
	}
	frame := func(edit func(f *imageslice.Frame)) *imageslice.Frame {
		f, err := imageslice.I420(make([]uint8, 96), 8, 8, 0)
		require.NoError(t, err)
		edit(f)
		return f
	}
	none := func(*imageslice.Frame) {}
	inSource := frame(none)
	inSource.Cr = src.Pix[len(src.Pix)-16:]
	for name, c := range map[string]struct {
		dst  *imageslice.Frame
		m    image.Image
		r    image.Rectangle
		want error
	}{
		"no dst":         {nil, src, r, errors.ErrUnsupported},
		"no picture":     {frame(none), nil, r, errors.ErrUnsupported},
		"large dst":      {frame(none), src, image.Rect(0, 0, 8, 7), slice1.ErrOutput},
		"wide dst":       {frame(none), src, image.Rect(1, 0, 8, 8), slice1.ErrOutput},
		"window":         {frame(none), src, image.Rect(0, 0, 9, 8), slice1.ErrWindow},
		"empty window":   {frame(none), src, image.Rectangle{}, slice1.ErrEmpty},
		"empty dst":      {frame(func(f *imageslice.Frame) { f.Rect = image.Rectangle{} }), src, r, slice1.ErrEmpty},
		"ratio 4:4:0":    {frame(func(f *imageslice.Frame) { f.Ratio = image.YCbCrSubsampleRatio440 }), src, r, slice1.ErrBuffer},
		"ratio 4:1:1":    {frame(func(f *imageslice.Frame) { f.Ratio, f.CStride = image.YCbCrSubsampleRatio411, 2 }), src, r, errors.ErrUnsupported},
		"ratio 4:1:0":    {frame(func(f *imageslice.Frame) { f.Ratio, f.CStride = image.YCbCrSubsampleRatio410, 4 }), src, r, errors.ErrUnsupported},
		"colours":        {frame(func(f *imageslice.Frame) { f.Colours = imageslice.Swscale }), src, r, errors.ErrUnsupported},
		"no such matrix": {frame(func(f *imageslice.Frame) { f.Matrix = 3 }), src, r, slice1.ErrDataType},
		"short Cr":       {frame(func(f *imageslice.Frame) { f.Cr = f.Cr[1:] }), src, r, slice1.ErrBuffer},
		"Cb in Y":        {frame(func(f *imageslice.Frame) { f.Cb = f.Y[3:] }), src, r, slice1.ErrOverlap},
		"Cr in Cb":       {frame(func(f *imageslice.Frame) { f.Cr = f.Cb }), src, r, slice1.ErrOverlap},
		"dst in picture": {inSource, src, r, slice1.ErrOverlap},
		"itself":         {inSource, inSource, r, slice1.ErrOverlap},
	} {
		before := slices.Clone(src.Pix)
		require.ErrorIs(t, imageslice.ToFrame(c.dst, c.m, c.r), c.want, name)
		require.Equal(t, before, src.Pix)
		if c.dst != nil {
			require.Equal(t, make([]uint8, len(c.dst.Y)), c.dst.Y, name)
		}
	}
	tall := frame444(none)
	tall.Ratio, tall.Cb, tall.Cr = image.YCbCrSubsampleRatio440, make([]uint8, 64), make([]uint8, 64)
	require.ErrorIs(t, imageslice.ToFrame(tall, src, r), errors.ErrUnsupported)
}

// A picture of more than 4 MiB, on several goroutines, of pixels in memory and of pixels that are
// made, into planes and groups, from the second row and column of a cell on.
func TestToFrameOnGoroutines(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 7))
	r := image.Rect(0, 0, 1111, 999)
	rgba := image.NewRGBA(r)
	scramble(rgba, rng)
	for _, m := range []image.Image{rgba, ycbcr(rng, r, image.YCbCrSubsampleRatio422)} {
		for _, v := range rawVideo[2:4] {
			var made [2][]uint8
			for i, goroutines := range []int{1, 3} {
				f, err := v.frame(make([]uint8, v.bytes(1000, v.least(1112))), 1112, 1000, 0)
				require.NoError(t, err)
				f.Y, f.Rect.Min = f.Y[f.YStride+f.YStep:], image.Pt(1, 1)
				require.NoError(t, imageslice.ToFrame(f, m, r, slice1.WithParallelism(goroutines)))
				made[i] = slices.Concat(f.Y, f.Cb, f.Cr)
			}
			require.True(t, slices.Equal(made[0], made[1]), v.name)
		}
	}
}
