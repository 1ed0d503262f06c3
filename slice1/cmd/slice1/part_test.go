package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// ended requires that the folder of an output's parts holds job.json and the marks of n parts and
// nothing else, and removes it.
func (d dir) ended(out string, n int) {
	d.Helper()
	parts := dir{d.T, d.at(out + ".parts")}
	want := []string{"job.json"}
	for i := range n {
		want = append(want, strconv.Itoa(i+1))
	}
	require.ElementsMatch(d, want, parts.files())
	d.forget(out)
}

// forget removes the folder of an output's parts.
func (d dir) forget(out string) {
	d.Helper()
	parts := dir{d.T, d.at(out + ".parts")}
	for _, name := range parts.files() {
		require.NoError(d, os.Remove(parts.at(name)))
	}
	require.NoError(d, os.Remove(parts.path))
}

func TestPartsInAnyOrderAreTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	d := newDir(t)
	h := npy.Header{Type: slice1.Int16, BigEndian: true, Shape: []int{12, 9, 10}}
	d.write("in.npy", npyFile(h, counting(2*12*9*10)))
	dict := "{'descr': '<u2', 'fortran_order': True, 'shape': (50, 40), }\n"
	d.write("fortran.npy", append(append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), 0), append([]byte(dict), counting(4000)...)...))
	d.write("complex.npy", bytes.Replace(npyFile(npy.Header{Type: slice1.Int64, Shape: []int{4, 6}}, counting(192)), []byte("<i8"), []byte("<c8"), 1))
	pix := d.picture("in.png", 7, 5)
	require.Len(t, pix, 35)
	for k, row := range []struct {
		index, in string
		n         int
	}{
		{"[...]", "./in.npy", 3}, {"[...]", "./in.npy", 1}, {"[:3, 1:]", "./in.npy", 7}, {"[::-2, :, ::3]", "./in.npy", 5},
		{"[1:, 2, None, 3:]", "./in.npy", 4}, {"[:2, ::-1, 5]", "./in.npy", 4}, {"[0, 0, :3]", "./in.npy", 5}, {"[3, 3, 3]", "./in.npy", 2},
		{"[3:3]", "./in.npy", 2}, {"[::-1, 1:]", "./fortran.npy", 4}, {"[:, ::-1, 0]", "./in.png", 3},
		{"[:, ::-1]", "./complex.npy", 3}, {"[2]", "./complex.npy", 4},
	} {
		for _, out := range []string{"out.npy", "out.raw"}[k%2 : k%2+1] {
			d.works(row.index, row.in, "./want"+out[3:])
			for done, i := range r.Perm(row.n) {
				part := fmt.Sprintf("-part=%d/%d", i+1, row.n)
				for range 1 + r.IntN(2) {
					require.NoFileExists(t, d.at(out), "%s: %d parts", row.index, done)
					d.works(part, row.index, row.in, "./"+out)
					if done == row.n-1 {
						break
					}
				}
			}
			require.Equal(t, d.read("want"+out[3:]), d.read(out), row.index)
			d.works(fmt.Sprintf("-part=1/%d", row.n), row.index, row.in, "./"+out) // finds the part done
			d.ended(out, row.n)
			require.NoError(t, os.Remove(d.at(out)))
			require.NoError(t, os.Remove(d.at("want"+out[3:])))
		}
	}
	assert.Equal(t, []string{"complex.npy", "fortran.npy", "in.npy", "in.png"}, d.files())
}

func TestPartsOfJobsInOtherWords(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint16, Shape: []int{6, 7, 4}}, counting(2*6*7*4)))
	code, saved, stderr := d.run("-explain", "-json", "[1:, ::-2]", "./in.npy")
	require.Equal(t, exitOK, code, stderr)
	d.write("job.json", []byte(saved))
	for _, args := range [][]string{
		{"-axes", "2,0,1", "[:, ::-1]", "./in.npy"},
		{"-window", "1+4/2,0+7/-1,1+3", "./in.npy"},
		{"-onnx", "starts=5 ends=0 axes=1 steps=-1", "./in.npy"},
		{"-desc", d.at("job.json"), "./in.npy"},
		{"-raw", "i2", "-skip", "128", "-shape", "-1,4", "[::-1, 1]", "./in.npy"},
	} {
		d.works(append(args, "./want.npy")...)
		for _, part := range []string{"3/3", "1/3", "2/3"} {
			d.works(append([]string{"-part", part}, append(args, "./out.npy")...)...)
		}
		assert.Equal(t, d.read("want.npy"), d.read("out.npy"), args)
		d.ended("out.npy", 3)
		require.NoError(t, os.Remove(d.at("out.npy")))
		require.NoError(t, os.Remove(d.at("want.npy")))
	}
}

