package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Work is what the planner has to know beside the nest.
type Work struct {
	Kernels Kernels // to choose among
	May     Stores  // to choose among
	Sure    int64   // if the cheapest way costs less by estimate, List returns it alone
}

// none is the cost of running a nest in a way that does not exist.
const none = math.MaxInt64

// search enumerates the candidates for a nest. Its job is that of the candidate found last.
type search struct {
	job
	w    *Work
	at   int  // the number of the stores, kernel and kind to try next; -1 is plain Go
	once bool // whether a loop that two of the kernels share is taken by the first of them alone
}

const (
	perSet   = int(kinds)
	perStore = perSet * len(csrc.Sets)
)

func (h *Host) search(p *csrc.Program, n *nest.Nest, w *Work, once bool) search {
	return search{job: job{host: h, nest: n, p: p}, w: w, at: -1, once: once}
}

// next finds the next candidate and what it costs. It makes the job's program its program, not yet linked, unless it is
// plain Go. It returns false if there are no more.
func (s *search) next() bool {
	if s.at < 0 {
		s.at = 0
		if s.Candidate = (Candidate{Kernel: Go}); s.w.Kernels.Has(Go) && s.w.May.Cached {
			s.Cost = s.host.priceGo(s.nest, false)
			return true
		}
	}
	for s.at < 2*perStore {
		set := s.at % perStore / perSet
		s.kind = kind(s.at % perSet)
		if s.Kernel != Kernel(set) {
			s.Kernel, s.row.period = Kernel(set), 0
		}
		s.NonTemporal = s.at >= perStore
		if !s.w.Kernels.Has(s.Kernel) || !s.w.May.Allow(s.Candidate) {
			s.at = (s.at/perSet + 1) * perSet
			continue
		}
		s.at++
		if !(s.once && s.repeats()) && s.make() {
			s.price()
			return true
		}
	}
	return false
}

// shareable has a form of each kind whose loops two sets may share. Copy, which no two sets share, stands for none.
var shareable = [kinds]csrc.Form{kindTile: csrc.Tile, kindGather: csrc.Gather, kindElement: csrc.Element, kindLong: csrc.Element}

// repeats reports whether the candidate to try next is one of the set before, which has the same loops and is among the
// kernels, too.
func (s *search) repeats() bool {
	return s.w.Kernels.Has(s.Kernel-1) && slices.Contains(csrc.Sets[s.Kernel].Shared, shareable[s.kind])
}

// Choose returns the cheapest way to run n, and makes p its program, ready to run, unless that way
// is plain Go. If there is no way, Choose returns plain Go with the cost none.
func (h *Host) Choose(p *csrc.Program, n *nest.Nest, w Work) Candidate {
	var room csrc.Program
	best, program := Candidate{Kernel: Go, Cost: none}, p
	s := h.search(&room, n, &w, true)
	for s.next() {
		if s.Cost <= best.Cost {
			best, program, s.p = s.Candidate, s.p, program
		}
	}
	if best.Kernel >= 0 {
		linkTo(p, program)
	}
	return best
}

// InGo reports whether a nest that runs once is not worth choosing a way for: whether plain Go is allowed, and is the only
// kernel or takes no longer than the choice.
func (h *Host) InGo(n *nest.Nest, ks Kernels) bool {
	return ks == Only(Go) || ks.Has(Go) && h.priceGo(n, true) <= h.Costs.Choice
}

// MaxWays is the most ways that List returns. The fastest way is nearly always among the first four by
// estimate, on processors for which nothing was fitted, too.
const MaxWays = 4

// mostDear is how many times as dear as the first way a way may be by estimate to be listed.
const mostDear = 4

