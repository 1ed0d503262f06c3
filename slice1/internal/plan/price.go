package plan

import (
	"math/bits"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// price sets what one run of a job's program costs: the call, the rows, and the lines that come
// into the cache. The lines that non-temporal stores write do not, so that these are the first
// choice wherever they are allowed: there the output does not fit the caches. The program must not
// be linked yet.
func (j *job) price() {
	c := j.host.Costs
	j.costs = &c.Sets[j.p.Set]
	row := j.cost()
	if j.kind != kindCopy {
		row += j.costs.Row
	}
	for _, d := range j.p.Dims[:j.p.Outer] {
		row *= d.Extent
	}
	j.Cost = j.costs.Call + row + j.lines()*c.Line
}

// priceGo returns what a run of a nest by package portable costs: one of many, or the only one.
func (h *Host) priceGo(n *nest.Nest, once bool) int64 {
	g, log, s := &h.Costs.Go, log2(n.Width), portable.Count(n, once)
	w := h.walk(n.Width, false)
	w.loops(n.Dims[:n.Rank])
	return g.Start + w.visits()*h.Costs.Line +
		s.Blocks*g.Block + s.Rows*g.Row + s.Copied*g.Copied + s.Bulk*g.Bulk +
		s.Reversed*g.Reversed[log] + s.Packed*g.Packed[log] + s.Elements*g.Element[log] + s.Turned*g.Turned[log] +
		s.Listed*g.Listed + s.Units*g.Unit + s.Moves*g.Move
}

func log2(width int32) int { return bits.TrailingZeros32(uint32(width)) }

// lines returns how many lines come into the first-level cache. For units it is about those of the
// nest's loops in their order.
func (j *job) lines() int64 {
	p, n := j.p, j.nest
	w := j.host.walk(n.Width, j.NonTemporal)
	switch j.kind {
	case kindTable, kindTile, kindUnits:
		w.tiled = j.kind != kindUnits
		w.loops(n.Dims[:n.Rank])
		return w.visits()
	case kindWindows:
		w.loops(n.Dims[p.Outer:n.Rank])
	default:
		w.loop(p.Row.Extent, p.Row.Src, p.Row.Dst)
	}
	for i := p.Outer - 1; i >= 0; i-- {
		w.loop(p.Dims[i].Extent, p.Dims[i].Src, p.Dims[i].Dst)
	}
	return w.visits()
}
