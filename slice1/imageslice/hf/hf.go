// Package hf makes a model's input of a picture as the model's own preprocessor_config.json says,
// the file beside it on Hugging Face: size, crop, filter, numbers, layout and patches.
//
//	processor, err := hf.Parse(file)
//	upright := imageslice.Tensor{Orientation: orientation}.Whole(m)
//	t, err := processor.Tensor(upright)
//	t.Orientation = orientation
//	shape, err := t.Size(m, upright)
//	tensor := make([]float32, shape[0]*shape[1]*shape[2])
//	err = imageslice.Convert(tensor, m, upright, t)
//
// Known are the processors of CLIP, ViT, SigLIP, BiT (DINOv2's), ConvNeXt, DeiT and Qwen2-VL, also
// by their former names, which end in FeatureExtractor. A key that is not there has the value that
// the processor's class gives it. A key that the class does not know, and a value that this package
// cannot follow, is an error that names the key, unless it changes nothing: null, or a switch that
// is off.
//
// The tensor of a processor is the same as that of transformers on Python, to the last bit, if the
// picture's R, G and B are ([imageslice.Decoded] has Pillow's of a JPEG). Fast processors, whose
// names end in Fast, resize by torch's rule: [Processor.Exact] is false for them. Transformers may
// load the fast one of a configuration that names the other (use_fast); this package goes by the
// name. Pictures become R, G and B, as do_convert_rgb says; grey is repeated, and alpha dropped.
package hf

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// Processor is what a configuration says. It is immutable, so any number of goroutines may use it.
type Processor struct {
	tensor imageslice.Tensor // all but what depends on the window
	resize rule
	size   image.Point // of rule stretch; X is the shorter side of rule shorter
	crop   image.Point // 0, 0 for none
	zero   []float32   // what samples of 0 become, for a picture smaller than crop
	pixels [2]int      // the least and the most of rule smart
	fast   bool
}

// rule is how a processor resizes a window.
type rule int

const (
	unset   rule = iota
	stretch      // to size
	shorter      // so that the shorter side has size.X pixels
	smart        // by imageslice.Tensor.SmartResize
)

// mostBytes is the longest configuration. Those of models have some hundred bytes.
const mostBytes = 1 << 20

// Parse reads a configuration. It keeps nothing of the text. The errors are slice1.ErrSyntax for a
// text that is no JSON object, slice1.ErrSize for one of more than 1 MiB and for numbers out of
// range, and errors.ErrUnsupported for what this package does not know. All but those about the
// whole text are a *slice1.DescError, whose Field is the key.
func Parse(text []byte) (*Processor, error) {
	if len(text) > mostBytes {
		return nil, refused(slice1.ErrSize, "the configuration has %d bytes, must have at most %d", len(text), mostBytes)
	}
	c := config{used: map[string]bool{"processor_class": true, "_processor_class": true, "_valid_processor_keys": true, "transformers_version": true,
		"do_convert_rgb": true, "input_data_format": true, "device": true, "disable_grouping": true, "return_tensors": true}}
	if err := json.Unmarshal(text, &c.keys); err != nil {
		return nil, refused(slice1.ErrSyntax, "the configuration is no JSON object: %v", err)
	}
	name := c.text("feature_extractor_type", "")
	if name = c.text("image_processor_type", name); c.err != nil {
		return nil, c.err
	}
	slow, fast := strings.CutSuffix(name, "Fast")
	former := strings.TrimSuffix(slow, "FeatureExtractor")
	if former == slow {
		former = strings.TrimSuffix(slow, "ImageProcessor")
	}
	class, known := classes[former]
	if !known || former == slow {
		c.refuse("image_processor_type", errors.ErrUnsupported, "is %q, must be one of CLIP, ViT, Siglip, Bit, ConvNext, DeiT and Qwen2VL with ImageProcessor or ImageProcessorFast behind it", cut(name))
		return nil, c.err
	}
	p := &Processor{fast: fast}
	c.processor(p, class)
	c.unknown()
	if c.err != nil {
		return nil, c.err
	}
	return p, nil
}

// Exact reports whether the tensors are those of transformers to the last bit. They are not for a
// fast processor that resizes: it does so by torch's rule, whose samples are a few levels from
// Pillow's. Its numbers of equal samples are equal.
func (p *Processor) Exact() bool { return !p.fast || p.resize == unset }

