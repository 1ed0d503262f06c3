package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// -into gives the same result as slice1.Assign, for .npy files of both memory orders and for raw
// elements, from files and from pipes.
func TestIntoAssigns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for range 400 {
		d := newDir(t)
		shape, items := []int{}, []string{}
		for range 1 + r.IntN(3) {
			n := 1 + r.IntN(9)
			shape = append(shape, n)
			lo := r.IntN(n)
			hi := lo + 1 + r.IntN(n-lo)
			items = append(items, []string{":", fmt.Sprint(lo), fmt.Sprintf("%d:%d:%d", lo, hi, 1+r.IntN(3)), fmt.Sprintf("%d:%d:-%d", hi-1-n, lo-1-n, 1+r.IntN(3)), "newaxis, :"}[r.IntN(5)])
		}
		box := "[" + strings.Join(items, ", ") + "]"
		_, taken, err := slice1.ParseIndex(box, shape)
		require.NoError(t, err)
		index, flipped := "[...]", slices.Clone(taken)
		if r.IntN(3) == 0 && len(taken) > 0 {
			index = "[::-1]"
		}
		data := random(product(taken) * 2)
		if r.IntN(6) == 0 {
			data, flipped, index = data[:2], []int{1, 1}, "[0, 0]"
		}
		d.write("in.npy", npyFile(npy.Header{Type: slice1.Int16, Shape: flipped}, data))
		d.works("-to", "raw", index, "./in.npy", "./in.raw")
		old := random(product(shape) * 2)
		whole := int16s(old)
		require.NoError(t, slice1.Assign(whole, shape, box, int16s(d.read("in.raw"))))
		want := slice1.Bytes(whole)
		d.write("out.raw", old)
		d.write("out.npy", npyFile(npy.Header{Type: slice1.Int16, Shape: shape}, old))
		d.write("column.npy", fortran(t, shape, old))
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ","), "[]")
		for i, out := range []string{"./out.npy", "./column.npy", "./out.raw"} {
			at := box
			if i == 2 {
				at = text + box
			}
			in, stdin := "./in.npy", []byte(nil)
			if r.IntN(2) == 0 {
				in, stdin = "-", d.read("in.npy")
			}
			code, stdout, stderr := d.pipe(stdin, "-force", "-into", at, index, in, out)
			require.Equal(t, exitOK, code, "%s %s: %s", at, out, stderr)
			require.Empty(t, stdout)
		}
		d.works("-to", "raw", "[...]", "./column.npy", "./column.raw")
		_, got := d.array("out.npy")
		for _, got := range [][]byte{got, d.read("out.raw"), d.read("column.raw")} {
			require.Equal(t, want, got, "%v %s", shape, box)
		}
	}
}

func int16s(b []byte) []int16 {
	n := make([]int16, len(b)/2)
	copy(slice1.Bytes(n), b)
	return n
}

// fortran returns an .npy file in Fortran order that holds row-major data.
func fortran(t *testing.T, shape []int, data []byte) []byte {
	file := npyFile(npy.Header{Type: slice1.Int16, Shape: shape}, nil)
	h := npy.Header{Type: slice1.Int16, Shape: shape, Fortran: true}
	tensor, err := h.Desc()
	require.NoError(t, err)
	d := slice1.Whole(slice1.Int16, shape...)
	d.Output.Strides = tensor.Strides
	column := make([]byte, len(data))
	require.NoError(t, slice1.CopyBytes(column, data, d))
	return append(bytes.Replace(file, []byte("'fortran_order': False"), []byte("'fortran_order': True "), 1), column...)
}

func TestIntoThatDoesNotFitWritesNothing(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, counting(6)))
	d.write("wide.npy", npyFile(npy.Header{Type: slice1.Uint16, Shape: []int{2, 3}}, counting(12)))
	old := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{4, 6}}, counting(24))
	d.write("out.npy", old)
	d.write("out.raw", counting(24))
	d.write("cut.npy", old[:140])
	for _, row := range []struct {
		code int
		says string
		args []string
	}{
		{exitError, "out.npy exists, -force", []string{"-into", "[:2, :3]", "[:]", "./in.npy", "./out.npy"}},
		{exitError, "[2, 3] of uint8 does not fit in [2, 6], which [:2] takes", []string{"-force", "-into", "[:2]", "[:]", "./in.npy", "./out.npy"}},
		{exitError, "does not fit in [0, 6]", []string{"-force", "-into", "[4:]", "[:]", "./in.npy", "./out.npy"}},
		{exitUsage, "outside axis 0", []string{"-force", "-into", "[4]", "[:]", "./in.npy", "./out.npy"}},
		{exitError, "has elements of uint8 [4, 6], the slice uint16 [2, 3]", []string{"-force", "-into", "[:2, :3]", "[:]", "./wide.npy", "./out.npy"}},
		{exitError, "is no file", []string{"-force", "-into", "[:2, :3]", "[:]", "./in.npy", "./new.npy"}},
		{exitError, "truncated", []string{"-force", "-into", "[:2, :3]", "[:]", "./in.npy", "./cut.npy"}},
		{exitUsage, "out.npy is input and output", []string{"-force", "-into", "[:2, :3]", "[2:, 3:]", "./out.npy", "./out.npy"}},
		{exitUsage, "needs its shape before the index", []string{"-force", "-into", "[:2, :3]", "[:]", "./in.npy", "./out.raw"}},
		{exitError, "out.raw: holds 24 bytes, [4, 7] of uint8 takes 28", []string{"-force", "-into", "4,7[:2, :3]", "[:]", "./in.npy", "./out.raw"}},
		{exitUsage, "has its shape in the file", []string{"-force", "-into", "4,6[:2, :3]", "[:]", "./in.npy", "./out.npy"}},
		{exitUsage, "-into writes npy or raw", []string{"-force", "-into", "[:2, :3]", "[:]", "./in.npy", "./out.png"}},
		{exitUsage, "-into is for one input", []string{"-force", "-into", "[:2, :3]", "-part", "1/2", "[:]", "./in.npy", "./out.npy"}},
	} {
		code, stdout, stderr := d.run(row.args...)
		assert.Equal(t, row.code, code, row.args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, row.says)
		assert.Equal(t, old, d.read("out.npy"), row.args)
		assert.Equal(t, counting(24), d.read("out.raw"), row.args)
	}
	_, err := os.Stat(d.at("new.npy"))
	assert.True(t, errors.Is(err, os.ErrNotExist))

	// Numbers are converted first.
	d.works("-force", "-to", "u1", "-scale", "2", "-into", "[1:3, ::2]", "[:]", "./wide.npy", "./out.npy")
	_, got := d.array("out.npy")
	want := counting(24)
	for i, at := range []int{6, 8, 10, 12, 14, 16} {
		want[at] = byte(min(2*(512*i+256+2*i), 255))
	}
	assert.Equal(t, want, got)
}
