package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Candidate is one way to run a nest: a kernel and, but for plain Go, a kind, the order of the loops
// around its rows, and whether it stores by non-temporal stores.
type Candidate struct {
	Kernel      Kernel
	kind        kind
	order       order
	NonTemporal bool
	Cost        int64 // estimated picoseconds
}

// String returns the candidate's name: its kernel, its kind, its order if that is not the
// destination's, and "nt" if it stores by non-temporal stores.
func (c Candidate) String() string {
	if c.Kernel == Go {
		return "go"
	}
	name := csrc.Sets[c.Kernel].Name + " " + kindNames[c.kind] + orderNames[c.order]
	if c.NonTemporal {
		name += " nt"
	}
	return name
}

// Is reports whether two candidates are the same but for their costs.
func (c Candidate) Is(other Candidate) bool {
	c.Cost, other.Cost = 0, 0
	return c == other
}

// Candidates returns the ways to run n, cheapest first.
func (h *Host) Candidates(n *nest.Nest, w Work) (cs []Candidate) {
	if cost := h.priceIn(n, &w); cost < none {
		cs = append(cs, Candidate{Kernel: Go, Cost: cost})
	}
	var s Search
	for s.list(h, n, &w); s.count > 0; {
		c := s.next()
		var p csrc.Program
		if h.try(c, &p, n, &w, none) {
			cs = append(cs, *c)
		}
	}
	slices.SortStableFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// CandidatesForParts returns the ways to run n in parts, cheapest first.
func (h *Host) CandidatesForParts(n *nest.Nest, w Work) (cs []Candidate) {
	for _, w.Storing = range [...]Storing{Cached, h.Costs.Storing} {
		pieces := Cut(n, w.Storing)
		for _, c := range h.Candidates(&pieces.Shapes[0], w) {
			c.Cost = times(c.Cost, pieces.Count)
			cs = append(cs, c)
		}
	}
	slices.SortStableFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// Make makes p the program of c, a candidate that has one, for n, a nest or another part of the
// one that it is a candidate for. It reports whether there is one.
func (h *Host) Make(p *csrc.Program, n *nest.Nest, c Candidate, storing Storing) bool {
	if !h.try(&c, p, n, &Work{Storing: storing}, none) {
		return false
	}
	link(p)
	return true
}

// PriceBy returns the cost of c for n by the costs of another host, with the program that
// this host makes.
func (h *Host) PriceBy(other *Host, c Candidate, n *nest.Nest, w Work) int64 {
	if c.Kernel == Go {
		return other.priceGo(n, &w)
	}
	var p csrc.Program
	j := h.job(&c, &p, n)
	j.limit = none
	j.make(c.kind, w.Storing)
	j.costs = &other.Costs.Sets[c.Kernel]
	return other.price(&j, &w)
}
