package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Work is what the planner has to know besides the nest.
type Work struct {
	Kernels    Kernels // to choose among
	Stores     Stores  // to choose among
	AloneBelow int64   // if the cheapest way costs less by estimate, List returns it alone
}

// noWay is the cost of running a nest in a way that does not exist.
const noWay = math.MaxInt64

// search prices each way to run n that w allows and passes it to `found`. If several of the kernels
// run a kind by the same loops, only the weakest of these kernels is a way. p becomes the program,
// ready to run, of the last way that found accepts, unless that is plain Go.
func (h *Host) search(p *program.Program, n *nest.Nest, w *Work, found func(c Candidate) bool) {
	var room program.Program
	j := job{host: h, nest: n, p: &room}
	cheapest, by := p, Go
	if w.Kernels.Contains(Go) && w.Stores.Cached {
		found(Candidate{Kernel: Go, Cost: h.priceGo(n, false)})
	}
	for _, nt := range [...]bool{false, true} {
		for k := range Kernel(len(program.Sets)) {
			if !w.Kernels.Contains(k) || !w.Stores.Allow(Candidate{NonTemporal: nt}) {
				continue
			}
			for kind := range kinds {
				j.Candidate = Candidate{Kernel: k, kind: kind, NonTemporal: nt}
				if k.shared(kind, w.Kernels) || !j.make() {
					continue
				}
				j.price()
				if found(j.Candidate) {
					cheapest, j.p, by = j.p, cheapest, k
				}
			}
		}
	}
	if by == Go {
		return
	}
	if cheapest != p {
		*p = *cheapest
	}
	link(p)
}

// Choose returns the first way that List returns for a nest.
func (h *Host) Choose(p *program.Program, n *nest.Nest, w Work) Candidate {
	var ways [MaxListed]Candidate
	h.List(&ways, p, n, 1, w)
	return ways[0]
}

// InGo reports whether a nest that runs once should run in plain Go without a choice: plain Go is
// the only kernel, or it is allowed and takes no longer than the choice.
func (h *Host) InGo(n *nest.Nest, ks Kernels) bool {
	return ks == OneKernel(Go) || ks.Contains(Go) && h.priceGo(n, true) <= h.Costs.Choice
}

// MaxListed is the most ways that List returns. The fastest way is nearly always among the first
// five by estimate, even on processors for which nothing was fitted, as bench/records shows.
const MaxListed = 5

// mostDear limits the list: by estimate, a listed way costs at most so many times as much as the
// first.
const mostDear = 6

// List stores in ways the ways to run `parts` parts like n, the cheapest by estimate first, each
// with its cost for all parts. It returns how many there are: one if the cheapest costs less than
// w.AloneBelow, and at most MaxListed. If w allows only non-temporal stores and no way has them,
// the ways have ordinary ones. List makes p the program of the cheapest way for n, ready to run,
// unless that way is plain Go. There must be a kernel to choose.
func (h *Host) List(ways *[MaxListed]Candidate, p *program.Program, n *nest.Nest, parts int64, w Work) (count int) {
	h.search(p, n, &w, func(c Candidate) bool {
		c.Cost = Times(c.Cost, parts)
		at := count
		for at > 0 && ways[at-1].Cost >= c.Cost {
			at--
		}
		if at < MaxListed {
			count = min(count+1, MaxListed)
			copy(ways[at+1:count], ways[at:])
			ways[at] = c
		}
		return at == 0
	})
	if count == 0 && !w.Stores.Cached {
		w.Stores.Cached = true
		return h.List(ways, p, n, parts, w)
	}
	for count > 1 && (ways[0].Cost < w.AloneBelow || ways[count-1].Cost/mostDear > ways[0].Cost) {
		count--
	}
	return count
}

