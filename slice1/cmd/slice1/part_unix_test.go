//go:build unix

package main

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func TestPartsOfManyProcessesAreTheWhole(t *testing.T) {
	d := newDir(t)
	data := counting(3000 * 300)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{3000, 300}}, data))
	d.works("[::-1, 1:]", "./in.npy", "./want.npy")
	const parts, processes = 6, 12 // two do each part
	all := []*exec.Cmd{}
	for i := range processes {
		cmd := d.process("", "-part", strconv.Itoa(i%parts+1)+"/"+strconv.Itoa(parts), "[::-1, 1:]", "./in.npy", "./out.npy")
		require.NoError(t, cmd.Start())
		all = append(all, cmd)
	}
	for _, cmd := range all {
		code, stderr := d.ends(cmd)
		assert.Equal(t, exitOK, code, stderr)
	}
	assert.Equal(t, d.read("want.npy"), d.read("out.npy"))
	d.forget("out.npy")
	assert.Equal(t, []string{"in.npy", "want.npy"}, d.files())
}

// partOfTwo returns the arguments for a part, for example 1/2, of a slice that takes long if in.npy
// is large.
func partOfTwo(part string) []string {
	return []string{"-part", part, "[::-1, ::512]", "./in.npy", "./out.npy"}
}

// number writes a number into the first byte of each row of a sparse file. The last row gets 1, the
// row before it 2, and so on. After 255 comes 0.
func (d dir) number(name string, rows int, columns int64) {
	d.Helper()
	f, err := os.OpenFile(d.at(name), os.O_WRONLY, 0)
	require.NoError(d, err)
	end, err := f.Seek(0, io.SeekEnd)
	require.NoError(d, err)
	for row := range rows {
		_, err := f.WriteAt([]byte{byte(row + 1)}, end-int64(row+1)*columns)
		require.NoError(d, err)
	}
	require.NoError(d, f.Close())
}

// A part that was killed or ended by a signal leaves the output as it is, and can be done again.
func TestPartThatEndsEarlyIsDoneAgain(t *testing.T) {
	d := newDir(t)
	for want, s := range map[int]os.Signal{-1: os.Kill, exitError: os.Interrupt} {
		code, stderr := d.midway(func(p *os.Process) { _ = p.Signal(s) }, "out.npy", partOfTwo("2/2")...)
		assert.Equal(t, want, code, stderr)
		assert.Equal(t, []string{"in.npy", "out.npy", "out.npy.job"}, d.files())
		d.works(partOfTwo("1/2")...)
		d.works(partOfTwo("2/2")...)
		got := d.read("out.npy")
		d.forget("out.npy")
		d.works(partOfTwo("1/1")[2:]...)
		assert.Equal(t, d.read("out.npy"), got)
		require.NoError(t, os.Remove(d.at("out.npy")))
	}
}

func TestPartOfAnInputThatChangesMidwayFails(t *testing.T) {
	d := newDir(t)
	code, stderr := d.midway(func(*os.Process) {
		require.NoError(t, os.Chtimes(d.at("in.npy"), time.Time{}, time.Unix(1e9, 0)))
	}, "out.npy", partOfTwo("2/2")...)
	assert.Equal(t, exitError, code)
	assertOneLine(t, "in.npy changed while it was read", stderr)
	d.forget("out.npy")
	assert.Equal(t, []string{"in.npy"}, d.files())
}

// A part does not read the output. A machine that reads a page may later write the whole page
// again, and overwrite what another machine wrote to it meanwhile. Here the file permits only
// writing.
func TestPartsDoNotReadTheOutput(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	d.works("-part", "1/2", "[::-1]", "./in.npy", "./out.npy")
	for name, mode := range map[string]fs.FileMode{"": 0o777, "in.npy": 0o644, "out.npy.job": 0o644, "out.npy": 0o222} {
		require.NoError(t, os.Chmod(d.at(name), mode))
	}
	state := ""
	if os.Getuid() == 0 {
		state = "user 65534"
	}
	cmd := d.process(state, "-part", "2/2", "[::-1]", "./in.npy", "./out.npy")
	require.NoError(t, cmd.Start())
	code, stderr := d.ends(cmd)
	assert.Equal(t, exitOK, code, stderr)
	require.NoError(t, os.Chmod(d.at("out.npy"), 0o666))
	d.works("[::-1]", "./in.npy", "./want.npy")
	assert.Equal(t, d.read("want.npy"), d.read("out.npy"))
	d.forget("out.npy")
}
