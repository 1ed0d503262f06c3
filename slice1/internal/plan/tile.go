package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// across returns the index of the loop that runs along the lines of the source in tiles of the set.
// It is the loop around the innermost one of the smallest source stride, in either direction, that
// is neither 0 nor as long as a line. Only loops that have 16 bytes of elements or more are taken.
// wide is how many elements of a row a tile has. across returns -1 if there is no such loop, or if
// the innermost loop has less than 16 bytes of elements. If the innermost loop has less than a
// tile, across also returns -1, unless the elements have at most 4 bytes and the stride is one or
// two of them.
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
		return -1, wide // a window of kindWindows holds as much of a row as a tile would
	}
	return loop, wide
}

// tile prepares a program for a transposed view. It returns false if the nest has no loops that
// tiles of the set can turn.
func (j *job) tile() bool {
	p := j.p
	if outer, inner := folded(j.nest, j.set); inner >= 0 {
		j.fold(outer, inner)
		return true
	}
	loop, wide := across(j.nest, j.set)
	if loop < 0 {
		return false
	}
	t := p.Tiles()
	t.Across = csrc.Dim(j.nest.Dims[loop])
	j.ascend(&t.Across)
	form := csrc.Narrow
	t.Block, t.Fold = 0, csrc.Dim{Extent: 1}
	if j.inner.Extent >= wide {
		form = csrc.Tile
		t.Block = blockOf(j.inner.Src, int64(p.Width), wide)
	}
	p.Outer--
	copy(p.Dims[loop:], p.Dims[loop+1:])
	j.take(csrc.Tiled, form, 0)
	return true
}

// folded returns the indices of two loops around the innermost one that run along the lines of the
// source together: inner steps by an element, and outer continues it. inner by itself has less than
// 16 bytes of elements, both together have at least 16. If rows have less than 16 bytes, a loop
// that steps by an element and has at least 16 bytes of elements is inner alone, and outer is -1.
// folded returns -1 for both if there are no such loops, if the set has no loops of the form
// csrc.Folded, if a row is one element, or if a row has at least 16 bytes but less than a row of a
// tile.
func folded(n *nest.Nest, set *csrc.Set) (outer, inner int) {
	w, count := int64(n.Width), n.Inner().Extent
	high, few := csrc.LaneBytes/w, count < csrc.LaneBytes/w
	if set.Piece == csrc.LaneBytes || count < 2 || !few && count < set.Piece/w {
		return -1, -1
	}
	inner = follows(n, w)
	if inner < 0 {
		return -1, -1
	}
	extent := n.Dims[inner].Extent
	if extent >= high && !few {
		return -1, -1 // inner is long enough for a tile by itself
	}
	if outer = follows(n, w*extent); extent >= high {
		return -1, inner
	}
	if outer < 0 || extent*n.Dims[outer].Extent < high {
		return -1, -1
	}
	return outer, inner
}

// follows returns the index of the outermost loop around the innermost one that moves the source by
// src bytes, or -1 if there is none.
func follows(n *nest.Nest, src int64) int {
	for i := range max(0, n.Rank-1) {
		if n.Dims[i].Src == src {
			return int(i)
		}
	}
	return -1
}

// foldedDims returns the loops that folded found as csrc.Tiles holds them. If outer is -1, inner is
// across, and fold has one iteration.
func foldedDims(n *nest.Nest, outer, inner int) (across, fold csrc.Dim) {
	if outer < 0 {
		return csrc.Dim(n.Dims[inner]), csrc.Dim{Extent: 1}
	}
	return csrc.Dim(n.Dims[outer]), csrc.Dim(n.Dims[inner])
}

// fold prepares a program for the transposed view of the loops that folded found, of which inner is
// not -1.
func (j *job) fold(outer, inner int) {
	p, w := j.p, int64(j.nest.Width)
	t := p.Tiles()
	t.Across, t.Fold = foldedDims(j.nest, outer, inner)
	t.Block = 0
	if wide := j.set.Piece / w; j.inner.Extent >= wide {
		t.Block = blockOf(j.inner.Src, w, wide)
	}
	left := p.Dims[:0]
	for i, d := range p.Dims[:p.Outer] {
		if i != outer && i != inner {
			left = append(left, d)
		}
	}
	p.Outer = int32(len(left))
	j.take(csrc.Tiled, csrc.Folded, 0)
}

// blockOf returns how many elements of a row a block of tiles has. Elements have w bytes. Their
// lines in the source are pitch bytes apart, and as many elements are taken as the first-level
// cache has room for lines, but at most 256 elements and 512 bytes. The result is a multiple of
// wide, the elements of a row in a tile, and at least wide.
func blockOf(pitch, w, wide int64) int64 {
	block := min(256, 512/w, 2*kept(pitch))
	return max(wide, block/wide*wide)
}

// kept returns how many iterations of a loop of this source stride visit lines that fit half the
// first-level cache together. The cache is taken to have 64 sets of 8 lines. If the stride is
// divisible by 2^n lines, its lines use one in 2^n sets.
func kept(stride int64) int64 {
	up := abs(stride)
	if up < csrc.LineBytes {
		return 256 * csrc.LineBytes / max(1, up)
	}
	lines := (up & -up) / csrc.LineBytes
	return 256 / max(1, min(64, lines))
}