// Candidates returns all ways to run `parts` parts like n, the cheapest first, each with its cost
// for all parts.
func (h *Host) Candidates(n *nest.Nest, parts int64, w Work) (cs []Candidate) {
	var p program.Program
	h.search(&p, n, &w, func(c Candidate) bool {
		c.Cost = Times(c.Cost, parts)
		cs = append(cs, c)
		return false
	})
	slices.Reverse(cs) // of equal costs the last comes first, as in List
	slices.SortStableFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// MaxVariants is the most ways that Variants returns.
const MaxVariants = 4

// Variants returns ways to run n that differ in one thing from c, a candidate for n: in the parts,
// or in the order of the parts and of the loops around rows. There are none if the output of n fits
// the first-level cache.
func (h *Host) Variants(n *nest.Nest, stores Stores, c Candidate) (cs []Candidate) {
	if nest.Bytes(n) <= h.lines*program.LineBytes {
		return nil
	}
	for _, c.Cutting = range Cuttings(n, stores, c) {
		if c.Parts == usualParts || c.Order == usualOrder {
			cs = append(cs, c)
		}
	}
	return cs
}

// InBlocks returns at most `limit` ways to run a large slice, which are compared block by block. If
// the slice has one order, they are the ways that List returns, and blocks are parts in a row.
// Otherwise first comes the candidate that is the cheapest for a block by estimate, with each sort
// of stores that w allows, cut into each sort of parts. Then come the ways that List returns, in
// blocks. Last come the ways of the first group in other orders.
func (h *Host) InBlocks(n *nest.Nest, w Work, limit int) (cs []Candidate) {
	var (
		list [MaxListed]Candidate
		made program.Program
	)
	if !crossed(n.Dims[:n.Rank]) {
		pieces := Cut(n, w.Stores, Cutting{})
		return slices.Clone(list[:h.List(&list, &made, &pieces.Shapes[0], pieces.Count, w)])
	}
	blocks := Blocks(n)
	pieces := Cut(&blocks.Shapes[0], w.Stores, Cutting{})
	part, count := &pieces.Shapes[0], blocks.Count*pieces.Count
	add := func(c Candidate) {
		if len(cs) < limit && !slices.ContainsFunc(cs, c.Same) {
			cs = append(cs, c)
		}
	}
	listed := list[:h.List(&list, &made, part, count, w)]
	same := slices.DeleteFunc(h.Candidates(part, count, w), func(c Candidate) bool {
		return c.Kernel != listed[0].Kernel || c.kind != listed[0].kind || !w.Stores.Allow(c)
	})
	cutIn := func(order Order) {
		for _, c := range same {
			for _, c.Cutting = range Cuttings(n, w.Stores, c) {
				if c.Order == order {
					add(c)
				}
			}
		}
	}
	cutIn(usualOrder)
	for _, c := range listed {
		c.Blocks = true
		add(c)
	}
	cutIn(sourceOrder)
	cutIn(destinationOrder)
	return cs
}

// Make makes p the program of candidate c for n, ready to run. c.Kernel must not be Go. The
// candidate may have been found for another nest, for instance for another part of the same slice.
// Make reports whether c has a program for n.
func (h *Host) Make(p *program.Program, n *nest.Nest, c Candidate) bool {
	j := job{Candidate: c, host: h, nest: n, p: p}
	if !j.make() {
		return false
	}
	link(p)
	return true
}

// MakeParts makes the programs of the shapes of ps, ready to run, by c, a candidate for the first
// shape. `first` is the program of the first shape, or nil to make that as well. A shape for which
// c has no program gets the cheapest one of the same kernel, with ordinary stores. What programs
// prefetch depends on the size of all parts. If c is plain Go, MakeParts makes nothing.
func (h *Host) MakeParts(ps *Pieces, programs []program.Program, c Candidate, first *program.Program) {
	if c.Kernel < 0 {
		return
	}
	w := Work{Kernels: OneKernel(c.Kernel), Stores: Stores{Cached: true}}
	begin, end, _, _ := nest.Span(&ps.Shapes[0])
	for i := range ps.NumShapes {
		if p, n := &programs[i], &ps.Shapes[i]; i == 0 && first != nil {
			*p = *first
		} else if !h.Make(p, n, c) && h.Choose(p, n, w).Kernel != c.Kernel {
			panic("plan: a kernel has no program for a part")
		}
		p := &programs[i]
		if isTile(program.FormOf(p.Loop)) {
			p.Tiles().Ahead = h.tilesAhead(p, Times(nest.Bytes(&ps.Shapes[0]), 2*ps.Count))
		}
		if c.kind == kindGather {
			p.Prefetch.Distance = h.gatherAhead(p, Times(end-begin, ps.Count))
		}
	}
}

// PriceBy returns what c costs for n by the costs and caches of another host. The program that is
// priced is the one that h makes; c must be a candidate of h for n.
func (h *Host) PriceBy(other *Host, c Candidate, n *nest.Nest) int64 {
	if c.Kernel == Go {
		return other.priceGo(n, false)
	}
	var p program.Program
	j := job{Candidate: c, host: h, nest: n, p: &p}
	j.make()
	j.host = other
	j.price()
	return j.Cost
}

// Sum returns the sum of two costs, or the largest cost below noWay if the sum is not below noWay.
func Sum(cost, other int64) int64 {
	if cost >= noWay-other {
		return noWay - 1
	}
	return cost + other
}

// Times returns cost*count, or the largest cost below noWay if the product is not below noWay. cost
// must not be negative, and count must be positive.
func Times(cost, count int64) int64 {
	if cost >= noWay/count {
		return noWay - 1
	}
	return cost * count
}
