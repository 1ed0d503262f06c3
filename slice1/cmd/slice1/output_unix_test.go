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

// A link may lead out of a folder that is a link itself.
func TestLinksInLinkedFolders(t *testing.T) {
	for _, old := range []bool{false, true} {
		d := newDir(t)
		d.writeBytes("in.npy", 5)
		require.NoError(t, os.MkdirAll(d.at("far/deep"), 0o777))
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(d.at("far"))) })
		require.NoError(t, os.Symlink("far/deep", d.at("near")))
		require.NoError(t, os.Symlink("../b.npy", d.at("far/deep/a.npy")))
		require.NoError(t, os.Symlink("deep/../c.npy", d.at("far/b.npy")))
		if old {
			d.write("far/c.npy", nil)
		}
		d.refuses(exitError, "exists", "[2:]", "./in.npy", "./near/a.npy")
		d.works("-force", "[2:]", "./in.npy", "./near/a.npy")
		_, got := d.array("far/c.npy")
		assert.Equal(t, []byte{2, 3, 4}, got)
		assert.Equal(t, []string{"far", "in.npy", "near"}, d.files())
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

// Something refers to the file of descriptor 2 for as long as the process runs, so the garbage
// collector does not close it, and no output gets that number.
func TestOutputsGetNoStandardDescriptor(t *testing.T) {
	require.Equal(t, uintptr(2), inherited.Fd())
	require.NotEqual(t, uintptr(2), os.Stderr.Fd())
}

// Other programs give the null device as standard output, opened for writing, or for reading and
// writing as Python's DEVNULL and Node's 'ignore' are. Go's runtime opens it so, too, in place of a
// standard output that is closed.
func TestStandardOutputMayBeTheNullDevice(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for _, redirection := range []string{">/dev/null", "1<>/dev/null", ">&-"} {
		for _, args := range [][]string{{"[:]", "./in.npy", "-"}, {"-explain", "[:]", "./in.npy"}, {"-version"}, {"-kernels"}, {"-h"}, {"-force", "[:]", "./in.npy", "./out.npy"}} {
			cmd := d.process("", args...)
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `"$0" ` + redirection, os.Args[0]}
			require.NoError(t, cmd.Start())
			code, stderr := d.ends(cmd)
			assert.Equal(t, exitOK, code, "%s %s", redirection, args)
			assert.Empty(t, stderr)
		}
	}
	assert.Equal(t, d.read("in.npy"), d.read("out.npy"))
}

// A variable of the environment that is none of its words is an error of usage, as a flag is.
func TestWordsOfTheEnvironmentAreUsage(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for _, variable := range []string{"SLICE1_LEARN", "SLICE1_KERNEL", "DML_CPU"} {
		cmd := d.process("", "[::-1]", "./in.npy", "./out.npy")
		cmd.Env = append(cmd.Env, variable+"=maybe")
		require.NoError(t, cmd.Start())
		code, stderr := d.ends(cmd)
		assert.Equal(t, exitUsage, code, stderr)
		assertOneLine(t, `"maybe"`, stderr)
	}
}

// What a full device does not take is an error, whatever is written.
func TestFullDevicesAreErrors(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has none: ", err)
	}
	defer full.Close()
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for _, args := range [][]string{{"-h"}, {"-version"}, {"-kernels"}, {"-explain", "[:]", "./in.npy"}, {"[:]", "./in.npy", "-"}, {"-to", "npz", "[:]", "./in.npy", "-"}} {
		cmd := d.process("", args...)
		cmd.Stdout = full
		assert.Contains(t, d.fails(cmd), "no space left", args)
	}
}

// Standard input that changes while it is read is an error, like a file with a name.
func TestStandardInputThatChangesIsAnError(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", make([]byte, 4<<20))
	f, err := os.Open(d.at("in.raw"))
	require.NoError(t, err)
	defer f.Close()
	j := job{index: "[::-1]", source: "-", raw: "u1", stdin: f, flows: true}
	s, err := j.load()
	require.NoError(t, err)
	require.NoError(t, s.input.unchanged())
	require.NoError(t, os.WriteFile(d.at("in.raw"), make([]byte, 5<<20), 0o666))
	require.ErrorContains(t, s.input.unchanged(), "standard input changed while it was read")
}
