//go:build !windows

package main

import (
	"testing"

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
		d.refuses(exitError, "directml: needs Windows", args...)
	}
	d.works("-device", "cpu", "[::-1]", "./in.npy", "./out.npy")
}
