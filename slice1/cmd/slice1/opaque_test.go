package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1/npy"
)

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
