package imageslice_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// rawVideo are the formats of buffers: what makes a frame of one, the bytes of its rows and all of
// its bytes by width, height and stride, and where the samples of a pixel lie.
var rawVideo = []struct {
	name  string
	frame func(pix []uint8, width, height, stride int) (*imageslice.Frame, error)
	least func(width int) int
	bytes func(height, stride int) int
	at    func(height, stride, x, y int) (luma, cb, cr int)
	step  int // of chroma
}{
	{"NV12", imageslice.NV12, whole, halves(2), func(h, s, x, y int) (int, int, int) {
		c := s*h + y/2*((s+1)/2*2) + x/2*2
		return s*y + x, c, c + 1
	}, 2},
	{"NV21", imageslice.NV21, whole, halves(2), func(h, s, x, y int) (int, int, int) {
		c := s*h + y/2*((s+1)/2*2) + x/2*2
		return s*y + x, c + 1, c
	}, 2},
	{"I420", imageslice.I420, whole, halves(2), func(h, s, x, y int) (int, int, int) {
		cb := s*h + y/2*((s+1)/2) + x/2
		return s*y + x, cb, cb + (h+1)/2*((s+1)/2)
	}, 1},
	{"YUY2", imageslice.YUY2, groups, func(h, s int) int { return h * s }, func(_, s, x, y int) (int, int, int) {
		at := s*y + x/2*4
		return at + x%2*2, at + 1, at + 3
	}, 4},
	{"UYVY", imageslice.UYVY, groups, func(h, s int) int { return h * s }, func(_, s, x, y int) (int, int, int) {
		at := s*y + x/2*4
		return at + 1 + x%2*2, at, at + 2
	}, 4},
	{"NV16", imageslice.NV16, whole, func(h, s int) int { return h * (s + (s+1)/2*2) }, func(h, s, x, y int) (int, int, int) {
		c := s*h + y*((s+1)/2*2) + x/2*2
		return s*y + x, c, c + 1
	}, 2},
	{"YV12", imageslice.YV12, whole, halves(2), func(h, s, x, y int) (int, int, int) {
		cr := s*h + y/2*((s+1)/2) + x/2
		return s*y + x, cr + (h+1)/2*((s+1)/2), cr
	}, 1},
	{"I422", imageslice.I422, whole, func(h, s int) int { return h * (s + (s+1)/2*2) }, func(h, s, x, y int) (int, int, int) {
		cb := s*h + y*((s+1)/2) + x/2
		return s*y + x, cb, cb + h*((s+1)/2)
	}, 1},
	{"I444", imageslice.I444, whole, func(h, s int) int { return 3 * h * s }, func(h, s, x, y int) (int, int, int) {
		return s*y + x, s*(h+y) + x, s*(2*h+y) + x
	}, 1},
	{"P010", imageslice.P010, func(width int) int { return 2 * width }, func(h, s int) int { return h*s + (h+1)/2*((s+3)/4*4) }, func(h, s, x, y int) (int, int, int) {
		c := s*h + y/2*((s+3)/4*4) + x/2*4
		return s*y + 2*x + 1, c + 1, c + 3
	}, 4},
}

func whole(width int) int  { return width }
func groups(width int) int { return (width + 1) / 2 * 4 }

func halves(planes int) func(h, s int) int {
	return func(h, s int) int { return h*s + planes*((h+1)/2)*((s+1)/2) }
}

// colour returns the colour of samples in f.
func colour(f *imageslice.Frame, y, cb, cr uint8) color.Color {
	one := &imageslice.Frame{Y: []uint8{y}, Cb: []uint8{cb}, Cr: []uint8{cr}, YStride: 1, CStride: 1, Rect: image.Rect(0, 0, 1, 1), Matrix: f.Matrix, FullRange: f.FullRange}
	return one.At(0, 0)
}

func noise(rng *rand.Rand, n int) []uint8 {
	b := make([]uint8, n)
	for i := range b {
		b[i] = uint8(rng.Uint32())
	}
	return b
}

