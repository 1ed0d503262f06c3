package imageslice_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"math"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// refusals are errors of all functions, by their texts after the package's name. An empty text
// leaves the text open.
func refusals() []struct {
	text string
	err  error
} {
	r := image.Rect(0, 0, 4, 4)
	rgba, grey, odd := image.NewRGBA(r), image.NewGray(r), image.NewUniform(color.Black)
	jpeg := image.NewYCbCr(image.Rect(0, 0, 8, 8), image.YCbCrSubsampleRatio420)
	numbers := make([]float32, 48)
	var all []struct {
		text string
		err  error
	}
	add := func(text string, err error) {
		all = append(all, struct {
			text string
			err  error
		}{text, err})
	}
	type tensor = imageslice.Tensor
	convert := func(text string, m image.Image, r image.Rectangle, t tensor) {
		add(text, imageslice.Convert(numbers, m, r, t))
	}
	draw := func(text string, m image.Image, src []float32, t tensor) {
		add(text, imageslice.Draw(m, m.Bounds(), src, t))
	}
	slice := func(text string, m image.Image, r image.Rectangle, dx, dy int) {
		_, err := imageslice.Slice(m, r, dx, dy)
		add(text, err)
		if _, err := (tensor{}).Size(m, r); err != nil {
			add("", err)
		}
	}
	view := func(text string, m image.Image) {
		_, _, err := imageslice.View(m)
		add(text, err)
		add("", imageslice.Copy(m, rgba, r, 1, 1))
	}
	frame := func(text string, edit func(f *imageslice.Frame)) {
		f := frame444(edit)
		add(text, imageslice.ToRGBA(image.NewRGBA(image.Rect(0, 0, 1, 1)), f, image.Rect(0, 0, 1, 1)))
		convert(text, f, image.Rect(0, 0, 1, 1), tensor{})
		slice(text, f, image.Rect(0, 0, 1, 1), 1, 1)
	}

	frame("Matrix is 3, must be 0 to 2: BT601, BT709 or BT2020", func(f *imageslice.Frame) { f.Matrix = 3 })
	frame("Matrix is 9, must be 0 to 2: BT601, BT709 or BT2020", func(f *imageslice.Frame) { f.Matrix = 9 })
	frame("Matrix is -1, must be 0 to 2: BT601, BT709 or BT2020", func(f *imageslice.Frame) { f.Matrix = -1 })
	frame("CStep is -2, must be at least 0", func(f *imageslice.Frame) { f.CStep = -2 })
	frame("Y has 63 bytes, the picture takes 64", func(f *imageslice.Frame) { f.Y = f.Y[1:] })
	frame("YStride is 7 bytes, a row takes 8", func(f *imageslice.Frame) { f.YStride = 7 })
	frame("", func(f *imageslice.Frame) { f.CStep = math.MaxInt })
	frame("", func(f *imageslice.Frame) { f.CStride = math.MaxInt })
	frame("", func(f *imageslice.Frame) { f.Ratio = 99 })
	frame("", func(f *imageslice.Frame) { f.Rect = image.Rect(-1, 0, 7, 8) })
	frame("", func(f *imageslice.Frame) { f.Rect = image.Rectangle{} })
	for text, sizes := range map[string][3]int{
		"width is -1, must be at least 1":             {-1, 2, 0},
		"height is -9, must be at least 1":            {2, -9, 0},
		"stride is 3 bytes, a row takes 4":            {4, 2, 3},
		"pix has 5 bytes, the frame takes 6":          {2, 2, 0},
		"a frame of 0 x 2 pixels: the slice is empty": {0, 2, 0},
		"": {math.MaxInt, math.MaxInt, 0},
	} {
		_, err := imageslice.NV12(make([]uint8, 5), sizes[0], sizes[1], sizes[2])
		add(text, err)
	}

	view("Stride is 15 bytes, a row takes 16", &image.RGBA{Pix: make([]uint8, 64), Stride: 15, Rect: r})
	view("Stride is 33 bytes, a sample takes 2", &image.RGBA64{Pix: make([]uint8, 200), Stride: 33, Rect: r})
	view("Pix has 60 bytes, the picture takes 64", &image.RGBA{Pix: make([]uint8, 60), Stride: 16, Rect: r})
	view("", &image.RGBA{Pix: make([]uint8, 64), Stride: math.MaxInt, Rect: image.Rect(0, 0, math.MaxInt, 2)})
	view("", &image.RGBA64{Pix: make([]uint8, 64), Stride: math.MaxInt - 7, Rect: image.Rect(0, 0, 2, math.MaxInt)})
	view("", &image.Gray{Pix: make([]uint8, 64), Stride: 8, Rect: image.Rect(math.MinInt, 0, math.MaxInt, 1)})
	view("Order is 6, must be 0 to 5", &imageslice.Pixels{Pix: make([]uint8, 64), Stride: 16, Rect: r, Order: 6})
	view("", odd)
	view("", jpeg)
	view("", (*image.RGBA)(nil))
	view("", image.NewGray(image.Rectangle{}))

	slice("", rgba, image.Rect(0, 0, 5, 4), 1, 1)
	slice("", rgba, image.Rectangle{}, 1, 1)
	slice("", rgba, r, 0, 1)
	slice("", jpeg, image.Rect(0, 0, 8, 8), 3, 1)
	slice("", jpeg, image.Rect(1, 1, 7, 7), 1, 1)
	add("", imageslice.Copy(rgba, grey, r, 1, 1))
	add("", imageslice.Copy(image.NewRGBA(image.Rect(0, 0, 9, 9)), rgba, r, 1, 1))
	add("dst and src share 64 bytes, none of which may be both read and written", imageslice.Copy(rgba, rgba, r, -1, 1))
	add("", imageslice.OrientInto(rgba, rgba, 3))
	add("", imageslice.OrientInto(rgba, rgba, 0))
	add("", imageslice.ToRGBA(rgba, rgba, r))
	add("", imageslice.ToRGBA(image.NewRGBA(image.Rect(0, 0, 9, 9)), jpeg, jpeg.Rect))
	add("*image.Gray is no picture that ToRGBA reads; it reads *Frame, *Pixels and *image.YCbCr, and image/draw the others", imageslice.ToRGBA(rgba, grey, r))

	add("dst is uint16, Tensor.Type is float32, because it is not set", imageslice.Convert(make([]uint16, 48), rgba, r, tensor{}))
	convert("dst is float32, Tensor.Type is float16", rgba, r, tensor{Type: slice1.Float16})
	convert("dst is float32, Tensor.Type is float64", rgba, r, tensor{Type: slice1.Float64})
	convert("dst is float32, Tensor.Type is DataType(99)", rgba, r, tensor{Type: 99})
	draw("src is float32, Tensor.Type is uint8", rgba, numbers, tensor{Type: slice1.Uint8})
	draw("src has 16 values, a tensor of shape [3 4 4] has 48; Channels: 1 makes it 16", rgba, numbers[:16], tensor{})
	draw("src has 15 values, a tensor of shape [3 4 4] has 48", rgba, numbers[:15], tensor{})
	draw("src has 48 values, a tensor of shape [1 4 4] has 16", grey, numbers, tensor{})
	draw("*image.Alpha is no picture that Draw writes; it writes *image.RGBA, NRGBA, Gray, RGBA64, NRGBA64, Gray16 and *imageslice.Pixels", image.NewAlpha(r), numbers[:16], tensor{})
	convert("dst has 48 values, a tensor of shape [1 4 4] has 16; Channels: 3 makes it 48", grey, r, tensor{})
	convert("Affine.Scale has 2 values, the tensor 3 channels: must have one for each or one for all", rgba, r, tensor{Affine: slice1.Affine{Scale: []float32{1, 2}}})
	convert("Fill has 2 values, the tensor 3 channels: must have one for each or one for all", rgba, r, tensor{Fill: []float32{1, 2}})
	for _, t := range []tensor{{Layout: 9}, {Channels: 2}, {Channels: 1}, {Orientation: 9}, {Width: -1}, {Width: 2}, {At: image.Pt(1, 0)}, {Width: math.MaxInt, Height: math.MaxInt}} {
		convert("", rgba, r, t)
		draw("", rgba, numbers, t)
	}
	add("", imageslice.Convert(rgba.Pix[:48], rgba, r, tensor{Type: slice1.Uint8}))
	convert("", nil, r, tensor{})
	convert("", rgba, image.Rect(math.MinInt, 0, math.MaxInt, 2), tensor{Fill: []float32{0}})
	return all
}

