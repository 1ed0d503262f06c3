package hf_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/imageslice/hf"
	"github.com/seed2e45c115/dml/testdata/sentencetest"
)

const testdata = "../../../testdata/"

// configurations are those of models, and some that take other ways.
func configurations(t testing.TB) (lines []string) {
	file, err := os.ReadFile(testdata + "hf/configurations.jsonl")
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(file)), "\n")
}

func chelsea(t testing.TB) image.Image {
	file, err := os.Open(testdata + "chelsea.png")
	require.NoError(t, err)
	defer file.Close()
	m, err := png.Decode(file)
	require.NoError(t, err)
	return m
}

// Each processor makes of a large picture and of a small one what testdata/hf/processors.py makes
// of them in NumPy and Pillow, to the last bit.
func TestProcessorsArePythons(t *testing.T) {
	m := chelsea(t)
	file, err := os.Open(testdata + "hf/expected.txt")
	require.NoError(t, err)
	defer file.Close()
	expected := bufio.NewScanner(file)
	for i, line := range configurations(t) {
		p, err := hf.Parse([]byte(line))
		require.NoError(t, err, line)
		require.Equal(t, !strings.Contains(line, "Fast\""), p.Exact(), line)
		for _, r := range []image.Rectangle{m.Bounds(), image.Rect(0, 0, 67, 101)} {
			tensor, err := p.Tensor(r)
			require.NoError(t, err, line)
			shape, err := tensor.Size(m, r)
			require.NoError(t, err, line)
			dst := make([]float32, shape[0]*shape[1]*shape[2])
			require.NoError(t, imageslice.Convert(dst, m, r, tensor), line)
			require.True(t, expected.Scan())
			require.Equal(t, expected.Text(), fmt.Sprint(i, " ", shape[0], " ", shape[1], " ", shape[2], " ", crcOf(dst)), line)
		}
	}
	require.False(t, expected.Scan())
}

func crcOf(numbers []float32) uint32 {
	bytes := make([]byte, 0, 4*len(numbers))
	for _, v := range numbers {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v))
	}
	return crc32.ChecksumIEEE(bytes)
}

// A tensor whose Resize depends on the window is one for windows of that size alone.
func TestTensorsTakeTheirWindow(t *testing.T) {
	m, small := chelsea(t), image.Rect(3, 5, 103, 155)
	for _, line := range configurations(t) {
		p, err := hf.Parse([]byte(line))
		require.NoError(t, err)
		tensor, err := p.Tensor(m.Bounds())
		require.NoError(t, err)
		other, err := p.Tensor(small)
		require.NoError(t, err)
		if _, err = tensor.Size(m, small); other.Resize != tensor.Resize {
			require.ErrorIs(t, err, slice1.ErrWindow, line)
		} else {
			require.NoError(t, err, line)
		}
	}
	p, err := hf.Parse([]byte(`{"image_processor_type": "Qwen2VLImageProcessor"}`))
	require.NoError(t, err)
	for _, r := range []image.Rectangle{{}, {image.Pt(math.MinInt, 0), image.Pt(math.MaxInt, 1)}} {
		_, err = p.Tensor(r)
		require.ErrorIs(t, err, slice1.ErrEmpty)
	}
}

