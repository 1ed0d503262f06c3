package hf

import (
	"encoding/json"
	"errors"
	"image"
	"math"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// class is a processor of transformers: what its constructor takes where the configuration says
// nothing, and what it can do. Fast processors have the same values, and more forms of sizes.
type class struct {
	size      map[string]int64
	filter    imageslice.Filter
	mean, std []float64
	sides     bool // a size of one number is both sides, else the shorter one
	bothSizes bool // the other form of size is taken, too
	crops     bool // it has a crop in the middle, which is on
	ratio     bool // ConvNeXt's crop_pct
	patches   bool // Qwen2-VL's
}

var (
	half          = []float64{0.5, 0.5, 0.5}
	clipMean      = []float64{0.48145466, 0.4578275, 0.40821073}
	clipDeviation = []float64{0.26862954, 0.26130258, 0.27577711}
)

// classes are the processors by the beginnings of their names.
var classes = map[string]class{
	"CLIP":     {size: map[string]int64{"shortest_edge": 224}, filter: imageslice.Bicubic, mean: clipMean, std: clipDeviation, bothSizes: true, crops: true},
	"Bit":      {size: map[string]int64{"shortest_edge": 224}, filter: imageslice.Bicubic, mean: clipMean, std: clipDeviation, bothSizes: true, crops: true},
	"ViT":      {size: map[string]int64{"height": 224, "width": 224}, filter: imageslice.Bilinear, mean: half, std: half, sides: true},
	"Siglip":   {size: map[string]int64{"height": 224, "width": 224}, filter: imageslice.Bicubic, mean: half, std: half, sides: true},
	"DeiT":     {size: map[string]int64{"height": 256, "width": 256}, filter: imageslice.Bicubic, mean: half, std: half, sides: true, crops: true},
	"ConvNext": {size: map[string]int64{"shortest_edge": 384}, filter: imageslice.Bilinear, mean: half, std: half, ratio: true},
	"Qwen2VL":  {size: map[string]int64{"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 1280}, filter: imageslice.Bicubic, mean: clipMean, std: clipDeviation, patches: true},
}

// filters are PIL's numbers of filters.
var filters = []imageslice.Filter{imageslice.Nearest, imageslice.Lanczos, imageslice.Bilinear, imageslice.Bicubic, imageslice.Box, imageslice.Hamming}

// The largest values. No model has more, and their products stay in an int of 32 bits.
const (
	mostSide   = 1 << 15
	mostPatch  = 1 << 10
	mostPixels = math.MaxInt32
)

// processor sets p to what the configuration says of a processor of class k.
func (c *config) processor(p *Processor, k class) {
	t := &p.tensor
	t.Channels, t.Filter = 3, k.filter
	filter := int64(-1)
	if c.get("resample", &filter, "PIL's number of a filter") {
		if filter < 0 || filter >= int64(len(filters)) {
			c.refuse("resample", errors.ErrUnsupported, "is %d, must be one of PIL's filters, 0 to 5", filter)
			return
		}
		t.Filter = filters[filter]
	}
	if raw, ok := c.keys["resample"]; ok && isNull(raw) {
		c.refuse("resample", errors.ErrUnsupported, "is null, must be one of PIL's filters, 0 to 5")
	}
	switch layout := c.text("data_format", "channels_first"); {
	case layout == "channels_last" && !k.patches:
		t.Layout = imageslice.HWC
	case layout != "channels_first":
		c.refuse("data_format", errors.ErrUnsupported, "is %q, must be channels_first or, without patches, channels_last", cut(layout))
	}
	if k.patches {
		t.Patch, t.Merge, t.Frames = c.whole("patch_size", 14, mostPatch), c.whole("merge_size", 2, mostPatch), c.whole("temporal_patch_size", 2, mostPatch)
	}
	resizes := c.flag("do_resize", true)
	short := !k.sides
	if square := c.flag("default_to_square", k.sides); p.fast {
		short = !square
	}
	if size := c.sizes("size", k.size, short); resizes {
		c.resize(p, &k, size)
	}
	ratio := k.ratio && p.resize == shorter
	cropped := false
	if k.crops || p.fast && !k.patches && !k.ratio {
		cropped = c.flag("do_center_crop", k.crops)
	}
	if size := c.sizes("crop_size", map[string]int64{"height": 224, "width": 224}, false); cropped {
		p.crop = c.sides("crop_size", size)
	}
	if ratio {
		p.crop = p.size
		p.size.X = int(float64(p.size.X) / c.ratio())
	} else if k.ratio {
		c.ratio()
	}
	c.numbers(p, &k)
}

// resize sets what p resizes to.
func (c *config) resize(p *Processor, k *class, size map[string]int64) {
	switch given := func(key string) bool { return size[key] != 0 }; {
	case k.patches:
		p.resize = smart
		p.pixels = [2]int{c.whole("min_pixels", size["shortest_edge"], mostPixels), c.whole("max_pixels", size["longest_edge"], mostPixels)}
		if len(size) != 2 || !given("shortest_edge") || !given("longest_edge") {
			c.refuse("size", errors.ErrUnsupported, "has no shortest_edge and longest_edge, the least and the most pixels")
		}
	case given("shortest_edge") && len(size) == 1 && (!k.sides || k.bothSizes || p.fast):
		p.resize, p.size = shorter, image.Pt(int(size["shortest_edge"]), int(size["shortest_edge"]))
		if k.ratio && size["shortest_edge"] >= 384 { // from 384 on ConvNeXt takes the whole picture, stretched
			p.resize = stretch
		}
	case given("height") && (k.sides || k.bothSizes || p.fast) && !k.ratio:
		p.resize, p.size = stretch, c.sides("size", size)
	default:
		c.refuse("size", errors.ErrUnsupported, "has other sides than this processor takes")
	}
}

// sides returns a size of two sides.
func (c *config) sides(key string, size map[string]int64) image.Point {
	if len(size) != 2 || size["height"] == 0 || size["width"] == 0 {
		c.refuse(key, errors.ErrUnsupported, "has no height and width")
	}
	return image.Pt(int(size["width"]), int(size["height"]))
}

// sizes returns a size: of an object with sides by name, of one number, which is the shorter side
// or both, or of height and width.
func (c *config) sizes(key string, otherwise map[string]int64, short bool) map[string]int64 {
	var raw json.RawMessage
	if !c.get(key, &raw, "a size") {
		return otherwise
	}
	var number int64
	var pair []int64
	var named map[string]*int64
	size := map[string]int64{}
	switch {
	case json.Unmarshal(raw, &number) == nil && short:
		size["shortest_edge"] = number
	case json.Unmarshal(raw, &number) == nil:
		size["height"], size["width"] = number, number
	case json.Unmarshal(raw, &pair) == nil && len(pair) == 2:
		size["height"], size["width"] = pair[0], pair[1]
	case json.Unmarshal(raw, &named) == nil:
		for side, v := range named {
			if v != nil {
				size[side] = *v
			}
		}
	default:
		c.refuse(key, errors.ErrUnsupported, "is %s, must be a number, or an object of sides in whole numbers", cut(raw))
		return otherwise
	}
	for _, side := range [...]string{"height", "width", "shortest_edge", "longest_edge"} {
		limit := int64(mostSide)
		if _, pixels := otherwise["longest_edge"]; pixels {
			limit = mostPixels
		}
		if v, ok := size[side]; ok && (v < 1 || v > limit) {
			c.outside(key+"."+side, v, limit)
		}
	}
	return size
}

// ratio returns what of the resized side ConvNeXt's crop takes.
func (c *config) ratio() float64 {
	v := 224. / 256
	if c.get("crop_pct", &v, "a number") && !(v >= 1./16 && v <= 1) {
		c.refuse("crop_pct", slice1.ErrSize, "is %v, must be from 0.0625 to 1", v)
	}
	return v
}

// numbers sets the numbers of p's tensor.
func (c *config) numbers(p *Processor, k *class) {
	rescales, normalises := c.flag("do_rescale", true), c.flag("do_normalize", true)
	factor := 1. / 255
	if c.get("rescale_factor", &factor, "a number"); rescales && factor != 1./255 {
		c.refuse("rescale_factor", errors.ErrUnsupported, "is %v, must be 1/255, 0.00392156862745098", factor)
	}
	mean, std := c.values("image_mean", k.mean), c.values("image_std", k.std)
	for _, v := range mean {
		if normalises && !(v >= -16 && v <= 16) {
			c.refuse("image_mean", slice1.ErrSize, "has %v, must have parts of 1, from -16 to 16", v)
		}
	}
	for _, v := range std {
		if normalises && !(v > 1e-6 && v < 1e6) {
			c.refuse("image_std", slice1.ErrSize, "has %v, must have deviations from 1e-6 to 1e6", v)
		}
	}
	p.zero = []float32{0}
	switch {
	case c.err != nil:
	case normalises && !rescales:
		c.refuse("do_rescale", errors.ErrUnsupported, "is off while do_normalize is on")
	case normalises && p.fast:
		p.setNumbers(imageslice.Fused, mean, std)
	case normalises:
		p.setNumbers(imageslice.Divide, mean, std)
	case rescales && p.fast:
		p.setNumbers(imageslice.Times, []float64{0}, []float64{1})
	case rescales:
		p.setNumbers(imageslice.Divide, []float64{0}, []float64{1})
	}
}

// setNumbers sets the numbers of p, and what samples of 0 become.
func (p *Processor) setNumbers(pipeline imageslice.Pipeline, mean, std []float64) {
	p.tensor.Affine = pipeline.Normalize(mean, std)
	p.zero = nil
	for i := 0; i < len(p.tensor.Affine.Table); i += 256 {
		p.zero = append(p.zero, p.tensor.Affine.Table[i])
	}
}

// values returns three values, one for each channel, of a list or of one number.
func (c *config) values(key string, otherwise []float64) []float64 {
	var raw json.RawMessage
	if !c.get(key, &raw, "three numbers") {
		return otherwise
	}
	var number float64
	var list []float64
	switch {
	case json.Unmarshal(raw, &number) == nil:
		return []float64{number, number, number}
	case json.Unmarshal(raw, &list) != nil || len(list) != 3:
		c.refuse(key, errors.ErrUnsupported, "is %s, must be three numbers, or one for all channels", cut(raw))
		return otherwise
	}
	return list
}
