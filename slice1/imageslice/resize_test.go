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

// weigh is one of Pillow's filters. Products are rounded before they are added.
func weigh(f imageslice.Filter, x float64) float64 {
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}
	switch f {
	case imageslice.Box:
		if -0.5 < x && x <= 0.5 {
			return 1
		}
		return 0
	case imageslice.Lanczos:
		if -3 <= x && x < 3 {
			return sinc(x) * sinc(x/3)
		}
		return 0
	}
	x = math.Abs(x)
	switch f {
	case imageslice.Hamming:
		if x >= 1 {
			return 0
		}
		return sinc(x) * (float64(float32(0.54)) + float64(float64(float32(0.46))*math.Cos(x*math.Pi)))
	case imageslice.Bicubic:
		switch {
		case x < 1:
			return float64(float64(float64(1.5*x)-2.5)*x*x) + 1
		case x < 2:
			return (float64((float64((x-5)*x)+8)*x) - 4) * -0.5
		}
		return 0
	}
	return max(0, 1-x)
}

// alongOf resamples a row by Pillow's rules.
func alongOf(f imageslice.Filter, row []uint8, out int) []uint8 {
	size, result := len(row), make([]uint8, out)
	if size == out && f != imageslice.Nearest {
		return row
	}
	scale := float64(size) / float64(out)
	if f == imageslice.Nearest {
		x := scale * 0.5
		for i := range result {
			result[i] = row[int(x)]
			x += scale
		}
		return result
	}
	stretch := max(1, scale)
	support := map[imageslice.Filter]float64{imageslice.Box: .5, imageslice.Bilinear: 1, imageslice.Hamming: 1, imageslice.Bicubic: 2, imageslice.Lanczos: 3}[f]
	for i := range result {
		center := float64((float64(i) + 0.5) * scale)
		first := max(0, int(center-float64(support*stretch)+0.5))
		last := min(size, int(center+float64(support*stretch)+0.5))
		var w []float64
		total := 0.0
		for x := range last - first {
			w = append(w, weigh(f, (float64(x+first)-center+0.5)*(1/stretch)))
			total += w[x]
		}
		sum := 1 << 21
		for x, v := range w {
			if total != 0 {
				v /= total
			}
			sum += int(row[first+x]) * int(float64(v*(1<<22))+math.Copysign(0.5, v))
		}
		result[i] = uint8(min(max(sum>>22, 0), 255))
	}
	return result
}

// tapsOf returns the two samples and weights of OpenCV's INTER_LINEAR.
func tapsOf(size, out, i int, limit bool) (a, b, p, q int) {
	f := float32(float64((float64(i)+0.5)*(1/(float64(out)/float64(size)))) - 0.5)
	first := int(math.Floor(float64(f)))
	f -= float32(first)
	if limit && first < 0 {
		first, f = 0, 0
	}
	if limit && first >= size-1 {
		first, f = size-1, 0
	}
	count := func(v float32) int { return int(math.RoundToEven(float64(v * 2048))) }
	return min(max(first, 0), size-1), min(max(first+1, 0), size-1), count(1 - f), count(f)
}

// resampledBy resamples a plane of rows, slowly.
func resampledBy(f imageslice.Filter, plane [][]uint8, width, height int) [][]uint8 {
	across := func(m [][]uint8) [][]uint8 {
		out := make([][]uint8, len(m[0]))
		for x := range out {
			for y := range m {
				out[x] = append(out[x], m[y][x])
			}
		}
		return out
	}
	h, w := len(plane), len(plane[0])
	if f != imageslice.Linear {
		var rows [][]uint8
		for _, row := range plane {
			rows = append(rows, alongOf(f, row, width))
		}
		var columns [][]uint8
		for _, column := range across(rows) {
			columns = append(columns, alongOf(f, column, height))
		}
		return across(columns)
	}
	if w == width && h == height {
		return plane
	}
	out := make([][]uint8, height)
	for y := range out {
		for x := range width {
			if w == 2*width && h == 2*height {
				out[y] = append(out[y], uint8((int(plane[2*y][2*x])+int(plane[2*y][2*x+1])+int(plane[2*y+1][2*x])+int(plane[2*y+1][2*x+1])+2)>>2))
				continue
			}
			s, t, p, q := tapsOf(h, height, y, false)
			a, b, c, d := tapsOf(w, width, x, true)
			sum := func(row []uint8) int { return int(row[a])*c + int(row[b])*d }
			v := ((sum(plane[s])>>4*p)>>16 + (sum(plane[t])>>4*q)>>16 + 2) >> 2
			out[y] = append(out[y], uint8(min(max(v, 0), 255)))
		}
	}
	return out
}

