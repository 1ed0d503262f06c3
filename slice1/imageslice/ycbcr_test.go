package imageslice_test

import (
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

var ratios = []image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
	image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
}

func ycbcr(rng *rand.Rand, r image.Rectangle, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	m := image.NewYCbCr(r, ratio)
	for _, plane := range [][]uint8{m.Y, m.Cb, m.Cr} {
		for i := range plane {
			plane[i] = uint8(rng.Uint32())
		}
	}
	return m
}

// rectangle reads the first four numbers of a text as a rectangle.
func rectangle(t *testing.T, text string) (r image.Rectangle) {
	n := []int{}
	for _, digits := range regexp.MustCompile(`-?\d+`).FindAllString(text, 4) {
		v, err := strconv.Atoi(digits)
		require.NoError(t, err)
		n = append(n, v)
	}
	return image.Rectangle{image.Pt(n[0], n[1]), image.Pt(n[2], n[3])}
}

var nearest = regexp.MustCompile(`cell of chroma, (\(.*\)) does`)

// Every pixel keeps its samples, or the steps are refused, or the error names the rectangle that
// Fit returns. With that rectangle every pixel keeps its samples, unless it is empty.
func TestSlicesOfChroma(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	count := map[string]int{}
	for range 3000 {
		src := ycbcr(rng, image.Rect(3, 2, 24, 19), ratios[rng.IntN(len(ratios))])
		if rng.IntN(2) == 0 {
			src = src.SubImage(random(rng, src.Rect)).(*image.YCbCr)
		}
		r, dx, dy := random(rng, src.Rect), []int{1, -1, 2, -2, 4, -4, 3, -6}[rng.IntN(8)], []int{1, -1, 2, -2, 4, -4, 3}[rng.IntN(7)]
		name := fmt.Sprintf("%v %v of %v, %d %d", src.SubsampleRatio, r, src.Rect, dx, dy)
		got, err := imageslice.Slice(src, r, dx, dy)
		if errors.Is(err, slice1.ErrStride) {
			count["step"]++
			continue
		}
		if err != nil {
			require.ErrorIs(t, err, slice1.ErrWindow, name)
			near := imageslice.Fit(src, r, dx, dy)
			named := rectangle(t, nearest.FindStringSubmatch(err.Error())[1])
			if named.Empty() || near.Empty() {
				count["no rectangle"]++
				continue
			}
			require.Equal(t, near, named, name)
			r = near
			got, err = imageslice.Slice(src, r, dx, dy)
			count["fitted"]++
		}
		require.NoError(t, err, name)
		count["sliced"]++
		require.Equal(t, image.Rect(0, 0, positions(r.Dx(), dx), positions(r.Dy(), dy)), got.Rect, name)
		for y := range got.Rect.Dy() {
			for x := range got.Rect.Dx() {
				require.Equal(t, at(src, r, dx, dy, x, y), got.At(x, y), name)
			}
		}
		dst := ycbcr(rng, image.Rect(8, 8, 8+got.Rect.Dx(), 8+got.Rect.Dy()), got.SubsampleRatio)
		require.NoError(t, imageslice.Copy(dst, src, r, dx, dy), name)
		for _, planes := range [][2][]uint8{{got.Y, dst.Y}, {got.Cb, dst.Cb}, {got.Cr, dst.Cr}} {
			require.Equal(t, planes[0], planes[1])
		}
	}
	for what, least := range map[string]int{"step": 300, "fitted": 200, "sliced": 1000} {
		assert.Greater(t, count[what], least, what)
	}
}

