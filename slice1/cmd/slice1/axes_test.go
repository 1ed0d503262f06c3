package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func TestAxesAreThoseOfTheResult(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 4}}, counting(24)))
	for _, row := range []struct {
		index, axes string
		shape       []int
		data        []byte
	}{
		{"[:, :2, ::2]", "2,0,1", []int{2, 2, 2}, []byte{0, 4, 12, 16, 2, 6, 14, 18}},
		{"[1, :, newaxis, 1:3]", "(-1, 1, 0)", []int{2, 1, 3}, []byte{13, 17, 21, 14, 18, 22}},
		{"[:, None, 2:, ::-3]", "3,2,1,0", []int{2, 1, 1, 2}, []byte{11, 23, 8, 20}},
		{"[:, 3:, 0]", "1,0", []int{0, 2}, []byte{}},
		{"[...]", "0,1,2", []int{2, 3, 4}, counting(24)},
	} {
		h := d.makes(row.data, "-axes", row.axes, row.index, "./in.npy")
		assert.Equal(t, row.shape, h.Shape, row.index)
	}
	for _, row := range []struct{ axes, says string }{
		{"0,1", "2 axes, but the result has rank 3\n"},
		{"0,1,3", "3 is no axis of a result of rank 3\n"},
		{"0,-4,1", "-4 is no axis of a result of rank 3\n"},
		{"0,1,-2", "axis -2 may come only once\n"},
		{"0,a,1", "integers with commas between them, not \"a\"\n"},
	} {
		code, _, stderr := d.run("-force", "-axes", row.axes, "[...]", "./in.npy", "./out.npy")
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, "slice1: -axes "+row.axes+": "+row.says, stderr)
	}
}
