package main

import (
	"archive/zip"
	"bytes"
	"io"
	"regexp"
	"slices"
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
		d.refusesPipe(row.file, exitError, row.says, "[...]", "-", "./out.npy")
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

// An endless stream that is no input or no job is an error.
func TestNothingIsReadOrAllocatedWithoutEnd(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	d.write("long.json", bytes.Repeat([]byte(" "), 2<<20))
	d.refuses(exitError, "long.json is longer than 1048576 bytes, and no job", "-desc", "./long.json", "./in.npy", "./out.npy")
	var out bytes.Buffer
	code := run([]string{"[::-1]", "-", d.at("out.npy")}, io.MultiReader(strings.NewReader("text"), forever{}), io.Discard, &out)
	assert.Equal(t, exitError, code)
	assertOneLine(t, "standard input: not .npy", out.String())
	d.works("-j", strconv.Itoa(mostWorkers), "[::-1]", "./in.npy", "./out.npy")
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

func TestMisusesGetASentence(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 3)
	d.write("out.npy", []byte("precious"))
	for _, row := range []struct{ line, says string }{ // words with spaces between them
		{"", "0 arguments, not 3: INDEX IN OUT (-h shows the usage)\n"},
		{"[:]", "1 argument, not 3: INDEX IN OUT (-h shows the usage)\n"},
		{"./in.npy ./new.npy", "2 arguments, not 3: INDEX IN OUT (-h shows the usage)\n"},
		{"-desc job.json ./in.npy", "1 argument, not 2: IN OUT (-h shows the usage)\n"},
		{"-explain ./in.npy", "1 argument, not 2: INDEX IN (-h shows the usage)\n"},
		{"[:] ./in.npy ./new.npy -- -v", "which ends in / if it is new"},
		{"[:] ./in.npy ./in.npy ./none", "which ends in / if it is new"},
		{"'[8:40, 10:50]' a.png b.png", "cmd.exe takes no single quotes, so write \"[8:40, 10:50]\"\n"}, {"'[8:40]' ./in.npy ./new.npy", "cmd.exe takes no single quotes"},
		{"-explain", "0 arguments, not 2: INDEX IN (-h shows the usage)\n"}, {"-explain [:] ./in.npy ./new.npy more", "arguments, not 2"},
		{"-explain [:] ./in.npy ./in.npy ./in.npy", "4 arguments, not 2: INDEX IN (-h"}, {"-kernels -v", "-kernels does not go with other flags: it stands alone\n"},
		{"-kernels ./in.npy", "take no arguments"}, {"-chop [:]", "-chop: no such flag; -h lists them"}, {"--skew [:]", "--skew: no such flag"}, {"-crop [:]", "-crop: no such flag; INDEX crops, as '[8:40, 10:50]'\n"}, {"--resize=5 [:]", "-resize: no such flag; the command does not resize; Go's package slice1/imageslice does"},
		{"-j 257 [:] ./in.npy ./new.npy", "at most 256"}, {"-j -1 [:] ./in.npy ./new.npy", "at least 0"}, {"-j 9223372036854775807 [:] ./in.npy ./new.npy", "at most 256"}, {"-ümlaut", "no such flag"},
		{"[:] ./in.npy ./new.npy -to", "-to needs a value: write format"}, {"-quality 101 [:] ./in.npy ./new.jpg", "at most 100"}, {"-quality 90 [:] ./in.npy ./new.npy", "-quality is for JPEG"},
		{"-kernel none [:] ./in.npy ./new.npy", ""}, {"-explain -kernel none [:] ./in.npy", ""},
		{"-device tpu [:] ./in.npy ./new.npy", "not cpu, gpu or gpu:N"}, {"-device cpu:0 [:] ./in.npy ./new.npy", "not cpu"},
		{"-device gpu: [:] ./in.npy ./new.npy", "an integer of at least 0"}, {"-device gpu:-1 [:] ./in.npy ./new.npy", "an integer of at least 0"},
		{"-orient 6 [:] ./in.npy ./new.npy", "-orient is for pictures"}, {"-orient 0 [:] ./in.npy ./new.npy", "none, or an EXIF orientation from 1 to 8"}, {"-orient 9 [:] ./in.npy ./new.npy", "from 1 to 8"},
		{"[:] ./in.npy ./new.gif", "-to says which"}, {"[:] ./in.npy ./new", "-to says which"},
		{"./in.npy [0] ./new.npy", "in.npy is a file, and no index: [0] comes first"}, {"./in.npy ./new.npy [0]", "[0] comes first"},
		{"-explain ./in.npy [0]", "[0] comes first"}, {"-desc job.json [0] ./in.npy ./new.npy", "3 arguments, not 2: IN OUT; several"},
	} {
		d.refuses(exitUsage, row.says, strings.Fields(row.line)...)
	}
	d.refuses(exitUsage, "the name of an input is empty", "[:]", "", "./new.npy")
	d.refuses(exitError, "is a folder; its files are ", "[:]", d.path, "./new.npy")
	d.refuses(exitError, "none.npy", "[:]", "./none.npy", "./new.npy")
	// A wrong index comes before an output that exists, unless standard input would be read in
	// vain.
	for _, row := range []struct{ index, caret string }{{"[0, 123]", "    ^^^"}, {"[::2", "    ^"}, {"[é]", " ^"}, {"[0,\n9]", "    ^"}} {
		code, stdout, stderr := d.run(row.index, "./in.npy", "./out.npy")
		assert.Equal(t, exitUsage, code, row.index)
		assert.Empty(t, stdout, row.index)
		assert.Regexp(t, "^slice1: .+\n  "+regexp.QuoteMeta(strings.ReplaceAll(row.index, "\n", " ")+"\n  "+row.caret)+"\n$", stderr)
	}
	d.refuses(exitError, "exists, -force overwrites it", "[9]", "-", "./out.npy")
	for _, args := range [][]string{{strings.Repeat("x", 100_000), "./in.npy", "./new.npy"}, {"-" + strings.Repeat("x", 4000), strings.Repeat("y", 4000)}} {
		code, _, stderr := d.run(args...)
		assert.Equal(t, exitUsage, code)
		assert.Less(t, len(stderr), 800)
	}
	assert.Equal(t, []string{"in.npy", "out.npy"}, d.files())
}

// For any bytes from a pipe that are no picture, the command writes either an .npy file or an error
// message, and nothing else.
func FuzzFile(f *testing.F) {
	for _, h := range []npy.Header{
		{Type: slice1.Uint8, Shape: []int{3, 4}},
		{Type: slice1.Float64, BigEndian: true, Shape: []int{2, 2, 2}},
		{Type: slice1.Int16, Shape: []int{}},
		{Type: slice1.Int16, Shape: []int{0, 4}},
		{Type: slice1.Int8, Shape: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		f.Add(npyFile(h, make([]byte, 64)), "[::-1]")
		f.Add(npyFile(h, make([]byte, 64)), "[..., 1:, None]")
	}
	cut := npyFile(npy.Header{Type: slice1.Float64, Shape: []int{2, 2, 2}}, make([]byte, 48))
	f.Add(cut, "[:, 0]") // takes elements of the row that is cut off
	f.Add(cut, "[::9]")  // takes none of that row
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add(archive(f, method, map[string][]byte{"x.npy": cut}, "x.npy"), "[::9]") // an error, since a member must be complete
		f.Add(archive(f, method, map[string][]byte{"x.npy": append(cut, cut...)}, "x.npy"), "[::9]")
	}
	f.Fuzz(func(t *testing.T, file []byte, index string) {
		if pictureOf(file) != nil || strings.HasPrefix(index, "-") {
			return // FuzzPicture is for pictures; a text that begins with - may be a flag and no index
		}
		var stdout, stderr bytes.Buffer
		code := run([]string{index, "-", "-"}, bytes.NewReader(file), &stdout, &stderr)
		if code != exitOK {
			require.Contains(t, []int{exitError, exitUsage}, code)
			if !strings.Contains(stderr.String(), "truncated") { // the rows that had come from a pipe were passed on
				require.Empty(t, stdout.Bytes())
			}
			require.True(t, strings.HasPrefix(stderr.String(), "slice1: "))
			require.True(t, strings.HasSuffix(stderr.String(), "\n"))
			return
		}
		require.Empty(t, stderr.String())
		out, err := npy.Parse(stdout.Bytes())
		require.NoError(t, err)
		require.Equal(t, out.Offset+out.Size, int64(stdout.Len()))
		if begins(file, "PK") {
			return
		}
		in, err := npy.ReadHeader(bytes.NewReader(file))
		require.NoError(t, err)
		if missing := in.Offset + in.Size - int64(len(file)); missing > 0 && missing < flowBytes {
			whole := append(slices.Clip(file), bytes.Repeat([]byte{1}, int(missing))...)
			var same bytes.Buffer
			require.Equal(t, exitOK, run([]string{index, "-", "-"}, bytes.NewReader(whole), &same, &stderr))
			require.Equal(t, same.Bytes(), stdout.Bytes()) // no byte that is missing was taken
		}
		require.Equal(t, []any{in.TypeName(), in.Descr, in.BigEndian, false}, []any{out.TypeName(), out.Descr, out.BigEndian, out.Fortran})
		require.LessOrEqual(t, out.Size, in.Size)
	})
}
