package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// across returns the loop that walks the lines of the source most slowly beside an
// innermost one that leaves them at each step, if both are long enough for a tile of a
// set, and how many elements of a row a tile has, or -1 if there is no tile.
func across(n *nest.Nest, set *csrc.Set) (loop int, wide int64) {
	w, count := int64(n.Width), n.Inner().Extent
	high, least := csrc.LaneBytes/w, int64(csrc.LineBytes)
	loop, wide = -1, set.Piece/w
	if count < high {
		return -1, wide
	}
	for i, d := range n.Dims[:n.Rank-1] {
		if up := abs(d.Src); up != 0 && up < least && d.Extent >= high {
			loop, least = i, up
		}
	}
	if count < wide && (w == 8 || least != w && least != 2*w) {
		return -1, wide // a window has as much of a row
	}
	return loop, wide
}

// tile prepares a transposed view. It reports whether there is a tile.
func (j *job) tile() bool {
	p := j.p
	loop, wide := across(j.nest, j.set)
	if loop < 0 {
		return false
	}
	t := p.Tiles()
	t.Across = csrc.Dim(j.nest.Dims[loop])
	j.ascend(&t.Across)
	form := csrc.Narrow
	t.Block = 0
	if j.inner.Extent >= wide {
		form = csrc.Tile
		t.Block = blockOf(j.inner.Src, int64(p.Width), wide)
	}
	p.Outer--
	copy(p.Dims[loop:], p.Dims[loop+1:])
	j.take(csrc.Tiled, form, 0)
	return true
}

// blockOf returns the elements of a row in a block of tiles: a few hundred bytes,
// whose source lines, one for each, pitch apart, the first-level cache holds.
func blockOf(pitch, w, wide int64) int64 {
	block := min(256, 512/w, 2*kept(pitch))
	return max(wide, block/wide*wide)
}

// kept returns how many iterations of a loop of this stride have lines that fit half
// the first-level cache, which has 64 sets of at least 8 lines: strides of many lines
// use few of them.
func kept(stride int64) int64 {
	up := abs(stride)
	if up < csrc.LineBytes {
		return 256 * csrc.LineBytes / max(1, up)
	}
	lines := (up & -up) / csrc.LineBytes
	return 256 / max(1, min(64, lines))
}
