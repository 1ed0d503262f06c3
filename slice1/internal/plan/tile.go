package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// across returns the loop that runs along the lines of the source with the smallest stride, among
// those that are long enough for a tile of the set. It returns -1 if no such stride is below a line,
// or if the innermost loop is too short for a tile. wide is how many elements of a row a tile has.
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
		return -1, wide // a window of a shuffle holds as much of a row as a tile would
	}
	return loop, wide
}

// tile prepares a transposed view. It reports whether there is a tile.
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

// folded returns two loops that run along the lines of the source together, where inner is too
// short for a tile by itself: inner steps by an element, and outer continues it. If rows are
// shorter than half a tile, it returns inner alone, and -1. inner is -1 if there are none.
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
		return -1, -1 // tiles need no fold
	}
	if outer = follows(n, w*extent); extent >= high {
		return -1, inner
	}
	if outer < 0 || extent*n.Dims[outer].Extent < high {
		return -1, -1
	}
	return outer, inner
}

// follows returns the loop around the innermost one that moves the source by src bytes, or
// -1.
func follows(n *nest.Nest, src int64) int {
	for i := range max(0, n.Rank-1) {
		if n.Dims[i].Src == src {
			return int(i)
		}
	}
	return -1
}

// foldedDims returns the loops that folded found in the form that programs hold.
func foldedDims(n *nest.Nest, outer, inner int) (across, fold csrc.Dim) {
	if outer < 0 {
		return csrc.Dim(n.Dims[inner]), csrc.Dim{Extent: 1}
	}
	return csrc.Dim(n.Dims[outer]), csrc.Dim(n.Dims[inner])
}

// fold prepares the transposed view of the loops that folded found.
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

// blockOf returns how many elements of a row a block of tiles has: a few hundred bytes. The
// source line of each element, pitch bytes apart, stays in the first-level cache.
func blockOf(pitch, w, wide int64) int64 {
	block := min(256, 512/w, 2*kept(pitch))
	return max(wide, block/wide*wide)
}

// kept returns for how many iterations of a loop of this stride the lines fit half the
// first-level cache. It has 64 sets of at least 8 lines, and strides that are multiples of
// many lines use few of the sets.
func kept(stride int64) int64 {
	up := abs(stride)
	if up < csrc.LineBytes {
		return 256 * csrc.LineBytes / max(1, up)
	}
	lines := (up & -up) / csrc.LineBytes
	return 256 / max(1, min(64, lines))
}
