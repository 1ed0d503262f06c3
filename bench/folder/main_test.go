package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Slicing the same pictures twice gives the same results, which are not the pictures. A file that
// is no PNG is an error.
func TestPicturesAreSlicedInMemory(t *testing.T) {
	folder := t.TempDir()
	in, once, twice := filepath.Join(folder, "in"), filepath.Join(folder, "once"), filepath.Join(folder, "twice")
	names, err := draw(in, 3, 40)
	require.NoError(t, err)
	require.Len(t, names, 3)
	for _, to := range []string{once, twice} {
		require.NoError(t, os.Mkdir(to, 0o777))
	}
	require.NoError(t, inMemory(in, once))
	require.NoError(t, inMemory(in, twice))
	require.NoError(t, same(once, twice, names))
	assert.ErrorContains(t, same(in, twice, names), "differ")
	require.NoError(t, os.WriteFile(names[1], nil, 0o666))
	assert.Error(t, inMemory(in, once))
}

func TestMediansAreOfRounds(t *testing.T) {
	var all turns
	for _, turn := range [][2]float64{{3, 1}, {2, 2}, {100, 1}} {
		all.add(turn[0], turn[1])
	}
	assert.Equal(t, "slice1 3, in memory 1, ratio 3.00", all.String())
}
