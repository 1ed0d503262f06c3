package imageslice

import (
	"image"
	"math"
	"math/bits"

	"github.com/seed2e45c115/dml/slice1"
)

// Whole returns all of the upright picture: a window of m for Convert, Draw and Size. Its width and
// height are m's height and width with an Orientation of 5 to 8. It is empty for a nil m and for an
// unknown Orientation.
func (t Tensor) Whole(m image.Image) image.Rectangle {
	if isNil(m) {
		return image.Rectangle{}
	}
	transform, err := transformOf(t.Orientation, 0)
	if err != nil {
		return image.Rectangle{}
	}
	return transform.upright(m.Bounds())
}

// Center returns the rectangle of the given size in the middle of the upright picture: a window of
// m for Convert, Draw and Size. If the upright picture is smaller on an axis, so is the rectangle.
// An odd rest is rounded down, towards the left and the top of the upright picture. Unlike the
// function [Center], this method does not move the rectangle to the edge of a cell of chroma,
// because Convert takes any window. The rectangle is empty for a nil m and for an unknown
// Orientation.
func (t Tensor) Center(m image.Image, width, height int) image.Rectangle {
	return middle(t.Whole(m), width, height)
}

// fitted is the size of the window for which a Resize was computed. Of a window of another shape
// that Resize would make a stretched picture. A Resize that was set by hand may stretch.
type fitted struct{ window, resize image.Point }

// check returns an error if t.Resize was computed for a window of another size than r's.
func (f fitted) check(t *Tensor, r image.Rectangle) error {
	if f.resize != t.Resize || f.window == (image.Point{}) || f.window == r.Size() {
		return nil
	}
	return refused(slice1.ErrWindow, "the window has %d x %d pixels, Resize is for one of %d x %d; give Convert the window that Letterbox, ResizeCrop or SmartResize got",
		r.Dx(), r.Dy(), f.window.X, f.window.Y)
}

// sides returns the width and the height of r, and whether an int counts them and none is 0.
func sides(r image.Rectangle) (width, height int, ok bool) {
	width, height = r.Dx(), r.Dy()
	return width, height, !r.Empty() && width > 0 && height > 0
}

// fit sets t.Resize for windows of r's size. unfit sets one that Convert refuses.
func (t *Tensor) fit(r image.Rectangle, width, height int) {
	t.Resize = image.Pt(width, height)
	t.fitted = fitted{r.Size(), t.Resize}
}

func (t *Tensor) unfit() { t.Resize, t.fitted = image.Pt(-1, -1), fitted{} }

// toInt32 limits a side to what Resize may be.
func toInt32(side float64) int { return int(min(side, math.MaxInt32)) }

// ResizeCrop returns t with what torchvision's Resize(short) and CenterCrop(crop) make of window r.
// The shorter side of r becomes `short`, and the middle crop x crop pixels of that are the tensor.
// It sets Resize, Width, Height and At. A picture smaller than `crop` lies in the middle of the
// tensor, which then needs a Fill: torchvision's is t.Affine.Bias, what samples of 0 become. With
// an Orientation, r counts in the upright picture: t.Whole(m) is all of it, and m.Bounds() with 5
// to 8 is not.
//
//	t := imageslice.Tensor{Affine: imageNet}.ResizeCrop(m.Bounds(), 256, 224)
//
// The preprocessors of transformers resize to the same size, but round the margin down where it is
// not a whole number. Torchvision rounds it to the nearest, ties to even.
//
// ResizeCrop, Letterbox and SmartResize remember r's size. Convert of a window of another size is
// slice1.ErrWindow until Resize is set anew. If r is empty, or a size below 1, Convert returns
// slice1.ErrSize.
func (t Tensor) ResizeCrop(r image.Rectangle, short, crop int) Tensor {
	width, height, ok := sides(r)
	if !ok || short < 1 || crop < 1 {
		t.unfit()
		return t
	}
	shorter := uint64(min(width, height))
	side := func(n int) int {
		high, low := bits.Mul64(uint64(short), uint64(n))
		if high >= shorter { // 64 bits do not hold the quotient
			return math.MaxInt32
		}
		quotient, _ := bits.Div64(high, low, shorter)
		return int(min(quotient, math.MaxInt32))
	}
	place := func(n int) int {
		if n < crop {
			return (crop - n) / 2
		}
		half := (n - crop) / 2
		return -(half + (n-crop)%2*(half%2))
	}
	t.fit(r, side(width), side(height))
	t.Width, t.Height, t.At = crop, crop, image.Pt(place(t.Resize.X), place(t.Resize.Y))
	return t
}

