package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// requireTiles cuts the slice of in by index, which has the given rows and columns, into tiles of 3 x 4
// and requires that each equals that part of the whole slice. part is the format of the tiles' names.
// It removes the tiles.
func (d dir) requireTiles(out dir, in, index string, rows, columns int, part string, flags ...string) {
	d.Helper()
	d.works(append(flags, "-q", "-force", "-tiles", "3x4", "-to", "npy", index, in, out.path)...)
	d.works(append(flags, "-q", "-force", index, in, "./whole.npy")...)
	require.Len(d, out.files(), ((rows-1)/3+1)*((columns-1)/4+1))
	for y := range (rows-1)/3 + 1 {
		for x := range (columns-1)/4 + 1 {
			d.works("-force", fmt.Sprintf("[%d:%d, %d:%d]", 3*y, 3*y+3, 4*x, 4*x+4), "./whole.npy", "./part.npy")
			require.Equal(d, d.read("part.npy"), out.read(fmt.Sprintf(part, y, x)))
		}
	}
	for _, name := range out.files() {
		require.NoError(d, os.Remove(out.at(name)))
	}
}

func TestTilesAreTheirPartsOfTheSlice(t *testing.T) {
	d := newDir(t)
	out := d.folder("out")
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint16, Shape: []int{2, 7, 45, 1}}, counting(2*7*45*2)))
	d.write("in.npz", archive(t, zip.Deflate, map[string][]byte{"x.npy": d.read("in.npy")}, "x.npy"))
	d.write("wide.npy", npyFile(npy.Header{Descr: "[('x', '<f4'), ('y', '|u1')]", Shape: []int{6, 8}}, counting(6*8*5)))
	d.picture("in.png", 5, 7)
	d.requireTiles(out, "./in.npy", "[1]", 7, 45, "in-%d-%02d.npy")
	d.requireTiles(out, "./in.npy", "[1]", 7, 45, "in-%d-%02d.npy", "-j", "1")
	d.requireTiles(out, "./in.npy", "[0, ::-2, 5:-1, None]", 4, 39, "in-%d-%d.npy")
	d.requireTiles(out, "./in.npy", "[1, :, None, ::-3, 0]", 7, 1, "in-%d-%d.npy")
	d.requireTiles(out, "./in.npy", "[1, ..., 0]", 45, 7, "in-%02d-%d.npy", "-axes", "1,0")
	d.requireTiles(out, "./in.npz", "[1]", 7, 45, "in-%d-%02d.npy")
	d.requireTiles(out, "./in.png", "[:, ::-1]", 7, 5, "in-%d-%d.npy")
	d.requireTiles(out, "./wide.npy", "[::-1]", 6, 8, "wide-%d-%d.npy")

	// Tiles that are runs of the file; then tiles of two inputs, which are pictures.
	d.works("-q", "-tiles", "1", "[1]", "./in.npy", "./out")
	require.Len(t, out.files(), 7)
	_, got := out.array("in-2.npy")
	assert.Equal(t, counting(2 * 7 * 45 * 2)[630+2*90:][:90], got)
	d.picture("b.png", 2, 2)
	d.works("-q", "-tiles", "(4, 9)", "[...]", "./in.png", "./b.png", "./out")
	require.Len(t, out.files(), 7+3)
	m, err := png.Decode(bytes.NewReader(out.read("in-1-0.png")))
	require.NoError(t, err)
	assert.Equal(t, "(5,3)", m.Bounds().Size().String())
}

func TestTilesAreNotMixedUp(t *testing.T) {
	d := newDir(t)
	out := d.folder("out")
	d.picture("in.png", 5, 7)
	d.saveJob("job.json", "[:4]", "./in.png")
	for _, row := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "at least 1 expected", []string{"3x0", "[...]", "./in.png", "./out"}},
		{exitError, "in.png: [1] of uint8 has no tiles of [3, 4]", []string{"3x4", "[0, 0]", "./in.png", "./out"}},
		{exitUsage, "integer expected", []string{"3xa", "[...]", "./in.png", "./out"}},
		{exitUsage, "out.png is no folder", []string{"3x4", "[...]", "./in.png", "./out.png"}},
		{exitUsage, "-tiles is not for", []string{"3x4", "-stack", "[...]", "./in.png", "./out.npy"}},
		{exitUsage, "-tiles is not for", []string{"3x4", "-part", "1/2", "[...]", "./in.png", "./out.npy"}},
		{exitUsage, "-tiles is not for", []string{"3x4", "-explain", "[...]", "./in.png"}},
		{exitUsage, "1 argument, not 3", []string{"3x4", "[...]"}},
		{exitError, "in.png: [0, 5, 1] of uint8 has no tiles of [3, 4]", []string{"3x4", "[9:]", "./in.png", "./out"}},
	} {
		code, _, stderr := d.run(append([]string{"-tiles"}, row.args...)...)
		assert.Equal(t, row.code, code, row.args)
		assert.Contains(t, stderr, row.says)
		assert.Empty(t, out.files())
	}

	// A tile does not replace a file that exists.
	out.write("in-0-1.png", []byte("precious"))
	code, _, stderr := d.run("-tiles", "3x4", "-desc", "./job.json", "./in.png", "./out")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, out.at("in-0-1.png")+" exists, -force overwrites it")
	assert.Equal(t, "precious", string(out.read("in-0-1.png")))
}
