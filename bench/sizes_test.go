package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSizeLFollowsFromTheLastLevelCache(t *testing.T) {
	for cache, want := range map[int]struct {
		bytes int
		about string
	}{
		0:         {64 << 20, "L 64 MiB, as no last-level cache is reported"},
		32 << 20:  {64 << 20, "L 64 MiB, as the last-level cache has 32 MiB"},
		75 << 19:  {75 << 20, "L 75 MiB, as the last-level cache has 37.5 MiB"},
		480 << 20: {960 << 20, "L 960 MiB, as the last-level cache has 480 MiB"},
		1 << 30:   {1 << 30, "L 1024 MiB, as the last-level cache has 1024 MiB"},
	} {
		sizes, about := sizesOf(cache)
		assert.Equal(t, map[string]int{"S": 4 << 10, "M": 512 << 10, "L": want.bytes}, sizes)
		assert.Equal(t, want.about, about)
	}
}

func TestTheLastLevelCacheIsTheLargest(t *testing.T) {
	folder := t.TempDir()
	assert.Equal(t, 7, lastLevel(7, folder))
	assert.Zero(t, lastLevel(0, folder))
	for i, size := range []string{"48K", "32K", "1024K", "32768K", "none"} {
		in := filepath.Join(folder, fmt.Sprint("index", i))
		require.NoError(t, os.Mkdir(in, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(in, "size"), []byte(size+"\n"), 0o666))
	}
	assert.Equal(t, 32<<20, lastLevel(0, folder))
}
