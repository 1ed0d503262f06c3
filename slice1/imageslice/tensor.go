package imageslice

import (
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
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
	Type   slice1.DataType // of its numbers: any; 0 is Float32
	Layout Layout
	BGR    bool // channels are in the order B, G, R

	// Channels is 0, 1 or 3. 0 is the picture's: 1 if it is grey, else 3. Convert repeats a grey
	// channel for 3, and makes 1 of colours as Pillow's convert("L") does, before it resamples:
	// (19595 R + 38470 G + 7471 B + 32768) >> 16 of samples of 8 bits. OpenCV's IMREAD_GRAYSCALE of
	// a JPEG is luma itself: &image.Gray{Pix: m.Y, Stride: m.YStride, Rect: m.Rect}. Draw repeats 1
	// channel in colours; 3 in grey are errors.ErrUnsupported.
	Channels int

	// Orientation is 1 to 8, like in Orient; 0 is 1. With 2 to 8 the window counts in the upright
	// picture, whose bounds start at 0, 0. With 5 to 8 the upright picture is as wide as m is high
	// and as high as m is wide. Never pass m.Bounds() then: it leaves the upright picture unless m
	// is square. Tensor.Whole returns all of it, and Tensor.Center a window in its middle.
	Orientation int

	Width  int         // the tensor's; 0 is the window's, after steps
	Height int         // like Width
	At     image.Point // the place of the window's first pixel in the tensor; a window that does not fit is slice1.ErrWindow

	// Fill is the stored value of the rest of the tensor: one value, or one per channel in the
	// tensor's order. Convert of a tensor that has a rest, without Fill and Keep, is
	// slice1.ErrWindow.
	Fill []float32

	// Keep leaves the rest of the tensor as it is: several pictures have their places in one dst. A
	// dst from a pool would keep an earlier picture's pixels, so it wants a Fill. Keep with a Fill
	// is errors.ErrUnsupported. Draw ignores both.
	Keep bool

	// Resize is what the window becomes by resampling with Filter, before At places it. If Resize
	// is zero, the window stays as it is. A Width or Height of 0 is then Resize's, and At may be
	// negative: what of the resampled window leaves the tensor, on any side, is not computed. The
	// window is cut out first, so that no pixel outside counts, and must lie in the picture.
	// Orientation is undone before resampling, and steps of -1 mirror the result; other steps are
	// slice1.ErrStride. Of samples of 16 bits the high bytes are resampled, as Pillow has them.
	Resize image.Point
	Filter Filter

	StepX  int           // dx of Slice; 0 is 1
	StepY  int           // dy of Slice; 0 is 1
	Affine slice1.Affine // Scale and Bias have one value, or one per channel in the tensor's order; Axis is ignored

	// Patch cuts the tensor into patches of Patch x Patch pixels, one behind the other, as models
	// take them. Its shape is then [1, patches, numbers of a patch]. Merge x Merge patches are a
	// block: the blocks come row by row, and the patches of a block, too. A patch in layout CHW has
	// channels, frames, rows and columns, in HWC rows, columns and channels. Frames repeats each
	// channel of a patch. Merge and Frames of 0 are 1. Qwen2-VL has Patch 14, Merge 2, Frames 2 and
	// CHW; ViT's rows of patches have Merge and Frames 1. If a side of the tensor is no multiple of
	// Patch*Merge, or if Merge or Frames are set without Patch, the error is slice1.ErrSize; if
	// there are Frames in HWC, or if the picture does not begin and end with a block in a tensor
	// with a Fill, it is errors.ErrUnsupported. Draw takes no patches.
	Patch         int
	Merge, Frames int

	// Background is R, G and B on which Convert composites what is not opaque, before it makes grey
	// and resamples, as Pillow's paste by alpha does: (s*a + b*(255-a)) / 255, rounded, of samples
	// of 8 bits. Colours that are multiplied by alpha get b*(255-a)/255 in addition, and a
	// palette's colours are taken as color.NRGBAModel has them. Without Background alpha is
	// dropped, as convert("RGB") does. (Package image/gif makes clear entries black, where Pillow
	// keeps their colours.) Another number of values than three is slice1.ErrSize.
	Background []uint8

	fitted fitted
}

