package imageslice

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/bits"

	"github.com/seed2e45c115/dml/slice1"
)

// Layout is the order of the axes of a tensor.
type Layout int

const (
	CHW Layout = iota // channels, height, width
	HWC               // height, width, channels
)

// Tensor says what tensor Convert makes of a picture, or Draw makes a picture of. The zero Tensor
// has float32 numbers, layout CHW, the window's size, channels R, G and B, and values 0 to 255.
type Tensor struct {
	Type   slice1.DataType // of its numbers: any type; 0 is Float32
	Layout Layout
	BGR    bool // channels are in the order B, G, R

	// Channels is 0, 1 or 3. 0 is the picture's: 1 if it is grey, else 3. Convert repeats a grey
	// channel for 3; Draw repeats 1 channel in colours. Convert of colours to 1, and Draw of 3 in
	// grey, are errors.ErrUnsupported.
	Channels int

	// Orientation is 1 to 8, like in Orient; 0 is 1. With 2 to 8 the window counts in the upright
	// picture, whose bounds start at 0, 0. Tensor.Center returns a window in its middle.
	Orientation int

	Width  int         // the tensor's; 0 is the window's, after steps
	Height int         // like Width
	At     image.Point // the place of the window's first pixel in the tensor; a window that does not fit is slice1.ErrWindow

	// Fill is the stored value of the rest of the tensor: one value, or one per channel in the
	// tensor's order. Without a Fill, the rest of dst keeps what it holds. In a dst that is used
	// again, for example from a pool, that is an earlier picture's pixels.
	Fill []float32

	StepX  int           // dx of Slice; 0 is 1
	StepY  int           // dy of Slice; 0 is 1
	Affine slice1.Affine // Scale and Bias have one value, or one per channel in the tensor's order; Axis is ignored
}

// Normalize returns the scale and the bias that make (x/255 - mean)/std of a sample x. Many models
// take such numbers. They come from a product and a sum, so the last bits may differ from a
// division's. Models trained on ImageNet have the means 0.485, 0.456, 0.406 and the standard
// deviations 0.229, 0.224, 0.225, for R, G and B. mean and std have one value, or one per channel.
// A mean without values is 0, and a std without values is 1. A std of 0 gives infinities and NaNs.
// mean and std are parts of 1, the brightest sample: a mean of 123.675 in samples is 0.485.
//
// Axis is -1, which names no axis. Convert and Draw ignore it. If there are several values, set it
// to the axis of the channels for other functions; with -1 they return slice1.ErrRank.
func Normalize(mean, std []float32) slice1.Affine {
	return affineOf(mean, std, func(mean, std float64) (scale, bias float64) { return 1 / (255 * std), -mean / std })
}

// Denormalize returns the inverse of Normalize: a scale and a bias that make 255*(std*y + mean) of
// a number y. Its Axis is -1, too.
func Denormalize(mean, std []float32) slice1.Affine {
	return affineOf(mean, std, func(mean, std float64) (scale, bias float64) { return 255 * std, 255 * mean })
}

func affineOf(mean, std []float32, of func(mean, std float64) (scale, bias float64)) slice1.Affine {
	at := func(v []float32, i int, none float64) float64 {
		if len(v) == 0 {
			return none
		}
		return float64(v[min(i, len(v)-1)])
	}
	a := slice1.Affine{Axis: -1}
	for i := range max(1, len(std)) {
		scale, _ := of(0, at(std, i, 1))
		a.Scale = append(a.Scale, float32(scale))
	}
	for i := range max(len(mean), len(std)) {
		_, bias := of(at(mean, i, 0), at(std, i, 1))
		a.Bias = append(a.Bias, float32(bias))
	}
	return a
}

// Size returns the shape of the tensor that Convert makes of window r of m, in t's layout. It
// returns Convert's errors about m, r and the shape. It ignores Type and Affine, and asks of Fill
// only whether there is one.
func (t Tensor) Size(m image.Image, r image.Rectangle) (shape [3]int, err error) {
	var from planes
	if err := from.open(m); err != nil {
		return shape, err
	}
	channels, err := t.channels(from.rgb.n, 3)
	if err != nil {
		return shape, err
	}
	p, err := t.place(&from, r, channels, len(t.Fill) > 0)
	if err != nil {
		return shape, err
	}
	return p.shape(t.Layout), nil
}

// placement is where the pixels of a picture are in a tensor. For example, a picture is mirrored
// into the middle of a row of five:
//
//	picture  0 1 2         columns 2, 1, 0: first 2, step -1
//	tensor   . 2 1 0 .     from 1 up to, not including, 4
type placement struct {
	rows, columns           axis // the picture's in memory, from its first row and column on
	inside                  image.Rectangle
	width, height, channels int // the tensor's
	size                    int // elements of the tensor
	row, column, channel    int // elements of the tensor from one row, column and channel of the picture to the next that is taken
	first                   int // the tensor's element for the first channel of the first pixel
}

