package plan

import (
	"slices"

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

// view is a transposed view of a nest, which tiles turn.
type view struct {
	form  csrc.Form
	loops [2]int // indices of the loops that tiles take in besides the innermost one, or -1
	tiles csrc.Tiles
	cost  int64 // what the tiles of the whole nest cost
}

// viewOf returns the transposed view of a nest without gaps between the elements of its rows whose
// tiles cost the least. ok is false if the nest has no loops that tiles of the set can turn.
func (h *Host) viewOf(n *nest.Nest, set int32, c *SetCosts) (v view, ok bool) {
	if n.Rank < 2 {
		return view{}, false
	}
	w, piece, row := int64(n.Width), csrc.Sets[set].Piece, n.Inner()
	rows := nest.Bytes(n) / (row.Extent * w)
	if v, ok = h.viewOfRows(n, &csrc.Sets[set]); ok {
		t := &v.tiles
		v.cost = rows / (t.Across.Extent * t.Fold.Extent) * c.tiles(w, piece, row.Extent, t.Block, t.Across, t.Fold)
	}
	loop := joined(n, set)
	if loop < 0 {
		return v, ok
	}
	join, lines := csrc.Dim(n.Dims[n.Rank-2]), csrc.Dim(n.Dims[loop])
	cost := rows / (join.Extent * lines.Extent) * c.joinedTiles(w, piece, row.Extent*join.Extent, lines.Extent)
	if ok && v.cost <= cost {
		return v, true
	}
	return view{csrc.Joined, [2]int{int(n.Rank) - 2, loop}, csrc.Tiles{Across: lines, Band: bandOf(lines.Src, w), Fold: once, Join: join}, cost}, true
}

// viewOfRows is viewOf for tiles of rows that the innermost loop alone makes. It leaves out the cost.
func (h *Host) viewOfRows(n *nest.Nest, set *csrc.Set) (v view, ok bool) {
	outer, loop := folded(n, set)
	v.form = csrc.Folded
	inner, wide := n.Inner(), set.Piece/int64(n.Width)
	if loop < 0 {
		loop, v.form = across(n, set), csrc.Narrow
		if inner.Extent >= wide {
			v.form = csrc.Tile
		}
	}
	if loop < 0 {
		return view{}, false
	}
	v.loops = [2]int{outer, loop}
	v.tiles = csrc.Tiles{Across: csrc.Dim(n.Dims[loop]), Band: bandOf(n.Dims[loop].Src, int64(n.Width)), Fold: once, Join: once}
	if outer >= 0 {
		v.tiles.Across, v.tiles.Fold = csrc.Dim(n.Dims[outer]), v.tiles.Across
	}
	if inner.Extent >= wide {
		v.tiles.Block = h.blockOf(inner.Src, int64(n.Width), wide)
	}
	return v, true
}

// once is a loop of one iteration.
var once = csrc.Dim{Extent: 1}

// tile prepares a program for a transposed view. It returns false if the nest has no loops that
// tiles of the set can turn.
func (j *job) tile() bool {
	p := j.p
	v, ok := j.host.viewOf(j.nest, int32(j.Kernel), j.costs)
	if !ok {
		return false
	}
	*p.Tiles() = v.tiles
	j.ascend(&p.Tiles().Across)
	left := p.Dims[:0]
	for i, d := range p.Dims[:p.Outer] {
		if !slices.Contains(v.loops[:], i) {
			left = append(left, d)
		}
	}
	p.Outer = int32(len(left))
	return j.take(csrc.Tiled, v.form, 0)
}

// joined returns the index of the outermost loop that moves the source by one element, in either
// direction, and has at least 16 bytes of elements. It returns -1 if there is none outside the two
// innermost loops, if the set has no loop of the form csrc.Joined, if the innermost loop has a tile
// or more, or if the loop around it does not continue it in the destination to a tile or more.
func joined(n *nest.Nest, set int32) int {
	inner, w := n.Inner(), int64(n.Width)
	wide := csrc.Sets[set].Piece / w
	if _, has := csrc.Loop(set, csrc.Joined, 0); !has || n.Rank <= 2 || inner.Extent >= wide {
		return -1
	}
	if join := n.Dims[n.Rank-2]; join.Dst != inner.Extent*w || inner.Extent*join.Extent < wide {
		return -1
	}
	for i, d := range n.Dims[:n.Rank-2] {
		if abs(d.Src) == w && d.Extent >= csrc.LaneBytes/w {
			return i
		}
	}
	return -1
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

// costOfTiles returns what the tiles of a transposed view cost.
func (j *job) costOfTiles() int64 {
	p, t, piece := j.p, j.p.Tiles(), j.set.Piece
	if j.loop == csrc.Joined {
		return j.costs.joinedTiles(int64(p.Width), piece, p.Row.Extent*t.Join.Extent, t.Across.Extent)
	}
	return j.costs.tiles(int64(p.Width), piece, p.Row.Extent, t.Block, t.Across, t.Fold)
}

// tiles returns what all tiles of one transposed view cost. Elements have `width` bytes, and the
// row of a tile `piece` bytes. The rows of the view have `extent` elements, which are taken in
// blocks of `block` or, if that is 0, all at once. across and fold are as in csrc.Tiles.
func (s *SetCosts) tiles(width, piece, extent, block int64, across, fold csrc.Dim) int64 {
	log := log2(int32(width))
	blocks := int64(1)
	if block > 0 {
		blocks = ceilDiv(extent, block)
	}
	high := csrc.LaneBytes / width
	lines := across.Extent * fold.Extent
	if extent < high {
		return ceilDiv(lines, 2*high) * s.Few[log]
	}
	each := s.TileApart[log]
	if fold.Extent > 1 || abs(across.Src) == width {
		each = s.Tile[log]
	} else if abs(across.Src) == 2*width {
		each = 2 * s.Tile[log]
	}
	return ceilDiv(lines, high) * (blocks*s.Strip + ceilDiv(extent, piece/width)*each)
}

// joinedTiles returns what the tiles of one transposed view cost whose rows, of `extent` elements,
// two loops make.
func (s *SetCosts) joinedTiles(width, piece, extent, lines int64) int64 {
	return ceilDiv(extent, piece/width) * (s.Strip + ceilDiv(lines*width, csrc.LaneBytes)*3/2*s.Tile[log2(int32(width))])
}
