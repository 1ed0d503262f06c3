// Package plan chooses how a loop nest is executed: which kernel runs it, by which kind of program,
// in which parts and in which order, and how it stores. For every kernel except plain Go it also
// makes the program that the kernel runs.
//
// Planning is plain Go. It makes programs for any instruction set of program.Sets, even one that
// the build or the host lacks. A nest must be in normal form or a part that Cut makes of such a
// nest, its extents must be positive, and each of its two spans must fit a buffer in memory, so
// that no offset overflows. A cost is a number of picoseconds.
package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// make makes the program of the job's candidate. It cannot run until rebaseStrides is called. make
// returns false if the kind cannot run the nest, or if non-temporal stores do not suit the program.
func (j *job) make() bool {
	j.begin()
	if !j.prepare() {
		return false
	}
	if j.sortsLoops() && j.lines() > 0 {
		slices.SortStableFunc(j.p.Dims[:j.p.Outer], bySource)
	}
	return !j.NonTemporal || j.stream()
}

// prepare makes the job's program by its kind, with ordinary stores and with the loops around the
// rows in the order of the destination. It returns false if the kind cannot or should not run the
// nest.
func (j *job) prepare() bool {
	switch j.Kind {
	case kindCopy:
		return j.contiguous && j.useLoop(program.Copy, 0)
	case kindString:
		return j.contiguous && j.bytes >= leastString && j.host.Strings && j.useLoop(program.String, 0)
	case kindTable, kindTile:
		return j.fillsDst() && j.tile()
	case kindUnits:
		return j.fillsDst() && j.units()
	case kindShuffle:
		return j.fitsShuffle() && j.prepareShuffle()
	case kindSpread:
		return j.spread()
	case kindGather:
		return j.fitsGather() && j.useLoop(program.Gather, 0)
	case kindLong:
		if !j.exchange() {
			return false
		}
	}
	return j.useLoop(program.Element, 0)
}

// cost returns what each row of a program that prepare made costs, without the step to the row.
func (j *job) cost() int64 {
	switch j.Kind {
	case kindCopy, kindString:
		return j.costOfCopy()
	case kindTable, kindTile:
		return j.costOfTiles()
	case kindUnits:
		return j.costOfUnits()
	case kindShuffle:
		return j.costOfShuffle()
	case kindSpread:
		return j.costOfMasks()
	case kindGather:
		return j.costOfGather()
	}
	return j.costOfElement()
}

// bySource compares loops by the absolute value of their source strides, the largest first.
func bySource(a, b nest.Dim) int { return cmp.Compare(abs(b.Src), abs(a.Src)) }

// rebaseStrides makes p ready to run. After the loops inside a loop, C is at their last row and not
// back at their first. So each stride in p.Dims becomes the step from there: for rows of 8 bytes, 3
// in a plane and planes 100 bytes apart, 100 becomes 100 - 2*8 = 84. rebaseStrides also copies the
// two innermost loops around the row to p.Innermost and p.Next.
func rebaseStrides(p *program.Program) {
	p.Innermost, p.Next = noLoop, noLoop
	if p.Outer > 0 {
		p.Innermost = p.Dims[p.Outer-1]
	}
	var dst, src int64
	for i := p.Outer - 1; i >= 0; i-- {
		d := &p.Dims[i]
		whole := *d
		d.Dst -= dst
		d.Src -= src
		dst += (whole.Extent - 1) * whole.Dst
		src += (whole.Extent - 1) * whole.Src
	}
	if p.Outer > 1 {
		p.Next = p.Dims[p.Outer-2]
	}
}

// price sets what one run of a job's program costs: the call, the rows, and the lines that come
// into the cache. The lines that non-temporal stores write do not come into it. So these stores are
// the first choice wherever they are allowed, which is where the output does not fit the caches.
// The program must not be linked yet.
func (j *job) price() {
	c := j.host.Costs
	j.costs = &c.Sets[j.p.Set]
	row := j.cost()
	if j.Kind != kindCopy {
		row += j.costs.Row
	}
	for _, d := range j.p.Dims[:j.p.Outer] {
		row *= d.Extent
	}
	j.Cost = j.costs.Call + row + j.lines()*c.Line
}

