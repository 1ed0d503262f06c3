package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// MaxWays is the most ways that List returns. The fastest way is nearly always among the first four by
// estimate, on processors for which nothing was fitted, too.
const MaxWays = 4

// mostDear is how many times as dear as the first way a way may be by estimate to be listed.
const mostDear = 4

// List stores in ways the ways to run n in the parts ps, the cheapest by estimate first, each with its
// cost for the whole nest. It returns how many there are: one if the cheapest costs less than w.Sure,
// and at most MaxWays. If w allows only non-temporal stores and no way has them, the ways have ordinary
// ones.
func (h *Host) List(ways *[MaxWays]Candidate, ps *Pieces, n *nest.Nest, w Work) int {
	shape := &ps.Shapes[0]
	if w.May.Cached && !w.May.NonTemporal {
		var p csrc.Program
		w.Storing = Cached
		if c := h.Choose(&p, shape, w); times(c.Cost, ps.Count) < w.Sure {
			c.Cost = times(c.Cost, ps.Count)
			ways[0] = c
			return 1
		}
	}
	var all []Candidate
	for _, w.Storing = range [...]Storing{Cached, h.Costs.Storing} {
		if w.May.allow(w.Storing) {
			all = append(all, h.Candidates(shape, w)...)
		}
	}
	if len(all) == 0 {
		w.Storing = Cached
		all = h.Candidates(shape, w)
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	count := 0
	for _, c := range all {
		if c.Cost = times(c.Cost, ps.Count); count == MaxWays || count > 0 && c.Cost/mostDear > ways[0].Cost {
			break
		}
		ways[count] = c
		if count++; c.Cost < w.Sure {
			break
		}
	}
	return count
}

// LastLevel returns the bytes of the last-level cache that a program may count on.
func (h *Host) LastLevel() int64 { return h.lines[levelMemory] * csrc.LineBytes }

// Allow reports whether a candidate has stores that are allowed.
func (s Stores) Allow(c Candidate) bool {
	if c.NonTemporal {
		return s.NonTemporal
	}
	return s.Cached
}
