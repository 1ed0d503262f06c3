package plan

import (
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// search prices each way to run n by one of the kernels and stores, and passes it to `found`. If
// several of the kernels run a kind by the same loops, only the weakest of these kernels is a way.
// p becomes the program, ready to run, of the last way for which `found` returns true, unless that
// way is plain Go.
func (h *Host) search(p *program.Draft, n *nest.Nest, ks Kernels, stores Stores, found func(c Candidate) bool) {
	var room program.Draft
	j := job{host: h, nest: n, p: &room}
	cheapest, cheapestKernel := p, Go
	if ks.Contains(Go) && stores.Cached {
		found(Candidate{Kernel: Go, Cost: h.priceGo(n, false)})
	}
	for _, nt := range [...]bool{false, true} {
		for k := range Kernel(len(program.Sets)) {
			if !ks.Contains(k) || !stores.Allow(Candidate{NonTemporal: nt}) {
				continue
			}
			for kind := range kinds {
				j.Candidate = Candidate{Kernel: k, Kind: kind, NonTemporal: nt}
				if k.shared(kind, ks) || !j.make() {
					continue
				}
				j.price()
				if found(j.Candidate) {
					cheapest, j.p, cheapestKernel = j.p, cheapest, k
				}
			}
		}
	}
	if cheapestKernel == Go {
		return
	}
	if cheapest != p {
		*p = *cheapest
	}
	rebaseStrides(&p.Program)
}

// Ways returns ways to run p, each with its cost for all parts. The first one is the first choice:
// the cheapest by estimate, with ordinary stores if a problem in stages may have them. It is alone
// if p.Fixed is true. A slice from memory to memory is cut by the usual rule, into `usual`. If the
// first choice is such a slice and not in plain Go, d becomes its program for the first shape.
func (h *Host) Ways(p *Problem, usual *Pieces, d *program.Draft) []Candidate {
	if p.stages() == nil {
		var list [MaxListed]Candidate
		usual.Cut(&p.Nest, p.Stores, Cutting{})
		return slices.Clone(list[:h.List(&list, d, &usual.Shapes[0], usual.Count, p)])
	}
	ways := p.inStages(OneKernel(p.Kernels.Strongest()))
	i := slices.IndexFunc(ways, func(c Candidate) bool { return !c.NonTemporal || !p.Stores.Cached })
	first := ways[i]
	if p.Fixed {
		return []Candidate{first}
	}
	return slices.Insert(slices.Delete(ways, i, i+1), 0, first)
}

// Choose returns the first way that List returns for a nest.
func (h *Host) Choose(p *program.Draft, n *nest.Nest, w *Problem) Candidate {
	var ways [MaxListed]Candidate
	h.List(&ways, p, n, 1, w)
	return ways[0]
}

// InGo reports whether a nest that runs once should run in plain Go without a choice: plain Go is
// the only kernel, or it is allowed and takes no longer by estimate than a choice takes.
func (h *Host) InGo(n *nest.Nest, ks Kernels) bool {
	return ks == OneKernel(Go) || ks.Contains(Go) && h.priceGo(n, true) <= h.Costs.Choice
}

// MaxListed is the most ways that List returns. The fastest way is nearly always among the first
// five by estimate, even on processors for which nothing was fitted, as bench/records shows.
const MaxListed = 5

// maxCostRatio limits the list: by estimate, a listed way costs at most so many times as much as
// the first.
const maxCostRatio = 6

// List stores in ways the ways to run `parts` parts like n, the cheapest by estimate first, each
// with its cost for all parts. It returns how many there are: one if w.Fixed is true, and at most
// MaxListed. If w allows only non-temporal stores and no way has them, the ways have ordinary ones.
// List makes p the program of the cheapest way for n, ready to run, unless that way is plain Go.
// There must be a kernel to choose.
func (h *Host) List(ways *[MaxListed]Candidate, p *program.Draft, n *nest.Nest, parts int64, w *Problem) (count int) {
	stores := w.Stores
	for stores.Compared = false; count == 0; stores.Cached = true {
		h.search(p, n, w.Kernels, stores, func(c Candidate) bool {
			c.Cost = Times(c.Cost, parts)
			slot := count
			for slot > 0 && ways[slot-1].Cost >= c.Cost {
				slot--
			}
			if slot < MaxListed {
				count = min(count+1, MaxListed)
				copy(ways[slot+1:count], ways[slot:])
				ways[slot] = c
			}
			return slot == 0
		})
	}
	for count > 1 && (w.Fixed || ways[count-1].Cost/maxCostRatio > ways[0].Cost) {
		count--
	}
	return count
}

// Make makes p the program of candidate c for n, ready to run. c.Kernel must not be Go. The
// candidate may have been found for another nest, for instance for another part of the same slice.
// Make reports whether c has a program for n.
func (h *Host) Make(p *program.Draft, n *nest.Nest, c Candidate) bool {
	j := job{Candidate: c, host: h, nest: n, p: p}
	if !j.make() {
		return false
	}
	rebaseStrides(&p.Program)
	return true
}

// MakeParts adds the programs of the shapes of ps, ready to run, by c, a candidate for the first
// shape that is not plain Go. `first` is the program of the first shape, or nil to make that as
// well; MakeParts may change it. A shape for which c has no program gets the cheapest one of the
// same kernel, with ordinary stores. What programs prefetch depends on the size of all parts.
func (h *Host) MakeParts(programs *program.Programs, ps *Pieces, c Candidate, first *program.Draft) {
	w := &Problem{Kernels: OneKernel(c.Kernel), Stores: Stores{Cached: true}}
	begin, end, _, _ := nest.Span(&ps.Shapes[0])
	add := func(p *program.Draft) {
		if isTile(program.FormOf(p.Loop)) {
			p.Tiles().Ahead = h.tilesAhead(&p.Program, Times(nest.Bytes(&ps.Shapes[0]), 2*ps.Count))
		}
		if c.Kind == kindGather {
			p.Prefetch.Distance = h.gatherAhead(&p.Program, Times(end-begin, ps.Count))
		}
		programs.Add(p)
	}
	rest := ps.Shapes
	if first != nil {
		add(first)
		rest = rest[1:]
	}
	for i := range rest {
		var p program.Draft
		if !h.Make(&p, &rest[i], c) && h.Choose(&p, &rest[i], w).Kernel != c.Kernel {
			panic("plan: a kernel has no program for a part")
		}
		add(&p)
	}
}