// place returns where the pixels of window r of a picture are in t, which has this many channels.
// If clip is true, r may leave the picture.
func (t *Tensor) place(from *planes, r image.Rectangle, channels int, clip bool) (p placement, err error) {
	upright, turn, err := t.upright(from.bounds)
	if err != nil {
		return p, err
	}
	if t.Layout != CHW && t.Layout != HWC {
		return p, refused(slice1.ErrSize, "layout %d is neither CHW nor HWC", t.Layout)
	}
	p.channels = channels
	switch {
	case r.Empty():
		return p, fmt.Errorf("imageslice: %v: %w", r, slice1.ErrEmpty)
	case !clip && !r.In(upright):
		return p, fmt.Errorf("imageslice: %v is not in %v: %w", r, upright, slice1.ErrWindow)
	}
	x, err := takes(r.Min.X, r.Max.X, upright.Min.X, upright.Max.X, t.StepX, t.Width, t.At.X, [...]string{"wide", "Width", "At.X"})
	if err != nil {
		return p, err
	}
	y, err := takes(r.Min.Y, r.Max.Y, upright.Min.Y, upright.Max.Y, t.StepY, t.Height, t.At.Y, [...]string{"high", "Height", "At.Y"})
	if err != nil {
		return p, err
	}
	p.width, p.height = x.extent, y.extent
	p.inside = image.Rect(x.at, y.at, x.at+x.n, y.at+y.n)
	rowsOf, columnsOf := y, x
	dx, dy := 1, p.width // elements of the tensor, before channels
	if turn.transposed {
		rowsOf, columnsOf = x, y
		dx, dy = dy, dx
	}
	p.columns, p.rows = columnsOf.turned(turn.dx, from.bounds.Dx()), rowsOf.turned(turn.dy, from.bounds.Dy())
	high, area := bits.Mul64(uint64(p.width), uint64(p.height))
	highest, size := bits.Mul64(area, uint64(p.channels))
	if high != 0 || highest != 0 || size > math.MaxInt {
		return p, fmt.Errorf("imageslice: a tensor of %d x %d pixels: %w", p.width, p.height, slice1.ErrOverflow)
	}
	p.size = int(size)
	pixel := 1
	if p.channel = int(area); t.Layout == HWC {
		p.channel, pixel = 1, p.channels
	}
	p.row, p.column = dy*pixel, dx*pixel
	p.first = (y.at*p.width + x.at) * pixel
	return p, nil
}

// upright returns the bounds of the upright picture, in which windows count, and the slicing that
// turns a picture with these bounds upright.
func (t *Tensor) upright(bounds image.Rectangle) (image.Rectangle, slicing, error) {
	if t.Orientation == 0 || t.Orientation == 1 {
		return bounds, turns[1], nil
	}
	turn, err := oriented(t.Orientation)
	bounds = image.Rectangle{Max: bounds.Size()}
	if turn.transposed {
		bounds.Max.X, bounds.Max.Y = bounds.Max.Y, bounds.Max.X
	}
	return bounds, turn, err
}

// Center returns the rectangle of the given size in the middle of the upright picture: a window of
// m for Convert, Draw and Size. If the upright picture is smaller on an axis, so is the rectangle.
// An odd rest is rounded down, towards the left and the top of the upright picture. Unlike the
// function [Center], it does not move to the edge of a cell of chroma, because Convert takes any
// window. The rectangle is empty for a nil m and for an unknown Orientation.
func (t Tensor) Center(m image.Image, width, height int) image.Rectangle {
	if isNil(m) {
		return image.Rectangle{}
	}
	all, _, err := t.upright(m.Bounds())
	if err != nil {
		return image.Rectangle{}
	}
	return middle(all, width, height)
}

// checkType returns an error unless N is a Go type for the tensor's numbers.
func checkType[N slice1.Number](name string, t *Tensor) error {
	given, want := slice1.DataTypeOf[N](), t.dataType()
	if given == want || given == slice1.Uint16 && (want == slice1.Float16 || want == slice1.BFloat16) {
		return nil
	}
	unset := ""
	if t.Type == 0 {
		unset = ", because it is not set"
	}
	return refusedField(name, int64(given), int64(want), slice1.ErrDataType, " is %v, Tensor.Type is %v%s", given, want, unset)
}

// dataType returns the type of the tensor's numbers.
func (t *Tensor) dataType() slice1.DataType {
	if t.Type == 0 {
		return slice1.Float32
	}
	return t.Type
}

