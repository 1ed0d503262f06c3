package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
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

func TestSeveralInputsGoToAFolder(t *testing.T) {
	d := newDir(t)
	args := []string{"-q", "[::-1]"}
	for i := range 20 {
		d.writeBytes(fmt.Sprintf("%02d.npy", i), i+1)
		args = append(args, fmt.Sprintf("./%02d.npy", i))
	}
	pix := d.picture("a.png", 3, 2)
	for _, flags := range [][]string{{}, {"-j", "1"}, {"-j", "7"}} {
		out := d.folder("out")
		require.NoError(t, os.Remove(out.path)) // so that the command makes it
		d.works(append(append(flags, args...), "./a.png", d.at("out")+string(os.PathSeparator))...)
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
	code, _, stderr := d.run("[:]", "./a.npy", "./b.npy", d.at("new/deep/er")+"/")
	assert.Equal(t, exitError, code)
	assert.Equal(t, 3, strings.Count(stderr, "\n"), stderr)
	assert.Empty(t, d.files())
	d.writeBytes("a.npy", 1)
	code, _, stderr = d.run("[:]", "./a.npy", d.at("a.npy")+"/")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "a.npy", stderr)
	assert.Equal(t, []string{"a.npy"}, d.files())
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
		{[]string{"-desc", "./job.json", "./a.npy", "./out/"}, "  {\n   ^"},
		{[]string{"[:]", "./a.npy", "./sub/a.npy", "./out/"}, " would both be " + d.at("out")},
		{[]string{"-to", "gif", "[:]", "./a.npy", "./out/"}, "-to: gif: output is npy"},
		{[]string{"[:]", "./a.npy", "-", "./out/"}, "standard input"},
		{[]string{"[:]", "./a.npy", "./b.npy", "./c.npy"}, "several inputs need -stack or a folder, which ends in / if it is new"},
		{[]string{"-explain", "-stack", "[:]", "./a.npy"}, "-explain"},
		{[]string{"-stack", "[::", "./a.npy", "./b.npy"}, "  [::\n     ^"},
		{[]string{"-stack", "[:]", "./a.npy", "./b.png"}, "not png"},
		{[]string{"-stack", "[:]", "./a.npy", "./b.jpg"}, "not jpeg"},
		{[]string{"-stack", "[:]", "./a.npy", "-", "./b.npy"}, "standard input"},
	} {
		for i, a := range row.args {
			if name, ok := strings.CutPrefix(a, "./"); ok {
				row.args[i] = d.at(name)
				if strings.HasSuffix(name, "/") {
					row.args[i] += "/"
				}
			}
		}
		code, stdout, stderr := d.run(row.args...)
		assert.Equal(t, exitUsage, code, row.args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, row.says)
		assert.LessOrEqual(t, strings.Count(stderr, "\n"), 3, stderr)
	}
	assert.Equal(t, []string{"a.npy", "b.dat", "job.json", "sub"}, d.files())
}

func TestStackMakesOneArrayOfEqualInputs(t *testing.T) {
	d := newDir(t)
	args := []string{"-stack", "[1:, 0]"}
	want := []byte{}
	for i := range 9 {
		name := fmt.Sprintf("%d.npy", i)
		d.write(name, npyFile(npy.Header{Type: slice1.Uint16, Shape: []int{3, 2}}, counting(12 + i)[i:]))
		args = append(args, "./"+name)
		want = append(want, byte(i+4), byte(i+5), byte(i+8), byte(i+9))
	}
	h := npy.Header{Type: slice1.Uint16, Shape: []int{9, 2}}
	for _, flags := range [][]string{{}, {"-j", "1"}, {"-j", "20"}} {
		d.works(append(append(append([]string{"-force"}, flags...), args...), "./out.npy")...)
		assert.Equal(t, npyFile(h, want), d.read("out.npy"))
	}
	d.works(append(args, "./out.npz")...)
	d.works("[...]", "./out.npz:arr_0", "./back.npy")
	assert.Equal(t, npyFile(h, want), d.read("back.npy"))
	code, stdout, stderr := d.run(append(args, "-")...)
	assert.Equal(t, exitOK, code, stderr)
	assert.Equal(t, string(npyFile(h, want)), stdout)

	// All of each input, which is one run of the file. Then one element, then none.
	d.works("-stack", "[...]", "./0.npy", "./3.npy", "./whole.raw")
	assert.Equal(t, append(counting(12), counting(15)[3:]...), d.read("whole.raw"))
	d.works("-stack", "[2, 1]", "./0.npy", "./one.npy")
	_, got := d.array("one.npy")
	assert.Equal(t, []byte{10, 11}, got)
	d.works("-stack", "[3:]", "./0.npy", "./1.npy", "./none.npy")
	none, _ := d.array("none.npy")
	assert.Equal(t, []int{2, 0, 2}, none.Shape)
}

func TestUnequalInputsAreNoStack(t *testing.T) {
	d := newDir(t)
	d.writeBytes("a.npy", 5)
	d.writeBytes("longer.npy", 6)
	d.write("type.npy", npyFile(npy.Header{Type: slice1.Int8, Shape: []int{5, 1}}, counting(5)))
	d.write("order.npy", npyFile(npy.Header{Type: slice1.Int16, BigEndian: true, Shape: []int{5, 1}}, counting(10)))
	d.write("text.npy", []byte("text"))
	before := d.files()
	for _, row := range []struct{ name, says string }{
		{"longer.npy", "longer.npy gives uint8 [6, 1], the first of the stack uint8 [5, 1]"},
		{"type.npy", "type.npy gives int8 [5, 1]"},
		{"order.npy", "order.npy gives big-endian int16 [5, 1]"},
		{"text.npy", "text.npy: not .npy"},
		{"absent.npy", "absent.npy"},
	} {
		for _, out := range []string{"./out.npy", "./out.npz"} {
			code, stdout, stderr := d.run("-stack", "[:]", "./a.npy", "./a.npy", "./"+row.name, "./a.npy", out)
			assert.Equal(t, exitError, code)
			assert.Empty(t, stdout)
			assertOneLine(t, row.says, stderr)
			assert.Equal(t, before, d.files())
		}
	}
}

// A claim is met, refused, or waits for the input that holds more than its share.
func TestMemoryIsTakenAndGivenBack(t *testing.T) {
	all := mostHeld()
	require.Positive(t, all)
	alone, a, b := claim{}, claim{share: 10}, claim{share: 10}
	require.NoError(t, alone.take(all, "alone"))
	require.ErrorContains(t, alone.take(1, "alone.png"), "alone.png takes ")
	require.ErrorContains(t, a.take(all+1, "a.png"), "of memory, of which "+binaryUnits(float64(all))+" can be used")
	require.NoError(t, a.take(11, "a"))
	require.NoError(t, b.take(10, "b"))
	waited := make(chan error)
	go func() { waited <- b.take(1, "b") }()
	select {
	case <-waited:
		require.Fail(t, "two inputs hold more than their share")
	case <-time.After(10 * time.Millisecond):
	}
	a.end()
	require.NoError(t, <-waited)
	b.end()
	assert.Zero(t, a.held+b.held)
}