// Frames of buffers have the samples of each format, for even and odd sizes and strides, and
// buffers that end with the last row.
func TestFramesOfBuffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 3))
	for range 100 {
		w, h := 1+rng.IntN(9), 1+rng.IntN(7)
		for _, v := range rawVideo {
			stride := v.least(w) + rng.IntN(4)
			given := stride
			if rng.IntN(3) == 0 {
				stride, given = v.least(w), 0
			}
			pix := noise(rng, v.bytes(h, stride))
			f, err := v.frame(pix, w, h, given)
			require.NoError(t, err)
			require.Equal(t, image.Rect(0, 0, w, h), f.Bounds())
			require.Equal(t, v.step, f.CStep)
			require.False(t, f.FullRange)
			require.Equal(t, imageslice.BT601, f.Matrix)
			f.Matrix = imageslice.Matrix(rng.IntN(3))
			for y := range h {
				for x := range w {
					luma, cb, cr := v.at(h, stride, x, y)
					require.Equal(t, colour(f, pix[luma], pix[cb], pix[cr]), f.At(x, y), "%s of %d x %d, stride %d: %d %d", v.name, w, h, stride, x, y)
				}
			}
			require.Equal(t, color.RGBA{}, f.At(w, 0))
			require.Equal(t, color.RGBA{}, f.At(-1, 0))
			_, err = v.frame(pix[1:], w, h, given)
			require.ErrorIs(t, err, slice1.ErrBuffer)
			var place *slice1.DescError
			require.ErrorAs(t, err, &place)
			require.Equal(t, slice1.DescError{Field: "pix", Axis: -1, Got: int64(len(pix) - 1), Limit: int64(len(pix)), Err: place.Err}, *place)
		}
	}
}

// A buffer for more rows than are shown, as decoders fill it, is no frame of these rows: luma would
// be taken for chroma. What the error says, and what the documentation says, gives the right
// colours. A buffer of another length is taken, and so are rows with their chroma.
func TestFramesOfBuffersWithMoreRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 14))
	refused := 0
	for height := 1; height <= 70; height++ {
		width := 1 + rng.IntN(6)
		for _, v := range rawVideo {
			stride := v.least(width) + rng.IntN(3)
			exact := map[int]int{} // rows by length
			for _, multiple := range []int{8, 16, 32, 64} {
				if rows := (height + multiple - 1) / multiple * multiple; rows > height && v.name != "YUY2" && v.name != "UYVY" {
					exact[v.bytes(rows, stride)] = rows
				}
			}
			whole := noise(rng, v.bytes(height+64, stride))
			for n := v.bytes(height, stride); n <= len(whole); n++ {
				_, err := v.frame(whole[:n], width, height, stride)
				rows := exact[n]
				if rows == 0 {
					require.NoError(t, err, "%s of %d x %d, stride %d, in %d bytes", v.name, width, height, stride, n)
					continue
				}
				refused++
				place, ok := errors.AsType[*slice1.DescError](err)
				require.True(t, ok, "%s of %d x %d, stride %d, in %d rows", v.name, width, height, stride, rows)
				require.ErrorIs(t, err, slice1.ErrBuffer)
				require.Equal(t, [2]int64{int64(n), int64(v.bytes(height, stride))}, [2]int64{place.Got, place.Limit})
				pix := whole[:n]
				_, way, _ := strings.Cut(err.Error(), "; ")
				var end, cb, cr int
				_, err = fmt.Sscanf(way, "pass pix[:%d], then set f.Cb = pix[%d:] and f.Cr = pix[%d:]", &end, &cb, &cr)
				require.NoError(t, err, way)
				f, err := v.frame(pix[:end], width, height, stride)
				require.NoError(t, err)
				f.Cb, f.Cr = pix[cb:], pix[cr:]
				shown, err := v.frame(pix, width, rows, stride)
				require.NoError(t, err)
				shown.Rect = image.Rect(0, 0, width, height)
				rgba := image.NewRGBA(f.Rect)
				for _, f := range []*imageslice.Frame{f, shown} {
					require.NoError(t, imageslice.ToRGBA(rgba, f, f.Rect))
					for y := range height {
						for x := range width {
							luma, cb, cr := v.at(rows, stride, x, y)
							require.Equal(t, colour(f, pix[luma], pix[cb], pix[cr]), rgba.At(x, y))
						}
					}
				}
			}
		}
	}
	require.Equal(t, 8*176, refused) // of the formats whose chroma lie behind luma
}

