package main

import (
	"os"
	"regexp"
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

func TestVersionIsTheChangelogs(t *testing.T) {
	changes, err := os.ReadFile("../../../CHANGELOG.md")
	require.NoError(t, err)
	assert.Contains(t, string(changes), "\n## "+version+"\n")
	code, stdout, _ := newDir(t).run("-version")
	require.Equal(t, exitOK, code)
	assert.Regexp(t, `^slice1 `+regexp.QuoteMeta(version)+`, go\S+ .* \w+/\w+\n$`, stdout)
}
