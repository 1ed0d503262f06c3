package main

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// dir is a directory with the files of a test.
type dir struct {
	*testing.T
	path string
}

// needs64Bits skips a test with arrays of more elements than an int of 32 bits can count.
func needs64Bits(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("an int has 32 bits here")
	}
}

// newDir makes a directory. At the end of the test it removes the directory and the files in it. It
// does not use t.TempDir, since that calls os.RemoveAll at the end, which fails under Wine 8.
func newDir(t *testing.T) dir {
	path, err := os.MkdirTemp("", "slice1")
	require.NoError(t, err)
	d := dir{t, path}
	t.Cleanup(func() {
		for _, name := range d.files() {
			require.NoError(t, os.Remove(d.at(name)))
		}
		require.NoError(t, os.Remove(path))
	})
	return d
}

func (d dir) at(name string) string { return filepath.Join(d.path, name) }

func (d dir) write(name string, content []byte) {
	d.Helper()
	require.NoError(d, os.WriteFile(d.at(name), content, 0o666))
}

func (d dir) read(name string) []byte {
	d.Helper()
	b, err := os.ReadFile(d.at(name))
	require.NoError(d, err)
	return b
}

func (d dir) files() []string {
	d.Helper()
	entries, err := os.ReadDir(d.path)
	require.NoError(d, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// run runs the command. It replaces "./" at the beginning of an argument by the directory.
func (d dir) run(args ...string) (code int, stdout, stderr string) {
	return d.pipe(nil, args...)
}

// pipe is run with bytes for standard input.
func (d dir) pipe(stdin []byte, args ...string) (code int, stdout, stderr string) {
	args = append([]string{}, args...)
	for i, a := range args {
		if name, ok := strings.CutPrefix(a, "./"); ok {
			if args[i] = d.at(name); strings.HasSuffix(name, "/") {
				args[i] += "/"
			}
		}
	}
	var out, err bytes.Buffer
	code = run(args, bytes.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// works runs the command, which must succeed and print nothing.
func (d dir) works(args ...string) {
	d.Helper()
	code, stdout, stderr := d.run(args...)
	require.Equal(d, exitOK, code, stderr)
	require.Empty(d, stdout)
	require.Empty(d, stderr)
}

// passes runs the command with bytes for standard input. It must succeed, write want to standard
// output, and print nothing.
func (d dir) passes(want, stdin []byte, args ...string) {
	d.Helper()
	code, stdout, stderr := d.pipe(stdin, args...)
	require.Equal(d, exitOK, code, stderr)
	require.Empty(d, stderr)
	require.True(d, string(want) == stdout, "%s", args)
}

// refuses runs the command, which must end with the code, print one line on standard error, with a
// text in it, and nothing else, and leave the names of files as they were.
func (d dir) refuses(code int, says string, args ...string) {
	d.Helper()
	d.refusesPipe(nil, code, says, args...)
}

// refusesPipe is refuses with bytes for standard input.
func (d dir) refusesPipe(stdin []byte, code int, says string, args ...string) {
	d.Helper()
	was := d.files()
	got, stdout, stderr := d.pipe(stdin, args...)
	assert.Equal(d, code, got, "%s: %s", args, stderr)
	assert.Empty(d, stdout, args)
	assertOneLine(d.T, says, stderr)
	assert.Equal(d, was, d.files(), args)
}

// makes runs the command with the output ./out.npy, whose elements must be want. It returns the
// header of the output.
func (d dir) makes(want []byte, args ...string) npy.Header {
	d.Helper()
	d.works(slices.Concat([]string{"-force"}, args, []string{"./out.npy"})...)
	h, got := d.array("out.npy")
	assert.Equal(d, want, got, args)
	return h
}

// npyFile returns a row-major .npy file of data.
func npyFile(h npy.Header, data []byte) []byte {
	head, err := npy.AppendHeader(nil, h)
	if err != nil {
		panic(err)
	}
	return append(head, data...)
}

// array returns the header and the data of a file. The file must be a whole .npy. Offset and Size
// of the header are 0.
func (d dir) array(name string) (npy.Header, []byte) {
	d.Helper()
	file := d.read(name)
	h, err := npy.Parse(file)
	require.NoError(d, err)
	require.Equal(d, h.Offset+h.Size, int64(len(file)))
	data := file[h.Offset:]
	h.Offset, h.Size = 0, 0
	return h, data
}

// noise returns n bytes at random.
func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// counting returns n bytes that count from 0 on; after 255 comes 0.
func counting(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// elements joins the elements of data with the given indices. Each element has size bytes.
func elements(data []byte, size int, indices ...int) []byte {
	out := []byte{}
	for _, i := range indices {
		out = append(out, data[i*size:(i+1)*size]...)
	}
	return out
}

func TestCopySlicesEveryTypeInItsByteOrder(t *testing.T) {
	d := newDir(t)
	for dtype := slice1.Float32; dtype <= slice1.Int64; dtype++ {
		for _, big := range []bool{false, true} {
			size := dtype.Size()
			h := npy.Header{Type: dtype, BigEndian: big && size > 1, Shape: []int{3, 4}}
			data := counting(12 * size)
			d.write("in.npy", npyFile(h, data))
			d.works("-force", "[::-2, 1:]", "./in.npy", "./out.npy")
			h.Shape = []int{2, 3}
			assert.Equal(t, npyFile(h, elements(data, size, 9, 10, 11, 1, 2, 3)), d.read("out.npy"), "%v", dtype)
		}
	}
	assert.Equal(t, []string{"in.npy", "out.npy"}, d.files())
}

func TestCopyGivesNumPysShapes(t *testing.T) {
	data := counting(24)
	for _, row := range []struct {
		shape       []int
		axes, index string
		want        []int
		data        []byte
	}{
		{[]int{2, 3, 4}, "", "[1, :, 2]", []int{3}, []byte{14, 18, 22}},
		{[]int{2, 3, 4}, "", "[1, 2, 3]", []int{}, []byte{23}},
		{[]int{24}, "", "[newaxis, 5:7, None]", []int{1, 2, 1}, []byte{5, 6}},
		{[]int{}, "", "[...]", []int{}, []byte{0}},
		{[]int{}, "", "[None]", []int{1}, []byte{0}},
		{[]int{24}, "", "[3:3]", []int{0}, []byte{}},
		{[]int{2, 0, 4}, "", "[::-1, :, 1]", []int{2, 0}, []byte{}},
		{[]int{2, 3, 4}, "2,0,1", "[:, :2, ::2]", []int{2, 2, 2}, []byte{0, 4, 12, 16, 2, 6, 14, 18}},
		{[]int{2, 3, 4}, "(-1, 1, 0)", "[1, :, newaxis, 1:3]", []int{2, 1, 3}, []byte{13, 17, 21, 14, 18, 22}},
		{[]int{2, 3, 4}, "3,2,1,0", "[:, None, 2:, ::-3]", []int{2, 1, 1, 2}, []byte{11, 23, 8, 20}},
		{[]int{2, 3, 4}, "1,0", "[:, 3:, 0]", []int{0, 2}, []byte{}},
		{[]int{2, 3, 4}, "0,1,2", "[...]", []int{2, 3, 4}, data},
	} {
		d := newDir(t)
		d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: row.shape}, data))
		args := []string{row.index, "./in.npy"}
		if row.axes != "" {
			args = append([]string{"-axes", row.axes}, args...)
		}
		assert.Equal(t, row.want, d.makes(row.data, args...).Shape, args)
	}
}

func TestAxesThatAreNoneAreErrors(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 4}}, counting(24)))
	for axes, says := range map[string]string{
		"0,1":    "2 axes, but the result has rank 3\n",
		"0,1,3":  "3 is no axis of a result of rank 3\n",
		"0,-4,1": "-4 is no axis of a result of rank 3\n",
		"0,1,-2": "axis -2 may come only once\n",
		"0,a,1":  "integers with commas between them, not \"a\"\n",
	} {
		d.refuses(exitUsage, "slice1: -axes "+axes+": "+says, "-axes", axes, "[...]", "./in.npy", "./out.npy")
	}
}

