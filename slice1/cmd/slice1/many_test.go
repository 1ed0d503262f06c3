package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder returns a directory in d, and makes it if it does not exist. At the end of the test it
// removes the files in it.
func (d dir) folder(name string) dir {
	d.Helper()
	sub := dir{d.T, d.at(name)}
	if err := os.Mkdir(sub.path, 0o777); err != nil {
		require.ErrorIs(d, err, os.ErrExist)
	}
	d.Cleanup(func() {
		for _, name := range sub.files() {
			require.NoError(d, os.Remove(sub.at(name)))
		}
	})
	return sub
}

// picture writes a grey PNG with samples that count from 0 on, and returns the samples.
func (d dir) picture(name string, width, height int) []byte {
	d.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	copy(m.Pix, counting(len(m.Pix)))
	var b bytes.Buffer
	require.NoError(d, png.Encode(&b, m))
	d.write(name, b.Bytes())
	return m.Pix
}

// A picture in a format that is not written becomes a PNG, or an .npy file where no picture holds
// its numbers.
func TestPicturesOfAFolderKeepTheirNames(t *testing.T) {
	d := newDir(t)
	var b bytes.Buffer
	require.NoError(t, gif.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2)), nil))
	d.write("a.gif", b.Bytes())
	d.write("b.GIF", b.Bytes())
	d.picture("c.png", 3, 2)
	for flags, want := range map[string][]string{"-q": {"a.png", "b.png", "c.png"}, "-q -to f4": {"a.npy", "b.npy", "c.npy"}, "-q -to i1": {"a.npy", "b.npy", "c.npy"}, "-q -to u2": {"a.png", "b.png", "c.png"}, "-q -to jpeg": {"a.jpeg", "b.jpeg", "c.jpeg"}} {
		out := d.folder("out" + strings.ReplaceAll(flags, " ", ""))
		d.works(append(strings.Fields(flags), "[::-1]", "./a.gif", "./b.GIF", "./c.png", out.path)...)
		assert.Equal(t, want, out.files(), flags)
	}
	d.refuses(exitUsage, "would both be", "[:]", "./a.gif", "./a.png", d.path)
}

func TestSeveralInputsGoToAFolder(t *testing.T) {
	d := newDir(t)
	args := []string{"-q", "[::-1]"}
	for i := range 20 {
		d.writeBytes(fmt.Sprintf("%02d.npy", i), i+1)
		args = append(args, fmt.Sprintf("./%02d.npy", i))
	}
	pix := d.picture("a.png", 3, 2)
	d.refuses(exitUsage, "-j 17: at most 16 inputs are sliced at a time", append([]string{"-j", "17"}, append(args, "./out/")...)...)
	for _, flags := range [][]string{{}, {"-j", "1"}, {"-j", "7"}} {
		out := d.folder("out")
		require.NoError(t, os.Remove(out.path)) // so that the command makes it
		d.works(append(append(flags, args...), "./a.png", "./out/")...)
		require.Len(t, out.files(), 21)
		for i := range 20 {
			h, got := out.array(fmt.Sprintf("%02d.npy", i))
			require.Equal(t, []int{i + 1, 1}, h.Shape)
			for k, b := range got {
				require.Equal(t, byte(i-k), b)
			}
		}
		m, err := png.Decode(bytes.NewReader(out.read("a.png")))
		require.NoError(t, err)
		assert.Equal(t, append(bytes.Clone(pix[3:]), pix[:3]...), m.(*image.Gray).Pix)
		for _, name := range out.files() {
			require.NoError(t, os.Remove(out.at(name)))
		}
	}
	code, stdout, stderr := d.run(append(args[1:], "./out")...)
	assert.Equal(t, exitOK, code, stderr)
	assert.Empty(t, stdout)
	assert.Regexp(t, `^slice1: 20 files done in \S+\n$`, stderr)
}

func TestOneInputGoesToAFolderUnderItsName(t *testing.T) {
	d := newDir(t)
	out := d.folder("out")
	d.writeBytes("in.npy", 3)
	d.write("in.npz", archive(t, zip.Deflate, map[string][]byte{"x/y.npy": d.read("in.npy")}, "x/y.npy"))
	d.works("-q", "-to", "raw", "[1:]", "./in.npy", "./out")
	assert.Equal(t, []byte{1, 2}, out.read("in.raw"))
	d.works("-q", "[:1]", "./in.npy", "./out")
	d.works("-q", "-to", "npy", "[1:]", d.at("in.npz")+":x/y", "./out")
	_, got := out.array("in-x-y.npy")
	assert.Equal(t, []byte{1, 2}, got)
	assert.Equal(t, []string{"in-x-y.npy", "in.npy", "in.raw"}, out.files())
}

