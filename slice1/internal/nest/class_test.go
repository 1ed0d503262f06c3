package nest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestClassesOfLoops(t *testing.T) {
	for _, c := range []struct {
		width, src, dst int64
		want            Class
	}{
		{4, 4, 4, Contiguous}, {4, -4, 4, Reversed}, {4, 0, 4, Repeated}, {4, 8, 4, Strided}, {4, 3, 4, Strided}, {4, -8, 4, Strided},
		{4, 4, 5, Scattered}, {4, 4, 8, Scattered}, {4, -4, -4, Scattered}, {4, 0, 8, Scattered}, {1, 4, 4, Scattered},
	} {
		assert.Equal(t, c.want, ClassOf(c.width, c.src, c.dst), "%+v", c)
		n := Nest{Rank: 2, Width: int32(c.width), Dims: [MaxRank]Dim{{Extent: 2, Src: 100, Dst: 100}, {Extent: 3, Src: c.src, Dst: c.dst}}}
		assert.Equal(t, c.want, n.Class(), "%+v", c)
		assert.Equal(t, Dim{Extent: 3, Src: c.src, Dst: c.dst}, n.Inner())
	}
	n := Nest{Width: 8}
	assert.Equal(t, Dim{Extent: 1, Src: 8, Dst: 8}, n.Inner())
	assert.Equal(t, Contiguous, n.Class())
}

func TestStridesLeaveALine(t *testing.T) {
	for src, want := range map[int64]bool{0: false, 63: false, 64: true, -63: false, -64: true, 1 << 40: true} {
		assert.Equal(t, want, Leaves(src), src)
	}
}

// The loop along the lines of a transposed view is the one with the smallest source stride other
// than 0, if that is below a line.
func TestTransposedViews(t *testing.T) {
	packed, leaving := int64(2), int64(64)
	for _, c := range []struct {
		want int
		dims []Dim
	}{
		{-1, nil},
		{-1, []Dim{{9, leaving, packed}}},
		{0, []Dim{{9, 2, 100}, {9, leaving, packed}}},
		{0, []Dim{{9, -2, 100}, {9, -leaving, packed}}},
		{-1, []Dim{{9, 2, 100}, {9, leaving - 1, packed}}},
		{-1, []Dim{{9, 2, 100}, {9, leaving, packed + 1}}},
		{-1, []Dim{{9, 0, 100}, {9, leaving, packed}}},
		{0, []Dim{{9, 63, 100}, {9, leaving, packed}}},
		{-1, []Dim{{9, 64, 100}, {9, leaving, packed}}},
		{1, []Dim{{9, 8, 900}, {9, 4, 100}, {9, leaving, packed}}},
		{0, []Dim{{9, 4, 900}, {9, -8, 100}, {9, leaving, packed}}},
		{0, []Dim{{9, 4, 900}, {9, 4, 100}, {9, leaving, packed}}},
	} {
		n := Nest{Rank: int32(len(c.dims)), Width: int32(packed)}
		copy(n.Dims[:], c.dims)
		assert.Equal(t, c.want, Transposed(&n), "%+v", c.dims)
	}
}

func TestBytesOfANest(t *testing.T) {
	n := Nest{Width: 8}
	assert.Equal(t, int64(8), Bytes(&n))
	n.Rank, n.Dims[0], n.Dims[1], n.Dims[2] = 2, Dim{Extent: 1 << 30}, Dim{Extent: 3}, Dim{Extent: 5}
	assert.Equal(t, int64(24<<30), Bytes(&n))
}