func TestWhatIsDoneIsReported(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Int16, Shape: []int{3, 4}}, counting(24)))
	for _, row := range []struct {
		args           []string
		stdout, stderr string
	}{
		{[]string{"-v", "-kernel", "go", "[1]", "./in.npy", "./out.npy"}, "",
			`int16 \[3, 4\] -> \[4\], kernel go, 8 bytes in [^ ,]+s(, \S+ GB/s)?\n  copy 8 bytes, first from source 8 to destination 0\n`},
		{[]string{"-explain", "-v", "-kernel", "go", "[1, ::-1]", "./in.npy", "./out2.npy"},
			`input   int16 \[3, 4\]\noutput  int16 \[4\]\n(.*\n)+ +copy 2 bytes, first from source 14 to destination 0\nways    go +[0-9.]+ ns, chosen\n`, ""},
		{[]string{"-explain", "[5:]", "./in.npy"}, `input   int16 \[3, 4\]\noutput  int16 \[0, 4\]\nempty, nothing to copy\n`, ""},
	} {
		code, stdout, stderr := d.run(row.args...)
		assert.Equal(t, exitOK, code)
		assert.Regexp(t, "^"+row.stdout+"$", stdout)
		assert.Regexp(t, "^"+row.stderr+"$", stderr)
	}
	assert.Equal(t, []string{"in.npy", "out.npy"}, d.files())
}

func TestFlagsStandAnywhere(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 6)
	for _, args := range [][]string{
		{"[::-2]", "./in.npy", "./out.npy", "-force", "-j", "2"},
		{"[::-2]", "-kernel", "go", "./in.npy", "-force", "./out.npy"},
		{"--force", "[::-2]", "-to=npy", "./in.npy", "./out.npy", "--"},
		{"-force", "--", "[::-2]", "./in.npy", "./out.npy"},
	} {
		d.works(args...)
		_, got := d.array("out.npy")
		assert.Equal(t, []byte{5, 3, 1}, got, args)
	}
	for index, want := range map[string][]byte{"-1": {5}, "-2:": {4, 5}, "..., -1": {0, 1, 2, 3, 4, 5}} {
		d.makes(want, index, "./in.npy")
	}
}

func TestVersionIsTheChangelogs(t *testing.T) {
	changes, err := os.ReadFile("../../../CHANGELOG.md")
	require.NoError(t, err)
	_, latest, _ := strings.Cut(string(changes), "\n## ")
	assert.Regexp(t, `^(Unreleased\n\nThe first version will be `+regexp.QuoteMeta(version)+`\.|`+regexp.QuoteMeta(version)+`)\n`, latest)
	code, stdout, _ := newDir(t).run("-version")
	require.Equal(t, exitOK, code)
	assert.Regexp(t, `^slice1 `+regexp.QuoteMeta(version)+`, go\S+ .* \w+/\w+\n$`, stdout)
}