func TestBlackAndWhite(t *testing.T) {
	for m := range imageslice.BT2020 + 1 {
		f := &imageslice.Frame{Matrix: m}
		require.Equal(t, color.RGBA{0, 0, 0, 255}, colour(f, 16, 128, 128))
		require.Equal(t, color.RGBA{255, 255, 255, 255}, colour(f, 235, 128, 128))
		require.Equal(t, color.RGBA{0, 0, 0, 255}, colour(f, 0, 128, 128))
		f.FullRange = true
		require.Equal(t, color.RGBA{0, 0, 0, 255}, colour(f, 0, 128, 128))
		require.Equal(t, color.RGBA{255, 255, 255, 255}, colour(f, 255, 128, 128))
		require.Equal(t, color.RGBA{16, 16, 16, 255}, colour(f, 16, 128, 128))
	}
	// Red, green and blue of BT.709 in 8 bits.
	f := &imageslice.Frame{Matrix: imageslice.BT709}
	require.Equal(t, color.RGBA{255, 1, 0, 255}, colour(f, 63, 102, 240))
	require.Equal(t, color.RGBA{0, 255, 1, 255}, colour(f, 173, 42, 26))
	require.Equal(t, color.RGBA{1, 0, 255, 255}, colour(f, 32, 240, 118))
}

func TestFramesThatAreNone(t *testing.T) {
	most, wide := math.MaxInt, 1<<(bits.UintSize/2+1) // the square of wide is 0 in uint
	tooLarge := slice1.ErrOverflow
	if bits.UintSize == 32 {
		tooLarge = slice1.ErrBuffer // bytes are counted in 64 bits
	}
	pix := make([]uint8, 64)
	for _, v := range rawVideo {
		for _, c := range []struct {
			w, h, stride int
			want         error
		}{
			{0, 4, 0, slice1.ErrEmpty}, {4, 0, 0, slice1.ErrEmpty}, {-1, 4, 0, slice1.ErrSize}, {4, -most - 1, 0, slice1.ErrSize},
			{4, 4, 3, slice1.ErrBuffer}, {4, 4, -8, slice1.ErrBuffer}, {4, 4, -most - 1, slice1.ErrBuffer}, {40, 40, 0, slice1.ErrBuffer},
			{most, 1, 0, slice1.ErrOverflow}, {most, most, most, slice1.ErrOverflow}, {1, 1, most, slice1.ErrOverflow}, {most - 1, 2, 0, slice1.ErrOverflow},
			{wide, wide, 0, tooLarge},
		} {
			f, err := v.frame(pix, c.w, c.h, c.stride)
			require.ErrorIs(t, err, c.want, "%s %+v", v.name, c)
			require.Nil(t, f)
		}
		_, err := v.frame(pix, 1, most, 1<<20)
		require.True(t, errors.Is(err, slice1.ErrOverflow) || errors.Is(err, slice1.ErrBuffer), err)
		_, err = v.frame(nil, 1, 1, 0)
		require.ErrorIs(t, err, slice1.ErrBuffer)
	}
	require.Nil(t, imageslice.Limited(nil))
}

func frame444(edit func(f *imageslice.Frame)) *imageslice.Frame {
	b := make([]uint8, 64)
	f := &imageslice.Frame{Y: b, Cb: b, Cr: b, YStride: 8, CStride: 8, Rect: image.Rect(0, 0, 8, 8)}
	edit(f)
	return f
}

