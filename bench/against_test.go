package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAgainstBuildsThisProgramWithTheLibraryInADirectory(t *testing.T) {
	o, err := parse("-against", "..", "-works", "stride2", "-widths", "1", "-sizes", "S,512", "-rounds", "3")
	require.NoError(t, err)
	t.Setenv("BENCH_TEST_PEER", "serve") // startHere starts this test binary.
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(o, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "peers: none; against "+revision(".."))
	assert.Regexp(t, `(?m)^stride2 +1 +S +4096 +[\d.]+ +[\d.]+ +[\d.]+`, stdout.String())
	assert.Regexp(t, `(?m)^stride2 +1 +512 +512 +[\d.]+ +[\d.]+ +[\d.]+`, stdout.String())
	assert.Regexp(t, `(?m)^2 cells, geometric mean [\d.]+; slower by more than 5 %: [012], measured again:$`, stdout.String())
	assert.Regexp(t, `(?m)^slower both times: [012]$`, stdout.String())
	assert.Empty(t, stderr.String())
}

func TestADirectoryWithoutTheLibraryIsAnError(t *testing.T) {
	_, err := startAgainst(t.TempDir())
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "no checkout of the library")

	broken := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(broken, "slice1"), 0o777))
	t.Setenv("TMPDIR", t.TempDir())
	_, err = startAgainst(broken)
	assert.ErrorContains(t, err, "building with the library of "+broken)
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, left, "what was built is removed")
}

func TestARevisionIsTheCommitOrElseTheFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "old")
	require.NoError(t, os.Mkdir(folder, 0o777))
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(folder))
	assert.Equal(t, "old", revision(folder))
}