// Errors of this package begin with its name, also if package slice1 found them. Their sentences
// take no number for a data type.
func TestErrorsNameThePackage(t *testing.T) {
	for i, c := range refusals() {
		require.Error(t, c.err, "%d: %s", i, c.text)
		require.Regexp(t, "^imageslice: ", c.err.Error())
		require.NotContains(t, c.err.Error(), "slice1: ")
		require.NotContains(t, c.err.Error(), "WithNumbers")
		if c.text != "" {
			require.EqualError(t, c.err, "imageslice: "+c.text)
		}
	}
}

// An error about a field names it, and the values found and allowed.
func TestErrorsHavePlaces(t *testing.T) {
	f := frame444(func(f *imageslice.Frame) { f.Matrix = 9 })
	err := imageslice.Convert(make([]float32, 3), f, image.Rect(0, 0, 1, 1), imageslice.Tensor{})
	var place *slice1.DescError
	require.ErrorAs(t, err, &place)
	require.Equal(t, slice1.DescError{Field: "Matrix", Axis: -1, Got: 9, Limit: 2, Err: place.Err}, *place)
	require.ErrorIs(t, err, slice1.ErrDataType)
	m := image.NewRGBA(image.Rect(0, 0, 4, 4))
	err = imageslice.Copy(m, m, m.Rect, -1, 1) // package slice1 finds this one
	require.ErrorAs(t, err, &place)
	require.Equal(t, slice1.DescError{Field: "dst", Axis: -1, Got: 64, Err: place.Err}, *place)
	require.ErrorIs(t, err, slice1.ErrOverlap)
	require.False(t, errors.Is(err, slice1.ErrBuffer))
}

// The service's handler refuses a picture that claims too many pixels before it makes room for
// them.
func TestServiceRefusesBombs(t *testing.T) {
	file := bomb()
	require.Less(t, len(file), 10_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := httptest.NewRecorder()
	cropped(w, httptest.NewRequest("POST", "/", bytes.NewReader(file)))
	runtime.ReadMemStats(&after)
	require.Equal(t, 400, w.Code)
	require.Equal(t, "50000 x 50000 pixels are too many\n", w.Body.String())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
