package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Candidate is one way to run a nest: a kernel and, unless that is plain Go, a kind, an order of the
// loops, and whether non-temporal stores are used.
type Candidate struct {
	Kernel      Kernel
	kind        kind
	order       order
	NonTemporal bool
	Cost        int64 // picoseconds, as the planner estimates them; package slice1 replaces them by what it measured
}

// String returns the candidate's name: "go" for plain Go; else its set, its kind, "near" if its
// order is bySrc, and "nt" if it uses non-temporal stores.
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

// Is reports whether two candidates are equal except, perhaps, in their costs.
func (c Candidate) Is(other Candidate) bool {
	c.Cost, other.Cost = 0, 0
	return c == other
}

// Candidates returns all ways to run n by the kernels of w and with the stores that w asks for,
// cheapest first. It returns nil if there are none.
func (h *Host) Candidates(n *nest.Nest, w Work) (cs []Candidate) {
	if cost := h.priceIn(n, &w); cost < none {
		cs = append(cs, Candidate{Kernel: Go, Cost: cost})
	}
	var p csrc.Program
	for s := h.search(n, &w); s.next(&p, none); {
		cs = append(cs, s.Candidate)
	}
	slices.Reverse(cs) // of equal costs the last comes first, as in search
	slices.SortStableFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// CandidatesForParts returns all ways to run n in parts by the kernels of w, cheapest first, both
// with ordinary and with non-temporal stores, whatever w.Storing is. The cost of each is that of
// its first part times the number of parts.
func (h *Host) CandidatesForParts(n *nest.Nest, w Work) (cs []Candidate) {
	pieces := Cut(n)
	for _, w.Storing = range [...]Storing{Cached, NonTemporal} {
		for _, c := range h.Candidates(&pieces.Shapes[0], w) {
			c.Cost = times(c.Cost, pieces.Count)
			cs = append(cs, c)
		}
	}
	slices.SortStableFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// Make makes p the program of candidate c for n, ready to run, with the stores that `storing` says.
// c.Kernel must not be Go. The candidate may have been found for another nest, for instance for
// another part of the same slice. Make reports whether c has a program for n.
func (h *Host) Make(p *csrc.Program, n *nest.Nest, c Candidate, storing Storing) bool {
	if !h.try(&c, p, n, &Work{Storing: storing}) {
		return false
	}
	link(p)
	return true
}

// PriceBy returns what c costs for n by the costs and caches of another host. The program that is
// priced is the one that h makes; c must be a candidate of h for n.
func (h *Host) PriceBy(other *Host, c Candidate, n *nest.Nest, w Work) int64 {
	if c.Kernel == Go {
		return other.priceGo(n, &w)
	}
	var p csrc.Program
	j := h.job(&c, &p, n)
	j.make(c.kind, w.Storing)
	j.costs = &other.Costs.Sets[c.Kernel]
	return other.price(&j, &w)
}
