package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// forget removes an output and the file that describes its job.
func (d dir) forget(out string) {
	d.Helper()
	require.NoError(d, os.Remove(d.at(out)))
	require.NoError(d, os.Remove(d.at(out+".job")))
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
		ext := []string{".npy", ".raw"}[k%2]
		d.works("-force", row.index, row.in, "./want"+ext)
		for _, i := range append(r.Perm(row.n), r.IntN(row.n)) { // one of them again
			d.works(fmt.Sprintf("-part=%d/%d", i+1, row.n), row.index, row.in, "./out"+ext)
		}
		require.Equal(t, d.read("want"+ext), d.read("out"+ext), row.index)
		d.forget("out" + ext)
	}
	assert.Equal(t, []string{"complex.npy", "fortran.npy", "in.npy", "in.png", "want.npy", "want.raw"}, d.files())
}

func TestPartsOfAnInputThatChangedAreRefused(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	d.works("-part", "1/2", "[::2]", "./in.npy", "./out.npy")
	before := d.read("out.npy")
	// A change within the same second counts too.
	info, err := os.Stat(d.at("in.npy"))
	require.NoError(t, err)
	for _, later := range []time.Duration{time.Microsecond, time.Second} { // emulators may show only whole seconds
		require.NoError(t, os.Chtimes(d.at("in.npy"), time.Time{}, info.ModTime().Add(later)))
		if now, err := os.Stat(d.at("in.npy")); err == nil && !now.ModTime().Equal(info.ModTime()) {
			break
		}
	}
	d.refuses(exitError, "is of another job", "-part", "2/2", "[::2]", "./in.npy", "./out.npy")
	assert.Equal(t, before, d.read("out.npy"))
	d.forget("out.npy")
	assert.Equal(t, []string{"in.npy"}, d.files())
}

func TestPartsKeepWhatIsThere(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	d.write("out.npy", []byte("precious"))
	d.refuses(exitError, "exists, -force overwrites it", "-part", "1/2", "[:]", "./in.npy", "./out.npy")

	d.works("-force", "-part", "2/2", "[:]", "./in.npy", "./out.npy")
	d.works("-part", "1/2", "[:]", "./in.npy", "./out.npy") // the job has begun
	assert.Equal(t, d.read("in.npy"), d.read("out.npy"))
	require.NoError(t, os.Remove(d.at("out.npy.job")))

	// A longer file is not shortened.
	d.write("out.npy", append(d.read("in.npy"), 1))
	code, _, stderr := d.run("-force", "-part", "1/2", "[:]", "./in.npy", "./out.npy")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "out.npy has 149 bytes, more than the 148 of this job; remove it first", stderr)
}

// An output that was removed or cut off lacks the parts that were done. They begin again once the
// file that describes the job is removed. A part that has made only that file is done again.
func TestPartsOfAnOutputThatWasRemovedAreRefused(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	for _, change := range []func(string) error{os.Remove, func(name string) error { return os.Truncate(name, 5) }} {
		d.works("-part", "1/2", "[:]", "./in.npy", "./out.npy")
		require.NoError(t, change(d.at("out.npy")))
		for _, force := range []string{"-force", "-q"} {
			d.refuses(exitError, "out.npy was removed or cut off after parts were done; without "+d.at("out.npy.job")+", all of them begin again", "-part", "2/2", force, "[:]", "./in.npy", "./out.npy")
		}
		text := d.read("out.npy.job")
		d.write("out.npy.job", bytes.TrimRight(text, "\n"))
		d.refuses(exitError, "is of another job", "-part", "2/2", "[:]", "./in.npy", "./out.npy")
		d.write("out.npy.job", text[:len(text)-1])
		for _, part := range []string{"1/2", "2/2"} {
			d.works("-part", part, "[:]", "./in.npy", "./out.npy")
		}
		assert.Equal(t, text, d.read("out.npy.job"))
		assert.Equal(t, d.read("in.npy"), d.read("out.npy"))
		d.forget("out.npy")
	}
}

// If two processes begin at once, one makes the file that describes the job, and the other compares
// it.
func TestPartsBeginAtOnce(t *testing.T) {
	d := newDir(t)
	require.NoError(t, writeNew(d.at("out.npy.job"), []byte("first")))
	require.Error(t, writeNew(d.at("out.npy.job"), []byte("second")))
	assert.Equal(t, "first", string(d.read("out.npy.job")))
	assert.Equal(t, []string{"out.npy.job"}, d.files())
}

