//go:build unix

package main

import (
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOutputHasThePermissionsOfAnyNewFile(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	d.works("[:]", "./in.npy", "./out.npy")
	assert.Equal(t, d.mode("in.npy"), d.mode("out.npy"))

	require.NoError(t, os.Chmod(d.at("out.npy"), 0o640))
	d.works("-force", "[:]", "./in.npy", "./out.npy")
	assert.Equal(t, fs.FileMode(0o640), d.mode("out.npy"))
}

func (d dir) mode(name string) fs.FileMode {
	d.Helper()
	info, err := os.Lstat(d.at(name))
	require.NoError(d, err)
	return info.Mode()
}

// With -force an output goes where symbolic links lead, whether a file is there or not, and the
// links stay. Without -force a link is a file that exists.
func TestOutputsGoWhereLinksLead(t *testing.T) {
	for _, there := range []bool{false, true} {
		d := newDir(t)
		d.writeBytes("in.npy", 5)
		require.NoError(t, os.Symlink("b.npy", d.at("a.npy")))
		require.NoError(t, os.Symlink(d.at("c.npy"), d.at("b.npy")))
		want := []string{"a.npy", "b.npy", "in.npy"}
		if there {
			d.write("c.npy", nil)
			want = []string{"a.npy", "b.npy", "c.npy", "in.npy"}
		}
		d.refuses(exitError, "exists", "[2:]", "./in.npy", "./a.npy")
		assert.Equal(t, want, d.files())
		d.works("-force", "[2:]", "./in.npy", "./a.npy")
		assert.Equal(t, fs.ModeSymlink, d.mode("a.npy").Type())
		assert.Equal(t, fs.ModeSymlink, d.mode("b.npy").Type())
		_, got := d.array("c.npy")
		assert.Equal(t, []byte{2, 3, 4}, got)
	}
}

func TestDevicesAreWrittenToAndNotReplaced(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for _, force := range []string{"-force=false", "-force"} {
		d.works(force, "[:]", "./in.npy", os.DevNull)
		info, err := os.Stat(os.DevNull)
		require.NoError(t, err)
		require.Equal(t, fs.ModeDevice|fs.ModeCharDevice, info.Mode().Type())
	}
}
