package plan

import (
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
func (h *Host) List(ways *[MaxWays]Candidate, ps *Pieces, n *nest.Nest, w *Work) int {
	l := shortlist{ways: ways, work: *w}
	for _, storing := range [...]Storing{Cached, NonTemporal} {
		if w.May.Allow(Candidate{NonTemporal: storing != Cached}) {
			l.find(h, &ps.Shapes[0], storing)
		}
	}
	if l.count == 0 {
		l.find(h, &ps.Shapes[0], Cached)
	}
	for i := range l.count {
		ways[i].Cost = times(ways[i].Cost, ps.Count)
	}
	for l.count > 1 && (ways[0].Cost < w.Sure || ways[l.count-1].Cost/mostDear > ways[0].Cost) {
		l.count--
	}
	return l.count
}

// shortlist is a list of ways that is being made. Costs are of one part.
type shortlist struct {
	ways  *[MaxWays]Candidate
	count int
	work  Work
}

// find adds the ways to run a part with these stores.
func (l *shortlist) find(h *Host, part *nest.Nest, storing Storing) {
	l.work.Storing = storing
	if cost := h.priceIn(part, &l.work); cost < none {
		l.add(Candidate{Kernel: Go, Cost: cost})
	}
	var p csrc.Program
	for s := h.search(part, &l.work); s.next(&p, none); {
		l.add(s.Candidate)
	}
}

// room reports whether a way of this cost would be listed.
func (l *shortlist) room(cost int64) bool {
	return l.count == 0 || cost/mostDear <= l.ways[0].Cost && (l.count < MaxWays || cost <= l.ways[MaxWays-1].Cost)
}

// add lists a way, and drops the dearest if there are too many.
func (l *shortlist) add(c Candidate) {
	if !l.room(c.Cost) {
		return
	}
	at := min(l.count, MaxWays-1)
	for ; at > 0 && l.ways[at-1].Cost >= c.Cost; at-- {
		l.ways[at] = l.ways[at-1]
	}
	l.ways[at] = c
	l.count = min(l.count+1, MaxWays)
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
