package plan

import (
	"github.com/seed2e45c115/dml/csrc"
)

// tile prepares a transposed view: beside an innermost loop that leaves the lines of
// the source at each step, the loop that walks them most slowly, both long enough for
// a tile. It reports whether there is one and, unless the kind is asked for, whether a
// tile pays.
func (j *job) tile() bool {
	n, w, p := j.nest, int64(j.nest.Width), j.p
	high, wide := csrc.LaneBytes/w, j.set.Piece/w
	count, apart := j.inner.Extent, abs(j.inner.Src)
	if !j.asked && apart < csrc.LaneBytes || count < high {
		return false
	}
	slowest, least := -1, int64(csrc.LineBytes)
	for i, d := range n.Dims[:n.Rank-1] {
		if up := abs(d.Src); up != 0 && up < least && d.Extent >= high {
			slowest, least = i, up
		}
	}
	if slowest < 0 {
		return false
	}
	if count < wide && (w == 8 || least != w && least != 2*w) {
		return false // a window has as much of a row
	}
	if !j.asked && !tilePays(n.Dims[slowest].Extent, count, apart, least, w, wide) {
		return false
	}
	t := p.Tiles()
	t.Across = csrc.Dim(n.Dims[slowest])
	j.ascend(&t.Across)
	form := csrc.Narrow
	t.Block = 0
	if count >= wide {
		form = csrc.Tile
		t.Block = blockOf(j.inner.Src, w, wide)
	}
	p.Outer--
	copy(p.Dims[slowest:], p.Dims[slowest+1:])
	j.take(csrc.Tiled, form, 0)
	return true
}

// tilePays reports whether a tile pays that takes tall lines of rows of count elements,
// whose elements are apart bytes from each other in a row and up from line to line.
func tilePays(tall, count, apart, up, w, wide int64) bool {
	if tall*count*w < 2*csrc.LineBytes {
		return false
	}
	// Only contiguous elements are worth a tile where a line has several of a row's.
	if up != w && apart < csrc.LineBytes {
		return false
	}
	return up == w || up == 2*w || count >= 2*wide
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
