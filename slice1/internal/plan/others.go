package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Whoever reads how a slice runs needs nothing of this file: it has the ways besides the first
// choice, for packages that compare ways and for users who list them.

// A way that costs more than costly times as much as the first choice by estimate is tried after
// the first choice's variants. After 16 runs, plans then run permutations by ways that take 1.05
// times as long as the best, and 1.10 times if all variants come last. This is by the times that
// bench/records has of a Zen 5.
const costly = 2

// MaxStaged is the most ways that OtherWays returns of a problem in stages.
const MaxStaged = 6

// OtherWays returns the ways to run p that runs compare, of `ways`, which Ways returned. The first
// choice stays the first one, and the others have their first turns in this order. tune ends the
// comparison when it has taken long enough, so the cheapest way with non-temporal stores, where
// only runs decide for these, comes second, and variants of the first choice come before ways that
// are slow by estimate. If Ways returned one way, there are no others but that with such stores.
func (h *Host) OtherWays(p *Problem, ways []Candidate) []Candidate {
	if choice := ways[0]; choice.Stages != 0 {
		return p.othersInStages(choice, p.variants(p.inStages(OneKernel(p.Kernels.Strongest()))))
	}
	streamed := h.streamed(p)
	if len(ways) == 1 {
		return append(ways, streamed...)
	}
	likely := 1
	for likely < len(ways) && ways[likely].Cost/costly <= ways[0].Cost {
		likely++
	}
	return slices.Concat(ways[:1], streamed, ways[1:likely], h.Variants(&p.Nest, p.Stores, ways[0]), ways[likely:])
}

// streamed returns the cheapest way with non-temporal stores, if only runs decide for these, and
// there is one.
func (h *Host) streamed(p *Problem) []Candidate {
	if !p.Stores.Compared {
		return nil
	}
	pieces := Cut(&p.Nest, p.Stores, Cutting{})
	var list [MaxListed]Candidate
	h.List(&list, new(program.Draft), &pieces.Shapes[0], pieces.Count, &Problem{Kernels: p.Kernels, Stores: Stores{NonTemporal: true}})
	if !list[0].NonTemporal {
		return nil
	}
	return list[:1]
}

// variants returns some ways to run p in stages with each sort of stores that suits and that p
// allows, and by all ways to cut them. Of each, the one that is cut by the usual rule comes first.
// If only non-temporal stores are allowed and no way has them, it returns ways with ordinary ones.
func (p *Problem) variants(ways []Candidate) (list []Candidate) {
	band, _ := p.oneBand()
	for _, c := range ways {
		cuttings := p.cuttings(c)
		for _, c.NonTemporal = range [...]bool{false, true} {
			c.Cutting = Cutting{}
			if c.NonTemporal && !(p.Stores.Allow(c) && band.Plan(c).Steps[0].nonTemporal()) {
				break
			}
			for _, c.Cutting = range cuttings {
				list = append(list, c)
			}
		}
	}
	if slices.ContainsFunc(list, p.Stores.Allow) {
		list = slices.DeleteFunc(list, func(c Candidate) bool { return !p.Stores.Allow(c) })
	}
	return list
}

// cuttings returns the ways to cut candidate c that differ from each other, the usual one first.
func (p *Problem) cuttings(c Candidate) []Cutting {
	distinct, known := []Cutting{{}}, [][2]Grid{p.grids(c)}
	if p.Pitch == 0 && (known[0][1].Count == 1 || c.Stages == Rows || c.Stages == Windows) {
		return distinct
	}
	for _, c.Parts = range [...]Parts{LongBands, Long, Bands} {
		if g := p.grids(c); !slices.Contains(known, g) {
			known, distinct = append(known, g), append(distinct, c.Cutting)
		}
	}
	return distinct
}

// othersInStages returns the ways of `listed` that are worth comparing, at most MaxStaged. Behind
// the first choice come, as far as there is room, the cheapest way with non-temporal stores and the
// next ways that are at most costly times as slow. Last come longer bands of rows that are made, by
// each sort of stores.
func (p *Problem) othersInStages(choice Candidate, listed []Candidate) (ways []Candidate) {
	add := func(suits func(c Candidate) bool) {
		if i := slices.IndexFunc(listed, suits); i >= 0 {
			ways = append(ways, listed[i])
			listed = slices.Delete(listed, i, i+1)
		}
	}
	add(choice.SameWay)
	isLongBand := func(c Candidate) bool { return p.Pitch > 0 && c.Parts == LongBands }
	add(func(c Candidate) bool { return c.NonTemporal })
	for range MaxStaged - 2 - len(ways) {
		add(func(c Candidate) bool { return !c.NonTemporal && !isLongBand(c) && c.Cost/costly <= choice.Cost })
	}
	for _, nt := range [...]bool{false, true} {
		add(func(c Candidate) bool { return isLongBand(c) && c.Stages == choice.Stages && c.NonTemporal == nt })
	}
	return ways
}

