package plan

import (
	"math/bits"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

func isTile(form program.Form) bool { return form == program.Tile || form == program.Table }

// view is a transposed view: which loops run along its rows, and which along the lines of the
// source. It is turned in tiles. A tile is 16 bytes of each of some lines, a line for each element
// of a vector: by AVX2, 16 bytes of 32 lines of bytes become 16 rows of 32 bytes. A view may have
// two loops on a side:
//
//	for a in 3 { for b in 7 { for c in 5 { for d in 2 {
//		dst[70*a + 10*b + 2*c + d] = src[a + 3*b + 21*c + 105*d]
//	} } } }
//
// Loops c and d together make rows of 10 bytes, since c continues d in the destination: c is
// joined. Loops a and b together run along lines of 21 bytes, since b continues a in the source: a
// is folded into b.
type view struct {
	lineLoop int   // the index of the loop along the lines; of two, the one of smaller stride
	fold     int   // the index of the loop that lineLoop is folded into, or -1
	join     int   // the index of the loop that is joined to the innermost one, or -1
	rows     int64 // elements taken of a line, which is the number of rows
	row      int64 // elements of a row, which is the number of lines
}

// findView finds the view that tiles of the set turn. It returns false if no loop runs along the
// lines.
//
// The first choice is a loop along adjacent elements, even a short one. If rows are rows of a tile
// and another loop continues a short one along the lines, to 16 bytes or more, the short one is
// folded into that loop. The second choice is any loop of at least 16 bytes of elements. If lines
// have 16 bytes, a row of several elements is shorter than a row of a tile, and a loop continues
// it, the two are joined.
func (j *job) findView() (v view, ok bool) {
	n, w := j.nest, int64(j.nest.Width)
	high, wide := program.LaneBytes/w, j.set.Vector/w
	v = view{lineLoop(n, high), -1, -1, 0, j.inner.Extent}
	adjacent := func(i int) bool { return i >= 0 && abs(n.Dims[i].Src) == w }
	if i := lineLoop(n, 2); adjacent(i) && !adjacent(v.lineLoop) {
		d, rows := n.Dims[i], n.Dims[i].Extent
		fold := slices.IndexFunc(n.Dims[:n.Rank-1], func(o nest.Dim) bool { return o.Src > 0 && o.Src == d.Src*d.Extent && o.Extent*rows >= high })
		if fold >= 0 && v.row >= wide {
			v.fold = fold
			rows *= n.Dims[fold].Extent
		}
		if rows >= min(4, high) {
			v.lineLoop, v.rows = i, rows
		}
	}
	if v.lineLoop < 0 {
		return v, false
	}
	if v.rows == 0 {
		v.rows = n.Dims[v.lineLoop].Extent
	}
	outer := int(n.Rank) - 2
	if d := n.Dims[outer]; adjacent(v.lineLoop) && outer != v.lineLoop && outer != v.fold && d.Dst == v.row*w && v.rows >= high && v.row > 1 && v.row < wide {
		v.join = outer
		v.row *= d.Extent
	}
	return v, true
}

// lineLoop returns the index of the loop around the innermost one that runs along the lines
// of the source, or -1 if there is none. In the example of [nest.Crosses] it is loop y. In general
// it is the loop with the smallest source stride, up or down, that is not 0 and is less than a
// line. Of loops with equal strides it is the outermost. Loops of fewer than minExtent iterations
// are left out. The innermost loop must be packed in the destination.
func lineLoop(n *nest.Nest, minExtent int64) int {
	if n.Rank < 2 || n.Inner().Dst != int64(n.Width) {
		return -1
	}
	y, smallest := -1, int64(program.LineBytes)
	for i, d := range n.Dims[:n.Rank-1] {
		if length := abs(d.Src); length > 0 && length < smallest && d.Extent >= minExtent {
			y, smallest = i, length
		}
	}
	return y
}

// transposed returns the index of the loop that lineLoop finds if this loop and the innermost one
// are a transposed view (see [nest.Crosses]). Otherwise it returns -1.
func transposed(n *nest.Nest) int {
	if y := lineLoop(n, 1); y >= 0 && nest.Crosses(n.Inner().Src, n.Dims[y].Src) {
		return y
	}
	return -1
}

// mostTabled is the most elements on a side of a view that kindTable turns. On a Zen 5, kindTable
// is faster than kindTile for most such views of elements of at most 4 bytes, and slower for some
// of 8 bytes: `go -C bench run . -regret` times both. So both are ways. kindTile comes first, since
// it was measured on more processors.
const mostTabled = 32

// form returns the form of the loop that turns a view. ok is false if the set has no loop for the
// view. For kindTile, the first line that fits counts. With non-temporal stores, and in a set
// without form Table, only the first line does.
//
//	elements of a line  least row        least line              form
//	any                 a row of a tile  16 bytes                Tile, if none is folded or joined
//	adjacent            4 elements       16 bytes or 4 elements  Table
//	adjacent            2 elements       16 bytes                Table, unless of 8 bytes
//
// kindTable has form Table for views of adjacent elements that the first line fits, of at most
// mostTabled elements on each side. Sets in Go have no tiles of elements of 8 bytes, and none
// unless elements of the lines are adjacent or every second one.
func (j *job) form(v view) (form program.Form, ok bool) {
	w := int64(j.nest.Width)
	high, wide, step := program.LaneBytes/w, j.set.Vector/w, abs(j.nest.Dims[v.lineLoop].Src)
	_, tables := program.Loop(j.p.Set, program.Table, 0)
	whole := v.fold < 0 && v.join < 0 && v.rows >= high && v.row >= wide && !(j.set.InGo && step != w && step != 2*w)
	switch {
	case j.set.InGo && w == 8:
		return program.Tile, false
	case j.Kind == kindTable:
		return program.Table, tables && whole && step == w && max(v.rows, v.row) <= mostTabled
	case !tables || j.NonTemporal || whole:
		return program.Tile, whole
	case step == w && v.row >= 4 && v.rows >= min(4, high):
		return program.Table, true
	}
	return program.Table, step == w && v.row >= 2 && v.rows >= high && w < 8
}

// tile prepares a program for a transposed view. It returns false if the nest has no view that
// tiles of the set can turn.
func (j *job) tile() bool {
	n, p, w := j.nest, j.p, int64(j.nest.Width)
	v, ok := j.findView()
	if !ok {
		return false
	}
	form, ok := j.form(v)
	if !ok {
		return false
	}
	t := program.Tiles{Across: n.Dims[v.lineLoop], Band: bandOf(n.Dims[v.lineLoop].Src, w), Block: v.row, Fold: noLoop, Join: noLoop}
	if v.fold >= 0 {
		t.Across, t.Fold = n.Dims[v.fold], t.Across
	}
	if v.join >= 0 {
		t.Join = n.Dims[v.join]
	}
	if wide := j.set.Vector / w; v.join < 0 && v.row >= wide {
		t.Block = j.host.blockOf(j.inner.Src, w, wide)
	}
	j.ascend(&t.Across)
	*p.Tiles() = t
	left := p.Dims[:0]
	for i, d := range p.Dims[:p.Outer] {
		if i != v.lineLoop && i != v.fold && i != v.join {
			left = append(left, d)
		}
	}
	p.Outer = int32(len(left))
	return j.useLoop(form, 0)
}

// bandOf returns how many rows a band has: whole tiles that use about four cache lines of each
// source line. Its rows are `step` bytes apart in the source lines, in either direction.
func bandOf(step, w int64) int64 {
	high := program.LaneBytes / w
	return ceilDiv(ceilDiv(4*program.LineBytes, abs(step)), high) * high
}

// blockOf returns how many elements of a row a block of tiles has. Elements have w bytes. Their
// source lines are pitch bytes apart. A block has as many elements as the first-level cache has
// room for lines, but at most 256 elements and 512 bytes. The result is a multiple of wide, the
// elements of a row of a tile, and at least wide.
func (h *Host) blockOf(pitch, w, wide int64) int64 {
	block := min(256, 512/w, 2*h.resident(pitch))
	return max(wide, block/wide*wide)
}

// resident returns how many iterations of a loop of this stride visit lines that together fit half
// of the first-level cache. The cache has about 64 sets. If the stride is a multiple of 2^n lines,
// its lines use one set in 2^n.
func (h *Host) resident(stride int64) int64 {
	const sets = 64
	half, distance := h.l1Lines/2, abs(stride)
	if distance < program.LineBytes {
		return half * program.LineBytes / max(1, distance)
	}
	return half / max(1, min(sets, (distance&-distance)/program.LineBytes))
}

// small reports whether the first-level cache holds the lines of two transposed views of p that
// follow each other.
func (h *Host) small(p *program.Program) bool {
	w, row, lines := int64(p.Width), &p.Row, &p.Tiles().Across
	return lines.Extent*(2+row.Extent*w/program.LineBytes) <= h.resident(lines.Dst)/2 &&
		row.Extent*(2+lines.Extent*lines.Src/program.LineBytes) <= h.resident(row.Src)/2
}

// tilesAhead returns what the tiles of p prefetch, a value for Ahead of program.Tiles. The slice
// reads and stores `bytes` bytes in all. The first line that fits counts.
//
//	tiles by tables                                      0: nothing
//	small views, more than the second-level cache        1: the view that follows
//	elements of 4 or 8 bytes, more than twice the cache  2: what a block stores
//
// With what the last line prefetches, on a Xeon with AMX-FP16,
// `go -C bench run . -works transpose,transpose2 -widths 4,8 -sizes 4194304,8388608,16777216` takes
// .31 to .95 of the time. With shorter elements, some sizes are faster by it and others slower.
// Slices that fit the cache are slower. Tiles by tables are slower on a Zen 5 with what the line
// for small views prefetches (`-works views10x13`).
func (h *Host) tilesAhead(p *program.Program, bytes int64) int64 {
	switch {
	case program.FormOf(p.Loop) == program.Table:
		return 0
	case bytes > h.L2 && h.small(p):
		return 1
	case bytes > 2*h.L2 && p.Width >= 4:
		return 2
	}
	return 0
}

// costOfTiles returns what the tiles of a transposed view cost. A view that kindTable and kindTile
// can both turn costs the same by both. With non-temporal stores, elements are packed before they
// are turned: whole lines at a time if lines have every element or every second one, else one by
// one.
func (j *job) costOfTiles() int64 {
	t, s, w, log := j.p.Tiles(), j.costs, int64(j.p.Width), log2(j.p.Width)
	rows, perTile, single := t.Across.Extent*t.Fold.Extent, s.TileApart[log], int64(0)
	switch {
	case program.FormOf(j.p.Loop) == program.Table && j.Kind != kindTable:
		return j.costOfTable()
	case j.NonTemporal:
		perTile, single = s.Tile[log], rows
		if t.Across.Src == w || t.Across.Src == 2*w {
			single = rows % (program.LineBytes / w)
		}
	case t.Across.Src == w:
		perTile = s.Tile[log]
	case t.Across.Src == 2*w:
		perTile = 2 * s.Tile[log]
	}
	strips := ceilDiv(rows, program.LaneBytes/w)
	return strips*(s.Strip+ceilDiv(j.p.Row.Extent, j.set.Vector/w)*perTile) + single*j.p.Row.Extent*s.Element[log]
}

// costOfTable returns what the tiles of a view by form program.Table cost. A tile with fewer bytes
// on a side costs less, in proportion to the sum of its two sides. Each table that is made costs as
// much as copying the elements of a row of a tile.
func (j *job) costOfTable() int64 {
	t, s, w, log := j.p.Tiles(), j.costs, int64(j.p.Width), log2(j.p.Width)
	high, width := t.Across.Extent*t.Fold.Extent*w, j.p.Row.Extent*t.Join.Extent*w
	tall, wide := powerOf(high, program.LaneBytes), powerOf(width, j.set.Vector)
	strips, length := ceilDiv(high, tall), ceilDiv(width, wide)
	tiles := strips * length
	if wide < j.set.Vector {
		tiles = ceilDiv(tiles*program.LaneBytes, j.set.Vector)
	}
	perTile := s.Tile[log] * (tall + min(wide, program.LaneBytes)) / (2 * program.LaneBytes)
	var made int64 // tables that are made
	switch {
	case t.Fold.Extent > 1 && strips > 1:
		made = strips
	case t.Join.Extent > 1 && length > 1:
		made = length
	}
	return s.Strip + tiles*perTile + made*j.set.Vector/w*s.Element[log]
}

// powerOf returns the largest power of two that is at most n, and at most `limit`.
func powerOf(n, limit int64) int64 { return min(limit, 1<<(bits.Len64(uint64(n))-1)) }
