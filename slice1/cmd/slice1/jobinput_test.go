package main

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// saveJob runs the command with -explain, -json and args, whose last one is the input. It writes what
// the command prints to the file of the given name.
func (d dir) saveJob(name string, args ...string) {
	d.Helper()
	code, stdout, stderr := d.run(append([]string{"-explain", "-json", "-q"}, args...)...)
	require.Equal(d, exitOK, code, stderr)
	d.write(name, []byte(stdout))
}

func TestJobsAreForInputsOfTheirShapeAndType(t *testing.T) {
	d := newDir(t)
	d.write("small.png", encodePNG(t, image.NewRGBA(image.Rect(0, 0, 4, 3))))
	d.write("large.png", encodePNG(t, image.NewRGBA(image.Rect(0, 0, 6, 5))))
	d.saveJob("job.json", "[::2]", "./small.png")
	code, _, stderr := d.run("-desc", d.at("job.json"), "./large.png", "./out.npy")
	assert.Equal(t, exitError, code)
	assert.Equal(t, "slice1: "+d.at("large.png")+" is uint8 [5, 6, 4], "+d.at("job.json")+" is for uint8 [3, 4, 4]\n", stderr)

	d.write("in.npy", npyFile(npy.Header{Type: slice1.Int8, Shape: []int{3, 4, 4}}, counting(48)))
	code, _, stderr = d.run("-desc", d.at("job.json"), "./in.npy", "./out.npy")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "is int8 [3, 4, 4], "+d.at("job.json")+" is for uint8 [3, 4, 4]", stderr)

	d.write("in.raw", counting(49))
	code, _, stderr = d.run("-raw", "u1", "-desc", d.at("job.json"), "./in.raw", "./out.npy")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "holds 49 bytes, [3, 4, 4] of uint8 takes 48", stderr)
}

// A saved job also takes a file of the same array in Fortran order, in which only the strides differ,
// unless the strides of the job's Input were edited.
func TestJobsTakeTheirInputInAnyMemoryOrder(t *testing.T) {
	d := newDir(t)
	rows := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, []byte{1, 2, 3, 4, 5, 6})
	columns := append(bytes.Replace(rows[:len(rows)-6], []byte("False,"), []byte("True, "), 1), 1, 4, 2, 5, 3, 6)
	d.write("rows.npy", rows)
	d.write("columns.npy", columns)
	d.saveJob("job.json", "[:, ::-2]", "./rows.npy")
	d.works("-desc", d.at("job.json"), "./columns.npy", "./out.npy")
	_, got := d.array("out.npy")
	assert.Equal(t, []byte{3, 1, 6, 4}, got)

	// A job with edited strides takes only files of the memory order that it was made for.
	job := strings.Replace(string(d.read("job.json")), `"Sizes": [2, 3]`, `"Sizes": [2, 3], "Strides": [0, 1]`, 1)
	d.write("job.json", []byte(job))
	d.works("-force", "-desc", d.at("job.json"), "./rows.npy", "./out.npy")
	_, got = d.array("out.npy")
	assert.Equal(t, []byte{3, 1, 3, 1}, got)
	code, _, stderr := d.run("-force", "-desc", d.at("job.json"), "./columns.npy", "./out.npy")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "is uint8 [2, 3], strides [1, 2], the strides of "+d.at("job.json")+" are for uint8 [2, 3]", stderr)
}

func TestJobsWithoutAFileAreTakenWithANote(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{8}}, counting(8)))
	const job = `{"Input": {"DataType": "uint8", "Sizes": [SIZES]}, "Output": {"DataType": "uint8", "Sizes": [4]}, "WindowOffsets": [0], "WindowSizes": [4], "WindowStrides": [1]}`
	d.write("job.json", []byte(strings.Replace(job, "SIZES", "8", 1)))
	d.works("-desc", d.at("job.json"), "./in.npy", "./out.npy")
	d.write("job.json", []byte(strings.Replace(job, "SIZES", "7", 1)))
	code, _, stderr := d.run("-force", "-desc", d.at("job.json"), "./in.npy", "./out.npy")
	assert.Equal(t, exitOK, code)
	assertOneLine(t, "note: "+d.at("job.json")+" does not say what file it is for; "+d.at("in.npy")+" is uint8 [8], and taken as uint8 [7]", stderr)
	_, got := d.array("out.npy")
	assert.Equal(t, counting(4), got)
}