// Every type of picture with 8 bits, resized by every filter, against the libraries' rules applied
// to At: of windows, with every orientation, mirrored, placed anywhere, by every kernel.
func TestConvertResizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 7))
	var kernels []slice1.Option
	for _, k := range slice1.Kernels() {
		if k.Usable {
			kernels = append(kernels, slice1.WithKernel(k.Name))
		}
	}
	side := func() int { return 1 + int(math.Exp2(rng.Float64()*6)) }
	number := 0
	for range 15 {
		bounds := image.Rect(rng.IntN(4), rng.IntN(4), 6+side(), 6+side())
		var all []image.Image
		for _, m := range pictures(bounds) {
			if _, d, _ := imageslice.View(m); d.DataType == slice1.Uint8 {
				scramble(m, rng)
				all = append(all, m)
			}
		}
		for _, ratio := range ratios {
			all = append(all, ycbcr(rng, bounds, ratio), planar(rng, bounds, ratio, rng.IntN(3)))
		}
		stride := (bounds.Max.X + 1) / 2 * 2
		nv12, err := imageslice.NV12(noise(rng, stride*(bounds.Max.Y+(bounds.Max.Y+1)/2)), bounds.Max.X, bounds.Max.Y, stride)
		require.NoError(t, err)
		all = append(all, nv12)
		for o := imageslice.RGB; o <= imageslice.BGRX; o++ {
			all = append(all, packedPixels(rng, bounds, o))
		}
		palette := image.NewPaletted(bounds, color.Palette{color.RGBA{9, 99, 200, 255}, color.RGBA{7, 8, 9, 255}, color.RGBA{250, 3, 70, 255}})
		for i := range palette.Pix {
			palette.Pix[i] = uint8(rng.IntN(3))
		}
		for _, m := range append(all, palette) {
			number++
			checkResize(t, m, number, rng, side, kernels[number%len(kernels)])
		}
	}
}

