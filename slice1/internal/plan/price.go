package plan

import (
	"math/bits"

	"github.com/seed2e45c115/dml/csrc"
)

// price returns what one run of a job's program costs: the call, the rows, the cache lines, and making the
// program if it runs once. The program must not be linked yet.
func (h *Host) price(j *job, w *Work) int64 {
	walk := j.walk()
	cost := j.costs.Call + j.rows(h.Costs) + h.cost(&walk, w.Lines)
	if w.Once {
		cost += h.Costs.making(j.p.Kind)
	}
	return cost
}

// making returns what it costs to make a program whose body is of kind k.
func (c *Costs) making(k csrc.Kind) int64 {
	if k <= csrc.Tiled {
		return c.Make[0]
	}
	return c.Make[1]
}

// rows returns what all rows of the program cost.
func (j *job) rows(c *Costs) int64 {
	row := j.cost(j.kind)
	if j.kind != kindCopy {
		row += j.costs.Row
	}
	if j.p.NT != 0 {
		row += ceilDiv(j.stored(), csrc.LineBytes) * c.NTLine
	}
	for _, d := range j.p.Dims[:j.p.Outer] {
		row *= d.Extent
	}
	return row
}

// stored returns the bytes that a row, or a transposed view of tiles, stores.
func (j *job) stored() int64 {
	switch j.kind {
	case kindWindows:
		return j.row.bytes()
	case kindTile:
		return j.rowBytes() * j.p.Tiles().Across.Extent
	}
	return j.rowBytes()
}

func log2(width int32) int { return bits.TrailingZeros32(uint32(width)) }

// walk returns the order in which the job's program visits the source and the destination. For
// units it is about that of the nest's loops.
func (j *job) walk() (w walk) {
	p, n := j.p, j.nest
	w.width, w.nt = int64(p.Width), p.NT != 0
	inside := n.Rank // loops of the nest from here on are inside those of p.Dims
	switch j.kind {
	case kindTile:
		j.walkTiles(&w)
	case kindWindows:
		inside = p.Outer
	case kindUnits:
		return walkOf(n)
	default:
		w.loop(p.Row.Extent, p.Row.Src, p.Row.Dst)
	}
	for i := n.Rank - 1; i >= inside; i-- {
		w.loop(n.Dims[i].Extent, n.Dims[i].Src, n.Dims[i].Dst)
	}
	for i := p.Outer - 1; i >= 0; i-- {
		w.loop(p.Dims[i].Extent, p.Dims[i].Src, p.Dims[i].Dst)
	}
	return w
}
