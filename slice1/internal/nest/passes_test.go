package nest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func bytesNest(dims ...Dim) *Nest {
	n := &Nest{Rank: int32(len(dims)), Width: 1}
	copy(n.Dims[:], dims)
	return n
}

func TestOrderOfLoopsWithOneDestinationStride(t *testing.T) {
	for name, c := range map[string]struct{ first, second Dim }{
		"the larger source stride is outside": {Dim{Extent: 2, Src: 9, Dst: 4}, Dim{Extent: 3, Src: 5, Dst: 4}},
		"the larger extent is outside":        {Dim{Extent: 3, Src: 5, Dst: 4}, Dim{Extent: 2, Src: 5, Dst: 4}},
	} {
		for _, n := range []*Nest{bytesNest(c.first, c.second), bytesNest(c.second, c.first)} {
			Order(n)
			assert.Equal(t, []Dim{c.first, c.second}, n.Dims[:n.Rank], name)
		}
	}
}

func TestWiden(t *testing.T) {
	for _, c := range []struct {
		width  int32
		extent int64
		want   int32 // the width after the pass; if it differs from the width before, the loop is gone
	}{
		{1, 2, 2}, {1, 3, 1}, {1, 4, 4}, {1, 8, 8}, {2, 2, 4}, {2, 4, 8}, {4, 2, 8}, {8, 2, 8}, {1, 16, 1},
	} {
		n := bytesNest(Dim{Extent: c.extent, Src: int64(c.width), Dst: int64(c.width)})
		n.Width = c.width
		widen(n)
		assert.Equal(t, c.want, n.Width)
		assert.Equal(t, c.want == c.width, n.Rank == 1)
	}
}