func checkResize(t *testing.T, m image.Image, number int, rng *rand.Rand, side func() int, o slice1.Option) {
	size := imageslice.Tensor{Orientation: rng.IntN(9)}
	bounds := size.Center(m, 1<<20, 1<<20)
	x, y := bounds.Min.X+rng.IntN(bounds.Dx()), bounds.Min.Y+rng.IntN(bounds.Dy())
	r := image.Rect(x, y, x+1+rng.IntN(bounds.Max.X-x), y+1+rng.IntN(bounds.Max.Y-y))
	a := size
	a.Layout, a.BGR, a.Filter = imageslice.Layout(rng.IntN(2)), rng.IntN(2) == 0, imageslice.Filter(number%7)
	a.Resize, a.StepX, a.StepY = image.Pt(side(), side()), rng.IntN(3)-1, rng.IntN(3)-1
	switch number % 3 {
	case 1:
		a.Resize.X = r.Dx()
	case 2:
		a.Resize = image.Pt(max(1, r.Dx()/2), max(1, r.Dy()/2))
	}
	if rng.IntN(3) > 0 {
		a.Width, a.Height = side(), side()
		a.At = image.Pt(rng.IntN(2*side())-side(), rng.IntN(2*side())-side())
	}
	if rng.IntN(2) == 0 {
		a.Fill = []float32{77}
	}
	a.Keep = a.Fill == nil
	channels := len(uprightAt(m, a.Orientation, r.Min.X, r.Min.Y))
	a.Affine = slice1.Affine{Scale: []float32{1.5, -2, 0.5}[:channels], Bias: []float32{-7, 1, 2}[:channels]}
	shape, err := a.Size(m, r)
	require.NoError(t, err)
	got := make([]float32, shape[0]*shape[1]*shape[2])
	require.NoError(t, imageslice.Convert(got, m, r, a, o))
	want := make([]float32, len(got))
	if a.Fill != nil {
		for i := range want {
			want[i] = 77
		}
	}
	_, height, width := extents(a, shape)
	for c := range channels {
		plane := make([][]uint8, r.Dy())
		for y := range plane {
			for x := range r.Dx() {
				plane[y] = append(plane[y], uint8(uprightAt(m, a.Orientation, r.Min.X+x, r.Min.Y+y)[c]))
			}
		}
		at := c
		if a.BGR && channels == 3 {
			at = 2 - c
		}
		for y, row := range resampledBy(a.Filter, plane, a.Resize.X, a.Resize.Y) {
			for x, v := range row {
				toX, toY := x, y
				if a.StepX < 0 {
					toX = a.Resize.X - 1 - x
				}
				if a.StepY < 0 {
					toY = a.Resize.Y - 1 - y
				}
				toX, toY = toX+a.At.X, toY+a.At.Y
				if toX >= 0 && toX < width && toY >= 0 && toY < height {
					want[place(a, shape, at, toY, toX)] = float32(float32(v)*a.Affine.Scale[at]) + a.Affine.Bias[at]
				}
			}
		}
	}
	require.Equal(t, want, got, "%d: %T %v of %v, %+v", number, m, r, m.Bounds(), a)
	a.Affine = slice1.Affine{}
	clear(got)
	require.NoError(t, imageslice.Convert(got, m, r, a, o))
	sameNumbers[uint8](t, got, slice1.Uint8, m, r, a, o)
	sameNumbers[int16](t, got, slice1.Int16, m, r, a, o)
	sameNumbers[float64](t, got, slice1.Float64, m, r, a, o)
}

// sameNumbers requires that a tensor of another type has the same whole numbers.
func sameNumbers[N uint8 | int16 | float64](t *testing.T, want []float32, to slice1.DataType, m image.Image, r image.Rectangle, a imageslice.Tensor, o slice1.Option) {
	a.Type = to
	got := make([]N, len(want))
	require.NoError(t, imageslice.Convert(got, m, r, a, o))
	for i, v := range want {
		if float32(got[i]) != v {
			require.FailNow(t, "another number", "%v is %v: %T %v of %v, %+v", v, got[i], m, r, m.Bounds(), a)
		}
	}
}

// A large tensor is the same on several goroutines, in any order of its rows.
func TestConvertResizesOnGoroutines(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 300, 200))
	scramble(m, rand.New(rand.NewPCG(66, 8)))
	for _, step := range []int{1, -1} {
		for f := imageslice.Bilinear; f <= imageslice.Linear; f++ {
			a := imageslice.Tensor{Resize: image.Pt(700, 600), Filter: f, StepY: step}
			one, three := make([]float32, 3*700*600), make([]float32, 3*700*600)
			require.NoError(t, imageslice.Convert(one, m, m.Rect, a, slice1.WithParallelism(1)))
			require.NoError(t, imageslice.Convert(three, m, m.Rect, a, slice1.WithParallelism(3)))
			require.True(t, slices.Equal(one, three), "filter %d, step %d", f, step)
		}
	}
	for f := imageslice.Bilinear; f <= imageslice.Linear; f++ { // each row is made in its place
		one, three := image.NewRGBA(image.Rect(0, 0, 1050, 1000)), image.NewRGBA(image.Rect(0, 0, 1050, 1000))
		require.NoError(t, imageslice.Resize(one, m, m.Rect, f, slice1.WithParallelism(1)))
		require.NoError(t, imageslice.Resize(three, m, m.Rect, f, slice1.WithParallelism(3)))
		require.True(t, slices.Equal(one.Pix, three.Pix), "filter %d", f)
	}
}

