package portable

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

func TestPixels(t *testing.T) {
	for _, c := range []struct {
		want  bool
		width int32
		dims  []nest.Dim
	}{
		{true, 1, []nest.Dim{{Extent: 6, Src: 3, Dst: 3}, {Extent: 3, Src: 1, Dst: 1}}},
		{true, 1, []nest.Dim{{Extent: 9, Src: 100, Dst: 900}, {Extent: 6, Src: -63, Dst: 3}, {Extent: 3, Src: -1, Dst: 1}}},
		{true, 2, []nest.Dim{{Extent: 6, Src: 8, Dst: 6}, {Extent: 3, Src: 2, Dst: 2}}},
		{false, 1, []nest.Dim{{Extent: 3, Src: 1, Dst: 1}}},
		{false, 4, []nest.Dim{{Extent: 6, Src: 12, Dst: 12}, {Extent: 3, Src: 4, Dst: 4}}},
		{false, 1, []nest.Dim{{Extent: 6, Src: 4, Dst: 4}, {Extent: 4, Src: 1, Dst: 1}}},
		{false, 1, []nest.Dim{{Extent: 6, Src: 3, Dst: 9}, {Extent: 3, Src: 1, Dst: 3}}},
		{false, 1, []nest.Dim{{Extent: 6, Src: 6, Dst: 3}, {Extent: 3, Src: 2, Dst: 1}}},
		{false, 2, []nest.Dim{{Extent: 6, Src: 6, Dst: 6}, {Extent: 3, Src: -2, Dst: 2}}},
		{false, 2, []nest.Dim{{Extent: 6, Src: 6, Dst: 6}, {Extent: 3, Src: -1, Dst: 2}}},
		{false, 1, []nest.Dim{{Extent: 6, Src: 3, Dst: 4}, {Extent: 3, Src: 1, Dst: 1}}},
		{false, 1, []nest.Dim{{Extent: 5, Src: 3, Dst: 3}, {Extent: 3, Src: 1, Dst: 1}}},
		{false, 1, []nest.Dim{{Extent: 6, Src: 2, Dst: 3}, {Extent: 3, Src: 1, Dst: 1}}},
		{false, 1, []nest.Dim{{Extent: 6, Src: 64, Dst: 3}, {Extent: 3, Src: 1, Dst: 1}}},
	} {
		n := nest.Nest{Rank: int32(len(c.dims)), Width: c.width}
		copy(n.Dims[:], c.dims)
		var b block
		b.set(&n)
		assert.Equal(t, c.want, b.isPixels(), "%d %+v", c.width, c.dims)
	}
}

// Each nest is run by the first of these methods if elements move by words, else by the second.
func TestWays(t *testing.T) {
	row := func(extent, src, dst int64) nest.Dim { return nest.Dim{Extent: extent, Src: src, Dst: dst} }
	for _, c := range []struct {
		words, bytes method
		width        int32
		dims         []nest.Dim
	}{
		{copied, copied, 8, nil},
		{copied, copied, 1, []nest.Dim{row(128, 1, 1)}},
		{long, long, 1, []nest.Dim{row(129, 1, 1)}},
		{grouped, grouped, 2, []nest.Dim{row(4, 4, 2)}},
		{columns, columns, 2, []nest.Dim{row(7, 4, 2)}},
		{packed, columns, 2, []nest.Dim{row(8, 4, 2)}},
		{reversed, columns, 4, []nest.Dim{row(8, -4, 4)}},
		{columns, columns, 8, []nest.Dim{row(8, -8, 8)}},
		{filled, columns, 8, []nest.Dim{row(8, 0, 8)}},
		{columns, columns, 1, []nest.Dim{row(8, 1, 2)}},
		{pixels, copied, 1, []nest.Dim{row(6, 4, 3), row(3, 1, 1)}},
		{pixels, grouped, 1, []nest.Dim{row(6, 3, 3), row(3, -1, 1)}},
		{turned, turned, 8, []nest.Dim{row(8, 8, 64), row(8, 64, 8)}},
		{packed, columns, 4, []nest.Dim{row(7, 4, 32), row(8, 64, 4)}},
		{listed, listed, 1, []nest.Dim{row(5, 999, 500), row(16, 50, 20), row(9, 1, 1)}},
		{turned, listed, 1, []nest.Dim{row(5, 143, 143), row(13, 1, 11), row(11, 13, 1)}},
		{turned, listed, 2, []nest.Dim{row(5, 286, 286), row(11, -2, 26), row(13, 22, 2)}},
		{listed, listed, 1, []nest.Dim{row(5, 130, 130), row(13, 1, 10), row(10, 13, 1)}},
		{listed, listed, 4, []nest.Dim{row(5, 572, 572), row(13, 4, 44), row(11, 52, 4)}},
		{listed, listed, 1, []nest.Dim{row(5, 286, 143), row(13, 2, 11), row(11, 26, 1)}},
		{copied, copied, 1, []nest.Dim{row(4, 999, 500), row(16, 50, 20), row(9, 1, 1)}},
		{copied, copied, 1, []nest.Dim{row(5, 999, 500), row(17, 50, 20), row(9, 1, 1)}},
		{copied, copied, 1, []nest.Dim{row(5, 9999, 5000), row(16, 90, 80), row(65, 1, 1)}},
	} {
		n := nest.Nest{Rank: int32(len(c.dims)), Width: c.width}
		copy(n.Dims[:], c.dims)
		var b block
		b.set(&n)
		assert.Equal(t, c.words, b.choose(&n, true), "%+v", c)
		assert.Equal(t, c.bytes, b.choose(&n, false), "%+v", c)
	}
}
