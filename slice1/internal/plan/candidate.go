package plan

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Kernel is what executes a nest: plain Go, or the loops of a list of instruction sets of
// program.Sets, in C or in Go's vectors. For example, kernel avx512 has the loops of AVX-512, and
// AVX2's loops for the kinds for which AVX-512 has none.
type Kernel int32

const (
	Go Kernel = -1 // plain Go: package portable
	// Any other kernel is the number of the last set of its list in program.Sets, and has that
	// set's name.
)

// String returns the name that slice1.WithKernel takes.
func (k Kernel) String() string {
	if k == Go {
		return "go"
	}
	return program.Sets[k].Name
}

// Lacks returns a feature that kernel k needs and that a host with features f does not have, as
// [cpuid.Features.Has] takes it, or "" if the host has all.
func (k Kernel) Lacks(f cpuid.Features) string {
	if k == Go {
		return ""
	}
	for _, set := range program.Sets[k].Kernel {
		if needs := program.Sets[set].Needs; !f.Has(needs) {
			return needs
		}
	}
	return ""
}

// Built reports whether the build includes kernel k. The host may lack k's instructions.
func (k Kernel) Built() bool {
	if k == Go {
		return true
	}
	for _, set := range program.Sets[k].Kernel {
		if s := &program.Sets[set]; !(program.InVectors && s.InGo && s.Arch == runtime.GOARCH) && !program.InC(set) {
			return false
		}
	}
	return true
}

// InC reports whether a run by kernel k is a call into C.
func (k Kernel) InC() bool { return k >= 0 && !(program.InVectors && program.Sets[k].InGo) }

// Kernels are some of the kernels, with a bit for each.
type Kernels uint8

// This does not compile if there are more kernels than bits.
const _ = Kernels(1 << len(program.Sets))

// OneKernel returns k alone.
func OneKernel(k Kernel) Kernels { return 1 << (k - Go) }

// Contains reports whether k is one of ks.
func (ks Kernels) Contains(k Kernel) bool { return ks&OneKernel(k) != 0 }

// Stores says which stores are allowed.
type Stores struct {
	Cached, NonTemporal bool // ordinary stores; non-temporal ones
}

// Allow reports whether a candidate has stores that are allowed.
func (s Stores) Allow(c Candidate) bool {
	if c.NonTemporal {
		return s.NonTemporal
	}
	return s.Cached
}

// Kind is what a candidate does with each row, or with each part of a conversion. Of two kinds of a
// kernel that cost the same, List puts the later one first: kindTile before kindTable.
type Kind int8

const (
	kindCopy    Kind = iota // copies rows that are contiguous on both sides
	kindString              // copies such rows by the processor's instruction that copies strings
	kindTable               // does what kindTile does for small views, by the loop that has tables
	kindTile                // reads tiles of a transposed view and turns them in registers
	kindUnits               // makes equal units of a contiguous row; a table says where each is in the source
	kindShuffle             // makes vectors of a contiguous row from at most eight windows of the source
	kindSpread              // makes vectors under masks, with gaps between the elements in the destination
	kindGather              // loads each element of a contiguous row by itself and stores whole vectors
	kindElement             // loads and stores each element by itself
	kindLong                // as kindElement, with the longest loop as row, inside the nest's innermost loop
	kinds                   // how many kinds of programs there are
)

// The kinds whose parts run in stages, by package convert. Slice is for sources whose rows are made
// while the slice runs, Packed for large slices, and the others are for conversions.
const (
	Slice          Kind = kinds + iota // slices rows that were made in scratch memory
	Rows                               // converts rows without gaps from the source to the destination
	Windows                            // converts elements with gaps in the source, by windows, to the destination
	SliceRows                          // slices into scratch memory, and converts from there
	RowsSlice                          // converts into scratch memory, and slices from there
	SliceRowsSlice                     // slices into scratch memory, converts into other scratch memory, and slices from there
	Packed                             // slices into scratch memory, in the order of the source, and slices from there
)

// Staged reports whether the parts of kind k run in stages.
func (k Kind) Staged() bool { return k >= kinds }

// Before and After report whether a part of kind k has a slice into scratch memory, and whether it
// has a slice that stores to the destination.
func (k Kind) Before() bool { return k == SliceRows || k == SliceRowsSlice || k == Packed }
func (k Kind) After() bool {
	return k == Slice || k == RowsSlice || k == SliceRowsSlice || k == Packed
}

// String returns the name of the kind in the names of candidates.
func (k Kind) String() string {
	return [...]string{"copy", "string", "table", "tile", "units", "shuffle", "spread", "gather", "element", "element long",
		"slice", "convert", "convert windows", "slice convert", "convert slice", "slice convert slice", "packed"}[k]
}

