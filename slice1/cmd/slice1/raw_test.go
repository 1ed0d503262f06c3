package main

import (
	"math/bits"
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
	code, _, stderr := d.pipe(counting(6), "-raw", "u1", "-skip", "1", "-shape", "-1,2147483647", "[...]", "-", "./out.raw")
	assert.Equal(t, exitError, code)
	assertOneLine(t, map[int]string{32: "too large", 64: "holds 5 bytes, no multiple"}[bits.UintSize], stderr)
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
		code, stdout, stderr := d.pipe(counting(24), "-raw", "<u8", "-skip", "8", "-to", "raw", index, "-", "-")
		assert.Equal(t, exitOK, code, stderr)
		assert.Equal(t, string(want), stdout, index)
	}
	d.refuses(exitError, "in.wav: -skip 25 is beyond its 24 bytes", "-force", "-raw", "<u8", "-skip", "25", "[:]", "./in.wav", "./out.raw")
	for _, args := range [][]string{{"-skip", "1"}, {"-raw", "u1", "-skip", "-1"}} {
		code, _, _ := d.run(append(args, "[:]", "./in.wav", "./out.raw")...)
		assert.Equal(t, exitUsage, code)
	}
}

// i8 and u8 are types of 1 byte for -raw, and of 8 bytes for NumPy.
func TestNamesWithTwoMeaningsAreNoted(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", counting(24))
	for name, dtype := range map[string]string{"i8": "int8", "u8": "uint8"} {
		code, _, stderr := d.run("-force", "-raw", name, "[:]", "./in.raw", "./out.npy")
		assert.Equal(t, exitOK, code)
		assertOneLine(t, "note: -raw "+name+" is "+dtype+"; what NumPy calls "+name+", 8 bytes each, is -raw '<"+name+"'", stderr)
		h, _ := d.array("out.npy")
		assert.Equal(t, dtype, h.Type.String())
		assert.Equal(t, []int{24}, h.Shape)
	}
}
