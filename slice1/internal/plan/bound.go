package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// bounds holds what is needed to bound the costs of a nest's programs from below, before any of these
// programs is prepared. Costs are picoseconds of one run of the nest.
type bounds struct {
	h           *Host
	nest        *nest.Nest
	inner       nest.Dim // the innermost loop, or a loop of one iteration if the nest has none
	class       nest.Class
	bytes, rows int64 // what all iterations of inner copy, and how often inner runs
	packed      bool  // whether there is an innermost loop and it leaves no gaps in the destination
	once        int64 // the cost of making a program if it runs once, else 0
	find        int64 // the cost of finding its windows if it runs once, else 0
	lines       int64 // the cost of the lines in the nest's order of loops; 0 if the slice fits the first-level cache
	fewer       int64 // a lower bound on the cost of the lines in any order of the loops
}

func (h *Host) boundsOf(n *nest.Nest, w *Work) (b bounds) {
	b.h, b.nest, b.inner, b.class = h, n, n.Inner(), n.Class()
	b.bytes = b.inner.Extent * int64(n.Width)
	b.rows = nest.Bytes(n) / b.bytes
	b.packed = n.Rank > 0 && b.class != nest.Scattered
	if w.Once {
		b.once = h.Costs.Make
		b.find = h.Costs.Find
	}
	if w.Lines > h.lines[levelL2] {
		walk := walkOf(n)
		walk.nt = w.Storing != Cached
		b.lines, b.fewer = h.cost(&walk, new([levels]LineCosts), w.Lines), h.once(&walk, w.Lines)
	}
	return b
}

// turned reports whether some loop around the rows of a kind moves the source further than a loop
// around it, so that bySrc may be another order than byDst. For units it may report true though the
// program turns out to have no such loops.
func (b *bounds) turned(set int32, k kind) bool {
	n, around, outer, inner := b.nest, b.nest.Rank-1, -1, -1
	switch k {
	case kindTile:
		if v, ok := viewOf(n, set, &b.h.Costs.Sets[set]); ok {
			outer, inner = v.loops[0], v.loops[1]
		}
	case kindUnits, kindWindows:
		_, _, around = b.chain(csrc.Sets[set].Vector)
	}
	if k == kindUnits {
		around++ // some iterations of the loop that repeats the period may stay around the units
	}
	last := int64(math.MaxInt64)
	for i, d := range n.Dims[:max(0, around)] {
		if i == outer || i == inner {
			continue
		}
		if abs(d.Src) > last {
			return true
		}
		last = abs(d.Src)
	}
	return false
}

// once returns a lower bound on what the lines of a walk cost, in whichever order its loops run:
// the cost of visiting each line once, in a slice of `all` lines. It changes the walk.
func (h *Host) once(w *walk, all int64) (cost int64) {
	src := w.fewest()
	for i := range w.count {
		w.loops[i].Src = w.loops[i].Dst
	}
	dst := w.fewest()
	for level := range levels {
		beyond := min(all-h.lines[level], h.lines[level])
		if beyond <= 0 {
			break
		}
		near, far := &h.Costs.Near[level], &h.Costs.Far[level]
		of := src * min(near.Load, far.Load)
		if !w.nt {
			of += dst * min(near.Store, far.Store)
		}
		cost += part(of, beyond, h.lines[level])
	}
	return cost
}

// fewest returns a lower bound on the lines of the source that the loops visit. For each number of
// loops it takes as many of the shortest source strides for one run of bytes, which the others
// repeat elsewhere. The bound is the least number of lines of all these runs. fewest sorts the
// loops.
func (w *walk) fewest() int64 {
	loops := w.loops[:w.count]
	slices.SortFunc(loops, func(a, b csrc.Dim) int { return cmp.Compare(abs(a.Src), abs(b.Src)) })
	run, count := w.width, int64(1)
	for _, d := range loops {
		if d.Src != 0 {
			count *= d.Extent
		}
	}
	lines := count
	for _, d := range loops {
		if d.Src != 0 {
			run += (d.Extent - 1) * abs(d.Src)
			count /= d.Extent
			lines = min(lines, count*(1+(run-1)/csrc.LineBytes))
		}
	}
	return lines
}

