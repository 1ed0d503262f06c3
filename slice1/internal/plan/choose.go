package plan

import (
	"math"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Kernel is what executes a nest: plain Go, or the loops of an instruction set of csrc.Sets. These
// loops are written in C or in Go's vectors.
type Kernel int32

const (
	Go Kernel = -1 // plain Go: package portable
	// Any other kernel is the index of its set in csrc.Sets.
)

// Kernels is a set of kernels.
type Kernels uint8

// A set has a bit for each kernel: this does not compile if there are more kernels than bits.
const _ = Kernels(1 << len(csrc.Sets))

// Only returns the set that contains k alone.
func Only(k Kernel) Kernels { return 1 << (k - Go) }

// Has reports whether k is in the set.
func (ks Kernels) Has(k Kernel) bool { return ks&Only(k) != 0 }

// Work is what the planner has to know beside the nest.
type Work struct {
	Kernels Kernels // to choose among
	Lines   int64   // what LinesOf returns for the whole slice; the nest is all of it or a part
	Once    bool    // a program runs a single time, so that its cost includes that of making it
	Storing Storing // how the output must be stored
	May     Stores  // the stores among which List chooses, whatever Storing is
	Sure    int64   // if the cheapest way costs less by estimate, List returns it alone
	Bias    *Bias   // corrects the estimates by which List compares; may be nil
}

// none is the cost of running a nest in a way that does not exist. Every other cost is lower.
// As a limit it excludes no program.
const none = math.MaxInt64

// Choose returns the cheapest way to run n, and makes p its program, ready to run, unless that way
// is plain Go. If there is no way, Choose returns plain Go with the cost none.
func (h *Host) Choose(p *csrc.Program, n *nest.Nest, w Work) Candidate {
	var s Search
	s.Begin(h, n, &w)
	return s.Choose(h, p, n, &w)
}

// Search is a search for the cheapest way to run a nest. It is large and keeps no pointers, so
// that it can stay on the stack.
type Search struct {
	best Candidate // the cheapest way so far
	// found[:count] are the candidates whose programs are not prepared yet, with lower bounds for
	// costs.
	found [len(csrc.Sets) * (2*int(kinds) + 1)]Candidate
	count int
}

// Begin begins the search for the cheapest way to run n, a nest of at most a few times PartBytes. It
// prices plain Go if that is allowed. Then it lists the candidates that may have programs, with lower
// bounds on their costs, unless making any program would cost as much as plain Go or more.
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

// InGo returns plain Go with its cost. ok reports whether plain Go is allowed and no other
// candidate can cost less. Then Choose would return the same, and needs no memory for a program.
func (s *Search) InGo() (best Candidate, ok bool) {
	for i := range s.found[:s.count] {
		if s.found[i].Cost < s.best.Cost {
			return s.best, false
		}
	}
	return s.best, s.best.Cost < none
}

// Choose ends the search that Begin began with the same h, n and w. It returns the cheapest candidate
// and makes p its program, ready to run, unless it is plain Go. Choose prepares candidates in
// ascending order of their lower bounds, until the next bound is not below the lowest cost found. If
// there is no candidate, it returns plain Go with the cost none.
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

// priceIn returns what one run of a nest by package portable costs. It returns none if plain Go is
// not among the kernels of w, or if w asks for non-temporal stores.
func (h *Host) priceIn(n *nest.Nest, w *Work) int64 {
	if w.Storing != Cached || !w.Kernels.Has(Go) {
		return none
	}
	return h.priceGo(n, w)
}

// try makes p the program of c, not yet linked, and sets c.Cost to what it costs. It returns false
// if c has no program for n, or if the program costs `limit` or more.
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

// list adds to s the candidates that may have programs for n, by the kernels of w and with the
// stores that it asks for. The cost of each is a lower bound.
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

// next removes the candidate of the lowest cost from those that are left and returns it. It returns
// nil if none is left.
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

// ChooseParts returns the cheapest way to run n in parts with stores that may allows. It sets ps to
// these parts and, unless the way is plain Go, makes the programs of their shapes, ready to run.
// The cost of the candidate is that of the first part times the number of parts.
func (h *Host) ChooseParts(ps *Pieces, programs *[4]csrc.Program, n *nest.Nest, w Work, may Stores) Candidate {
	best := Candidate{Kernel: Go, Cost: none}
	for _, storing := range [...]Storing{h.Costs.Storing, Cached} {
		// If only non-temporal stores are allowed and no candidate has them, stores are ordinary
		// ones.
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
	h.MakeParts(ps, programs[:], best, w)
	return best
}

// Stores says which stores are allowed for a nest that runs in parts.
type Stores struct {
	Cached, NonTemporal bool // ordinary stores; non-temporal ones
}

func (s Stores) allow(storing Storing) bool {
	if storing == Cached {
		return s.Cached
	}
	return s.NonTemporal
}

// MakeParts makes the programs of the shapes of ps, ready to run, by c, a candidate for the first
// shape. A shape for which c has no program gets the cheapest one of the same kernel, with ordinary
// stores. If c is plain Go, MakeParts makes nothing.
func (h *Host) MakeParts(ps *Pieces, programs []csrc.Program, c Candidate, w Work) {
	if c.Kernel < 0 {
		return
	}
	w.Kernels, w.Storing = Only(c.Kernel), Cached
	for i := range ps.NumShapes {
		if !h.Make(&programs[i], &ps.Shapes[i], c, h.StoringOf(c)) && h.Choose(&programs[i], &ps.Shapes[i], w).Kernel != c.Kernel {
			panic("plan: a kernel has no program for a part")
		}
	}
}

// StoringOf returns how a candidate stores on the host h.
func (h *Host) StoringOf(c Candidate) Storing {
	if c.NonTemporal {
		return h.Costs.Storing
	}
	return Cached
}

// times returns cost*count, or the largest cost below none if the product is not below none. Both
// factors must be positive.
func times(cost, count int64) int64 {
	if cost >= none/count {
		return none - 1
	}
	return cost * count
}
