package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

func TestUnknownFlagsAreUsageErrors(t *testing.T) {
	for _, flag := range []string{"-crop", "--flip", "-d=time", "-ümlaut"} {
		code, _, stderr := newDir(t).run("[:]", "in.npy", flag, "out.npy")
		assert.Equal(t, exitUsage, code)
		assertOneLine(t, flag+": no such flag; -h lists them", stderr)
	}
	code, _, stderr := newDir(t).run("-"+strings.Repeat("x", 4000), strings.Repeat("y", 4000))
	assert.Equal(t, exitUsage, code)
	assert.Less(t, len(stderr), 600)
}

func TestArgumentsAreCounted(t *testing.T) {
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"[:]"}, "slice1: 1 argument, not 3 (-h shows the usage)\n"},
		{[]string{"-explain"}, "slice1: 0 arguments, not 2 (-h shows the usage)\n"},
		{[]string{"'[8:40,", "10:50]'", "a.png", "b.png"}, "slice1: 4 arguments, not 3: cmd.exe takes no single quotes, so write \"[8:40, 10:50]\"\n"},
	} {
		code, _, stderr := newDir(t).run(row.args...)
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, row.says, stderr)
	}
	code, _, stderr := newDir(t).run("[:]", "in.npy", "out.npy", "-to")
	assert.Equal(t, exitUsage, code)
	assertOneLine(t, "-to needs a value: write format", stderr)
}

// If the output exists and the index is wrong, the error is about the index. If the input is
// standard input, the error is about the output, since the command would have to read the input to
// find the other error.
func TestWrongIndicesComeBeforeOutputsThatExist(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 6)
	d.write("out.npy", []byte("precious"))
	code, _, stderr := d.run("[9]", "./in.npy", "./out.npy")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "integer outside axis 0 of extent 6")
	code, _, stderr = d.pipe([]byte("nothing that is read"), "[9]", "-", "./out.npy")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "exists, -force overwrites it", stderr)
	assert.Equal(t, "precious", string(d.read("out.npy")))
}

func TestVersionIsTheChangelogs(t *testing.T) {
	changes, err := os.ReadFile("../../../CHANGELOG.md")
	require.NoError(t, err)
	assert.Contains(t, string(changes), "\n## "+version+"\n")
	code, stdout, _ := newDir(t).run("-version")
	require.Equal(t, exitOK, code)
	assert.Regexp(t, `^slice1 `+regexp.QuoteMeta(version)+`, go\S+ .* \w+/\w+\n$`, stdout)
}