func TestFramesThatCanNotBeRead(t *testing.T) {
	type frame = imageslice.Frame
	for name, c := range map[string]struct {
		f    *frame
		want error
	}{
		"nil":            {nil, errors.ErrUnsupported},
		"zero":           {new(frame), slice1.ErrEmpty},
		"ratio":          {frame444(func(f *frame) { f.Ratio = 9 }), errors.ErrUnsupported},
		"left of 0":      {frame444(func(f *frame) { f.Rect = f.Rect.Sub(image.Pt(1, 0)) }), errors.ErrUnsupported},
		"matrix":         {frame444(func(f *frame) { f.Matrix = 3 }), slice1.ErrDataType},
		"no matrix":      {frame444(func(f *frame) { f.Matrix = -1 }), slice1.ErrDataType},
		"short Y":        {frame444(func(f *frame) { f.Y = f.Y[1:] }), slice1.ErrBuffer},
		"short Cb":       {frame444(func(f *frame) { f.Cb = f.Cb[1:] }), slice1.ErrBuffer},
		"no Cr":          {frame444(func(f *frame) { f.Cr = nil }), slice1.ErrBuffer},
		"short rows":     {frame444(func(f *frame) { f.YStride = 7 }), slice1.ErrBuffer},
		"wide step":      {frame444(func(f *frame) { f.CStep = 2 }), slice1.ErrBuffer},
		"backwards":      {frame444(func(f *frame) { f.YStride = -8 }), slice1.ErrBuffer},
		"step backwards": {frame444(func(f *frame) { f.YStep = -1 }), slice1.ErrStride},
		"huge step":      {frame444(func(f *frame) { f.CStep = math.MaxInt }), slice1.ErrBuffer},
		"huge stride":    {frame444(func(f *frame) { f.CStride = math.MaxInt }), slice1.ErrBuffer},
	} {
		r := image.Rect(0, 0, 1, 1)
		errs := []error{imageslice.Convert(make([]float32, 3), c.f, r, imageslice.Tensor{}), imageslice.ToRGBA(image.NewRGBA(r), c.f, r)}
		_, err := imageslice.Slice(c.f, r, 1, 1)
		errs = append(errs, err, imageslice.Copy(frame444(func(*frame) {}), c.f, r, 1, 1))
		for _, err := range errs {
			if c.want == slice1.ErrBuffer && errors.Is(err, slice1.ErrOverflow) {
				continue // by name
			}
			require.ErrorIs(t, err, c.want, name)
		}
		if c.f != nil {
			c.f.At(3, 3)
			c.f.At(7, 7)
		}
		imageslice.Fit(c.f, r, 1, 1)
		imageslice.Center(c.f, 2, 2)
	}
	_, _, err := imageslice.View(frame444(func(*frame) {}))
	require.EqualError(t, err, "imageslice: *imageslice.Frame has luma and chroma, which are no single tensor; Slice, Copy, Orient and Convert take it")
	yuy2, err := imageslice.YUY2(make([]uint8, 64), 8, 4, 0)
	require.NoError(t, err)
	_, err = imageslice.Slice(yuy2, yuy2.Rect, 1, 1)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.EqualError(t, err, "imageslice: chroma of *imageslice.Frame are neither planes nor pairs; Convert and ToRGBA take it")
	require.ErrorIs(t, imageslice.Copy(yuy2, frame444(func(*frame) {}), image.Rect(0, 0, 8, 4), 1, 1), errors.ErrUnsupported)
}

// planar returns a random frame of planes, or of pairs of chroma, Cb or Cr first.
func planar(rng *rand.Rand, r image.Rectangle, ratio image.YCbCrSubsampleRatio, form int) *imageslice.Frame {
	m := ycbcr(rng, r, ratio)
	f := imageslice.Limited(m)
	f.Matrix, f.FullRange = imageslice.Matrix(rng.IntN(3)), rng.IntN(2) == 0
	if form > 0 {
		pairs := noise(rng, 2*len(m.Cb))
		f.CStride, f.CStep, f.Cb, f.Cr = 2*m.CStride, 2, pairs, pairs[1:]
		if form == 2 {
			f.Cb, f.Cr = f.Cr, f.Cb
		}
	}
	return f
}

// requireForm requires that got has the form, the matrix and the range of f.
func requireForm(t *testing.T, f, got *imageslice.Frame, name string) {
	require.Equal(t, [...]any{f.Matrix, f.FullRange, max(1, f.CStep), max(1, f.YStep)}, [...]any{got.Matrix, got.FullRange, max(1, got.CStep), max(1, got.YStep)}, name)
	if f.CStep == 2 {
		first, second := got.Cb, got.Cr
		if len(f.Cb) < len(f.Cr) {
			first, second = got.Cr, got.Cb
		}
		require.Same(t, &first[1], &second[0], name)
	}
}

