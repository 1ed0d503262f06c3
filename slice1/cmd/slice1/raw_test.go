package main

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
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
		{"", "6", exitUsage, "-raw needs a value"},
	} {
		code, _, stderr := d.run("-raw", row.dtype, "-shape", row.shape, "[:]", "./in.raw", "./out.raw")
		assert.Equal(t, row.code, code, row.shape)
		assertOneLine(t, row.says, stderr)
	}
	code, _, stderr := d.pipe(counting(6), "-raw", "u1", "-skip", "1", "-shape", "-1,2147483647", "[...]", "-", "./out.raw")
	assert.Equal(t, exitError, code)
	assertOneLine(t, map[int]string{32: "too large", 64: "holds 5 bytes, no multiple"}[bits.UintSize], stderr)
	for _, shape := range []string{"5,-1", "-1,3,-1", "-1,0", "2,,2", "2,x", "2,-2", "()", "(2, 3", "( 2, y)", "2x3x", "[2,,]"} {
		code, _, stderr := d.run("-raw", "u1", "-shape", shape, "[:]", "./in.raw", "./out.raw")
		assert.Equal(t, exitUsage, code, shape)
		assertOneLine(t, "-shape "+shape+": ", stderr)
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
	d.works("-force", "-raw", "i2", "[-2:]", "./in.raw", "./out.npy")
	h, got := d.array("out.npy")
	assert.Equal(t, []int{2}, h.Shape)
	assert.Equal(t, []byte{20, 21, 22, 23}, got)
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
	code, _, stderr := d.run("-force", "-raw", "<u8", "-skip", "25", "[:]", "./in.wav", "./out.raw")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "in.wav: -skip 25 is beyond its 24 bytes", stderr)
	for _, args := range [][]string{{"-skip", "1"}, {"-raw", "u1", "-skip", "-1"}} {
		code, _, _ = d.run(append(args, "[:]", "./in.wav", "./out.raw")...)
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

func TestTypesByTheirNamesAlone(t *testing.T) {
	for name, want := range map[string]npy.Header{
		">i2":                         {Type: slice1.Int16, BigEndian: true},
		"|b1":                         {Type: slice1.Uint8, Inner: 1, Descr: "|b1"},
		">c8":                         {Type: slice1.Uint64, Inner: 1, Descr: ">c8"},
		"[('a', '<i2'), ('b', 'u1')]": {Type: slice1.Uint8, Inner: 3, Descr: "[('a', '<i2'), ('b', 'u1')]"},
		"[('ä', [('b', '>f8')])]":     {Type: slice1.Uint64, Inner: 1, Descr: "[('ä', [('b', '>f8')])]", UTF8: true},
	} {
		got, err := elementOf(name)
		require.NoError(t, err, name)
		got.Shape, got.Offset, got.Size = nil, 0, 0
		assert.Equal(t, want, got, name)
	}
	for name, want := range map[string]error{
		"f3":                 npy.ErrType,
		"O":                  npy.ErrType,
		"M8[":                npy.ErrType,
		"[":                  npy.ErrFormat,
		"[('a', 5)]":         npy.ErrFormat,
		"[('a', 'u1')] more": npy.ErrFormat,
		"[('a', [1])]":       npy.ErrFormat,
		"u1'}":               npy.ErrFormat,
		"u1', 'shape': (9,), 'fortran_order': False, 'descr': 'u2": npy.ErrFormat,
		"u1\\": npy.ErrFormat,
	} {
		got, err := elementOf(name)
		require.ErrorIs(t, err, want, name)
		assert.Zero(t, got, name)
	}
}
