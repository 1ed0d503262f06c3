package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func (d dir) writeBytes(name string, n int) {
	d.Helper()
	d.write(name, npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{n, 1}}, counting(n)))
}

func TestOutputThatCanNotBeMadeIsAnError(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for _, out := range []string{"./none/out.npy", "./in.npy/out.npy"} {
		for _, force := range []string{"-force=false", "-force"} {
			d.refuses(exitError, filepath.FromSlash(out[1:]), force, "[:]", "./in.npy", out)
		}
	}
	assert.Equal(t, []string{"in.npy"}, d.files())
}

// Without -force an output that exists stays, even one that appears while the command slices, with
// hard links or without. With -force it may be the input.
func TestExistingOutputNeedsForce(t *testing.T) {
	d := newDir(t)
	d.writeBytes("out.npy", 5)
	was := d.read("out.npy")
	d.refuses(exitError, "-force", "[::-1]", "./out.npy", "./out.npy")
	defer func() { link = os.Link }()
	for _, links := range []func(string, string) error{os.Link, func(string, string) error { return errors.ErrUnsupported }} {
		link = links
		to, stream, err := newTarget(d.at("new.npy"), false)
		require.NoError(t, err)
		require.False(t, stream)
		for range 2 {
			f, err := to.create()
			require.NoError(t, err)
			if _, err := os.Stat(d.at("new.npy")); err == nil {
				assert.ErrorContains(t, f.end(nil), "new.npy exists")
			} else {
				require.NoError(t, f.end(nil))
			}
			assert.Equal(t, []string{"new.npy", "out.npy"}, d.files())
		}
		require.NoError(t, os.Remove(d.at("new.npy")))
	}
	assert.Equal(t, was, d.read("out.npy"))
	d.makes([]byte{4, 3, 2, 1, 0}, "[::-1]", "./out.npy")
}

func TestInputThatShrinksIsAnError(t *testing.T) {
	for _, index := range []string{"[::-1]", "[1:]"} { // the first by a kernel, the second by the system
		d := newDir(t)
		d.write("in.raw", make([]byte, 4<<20))
		j := job{index: index, source: d.at("in.raw"), raw: "u1", shape: "4,-1", target: d.at("out.raw"), format: formatOf("raw")}
		s, err := j.load()
		require.NoError(t, err)
		require.NoError(t, os.Truncate(d.at("in.raw"), 100))
		to, _, err := newTarget(j.target, false)
		require.NoError(t, err)
		out, end, err := j.create(s, to, false)
		require.NoError(t, err)
		assert.ErrorIs(t, end(j.write(s, out)), errShorter)
		assert.Equal(t, []string{"in.raw"}, d.files())
	}
}

// What a GPU makes as a whole lies behind the header of the file. The plan here is the CPU's.
func TestWholeResultsLieBehindTheHeader(t *testing.T) {
	f, err := os.Create(newDir(t).at("out.npy"))
	require.NoError(t, err)
	defer f.Close()
	d := slice1.Whole(slice1.Uint8, 3)
	d.WindowStrides[0] = -1
	p, err := slice1.NewPlan(d)
	require.NoError(t, err)
	in := &array{source: &source{}, Header: npy.Header{Type: slice1.Uint8, Shape: []int{3}}, data: []byte{1, 2, 3}}
	j := &job{gpu: true}
	require.NoError(t, j.sliceWhole(plan{Runner: p}, &slice{input: in, result: in, desc: d, shape: in.Shape}, outofcore.Output{W: f, File: f, Base: 5}))
	got, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 0, 0, 0, 0, 3, 2, 1}, got)
}
