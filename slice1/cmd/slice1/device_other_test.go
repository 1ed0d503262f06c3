//go:build !windows

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func TestNoDeviceIsOneLine(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{3}}, []byte{1, 2, 3}))
	for _, args := range [][]string{
		{"-device", "gpu", "[::-1]", "./in.npy", "./out.npy"},
		{"-device", "gpu:0", "[::-1]", "./in.npy", "./out.npy"},
		{"-device", "gpu", "-explain", "[::-1]", "./in.npy"},
	} {
		code, stdout, stderr := d.run(args...)
		assert.Equal(t, exitError, code, args)
		assert.Empty(t, stdout, args)
		assertOneLine(t, "directml: needs Windows", stderr)
		assert.Equal(t, []string{"in.npy"}, d.files())
	}
	d.works("-device", "cpu", "[::-1]", "./in.npy", "./out.npy")
}