// What Resize refuses, and hostile numbers. Nothing is written.
func TestResizeRefuses(t *testing.T) {
	r := image.Rect(0, 0, 4, 4)
	rgba := image.NewRGBA(r)
	dst := make([]float32, 48)
	four := image.Pt(4, 4)
	for _, c := range []struct {
		m    image.Image
		r    image.Rectangle
		t    imageslice.Tensor
		is   error
		text string
	}{
		{rgba, r, imageslice.Tensor{Resize: image.Pt(4, 0)}, slice1.ErrSize, "imageslice: Resize.Y is 0, must be at least 1"},
		{rgba, r, imageslice.Tensor{Resize: image.Pt(-4, 4)}, slice1.ErrSize, "imageslice: Resize.X is -4, must be at least 1"},
		{rgba, r, imageslice.Tensor{Resize: four, Filter: 8}, slice1.ErrSize, "imageslice: Filter is 8, must be 0 to 7"},
		{rgba, r, imageslice.Tensor{Resize: four, Filter: -1}, slice1.ErrSize, "imageslice: Filter is -1, must be 0 to 7"},
		{rgba, r, imageslice.Tensor{Resize: four, StepX: 2}, slice1.ErrStride, "imageslice: steps of 2 and 1: with Resize they must be 1 or -1"},
		{rgba, r, imageslice.Tensor{Resize: four, Width: -1}, slice1.ErrSize, "imageslice: Width is -1"},
		{rgba, image.Rect(-1, 0, 3, 4), imageslice.Tensor{Resize: four, Fill: []float32{1}}, slice1.ErrWindow, "imageslice: (-1,0)-(3,4) is not in (0,0)-(4,4)"},
		{rgba, r, imageslice.Tensor{Resize: image.Pt(math.MaxInt32, 1), Width: 4, Height: 4, Keep: true, Filter: imageslice.Lanczos, At: image.Pt(0, 9)}, nil, ""},
		{rgba, r, imageslice.Tensor{Resize: image.Pt(math.MaxInt32, 1), Width: 4, Height: 4, Keep: true, Filter: imageslice.Lanczos, At: image.Pt(1-1<<30>>4, 0)}, nil, ""},
		{rgba, r, imageslice.Tensor{Resize: image.Pt(math.MaxInt32, 4)}, nil, "x"},
		{rgba, r, imageslice.Tensor{Resize: four, At: image.Pt(math.MinInt, 0)}, slice1.ErrOverflow, fmt.Sprintf("imageslice: At.X is %d, must be %d to %d", math.MinInt, -(math.MaxInt >> 3), math.MaxInt>>3)},
	} {
		err := imageslice.Convert(dst, c.m, c.r, c.t)
		switch {
		case c.is != nil:
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.text)
		case c.text == "":
			require.NoError(t, err, "%+v", c.t)
		default:
			require.Error(t, err) // ErrOverflow where an int has 32 bits, else ErrBuffer
		}
		require.Equal(t, make([]float32, 48), dst)
	}
	require.ErrorIs(t, imageslice.Draw(rgba, r, dst, imageslice.Tensor{Resize: four}), errors.ErrUnsupported)
	tall := image.NewGray(image.Rect(0, 0, 1, 1<<15))
	wide := imageslice.Tensor{Resize: image.Pt(1<<16, 1)}
	require.ErrorIs(t, imageslice.Convert(make([]float32, 1<<16), tall, tall.Rect, wide), slice1.ErrOverflow)
}