// Tensor returns the tensor of window r of a picture, which counts in the upright picture:
// imageslice.Tensor.Whole for all of it. The numbers are float32, in three channels. Set Type,
// Orientation after it. The values of Affine belong to p, and must not be changed. Convert takes
// windows of r's size alone, where the size of the result depends on it. An empty r is
// slice1.ErrEmpty, and one of a shape that the processor refuses slice1.ErrSize.
func (p *Processor) Tensor(r image.Rectangle) (imageslice.Tensor, error) {
	if r.Empty() || r.Dx() <= 0 || r.Dy() <= 0 {
		return imageslice.Tensor{}, refused(slice1.ErrEmpty, "the window %v has no pixels", r)
	}
	t := p.tensor
	shortest := min(r.Dx(), r.Dy())
	switch {
	case p.resize == stretch:
		t.Resize = p.size
	case p.resize == smart:
		t = t.SmartResize(r, t.Patch*t.Merge, p.pixels[0], p.pixels[1])
	case p.resize == shorter:
		t = t.ResizeCrop(r, p.size.X, 1)
	case p.crop != image.Point{}:
		t = t.ResizeCrop(r, shortest, 1) // to what it is, for a crop
	}
	if t.Resize.X < 0 {
		return imageslice.Tensor{}, refused(slice1.ErrSize, "the window has %d x %d pixels, no side may be more than 200 times the other", r.Dx(), r.Dy())
	}
	t.Width, t.Height, t.At = p.crop.X, p.crop.Y, image.Point{}
	if p.crop != (image.Point{}) {
		t.At = image.Pt(margin(p.crop.X-t.Resize.X), margin(p.crop.Y-t.Resize.Y))
		if t.Resize.X < p.crop.X || t.Resize.Y < p.crop.Y {
			t.Fill = slices.Clone(p.zero)
		}
	}
	return t, nil
}

// margin returns where a picture begins in a crop that is `rest` pixels longer, as center_crop has
// it: half of the rest, rounded up, also if that is negative.
func margin(rest int) int {
	if rest > 0 {
		return (rest + 1) / 2
	}
	return rest / 2
}

// config is a configuration that is being read. The first error stays.
type config struct {
	keys map[string]json.RawMessage
	used map[string]bool // keys that are known
	err  error
}

// refused returns an error of this package.
func refused(err error, format string, args ...any) error {
	return sentence.New("hf", err, format, args...)
}

// cut returns what an error quotes of a text of the configuration.
func cut[T ~string | ~[]byte](text T) string { return string(text[:min(len(text), 60)]) }

// refuse sets the error, unless there is one.
func (c *config) refuse(key string, err error, format string, args ...any) {
	c.refuseValue(key, 0, 0, err, format, args...)
}

// refuseValue is refuse for a number with a limit.
func (c *config) refuseValue(key string, got, limit int64, err error, format string, args ...any) {
	if c.err == nil {
		c.err = &slice1.DescError{Field: key, Axis: -1, Got: got, Limit: limit, Err: refused(err, "%q "+format, append([]any{cut(key)}, args...)...)}
	}
}

// get decodes the value of a key into v, and reports whether there is one. null is none.
func (c *config) get(key string, v any, wanted string) bool {
	raw, ok := c.keys[key]
	c.used[key] = true
	if !ok || isNull(raw) {
		return false
	}
	if err := json.Unmarshal(raw, v); err != nil {
		c.refuse(key, errors.ErrUnsupported, "is %s, must be %s", cut(raw), wanted)
		return false
	}
	return true
}

func isNull(raw json.RawMessage) bool { return bytes.Equal(raw, []byte("null")) }

func (c *config) text(key, otherwise string) (s string) {
	if c.get(key, &s, "a string") {
		return s
	}
	return otherwise
}

// flag returns a switch. null is off.
func (c *config) flag(key string, otherwise bool) (v bool) {
	if c.get(key, &v, "true or false") || c.keys[key] != nil {
		return v
	}
	return otherwise
}

// whole returns a whole number from 1 to limit.
func (c *config) whole(key string, otherwise, limit int64) int {
	v := otherwise
	if c.get(key, &v, "a whole number") && (v < 1 || v > limit) {
		c.outside(key, v, limit)
	}
	return int(v)
}

func (c *config) outside(key string, v, limit int64) {
	c.refuseValue(key, v, min(max(v, 1), limit), slice1.ErrSize, "is %d, must be 1 to %d", v, limit)
}

// unknown refuses a key that is not known, unless it changes nothing.
func (c *config) unknown() {
	keys := make([]string, 0, len(c.keys))
	for key := range c.keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		raw := c.keys[key]
		disabled := strings.HasPrefix(key, "do_") && string(raw) == "false"
		if !c.used[key] && !isNull(raw) && !disabled {
			c.refuse(key, errors.ErrUnsupported, "is no key that this processor is known to have, and may change the result")
			return
		}
	}
}