// formsOf has forms of each kind: a set that has one of them has loops for programs of the kind.
var formsOf = [kinds][]program.Form{
	kindCopy:    {program.Copy},
	kindString:  {program.String},
	kindTable:   {program.Table},
	kindTile:    {program.Tile},
	kindUnits:   {program.UnitsLanes, program.UnitsPermute},
	kindShuffle: {program.Lanes, program.Permute},
	kindSpread:  {program.Permute},
	kindGather:  {program.Gather},
	kindElement: {program.Element},
	kindLong:    {program.Element},
}

// setOf has, for each kernel except Go and each kind, the number of the set whose loops run the
// kind's programs. It is the last set of the kernel's list that has such loops, or the kernel's own
// set if none has. For example, kernel avx512 runs AVX2's tiles.
var setOf = func() (sets [len(program.Sets)][kinds]int32) {
	for k := range sets {
		for kind, forms := range formsOf {
			sets[k][kind] = int32(k)
			for _, set := range program.Sets[k].Kernel {
				if slices.ContainsFunc(forms, func(f program.Form) bool { return program.HasLoop(set, f) }) {
					sets[k][kind] = set
				}
			}
		}
	}
	return sets
}()

// shared reports whether kernel k runs the kind by the loops of another kernel that is in ks.
func (k Kernel) shared(kind Kind, ks Kernels) bool {
	set := Kernel(setOf[k][kind])
	return set != k && ks.Contains(set)
}

// Candidate is one way to run a nest: a kernel, a kind unless plain Go runs a slice, ordinary or
// non-temporal stores, what these prefetch, and a way to cut the nest. Kernel and kind together say
// whose loops run it. Non-temporal stores keep the output out of the caches.
type Candidate struct {
	Kernel      Kernel
	Kind        Kind
	NonTemporal bool
	Prefetch
	Second  bool  // of a conversion: whether its slices are of the kind that is second by estimate
	Cutting       // if the nest is cut
	Cost    int64 // picoseconds, by estimate or as package engine measured them
}

// String returns the candidate's name: "go", or else its kernel, its kind, and "nt" if it uses
// non-temporal stores; then what it prefetches and how the nest is cut, if not by the usual rules.
// A conversion by plain Go has its kind, too, and one whose slices are of the second kind says so.
func (c Candidate) String() string {
	name := c.Kernel.String()
	if c.Kernel != Go || c.Kind.Staged() {
		name += " " + c.Kind.String()
	}
	if c.NonTemporal {
		name += " nt" + c.Prefetch.String()
	}
	if c.Second {
		name += " second"
	}
	return name + c.Cutting.String()
}

// Same reports whether two candidates are equal except, perhaps, in their costs.
func (c Candidate) Same(other Candidate) bool {
	c.Cost, other.Cost = 0, 0
	return c == other
}

// sortsLoops reports whether the loops around the rows of c's programs come in the order of the
// source if the lines of the nest do not fit the first-level cache. Most kinds are faster so for
// nearly all such slices. Rows that are copied by ordinary stores, and tiles, may be faster or
// slower. So for them this order is a way of its own, sourceOrder. kindLong, which chooses its row
// itself, is treated like them.
//
// In the order of the source, copies by non-temporal stores take .58 to .98 of the time on a Zen 5,
// and .35 to 1.10 of it on a Xeon with AMX-BF16. The records of permutations in bench/records show
// it.
func (c Candidate) sortsLoops() bool {
	switch {
	case c.Kernel == Go:
		return false
	case c.Kind == kindCopy && c.NonTemporal:
		return c.Order != destinationOrder
	case c.Kind == kindCopy || c.Kind == kindString || c.Kind == kindTile || c.Kind == kindTable || c.Kind == kindLong:
		return c.Order == sourceOrder
	}
	return true
}

// Rules are what the planner has to know besides the nest.
type Rules struct {
	Kernels    Kernels // to choose among
	Stores     Stores  // to choose among
	AloneBelow int64   // picoseconds: if the cheapest way costs less by estimate, List returns it alone
}

// noWay is the cost of running a nest in a way that does not exist.
const noWay = math.MaxInt64

// search prices each way to run n that w allows and passes it to `found`. If several of the kernels
// run a kind by the same loops, only the weakest of these kernels is a way. p becomes the program,
// ready to run, of the last way for which `found` returns true, unless that way is plain Go.
func (h *Host) search(p *program.Draft, n *nest.Nest, w *Rules, found func(c Candidate) bool) {
	var room program.Draft
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
				j.Candidate = Candidate{Kernel: k, Kind: kind, NonTemporal: nt}
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
	link(&p.Program)
}

