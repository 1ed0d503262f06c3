package main

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func TestBrokenInputLeavesNothingBehind(t *testing.T) {
	whole := npyFile(npy.Header{Type: slice1.Float32, Shape: []int{2, 3}}, make([]byte, 24))
	edit := func(old, new string) []byte {
		return []byte(strings.Replace(string(whole), old, new, 1))
	}
	for _, row := range []struct {
		name string
		file []byte
		says string
	}{
		{"empty", nil, "is empty"},
		{"text", []byte("1, 2, 3\n"), "not .npy, .npz, PNG, JPEG, GIF, PGM or PPM"},
		{"truncated header", whole[:50], "truncated"},
		{"truncated data", whole[:len(whole)-1], "needs 24 bytes of data, has 23"},
		{"shape too large", edit("(2, 3)", "(9, 9)"), "needs 324 bytes"},
		{"product overflow", edit("(2, 3), }"+strings.Repeat(" ", 20), "(999999999, 999999999, 99), }"), "overflows"},
		{"pickled", edit("<f4", "|O "), "pickled"},
		{"pickled field", edit("'<f4'", "[('x', '|O')]"), "pickled"},
		{"unknown type", edit("<f4", "<q9"), "not supported"},
		{"broken dictionary", edit("'shape'", "'shape "), "bad .npy format"},
		{"nine axes", npyFile(npy.Header{Type: slice1.Int8, Shape: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}}, []byte{1}), ": int8 of rank 9, of which at most 8 are sliced"},
		{"PNG signature alone", []byte("\x89PNG\r\n\x1a\n"), "EOF"},
		{"JPEG signature alone", []byte("\xff\xd8"), "EOF"},
	} {
		d := newDir(t)
		d.write("in", row.file)
		d.refuses(exitError, row.says, "[...]", "./in", "./out.npy")

		code, _, stderr := d.pipe(row.file, "[...]", "-", "./out.npy")
		assert.Equal(t, exitError, code, row.name)
		assertOneLine(t, row.says, stderr)
		assert.Equal(t, []string{"in"}, d.files(), row.name)
	}
}

// The error for a format that the command does not read has the format's name, and a way to make a
// file that the command reads.
func TestForeignFormatsAreNamed(t *testing.T) {
	for line := range strings.Lines(foreignFormats) {
		quoted, says, _ := strings.Cut(strings.TrimSpace(line), "\t")
		magic, err := strconv.Unquote(quoted)
		require.NoError(t, err, line)
		d := newDir(t)
		d.write("in", []byte(strings.ReplaceAll(magic, "?", "\x01")+strings.Repeat("\x02", 20)))
		d.refuses(exitError, "in is "+strings.ReplaceAll(says, "IN", d.at("in")), "[...]", "./in", "./out.npy")
	}
}

func assertOneLine(t *testing.T, says, stderr string) {
	t.Helper()
	assert.Contains(t, stderr, says)
	assert.True(t, strings.HasPrefix(stderr, "slice1: "), stderr)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	assert.NotContains(t, strings.TrimPrefix(stderr, "slice1: "), "slice1: ")
}

func TestMissingAndUnreadableInputIsAnError(t *testing.T) {
	d := newDir(t)
	for in, says := range map[string]string{"./none.npy": "none.npy", "./": ""} {
		d.refuses(exitError, says, "[:]", in, "./out.npy")
		assert.Empty(t, d.files(), in)
	}
}

