package imageslice_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"net/http/httptest"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/testdata/sentencetest"
)

// want makes the row of an error.
type want func(err error) sentencetest.Row

// plain is a want for an error that is no DescError.
func plain(text string, sentinel error) want {
	return func(err error) sentencetest.Row { return sentencetest.Plain(err, text, sentinel) }
}

// field is a want for an error of a field.
func field(text string, sentinel error, name string, got, limit int64) want {
	return func(err error) sentencetest.Row {
		return sentencetest.Place(err, text, sentinel, name, -1, got, limit)
	}
}

// rowsOfRefusals are the errors of all functions.
func rowsOfRefusals() (rows []sentencetest.Row) {
	r := image.Rect(0, 0, 4, 4)
	rgba, grey, odd := image.NewRGBA(r), image.NewGray(r), image.NewUniform(color.Black)
	jpeg := image.NewYCbCr(image.Rect(0, 0, 8, 8), image.YCbCrSubsampleRatio420)
	numbers := make([]float32, 48)
	add := func(w want, err error) { rows = append(rows, w(err)) }
	type tensor = imageslice.Tensor
	convert := func(w want, m image.Image, r image.Rectangle, t tensor) {
		add(w, imageslice.Convert(numbers, m, r, t))
	}
	draw := func(w want, m image.Image, src []float32, t tensor) {
		add(w, imageslice.Draw(m, m.Bounds(), src, t))
	}
	slice := func(w want, m image.Image, r image.Rectangle, dx, dy int) {
		_, err := imageslice.Slice(m, r, dx, dy)
		add(w, err)
		if _, err := (tensor{}).Size(m, r); err != nil {
			add(w, err)
		}
	}
	view := func(w want, m image.Image) {
		_, _, err := imageslice.View(m)
		add(w, err)
		add(w, imageslice.Copy(m, rgba, r, 1, 1))
	}
	frame := func(w want, edit func(f *imageslice.Frame)) {
		f := frame444(edit)
		add(w, imageslice.ToRGBA(image.NewRGBA(image.Rect(0, 0, 1, 1)), f, image.Rect(0, 0, 1, 1)))
		convert(w, f, image.Rect(0, 0, 1, 1), tensor{})
		slice(w, f, image.Rect(0, 0, 1, 1), 1, 1)
	}

	frame(field("Matrix is 3, must be 0 to 2: BT601, BT709 or BT2020", slice1.ErrDataType, "Matrix", 3, 2), func(f *imageslice.Frame) { f.Matrix = 3 })
	frame(field("Colours is 5, must be 0 to 4: Repeated, Libjpeg, Libwebp, Swscale or OpenCV", slice1.ErrDataType, "Colours", 5, 4), func(f *imageslice.Frame) { f.Colours = 5 })
	convert(plain("Colours Libwebp of ratio YCbCrSubsampleRatio444: libwebp has 4:2:0 alone", errors.ErrUnsupported), frame444(func(f *imageslice.Frame) { f.Colours = imageslice.Libwebp }), image.Rect(0, 0, 1, 1), tensor{})
	convert(plain("Colours OpenCV of 8 x 8 pixels, ratio YCbCrSubsampleRatio444: cvtColor takes 4:2:0 with even sides alone", errors.ErrUnsupported), frame444(func(f *imageslice.Frame) { f.Colours = imageslice.OpenCV }), image.Rect(0, 0, 1, 1), tensor{})
	convert(plain("Colours Swscale with Matrix BT2020: must be BT601 or BT709", errors.ErrUnsupported), frame444(func(f *imageslice.Frame) { f.Colours, f.Matrix = imageslice.Swscale, imageslice.BT2020 }), image.Rect(0, 0, 1, 1), tensor{})
	convert(plain("Colours Swscale of 8 rows, ratio YCbCrSubsampleRatio444, steps of 1 and 1: must be planes of 4:2:0 or 4:2:2 with an even number of rows", errors.ErrUnsupported), frame444(func(f *imageslice.Frame) { f.Colours = imageslice.Swscale }), image.Rect(0, 0, 1, 1), tensor{})
	frame(field("Matrix is 9, must be 0 to 2: BT601, BT709 or BT2020", slice1.ErrDataType, "Matrix", 9, 2), func(f *imageslice.Frame) { f.Matrix = 9 })
	frame(field("Matrix is -1, must be 0 to 2: BT601, BT709 or BT2020", slice1.ErrDataType, "Matrix", -1, 0), func(f *imageslice.Frame) { f.Matrix = -1 })
	frame(field("CStep is -2, must be at least 0", slice1.ErrStride, "CStep", -2, 0), func(f *imageslice.Frame) { f.CStep = -2 })
	frame(field("Y has 63 bytes, the picture takes 64", slice1.ErrBuffer, "Y", 63, 64), func(f *imageslice.Frame) { f.Y = f.Y[1:] })
	frame(field("YStride is 7 bytes, a row takes 8", slice1.ErrBuffer, "YStride", 7, 8), func(f *imageslice.Frame) { f.YStride = 7 })
	frame(plain("*imageslice.Frame of (0,0)-(8,8), ratio YCbCrSubsampleRatioUnknown: unsupported operation", errors.ErrUnsupported), func(f *imageslice.Frame) { f.Ratio = 99 })
	frame(plain("*imageslice.Frame of (-1,0)-(7,8), ratio YCbCrSubsampleRatio444: unsupported operation", errors.ErrUnsupported), func(f *imageslice.Frame) { f.Rect = image.Rect(-1, 0, 7, 8) })
	frame(plain("the picture has no pixels: its bounds are (0,0)-(0,0)", slice1.ErrEmpty), func(f *imageslice.Frame) { f.Rect = image.Rectangle{} })
	convert(field("Affine.Table has 3 values, must have 256, or as many for each channel", slice1.ErrSize, "Affine.Table", 3, 256), rgba, r, tensor{Affine: slice1.Affine{Table: numbers[:3]}})
	convert(field("Affine.Scale has the value 0, must be above 0 with Zero or Divide", slice1.ErrSize, "Affine.Scale", 0, 0), rgba, r, tensor{Affine: slice1.Affine{Scale: numbers[:1], Divide: true}})
	convert(field("Affine.Divide is set beside Bias, which it does not add", errors.ErrUnsupported, "Affine.Divide", 0, 0), rgba, r, tensor{Affine: slice1.Affine{Bias: numbers[:1], Divide: true}})
	video := func(w want, width, height, stride int) {
		_, err := imageslice.NV12(make([]uint8, 5), width, height, stride)
		add(w, err)
	}
	video(field("width is -1, must be at least 1", slice1.ErrSize, "width", -1, 1), -1, 2, 0)
	video(field("height is -9, must be at least 1", slice1.ErrSize, "height", -9, 1), 2, -9, 0)
	video(field("stride is 3 bytes, a row takes 4", slice1.ErrBuffer, "stride", 3, 4), 4, 2, 3)
	video(field("pix has 5 bytes, the frame takes 6", slice1.ErrBuffer, "pix", 5, 6), 2, 2, 0)
	_, stored := imageslice.NV12(make([]uint8, 1920*1088*3/2), 1920, 1080, 0)
	add(field("pix has 3133440 bytes, which are 1088 rows for a height of 1080; pass pix[:3110400], then set f.Cb = pix[2088960:] and f.Cr = pix[2088961:]",
		slice1.ErrBuffer, "pix", 3133440, 3110400), stored)
	video(plain("a frame of 0 x 2 pixels: the slice is empty", slice1.ErrEmpty), 0, 2, 0)
	video(plain(fmt.Sprintf("a frame of %d x 2 pixels in rows of 0 bytes: the tensor is too large to count its bytes", math.MaxInt), slice1.ErrOverflow), math.MaxInt, 2, 0)

	view(field("Stride is 15 bytes, a row takes 16", slice1.ErrStride, "Stride", 15, 16), &image.RGBA{Pix: make([]uint8, 64), Stride: 15, Rect: r})
	view(field("Stride is 33 bytes, a sample takes 2; the nearest is 32", slice1.ErrStride, "Stride", 33, 32), &image.RGBA64{Pix: make([]uint8, 200), Stride: 33, Rect: r})
	view(field("Pix has 60 bytes, the picture takes 64", slice1.ErrBuffer, "Pix", 60, 64), &image.RGBA{Pix: make([]uint8, 60), Stride: 16, Rect: r})
	view(plain("1 rows of -1 pixels, Stride 8 and steps of 1: 63 bits must count the picture's bytes", slice1.ErrOverflow), &image.Gray{Pix: make([]uint8, 64), Stride: 8, Rect: image.Rect(math.MinInt, 0, math.MaxInt, 1)})
	view(plain("Order is 6, must be 0 to 5", errors.ErrUnsupported), &imageslice.Pixels{Pix: make([]uint8, 64), Stride: 16, Rect: r, Order: 6})
	view(plain("*image.Uniform is no picture of a single slice of pixels; image/draw draws it into one that is", errors.ErrUnsupported), odd)
	_, _, err := imageslice.View(jpeg)
	add(plain("*image.YCbCr has luma and chroma, which are no single tensor; Slice, Copy, Orient and Convert take it", errors.ErrUnsupported), err)
	add(plain("dst is *image.YCbCr, must be *image.RGBA", slice1.ErrDataType), imageslice.Copy(jpeg, rgba, r, 1, 1))
	view(plain("the picture is nil (*image.RGBA); what returned it may have returned an error, too", errors.ErrUnsupported), (*image.RGBA)(nil))
	_, _, err = imageslice.View(image.NewNYCbCrA(r, jpeg.SubsampleRatio))
	add(plain("*image.NYCbCrA has luma, chroma and alpha, which are no single tensor; Convert and ToRGBA take it", errors.ErrUnsupported), err)
	_, err = imageslice.Slice(image.NewNYCbCrA(r, jpeg.SubsampleRatio), r, 1, 1)
	add(plain("*image.NYCbCrA has luma, chroma and alpha; Convert and ToRGBA take it, and Slice takes &m.YCbCr", errors.ErrUnsupported), err)
	convert(plain("Background has 2 values, must have three: R, G and B", slice1.ErrSize), rgba, r, tensor{Background: make([]uint8, 2)})
	short := image.NewNYCbCrA(r, jpeg.SubsampleRatio)
	short.A = short.A[1:]
	convert(field("A has 15 bytes, the picture takes 16", slice1.ErrBuffer, "A", 15, 16), short, r, tensor{})
	view(plain("the picture has no pixels: its bounds are (0,0)-(0,0)", slice1.ErrEmpty), image.NewGray(image.Rectangle{}))

	slice(plain("(0,0)-(5,4) is not in (0,0)-(4,4): the window is empty or leaves the input", slice1.ErrWindow), rgba, image.Rect(0, 0, 5, 4), 1, 1)
	slice(plain("the window (0,0)-(0,0) has no pixels", slice1.ErrEmpty), rgba, image.Rectangle{}, 1, 1)
	slice(plain("steps of 0 and 1: must not be 0; 1 takes all pixels, -1 mirrors them", slice1.ErrStride), rgba, r, 0, 1)
	slice(plain("steps of 3 and 1 through cells of chroma of (2,2) pixels: through 2 pixels they must be 1 or a multiple of 2", slice1.ErrStride), jpeg, image.Rect(0, 0, 8, 8), 3, 1)
	slice(plain("steps of 2 and 5 through cells of chroma of (2,2) pixels: through 2 pixels they must be 1 or a multiple of 2", slice1.ErrStride), jpeg, image.Rect(0, 0, 8, 8), 2, 5)
	slice(plain("steps of 6 and 3 through cells of chroma of (4,1) pixels: through 4 pixels they must be 1, 2 or a multiple of 4", slice1.ErrStride),
		image.NewYCbCr(jpeg.Rect, image.YCbCrSubsampleRatio411), jpeg.Rect, 6, 3)
	slice(plain("(1,1)-(7,7) in steps of 1 and 1 does not begin with a cell of chroma, (0,0)-(7,7) does", slice1.ErrWindow), jpeg, image.Rect(1, 1, 7, 7), 1, 1)
	add(plain("dst is *image.RGBA, must be *image.Gray", slice1.ErrDataType), imageslice.Copy(rgba, grey, r, 1, 1))
	add(plain("dst has (9,9) pixels, the slice (4,4): the output is larger than the window yields", slice1.ErrOutput), imageslice.Copy(image.NewRGBA(image.Rect(0, 0, 9, 9)), rgba, r, 1, 1))
	add(field("dst and src share 64 bytes, none of which may be both read and written", slice1.ErrOverlap, "dst", 64, 0), imageslice.Copy(rgba, rgba, r, -1, 1))
	add(field("dst and src share 64 bytes, none of which may be both read and written", slice1.ErrOverlap, "dst", 64, 0), imageslice.OrientInto(rgba, rgba, 3))
	add(plain("orientation 0 is not 1 to 8: unsupported operation", errors.ErrUnsupported), imageslice.OrientInto(rgba, rgba, 0))
	coded := func(w want, edit func(f *imageslice.Frame)) {
		add(w, imageslice.ToFrame(frame444(edit), image.NewRGBA(jpeg.Rect), jpeg.Rect))
	}
	coded(plain("dst has (9,8) pixels, the window (8,8)", slice1.ErrOutput), func(f *imageslice.Frame) {
		f.Rect.Max.X, f.Y, f.Cb, f.Cr, f.YStride, f.CStride = 9, make([]uint8, 72), make([]uint8, 72), make([]uint8, 72), 9, 9
	})
	coded(plain("dst has ratio YCbCrSubsampleRatio440; ToFrame makes 4:2:0, 4:2:2 and 4:4:4", errors.ErrUnsupported), func(f *imageslice.Frame) { f.Ratio = image.YCbCrSubsampleRatio440 })
	coded(field("Colours is 1, must be 0 (Repeated): ToFrame makes samples by Matrix and FullRange alone", errors.ErrUnsupported, "Colours", 1, 0), func(f *imageslice.Frame) { f.Colours = imageslice.Libjpeg })
	coded(plain("samples of Y and Cb of dst lie in the same byte", slice1.ErrOverlap), func(*imageslice.Frame) {})
	add(plain("dst has (9,9) pixels, the window (8,8)", slice1.ErrOutput), imageslice.ToRGBA(image.NewRGBA(image.Rect(0, 0, 9, 9)), jpeg, jpeg.Rect))

	add(field("dst is uint16, Tensor.Type is float32, because it is not set", slice1.ErrDataType, "dst", 4, 1), imageslice.Convert(make([]uint16, 48), rgba, r, tensor{}))
	convert(field("dst is float32, Tensor.Type is float16", slice1.ErrDataType, "dst", 1, 2), rgba, r, tensor{Type: slice1.Float16})
	convert(field("dst is float32, Tensor.Type is float64", slice1.ErrDataType, "dst", 1, 9), rgba, r, tensor{Type: slice1.Float64})
	convert(field("dst is float32, Tensor.Type is DataType(99)", slice1.ErrDataType, "dst", 1, 99), rgba, r, tensor{Type: 99})
	draw(field("src is float32, Tensor.Type is uint8", slice1.ErrDataType, "src", 1, 5), rgba, numbers, tensor{Type: slice1.Uint8})
	draw(plain("src has 16 values, a tensor of shape [3 4 4] has 48; Channels: 1 makes it 16", slice1.ErrBuffer), rgba, numbers[:16], tensor{})
	draw(plain("src has 15 values, a tensor of shape [3 4 4] has 48", slice1.ErrBuffer), rgba, numbers[:15], tensor{})
	draw(plain("src has 48 values, a tensor of shape [1 4 4] has 16", slice1.ErrBuffer), grey, numbers, tensor{})
	draw(plain("*image.Alpha is no picture that Draw writes; it writes *image.Gray, *image.RGBA, *image.NRGBA, *image.Gray16, *image.RGBA64, *image.NRGBA64 and *imageslice.Pixels", errors.ErrUnsupported), image.NewAlpha(r), numbers[:16], tensor{})
	convert(plain("dst has 48 values, a tensor of shape [1 4 4] has 16; Channels: 3 makes it 48", slice1.ErrBuffer), grey, r, tensor{})
	convert(func(err error) sentencetest.Row {
		return sentencetest.Place(err, "Affine.Scale has 2 values, axis 0 of the tensor 3 channels: must have one for each or one for all", slice1.ErrSize, "Affine.Scale", 0, 2, 3)
	}, rgba, r, tensor{Affine: slice1.Affine{Scale: []float32{1, 2}}})
	add(func(err error) sentencetest.Row {
		return sentencetest.Place(err, "Affine.Bias has 3 values, axis 0 of the tensor 1 channels: must have one for each or one for all; Channels: 3 repeats grey", slice1.ErrSize, "Affine.Bias", 0, 3, 1)
	}, imageslice.Convert(numbers[:16], grey, r, tensor{Affine: slice1.Affine{Bias: []float32{1, 2, 3}}}))
	add(func(err error) sentencetest.Row {
		return sentencetest.Place(err, "Affine.Bias has 2 values, axis 0 of the tensor 3 channels: the mean 123.675 counts samples, must be a part of 1: divide means and deviations by 255",
			slice1.ErrSize, "Affine.Bias", 0, 2, 3)
	}, imageslice.Convert(numbers, rgba, r, tensor{Affine: imageslice.Normalize([]float32{123.675, 116.28, 103.53}, []float32{58.395, 57.12, 57.375})}))
	wide := image.NewGray(image.Rect(0, 0, 8, 4))
	convert(plain("(0,0)-(8,4) is not in (0,0)-(4,8), the upright picture (orientation 6); Tensor.Whole(m) is all of it", slice1.ErrWindow), wide, wide.Rect, tensor{Orientation: 6})
	convert(plain("Fill has 2 values, the tensor 3 channels: must have one for each or one for all", slice1.ErrSize), rgba, r, tensor{Fill: []float32{1, 2}})
	both := func(w want, t tensor) {
		convert(w, rgba, r, t)
		draw(w, rgba, numbers, t)
	}
	both(plain("Layout is 9, must be 0 or 1: CHW or HWC", slice1.ErrSize), tensor{Layout: 9})
	both(plain("Channels is 2, must be 0, 1 or 3", slice1.ErrSize), tensor{Channels: 2})
	both(plain("Channels is 4, must be 0, 1 or 3; View gives a picture's four channels, with alpha", slice1.ErrSize), tensor{Channels: 4})
	draw(plain("Channels is 3, the picture has 1; Draw writes colours to an *image.RGBA", errors.ErrUnsupported), grey, numbers, tensor{Channels: 3})
	both(plain("orientation 9 is not 1 to 8: unsupported operation", errors.ErrUnsupported), tensor{Orientation: 9})
	both(field("Width is -1, must be at least 0", slice1.ErrSize, "Width", -1, 0), tensor{Width: -1})
	convert(plain("the window is 4 pixels wide, Width is 2 from which At.X takes 0; Resize scales the window", slice1.ErrWindow), rgba, r, tensor{Width: 2})
	convert(plain("the window is 4 pixels wide, Width is 0 from which At.X takes 1; Resize scales the window", slice1.ErrWindow), rgba, r, tensor{At: image.Pt(1, 0)})
	convert(plain("the tensor has 4 x 4 pixels, the picture gives 4 x 2; Fill says what the others become, Keep leaves them, Resize scales the picture", slice1.ErrWindow), rgba, image.Rect(0, 0, 4, 2), tensor{Height: 4})
	convert(plain("the window has 4 x 4 pixels, Resize is for one of 4 x 2; give Convert the window that Letterbox, ResizeCrop or SmartResize got", slice1.ErrWindow), rgba, r, tensor{}.ResizeCrop(image.Rect(0, 0, 4, 2), 2, 2))
	convert(plain("Fill and Keep are set: the rest of the tensor is filled, or keeps what it has", errors.ErrUnsupported), rgba, r, tensor{Fill: []float32{1}, Keep: true})
	draw(plain("the window is 4 pixels wide, Width is 2 from which At.X takes 0; Draw does not scale, func Resize does", slice1.ErrWindow), rgba, numbers, tensor{Width: 2})
	draw(plain("the window is 4 pixels high, Height is 0 from which At.Y takes 1; Draw does not scale, func Resize does", slice1.ErrWindow), rgba, numbers, tensor{At: image.Pt(0, 1)})
	both(plain(fmt.Sprintf("a tensor of %d x %d pixels: the tensor is too large to count its bytes", math.MaxInt, math.MaxInt), slice1.ErrOverflow), tensor{Width: math.MaxInt, Height: math.MaxInt})
	add(plain("dst is in the picture's memory", slice1.ErrOverlap), imageslice.Convert(rgba.Pix[:48], rgba, r, tensor{Type: slice1.Uint8}))
	convert(plain("the picture is nil (<nil>); what returned it may have returned an error, too", errors.ErrUnsupported), nil, r, tensor{})
	convert(plain(fmt.Sprintf("a pixel at %d: the tensor is too large to count its bytes", math.MinInt), slice1.ErrOverflow), rgba, image.Rect(math.MinInt, 0, math.MaxInt, 2), tensor{Fill: []float32{0}})

	if strconv.IntSize == 64 {
		frame(plain(fmt.Sprintf("8 rows of 8 pixels, CStride 8 and steps of %d: 63 bits must count the picture's bytes", math.MaxInt), slice1.ErrOverflow), func(f *imageslice.Frame) { f.CStep = math.MaxInt })
		frame(plain(fmt.Sprintf("8 rows of 8 pixels, CStride %d and steps of 1: 63 bits must count the picture's bytes", math.MaxInt), slice1.ErrOverflow), func(f *imageslice.Frame) { f.CStride = math.MaxInt })
		view(plain(fmt.Sprintf("2 rows of %d pixels, Stride %d and steps of 4: 63 bits must count the picture's bytes", math.MaxInt, math.MaxInt), slice1.ErrOverflow), &image.RGBA{Pix: make([]uint8, 64), Stride: math.MaxInt, Rect: image.Rect(0, 0, math.MaxInt, 2)})
		view(plain(fmt.Sprintf("%d rows of 2 pixels, Stride %d and steps of 4: 63 bits must count the picture's bytes", math.MaxInt, math.MaxInt-7), slice1.ErrOverflow), &image.RGBA64{Pix: make([]uint8, 64), Stride: math.MaxInt - 7, Rect: image.Rect(0, 0, 2, math.MaxInt)})
	}
	_, turned := imageslice.Orient(image.NewYCbCr(jpeg.Rect, image.YCbCrSubsampleRatio411), 5)
	add(plain("YCbCrSubsampleRatio411 transposed: unsupported operation", errors.ErrUnsupported), turned)
	packed, _ := imageslice.YUY2(make([]uint8, 128), 8, 8, 0)
	slice(plain("chroma of *imageslice.Frame are neither planes nor pairs; Convert and ToRGBA take it", errors.ErrUnsupported), packed, packed.Rect, 1, 1)
	add(plain("dst is in the picture's memory", slice1.ErrOverlap), imageslice.ToRGBA(rgba, &imageslice.Pixels{Pix: rgba.Pix, Stride: 16, Rect: r, Order: imageslice.BGRA}, r))
	other := image.NewYCbCr(jpeg.Rect, jpeg.SubsampleRatio)
	add(plain("cells of chroma of (1,2) pixels into those of (2,2): the data type is unknown or does not match", slice1.ErrDataType), imageslice.Copy(other.SubImage(r), jpeg, jpeg.Rect, 2, 1))
	add(plain("dst, (1,1)-(5,5), does not begin with a cell of chroma", slice1.ErrWindow), imageslice.Copy(other.SubImage(image.Rect(1, 1, 5, 5)), jpeg, jpeg.Rect, 1, 1))
	full := image.NewYCbCr(r, image.YCbCrSubsampleRatio444)
	mixed := *full
	mixed.Y = full.Cb
	mixed.Cb, mixed.Cr = make([]uint8, 16), make([]uint8, 16)
	add(plain("planes of dst and src: memory is shared that must not be", slice1.ErrOverlap), imageslice.Copy(&mixed, full, r, 1, 1))

	four := image.Pt(4, 4)
	convert(field("Resize.Y is 0, must be at least 1", slice1.ErrSize, "Resize.Y", 0, 1), rgba, r, tensor{Resize: image.Pt(4, 0)})
	convert(field("Filter is -3, must be 0 to 7", slice1.ErrSize, "Filter", -3, 0), rgba, r, tensor{Resize: four, Filter: -3})
	convert(field("Filter is 8, must be 0 to 7", slice1.ErrSize, "Filter", 8, 7), rgba, r, tensor{Resize: four, Filter: 8})
	convert(plain("Filter Area of (4,4) pixels to (4,5): no side may grow", errors.ErrUnsupported), rgba, r, tensor{Resize: image.Pt(4, 5), Filter: imageslice.Area})
	convert(field("Width is -1, must be at least 0", slice1.ErrSize, "Width", -1, 0), rgba, r, tensor{Resize: four, Width: -1})
	convert(plain("steps of 2 and 1: with Resize they must be 1 or -1", slice1.ErrStride), rgba, r, tensor{Resize: four, StepX: 2})
	const most = math.MaxInt >> 3
	convert(field(fmt.Sprintf("At.X is %d, must be %d to %d", math.MinInt, -most, most), slice1.ErrOverflow, "At.X", math.MinInt, -most), rgba, r, tensor{Resize: four, At: image.Pt(math.MinInt, 0)})
	both(field("Patch is -1, must be at least 0", slice1.ErrSize, "Patch", -1, 0), tensor{Patch: -1}) // Draw
	convert(field("Frames is 2 without Patch, the side of a patch", slice1.ErrSize, "Frames", 2, 0), rgba, r, tensor{Frames: 2})
	convert(plain("Frames is 2 in layout HWC, where a patch has one; CHW has frames", errors.ErrUnsupported), rgba, r, tensor{Patch: 2, Frames: 2, Layout: imageslice.HWC})
	convert(plain("the tensor has 4 x 4 pixels, both must be multiples of Patch*Merge, 2*3", slice1.ErrSize), rgba, r, tensor{Patch: 2, Merge: 3})
	convert(plain(fmt.Sprintf("a tensor of 4 x 4 pixels in %d frames: an int must count its numbers", math.MaxInt), slice1.ErrOverflow), rgba, r, tensor{Patch: 2, Frames: math.MaxInt})
	convert(plain("the picture lies in (1,0)-(5,4) of the tensor, must begin and end with blocks of 2 pixels; Resize it to whole blocks", errors.ErrUnsupported), rgba, r,
		tensor{Patch: 2, Width: 6, Height: 4, At: image.Pt(1, 0), Fill: []float32{1}})
	vast := image.NewPaletted(image.Rect(0, 0, 6000, 6000), nil)
	add(plain("6000 rows of 18000 bytes are made at once for a row of patches, must have less than 100663296 bytes", slice1.ErrOverflow),
		imageslice.Convert(make([]uint8, 3*6000*6000), vast, vast.Rect, tensor{Type: slice1.Uint8, Patch: 6000}))
	draw(plain("Draw takes no patches; a plan of package slice1 brings them into the order of a picture", errors.ErrUnsupported), rgba, numbers, tensor{Patch: 2})
	draw(plain("Draw does not resize; Convert does", errors.ErrUnsupported), rgba, numbers, tensor{Resize: four})
	resize := func(w want, dst, src image.Image) { add(w, imageslice.Resize(dst, src, r, imageslice.Bilinear)) }
	resize(plain("Resize makes no *image.RGBA of *image.NRGBA; it makes an *image.NRGBA", errors.ErrUnsupported), rgba, image.NewNRGBA(r))
	resize(plain("Resize makes no *image.Alpha of *image.Alpha; Convert to Uint8 in layout HWC makes the Pix of an *image.Gray", errors.ErrUnsupported), image.NewAlpha(r), image.NewAlpha(r))
	add(plain("Resize makes no *image.YCbCr; it makes an *image.RGBA of luma and chroma", errors.ErrUnsupported), imageslice.Resize(jpeg, jpeg, jpeg.Rect, imageslice.Bilinear))
	add(plain("*image.NRGBA is not opaque in (0,0)-(4,4); Convert to Uint8 in layout HWC makes the Pix of RGB Pixels", errors.ErrUnsupported), imageslice.Resize(image.NewNRGBA(r), image.NewNRGBA(r), r, imageslice.Bilinear))
	planes := func(w want, dst, src []float32, to, from image.Point, r image.Rectangle, f imageslice.Filter) {
		add(w, imageslice.ResizePlane(dst, to, src, from, r, f))
	}
	few := make([]float32, 32)
	planes(field("from.Y is 0, must be at least 1", slice1.ErrSize, "from.Y", 0, 1), few, numbers, four, image.Pt(4, 0), image.Rectangle{}, 0)
	planes(field("f is 8, must be 0 to 7", slice1.ErrSize, "f", 8, 7), few, numbers, four, four, image.Rectangle{}, 8)
	planes(plain("Area resizes pictures alone; Box makes means of numbers", errors.ErrUnsupported), few, numbers, four, four, image.Rectangle{}, imageslice.Area)
	planes(plain("dst and src have no planes", slice1.ErrEmpty), nil, nil, four, four, image.Rectangle{}, 0)
	planes(plain("src has 32 numbers, planes of 5 x 3 have 15 each: must be one or several", slice1.ErrBuffer), numbers, few, four, image.Pt(5, 3), image.Rectangle{}, 0)
	planes(plain("dst has 32 numbers, must have 16 for each of src's planes, which are 4", slice1.ErrBuffer), few, make([]float32, 64), four, four, image.Rectangle{}, 0)
	planes(plain("(0,0)-(5,4) is not in (0,0)-(4,4), a plane", slice1.ErrWindow), few, make([]float32, 32), four, four, image.Rect(0, 0, 5, 4), 0)
	planes(plain("dst is in src's memory", slice1.ErrOverlap), few, few, four, four, image.Rectangle{}, 0)
	planes(plain("a sample of the result takes 2097152 of the source along an axis: must take at most 1048576", slice1.ErrOverflow), few[:1], make([]float32, 1<<21), image.Pt(1, 1), image.Pt(1<<21, 1), image.Rectangle{}, 0)
	add(plain("WithCandidate is no option for pictures", errors.ErrUnsupported), imageslice.Convert(numbers, rgba, r, tensor{}, slice1.WithCandidate("go")))
	return rows
}

// elsewhere are texts of errors that only an int of 32 bits can have, and of those that other tests
// compare.
var elsewhere = []string{
	"imageslice: the window takes 536870912 columns, must take at most 536870911",
	"imageslice: the tensor takes 536870912 columns, must take at most 536870911",
	"imageslice: Resize.X is 2147483648, must be at most 2147483647",
	"imageslice: to.X is 2147483648, must be at most 2147483647",
	"imageslice: (0,0)-(11,8) in steps of -1 and 1 does not begin with a cell of chroma, (0,0)-(10,8) does",
}

// The text of each error of this package begins with its name, also if package slice1 found it, and
// names its place and its numbers. Each place that makes an error returned one of them.
func TestErrorsSayWhatIsWrong(t *testing.T) {
	rows := rowsOfRefusals()
	sentencetest.Check(t, "imageslice", rows)
	texts := append(sentencetest.Texts(rows), elsewhere...)
	sentencetest.CheckPlaces(t, ".", []string{"refused", "refusedField", "Errorf"}, texts)
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