// priceGo returns what a run of a nest by package portable costs: the only run if single is true,
// else one of many.
func (h *Host) priceGo(n *nest.Nest, single bool) int64 {
	g, log, s := &h.Costs.Go, log2(n.Width), portable.Count(n, single)
	w := h.walk(n.Width, false)
	w.loops(n.Dims[:n.Rank])
	return g.Start + w.visits()*h.Costs.Line +
		s.Blocks*g.Block + s.Rows*g.Row + s.Copied*g.Copied + s.Bulk*g.Bulk +
		s.Reversed*g.Reversed[log] + s.Packed*g.Packed[log] + s.Elements*g.Element[log] + s.Turned*g.Turned[log] +
		s.Listed*g.Listed + s.Units*g.Unit + s.Moves*g.Move
}

// lines returns how many lines come into the first-level cache. For units this is an approximation
// by the nest's loops in their order.
func (j *job) lines() int64 {
	p, n := j.p, j.nest
	w := j.host.walk(n.Width, j.NonTemporal)
	switch j.Kind {
	case kindTable, kindTile, kindUnits:
		w.tiled = j.Kind != kindUnits
		w.loops(n.Dims[:n.Rank])
		return w.visits()
	case kindShuffle:
		w.loops(n.Dims[p.Outer:n.Rank])
	default:
		w.loop(p.Row.Extent, p.Row.Src, p.Row.Dst)
	}
	for i := p.Outer - 1; i >= 0; i-- {
		w.loop(p.Dims[i].Extent, p.Dims[i].Src, p.Dims[i].Dst)
	}
	return w.visits()
}

// A side is what loops visit in the source or in the destination: `count` spans of `length` bytes
// each. Gaps of at most a line between elements are part of a span.
type side struct {
	length, count int64
}

// add puts a loop around the loops of s. An iteration moves the side by `stride` bytes.
func (s *side) add(extent, stride int64) {
	stride = abs(stride)
	switch {
	case stride == 0:
	case stride <= s.length+program.LineBytes:
		s.length += (extent - 1) * stride
	default:
		s.count *= extent
	}
}

// lines returns the number of cache lines of all spans. It takes each span to begin where a
// line does.
func (s *side) lines() int64 { return s.count * (1 + (s.length-1)/program.LineBytes) }

// A walk counts the lines that come into the first-level cache while loops visit the elements of a
// nest.
type walk struct {
	src, dst side
	capacity int64 // how many lines the cache holds
	full     bool  // whether the lines of the loops so far do not fit it
	repeats  int64 // how many iterations the loops outside the first one that fills the cache have in all
	nt       bool  // whether non-temporal stores keep the lines of the destination out of the cache
	tiled    bool  // whether each line comes in once, since tiles use it up
}

func (h *Host) walk(width int32, nt bool) walk {
	one := side{length: int64(width), count: 1}
	return walk{src: one, dst: one, capacity: h.lines, repeats: 1, nt: nt}
}

// loop puts a loop around the loops of the walk.
func (w *walk) loop(extent, src, dst int64) {
	if w.full && !w.tiled {
		w.repeats *= extent
		return
	}
	w.src.add(extent, src)
	w.dst.add(extent, dst)
	w.full = w.lines() > w.capacity
}

// loops puts loops around the loops of the walk, the last one innermost.
func (w *walk) loops(loops []nest.Dim) {
	for _, d := range slices.Backward(loops) {
		w.loop(d.Extent, d.Src, d.Dst)
	}
}

func (w *walk) lines() int64 {
	if w.nt {
		return w.src.lines()
	}
	return w.src.lines() + w.dst.lines()
}

// visits returns how many lines come into the cache: none if they all fit. The loops up to the
// first one that overflows the cache cost each of their lines once. Every iteration of the loops
// around that one costs all these lines again.
func (w *walk) visits() int64 {
	if !w.full {
		return 0
	}
	return w.lines() * w.repeats
}