// Pictures resized to pictures have the numbers that Convert makes, and every other byte stays.
func TestResizeOfPictures(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 9))
	bounds := image.Rect(2, 3, 41, 33)
	opaque := func(m image.Image) image.Image {
		scramble(m, rng)
		for i := range pix(m) {
			if i%4 == 3 {
				pix(m)[i] = 255
			}
		}
		return m
	}
	packed := func(order imageslice.Order) *imageslice.Pixels {
		m := packedPixels(rng, bounds, order)
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			row := m.Pix[(y-bounds.Min.Y)*m.Stride:]
			for i := range 4 * bounds.Dx() {
				if order == imageslice.BGRA && i%4 == 3 || (order == imageslice.ARGB || order == imageslice.ABGR) && i%4 == 0 {
					row[i] = 255
				}
			}
		}
		return m
	}
	grey, rgba, nrgba, cmyk := image.NewGray(bounds), image.NewRGBA(bounds), opaque(image.NewNRGBA(bounds)), image.NewCMYK(bounds)
	for _, m := range []image.Image{grey, rgba, cmyk} {
		scramble(m, rng)
	}
	palette := image.NewPaletted(bounds, color.Palette{color.RGBA{9, 99, 200, 255}, color.RGBA{250, 3, 70, 255}})
	for i := range palette.Pix {
		palette.Pix[i] = uint8(rng.IntN(2))
	}
	room := image.Rect(-3, 5, 40, 50)
	r, to := image.Rect(3, 5, 40, 31), image.Rect(1, 7, 21, 40)
	for f := imageslice.Bilinear; f <= imageslice.Linear; f++ {
		type pair struct{ dst, src image.Image }
		pairs := []pair{{image.NewGray(room).SubImage(to), grey}, {image.NewNRGBA(room).SubImage(to), nrgba}}
		for _, m := range []image.Image{rgba, cmyk, palette, ycbcr(rng, bounds, image.YCbCrSubsampleRatio420), planar(rng, bounds, image.YCbCrSubsampleRatio422, 1), packed(imageslice.ABGR)} {
			pairs = append(pairs, pair{image.NewRGBA(room).SubImage(to), m})
		}
		for o := imageslice.RGB; o <= imageslice.BGRX; o++ {
			pairs = append(pairs, pair{&imageslice.Pixels{Pix: make([]uint8, 100*to.Dy()), Stride: 100, Rect: to, Order: o}, packed(o)})
		}
		for _, p := range pairs {
			want := make([]uint8, 3*to.Dx()*to.Dy())
			channels := len(samplesAt(p.src, r.Min.X, r.Min.Y))
			require.NoError(t, imageslice.Convert(want[:channels*to.Dx()*to.Dy()], p.src, r, imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC, Resize: to.Size(), Filter: f}))
			require.NoError(t, imageslice.Resize(p.dst, p.src, r, f))
			for y := to.Min.Y; y < to.Max.Y; y++ {
				for x := to.Min.X; x < to.Max.X; x++ {
					for _, v := range samplesAt(p.dst, x, y) {
						require.EqualValues(t, want[0], v, "%T of %T at %d,%d", p.dst, p.src, x, y)
						want = want[1:]
					}
					if p.src != image.Image(rgba) {
						require.EqualValues(t, 0xffff, alphaOf(p.dst.At(x, y)))
					}
				}
			}
			if p.src == image.Image(rgba) { // alpha is a sample as the others
				alphas := image.NewGray(bounds)
				for i := range alphas.Pix {
					alphas.Pix[i] = rgba.Pix[4*i+3]
				}
				small := image.NewGray(to)
				require.NoError(t, imageslice.Resize(small, alphas, r, f))
				for i, v := range small.Pix {
					require.Equal(t, v, p.dst.(*image.RGBA).RGBAAt(to.Min.X+i%20, to.Min.Y+i/20).A)
				}
			}
		}
	}
	around := image.NewRGBA(room)
	require.NoError(t, imageslice.Resize(around.SubImage(to), palette, r, imageslice.Box))
	for y := room.Min.Y; y < room.Max.Y; y++ {
		for x := room.Min.X; x < room.Max.X; x++ {
			require.Equal(t, image.Pt(x, y).In(to), around.RGBAAt(x, y).A == 255)
		}
	}

	clear := image.NewNRGBA(bounds)
	clearPixels := packed(imageslice.ABGR)
	clearPixels.Pix[4*(5-2)+3*clearPixels.Stride] = 254
	empty := image.NewNRGBA(to)
	for _, c := range []struct {
		dst, src image.Image
		r        image.Rectangle
		is       error
	}{
		{empty, clear, r, errors.ErrUnsupported},
		{&imageslice.Pixels{Pix: make([]uint8, 100*to.Dy()), Stride: 100, Rect: to, Order: imageslice.BGR}, clearPixels, r, errors.ErrUnsupported},
		{empty, rgba, r, errors.ErrUnsupported},
		{image.NewRGBA64(to), image.NewRGBA64(bounds), r, errors.ErrUnsupported},
		{image.NewRGBA(to), nil, r, errors.ErrUnsupported},
		{nil, rgba, r, errors.ErrUnsupported},
		{image.NewRGBA(to), rgba, room, slice1.ErrWindow},
		{image.NewRGBA(image.Rectangle{}), rgba, r, slice1.ErrEmpty},
		{rgba.SubImage(r), rgba, r, slice1.ErrOverlap},
	} {
		require.ErrorIs(t, imageslice.Resize(c.dst, c.src, c.r, imageslice.Box), c.is, "%T of %T", c.dst, c.src)
	}
	require.ErrorIs(t, imageslice.Resize(image.NewRGBA(to), rgba, r, -1), slice1.ErrSize)
	require.ErrorIs(t, imageslice.Resize(image.NewRGBA(to), rgba, r, imageslice.Box, slice1.WithCandidate("x")), errors.ErrUnsupported)
	require.Equal(t, make([]uint8, len(empty.Pix)), empty.Pix)
}

