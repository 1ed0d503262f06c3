package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// sliced returns, for each byte of the output of a work of 1-byte elements, the position in the
// input of the byte that the reference copies there, or -1 if it copies none.
func sliced(t *testing.T, name string, size int) (out []int) {
	t.Helper()
	ws, err := named([]string{name})
	require.NoError(t, err)
	d, err := ws[0].desc(1, size)
	require.NoError(t, err)
	return slicedBy(t, d)
}

// slicedBy returns the same as sliced, for a descriptor with an input of at most 256 bytes.
func slicedBy(t *testing.T, d *slice1.Desc) (out []int) {
	t.Helper()
	var b buffers
	s, err := newSlicing(d, &b)
	require.NoError(t, err)
	require.LessOrEqual(t, len(s.src), 256)
	for i := range s.src {
		s.src[i] = byte(i)
	}
	s.want()
	for _, v := range s.dst {
		if v == gap {
			out = append(out, -1)
		} else {
			out = append(out, int(v))
		}
	}
	return out
}

// turned10x13 returns, for each element of a view of 13 rows of 10, its position in 10 lines of 13.
func turned10x13() (at []int) {
	for y := range 13 {
		for x := range 10 {
			at = append(at, x*13+y)
		}
	}
	return at
}

func TestWorksTakeWhatTheyAreNamedFor(t *testing.T) {
	for _, c := range []struct {
		work string
		size int
		want []int
	}{
		{"stride2", 4, []int{1, 3, 5, 7}},
		{"stride64", 3, []int{1, 65, 129}},
		{"stride-1", 4, []int{3, 2, 1, 0}},
		{"stride-2", 4, []int{7, 5, 3, 1}},
		{"stride5", 3, []int{1, 6, 11}},
		{"channel", 4, []int{1, 4, 7, 10}},
		{"alpha", 3, []int{3, 7, 11}},
		{"records6", 12, []int{0, 40, 1, 41, 2, 42, 3, 43, 4, 44, 5, 45}},
		{"planes4x3", 24, []int{0, 2, 4, 22, 24, 26, 44, 46, 48, 66, 68, 70, 1, 3, 5, 23, 25, 27, 45, 47, 49, 67, 69, 71}},
		{"views10x13", 130, turned10x13()},
		{"mirror3", 9, []int{6, 7, 8, 3, 4, 5, 0, 1, 2}},
		{"bgr", 6, []int{2, 1, 0, 5, 4, 3}},
		{"bgra", 6, []int{2, 1, 0, 6, 5, 4}},
		{"3of4", 6, []int{0, 1, 2, 4, 5, 6}},
		{"7cols", 6, []int{1, 3, 5, 8, 10, 12}},
		{"transpose", 16, []int{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}},
		{"transpose2", 8, []int{0, 4, 8, 12, 2, 6, 10, 14}},
		{"outstride2", 4, []int{0, -1, 1, -1, 2, -1, 3}},
		{"nchw", 12, []int{45, 42, 63, 60, 46, 43, 64, 61, 47, 44, 65, 62}},
		{"tiny4x4", 4096, []int{1, 3, 9, 11}},
	} {
		assert.Equal(t, c.want, sliced(t, c.work, c.size), c.work)
	}
}

func TestCropsAndRowsLieWhereTheyShould(t *testing.T) {
	first := func(work string, width, size int) (first int, axes []axis) {
		ws, err := named([]string{work})
		require.NoError(t, err)
		d, err := ws[0].desc(width, size)
		require.NoError(t, err)
		axes, first = axesOf(d)
		return first, join(axes)
	}
	for _, c := range []struct {
		work        string
		width, size int
		first       int
		axes        []axis
	}{
		{"crop64", 1, 4096, 17, []axis{{64, 128, 64}, {64, 1, 1}}},
		{"crop256", 4, 4096, 17, []axis{{16, 128, 64}, {64, 1, 1}}},
		{"crop4d", 1, 4096, 2*64 + 7, []axis{{6, 16 * 64, 12 * 48}, {12, 64, 48}, {48, 1, 1}}},
		{"downsample", 1, 4096, 0, []axis{{64, 256, 64}, {64, 2, 1}}},
		{"rowflip", 8, 4096, 3 * 128, []axis{{4, -128, 128}, {128, 1, 1}}},
		{"rowskip", 8, 4096, 0, []axis{{4, 256, 128}, {128, 1, 1}}},
		{"pitched", 2, 4096, 0, []axis{{16, 256, 256}, {128, 1, 1}}},
		{"channel", 4, 4096, 1, []axis{{1024, 3, 1}}},
	} {
		start, axes := first(c.work, c.width, c.size)
		// In crop4d, batch and channel of NCHW continue each other, so they are one loop.
		assert.Equal(t, c.first, start, c.work)
		assert.Equal(t, c.axes, axes, c.work)
	}
}

func TestWorksComeNearTheirSize(t *testing.T) {
	for _, w := range works {
		for width := range types {
			for _, size := range []int{sizes["S"], sizes["M"]} {
				if w.tiny {
					continue
				}
				d, err := w.desc(width, size)
				require.NoError(t, err, w.name)
				require.NoError(t, d.Validate(), w.name)
				bytes := width * elementsOf(d)
				assert.LessOrEqual(t, bytes, size, "%s, width %d", w.name, width)
				assert.GreaterOrEqual(t, bytes, size*7/10, "%s, width %d", w.name, width)
			}
		}
	}
}

func TestLargeWorksKeepTheirInputWithinBounds(t *testing.T) {
	_, err := stride(64).desc(1, sizes["L"])
	assert.ErrorIs(t, err, errSmall, "4 GiB")
	d, err := stride(16).desc(1, sizes["L"])
	require.NoError(t, err)
	assert.Equal(t, 64<<20, elementsOf(d))
}

func TestTooSmallSizesAreLeftOut(t *testing.T) {
	_, err := crop(4096).desc(1, 4095)
	assert.ErrorIs(t, err, errSmall)
	_, err = stride(2).desc(8, 4)
	assert.ErrorIs(t, err, errSmall)
}
