package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func (d dir) writeBytes(name string, n int) {
	d.Helper()
	d.write(name, npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{n, 1}}, counting(n)))
}

func TestExistingOutputNeedsForce(t *testing.T) {
	for _, name := range []string{"out.npy", "out.png"} {
		d := newDir(t)
		d.writeBytes("in.npy", 5)
		d.write(name, []byte("precious"))
		code, _, stderr := d.run("[::-1]", "./in.npy", "./"+name)
		assert.Equal(t, exitError, code)
		assertOneLine(t, "-force", stderr)
		assert.Equal(t, "precious", string(d.read(name)))

		d.works("-force", "[::-1]", "./in.npy", "./"+name)
		assert.NotEqual(t, "precious", string(d.read(name)))
		assert.Equal(t, []string{"in.npy", name}, d.files())
	}
}

func TestOutputMayReplaceTheInput(t *testing.T) {
	d := newDir(t)
	d.writeBytes("a.npy", 5)
	code, _, _ := d.run("[::-1]", "./a.npy", "./a.npy")
	assert.Equal(t, exitError, code)
	d.works("-force", "[::-1]", "./a.npy", "./a.npy")
	_, got := d.array("a.npy")
	assert.Equal(t, []byte{4, 3, 2, 1, 0}, got)
	assert.Equal(t, []string{"a.npy"}, d.files())
}

func TestOutputNeverReplacesAFileThatAppearedMeanwhile(t *testing.T) {
	defer func() { link = os.Link }()
	for name, links := range map[string]func(string, string) error{
		"hard links": os.Link, "no hard links": func(string, string) error { return errors.ErrUnsupported },
	} {
		d := newDir(t)
		link = links
		to, stream, err := newTarget(d.at("out.npy"), false)
		require.NoError(t, err)
		require.False(t, stream)
		f, err := to.create()
		require.NoError(t, err)
		require.NoError(t, f.Close())
		d.write("out.npy", []byte("precious"))
		assert.ErrorContains(t, to.takeName(f.Name()), "out.npy exists", name)
		assert.Equal(t, "precious", string(d.read("out.npy")), name)

		require.NoError(t, os.Remove(d.at("out.npy")))
		assert.NoError(t, to.takeName(f.Name()), name)
		assert.Equal(t, []string{"out.npy"}, d.files(), name)
	}
}

func TestCommitThatFailsLeavesNothing(t *testing.T) {
	d := newDir(t)
	to, _, err := newTarget(d.at("out.npy"), false)
	require.NoError(t, err)
	f, err := to.create()
	require.NoError(t, err)
	d.write("out.npy", []byte("precious"))
	assert.ErrorContains(t, f.end(nil), "exists")
	assert.Equal(t, []string{"out.npy"}, d.files())
}

func TestWriteErrorsAreReported(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	var stderr bytes.Buffer
	code := run([]string{"[:]", d.at("in.npy"), "-"}, nil, brokenPipe{}, &stderr)
	assert.Equal(t, exitError, code)
	assertOneLine(t, "file already closed", stderr.String())
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }
func TestOutputThatCanNotBeMadeIsAnError(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for _, out := range []string{"./none/out.npy", "./in.npy/out.npy"} {
		for _, force := range []string{"-force=false", "-force"} {
			code, _, stderr := d.run(force, "[:]", "./in.npy", out)
			assert.Equal(t, exitError, code, out)
			assertOneLine(t, filepath.FromSlash(out[1:]), stderr)
		}
	}
	assert.Equal(t, []string{"in.npy"}, d.files())
}