// The numbers of torchvision's Resize and CenterCrop.
func TestResizeCrop(t *testing.T) {
	for _, c := range []struct {
		r           image.Rectangle
		short, crop int
		resize, at  image.Point
	}{
		{image.Rect(5, 7, 645, 487), 256, 224, image.Pt(341, 256), image.Pt(-58, -16)},
		{image.Rect(0, 0, 480, 640), 256, 224, image.Pt(256, 341), image.Pt(-16, -58)},
		{image.Rect(0, 0, 300, 300), 224, 224, image.Pt(224, 224), image.Point{}},
		{image.Rect(0, 0, 7, 4), 4, 4, image.Pt(7, 4), image.Pt(-2, 0)}, // 1.5 becomes 2
		{image.Rect(0, 0, 5, 4), 4, 4, image.Pt(5, 4), image.Point{}},   // 0.5 becomes 0
		{image.Rect(0, 0, 9, 4), 4, 7, image.Pt(9, 4), image.Pt(-1, 1)}, // smaller than the crop on an axis
	} {
		got := imageslice.Tensor{BGR: true}.ResizeCrop(c.r, c.short, c.crop)
		require.True(t, got.BGR)
		require.Equal(t, []image.Point{c.resize, c.at, {c.crop, c.crop}}, []image.Point{got.Resize, got.At, {got.Width, got.Height}}, "%v", c.r)
	}
	m := image.NewRGBA(image.Rect(0, 0, 30, 20))
	for _, c := range [][2]int{{0, 10}, {-1, 10}, {10, 0}, {10, -1}} {
		dst := make([]float32, 3*30*30)
		err := imageslice.Convert(dst, m, m.Bounds(), imageslice.Tensor{}.ResizeCrop(m.Bounds(), c[0], c[1]))
		require.ErrorIs(t, err, slice1.ErrSize, c)
		require.Equal(t, make([]float32, len(dst)), dst)
	}
}
