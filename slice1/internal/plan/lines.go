package plan

import (
	"math"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// A side is what loops visit in the source or in the destination: `count` runs of `run` bytes each.
// Gaps of at most a line between elements are part of a run.
type side struct {
	run, count int64
}

// add puts a loop around those that s is of. `stride` is the bytes that an iteration moves the side.
func (s *side) add(extent, stride int64) {
	stride = abs(stride)
	switch {
	case stride == 0:
	case stride <= s.run+csrc.LineBytes:
		s.run += (extent - 1) * stride
	default:
		s.count *= extent
	}
}

// lines returns the number of cache lines of all runs. It takes each run to begin where a line does.
func (s *side) lines() int64 { return s.count * (1 + (s.run-1)/csrc.LineBytes) }

// A walk is the order in which a program, or package portable, visits the elements of a nest: its
// loops of more than one iteration, innermost first.
type walk struct {
	width int64 // bytes of an element
	loops [csrc.MaxRank + 3]csrc.Dim
	count int  // how many loops there are
	nt    bool // whether non-temporal stores keep the lines of the destination out of the caches
}

func (w *walk) loop(extent, src, dst int64) {
	if extent > 1 {
		w.loops[w.count] = csrc.Dim{Extent: extent, Src: src, Dst: dst}
		w.count++
	}
}

// visits returns how many lines come into a cache that holds `capacity` lines. The innermost loops whose
// lines fit the cache, and the first loop with which they do not, visit each line once; each iteration of
// the loops around these brings all of them in again.
func (w *walk) visits(capacity int64) int64 {
	src, dst := side{w.width, 1}, side{w.width, 1}
	repeat, full := int64(1), false
	for _, l := range w.loops[:w.count] {
		if full {
			repeat *= l.Extent
			continue
		}
		src.add(l.Extent, l.Src)
		dst.add(l.Extent, l.Dst)
		full = w.lines(&src, &dst) > capacity
	}
	return w.lines(&src, &dst) * repeat
}

// lines returns how many lines of both sides come into the caches.
func (w *walk) lines(src, dst *side) int64 {
	if w.nt {
		return src.lines()
	}
	return src.lines() + dst.lines()
}

// cost returns what the lines cost that a walk visits. The walk is that of a slice of `all` lines, or of a
// part of such a slice. Lines come into a cache at no cost if the slice fits the cache.
func (h *Host) cost(w *walk, all int64) (cost int64) {
	for level := 0; level < levels && all > h.lines[level]; level++ {
		cost += w.visits(h.lines[level]) * h.Costs.Line[level]
	}
	return cost
}

// LinesOf returns about how many cache lines a nest visits in the source and the destination
// together. If that is no more than the first-level cache holds, all lines between the first and
// the last byte of each side may be counted.
func (h *Host) LinesOf(n *nest.Nest) int64 {
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	if most := 2 + (srcHi-srcLo)/csrc.LineBytes + (dstHi-dstLo)/csrc.LineBytes; most <= h.lines[levelL2] {
		return most
	}
	w := walkOf(n)
	return w.visits(math.MaxInt64)
}

// walkOf returns the walk of a nest's loops in their order.
func walkOf(n *nest.Nest) (w walk) {
	w.width = int64(n.Width)
	for i := n.Rank - 1; i >= 0; i-- {
		w.loop(n.Dims[i].Extent, n.Dims[i].Src, n.Dims[i].Dst)
	}
	return w
}