// Choose returns the first way that List returns for a nest.
func (h *Host) Choose(p *program.Draft, n *nest.Nest, w Rules) Candidate {
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

// mostDear limits the list: by estimate, a listed way costs at most so many times as much as the
// first.
const mostDear = 6

// List stores in ways the ways to run `parts` parts like n, the cheapest by estimate first, each
// with its cost for all parts. It returns how many there are: one if the cheapest costs less than
// w.AloneBelow, and at most MaxListed. If w allows only non-temporal stores and no way has them,
// the ways have ordinary ones. List makes p the program of the cheapest way for n, ready to run,
// unless that way is plain Go. There must be a kernel to choose.
func (h *Host) List(ways *[MaxListed]Candidate, p *program.Draft, n *nest.Nest, parts int64, w Rules) (count int) {
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
func (h *Host) Candidates(n *nest.Nest, parts int64, w Rules) (cs []Candidate) {
	var p program.Draft
	h.search(&p, n, &w, func(c Candidate) bool {
		c.Cost = Times(c.Cost, parts)
		cs = append(append(cs, h.Prefetching(n, []Candidate{c})...), c)
		return false
	})
	slices.Reverse(cs) // of equal costs the last comes first, as in List
	slices.SortStableFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// Prefetching returns ways to run n that differ from one of cs in what they prefetch. cs are
// candidates for n, and that one is the first with non-temporal stores. Without such a candidate
// there are none.
func (h *Host) Prefetching(n *nest.Nest, cs []Candidate) (others []Candidate) {
	i := slices.IndexFunc(cs, func(c Candidate) bool { return c.NonTemporal })
	if i < 0 {
		return nil
	}
	var usual, p program.Draft
	c := cs[i]
	h.Make(&usual, n, c)
	for _, c.Prefetch = range [...]Prefetch{noPrefetch, nearPrefetch, farPrefetch} {
		if h.Make(&p, n, c) && p.Prefetch != usual.Prefetch {
			others = append(others, c)
		}
	}
	return others
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

// InBlocks returns ways to run a large slice, which are compared block by block. If the loops have
// one order in the source and in the destination, they are the ways that List returns, and a block
// is some successive parts. Otherwise they are at most `limit` ways in three groups. The first
// group is the candidate that is the cheapest for a block by estimate, with each sort of stores
// that w allows, cut into each sort of parts. The second group is the ways that List returns, in
// blocks. The third group is the first one in other orders. In either case, the ways that
// Prefetching returns come behind those that List returns.
func (h *Host) InBlocks(n *nest.Nest, w Rules, limit int) (cs []Candidate) {
	var (
		list [MaxListed]Candidate
		made program.Draft
	)
	withPrefetches := func(part *nest.Nest, count int64) []Candidate {
		listed := list[:h.List(&list, &made, part, count, w)]
		return slices.Concat(listed, h.Prefetching(part, listed))
	}
	if !crossed(n.Dims[:n.Rank]) {
		pieces := Cut(n, w.Stores, Cutting{})
		return withPrefetches(&pieces.Shapes[0], pieces.Count)
	}
	blocks := Blocks(n)
	pieces := Cut(&blocks.Shapes[0], w.Stores, Cutting{})
	part, count := &pieces.Shapes[0], blocks.Count*pieces.Count
	add := func(c Candidate) {
		if len(cs) < limit && !slices.ContainsFunc(cs, c.Same) {
			cs = append(cs, c)
		}
	}
	listed := withPrefetches(part, count)
	same := slices.DeleteFunc(h.Candidates(part, count, w), func(c Candidate) bool {
		return c.Kernel != listed[0].Kernel || c.Kind != listed[0].Kind || c.Prefetch != UsualPrefetch || !w.Stores.Allow(c)
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
func (h *Host) Make(p *program.Draft, n *nest.Nest, c Candidate) bool {
	j := job{Candidate: c, host: h, nest: n, p: p}
	if !j.make() {
		return false
	}
	link(&p.Program)
	return true
}

// MakeParts adds the programs of the shapes of ps, ready to run, by c, a candidate for the first
// shape that is not plain Go. `first` is the program of the first shape, or nil to make that as
// well; MakeParts may change it. A shape for which c has no program gets the cheapest one of the
// same kernel, with ordinary stores. What programs prefetch depends on the size of all parts.
func (h *Host) MakeParts(programs *program.Programs, ps *Pieces, c Candidate, first *program.Draft) {
	w := Rules{Kernels: OneKernel(c.Kernel), Stores: Stores{Cached: true}}
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

// PriceBy returns what c costs for n by the costs and caches of another host. The program that is
// priced is the one that h makes; c must be a candidate of h for n.
func (h *Host) PriceBy(other *Host, c Candidate, n *nest.Nest) int64 {
	if c.Kernel == Go {
		return other.priceGo(n, false)
	}
	var p program.Draft
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
