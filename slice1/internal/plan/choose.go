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
}

// none is the cost of running a nest in a way that does not exist. Every other cost is lower.
const none = math.MaxInt64

// Choose returns the cheapest way to run n, and makes p its program, ready to run, unless that way
// is plain Go. If there is no way, Choose returns plain Go with the cost none.
func (h *Host) Choose(p *csrc.Program, n *nest.Nest, w Work) Candidate {
	var another csrc.Program
	best, program, next := Candidate{Kernel: Go, Cost: h.priceIn(n, &w)}, p, &another
	for s := h.search(n, &w); s.next(next, best.Cost); {
		if s.Cost <= best.Cost {
			best, program, next = s.Candidate, next, program
		}
	}
	if best.Kernel >= 0 {
		if program != p {
			*p = *program
		}
		link(p)
	}
	return best
}

// InGo returns plain Go with its cost. ok reports whether plain Go is allowed and calling any loop, and
// making its program if that runs once, costs as much. Then Choose would return the same, and needs no
// memory for a program.
func (h *Host) InGo(n *nest.Nest, w *Work) (best Candidate, ok bool) {
	best = Candidate{Kernel: Go, Cost: h.priceIn(n, w)}
	for number := range csrc.Sets {
		if w.Kernels.Has(Kernel(number)) && h.floor(number, w) < best.Cost {
			return best, false
		}
	}
	return best, best.Cost < none
}

// floor returns the least that a program of a set costs: calling its loop and, if it runs once, making it.
func (h *Host) floor(set int, w *Work) int64 {
	if w.Once {
		return h.Costs.Sets[set].Call + min(h.Costs.Make[0], h.Costs.Make[1])
	}
	return h.Costs.Sets[set].Call
}

// search enumerates the candidates for a nest that have programs. Of two whose costs are equal, the one that is found
// later is taken: loops in the order of the source wait for fewer lines than those in the order of the destination.
type search struct {
	Candidate // what next found
	h         *Host
	n         *nest.Nest
	w         *Work
	at        int  // the number of the kernel, kind and order to try next
	resort    bool // whether the loops around the rows of the kind, by byDst, are not in the order of the source
}

// perSet is how many kinds and orders there are.
const perSet = int(kinds) * int(orders)

func (h *Host) search(n *nest.Nest, w *Work) search {
	return search{h: h, n: n, w: w, Candidate: Candidate{NonTemporal: w.Storing != Cached}}
}

// next makes p the program, not yet linked, of the next candidate, and sets what that is and what it costs. It
// passes over sets whose programs cost `limit` or more. It returns false if there are no more candidates.
func (s *search) next(p *csrc.Program, limit int64) bool {
	for s.at < len(csrc.Sets)*perSet {
		set, way := s.at/perSet, s.at%perSet
		s.Kernel, s.kind, s.order = Kernel(set), kind(way/int(orders)), order(way%int(orders))
		if !s.w.Kernels.Has(s.Kernel) || s.h.floor(set, s.w) >= limit {
			s.at = (set + 1) * perSet
			continue
		}
		s.at++
		if s.order == bySrc && !s.resort {
			continue
		}
		j := s.h.job(&s.Candidate, p, s.n)
		made := j.make(s.kind, s.w.Storing)
		if s.order == byDst {
			s.resort = made && s.kind != kindLong && s.w.Lines > s.h.lines[levelL2] && !sortedBySource(p)
		}
		if made {
			s.Cost = s.h.price(&j, s.w)
			return true
		}
	}
	return false
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
// if c has no program for n.
func (h *Host) try(c *Candidate, p *csrc.Program, n *nest.Nest, w *Work) bool {
	j := h.job(c, p, n)
	if !j.make(c.kind, w.Storing) {
		return false
	}
	c.Cost = h.price(&j, w)
	return true
}

func (h *Host) job(c *Candidate, p *csrc.Program, n *nest.Nest) job {
	return job{p: p, nest: n, number: int32(c.Kernel), set: &csrc.Sets[c.Kernel], costs: &h.Costs.Sets[c.Kernel], order: c.order,
		host: h}
}

// Stores says which stores are allowed for a nest that runs in parts.
type Stores struct {
	Cached, NonTemporal bool // ordinary stores; non-temporal ones
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
		if !h.Make(&programs[i], &ps.Shapes[i], c, c.Storing()) && h.Choose(&programs[i], &ps.Shapes[i], w).Kernel != c.Kernel {
			panic("plan: a kernel has no program for a part")
		}
	}
}

// Storing returns how a candidate stores.
func (c Candidate) Storing() Storing {
	if c.NonTemporal {
		return NonTemporal
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
