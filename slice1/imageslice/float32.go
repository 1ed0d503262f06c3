package imageslice

import (
	"fmt"
	"image"
	"image/color"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// Layout is the order of the axes of a tensor made of a picture.
type Layout int

const (
	CHW Layout = iota // channels, height, width
	HWC               // height, width, channels
)

// bandPixels is about how many pixels become R, G and B at a time: as many as stay in the first-level
// cache, three bytes each.
const bandPixels = 4096

// Normalize returns the scale and the bias that make (x/255 - mean)/std of a sample x, as models are
// trained with: of ImageNet's, the mean is 0.485, 0.456, 0.406 and the standard deviation 0.229, 0.224,
// 0.225. mean and std have one value, or one per channel; a mean without values is 0 and a std without
// values 1. A std of 0 gives infinities and NaNs. Axis is -1, no axis, which Float32 does not look at; other
// functions return slice1.ErrRank for several values until it is set to the axis of the channels.
func Normalize(mean, std []float32) slice1.Affine {
	at := func(v []float32, i int, none float64) float64 {
		if len(v) == 0 {
			return none
		}
		return float64(v[min(i, len(v)-1)])
	}
	a := slice1.Affine{Axis: -1}
	for i := range max(1, len(std)) {
		a.Scale = append(a.Scale, float32(1/(255*at(std, i, 1))))
	}
	for i := range max(len(mean), len(std)) {
		a.Bias = append(a.Bias, float32(-at(mean, i, 0)/at(std, i, 1)))
	}
	return a
}

// Float32 stores window r of m, in steps as [Slice] has them, into dst as float32: R, G and B as a tensor
// of three channels, height and width, in the order that l says, and *image.Gray, Gray16, Alpha and
// Alpha16 as one of one channel. dst must have the length of that tensor, neither less nor more: a tensor of
// another shape would be scrambled by a picture that is smaller than expected, or grey. Samples count 0 to 255; those of 16 bits are divided by 257. Each
// becomes a.Scale*x + a.Bias, with one value each or one per channel, whatever a.Axis is.
//
// m is a picture that View takes, an *image.YCbCr of any ratio or a Frame, and r any window in it. YCbCr and CMYK
// become RGB as package image/color makes it, a Frame as it says, and palettes are looked up. Pixels give R, G and B
// in this order, whatever theirs is. Alpha is dropped, not divided
// by: the samples of *image.RGBA are those that alpha has been multiplied into. Pictures are not
// resized; golang.org/x/image/draw does that before.
//
// The errors are those of Slice but for what it says about cells of chroma, and slice1.ErrBuffer for a
// dst of another length, slice1.ErrSize for a wrong number of values or an unknown layout, and
// slice1.ErrOverlap for a dst in m's memory.
// With an error nothing has been written. Float32 allocates; it may be called by any number of
// goroutines at once.
func Float32(dst []float32, m image.Image, r image.Rectangle, stepX, stepY int, l Layout, a slice1.Affine) error {
	from, err := open(m)
	if err != nil {
		return err
	}
	if l != CHW && l != HWC {
		return refused{fmt.Sprintf("layout %d is neither CHW nor HWC", l), slice1.ErrSize}
	}
	whole := planes{bounds: from.bounds, cell: one}
	x, y, err := slicing{r: r, dx: stepX, dy: stepY}.axes(&whole)
	if err != nil {
		return err
	}
	channels := 3
	var stage func(rgb []uint8, row int) // for pictures whose samples are not converted as they are
	switch m := m.(type) {
	case *image.YCbCr:
		stage = stageOf(frameOf(m), r)
	case *Frame:
		stage = stageOf(m, r)
	case *image.CMYK:
		stage = func(rgb []uint8, row int) { cmykRow(rgb, m.Pix[row*m.Stride+4*(r.Min.X-m.Rect.Min.X):]) }
	case *image.Paletted:
		stage = func(rgb []uint8, row int) {
			paletteRow(rgb, m.Pix[row*m.Stride+r.Min.X-m.Rect.Min.X:], m.Palette)
		}
	default:
		channels = from.rgb.n
	}
	shape := []int{y[0].n, x[0].n, channels}
	if a.Axis = 2; l == CHW {
		a.Axis = 0
		shape = []int{channels, y[0].n, x[0].n}
	}
	if n := int64(channels) * int64(x[0].n) * int64(y[0].n); int64(len(dst)) != n {
		return refused{fmt.Sprintf("dst has %d values, a tensor of shape %v has %d", len(dst), shape, n), slice1.ErrBuffer}
	}
	if stage == nil {
		return samplesFloat32(dst, from.list[0], x[0], y[0], from.rgb, l, a)
	}
	// unsafe: addresses are compared.
	to := plane{pix: unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(dst))), 4*len(dst))}
	for _, p := range from.list {
		if p.meets(&to) {
			return fmt.Errorf("imageslice: dst is in the picture's memory: %w", slice1.ErrOverlap)
		}
	}
	return stagedFloat32(dst, stage, r.Dx(), x[0], y[0], l, a)
}

