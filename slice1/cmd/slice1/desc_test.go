package main

import (
	"image"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// saveJob saves the job that -explain -json prints.
func (d dir) saveJob(name string, args ...string) {
	d.Helper()
	code, stdout, stderr := d.run(append([]string{"-explain", "-json"}, args...)...)
	require.Equal(d, exitOK, code, stderr)
	d.write(name, []byte(stdout))
}

func TestExplainedJobsDoTheSame(t *testing.T) {
	d := newDir(t)
	for _, row := range [][]string{
		{"[::-2, newaxis, 3, ::2]", "arrays/u8_hwc.npy"},
		{"[3:33, 5:60:2, ::-1]", "arrays/u8_fortran.npy"},
		{"[..., ::-1]", "astronaut.png"},
		{"[...]", "arrays/f64_scalar.npy"},
		{"[::2, ::-3]", "arrays/i32_fortran_big_endian.npy"},
		{"[7]", "jobs/data.npz:x"},
	} {
		in := filepath.Join(testdata, row[1])
		code, stdout, stderr := d.run("-explain", "-json", row[0], in)
		require.Equal(t, exitOK, code, stderr)
		d.write("job.json", []byte(stdout))
		d.works("-q", "-force", row[0], in, "./want.npy")
		d.works("-q", "-force", "-desc", d.at("job.json"), in, "./got.npy")
		assert.Equal(t, d.read("want.npy"), d.read("got.npy"), row[1])

		// -explain -json of a saved job prints that job again.
		code, again, stderr := d.run("-explain", "-json", "-desc", d.at("job.json"), in)
		require.Equal(t, exitOK, code, stderr)
		assert.Equal(t, stdout, again)
	}
	d.refuses(exitError, "empty", "-explain", "-json", "[5:5]", filepath.Join(testdata, "arrays/u8_hwc.npy"))
}

// A saved job of a picture has no strides, since they are the decoder's. It fits only pictures of
// the same size.
func TestJobsOfPicturesAreForTheirSize(t *testing.T) {
	d := newDir(t)
	d.write("in.png", encodePNG(t, image.NewRGBA(image.Rect(0, 0, 8, 9))))
	d.saveJob("job.json", "[::2]", d.at("in.png"))
	job := string(d.read("job.json"))
	assert.NotContains(t, job, "Strides\": [32")
	d.works("-desc", d.at("job.json"), "./in.png", "./out.npy")
	d.write("grey.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{9, 8, 4}}, make([]byte, 288)))
	d.works("-force", "-desc", d.at("job.json"), "./grey.npy", "./out.npy")
	d.write("other.png", encodePNG(t, image.NewNRGBA(image.Rect(0, 0, 9, 9))))
	strided := strings.Replace(job, `"Sizes": [9, 8, 4]`, `"Sizes": [9, 8, 4], "Strides": [32, 4, 1]`, 1)
	require.NotEqual(t, job, strided)
	for _, text := range []string{job, strided} {
		d.write("job.json", []byte(text))
		d.refuses(exitError, d.at("job.json"), "-force", "-desc", d.at("job.json"), "./other.png", "./out.npy")
	}
}

func TestJobsMayHaveMemoryStrides(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", counting(20))
	d.write("job.json", []byte(`{
	"Input": {"DataType": "uint8", "Sizes": [2, 3], "Strides": [10, 2]},
	"Output": {"DataType": "uint8", "Sizes": [2, 3], "Strides": [1, 4], "TotalSize": 12},
	"WindowOffsets": [0, 0], "WindowSizes": [2, 3], "WindowStrides": [-1, 1]
}`))
	d.works("-raw", "u1", "-desc", d.at("job.json"), "./in.raw", "./out.raw")
	assert.Equal(t, []byte{10, 0, 0, 0, 12, 2, 0, 0, 14, 4, 0, 0}, d.read("out.raw"))
	d.refuses(exitUsage, "need raw output", "-raw", "u1", "-desc", d.at("job.json"), "./in.raw", "./out.npy")

	// An input stride of 0 repeats elements.
	d.write("job.json", []byte(`{
	"Input": {"DataType": "int16", "Sizes": [3, 2], "Strides": [0, 1]}, "Output": {"DataType": "int16", "Sizes": [3, 2]},
	"WindowOffsets": [0, 0], "WindowSizes": [3, 2], "WindowStrides": [1, 1], "Shape": [3, 1, 2]
}`))
	d.write("in.raw", []byte{1, 2, 3, 4})
	h := d.makes([]byte{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, "-raw", "<i2", "-desc", d.at("job.json"), "./in.raw")
	assert.Equal(t, []int{3, 1, 2}, h.Shape)
}

func TestBrokenJobsAreErrors(t *testing.T) {
	const good = `{"Input": {"DataType": "uint8", "Sizes": [4]}, "Output": {"DataType": "uint8", "Sizes": [4]}, "WindowOffsets": [0], "WindowSizes": [4], "WindowStrides": [1]}`
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{4}}, counting(4)))
	for _, row := range []struct {
		old, new string
		code     int
		says     string
	}{
		{`"Output"`, `"Outputs"`, exitUsage, `job.json: unknown field "Outputs"`},
		{`: [0]`, `: [0`, exitUsage, "job.json:1: invalid character"},
		{`: [0]`, ": \n[0.5]", exitUsage, "job.json:2: WindowOffsets cannot be number 0.5\n"},
		{`[1]}`, `[1]`, exitUsage, "ends too early"},
		{`[1]}`, `[1]} x`, exitUsage, "text after the job"},
		{`[1]}`, `[1]} {}`, exitUsage, "text after the job"},
		{`[1]}`, `[0]}`, exitUsage, "WindowStrides[0] is 0"},
		{`"WindowSizes": [4]`, `"WindowSizes": [5]`, exitUsage, "WindowSizes[0] is 5, must be at most 4"},
		{`"uint8"`, `"u8"`, exitUsage, `job.json: "u8": the data type is unknown`},
		{`"DataType": "uint8", `, ``, exitUsage, "Input.DataType is not set"},
		{`[1]}`, `[1], "Shape": [2, 2]}`, exitUsage, "Shape: [2, 2]"},
		{`[1]}`, `[1], "Shape": [` + strings.Repeat("1, ", 64) + `4]}`, exitUsage, "Shape: at most 64 axes"},
		{`"uint8"`, `"int8"`, exitUsage, "Output.DataType is uint8"},
		{`: [4]`, `: [5]`, exitError, "is uint8 [4], "},
		{`: [4]`, `: [5], "Strides": [1]`, exitError, "lies in memory by strides of [1], not [5] by [1]"},
		{`: [4]`, `: [4], "Strides": [2]`, exitError, "lies in memory by strides of [1], not [4] by [2]"},
		{`[1]}`, `[1], "WindowSizes": [4]}`, exitUsage, `job.json:1: "WindowSizes" comes twice`},
		{`[1]}`, "[1],\n\"shape\": [4], \"Shape\": [4]}", exitUsage, `job.json:2: "Shape" comes twice`},
		{`[1]}`, `[1], "ſhape": [4], "shape": [4]}`, exitUsage, `"shape" comes twice`},
		{`"Sizes": [4]`, `"Sizes": [4], "Sizes": [4]`, exitUsage, `"Sizes" comes twice`},
		{`"Sizes": [4]`, `"Strides": null, "Sizes": [4], "strides": [1]`, exitUsage, `"strides" comes twice`},
		{`[1]}`, `[1], "Input": {}}`, exitUsage, `"Input" comes twice`},
		{`: [0]`, `: ` + strings.Repeat("[", 1_000_000), exitUsage, "exceeded max depth"},
	} {
		d.write("job.json", []byte(strings.Replace(good, row.old, row.new, 1)))
		code, stdout, stderr := d.run("-desc", d.at("job.json"), "./in.npy", "./out.npy")
		assert.Equal(t, row.code, code, row.new)
		assert.Empty(t, stdout, row.new)
		assert.Contains(t, stderr, row.says)
	}
	for _, other := range []string{"int8", "bfloat16"} {
		d.write("job.json", []byte(strings.ReplaceAll(good, "uint8", other)))
		d.refuses(exitError, "is uint8 [4], "+d.at("job.json")+" is for "+other+" [4]", "-desc", d.at("job.json"), "./in.npy", "./out.npy")
	}
	d.refuses(exitError, "none.json", "-desc", d.at("none.json"), "./in.npy", "./out.npy")
}
