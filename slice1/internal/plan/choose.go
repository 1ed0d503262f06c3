package plan

import (
	"math"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Kernel is what executes a nest: Go, or the loops of a set, in C or in Go's vectors.
type Kernel int32

const (
	Go Kernel = -1 // package portable
	// 0 and above: the number of a set in csrc.Sets.
)

// Kernels is a set of kernels.
type Kernels uint8

// Only returns the set of one kernel.
func Only(k Kernel) Kernels { return 1 << (k - Go) }

// Has reports whether k is in the set.
func (ks Kernels) Has(k Kernel) bool { return ks&Only(k) != 0 }

// Work is what the planner has to know beside the nest.
type Work struct {
	Kernels Kernels // to choose among
	Lines   int64   // LinesOf the whole slice, of which the nest may be a part
	Once    bool    // the nest runs a single time
	Storing Storing
}

// none is the cost where there is no candidate.
const none = math.MaxInt64

// Choose returns the cheapest way to run n, and makes p its program if it has one.
func (h *Host) Choose(p *csrc.Program, n *nest.Nest, w Work) Candidate {
	var s Search
	s.Begin(h, n, &w)
	return s.Choose(h, p, n, &w)
}

// Search is a search for the cheapest way to run a nest. It is large and keeps no pointers, so
// that it can stay on the stack.
type Search struct {
	best  Candidate // the cheapest so far
	found [len(csrc.Sets) * (2*int(kinds) + 1)]Candidate
	count int // of candidates with programs that are left, by what they cost at least
}

// Begin begins the search for n, a nest in normal form of at most a few times PartBytes: it
// prices plain Go and lists the candidates that have programs with lower bounds on their costs.
func (s *Search) Begin(h *Host, n *nest.Nest, w *Work) {
	s.best, s.count = Candidate{Kernel: Go, Cost: h.priceIn(n, w)}, 0
	least := int64(0)
	if w.Once {
		least = h.Costs.Make
	}
	if s.best.Cost > least {
		s.list(h, n, w)
	}
}

// InGo returns plain Go, and reports whether no other candidate can cost less. The caller
// then needs no memory for a program.
func (s *Search) InGo() (best Candidate, ok bool) {
	for i := range s.found[:s.count] {
		if s.found[i].Cost < s.best.Cost {
			return s.best, false
		}
	}
	return s.best, s.best.Cost < none
}

// Choose returns the cheapest candidate and makes p its program if it has one. Begin must have
// been called with the same arguments. Choose prepares candidates in ascending order of their
// lower bounds, until the next bound is not below the lowest cost found.
func (s *Search) Choose(h *Host, p *csrc.Program, n *nest.Nest, w *Work) Candidate {
	var another csrc.Program
	best, next := p, &another
	for c := s.next(); c != nil && c.Cost < s.best.Cost; c = s.next() {
		if h.try(c, next, n, w, s.best.Cost) {
			s.best = *c
			best, next = next, best
		}
	}
	if s.best.Kernel >= 0 {
		if best != p {
			*p = *best
		}
		link(p)
	}
	return s.best
}

// priceIn returns what package portable takes for a nest, or none if it is no candidate.
func (h *Host) priceIn(n *nest.Nest, w *Work) int64 {
	if w.Storing != Cached || !w.Kernels.Has(Go) {
		return none
	}
	return h.priceGo(n, w)
}

// try makes p the program of c, without its links, and sets the cost of c. It reports whether
// there is such a program and it costs less than the limit.
func (h *Host) try(c *Candidate, p *csrc.Program, n *nest.Nest, w *Work, limit int64) bool {
	j := h.job(c, p, n)
	j.limit = limit
	if !j.make(c.kind, w.Storing) {
		return false
	}
	c.Cost = h.price(&j, w)
	return c.Cost < limit
}

func (h *Host) job(c *Candidate, p *csrc.Program, n *nest.Nest) job {
	return job{p: p, nest: n, number: int32(c.Kernel), set: &csrc.Sets[c.Kernel], costs: &h.Costs.Sets[c.Kernel], order: c.order}
}

// list lists the candidates with programs that may fit, with lower bounds as their costs.
func (s *Search) list(h *Host, n *nest.Nest, w *Work) {
	b := h.boundsOf(n, w)
	nt := w.Storing != Cached
	for number := range csrc.Sets {
		if !w.Kernels.Has(Kernel(number)) {
			continue
		}
		for k := range kinds {
			least, ok := b.least(int32(number), k)
			if !ok || nt && !streams(k) {
				continue
			}
			c := Candidate{Kernel: Kernel(number), kind: k, NonTemporal: nt, Cost: least + b.lines}
			if k == kindTile || k == kindUnits {
				c.Cost = least + b.fewer
			}
			s.add(c)
			c.Cost = least + b.fewer
			if b.lines > 0 && b.turned(int32(number), k) {
				c.order = bySrc
				s.add(c)
			}
			if k == kindElement && n.Rank > 1 {
				c.order = byRow
				s.add(c)
			}
		}
	}
}

func (s *Search) add(c Candidate) {
	s.found[s.count] = c
	s.count++
}

// next removes the candidate with the lowest bound from the list and returns it, or nil if the
// list is empty.
func (s *Search) next() *Candidate {
	if s.count == 0 {
		return nil
	}
	least := 0
	for i := range s.found[:s.count] {
		if s.found[i].Cost < s.found[least].Cost {
			least = i
		}
	}
	s.count--
	s.found[least], s.found[s.count] = s.found[s.count], s.found[least]
	return &s.found[s.count]
}

// ChooseParts cuts n into ps and makes the programs of its shapes, in the cheapest way. The
// cost of the candidate that it returns is that of all parts.
func (h *Host) ChooseParts(ps *Pieces, programs *[4]csrc.Program, n *nest.Nest, w Work, may Stores) Candidate {
	best := Candidate{Kernel: Go, Cost: none}
	for _, storing := range [...]Storing{h.Costs.Storing, Cached} {
		// If non-temporal stores are asked for and no loop has them, stores are cached.
		if !may.allow(storing) && !(storing == Cached && best.Cost == none) {
			continue
		}
		pieces := Cut(n, storing)
		w.Storing = storing
		c := h.Choose(&programs[0], &pieces.Shapes[0], w)
		if c.Cost < none {
			c.Cost = times(c.Cost, pieces.Count)
		}
		if c.Cost < best.Cost {
			best, *ps = c, pieces
		}
	}
	h.MakeParts(ps, programs, best, w)
	return best
}

// Stores is how a large nest may store.
type Stores struct {
	Cached, NonTemporal bool
}

func (s Stores) allow(storing Storing) bool {
	if storing == Cached {
		return s.Cached
	}
	return s.NonTemporal
}

// MakeParts makes the programs of the shapes of ps by c, a candidate for the first shape. A
// shape that c does not fit has the cheapest program of the same kernel.
func (h *Host) MakeParts(ps *Pieces, programs *[4]csrc.Program, c Candidate, w Work) {
	if c.Kernel < 0 {
		return
	}
	w.Kernels, w.Storing = Only(c.Kernel), Cached
	for i := range ps.NumShapes {
		if !h.Make(&programs[i], &ps.Shapes[i], c, h.StoringOf(c)) {
			h.Choose(&programs[i], &ps.Shapes[i], w)
		}
	}
}

// StoringOf returns how a candidate stores on this host.
func (h *Host) StoringOf(c Candidate) Storing {
	if c.NonTemporal {
		return h.Costs.Storing
	}
	return Cached
}

// times returns cost*count, or the largest cost if the product is larger. Both are positive.
func times(cost, count int64) int64 {
	if cost >= none/count {
		return none - 1
	}
	return cost * count
}