// Normalize returns the scale and the bias that make (x/255 - mean)/std of a sample x. Many models
// take such numbers. They come from a product and a sum, so the last bits may differ from a
// division's. Models trained on ImageNet have the means 0.485, 0.456, 0.406 and the standard
// deviations 0.229, 0.224, 0.225, for R, G and B. mean and std have one value, or one per channel.
// A mean without values is 0, and a std without values is 1. A std of 0 gives infinities and NaNs.
//
// mean and std are parts of 1, the brightest sample: a mean of 123.675 in samples is 0.485. Samples
// are no means: a mean above 16 or below -16 gives values that Convert refuses (slice1.ErrSize). So
// do two means and three deviations, and all lists of several values whose lengths differ.
//
// Axis is -1, which names no axis. Convert and Draw ignore it. If there are several values, set it
// to the axis of the channels for other functions; with -1 they return slice1.ErrRank.
func Normalize(mean, std []float32) slice1.Affine {
	return affineOf(mean, std, func(mean, std float64) (scale, bias float64) { return 1 / (255 * std), -mean / std })
}

// Denormalize returns the inverse of Normalize: a scale and a bias that make 255*(std*y + mean) of
// a number y. Its Axis is -1, too. Draw refuses what it makes of other lists, as Convert refuses
// Normalize's.
func Denormalize(mean, std []float32) slice1.Affine {
	return affineOf(mean, std, func(mean, std float64) (scale, bias float64) { return 255 * std, 255 * mean })
}

// mostMean is larger than any mean that is a part of 1, and smaller than most means of samples.
const mostMean = 16

func affineOf(mean, std []float32, line func(mean, std float64) (scale, bias float64)) slice1.Affine {
	for _, m := range mean {
		if m > mostMean || m < -mostMean {
			// Three values and two: no function takes both. checkValues knows them by the NaN.
			return slice1.Affine{Axis: -1, Scale: make([]float32, 3), Bias: []float32{m, float32(math.NaN())}}
		}
	}
	value := func(v []float32, i int, otherwise float64) float64 {
		if len(v) == 0 {
			return otherwise
		}
		return float64(v[min(i, len(v)-1)])
	}
	affine := slice1.Affine{Axis: -1}
	for i := range max(1, len(std)) {
		scale, _ := line(0, value(std, i, 1))
		affine.Scale = append(affine.Scale, float32(scale))
	}
	n := len(std)
	if len(mean) > 1 || n == 0 {
		n = len(mean) // also if it is another number than len(std), for the error to name
	}
	for i := range n {
		_, bias := line(value(mean, i, 0), value(std, i, 1))
		affine.Bias = append(affine.Bias, float32(bias))
	}
	return affine
}

// dataType returns the type of the tensor's numbers.
func (t *Tensor) dataType() slice1.DataType {
	if t.Type == 0 {
		return slice1.Float32
	}
	return t.Type
}

// checkType returns an error unless a Go type of data type `given` holds the tensor's numbers.
func (t *Tensor) checkType(name string, given slice1.DataType) error {
	want := t.dataType()
	if given == want || given == slice1.Uint16 && (want == slice1.Float16 || want == slice1.BFloat16) {
		return nil
	}
	unset := ""
	if t.Type == 0 {
		unset = ", because it is not set"
	}
	return refusedField(name, int64(given), int64(want), slice1.ErrDataType, " is %v, Tensor.Type is %v%s", given, want, unset)
}