// rowsOfRefusals are the errors of Parse and Tensor. A Qwen2-VL has all keys.
func rowsOfRefusals() (rows []sentencetest.Row) {
	parse := func(text string) error {
		_, err := hf.Parse([]byte(text))
		return err
	}
	add := func(class, keys, text string, sentinel error, field string, got, limit int64) {
		rows = append(rows, sentencetest.Place(parse(fmt.Sprintf(`{"image_processor_type": %q%s}`, class, keys)), text, sentinel, field, -1, got, limit))
	}
	unsupported := func(class, keys, text, field string) { add(class, keys, text, errors.ErrUnsupported, field, 0, 0) }
	rows = append(rows,
		sentencetest.Plain(parse(strings.Repeat(" ", 1<<20+1)), "the configuration has 1048577 bytes, must have at most 1048576", slice1.ErrSize),
		sentencetest.Plain(parse("[1]"), "the configuration is no JSON object: json: cannot unmarshal array into Go value of type map[string]json.RawMessage", slice1.ErrSyntax),
		sentencetest.Plain(parse(`{"a": NaN}`), "the configuration is no JSON object: invalid character 'N' looking for beginning of value", slice1.ErrSyntax))
	const known = ", must be one of CLIP, ViT, Siglip, Bit, ConvNext, DeiT and Qwen2VL with ImageProcessor or ImageProcessorFast behind it"
	for _, empty := range []string{"null", "{}"} {
		rows = append(rows, sentencetest.Place(parse(empty), `"image_processor_type" is ""`+known, errors.ErrUnsupported, "image_processor_type", -1, 0, 0))
	}
	for _, name := range []string{"SamImageProcessor", "CLIP", "CLIPImageProcessorFaster", "FastImageProcessor"} {
		unsupported(name, "", fmt.Sprintf(`"image_processor_type" is %q`, name)+known, "image_processor_type")
	}
	const clip, vit, qwen, next = "CLIPImageProcessor", "ViTImageProcessor", "Qwen2VLImageProcessor", "ConvNextImageProcessor"
	unsupported(clip, `, "do_pad": true`, `"do_pad" is no key that this processor is known to have, and may change the result`, "do_pad")
	unsupported(clip, `, "patch_size": 14`, `"patch_size" is no key that this processor is known to have, and may change the result`, "patch_size")
	unsupported(vit, `, "do_center_crop": true`, `"do_center_crop" is no key that this processor is known to have, and may change the result`, "do_center_crop")
	unsupported(clip, `, "do_resize": 1`, `"do_resize" is 1, must be true or false`, "do_resize")
	unsupported(clip, `, "resample": 6`, `"resample" is 6, must be one of PIL's filters, 0 to 5`, "resample")
	unsupported(clip, `, "resample": "bicubic"`, `"resample" is "bicubic", must be PIL's number of a filter`, "resample")
	unsupported(clip, `, "resample": null`, `"resample" is null, must be one of PIL's filters, 0 to 5`, "resample")
	unsupported(clip, `, "data_format": "none"`, `"data_format" is "none", must be channels_first or, without patches, channels_last`, "data_format")
	unsupported(qwen, `, "data_format": "channels_last"`, `"data_format" is "channels_last", must be channels_first or, without patches, channels_last`, "data_format")
	unsupported(clip, `, "size": {"longest_edge": 5}`, `"size" has other sides than this processor takes`, "size")
	unsupported(clip, `, "size": {"height": 5}`, `"size" has no height and width`, "size")
	unsupported(vit, `, "size": {"shortest_edge": 5}`, `"size" has other sides than this processor takes`, "size")
	unsupported(next, `, "size": {"height": 5, "width": 5}`, `"size" has other sides than this processor takes`, "size")
	unsupported(qwen, `, "size": {"shortest_edge": 5}`, `"size" has no shortest_edge and longest_edge, the least and the most pixels`, "size")
	unsupported(clip, `, "crop_size": {"shortest_edge": 5}`, `"crop_size" has no height and width`, "crop_size")
	unsupported(clip, `, "size": 22.5`, `"size" is 22.5, must be a number, or an object of sides in whole numbers`, "size")
	unsupported(clip, `, "rescale_factor": 0.0078`, `"rescale_factor" is 0.0078, must be 1/255, 0.00392156862745098`, "rescale_factor")
	unsupported(clip, `, "do_rescale": false`, `"do_rescale" is off while do_normalize is on`, "do_rescale")
	unsupported(clip, `, "image_mean": [0.5, 0.5]`, `"image_mean" is [0.5, 0.5], must be three numbers, or one for all channels`, "image_mean")
	unsupported(clip, `, "image_std": ["a"]`, `"image_std" is ["a"], must be three numbers, or one for all channels`, "image_std")
	unsupported(clip, `, "image_std": 1e999`, `"image_std" is 1e999, must be three numbers, or one for all channels`, "image_std")
	size := func(class, keys, text, field string, got, limit int64) {
		add(class, keys, text, slice1.ErrSize, field, got, limit)
	}
	size(clip, `, "size": 0`, `"size.shortest_edge" is 0, must be 1 to 32768`, "size.shortest_edge", 0, 1)
	size(vit, `, "size": {"height": 32769, "width": 1}`, `"size.height" is 32769, must be 1 to 32768`, "size.height", 32769, 32768)
	size(clip, `, "crop_size": {"height": 5, "width": -5}`, `"crop_size.width" is -5, must be 1 to 32768`, "crop_size.width", -5, 1)
	size(qwen, `, "size": {"shortest_edge": 5, "longest_edge": 2147483648}`, `"size.longest_edge" is 2147483648, must be 1 to 2147483647`, "size.longest_edge", 1<<31, 1<<31-1)
	size(qwen, `, "patch_size": 1025`, `"patch_size" is 1025, must be 1 to 1024`, "patch_size", 1025, 1024)
	size(qwen, `, "min_pixels": 0`, `"min_pixels" is 0, must be 1 to 2147483647`, "min_pixels", 0, 1)
	size(next, `, "crop_pct": 1.5`, `"crop_pct" is 1.5, must be from 0.0625 to 1`, "crop_pct", 0, 0)
	size(clip, `, "image_mean": [123.675, 116.28, 103.53]`, `"image_mean" has 123.675, must have parts of 1, from -16 to 16`, "image_mean", 0, 0)
	size(clip, `, "image_std": [0.5, -0.5, 0.5]`, `"image_std" has -0.5, must have deviations from 1e-6 to 1e6`, "image_std", 0, 0)
	size(clip, `, "image_std": 0`, `"image_std" has 0, must have deviations from 1e-6 to 1e6`, "image_std", 0, 0)
	p, _ := hf.Parse([]byte(`{"image_processor_type": "Qwen2VLImageProcessor"}`))
	_, empty := p.Tensor(image.Rectangle{})
	_, narrow := p.Tensor(image.Rect(0, 0, 1, 201))
	return append(rows, sentencetest.Plain(empty, "the window (0,0)-(0,0) has no pixels", slice1.ErrEmpty),
		sentencetest.Plain(narrow, "the window has 1 x 201 pixels, no side may be more than 200 times the other", slice1.ErrSize))
}