// least returns a lower bound on what the program of a kind costs for the set of that number. The
// bound has no cost of lines. ok reports whether there may be such a program; if it is false, cost
// means nothing.
func (b *bounds) least(set int32, k kind) (cost int64, ok bool) {
	cost, ok = b.leastOfRun(set, k)
	return cost + b.h.Costs.Sets[set].Call, ok
}

// leastOfRun is least without the cost of the call.
func (b *bounds) leastOfRun(set int32, k kind) (cost int64, ok bool) {
	s, c := &csrc.Sets[set], &b.h.Costs.Sets[set]
	log, extent := log2(b.nest.Width), b.inner.Extent
	vectors := ceilDiv(b.bytes, s.Vector)
	steps := (b.rows - 1) * min(c.Row, c.Next, c.Outer)
	switch k {
	case kindCopy:
		return b.once + steps + b.rows*(c.CopyRow+vectors*c.Copied), b.class == nest.Contiguous
	case kindFill:
		return b.once + steps + b.rows*(c.FillRow+vectors*c.Filled), b.packed && b.inner.Src == 0 && b.bytes >= csrc.LaneBytes
	case kindGather:
		return b.once + steps + b.rows*(c.GatherRow+extent*c.Gathered[log]), b.packed && b.bytes >= csrc.LaneBytes
	case kindElement:
		return b.once + b.rows*extent*c.Element[log], true
	case kindTile:
		return b.tile(set, c)
	case kindUnits:
		return b.units(set, s, c)
	case kindWindows:
		return b.windows(s, c)
	case kindSpread:
		return b.spread(s, c)
	}
	return 0, false
}

func (b *bounds) tile(set int32, c *SetCosts) (cost int64, ok bool) {
	if !b.packed {
		return 0, false
	}
	v, ok := viewOf(b.nest, set, c)
	return b.once + v.cost, ok
}

func (b *bounds) units(set int32, s *csrc.Set, c *SetCosts) (cost int64, ok bool) {
	if !b.packed || b.nest.Rank < 2 {
		return 0, false
	}
	period, row, outer := b.chain(s.Vector)
	if outer == 0 || b.nest.Dims[outer-1].Dst != row {
		return 0, false
	}
	size := divisor(row/period, s.Vector/period) * period
	windows := b.windowsOf(size, s.Vector)
	if !s.Masks {
		windows = min(windows, b.windowsOf(csrc.LaneBytes, csrc.LaneBytes))
	}
	if windows > csrc.MaxWindows {
		return 0, false
	} else if _, has := csrc.Loop(set, unitsForm(s), int(windows)); !has {
		return 0, false
	}
	each := min(c.Unit+windows*c.UnitOf, c.Tail+windows*c.TailOf)
	if !s.Masks {
		each = min(c.Unit+windows*c.UnitOf, c.Alone+c.AloneOf)
	}
	return b.once + b.find + c.Tables + c.Table + b.rows*b.bytes/size*each, true
}

func (b *bounds) windows(s *csrc.Set, c *SetCosts) (cost int64, ok bool) {
	w := int64(b.nest.Width)
	if !b.packed || b.class == nest.Contiguous && b.bytes >= s.Vector {
		return 0, false
	}
	period, row, _ := b.chain(s.Vector)
	if period == w && abs(b.inner.Src) >= s.Vector && min(b.inner.Extent, s.Vector/w) > csrc.MaxWindows {
		return 0, false // each element has a window of its own, and a vector has more elements than windows
	}
	cost, ok = b.rowsOfWindows(s, c, row)
	return b.once + b.find + c.Tables + cost, ok
}

func (b *bounds) spread(s *csrc.Set, c *SetCosts) (cost int64, ok bool) {
	if !s.Masks || b.class != nest.Scattered || b.inner.Dst <= int64(b.nest.Width) {
		return 0, false
	}
	many := s.Vector / b.inner.Dst
	if many < 2 {
		return 0, false
	}
	return b.once + b.find + c.Tables + c.Table + b.rows*ceilDiv(b.inner.Extent, many)*(c.Spread+c.SpreadOf), true
}

