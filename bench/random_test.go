package main

import (
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

func TestRandomSlicesAreValidAndOfEveryKind(t *testing.T) {
	ranks, widths := map[int]int{}, map[int]int{}
	var permuted, gaps, reversed, skipping, small, large int
	for _, d := range randomSlices(7, 2000, usualSlices) {
		require.NoError(t, d.Validate())
		width := d.Input.DataType.Size()
		ranks[len(d.Input.Sizes)]++
		widths[width]++
		bytes := elementsOf(d) * width
		require.GreaterOrEqual(t, bytes, 256)
		require.LessOrEqual(t, bytes, 8<<20)
		if bytes < 46<<10 {
			small++
		} else {
			large++
		}
		if in := d.Input.Strides; in != nil && !slices.IsSortedFunc(in, func(a, b int) int { return b - a }) {
			permuted++
		}
		if d.Output.Strides != nil {
			gaps++
		}
		if slices.Min(d.WindowStrides) < 0 {
			reversed++
		}
		if slices.Max(d.WindowStrides) > 1 {
			skipping++
		}
	}
	for rank := 1; rank <= 6; rank++ {
		assert.Greater(t, ranks[rank], 200, "rank %d", rank)
	}
	for width := range types {
		assert.Greater(t, widths[width], 300, "width %d", width)
	}
	assert.Len(t, ranks, 6)
	assert.Len(t, widths, 4)
	for name, n := range map[string]int{"permuted": permuted, "gaps": gaps, "reversed": reversed, "skipping": skipping} {
		assert.Greater(t, n, 400, name)
		assert.Less(t, n, 1400, name)
	}
	// Sizes are even on a logarithmic scale, so about half of them are below 46 KiB.
	assert.InDelta(t, small, large, 200)
}

func TestASeedGivesTheSameSlices(t *testing.T) {
	assert.Equal(t, randomSlices(1, 50, usualSlices), randomSlices(1, 50, usualSlices))
	assert.Equal(t, randomSlices(1, 50, usualSlices)[:20], randomSlices(1, 20, usualSlices))
	assert.NotEqual(t, randomSlices(1, 50, usualSlices), randomSlices(2, 50, usualSlices))
	var b strings.Builder
	require.NoError(t, writeDrive(&b, rowsOf(randomSlices(1, 2, usualSlices)...)))
	assert.Equal(t, "x M 8 5 35 9 28 3 29 783 1 27405 261 9 1 0 0 0 4 8 2 4 1 1 4 5 5 3 19 1425 285 57 19 1\n"+
		"x S 4 5 8 15 2 6 2 30 1 240 480 15 0 0 1 0 0 1 3 -1 1 1 8 5 2 6 2 120 24 12 2 1\n", b.String(), "figures of a seed stay comparable")
}

func TestSlicesAreWrittenAsTheDriverReadsThem(t *testing.T) {
	d, err := view{shape: []int{4, 10}, index: "[1:3, ::-2]", dstStrides: []int{8, 1}}.desc(4)
	require.NoError(t, err)
	whole := wholeOf(slice1.Uint8, []axis{{1 << 20, 1, 1}})
	var b strings.Builder
	require.NoError(t, writeDrive(&b, rowsOf(d, whole)))
	assert.Equal(t, "x S 4 2 4 10 10 1 1 9 1 -2 2 5 8 1\nx M 1 1 1048576 1 0 1 1048576 1\n", b.String())
}

func rowsOf(ds ...*slice1.Desc) (rows []*row) {
	for _, d := range ds {
		width := d.Input.DataType.Size()
		rows = append(rows, &row{cell: cell{"x", width, "", d}, bytes: width * elementsOf(d)})
	}
	return rows
}

// reference slices by the operator's formula, one element at a time, and counts the lines touched.
func reference(d *slice1.Desc, dst, src []byte) (lines int) {
	axes, first := axesOf(d)
	width := d.Input.DataType.Size()
	read, written := map[int]bool{}, map[int]bool{}
	visit(axes, 0, first, func(to, from int) {
		copy(dst[to*width:][:width], src[from*width:])
		read[from*width/line], written[to*width/line] = true, true
	})
	return len(read) + len(written)
}

func TestLoopsDoWhatTheFormulaSays(t *testing.T) {
	var b buffers
	ds := append(randomSlices(11, 300, limits{8, 1 << 12, 1 << 16, 1 << 16, 0}), wholeOf(slice1.Uint8, []axis{{1, 1, 1}}))
	for _, w := range works {
		for width := range types {
			ds = append(ds, cellOf(t, w, width, "S").desc)
		}
	}
	for _, d := range ds {
		s, err := newSlicing(d, &b)
		require.NoError(t, err)
		clearTo(s.dst, gap)
		lines := reference(d, s.dst, s.src)
		sum := crc32.ChecksumIEEE(s.dst)
		assert.Equal(t, sum, s.want(), d)
		assert.Equal(t, lines*line/2, roofBytes(d, len(s.src), len(s.dst)), d)
		axes, first := axesOf(d)
		clearTo(s.dst, gap)
		naiveLoop(s.dst, s.src, join(axes), first, s.width)()
		assert.Equal(t, sum, crc32.ChecksumIEEE(s.dst), d)
	}
}