// Jobs are told apart by index, number of parts and format, and inputs of the same shape, type and
// time by file name, member, orientation and colours.
func TestPartsOfAnotherJobAreRefused(t *testing.T) {
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
	d.write("v.raw", make([]byte, 8))
	for _, row := range [][2][]string{
		{{"2/2", "[:]", "./in.npy"}, {"2/2", "[:]", "./same.npy"}},
		{{"2/2", "[:]", "./in.npy"}, {"2/3", "[:]", "./in.npy"}},
		{{"2/2", "[:]", "./in.npy"}, {"2/2", "[::-1]", "./in.npy"}},
		{{"2/2", "[:]", "./in.npy"}, {"2/2", "[:]", "-force", "-to", "raw", "./in.npy"}},
		{{"2/2", "[:]", "./in.npz:x"}, {"2/2", "[:]", "./in.npz:y"}},
		{{"2/2", "[:]", "-orient", "none", "./in.png"}, {"2/2", "[:]", "-orient", "2", "./in.png"}},
		{{"2/2", "[:]", "-raw", "nv12", "-shape", "1,4", "./v.raw"}, {"2/2", "[:]", "-raw", "nv21", "-shape", "1,4", "./v.raw"}},
		{{"2/2", "[:]", "-raw", "nv12", "-shape", "1,4", "./v.raw"}, {"2/2", "[:]", "-raw", "nv12,bt709", "-shape", "1,4", "./v.raw"}},
		{{"2/2", "[:]", "-raw", "nv12", "-shape", "1,4", "./v.raw"}, {"2/2", "[:]", "-raw", "nv12,full", "-shape", "1,4", "./v.raw"}},
	} {
		args := func(words ...string) []string { return slices.Concat([]string{"-part"}, words, []string{"./out.npy"}) }
		d.works(args(append([]string{"1/2"}, row[0][1:]...)...)...)
		d.refuses(exitError, d.at("out.npy.job")+" is of another job", args(row[1]...)...)
		d.works(args(row[0]...)...)
		d.forget("out.npy")
	}
}

// A type, and frames, have many names. Parts that call them differently are of one job.
func TestPartsSpellTheirElementsInAnyWay(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", noise(rand.New(rand.NewPCG(1, 2)), 48))
	little := "<"
	if nativeBig {
		little = ">"
	}
	for _, row := range []struct {
		shape     string
		spellings []string
	}{
		{"-1", []string{"u1", "u8", "uint8", "<u1", "B"}},
		{"-1", []string{"i8", "int8", "i1", "b"}},
		{"-1", []string{"f4", "f32", "float32", little + "f4"}},
		{"-1", []string{"bf16", "bfloat16", "V2"}},
		{"2,4,4", []string{"nv12", "nv12,bt601"}},
		{"2,4,4", []string{"i420", "yuv420p", "i420,bt601", "yuv420p,bt601"}},
		{"2,4,4", []string{"i420,full", "yuvj420p", "yuvj420p,bt601,full", "yuv420p,full"}},
	} {
		for _, other := range row.spellings {
			args := []string{"-shape", row.shape, "[::-1]", "./in.raw", "./out.npy"}
			d.works(append([]string{"-q", "-part", "1/2", "-raw", row.spellings[0]}, args...)...)
			d.works(append([]string{"-q", "-part", "2/2", "-raw", other}, args...)...)
			made := d.read("out.npy")
			d.forget("out.npy")
			d.works(append([]string{"-q", "-raw", other}, args...)...)
			require.Equal(t, d.read("out.npy"), made, other)
			require.NoError(t, os.Remove(d.at("out.npy")))
		}
	}
}

func TestPartsAreForFilesOfOneArray(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"-part", "1/2", "[:]", "-", "./out.npy"}, "-part is for files"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", "-"}, "-part is for files"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", os.DevNull}, "-part is for files"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", "./out.npz"}, "npy or raw, not npz"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", "./out.png"}, "not png"},
		{[]string{"-part", "1/2", "[:]", "./in.npy", "./in.npy", "./out.npy"}, "arguments"},
		{[]string{"-part", "1/2", "-explain", "[:]", "./in.npy"}, "-explain"},
		{[]string{"-part", "0/2", "[:]", "./in.npy", "./out.npy"}, "from 1 to n"},
		{[]string{"-part", "3/2", "[:]", "./in.npy", "./out.npy"}, "from 1 to n"},
		{[]string{"-part", "1", "[:]", "./in.npy", "./out.npy"}, "i/n"},
		{[]string{"-part", "a/b", "[:]", "./in.npy", "./out.npy"}, "i/n"},
		{[]string{"-part", "1/100001", "[:]", "./in.npy", "./out.npy"}, "at most 100000"},
		{[]string{"-force", "-part", "1/2", "[:]", "./in.npy", "./in.npy"}, "input and output"},
	} {
		d.refuses(exitUsage, row.says, row.args...)
	}
	assert.Equal(t, []string{"in.npy"}, d.files())
	d.refuses(exitError, strings.ReplaceAll("none/out.npy", "/", string(os.PathSeparator)), "-part", "1/2", "[:]", "./in.npy", "./none/out.npy")
}