// Each error names the key, and no place of the source makes another one.
func TestErrorsNameTheKey(t *testing.T) {
	rows := rowsOfRefusals()
	sentencetest.Check(t, "hf", rows)
	sentencetest.CheckPlaces(t, ".", []string{"refused", "refuse", "refuseValue"}, sentencetest.Texts(rows))
}

// What changes nothing is taken: null, and switches of other processors that are off.
func TestKeysThatChangeNothing(t *testing.T) {
	for _, keys := range []string{`"do_pad": false`, `"do_pad": null`, `"pad_size": null`, `"size": null`, `"crop_size": null`, `"image_mean": null`,
		`"do_convert_rgb": true`, `"processor_class": "CLIPProcessor"`, `"size": {"shortest_edge": 224, "longest_edge": null}`, `"default_to_square": false`} {
		p, err := hf.Parse([]byte(`{"image_processor_type": "CLIPImageProcessor", ` + keys + `}`))
		require.NoError(t, err, keys)
		same, err := hf.Parse([]byte(`{"image_processor_type": "CLIPImageProcessor"}`))
		require.NoError(t, err)
		require.Equal(t, same, p, keys)
	}
}

// FuzzParse: no text panics, or makes more memory than it has. What is taken makes a tensor, or an
// error, of any window, and is the same of the same keys in another order.
func FuzzParse(f *testing.F) {
	for _, line := range configurations(f) {
		f.Add([]byte(line), 30, 20)
	}
	f.Add([]byte(`{"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 1024, "merge_size": 1024, "temporal_patch_size": 1024}`), 1, 200)
	f.Add([]byte(`{"image_processor_type": "CLIPImageProcessor", "size": 32768, "crop_size": 32768}`), 32767, 1)
	m := image.NewRGBA(image.Rect(0, 0, 40, 30))
	f.Fuzz(func(t *testing.T, text []byte, width, height int) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := hf.Parse(text)
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20+100*uint64(len(text)) {
			t.Fatalf("%d bytes for a text of %d", after.TotalAlloc-before.TotalAlloc, len(text))
		}
		if err != nil {
			require.Nil(t, p)
			require.Regexp(t, "^hf: ", err.Error())
			return
		}
		var keys map[string]any
		require.NoError(t, json.Unmarshal(text, &keys))
		sorted, err := json.Marshal(keys)
		require.NoError(t, err)
		if again, err := hf.Parse(sorted); err == nil { // large whole numbers become others
			require.Equal(t, p.Exact(), again.Exact())
		}
		r := image.Rect(0, 0, width, height)
		tensor, err := p.Tensor(r)
		if err != nil {
			return
		}
		shape, err := tensor.Size(m, r.Intersect(m.Rect))
		if n := int64(shape[0]) * int64(shape[1]) * int64(shape[2]); err == nil && n < 1<<20 {
			dst := make([]float32, n)
			require.NoError(t, imageslice.Convert(dst, m, r.Intersect(m.Rect), tensor))
			for _, v := range dst {
				require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0))
			}
		}
	})
}
