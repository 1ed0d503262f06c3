package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

func TestRawElementsOfEveryType(t *testing.T) {
	d := newDir(t)
	for dtype := slice1.Float32; dtype <= slice1.Int64; dtype++ {
		size := dtype.Size()
		data := counting(6 * size)
		d.write("in.raw", data)
		d.works("-force", "-raw", dtype.String(), "-shape", "2,-1", "[1, ::-1]", "./in.raw", "./out.bin")
		assert.Equal(t, elements(data, size, 5, 4, 3), d.read("out.bin"), "%v", dtype)
	}
	for name, want := range rawTypes {
		dtype, _, err := parseRawType(name)
		assert.NoError(t, err)
		assert.Equal(t, want, dtype, name)
	}
	d.write("in.raw", []byte{1, 2, 3, 4})
	d.works("-raw", ">i2", "-shape", "2", "[::-1]", "./in.raw", "./out.npy")
	h, got := d.array("out.npy")
	assert.Equal(t, npy.Header{Type: slice1.Int16, BigEndian: true, Shape: []int{2}}, h)
	assert.Equal(t, []byte{3, 4, 1, 2}, got)
}

func TestRawThatDoesNotFitIsAnError(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", counting(24))
	for _, row := range []struct {
		dtype, shape string
		code         int
		says         string
	}{
		{"u8", "5,5", exitError, "holds 24 bytes, [5, 5] of uint8 takes 25"},
		{"u8", "23", exitError, "takes 23"},
		{"f32", "2147483647,2147483647,2147483647", exitError, "too large"},
		{"f32", "", exitUsage, "needs -shape"},
		{"f33", "6", exitUsage, "types are"},
		{"<f3", "6", exitUsage, "types are"},
		{"", "6", exitUsage, "-shape is for -raw"},
	} {
		code, _, stderr := d.run("-raw", row.dtype, "-shape", row.shape, "[:]", "./in.raw", "./out.raw")
		assert.Equal(t, row.code, code, row.shape)
		assertOneLine(t, row.says, stderr)
	}
	for _, row := range []struct{ shape, caret string }{
		{"5,-1", "^^^^"}, {"-1,3,-1", "     ^^"}, {"-1,0", "^^^^"}, {"2,,2", "  ^"}, {"2,x", "  ^"}, {"2,-2", "  ^^"},
	} {
		code, _, stderr := d.run("-raw", "u8", "-shape", row.shape, "[:]", "./in.raw", "./out.raw")
		assert.Equal(t, exitUsage, code, row.shape)
		assert.Contains(t, stderr, "\n  "+row.shape+"\n  "+row.caret+"\n")
	}
	assert.Equal(t, []string{"in.raw"}, d.files())
}
