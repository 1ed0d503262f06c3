package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// across returns the index of the loop that runs along the lines of the source in tiles of the set.
// It is the loop around the innermost one of the smallest source stride, in either direction, that
// is neither 0 nor as long as a line. Only loops that have 16 bytes of elements or more are taken.
// across returns -1 if there is no such loop, or if the innermost loop has less than 16 bytes of
// elements. If the innermost loop has less than a tile, across also returns -1, unless the elements
// have at most 4 bytes and the stride is one or two of them. Sets in Go have only whole tiles of adjacent elements
// of at most 4 bytes.
func across(n *nest.Nest, set *csrc.Set) int {
	w, count := int64(n.Width), n.Inner().Extent
	high, least := csrc.LaneBytes/w, int64(csrc.LineBytes)
	if count < high {
		return -1
	}
	loop := -1
	for i, d := range n.Dims[:n.Rank-1] {
		if up := abs(d.Src); up != 0 && up < least && d.Extent >= high {
			loop, least = i, up
		}
	}
	if set.InGo && (w == 8 || least != w || count < set.Piece/w) {
		return -1
	}
	if count < set.Piece/w && (w == 8 || least != w && least != 2*w) {
		return -1 // a window of kindWindows holds as much of a row as a tile would
	}
	return loop
}

// once is a loop of one iteration.
var once = csrc.Dim{Extent: 1}

// tile prepares a program for a transposed view. It returns false if the nest has no loops that
// tiles of the set can turn.
func (j *job) tile() bool {
	n, p, w := j.nest, j.p, int64(j.nest.Width)
	form := csrc.Joined
	other, loop := joined(n, int32(j.Kernel)) // the loops that tiles take in besides the innermost one, or -1
	if loop < 0 {
		form = csrc.Folded
		other, loop = folded(n, j.set)
	}
	wide := j.set.Piece / w
	if loop < 0 {
		form = csrc.Narrow
		if j.inner.Extent >= wide {
			form = csrc.Tile
		}
		if loop = across(n, j.set); loop < 0 {
			return false
		}
	}
	t := csrc.Tiles{Across: csrc.Dim(n.Dims[loop]), Band: bandOf(n.Dims[loop].Src, w), Fold: once, Join: once}
	switch {
	case form == csrc.Joined:
		t.Join = csrc.Dim(n.Dims[other])
	case other >= 0:
		t.Across, t.Fold = csrc.Dim(n.Dims[other]), t.Across
	}
	if j.inner.Extent >= wide {
		t.Block = j.host.blockOf(j.inner.Src, w, wide)
	}
	j.ascend(&t.Across)
	*p.Tiles() = t
	left := p.Dims[:0]
	for i, d := range p.Dims[:p.Outer] {
		if i != loop && i != other {
			left = append(left, d)
		}
	}
	p.Outer = int32(len(left))
	return j.take(csrc.Tiled, form, 0)
}

// joined returns the indices of the loop around the innermost one and of the outermost loop that moves the source by one
// element, in either direction, and has at least 16 bytes of elements. It returns -1 for both if there is none outside the
// two innermost loops, if the set has no loop of the form csrc.Joined, if the innermost loop has a tile
// or more, or if the loop around it does not continue it in the destination to a tile or more.
func joined(n *nest.Nest, set int32) (join, loop int) {
	inner, w := n.Inner(), int64(n.Width)
	wide := csrc.Sets[set].Piece / w
	if _, has := csrc.Loop(set, csrc.Joined, 0); !has || n.Rank <= 2 || inner.Extent >= wide {
		return -1, -1
	}
	join = int(n.Rank) - 2
	if d := n.Dims[join]; d.Dst != inner.Extent*w || inner.Extent*d.Extent < wide {
		return -1, -1
	}
	for i, d := range n.Dims[:join] {
		if abs(d.Src) == w && d.Extent >= csrc.LaneBytes/w {
			return join, i
		}
	}
	return -1, -1
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
	if set.InGo || set.Piece == csrc.LaneBytes || count < 2 || !few && count < set.Piece/w {
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

// bandOf returns how many rows a band has whose rows are `step` bytes apart in the lines of the source, in
// either direction: whole tiles that use about four cache lines of each source line.
func bandOf(step, w int64) int64 {
	high := csrc.LaneBytes / w
	return ceilDiv(ceilDiv(4*csrc.LineBytes, abs(step)), high) * high
}

// blockOf returns how many elements of a row a block of tiles has. Elements have w bytes. Their
// lines in the source are pitch bytes apart, and as many elements are taken as the first-level
// cache has room for lines, but at most 256 elements and 512 bytes. The result is a multiple of
// wide, the elements of a row in a tile, and at least wide.
func (h *Host) blockOf(pitch, w, wide int64) int64 {
	block := min(256, 512/w, 2*h.kept(pitch))
	return max(wide, block/wide*wide)
}

// kept returns how many iterations of a loop of this source stride visit lines that fit half the
// first-level cache together. That has about 64 sets. If the stride is divisible by 2^n lines, its lines use one in 2^n
// of them.
func (h *Host) kept(stride int64) int64 {
	const sets = 64
	half, up := h.lines/2, abs(stride)
	if up < csrc.LineBytes {
		return half * csrc.LineBytes / max(1, up)
	}
	return half / max(1, min(sets, (up&-up)/csrc.LineBytes))
}

// small reports whether the lines of two of the transposed views that p turns one after the other fit the
// first-level cache.
func (h *Host) small(p *csrc.Program) bool {
	w, row, across := int64(p.Width), &p.Row, &p.Tiles().Across
	return across.Extent*(2+row.Extent*w/csrc.LineBytes) <= h.kept(across.Dst)/2 &&
		row.Extent*(2+across.Extent*across.Src/csrc.LineBytes) <= h.kept(row.Src)/2
}

// tilesAhead returns what the tiles of p prefetch if the slice reads and stores `bytes` bytes in all: of more than the
// second-level cache the view that follows, if views are small; of more than twice that cache what a block stores, if elements
// have 4 bytes or more. On a Xeon with AMX-FP16 the latter takes .31 to .95 of the time of
// `go -C bench run . -works transpose,transpose2 -widths 4,8 -sizes 4194304,8388608,16777216`. Of shorter elements some sizes
// gain and others lose, and slices that fit that cache lose.
func (h *Host) tilesAhead(p *csrc.Program, bytes int64) int64 {
	switch {
	case bytes > h.L2 && h.small(p):
		return 1
	case bytes > 2*h.L2 && p.Width >= 4:
		return 2
	}
	return 0
}

// costOfTiles returns what the tiles of a transposed view cost. Those with non-temporal stores take elements that have been
// packed: by whole lines if every element or every second one of the source's lines is taken, else one by one.
func (j *job) costOfTiles() int64 {
	t, s, w, log := j.p.Tiles(), j.costs, int64(j.p.Width), log2(j.p.Width)
	rows, each, single := t.Across.Extent*t.Fold.Extent, s.TileApart[log], int64(0)
	switch {
	case j.NonTemporal:
		each, single = s.Tile[log], rows
		if t.Across.Src == w || t.Across.Src == 2*w {
			single = rows % (csrc.LineBytes / w)
		}
	case t.Fold.Extent > 1 || t.Across.Src == w:
		each = s.Tile[log]
	case t.Across.Src == 2*w:
		each = 2 * s.Tile[log]
	}
	strips := ceilDiv(rows, csrc.LaneBytes/w)
	return strips*(s.Strip+ceilDiv(j.p.Row.Extent*t.Join.Extent, j.set.Piece/w)*each) + single*j.p.Row.Extent*s.Element[log]
}
