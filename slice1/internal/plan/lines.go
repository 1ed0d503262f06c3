package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// A side is the source or the destination of loops, as cache lines: a number of runs of
// adjacent bytes.
type side struct {
	run, count int64
	crowd      int64 // how many times more of the cache they take since they share sets
	adjacent   int64 // bytes of a run walked at once
	streams    int64 // runs that are walked by turns, piece by piece; 0 if each is walked at once
}

func sideOf(width int64) side { return side{run: width, count: 1, crowd: 1, adjacent: width} }

// add puts a loop around those of a side, for a cache of `sets` sets.
func (s *side) add(extent, stride, sets int64) {
	stride = abs(stride)
	if extent == 1 || stride == 0 {
		return
	}
	if stride <= s.run+csrc.LineBytes {
		s.run += (extent - 1) * stride
		if s.count == 1 {
			s.adjacent = s.run
		} else {
			s.streams = s.count
		}
		return
	}
	apart := min(sets, stride&-stride/csrc.LineBytes)
	if lines := 1 + (s.run-1)/csrc.LineBytes; apart > lines {
		s.crowd = max(s.crowd, min(apart/lines, extent))
	}
	s.count *= extent
}

// lines returns the lines of all runs.
func (s *side) lines() int64 { return s.count * (1 + (s.run-1)/csrc.LineBytes) }

// A walk is the loops of a program in the order in which they run, innermost first, and
// what they visit.
type walk struct {
	width int64
	loops [csrc.MaxRank + 3]csrc.Dim
	count int
	nt    bool
}

func (w *walk) loop(extent, src, dst int64) {
	if extent > 1 {
		w.loops[w.count] = csrc.Dim{Extent: extent, Src: src, Dst: dst}
		w.count++
	}
}

// sides returns the lines of all loops on both sides.
func (w *walk) sides() (src, dst side) {
	src, dst = sideOf(w.width), sideOf(w.width)
	for i := range w.count {
		d := &w.loops[i]
		src.add(d.Extent, d.Src, 1)
		dst.add(d.Extent, d.Dst, 1)
	}
	return src, dst
}

// visits returns how many lines of each side come into a cache of `capacity` lines and
// `sets` sets, and how many of them are next to the one before.
func (w *walk) visits(capacity, sets, streams int64) (src, dst visit) {
	s, d := sideOf(w.width), sideOf(w.width)
	repeat := int64(1)
	full := false
	for i := range w.count {
		l := &w.loops[i]
		if full {
			repeat *= l.Extent
			continue
		}
		s.add(l.Extent, l.Src, sets)
		d.add(l.Extent, l.Dst, sets)
		lines := s.lines() * s.crowd
		if !w.nt {
			lines += d.lines() * d.crowd
		}
		full = lines > capacity
	}
	return s.visit(repeat, streams), d.visit(repeat, streams)
}

// A visit counts the lines that come into a cache: those next to the line before, and others.
type visit struct {
	near, far int64
}

// visit returns what a side visits in `repeat` iterations. Processors follow several streams
// at once, but not any number.
func (s *side) visit(repeat, streams int64) visit {
	lines, run := s.lines()*repeat, s.adjacent
	if 0 < s.streams && s.streams <= streams {
		run = s.run
	}
	far := lines / max(1, run/csrc.LineBytes)
	return visit{lines - far, far}
}

// cost returns the cost of the lines that a walk visits, in a slice of `all` lines. A slice
// that exceeds a cache by less than the cache's size still has some of its lines in it.
func (h *Host) cost(w *walk, more *[levels]LineCosts, all int64) (cost int64) {
	for level := range levels {
		beyond := min(all-h.lines[level], h.lines[level])
		if beyond <= 0 {
			break
		}
		s, d := w.visits(h.lines[level], h.sets[level], h.Costs.Streams)
		near, far, more := &h.Costs.Near[level], &h.Costs.Far[level], &more[level]
		of := s.near*near.Load + s.far*far.Load + (s.near+s.far)*more.Load
		if !w.nt {
			of += d.near*near.Store + d.far*far.Store + (d.near+d.far)*more.Store
		}
		cost += part(of, beyond, h.lines[level])
	}
	return cost
}

// part returns cost*some/all, rounded down to a multiple of a sixteenth.
func part(cost, some, all int64) int64 { return cost / 16 * (some * 16 / all) }

// LinesOf returns an upper bound on the cache lines that a nest visits.
func (h *Host) LinesOf(n *nest.Nest) int64 {
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	if most := 2 + (srcHi-srcLo)/csrc.LineBytes + (dstHi-dstLo)/csrc.LineBytes; most <= h.lines[levelL2] {
		return most
	}
	w := walkOf(n)
	src, dst := w.sides()
	return src.lines() + dst.lines()
}

// walkOf returns the loops of a nest.
func walkOf(n *nest.Nest) (w walk) {
	w.width = int64(n.Width)
	for i := n.Rank - 1; i >= 0; i-- {
		w.loop(n.Dims[i].Extent, n.Dims[i].Src, n.Dims[i].Dst)
	}
	return w
}