// of returns the descriptor that takes rows y, columns x and channels of a tensor of rows, columns and channels.
func (l Layout) of(t slice1.TensorDesc, y, x, channels axis) (*slice1.Desc, error) {
	d := described(t, y, x, channels)
	if l == CHW {
		return d.Permute(2, 0, 1)
	}
	return d, nil
}

// samplesFloat32 is Float32 for pictures whose samples are converted as they are.
func samplesFloat32(dst []float32, p plane, x, y, channels axis, l Layout, a slice1.Affine) error {
	d, err := l.of(p.tensor, y, x, channels)
	if err != nil {
		return err
	}
	if p.tensor.DataType == slice1.Uint16 {
		// unsafe: a Sample may lie at any address.
		return slice1.CopyConvert(dst, unsafe.Slice((*engine.Sample)(unsafe.Pointer(unsafe.SliceData(p.pix))), len(p.pix)/2), d, slice1.Float32, a)
	}
	return slice1.CopyConvert(dst, p.pix, d, slice1.Float32, a)
}

// stagedFloat32 is Float32 for pictures of which stage makes the R, G and B of `width` pixels of a row. It
// makes those of some rows, and converts them.
func stagedFloat32(dst []float32, stage func(rgb []uint8, row int), width int, x, y axis, l Layout, a slice1.Affine) error {
	x.first = 0
	if x.step < 0 {
		x.first = width - 1
	}
	maxRows := min(y.n, max(1, bandPixels/width))
	rgb := make([]uint8, 3*width*maxRows)
	var plan *slice1.Conversion
	for done, rows := 0, 0; done < y.n; done += rows {
		if n := min(maxRows, y.n-done); n != rows {
			rows = n
			var err error
			if plan, err = bandPlan(rows, width, x, x.n*y.n, l, a); err != nil {
				return err
			}
		}
		for k := range rows {
			stage(rgb[3*width*k:][:3*width], y.first+(done+k)*y.step)
		}
		to := 3 * x.n * done
		if l == CHW {
			to = x.n * done
		}
		if err := slice1.Convert(plan, dst[to:], rgb); err != nil {
			return err
		}
	}
	return nil
}

// bandPlan returns the plan for rows of `width` pixels, each a row of R, one of G and one of B, into a
// tensor whose planes begin `distance` elements apart if it is CHW.
func bandPlan(rows, width int, x axis, distance int, l Layout, a slice1.Affine) (*slice1.Conversion, error) {
	rgb := slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{rows, width, 3}, Strides: []int{3 * width, 1, width}}
	d, err := l.of(rgb, axis{0, 1, rows, 1}, x, axis{0, 1, 3, 1})
	if err != nil {
		return nil, err
	}
	if l == CHW {
		d.Output.Strides = []int{distance, x.n, 1}
	}
	return slice1.NewConversion(d, slice1.Float32, a)
}

// stageOf returns what makes the R, G and B of the columns of r, of a row counted from f's first.
func stageOf(f *Frame, r image.Rectangle) func(rgb []uint8, row int) {
	c := coloursOf(f)
	return func(rgb []uint8, row int) { c.store(rgb, r.Min.X, r.Max.X, row, 1, 1, 1, len(rgb), r.Dx()) }
}

func cmykRow(rgb, pix []uint8) {
	n := len(rgb) / 3
	for i := range n {
		rgb[i], rgb[n+i], rgb[2*n+i] = color.CMYKToRGB(pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3])
	}
}

// paletteRow looks up indices. Those that p does not have are black.
func paletteRow(rgb, pix []uint8, p color.Palette) {
	n := len(rgb) / 3
	var table [256][3]uint8
	for i, c := range p[:min(len(p), 256)] {
		switch c := c.(type) {
		case nil:
		case color.NRGBA:
			table[i] = [3]uint8{c.R, c.G, c.B}
		default:
			r, g, b, _ := c.RGBA()
			table[i] = [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
		}
	}
	for i, index := range pix[:n] {
		rgb[i], rgb[n+i], rgb[2*n+i] = table[index][0], table[index][1], table[index][2]
	}
}