// Slices of frames with planes or pairs have the right pixels, form and colours. So have the
// results of Copy, OrientInto and Orient.
func TestSlicesOfFrames(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 4))
	sliced := 0
	for range 1500 {
		form, ratio := rng.IntN(3), ratios[rng.IntN(len(ratios))]
		src := planar(rng, image.Rect(2, 4, 3+rng.IntN(20), 5+rng.IntN(16)), ratio, form)
		dx, dy := []int{1, -1, 2, -2, 4}[rng.IntN(5)], []int{1, -1, 2, -2}[rng.IntN(4)]
		r := imageslice.Fit(src, random(rng, src.Rect), dx, dy)
		name := fmt.Sprintf("form %d, %v of %v, %d %d", form, r, src.Rect, dx, dy)
		got, err := imageslice.Slice(src, r, dx, dy)
		if err != nil {
			require.True(t, errors.Is(err, slice1.ErrStride) || r.Empty() || errors.Is(err, slice1.ErrWindow), err)
			continue
		}
		sliced++
		requireForm(t, src, got, name)
		dst := planar(rng, image.Rect(8, 8, 8+got.Rect.Dx(), 8+got.Rect.Dy()), got.Ratio, form)
		dst.Matrix, dst.FullRange = src.Matrix, src.FullRange
		require.NoError(t, imageslice.Copy(dst, src, r, dx, dy), name)
		for y := range got.Rect.Dy() {
			for x := range got.Rect.Dx() {
				require.Equal(t, at(src, r, dx, dy, x, y), got.At(x, y), name)
				require.Equal(t, at(src, r, dx, dy, x, y), dst.At(8+x, 8+y), name)
			}
		}
		for name, wrong := range map[string]func(f *imageslice.Frame){
			"matrix": func(f *imageslice.Frame) { f.Matrix = (f.Matrix + 1) % 3 },
			"range":  func(f *imageslice.Frame) { f.FullRange = !f.FullRange },
			"ratio": func(f *imageslice.Frame) {
				*f = *planar(rng, f.Rect, ratios[(slices.Index(ratios, f.Ratio)+1)%len(ratios)], form)
				f.Matrix, f.FullRange = src.Matrix, src.FullRange
			},
			"form": func(f *imageslice.Frame) {
				*f = *planar(rng, f.Rect, f.Ratio, (form+1)%3)
				f.Matrix, f.FullRange = src.Matrix, src.FullRange
			},
		} {
			f := *dst
			wrong(&f)
			err := imageslice.Copy(&f, src, r, dx, dy)
			require.ErrorIs(t, err, slice1.ErrDataType, name)
		}
	}
	require.Greater(t, sliced, 700)
	for orientation := 1; orientation <= 8; orientation++ {
		for form := range 3 {
			src := planar(rng, image.Rect(0, 0, 12, 8), image.YCbCrSubsampleRatio420, form)
			got, err := imageslice.Orient(src, orientation)
			require.NoError(t, err)
			requireOriented(t, src, got, orientation)
			requireForm(t, src, got, "")
			dst := planar(rng, got.Rect, got.Ratio, form)
			dst.Matrix, dst.FullRange = src.Matrix, src.FullRange
			require.NoError(t, imageslice.OrientInto(dst, src, orientation))
			requireOriented(t, src, dst, orientation)
		}
	}
}

// Within one buffer, pairs are judged by elements, and no other byte is written.
func TestCopyWithinAFrame(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 5))
	pix := noise(rng, 16*8*3/2)
	f, err := imageslice.NV12(pix, 16, 8, 0)
	require.NoError(t, err)
	part := func(r image.Rectangle) *imageslice.Frame {
		p := *f
		p.Y, p.Cb, p.Cr = f.Y[r.Min.Y*16+r.Min.X:], f.Cb[r.Min.Y/2*16+r.Min.X:], f.Cr[r.Min.Y/2*16+r.Min.X:]
		p.Rect = image.Rectangle{Max: r.Size()}
		return &p
	}
	want := slices.Clone(pix)
	for y := range 12 {
		copy(want[16*y+8:][:8], pix[16*y:])
	}
	require.NoError(t, imageslice.Copy(part(image.Rect(8, 0, 16, 8)), f, image.Rect(0, 0, 8, 8), 1, 1))
	require.Equal(t, want, pix)
	for _, r := range []image.Rectangle{image.Rect(6, 0, 14, 8), image.Rect(0, 2, 8, 6)} {
		require.ErrorIs(t, imageslice.Copy(part(r), f, image.Rect(0, 0, r.Dx(), r.Dy()), 1, 1), slice1.ErrOverlap)
		require.Equal(t, want, pix)
	}
	require.ErrorIs(t, imageslice.Copy(part(image.Rect(0, 0, 8, 8)), f, image.Rect(0, 0, 6, 8), 1, 1), slice1.ErrOutput)
}

func TestLimited(t *testing.T) {
	m := ycbcr(rand.New(rand.NewPCG(50, 6)), image.Rect(3, 5, 20, 16), image.YCbCrSubsampleRatio422)
	f := imageslice.Limited(m)
	require.Same(t, &m.Y[0], &f.Y[0])
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			c := m.YCbCrAt(x, y)
			require.Equal(t, colour(f, c.Y, c.Cb, c.Cr), f.At(x, y))
		}
	}
	f.FullRange = true
	r, g, b := color.YCbCrToRGB(m.Y[0], m.Cb[0], m.Cr[0])
	require.Equal(t, color.RGBA{r, g, b, 255}, f.At(3, 5))
}
