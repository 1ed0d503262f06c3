package plan

import (
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

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
	repeats  int64 // iterations of all loops around the innermost one whose lines fill the cache
	nt       bool  // whether non-temporal stores keep the lines of the destination out of the cache
	tiled    bool  // whether each line comes in once, since tiles use it up
}

func (h *Host) walk(width int32, nt bool) walk {
	element := side{length: int64(width), count: 1}
	return walk{src: element, dst: element, capacity: h.l1Lines, repeats: 1, nt: nt}
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