// Letterbox returns t with what Ultralytics' LetterBox makes of window r with auto off. r is
// resized by one factor, min(width/r.Dx(), height/r.Dy()), so that it fits width x height pixels,
// and lies in their middle. It sets Resize, Width, Height, At, and Filter to Linear; set another
// filter after it. Fill stays t's, and should not be nil: Ultralytics' is 114, of 255. A side
// becomes side*factor, halves rounded to even, or 1 if that is 0, and what is left and above
// round(rest/2 - 0.1) pixels. YOLOX, YuNet and others place the picture in the corner: set At to 0,
// 0 after it. With auto, Ultralytics' tensor is Resize with each side rounded up to a multiple of
// 32. Source is the way back. About other windows, and about errors, ResizeCrop says more.
//
//	t := imageslice.Tensor{Fill: []float32{114. / 255}, Affine: imageslice.Normalize(nil, nil)}
//	err := imageslice.Convert(dst, m, m.Bounds(), t.Letterbox(m.Bounds(), 640, 640))
func (t Tensor) Letterbox(r image.Rectangle, width, height int) Tensor {
	w, h, ok := sides(r)
	if !ok || width < 1 || height < 1 {
		t.unfit()
		return t
	}
	factor := min(float64(width)/float64(w), float64(height)/float64(h))
	side := func(n int) int { return toInt32(max(1, math.RoundToEven(float64(n)*factor))) }
	margin := func(rest int) int { return int(math.RoundToEven(float64(rest)/2 - 0.1)) }
	t.fit(r, side(w), side(h))
	t.Width, t.Height, t.Filter = width, height, Linear
	t.At = image.Pt(margin(width-t.Resize.X), margin(height-t.Resize.Y))
	return t
}

// SmartResize returns t with the Resize that Qwen2-VL's processor chooses for window r: each side
// is rounded to a multiple of factor, halves to even. If that has more than maxPixels or fewer than
// minPixels pixels, both sides are multiplied by what gives that many, and rounded down or up to a
// multiple of factor. Qwen2-VL has factor 28, two patches of 14 pixels, and between 56*56 and
// 28*28*1280 pixels; the configuration of a model may have other numbers. Its filter is Bicubic. A
// window one of whose sides is more than 200 times as long as the other is slice1.ErrSize from
// Convert. About other windows, and about errors, ResizeCrop says more.
func (t Tensor) SmartResize(r image.Rectangle, factor, minPixels, maxPixels int) Tensor {
	w, h, ok := sides(r)
	if !ok || factor < 1 || minPixels < 1 || maxPixels < 1 || float64(max(w, h))/float64(min(w, h)) > 200 {
		t.unfit()
		return t
	}
	f, width, height := float64(factor), float64(w), float64(h)
	x, y := f*math.RoundToEven(width/f), f*math.RoundToEven(height/f)
	switch pixels := x * y; {
	case pixels > float64(maxPixels):
		shrink := math.Sqrt(width * height / float64(maxPixels))
		x, y = max(f, f*math.Floor(width/shrink/f)), max(f, f*math.Floor(height/shrink/f))
	case pixels < float64(minPixels):
		grow := math.Sqrt(float64(minPixels) / (width * height))
		x, y = f*math.Ceil(width*grow/f), f*math.Ceil(height*grow/f)
	}
	t.fit(r, toInt32(x), toInt32(y))
	return t
}

// Source returns where in the upright picture a position of t's tensor lies, for boxes and points
// that a model found. r is the window of Convert. Positions count from the edges of pixels: 0 is
// the left or top edge of the first pixel, and 0.5 its middle. Source is the inverse of At, Resize
// and r.Min, in real numbers, and of steps: |step| pixels of the picture become one of the tensor,
// from r's right or bottom on if the step is negative. Positions outside of r are not limited to
// it. Of a tensor of patches it takes the position in the picture that is cut into them.
//
// Each axis has its own factor, r.Dx()/Resize.X, which is exact. Ultralytics divides both by one,
// at most half a pixel of the tensor off: (x - t.At.X) / min(width/r.Dx(), height/r.Dy()).
func (t Tensor) Source(r image.Rectangle, x, y float64) (float64, float64) {
	invert := func(v float64, start, resized, step, lo, hi int) float64 {
		v -= float64(start)
		switch {
		case t.Resize != (image.Point{}):
			v *= (float64(hi) - float64(lo)) / float64(resized)
		case step != 0:
			v *= math.Abs(float64(step))
		}
		if step < 0 {
			return float64(hi) - v
		}
		return float64(lo) + v
	}
	return invert(x, t.At.X, t.Resize.X, t.StepX, r.Min.X, r.Max.X), invert(y, t.At.Y, t.Resize.Y, t.StepY, r.Min.Y, r.Max.Y)
}