func TestUsageErrorsExit2(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{3}}, make([]byte, 3)))
	for _, args := range [][]string{
		{},
		{"[:]"},
		{"[:]", "./in.npy"},
		{"[:]", "./in.npy", "./out.npy", "--", "-v"},
		{"-explain", "[:]", "./in.npy", "./out.npy", "more"},
		{"-kernels", "./in.npy"},
		{"-unknown", "[:]", "./in.npy", "./out.npy"},
		{"-kernel", "none", "[:]", "./in.npy", "./out.npy"},
		{"-explain", "-kernel", "none", "[:]", "./in.npy"},
		{"-device", "tpu", "[:]", "./in.npy", "./out.npy"},
		{"-device", "cpu:0", "[:]", "./in.npy", "./out.npy"},
		{"-device", "gpu:", "[:]", "./in.npy", "./out.npy"},
		{"-device", "gpu:-1", "[:]", "./in.npy", "./out.npy"},
		{"-device", "gpu", "-kernel", "go", "[:]", "./in.npy", "./out.npy"},
		{"-orient", "6", "[:]", "./in.npy", "./out.npy"},
		{"-orient", "0", "[:]", "./in.npy", "./out.npy"},
		{"-orient", "9", "[:]", "./in.npy", "./out.npy"},
		{"[:]", "./in.npy", "./out.gif"},
		{"-quality", "101", "[:]", "./in.npy", "./out.jpg"},
		{"-quality", "90", "[:]", "./in.npy", "./out.npy"},
		{"[:]", "./in.npy", "./out"},
	} {
		d.refuses(exitUsage, "", args...)
	}
	assert.Equal(t, []string{"in.npy"}, d.files())
}

func TestIndexErrorsPointAtTheBadPart(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{3, 4}}, make([]byte, 12)))
	for _, row := range []struct{ flag, text, caret string }{
		{"", "[0, 123]", "    ^^^"},
		{"", "[::2", "    ^"},
		{"", "[é]", " ^"},
		{"", "[0,\n9]", "    ^"},
	} {
		args := []string{row.text, "./in.npy", "./out.npy"}
		if row.flag != "" {
			args = append([]string{row.flag}, args...)
		}
		code, stdout, stderr := d.run(args...)
		assert.Equal(t, exitUsage, code, row.text)
		assert.Empty(t, stdout, row.text)
		lines := strings.Split(stderr, "\n")
		if assert.Len(t, lines, 4, row.text) {
			assert.Regexp(t, "^slice1: .", lines[0])
			assert.Equal(t, "  "+strings.ReplaceAll(row.text, "\n", " "), lines[1])
			assert.Equal(t, "  "+row.caret, lines[2], row.text)
			assert.Empty(t, lines[3])
		}
	}
	assert.Equal(t, []string{"in.npy"}, d.files())
}

func TestMisusesGetASentence(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 3)
	for _, row := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"./in.npy", "[0]", "./out.npy"}, "in.npy is a file and [0] is none: the index comes first", exitUsage},
		{[]string{"[:]", "", "./out.npy"}, "the name of an input is empty", exitUsage},
		{[]string{"[:]", d.path, "./out.npy"}, "is a folder; its files are ", exitError},
		{[]string{"[:]", "./in.npy", "./in.npy", "./none"}, "which ends in / if it is new", exitUsage},
	} {
		d.refuses(row.code, row.says, row.args...)
	}
	code, _, stderr := d.run(strings.Repeat("x", 100_000), "./in.npy", "./out.npy")
	assert.Equal(t, exitUsage, code)
	assert.Less(t, len(stderr), 800)
}

// An endless stream that is no input or no job is an error. Any number of goroutines is accepted.
func TestNothingIsReadOrAllocatedWithoutEnd(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	d.write("long.json", bytes.Repeat([]byte(" "), 2<<20))
	d.refuses(exitError, "long.json is longer than 1048576 bytes, and no job", "-desc", "./long.json", "./in.npy", "./out.npy")
	var out bytes.Buffer
	code := run([]string{"[::-1]", "-", d.at("out.npy")}, io.MultiReader(strings.NewReader("text"), forever{}), io.Discard, &out)
	assert.Equal(t, exitError, code)
	assertOneLine(t, "standard input: not .npy", out.String())
	d.works("-j", strconv.Itoa(math.MaxInt), "[::-1]", "./in.npy", "./out.npy")
	assert.Equal(t, []string{"in.npy", "long.json", "out.npy"}, d.files())
}

// forever is a stream of letters.
type forever struct{}

func (forever) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'y'
	}
	return len(b), nil
}