// shape returns the extents of the tensor, outermost first.
func (p *placement) shape(l Layout) [3]int {
	if l == HWC {
		return [3]int{p.height, p.width, p.channels}
	}
	return [3]int{p.channels, p.height, p.width}
}

// checkLength returns an error unless a tensor has n values. The error says so if t could have
// `others` channels instead and would then have n values.
func (p *placement) checkLength(name string, n int, t *Tensor, others int) error {
	if n == p.size {
		return nil
	}
	hint := ""
	if t.Channels == 0 && p.channels != others && n == p.size/p.channels*others {
		hint = fmt.Sprintf("; Channels: %d makes it %d", others, n)
	}
	return refused(slice1.ErrBuffer, "%s has %d values, a tensor of shape %v has %d%s", name, n, p.shape(t.Layout), p.size, hint)
}

// strides returns the tensor's strides, in the order of the picture's axes: rows, columns and
// channels.
func (p *placement) strides() []int { return []int{p.row, p.column, p.channel} }

// channels returns the number of channels of the tensor. The picture has `has` channels, and the
// tensor may have `others` instead.
func (t *Tensor) channels(has, others int) (int, error) {
	switch t.Channels {
	case 0, has:
		return has, nil
	case others:
		return others, nil
	case 1, 3:
		return 0, refused(errors.ErrUnsupported, "Channels is %d, the picture has %d", t.Channels, has)
	}
	return 0, refused(slice1.ErrSize, "Channels is %d, must be 0, 1 or 3", t.Channels)
}

// checkValues returns an error unless t.Affine's Scale and Bias each have at most one value, or one
// per channel.
func (t *Tensor) checkValues(channels int) error {
	axis := 0
	if t.Layout == HWC {
		axis = 2
	}
	for i, n := range [...]int{len(t.Affine.Scale), len(t.Affine.Bias)} {
		if n > 1 && n != channels {
			name := [...]string{"Affine.Scale", "Affine.Bias"}[i]
			return &slice1.DescError{Field: name, Axis: axis, Got: int64(n), Limit: int64(channels),
				Err: refused(slice1.ErrSize, "%s has %d values, the tensor %d channels: must have one for each or one for all", name, n, channels)}
		}
	}
	return nil
}

// pixels is what a tensor takes of an axis of the upright picture: n pixels, `step` apart, from
// number `first` on. They go to the places from `at` on, of `extent` places.
type pixels struct{ first, step, n, at, extent int }

// far is a distance in pixels that no memory holds. The sum of a few such distances does not
// overflow.
const far = math.MaxInt >> 3

// takes returns what a window from lo to hi takes of an axis, in steps of `step`. The axis has
// pixels from first to last. The tensor has `extent` pixels, or as many as the window if that is 0,
// and the window begins at `at` in it. names are what errors call the window's extent, `extent` and
// `at`.
func takes(lo, hi, first, last, step, extent, at int, names [3]string) (p pixels, err error) {
	for _, v := range [...]int{lo, hi, first, last} {
		if v < -far || v > far {
			return p, fmt.Errorf("imageslice: a pixel at %d: %w", v, slice1.ErrOverflow)
		}
	}
	if step == 0 {
		step = 1
	}
	n := count(hi-lo, step)
	step = min(max(step, lo-hi), hi-lo) // a longer step takes one pixel, too
	switch {
	case extent < 0:
		return p, refused(slice1.ErrSize, "%s is %d", names[1], extent)
	case extent == 0 && at != 0, extent > 0 && (at < 0 || at > extent-n):
		return p, refused(slice1.ErrWindow, "the window is %d pixels %s, %s is %d from which %s takes %d", n, names[0], names[1], extent, names[2], at)
	case extent == 0:
		extent = n
	}
	p = pixels{step: step, at: at, extent: extent}
	start, ahead, behind := lo, first-lo, last-1-lo // from the window's first pixel to the picture's first and last
	if step < 0 {
		start, ahead, behind = hi-1, hi-1-(last-1), hi-1-first
	}
	length := max(step, -step)
	from := (max(0, ahead) + length - 1) / length
	if end := min(n, behind/length+1); behind >= 0 && from < end {
		p.first, p.n, p.at = start+from*step-first, end-from, at+from
	}
	return p, nil
}

// turned returns what a takes of an axis of `length` pixels in memory. If d is negative, memory has
// them in reverse order.
func (a pixels) turned(d, length int) axis {
	if d < 0 {
		return axis{length - 1 - a.first, -a.step, a.n, 1}
	}
	return axis{a.first, a.step, a.n, 1}
}