// channels returns the number of channels of the tensor. inPicture is how many the picture has, and
// alternative is how many the tensor may have instead.
func (t *Tensor) channels(inPicture, alternative int) (int, error) {
	switch t.Channels {
	case 0, inPicture:
		return inPicture, nil
	case 1, alternative: // 1 of colours is Pillow's L
		return t.Channels, nil
	case 3:
		return 0, refused(errors.ErrUnsupported, "Channels is 3, the picture has %d; Draw writes colours to an *image.RGBA", inPicture)
	case 4:
		return 0, refused(slice1.ErrSize, "Channels is 4, must be 0, 1 or 3; View gives a picture's four channels, with alpha")
	}
	return 0, refused(slice1.ErrSize, "Channels is %d, must be 0, 1 or 3", t.Channels)
}

// ordered returns a picture's channels in the tensor's order.
func (t *Tensor) ordered(channels axis) axis {
	if t.BGR && channels.n == 3 {
		return channels.reversed()
	}
	return channels
}

// checkValues returns an error unless t.Affine's lists each have at most one value, or one per
// channel, and go together and with elements of type src that become type dst. The error says so if
// the picture is grey and t would have a channel for each value with alternative channels.
func (t *Tensor) checkValues(channels, alternative int, src program.ElementType, dst slice1.DataType) error {
	axis := 0
	if t.Layout == HWC {
		axis = 2
	}
	if bias := t.Affine.Bias; len(bias) == 2 && math.IsNaN(float64(bias[1])) && len(t.Affine.Scale) == 3 {
		return &slice1.DescError{Field: "Affine.Bias", Axis: axis, Got: 2, Limit: int64(channels),
			Err: refused(slice1.ErrSize, "Affine.Bias has 2 values, axis %d of the tensor %d channels: the mean %v counts samples, must be a part of 1: divide means and deviations by 255",
				axis, channels, bias[0])}
	}
	numbers := numbersOf(&t.Affine, dst)
	if name, text := numbers.Conflict(src); name != "" {
		return refusedField(name, 0, 0, errors.ErrUnsupported, " %s", text)
	}
	if i := numbers.NotPositive(); i >= 0 {
		return refusedField("Affine.Scale", 0, 0, slice1.ErrSize, " has the value %v, must be above 0 with Zero or Divide", t.Affine.Scale[i])
	}
	for _, list := range numbers.Lists() {
		name, n := list.Field, list.Count
		if list.Rest != 0 {
			return refusedField(name, int64(list.Len), program.TableSize, slice1.ErrSize, " has %d values, must have %d, or as many for each channel", list.Len, program.TableSize)
		}
		if n > 1 && n != channels {
			hint := ""
			if t.Channels == 0 && channels == 1 && n == alternative {
				hint = fmt.Sprintf("; Channels: %d repeats grey", n)
			}
			return &slice1.DescError{Field: name, Axis: axis, Got: int64(n), Limit: int64(channels),
				Err: refused(slice1.ErrSize, "%s has %d %ss, axis %d of the tensor %d channels: must have one for each or one for all%s", name, n, list.Unit, axis, channels, hint)}
		}
	}
	return nil
}

// Filter is a rule by which samples of 8 bits are resampled. Each gives the same bytes as the
// library that it is named after. Pillow's filters but Nearest take the mean of what a shrunk pixel
// covers, as torchvision and transformers do with pictures of PIL. Linear takes four neighbours
// only, as OpenCV's resize does in YOLO's letterbox. Area takes the mean of what a pixel covers,
// too, but is no Box: 0, 0, 255, 255, 255 become 51 and 255 by Area, and 85 and 255 by Box.
type Filter int

// The filters. Bilinear to Nearest are Pillow's.
const (
	Bilinear = Filter(rows.Bilinear)
	Bicubic  = Filter(rows.Bicubic)
	Lanczos  = Filter(rows.Lanczos)
	Box      = Filter(rows.Box) // other samples than Area's, which covers parts of samples
	Hamming  = Filter(rows.Hamming)
	Nearest  = Filter(rows.Nearest)
	Linear   = Filter(rows.Linear) // OpenCV's INTER_LINEAR
	Area     = Filter(rows.Area)   // OpenCV's INTER_AREA; a side that grows is errors.ErrUnsupported
)
