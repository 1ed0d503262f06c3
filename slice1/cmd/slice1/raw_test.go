package main

import (
	"bytes"
	"fmt"
	"math/bits"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func TestRawElementsOfEveryType(t *testing.T) {
	d := newDir(t)
	for name, descr := range map[string]string{"float64": "<f8", "single": "<f4", "i8": "|i1", "u16": "<u2", "bf16": "|V2", "bool": "|b1", "complex64": "<c8", "M8[ns]": "<M8[ns]", ">c8": ">c8",
		"[('a', '<i2'), ('b', 'u1')]": "[('a', '<i2'), ('b', 'u1')]", "[('ä', [('b', '>f8')])]": "[('ä', [('b', '>f8')])]"} {
		if nativeBig && descr[0] == '<' {
			descr = ">" + descr[1:]
		}
		d.write("in.raw", counting(48))
		d.works("-q", "-force", "-raw", name, "-shape", "2,-1", "[1, ::-1]", "./in.raw", "./out.npy")
		h, got := d.array("out.npy")
		if assert.Contains(t, string(npyFile(h, nil)), "'descr': "+strings.NewReplacer("'[", "[", "]'", "]").Replace("'"+descr+"'"), name) {
			n := h.Shape[0]
			assert.Equal(t, counting(48)[48-24/n:], got[:24/n], name)
		}
	}
	d.write("in.raw", []byte{1, 2, 3, 4})
	h := d.makes([]byte{3, 4, 1, 2}, "-raw", ">i2", "-shape", "2", "[::-1]", "./in.raw")
	assert.Equal(t, npy.Header{Type: slice1.Int16, BigEndian: true, Shape: []int{2}}, h)
}

func TestRawThatDoesNotFitIsAnError(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", counting(24))
	for _, row := range []struct {
		dtype, shape string
		code         int
		says         string
	}{
		{"u1", "5,5", exitError, "holds 24 bytes, [5, 5] of uint8 takes 25"},
		{"u1", "23", exitError, "takes 23"},
		{"f32", "2147483647,2147483647,2147483647", exitError, "too large"},
		{"i4", "5", exitError, "holds 24 bytes, [5] of int32 takes 20"},
		{"f33", "6", exitUsage, "types are"},
		{"<f3", "6", exitUsage, "types are"},
		{"float", "6", exitUsage, "NumPy's is float64, C's is float32"},
		{"bf16", "6", exitError, "[6] of bfloat16 takes 12"},
		{"[('x', '<f4'))", "6", exitUsage, "types are"},
		{"[('x', '<f4')] ]", "6", exitUsage, "types are"},
		{"", "6", exitUsage, "-raw needs a value"}, {"O", "6", exitUsage, "types are"}, {"M8[", "6", exitUsage, "types are"}, {"[('a', [1])]", "6", exitUsage, "types are"},
		{"u1', 'shape': (9,), 'fortran_order': False, 'descr': 'u2", "6", exitUsage, "types are"}, {"u1\\", "6", exitUsage, "types are"},
	} {
		d.refuses(row.code, row.says, "-raw", row.dtype, "-shape", row.shape, "[:]", "./in.raw", "./out.raw")
	}
	frames := map[int]string{32: "too large", 64: "holds 5 bytes, no multiple"}[bits.UintSize]
	if runtime.GOARCH == "wasm" { // which has 4 GiB in all
		frames = "of which 1.0 GiB can be used"
	}
	d.refusesPipe(counting(6), exitError, frames, "-raw", "u1", "-skip", "1", "-shape", "-1,2147483647", "[...]", "-", "./out.raw")
	for _, shape := range []string{"5,-1", "-1,3,-1", "-1,0", "2,,2", "2,x", "2,-2", "()", "(2, 3", "( 2, y)", "2x3x", "[2,,]"} {
		d.refuses(exitUsage, "-shape "+shape+": ", "-raw", "u1", "-shape", shape, "[:]", "./in.raw", "./out.raw")
	}
	assert.Equal(t, []string{"in.raw"}, d.files())
}

func TestShapesAreSpelledInManyWays(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", counting(24))
	d.works("-raw", "i2", "-shape", "4,3", "[1]", "./in.raw", "./want.npy")
	for _, shape := range []string{"(4, 3)", "4x3", "[4, 3]", "4, 3", "( -1,3 )", "(4, 3,)"} {
		d.works("-force", "-raw", "int16", "-shape", shape, "[1]", "./in.raw", "./out.npy")
		assert.Equal(t, d.read("want.npy"), d.read("out.npy"), shape)
	}
	d.works("-raw", "i2", "[5:5]", "./in.raw", "./out.raw")
	assert.Empty(t, d.read("out.raw"))
	h := d.makes([]byte{20, 21, 22, 23}, "-raw", "i2", "[-2:]", "./in.raw")
	assert.Equal(t, []int{2}, h.Shape)
}

func TestRawElementsMayFollowAHeader(t *testing.T) {
	d := newDir(t)
	d.write("in.wav", counting(24))
	for _, index := range []string{"[::-1]", "[1:]"} { // a kernel makes the first slice of the file, and the system copies the second
		want := elements(counting(24), 8, 2)
		if index == "[::-1]" {
			want = elements(counting(24), 8, 2, 1)
		}
		d.works("-force", "-raw", "<u8", "-skip", "8", index, "./in.wav", "./out.raw")
		assert.Equal(t, want, d.read("out.raw"), index)
		d.passes(want, counting(24), "-raw", "<u8", "-skip", "8", "-to", "raw", index, "-", "-")
	}
	d.refuses(exitError, "in.wav: -skip 25 is beyond its 24 bytes", "-force", "-raw", "<u8", "-skip", "25", "[:]", "./in.wav", "./out.raw")
	d.refuses(exitUsage, "-skip is for -raw", "-skip", "1", "[:]", "./in.wav", "./out.raw")
	d.refuses(exitUsage, "at least 0", "-raw", "u1", "-skip", "-1", "[:]", "./in.wav", "./out.raw")
}

// i8 and u8 are types of 1 byte for -raw and -to, and of 8 bytes for NumPy.
func TestNamesWithTwoMeaningsAreNoted(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", counting(24))
	for name, dtype := range map[string]string{"i8": "int8", "u8": "uint8"} {
		for flag, other := range map[string][]string{"-raw": nil, "-to": {"-raw", "i2"}} {
			code, _, stderr := d.run(append(other, "-force", flag, name, "[:12]", "./in.raw", "./out.npy")...)
			assert.Equal(t, exitOK, code)
			assertOneLine(t, fmt.Sprintf("note: %s %s is of 8 bits; what NumPy calls %s, 8 bytes each, is %s %s64", flag, name, name, flag, name[:1]), stderr)
			h, _ := d.array("out.npy")
			assert.Equal(t, dtype, h.Type.String())
			assert.Equal(t, []int{12}, h.Shape)
		}
		code, _, stderr := d.run("-force", "-to", name, "-q", "[:]", "./out.npy", "./quiet.npy")
		assert.Equal(t, exitOK, code)
		assert.Empty(t, stderr)
	}
}

// Elements of a type that slice1 does not have are moved as bits. The output has the same type.
func TestElementsOfOtherTypesPassThrough(t *testing.T) {
	for _, row := range []struct {
		descr string
		size  int
	}{
		{"|b1", 1}, {"<c8", 8}, {">c16", 16}, {"<M8[ns]", 8}, {">m8[25s]", 8}, {"|S5", 5}, {"<U3", 12}, {"|V7", 7}, {"<f16", 16},
		{"[('x', '<f4'), ('y', '<i4', (2,)), ('', '|V1')]", 13},
	} {
		d := newDir(t)
		data := counting(6 * row.size)
		d.write("in.npy", npyFile(npy.Header{Descr: row.descr, Shape: []int{2, 3}}, data))
		for _, index := range []string{"[1, ::-2]", "[1, 1:]"} { // the first by a kernel, the second by the system
			want := elements(data, row.size, 4, 5)
			if index == "[1, ::-2]" {
				want = elements(data, row.size, 5, 3)
			}
			d.works("-force", index, "./in.npy", "./out.npy")
			assert.Equal(t, npyFile(npy.Header{Descr: row.descr, Shape: []int{2}}, want), d.read("out.npy"), row.descr)

			d.saveJob("job.json", index, "./in.npy")
			d.works("-force", "-desc", d.at("job.json"), "./in.npy", "./again.npy")
			assert.Equal(t, d.read("out.npy"), d.read("again.npy"), row.descr)
		}
		turned := elements(data, row.size, 2, 5, 1, 4, 0, 3)
		d.works("-force", "-axes", "1,0", "[:, ::-1]", "./in.npy", "./out.npy")
		assert.Equal(t, npyFile(npy.Header{Descr: row.descr, Shape: []int{3, 2}}, turned), d.read("out.npy"), row.descr)

		// A saved job that is done with -axes.
		d.saveJob("job.json", "[:, ::-1]", "./in.npy")
		d.works("-force", "-axes", "1,0", "-desc", d.at("job.json"), "./in.npy", "./again.npy")
		assert.Equal(t, d.read("out.npy"), d.read("again.npy"), row.descr)

		columns := append(bytes.Replace(npyFile(npy.Header{Descr: row.descr, Shape: []int{2, 3}}, nil), []byte("False,"), []byte("True, "), 1),
			elements(data, row.size, 0, 3, 1, 4, 2, 5)...)
		d.write("columns.npy", columns)
		d.works("-force", "-desc", d.at("job.json"), "./columns.npy", "./again.npy")
		d.works("-force", "[:, ::-1]", "./columns.npy", "./out.npy")
		assert.Equal(t, d.read("out.npy"), d.read("again.npy"), row.descr)
		d.works("-force", "[5:]", "./in.npy", "./out.npy")
		assert.Equal(t, npyFile(npy.Header{Descr: row.descr, Shape: []int{0, 3}}, nil), d.read("out.npy"), row.descr)
	}
}

func TestElementsOfOtherTypesAreNamed(t *testing.T) {
	d := newDir(t)
	d.write("fields.npy", npyFile(npy.Header{Descr: "[('\x1b[7m', '<f4')]", Shape: []int{2}}, counting(8)))
	_, fields, _ := d.run("-explain", "[1]", "./fields.npy")
	assert.Contains(t, fields, "[(' [7m', '<f4')] [2]")
	assert.NotContains(t, fields, "\x1b")
	d.write("in.npy", npyFile(npy.Header{Descr: "<c16", Shape: []int{2, 3}}, counting(96)))
	code, stdout, _ := d.run("-explain", "[1]", "./in.npy")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, stdout, "input   complex128 [2, 3]\noutput  complex128 [3]\n")
	d.write("in.npy", npyFile(npy.Header{Descr: "<c16", Shape: []int{1, 1, 1, 1, 1, 1, 1, 1}}, counting(16)))
	d.refuses(exitError, "complex128 of rank 8, of which at most 7 are sliced", "[:]", "./in.npy", "./out.npy")
}