// EveryWay returns all ways to run p with any stores, the cheapest first, each with its cost for
// all parts.
func (h *Host) EveryWay(p *Problem) (ways []Candidate) {
	free := *p
	free.Stores = Stores{Cached: true, NonTemporal: true}
	if p.InStages() {
		return free.variants(free.inStages(p.Kernels))
	}
	free.Stores.NonTemporal = nest.Bytes(&p.Nest) > PartBytes
	blocks := Blocks(&p.Nest)
	cuttings := EveryCutting(&p.Nest)
	for i, cutting := range cuttings {
		n, times := &p.Nest, int64(1)
		if cutting.Blocks {
			n, times = &blocks.Shapes[0], blocks.Count
		}
		pieces := Cut(n, p.Stores, cutting)
		for _, c := range h.Candidates(&pieces.Shapes[0], times*pieces.Count, &free) {
			if i == 0 || slices.Contains(Cuttings(&p.Nest, p.Stores, c), cutting) {
				c.Cutting = cutting
				ways = append(ways, c)
			}
		}
	}
	if cuttings[len(cuttings)-1].Blocks {
		ways = append(ways, free.packedWays()...)
	}
	slices.SortStableFunc(ways, func(x, y Candidate) int { return cmp.Compare(x.Cost, y.Cost) })
	return ways
}

// EveryCutting returns all ways to cut a nest. The rule of Cut comes first. All other ways cut a
// large nest into blocks first, if its order in the source is not that in the destination. Several
// ways may make the same parts. There is only one way if the nest runs whole and the loops around
// its rows have the same order in the source and in the destination.
func EveryCutting(n *nest.Nest) []Cutting {
	cuttings := []Cutting{{}}
	if !tooLarge(nest.Bytes(n), PartBytes) && !crossed(n.Dims[:max(n.Rank, 1)-1]) {
		return cuttings
	}
	for parts := range Bands + 1 {
		for order := range destinationOrder + 1 {
			if c := (Cutting{parts, order, Large(n) && crossed(n.Dims[:n.Rank])}); c != cuttings[0] {
				cuttings = append(cuttings, c)
			}
		}
	}
	return cuttings
}

// Cuttings returns the ways to cut a nest for c that differ from the rule of Cut, and from each
// other: in the parts, in their order, or in the order of the loops around the rows of a part.
func Cuttings(n *nest.Nest, stores Stores, c Candidate) (cuttings []Cutting) {
	type way struct {
		Grid
		blocks, sorted bool
	}
	var known []way
	target, block := n, nest.Nest{}
	for i, cutting := range EveryCutting(n) {
		if cutting.Blocks && block.Width == 0 {
			block = Blocks(n).Shapes[0]
			target = &block
		}
		w := way{Grid: gridOf(target, PartBytes, stores.NonTemporal, cutting), blocks: cutting.Blocks}
		c.Cutting = cutting
		if part := w.part(target, 0); part.Rank > 0 && crossed(part.Dims[:part.Rank-1]) {
			w.sorted = c.sortsLoops()
		}
		if slices.Contains(known, w) {
			continue
		}
		if known = append(known, w); i > 0 {
			cuttings = append(cuttings, cutting)
		}
	}
	return cuttings
}

// Candidates returns all ways to run `parts` parts like n, the cheapest first, each with its cost
// for all parts.
func (h *Host) Candidates(n *nest.Nest, parts int64, w *Problem) (cs []Candidate) {
	var p program.Draft
	h.search(&p, n, w.Kernels, w.Stores, func(c Candidate) bool {
		c.Cost = Times(c.Cost, parts)
		cs = append(cs, c)
		return false
	})
	slices.Reverse(cs) // of equal costs the last comes first, as in List
	slices.SortStableFunc(cs, func(x, y Candidate) int { return cmp.Compare(x.Cost, y.Cost) })
	return cs
}

// MaxVariants is the most ways that Variants returns.
const MaxVariants = 4

// Variants returns ways to run n that differ in one thing from c, a candidate for n: in the parts,
// or in the order of the parts and of the loops around rows. There are none if the output of n fits
// the first-level cache.
func (h *Host) Variants(n *nest.Nest, stores Stores, c Candidate) (cs []Candidate) {
	if nest.Bytes(n) <= h.l1Lines*program.LineBytes {
		return nil
	}
	for _, c.Cutting = range Cuttings(n, stores, c) {
		if c.Parts == usualParts || c.Order == usualOrder {
			cs = append(cs, c)
		}
	}
	return cs
}

// LargeBytes is the size of the output, in bytes, from which on ways are compared block by block,
// and BlockBytes is about the size of a block. Extents rarely multiply to a power of two, so that
// "64 MiB" are often a little less. They are variables for tests.
var LargeBytes, BlockBytes int64 = 60 << 20, 4 << 20

