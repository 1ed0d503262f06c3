package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// A side is what loops visit in the source or in the destination: `count` runs of `run` bytes each.
// Gaps of at most a line between elements are part of a run.
type side struct {
	run, count int64
	crowd      int64 // how many times as much of a cache the lines take as their number says, since they share sets
	adjacent   int64 // bytes of a run that are visited before another run is
	streams    int64 // how many runs are visited by turns, a piece of each; 0 if each run is visited as a whole
}

func sideOf(width int64) side { return side{run: width, count: 1, crowd: 1, adjacent: width} }

// add puts a loop around those that s is of. `stride` is the bytes that an iteration moves the side,
// `sets` the number of sets of the cache for which s.crowd is counted.
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

// sides returns what all loops visit in the source and in the destination. It counts no crowd.
func (w *walk) sides() (src, dst side) {
	src, dst = sideOf(w.width), sideOf(w.width)
	for i := range w.count {
		d := &w.loops[i]
		src.add(d.Extent, d.Src, 1)
		dst.add(d.Extent, d.Dst, 1)
	}
	return src, dst
}

// visits returns how many lines of each side come into a cache of `capacity` lines and `sets` sets.
// The innermost loops whose lines fit the cache, and the first loop with which they do not, visit
// each line once; each iteration of the loops around these brings all of them in again.
func (w *walk) visits(capacity, sets int64) (src, dst visit) {
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
	return s.visit(repeat), d.visit(repeat)
}

// A visit counts the lines that come into a cache: near are those next to the line before, far are
// the others.
type visit struct {
	near, far int64
}

// visit returns the lines of s times `repeat`. One line of each run is far. If the runs are visited
// by turns, and there are more of them than `followed`, one line of each piece of a run is far.
func (s *side) visit(repeat int64) visit {
	lines, run := s.lines()*repeat, s.adjacent
	if 0 < s.streams && s.streams <= followed {
		run = s.run
	}
	far := lines / max(1, run/csrc.LineBytes)
	return visit{lines - far, far}
}

// followed is how many runs of lines a processor follows side by side.
const followed = 16

// cost returns what the lines cost that a walk visits. The walk is that of a slice of `all` lines,
// or of a part of such a slice. Lines come into a cache at no cost if the slice fits the cache. They
// come at part of the cost if the slice has fewer than twice the lines of the cache, since some of them
// are there already.
func (h *Host) cost(w *walk, all int64) (cost int64) {
	for level := range levels {
		beyond := min(all-h.lines[level], h.lines[level])
		if beyond <= 0 {
			break
		}
		s, d := w.visits(h.lines[level], h.sets[level])
		if w.nt {
			d = visit{}
		}
		of := (s.near+d.near)*h.Costs.Near[level] + (s.far+d.far)*h.Costs.Far[level]
		cost += part(of, beyond, h.lines[level])
	}
	return cost
}

// part returns cost*some/all in steps of cost/16, rounded down.
func part(cost, some, all int64) int64 { return cost / 16 * (some * 16 / all) }

// LinesOf returns about how many cache lines a nest visits in the source and the destination
// together. If that is no more than the first-level cache holds, all lines between the first and
// the last byte of each side may be counted.
func (h *Host) LinesOf(n *nest.Nest) int64 {
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	if most := 2 + (srcHi-srcLo)/csrc.LineBytes + (dstHi-dstLo)/csrc.LineBytes; most <= h.lines[levelL2] {
		return most
	}
	w := walkOf(n)
	src, dst := w.sides()
	return src.lines() + dst.lines()
}

// walkOf returns the walk of a nest's loops in their order.
func walkOf(n *nest.Nest) (w walk) {
	w.width = int64(n.Width)
	for i := n.Rank - 1; i >= 0; i-- {
		w.loop(n.Dims[i].Extent, n.Dims[i].Src, n.Dims[i].Dst)
	}
	return w
}