func TestPartsOfAnotherJobAreRefused(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	d.works("-part", "1/2", "[::2]", "./in.npy", "./out.npy")
	before := (dir{t, d.at("out.npy.parts")}).files()
	for _, args := range [][]string{
		{"-part", "2/3", "[::2]", "./in.npy", "./out.npy"},
		{"-part", "2/2", "[::-2]", "./in.npy", "./out.npy"},
		{"-part", "2/2", "-to", "raw", "[::2]", "./in.npy", "./out.npy"},
	} {
		code, _, stderr := d.run(args...)
		assert.Equal(t, exitError, code)
		assertOneLine(t, d.at("out.npy.parts")+" is of another job", stderr)
	}
	require.NoError(t, os.Chtimes(d.at("in.npy"), time.Time{}, time.Unix(1e9, 0)))
	code, _, stderr := d.run("-part", "2/2", "[::2]", "./in.npy", "./out.npy")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "is of another job", stderr)
	assert.Equal(t, before, (dir{t, d.at("out.npy.parts")}).files())
	d.forget("out.npy")
	assert.Equal(t, []string{"in.npy"}, d.files())
}

func TestPartsKeepWhatIsThere(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	d.write("out.npy", []byte("precious"))
	code, _, stderr := d.run("-part", "1/2", "[:]", "./in.npy", "./out.npy")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "-force", stderr)
	assert.Equal(t, []string{"in.npy", "out.npy"}, d.files())

	d.works("-force", "-part", "2/2", "[:]", "./in.npy", "./out.npy")
	assert.Equal(t, "precious", string(d.read("out.npy")))
	code, _, stderr = d.run("-part", "1/2", "[:]", "./in.npy", "./out.npy") // the last part, without -force
	assert.Equal(t, exitError, code)
	assertOneLine(t, "-force", stderr)
	assert.Equal(t, "precious", string(d.read("out.npy")))
	d.works("-force", "-part", "1/2", "[:]", "./in.npy", "./out.npy")
	assert.Equal(t, d.read("in.npy"), d.read("out.npy"))
	d.works("-part", "1/2", "[:]", "./in.npy", "./out.npy")
	d.ended("out.npy", 2)
}

// A process that finds a step done by another one goes on without an error: at the folder, at a mark,
// and at the name of the output.
func TestPartsLoseTheirRacesInPeace(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	d.works("-part", "1/2", "[:]", "./in.npy", "./out.npy")
	to, _, err := newTarget(d.at("out.npy"), false)
	require.NoError(t, err)
	root, err := os.OpenRoot(d.at("out.npy.parts"))
	require.NoError(t, err)
	work := &share{folder: d.at("out.npy.parts"), root: root, parts: 2, to: to}
	finished := func() (named bool) {
		named, err := work.finish()
		require.NoError(t, err)
		return named
	}

	before := d.read("out.npy.parts/job.json")
	require.NoError(t, work.begin([]byte("other"), nil, 0))
	assert.Equal(t, before, d.read("out.npy.parts/job.json"))
	assert.Equal(t, []string{"in.npy", "out.npy.parts"}, d.files())

	require.NoError(t, work.mark("1"))
	require.False(t, finished())
	assert.NoFileExists(t, d.at("out.npy"))
	require.NoError(t, work.mark("2"))
	require.NoError(t, os.Link(work.at("data"), d.at("out.npy"))) // as a process does that has not yet removed data
	require.True(t, finished())
	require.True(t, finished())
	require.NoError(t, os.Remove(work.at("2")))
	d.works("-part", "2/2", "[:]", "./in.npy", "./out.npy") // marks part 2 again after data is gone
	require.NoError(t, work.mark("2"))
	require.NoError(t, root.Close())
	d.ended("out.npy", 2)
}