func TestInputsThatFailHinderNoOther(t *testing.T) {
	d := newDir(t)
	out := d.folder("out")
	d.writeBytes("a.npy", 5)
	d.writeBytes("b.npy", 2)
	d.write("c.npy", []byte("text"))
	d.writeBytes("e.npy", 7)
	out.write("e.npy", []byte("precious"))
	d.writeBytes("f.npy", 6)
	code, stdout, stderr := d.run("[4]", "./a.npy", "./b.npy", "./c.npy", "./d.npy", "./e.npy", "./f.npy", "./out")
	assert.Equal(t, exitError, code)
	assert.Empty(t, stdout)
	lines := strings.Split(stderr, "\n")
	require.Len(t, lines, 6, stderr)
	for i, says := range []string{
		d.at("b.npy") + `: index "[4]": column 2: integer outside axis 0 of extent 2`,
		d.at("c.npy") + ": not .npy",
		"open " + d.at("d.npy") + ": ",
		out.at("e.npy") + " exists, -force overwrites it",
		"2 of 6 files done, 4 failed",
	} {
		assert.True(t, strings.HasPrefix(lines[i], "slice1: "), lines[i])
		assert.Contains(t, lines[i], says)
	}
	assert.Equal(t, []string{"a.npy", "e.npy", "f.npy"}, out.files())
	assert.Equal(t, "precious", string(out.read("e.npy")))
	_, got := out.array("f.npy")
	assert.Equal(t, []byte{4}, got)
}

func TestAFolderIsLeftOnlyWithOutputs(t *testing.T) {
	d := newDir(t)
	code, _, stderr := d.run("[:]", "./a.npy", "./b.npy", "./new/deep/er/")
	assert.Equal(t, exitError, code)
	assert.Equal(t, 3, strings.Count(stderr, "\n"), stderr)
	assert.Empty(t, d.files())
	d.writeBytes("a.npy", 1)
	d.refuses(exitError, "a.npy", "[:]", "./a.npy", "./a.npy/")
}

func TestWhatIsWrongForAllInputsIsSaidOnce(t *testing.T) {
	d := newDir(t)
	d.writeBytes("a.npy", 5)
	d.writeBytes("b.dat", 5)
	sub := d.folder("sub")
	sub.writeBytes("a.npy", 5)
	d.write("job.json", []byte("{"))
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"[::", "./a.npy", "./sub/a.npy", "./out/"}, "  [::\n     ^"},
		{[]string{"-desc", "./job.json", "./a.npy", "./out/"}, "job.json:1: the job ends too early"},
		{[]string{"[:]", "./a.npy", "./sub/a.npy", "./out/"}, " would both be " + d.at("out")},
		{[]string{"-to", "gif", "[:]", "./a.npy", "./out/"}, "-to: gif: output is npy"},
		{[]string{"[:]", "./a.npy", "-", "./out/"}, "standard input"},
		{[]string{"[:]", "./a.npy", "./b.npy", "./c.npy"}, "several inputs need a folder, which ends in / if it is new"},
	} {
		code, stdout, stderr := d.run(row.args...)
		assert.Equal(t, exitUsage, code, row.args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, row.says)
		assert.LessOrEqual(t, strings.Count(stderr, "\n"), 3, stderr)
	}
	assert.Equal(t, []string{"a.npy", "b.dat", "job.json", "sub"}, d.files())
}

func TestFolderOfWhichNothingIsMade(t *testing.T) {
	d := newDir(t)
	d.write("a.npy", nil)
	code, _, stderr := d.run("[0]", "./a.npy", "./b.npy", "./out/")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "slice1: no file done, 2 failed\n")
	assert.Equal(t, []string{"a.npy"}, d.files())
}

// One claim has a limit, whoever makes it: the header of a picture, a frame, a row, or a pipe that
// does not end.
func TestClaimsHaveALimit(t *testing.T) {
	s := source{name: "a.png"}
	require.NoError(t, s.claim(mostClaimed))
	require.ErrorContains(t, s.claim(mostClaimed+1), "a.png takes "+binaryUnits(float64(mostClaimed+1))+" of memory, of which "+binaryUnits(float64(mostClaimed))+" can be used")
	needs64Bits(t)
	d := newDir(t)
	vast := oddPNG(t, 8, 2, nil, nil)
	binary.BigEndian.PutUint32(vast[16:], 1<<16)
	binary.BigEndian.PutUint32(vast[20:], 1<<16)
	copy(vast[29:], checksum(string(vast[12:29])))
	d.write("in.png", vast)
	d.refuses(exitError, " of memory, of which ", "[0]", "./in.png", "./out.npy")
	d.refusesPipe(counting(100), exitError, " of memory, of which ", "-raw", "u1", "-shape", "2,"+strconv.FormatInt(mostClaimed+1, 10), "[:, 0]", "-", "./out.npy")
}

func TestBarOfEveryLength(t *testing.T) {
	for _, row := range []struct {
		made, all int64
		want      string
	}{
		{0, 10, "0.0 B of 10.0 B [>-----------------------------] 0.0 B/s ?"},
		{1 << 20, 3 << 20, "1.0 MiB of 3.0 MiB [==========>-------------------] 256.0 KiB/s 8s"},
		{5 << 30, 5 << 30, "5.0 GiB of 5.0 GiB [=============================>] 1.2 GiB/s 0s"},
		{1, 1 << 62, "1.0 B of 4194304.0 TiB [>-----------------------------] 0.2 B/s "},
	} {
		m := &meter{total: row.all}
		m.add(row.made)
		assert.Contains(t, m.line(4*time.Second), row.want)
	}
}
