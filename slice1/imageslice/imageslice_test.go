package imageslice_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// pictures returns a picture of each type that View takes, with the given bounds.
func pictures(r image.Rectangle) []draw.Image {
	return []draw.Image{
		image.NewGray(r), image.NewAlpha(r), image.NewRGBA(r), image.NewNRGBA(r), image.NewCMYK(r),
		image.NewGray16(r), image.NewAlpha16(r), image.NewRGBA64(r), image.NewNRGBA64(r), image.NewPaletted(r, colours),
	}
}

// colours are 256 different colours.
var colours = func() (p color.Palette) {
	for i := range 256 {
		p = append(p, color.RGBA{uint8(i), uint8(i * 7), uint8(255 - i), 255})
	}
	return p
}()

func pix(m image.Image) []uint8 {
	return reflect.ValueOf(m).Elem().FieldByName("Pix").Bytes()
}

func scramble(m image.Image, rng *rand.Rand) {
	p := pix(m)
	for i := range p {
		p[i] = uint8(rng.Uint32())
	}
}

// at returns the pixel that slicing moves to x, y, read by package image's own methods.
func at(m image.Image, r image.Rectangle, dx, dy, x, y int) color.Color {
	left, top := r.Min.X, r.Min.Y
	if dx < 0 {
		left = r.Max.X - 1
	}
	if dy < 0 {
		top = r.Max.Y - 1
	}
	return m.At(left+dx*x, top+dy*y)
}

func positions(n, step int) int { return (n + max(step, -step) - 1) / max(step, -step) }

// random returns a rectangle in b that is not empty.
func random(rng *rand.Rand, b image.Rectangle) image.Rectangle {
	x, y := b.Min.X+rng.IntN(b.Dx()), b.Min.Y+rng.IntN(b.Dy())
	return image.Rect(x, y, x+1+rng.IntN(b.Max.X-x), y+1+rng.IntN(b.Max.Y-y))
}

func step(rng *rand.Rand) int { return []int{1, -1, 2, -2, 3, -4, 7}[rng.IntN(7)] }

// Slice takes the right pixels of every type that View takes, of whole pictures and sub-images,
// with steps of both signs.
func TestSliceTakesThePixelsItSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for range 300 {
		for _, m := range pictures(image.Rect(-3, 5, 14, 18)) {
			scramble(m, rng)
			var src image.Image = m
			if rng.IntN(2) == 0 {
				src = m.(interface {
					SubImage(image.Rectangle) image.Image
				}).SubImage(random(rng, m.Bounds()))
			}
			r, dx, dy := random(rng, src.Bounds()), step(rng), step(rng)
			name := fmt.Sprintf("%T %v of %v, %d %d", src, r, src.Bounds(), dx, dy)
			got, err := imageslice.Slice(src, r, dx, dy)
			require.NoError(t, err, name)
			require.IsType(t, src, got)
			require.Equal(t, image.Rect(0, 0, positions(r.Dx(), dx), positions(r.Dy(), dy)), got.Bounds(), name)
			for y := range got.Bounds().Dy() {
				for x := range got.Bounds().Dx() {
					require.Equal(t, at(src, r, dx, dy, x, y), got.At(x, y), name)
				}
			}
		}
	}
}

// Copy into a part of a picture leaves its other pixels unchanged.
func TestCopyWritesItsPixelsAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	for range 200 {
		dsts, srcs := pictures(image.Rect(1, 2, 21, 19)), pictures(image.Rect(-3, 5, 14, 18))
		for i, src := range srcs {
			scramble(src, rng)
			scramble(dsts[i], rng)
			r, dx, dy := random(rng, src.Bounds()), step(rng), step(rng)
			// Sometimes dst has fewer columns and rows than the slice.
			w, h := 1+rng.IntN(positions(r.Dx(), dx)), 1+rng.IntN(positions(r.Dy(), dy))
			x, y := 1+rng.IntN(20-w+1), 2+rng.IntN(17-h+1)
			place := image.Rect(x, y, x+w, y+h)
			before := append([]uint8(nil), pix(dsts[i])...)
			part := dsts[i].(interface {
				SubImage(image.Rectangle) image.Image
			}).SubImage(place)
			require.NoError(t, imageslice.Copy(part, src, r, dx, dy))
			after := append([]uint8(nil), pix(dsts[i])...)
			copy(pix(dsts[i]), before)
			for y := range h {
				for x := range w {
					dsts[i].Set(place.Min.X+x, place.Min.Y+y, at(src, r, dx, dy, x, y))
				}
			}
			require.Equal(t, pix(dsts[i]), after, "%T", src)
		}
	}
}

func TestViewIsThePictureItself(t *testing.T) {
	m := image.NewNRGBA64(image.Rect(0, 0, 7, 5))
	scramble(m, rand.New(rand.NewPCG(13, 3)))
	part := m.SubImage(image.Rect(2, 1, 5, 4)).(*image.NRGBA64)
	pix, tensor, err := imageslice.View(part)
	require.NoError(t, err)
	assert.Same(t, &part.Pix[0], &pix[0])
	assert.Equal(t, slice1.TensorDesc{DataType: slice1.Uint16, Sizes: []int{3, 3, 4}, Strides: []int{28, 4, 1}}, tensor)
}