// chain returns the bytes of the period and of the row that row.collect finds for vectors of v
// bytes, and how many loops are around the row.
func (b *bounds) chain(v int64) (period, row int64, outer int32) {
	n := b.nest
	period, outer = int64(n.Width), n.Rank
	for ; outer > 0 && n.Dims[outer-1].Dst == period && n.Dims[outer-1].Extent <= v/period; outer-- {
		period *= n.Dims[outer-1].Extent
	}
	row = period
	if outer > 0 && n.Dims[outer-1].Dst == period {
		outer--
		row *= n.Dims[outer].Extent
	}
	return period, row, outer
}

// unitsForm returns a form of units. No other form of units of the set has loops with more windows.
func unitsForm(s *csrc.Set) csrc.Form {
	if s.Masks {
		return csrc.UnitsPermute
	}
	return csrc.UnitsLanes
}

// rowsOfWindows returns a lower bound on what all rows of the nest cost that are made of windows.
// `row` is the bytes of each. ok is false if the rows are shorter than a lane and the set has no
// masks.
func (b *bounds) rowsOfWindows(s *csrc.Set, c *SetCosts, row int64) (cost int64, ok bool) {
	if row < csrc.LaneBytes && !s.Masks {
		return 0, false
	}
	rows := b.rows * b.bytes / row
	windows, vectors := b.windowsOf(min(row, s.Vector), s.Vector), row/s.Vector
	if s.Masks {
		// If a vector's length of the row has more windows than a vector can have, several vectors
		// are made. Some of them may be tails, which may cost less.
		cost = vectors * (c.Lanes + (ceilDiv(windows, csrc.MaxWindows)-1)*min(c.Lanes, c.Tail) + windows*min(c.LanesOf, c.TailOf))
		if vectors == 0 {
			cost = ceilDiv(windows, csrc.MaxWindows)*c.Tail + windows*c.TailOf
		} else if row%s.Vector != 0 {
			cost += c.Tail + c.TailOf
		}
		return c.Table + rows*(c.Main+cost), true
	}
	lanes := b.windowsOf(csrc.LaneBytes, csrc.LaneBytes)
	each, tail := c.vectorOf(windows, lanes), c.Tail+lanes*c.TailOf
	if w := int64(b.nest.Width); b.inner.Src >= 2*w && b.inner.Src <= 4*w {
		each = min(each, b.inner.Src/w*c.Every[log2(b.nest.Width)])
	}
	if vectors == 0 { // a row shorter than a vector is made of one tail of a lane, or of two
		return rows * (c.Main + ceilDiv(row, csrc.LaneBytes)*tail), true
	}
	tails := min(vectors, csrc.MaxTails)
	return rows * (c.Main + (vectors-tails)*each + tails*min(each, tail)), true
}

// vectorOf returns a lower bound on what a vector's length of a row costs. It is made of `windows`
// windows that are as long as a vector or, if that costs less, of `lanes` windows of a lane in each
// lane.
func (c *SetCosts) vectorOf(windows, lanes int64) int64 {
	// If there are more windows than a vector can have, several vectors are made.
	return min(ceilDiv(lanes, csrc.MaxWindows)*c.Lanes+lanes*c.LanesOf, ceilDiv(windows, csrc.MaxWindows)*c.Merged+windows*c.MergedOf)
}

// windowsOf returns a lower bound on the number of windows, of `bytes` bytes each, that hold the
// source of `vector` bytes of a row.
func (b *bounds) windowsOf(vector, bytes int64) int64 {
	n, filled := b.nest, int64(b.nest.Width)
	windows, span := int64(1), filled
	for i := n.Rank - 1; i >= 0 && n.Dims[i].Dst == filled && filled < vector; i-- {
		many, apart := min(n.Dims[i].Extent, vector/filled), abs(n.Dims[i].Src)
		if apart >= bytes+span-1 {
			windows *= many // no two iterations share a window
		} else if i == n.Rank-1 && apart > 0 {
			touch := (bytes+span-2)/apart + 1 // the most iterations that have a byte in one window
			windows = ceilDiv(many, touch)
			if many < n.Dims[i].Extent {
				windows = max(1, many/touch) // rounded down, since a vector may have fewer iterations than `many`
			}
		}
		filled *= many
		span += (many - 1) * apart
		if many < n.Dims[i].Extent {
			break
		}
	}
	return windows
}