// List stores in ways the ways to run the parts ps, the cheapest by estimate first, each with its cost for all
// parts. It returns how many there are: one if the cheapest costs less than w.Sure, and at most MaxWays. If w
// allows only non-temporal stores and no way has them, the ways have ordinary ones. List makes p the program of the
// cheapest way for the first shape, ready to run, unless that way is plain Go.
func (h *Host) List(ways *[MaxWays]Candidate, p *csrc.Program, ps *Pieces, w Work) (count int) {
	var room csrc.Program
	program := p // that of the cheapest way so far
	s := h.search(&room, &ps.Shapes[0], &w, true)
	for s.next() {
		s.Cost = times(s.Cost, ps.Count)
		at := count
		for at > 0 && ways[at-1].Cost >= s.Cost {
			at--
		}
		if at < MaxWays {
			count = min(count+1, MaxWays)
			copy(ways[at+1:count], ways[at:])
			ways[at] = s.Candidate
		}
		if at == 0 {
			program, s.p = s.p, program
		}
	}
	if count == 0 && !w.May.Cached {
		w.May.Cached = true
		return h.List(ways, p, ps, w)
	}
	if ways[0].Kernel >= 0 {
		linkTo(p, program)
	}
	for count > 1 && (ways[0].Cost < w.Sure || ways[count-1].Cost/mostDear > ways[0].Cost) {
		count--
	}
	return count
}

// Candidates returns all ways to run the parts ps, the cheapest first. The cost of each is that of the first part times
// the number of parts.
func (h *Host) Candidates(ps *Pieces, w Work) (cs []Candidate) {
	var p csrc.Program
	s := h.search(&p, &ps.Shapes[0], &w, false)
	for s.next() {
		s.Cost = times(s.Cost, ps.Count)
		cs = append(cs, s.Candidate)
	}
	slices.Reverse(cs) // of equal costs the last comes first, as in List
	slices.SortStableFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// Make makes p the program of candidate c for n, ready to run. c.Kernel must not be Go. The candidate may have been
// found for another nest, for instance for another part of the same slice. Make reports whether c has a program for n.
func (h *Host) Make(p *csrc.Program, n *nest.Nest, c Candidate) bool {
	j := job{Candidate: c, host: h, nest: n, p: p}
	if !j.make() {
		return false
	}
	link(p)
	return true
}

// MakeParts makes the programs of the shapes of ps, ready to run, by c, a candidate for the first
// shape. `first` is the program of the first shape, or nil to make that, too. A shape for which c has no program gets
// the cheapest one of the same kernel, with ordinary stores. Small transposed views are prefetched if the slice does not
// fit the second-level cache. If c is plain Go, MakeParts makes nothing.
func (h *Host) MakeParts(ps *Pieces, programs []csrc.Program, c Candidate, first *csrc.Program) {
	if c.Kernel < 0 {
		return
	}
	w := Work{Kernels: Only(c.Kernel), May: Stores{Cached: true}}
	for i := range ps.NumShapes {
		if p, n := &programs[i], &ps.Shapes[i]; i == 0 && first != nil {
			*p = *first
		} else if !h.Make(p, n, c) && h.Choose(p, n, w).Kernel != c.Kernel {
			panic("plan: a kernel has no program for a part")
		}
		if p := &programs[i]; p.Kind == csrc.Tiled && times(nest.Bytes(&ps.Shapes[0]), 2*ps.Count) > h.L2 && h.small(p) {
			p.Tiles().Ahead = 1
		}
	}
}

// PriceBy returns what c costs for n by the costs and caches of another host. The program that is
// priced is the one that h makes; c must be a candidate of h for n.
func (h *Host) PriceBy(other *Host, c Candidate, n *nest.Nest) int64 {
	if c.Kernel == Go {
		return other.priceGo(n, false)
	}
	var p csrc.Program
	j := job{Candidate: c, host: h, nest: n, p: &p}
	j.make()
	j.host = other
	j.price()
	return j.Cost
}

// times returns cost*count, or the largest cost below none if the product is not below none. Both
// factors must be positive.
func times(cost, count int64) int64 {
	if cost >= none/count {
		return none - 1
	}
	return cost * count
}