// Large reports whether ways to run a slice are compared block by block.
func Large(n *nest.Nest) bool { return nest.Bytes(n) >= LargeBytes }

// Blocks cuts a nest into blocks: large parts with long stretches both in the source and in the
// destination.
func Blocks(n *nest.Nest) (p Pieces) {
	p.set(n, gridOf(n, BlockBytes, false, Cutting{Parts: boxes}))
	return p
}

// inBlocks returns ways to run a large slice, which are compared block by block. If the loops have
// one order in the source and in the destination, they are the ways that List returns, and a block
// is some successive parts. Otherwise they are at most `limit` ways in three groups. The first
// group is the candidate that is the cheapest for a block by estimate, with each sort of stores
// that w allows, cut into each sort of parts. The second group is the ways that List returns, in
// blocks. The third group is the first one in other orders.
func (h *Host) inBlocks(n *nest.Nest, w *Problem, limit int) (cs []Candidate) {
	var (
		list [MaxListed]Candidate
		made program.Draft
	)
	if !crossed(n.Dims[:n.Rank]) {
		pieces := Cut(n, w.Stores, Cutting{})
		return list[:h.List(&list, &made, &pieces.Shapes[0], pieces.Count, w)]
	}
	blocks := Blocks(n)
	pieces := Cut(&blocks.Shapes[0], w.Stores, Cutting{})
	part, count := &pieces.Shapes[0], blocks.Count*pieces.Count
	add := func(c Candidate) {
		if len(cs) < limit && !slices.ContainsFunc(cs, c.SameWay) {
			cs = append(cs, c)
		}
	}
	listed := list[:h.List(&list, &made, part, count, w)]
	alike := slices.DeleteFunc(h.Candidates(part, count, w), func(c Candidate) bool {
		return c.Kernel != listed[0].Kernel || c.Kind != listed[0].Kind || !w.Stores.Allow(c)
	})
	cutIn := func(order Order) {
		for _, c := range alike {
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

// InBlocks returns the ways to run a large slice that are compared block by block: at most `limit`,
// and packed ones. It also returns those that only whole runs compare: `choice`, the first choice,
// for the whole of the slice or, if blocks are parts in a row, the first choice's variants.
func (h *Host) InBlocks(p *Problem, choice Candidate, limit int) (scouted, whole []Candidate) {
	scouted = h.inBlocks(&p.Nest, p, limit)
	if scouted[0].Blocks {
		return append(scouted, p.packedWays()...), []Candidate{choice}
	}
	return scouted, h.Variants(&p.Nest, p.Stores, choice)
}

// packedWays returns the ways to pack the parts of a slice, with each sort of stores that p allows.
// For example, an array of five axes of 15 to 32 becomes another order of axes:
//
//	source        20 KiB in a row, which the part takes whole
//	memory        the same 20 KiB, and those of other parts of the source
//	destination   5 stretches of 4 KiB, of rows that lie 620 bytes apart in memory
//
// A tile of such a view loads from 32 rows at once. Processors do not prefetch these lines from the
// memory of the machine, but they prefetch what lies in a row. So a part is first copied to scratch
// memory in the order of the source, half a second-level cache at a time, and transposed from
// there. On a Zen 4, four of the 57 permutations of testdata/permutations/hptt.txt take .71 to .79
// of the time so, beside a build without packed parts (`bench -against`), and all 57 take .97 by
// geometric mean, after 16 runs of size L.
func (p *Problem) packedWays() (ways []Candidate) {
	blocks := Blocks(&p.Nest)
	block := Problem{Nest: blocks.Shapes[0], Kernels: p.Kernels, Stores: p.Stores}
	c := Candidate{Kernel: p.Kernels.Strongest(), Stages: Packed, Cutting: Cutting{Blocks: true}}
	for _, c.NonTemporal = range [...]bool{false, true} {
		if !p.Stores.Allow(c) {
			continue
		}
		if made := block.Plan(c); made.Steps[0].nonTemporal() == c.NonTemporal {
			part := Sum(costOfPart, Sum(made.Steps[0].SliceIn.cost, made.Steps[0].SliceOut.cost))
			c.Cost = Times(part, blocks.Count*made.Pieces.Count)
			ways = append(ways, c)
		}
	}
	return ways
}

// PriceBy returns what c costs for n by the costs and caches of another host. The program that is
// priced is the one that h makes; c must be a candidate of h for n.
func (h *Host) PriceBy(host *Host, c Candidate, n *nest.Nest) int64 {
	if c.Kernel == Go {
		return host.priceGo(n, false)
	}
	var p program.Draft
	j := job{Candidate: c, host: h, nest: n, p: &p}
	j.make()
	j.host = host
	j.price()
	return j.Cost
}

// SameWay reports whether two candidates are equal except, perhaps, in their costs.
func (c Candidate) SameWay(d Candidate) bool {
	c.Cost, d.Cost = 0, 0
	return c == d
}