func TestChromaThatDoesNotFit(t *testing.T) {
	whole := image.Rect(0, 0, 8, 6)
	rng := rand.New(rand.NewPCG(14, 2))
	src := ycbcr(rng, whole, image.YCbCrSubsampleRatio420)
	for name, c := range map[string]struct {
		dst, src *image.YCbCr
		want     error
	}{
		"another ratio": {ycbcr(rng, whole, image.YCbCrSubsampleRatio444), src, slice1.ErrDataType},
		"begins within a cell": {ycbcr(rng, whole, image.YCbCrSubsampleRatio420).SubImage(image.Rect(1, 0, 8, 6)).(*image.YCbCr),
			src, slice1.ErrWindow},
		"planes crossed":       {&image.YCbCr{Y: src.Cb, Cb: make([]uint8, 12), Cr: make([]uint8, 12), YStride: 4, CStride: 2, Rect: image.Rect(0, 0, 4, 2), SubsampleRatio: src.SubsampleRatio}, src, slice1.ErrOverlap},
		"itself":               {src, src, slice1.ErrOverlap},
		"larger":               {ycbcr(rng, image.Rect(0, 0, 10, 6), image.YCbCrSubsampleRatio420), src, slice1.ErrOutput},
		"unknown ratio":        {src, &image.YCbCr{Y: src.Y, Cb: src.Cb, Cr: src.Cr, YStride: 8, CStride: 4, Rect: whole, SubsampleRatio: 77}, errors.ErrUnsupported},
		"before 0":             {src, image.NewYCbCr(image.Rect(-2, 0, 6, 6), image.YCbCrSubsampleRatio420), errors.ErrUnsupported},
		"no pixels":            {src, new(image.YCbCr), slice1.ErrEmpty},
		"short chroma":         {src, &image.YCbCr{Y: src.Y, Cb: src.Cb[:11], Cr: src.Cr, YStride: 8, CStride: 4, Rect: whole, SubsampleRatio: src.SubsampleRatio}, slice1.ErrBuffer},
		"short rows of chroma": {src, &image.YCbCr{Y: src.Y, Cb: src.Cb, Cr: src.Cr, YStride: 8, CStride: 3, Rect: whole, SubsampleRatio: src.SubsampleRatio}, slice1.ErrStride},
	} {
		before := slices.Concat(c.dst.Y, c.dst.Cb, c.dst.Cr)
		err := imageslice.Copy(c.dst, c.src, c.src.Rect, 1, 1)
		require.ErrorIs(t, err, c.want, name)
		require.Equal(t, before, slices.Concat(c.dst.Y, c.dst.Cb, c.dst.Cr), name)
	}
	_, err := imageslice.Slice(src, image.Rect(1, 1, 7, 5), 1, 1)
	require.EqualError(t, err, "imageslice: (1,1)-(7,5) in steps of 1 and 1 does not begin with a cell of chroma, (0,0)-(7,5) does")
	_, err = imageslice.Slice(src, whole, 3, 1)
	require.EqualError(t, err, "imageslice: steps of 3 and 1 through cells of chroma of (2,2) pixels: through 2 pixels they must be 1 or a multiple of 2")
}

func TestPalettesAreKept(t *testing.T) {
	m := image.NewPaletted(image.Rect(0, 0, 2, 1), colours)
	m.Pix = []uint8{3, 9}
	got, err := imageslice.Slice(m, m.Rect, -1, 1)
	require.NoError(t, err)
	assert.Equal(t, []uint8{9, 3}, got.Pix)
	assert.Equal(t, colours, got.Palette)
	other := image.NewPaletted(m.Rect, colours[:10])
	require.ErrorIs(t, imageslice.Copy(other, m, m.Rect, 1, 1), slice1.ErrDataType)
	assert.Equal(t, []uint8{0, 0}, other.Pix)
}

func TestRectanglesWithinPictures(t *testing.T) {
	gray := image.NewGray(image.Rect(-3, 2, 7, 12))
	assert.Equal(t, image.Rect(-3, 4, 2, 12), imageslice.Fit(gray, image.Rect(-774, 4, 2, 99), 1, -1))
	assert.Equal(t, image.Rect(0, 5, 4, 9), imageslice.Center(gray, 4, 4))
	assert.Equal(t, gray.Rect, imageslice.Center(gray, 2000, 2000))
	assert.Zero(t, imageslice.Fit(gray, image.Rect(7, 0, 9, 9), 1, 1))
	assert.Zero(t, imageslice.Center(gray, -1, 3))
	for _, none := range []image.Image{nil, (*image.Gray)(nil), (*image.YCbCr)(nil), new(image.RGBA)} {
		assert.Zero(t, imageslice.Fit(none, image.Rect(0, 0, 9, 9), 1, 1))
	}
	jpeg := image.NewYCbCr(image.Rect(0, 0, 31, 21), image.YCbCrSubsampleRatio420)
	for w := 1; w < 40; w++ {
		for _, dx := range []int{1, -1} {
			r := imageslice.Fit(jpeg, imageslice.Center(jpeg, w, w), dx, dx)
			got, err := imageslice.Slice(jpeg, r, dx, dx)
			require.NoError(t, err, r)
			assert.InDelta(t, min(w, 31), got.Rect.Dx(), 1)
		}
	}
}

func TestCenterOfAPictureFarFromTheOrigin(t *testing.T) {
	x, y := 1<<30+100, -1<<30-106
	if strconv.IntSize == 64 {
		x, y = x<<10, y<<10
	}
	far := image.Rect(x, y, x+8, y+6)
	m := &image.Gray{Pix: make([]uint8, 48), Stride: 8, Rect: far}
	assert.Equal(t, far.Inset(2), imageslice.Center(m, 4, 2))
	assert.Equal(t, far, imageslice.Center(m, 100, 100))
	assert.Zero(t, imageslice.Center((*image.Gray)(nil), 4, 2))
	assert.Zero(t, imageslice.Center(nil, 4, 2))
}

func TestANilPictureIsNamedNil(t *testing.T) {
	_, _, err := imageslice.View((*image.RGBA)(nil))
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.EqualError(t, err, "imageslice: the picture is nil (*image.RGBA); what returned it may have returned an error, too")
	_, err = imageslice.Slice[image.Image](nil, image.Rect(0, 0, 1, 1), 1, 1)
	require.ErrorContains(t, err, "the picture is nil")
	_, err = imageslice.Slice((*image.YCbCr)(nil), image.Rect(0, 0, 1, 1), 1, 1)
	require.ErrorContains(t, err, "the picture is nil")
}