func TestPicturesThatCanNotBeSliced(t *testing.T) {
	whole := image.Rect(0, 0, 4, 4)
	rgba := image.NewRGBA(whole)
	wide, high := slice1.ErrOverflow, slice1.ErrOverflow
	if strconv.IntSize == 32 { // bytes are counted in 63 bits
		wide, high = slice1.ErrStride, slice1.ErrBuffer
	}
	for _, c := range []struct {
		name string
		m    image.Image
		want error
	}{
		{"nil", nil, errors.ErrUnsupported},
		{"nil picture", (*image.RGBA)(nil), errors.ErrUnsupported},
		{"nil planes", (*image.YCbCr)(nil), errors.ErrUnsupported},
		{"nil palette", (*image.Paletted)(nil), errors.ErrUnsupported},
		{"colour", image.NewUniform(color.White), errors.ErrUnsupported},
		{"zero value", new(image.RGBA), slice1.ErrEmpty},
		{"rectangle inside out", &image.Gray{Pix: make([]uint8, 16), Stride: 4, Rect: image.Rectangle{image.Pt(4, 4), image.Pt(0, 0)}}, slice1.ErrEmpty},
		{"wider than int", &image.Gray{Pix: make([]uint8, 16), Stride: 4, Rect: image.Rectangle{image.Pt(math.MinInt, 0), image.Pt(math.MaxInt, 1)}}, slice1.ErrOverflow},
		{"too wide", &image.RGBA64{Pix: make([]uint8, 16), Stride: 4, Rect: image.Rect(0, 0, math.MaxInt, 1)}, wide},
		{"too high", &image.RGBA{Pix: make([]uint8, 16), Stride: 16, Rect: image.Rect(0, 0, 4, math.MaxInt)}, high},
		{"Pix too short", &image.RGBA{Pix: rgba.Pix[:63], Stride: 16, Rect: whole}, slice1.ErrBuffer},
		{"no Pix", &image.RGBA{Stride: 16, Rect: whole}, slice1.ErrBuffer},
		{"Stride 0", &image.RGBA{Pix: rgba.Pix, Rect: whole}, slice1.ErrStride},
		{"Stride too short", &image.RGBA{Pix: rgba.Pix, Stride: 15, Rect: whole}, slice1.ErrStride},
		{"Stride negative", &image.RGBA{Pix: rgba.Pix, Stride: -16, Rect: whole}, slice1.ErrStride},
		{"Stride odd", &image.Gray16{Pix: rgba.Pix, Stride: 9, Rect: whole}, slice1.ErrStride},
	} {
		t.Run(c.name, func(t *testing.T) {
			pix, tensor, err := imageslice.View(c.m)
			require.ErrorIs(t, err, c.want)
			assert.Nil(t, pix)
			assert.Zero(t, tensor)
			got, err := imageslice.Slice(c.m, whole, 1, 1)
			require.ErrorIs(t, err, c.want)
			assert.Nil(t, got)
			require.ErrorIs(t, imageslice.Copy(rgba, c.m, whole, 1, 1), c.want)
			require.ErrorIs(t, imageslice.Copy(c.m, rgba, whole, 1, 1), c.want)
		})
	}
}

func TestWhatDoesNotFit(t *testing.T) {
	whole := image.Rect(0, 0, 4, 4)
	rgba := image.NewRGBA(whole)
	for _, c := range []struct {
		name   string
		dst    image.Image
		r      image.Rectangle
		dx, dy int
		want   error
	}{
		{"outside", image.NewRGBA(whole), image.Rect(1, 1, 5, 2), 1, 1, slice1.ErrWindow},
		{"far outside", image.NewRGBA(whole), image.Rect(math.MinInt, math.MinInt, math.MaxInt, math.MaxInt), 1, 1, slice1.ErrWindow},
		{"empty", image.NewRGBA(whole), image.Rect(2, 2, 2, 3), 1, 1, slice1.ErrEmpty},
		{"dx 0", image.NewRGBA(whole), whole, 0, 1, slice1.ErrStride},
		{"dy 0", image.NewRGBA(whole), whole, 1, 0, slice1.ErrStride},
		{"larger dst", image.NewRGBA(whole), whole, 1, 2, slice1.ErrOutput},
		{"another type", image.NewNRGBA(whole), whole, 1, 1, slice1.ErrDataType},
		{"the same", rgba, whole, -1, 1, slice1.ErrOverlap},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.ErrorIs(t, imageslice.Copy(c.dst, rgba, c.r, c.dx, c.dy), c.want)
			for _, v := range pix(c.dst) {
				require.Zero(t, v)
			}
			if c.want == slice1.ErrWindow || c.want == slice1.ErrEmpty || c.want == slice1.ErrStride {
				got, err := imageslice.Slice(rgba, c.r, c.dx, c.dy)
				require.ErrorIs(t, err, c.want)
				require.NotNil(t, got, "a nil pointer would be an image.Image that is not nil")
				require.True(t, got.Bounds().Empty())
			}
		})
	}
}

// The picture that the README shows, made by the command from index text.
func TestPictureOfTheREADME(t *testing.T) {
	before, after := decode(t, "chelsea.png"), decode(t, "chelsea_sliced.png")
	got, err := imageslice.Slice(before, image.Rect(101, 20, 421, 260), -2, 2)
	require.NoError(t, err)
	require.Equal(t, after, got)
}

func decode(t *testing.T, name string) *image.RGBA {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", name))
	require.NoError(t, err)
	defer f.Close()
	m, err := png.Decode(f)
	require.NoError(t, err)
	require.IsType(t, new(image.RGBA), m)
	return m.(*image.RGBA)
}

func TestLargestSteps(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 3, 2))
	copy(m.Pix, []uint8{1, 2, 3, 4, 5, 6})
	for _, c := range []struct {
		dx, dy int
		want   uint8
	}{{math.MaxInt, math.MaxInt, 1}, {math.MinInt, math.MaxInt, 3}, {math.MinInt, math.MinInt, 6}} {
		got, err := imageslice.Slice(m, m.Rect, c.dx, c.dy)
		require.NoError(t, err)
		assert.Equal(t, []uint8{c.want}, got.Pix)
	}
}