// Inputs of one shape, type and time are told apart by file name, by member and by orientation.
func TestPartsOfAnotherInputAreRefused(t *testing.T) {
	d := newDir(t)
	h := npy.Header{Type: slice1.Uint8, Shape: []int{8}}
	d.write("in.npy", npyFile(h, counting(8)))
	d.write("same.npy", npyFile(h, make([]byte, 8)))
	for _, name := range []string{"in.npy", "same.npy"} {
		require.NoError(t, os.Chtimes(d.at(name), time.Time{}, time.Unix(1e9, 0)))
	}
	members := map[string][]byte{"x.npy": d.read("in.npy"), "y.npy": d.read("same.npy")}
	d.write("in.npz", archive(t, zip.Store, members, "x.npy", "y.npy"))
	d.picture("in.png", 4, 3)
	for _, row := range [][2][]string{
		{{"./in.npy"}, {"./same.npy"}},
		{{"./in.npz:x"}, {"./in.npz:y"}},
		{{"-member", "x", "./in.npz"}, {"-member", "y", "./in.npz"}},
		{{"-orient", "none", "./in.png"}, {"-orient", "2", "./in.png"}},
	} {
		args := func(part string, in []string) []string {
			return append(append([]string{"-part", part, "[:]"}, in...), "./out.npy")
		}
		d.works(args("1/2", row[0])...)
		code, _, stderr := d.run(args("2/2", row[1])...)
		assert.Equal(t, exitError, code, row)
		assertOneLine(t, d.at("out.npy.parts")+" is of another job", stderr)
		d.works(args("2/2", row[0])...)
		d.ended("out.npy", 2)
		require.NoError(t, os.Remove(d.at("out.npy")))
	}
}

// A file whose name is another spelling of a part's number, such as 01, does not count as a mark.
func TestOtherFilesAreNoMarks(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	d.works("-part", "1/3", "[:]", "./in.npy", "./out.npy")
	for _, name := range []string{"01", "+1", "001"} {
		d.write("out.npy.parts/"+name, nil)
	}
	d.works("-part", "3/3", "[:]", "./in.npy", "./out.npy")
	assert.NoFileExists(t, d.at("out.npy"))
	d.works("-part", "2/3", "[:]", "./in.npy", "./out.npy")
	assert.Equal(t, d.read("in.npy"), d.read("out.npy"))
	d.forget("out.npy")
}

func TestPartsSayThatTheirOutputIsGone(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	d.works("-part", "1/1", "[:]", "./in.npy", "./out.npy")
	require.NoError(t, os.Remove(d.at("out.npy")))
	code, _, stderr := d.run("-part", "1/1", "[:]", "./in.npy", "./out.npy")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, "slice1: note: "+d.at("out.npy")+" was complete and is not there; without "+d.at("out.npy.parts")+", it is made anew\n", stderr)
	d.works("-q", "-part", "1/1", "[:]", "./in.npy", "./out.npy")
	d.ended("out.npy", 1)
	assert.Equal(t, []string{"in.npy"}, d.files())
}

func TestPartsAreForFilesOfOneArray(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"-part", "1/2", "[:]", "-", "./out.npy"}, "pipes"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", "-"}, "pipes"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", os.DevNull}, "is none"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", "./out.npz"}, "npy or raw, not npz"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", "./out.png"}, "not png"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", "./in.npy", "./out.npy"}, "arguments"},
		{[]string{"-part", "1/2", "-stack", "[:]", "./in.npy", "./out.npy"}, "-stack"},
		{[]string{"-part", "1/2", "-explain", "[:]", "./in.npy"}, "-explain"},
		{[]string{"-part", "0/2", "[:]", "./in.npy", "./out.npy"}, "from 1 to n"},
		{[]string{"-part", "3/2", "[:]", "./in.npy", "./out.npy"}, "from 1 to n"},
		{[]string{"-part", "1", "[:]", "./in.npy", "./out.npy"}, "i/n"},
		{[]string{"-part", "a/b", "[:]", "./in.npy", "./out.npy"}, "i/n"},
		{[]string{"-part", "1/100001", "[:]", "./in.npy", "./out.npy"}, "at most 100000"},
		{[]string{"-force", "-part", "1/2", "[:]", "./in.npy", "./in.npy"}, "input and output"},
	} {
		code, stdout, stderr := d.run(row.args...)
		assert.Equal(t, exitUsage, code, row.args)
		assert.Empty(t, stdout)
		assertOneLine(t, row.says, stderr)
	}
	assert.Equal(t, []string{"in.npy"}, d.files())
	code, _, stderr := d.run("-part", "1/2", "[:]", "./in.npy", "./none/out.npy")
	assert.Equal(t, exitError, code)
	assertOneLine(t, strings.ReplaceAll("none/out.npy", "/", string(os.PathSeparator)), stderr)
}
