// Package plan chooses how a loop nest is executed: which kernel runs it, by which kind of program,
// in which parts and in which order, and how it stores. For every kernel except plain Go it also
// makes the program that the kernel runs.
//
// Planning is plain Go. It makes programs for any instruction set of program.Sets, even one that
// the build or the host lacks. A nest must be in normal form or a part that Cut makes of such a
// nest, its extents must be positive, and each of its two spans must fit a buffer in memory, so
// that no offset overflows. A cost is a number of picoseconds.
package plan

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

const (
	// PartBytes is about how many bytes of output a part of a large plan has with ordinary stores.
	// A nest of at most one and a half times PartBytes is one part. Parts are the units of parallel
	// work. Their size bounds how long a cancelled context goes unnoticed: a part of 1-byte
	// elements that all miss the cache takes milliseconds.
	PartBytes = 256 << 10
	// ParallelBytes is the size of the output, in bytes, below which a plan runs on one goroutine,
	// since a second one costs more time than it saves.
	ParallelBytes = 4 << 20
)

// Pieces is a nest cut into parts that together make each element once.
type Pieces struct {
	Grid
	Shapes []nest.Nest // at most four; their offsets are 0

	srcOff, dstOff int64 // where the nest begins
}

// Bytes returns how many bytes p takes.
func (p *Pieces) Bytes() int64 {
	return int64(unsafe.Sizeof(*p)) + int64(cap(p.Shapes))*int64(unsafe.Sizeof(nest.Nest{}))
}

// Ways returns ways to run p, each with its cost for all parts. The first one is the first choice:
// the cheapest by estimate, with ordinary stores if a problem in stages may have them. It is alone
// if p.Fixed is true, and for a problem in stages. A slice from memory to memory is cut by the
// usual rule, into `usual`. If the first choice is such a slice and not in plain Go, d becomes its
// program for the first shape.
func (h *Host) Ways(p *Problem, usual *Pieces, d *program.Draft) []Candidate {
	if !p.InStages() {
		var list [MaxListed]Candidate
		usual.Cut(&p.Nest, p.Stores, Cutting{})
		return slices.Clone(list[:h.List(&list, d, &usual.Shapes[0], usual.Count, p)])
	}
	ways := p.inStages(OneKernel(p.Kernels.Strongest()))
	if !p.Stores.Cached {
		ways = p.variants(ways)
	}
	return ways[:1]
}

// Cut cuts a nest of positive destination strides into parts of about PartBytes. A nest of at most
// one and a half times PartBytes stays whole. If stores.NonTemporal is true, the parts of a
// transposed view are made for such stores.
func Cut(n *nest.Nest, stores Stores, cutting Cutting) Pieces {
	var p Pieces
	p.Cut(n, stores, cutting)
	return p
}

// Cut sets p to what function Cut returns. It uses the memory of p.Shapes again.
func (p *Pieces) Cut(n *nest.Nest, stores Stores, cutting Cutting) {
	if tooLarge(nest.Bytes(n), PartBytes) {
		p.set(n, cutLarge(n, PartBytes, stores.NonTemporal, cutting))
		return
	}
	*p = Pieces{Grid{Count: 1, NumShapes: 1}, append(p.Shapes[:0], *n), n.SrcOff, n.DstOff}
	p.Shapes[0].SrcOff, p.Shapes[0].DstOff = 0, 0
}

// tooLarge reports whether so many bytes are more than a part of about `limit` bytes may have.
func tooLarge(bytes, limit int64) bool { return bytes > limit+limit/2 }

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

// Choose returns the first way that List returns for a nest.
func (h *Host) Choose(p *program.Draft, n *nest.Nest, w *Problem) Candidate {
	var ways [MaxListed]Candidate
	h.List(&ways, p, n, 1, w)
	return ways[0]
}

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
// shape that is not plain Go. `draft` is the program of the first shape, or nil to make that as
// well; MakeParts may change it. A shape for which c has no program gets the cheapest one of the
// same kernel, with ordinary stores. What programs prefetch depends on the size of all parts.
func (h *Host) MakeParts(programs *program.Programs, ps *Pieces, c Candidate, draft *program.Draft) {
	w := &Problem{Kernels: OneKernel(c.Kernel), Stores: Stores{Cached: true}}
	begin, end, _, _ := nest.Span(&ps.Shapes[0])
	for i := range ps.Shapes {
		p, shape := draft, &ps.Shapes[i]
		if i > 0 || p == nil {
			var room program.Draft
			if p = &room; !h.Make(p, shape, c) && h.Choose(p, shape, w).Kernel != c.Kernel {
				panic("plan: a kernel has no program for a part")
			}
		}
		if isTile(program.FormOf(p.Loop)) {
			p.Tiles().Ahead = h.tilesAhead(&p.Program, Times(nest.Bytes(&ps.Shapes[0]), 2*ps.Count))
		}
		if c.Kind == kindGather {
			p.Prefetch.Distance = h.gatherAhead(&p.Program, Times(end-begin, ps.Count))
		}
		programs.Add(p)
	}
}

// make makes the program of the job's candidate. It cannot run until rebaseStrides is called. make
// returns false if the kind cannot run the nest, or if non-temporal stores do not suit the program.
func (j *job) make() bool {
	j.begin()
	if !j.prepare() {
		return false
	}
	if j.sortsLoops() && j.lines() > 0 {
		slices.SortStableFunc(j.p.Dims[:j.p.Outer], bySource)
	}
	return !j.NonTemporal || j.stream()
}

// prepare makes the job's program by its kind, with ordinary stores and with the loops around the
// rows in the order of the destination. It returns false if the kind cannot or should not run the
// nest.
func (j *job) prepare() bool {
	switch j.Kind {
	case kindCopy:
		return j.contiguous && j.useLoop(program.Copy, 0)
	case kindString:
		return j.contiguous && j.bytes >= leastString && j.host.Strings && j.useLoop(program.String, 0)
	case kindTable, kindTile:
		return j.fillsDst() && j.tile()
	case kindUnits:
		return j.fillsDst() && j.units()
	case kindShuffle:
		return j.fitsShuffle() && j.prepareShuffle()
	case kindSpread:
		return j.spread()
	case kindGather:
		return j.fitsGather() && j.useLoop(program.Gather, 0)
	case kindLong:
		if !j.exchange() {
			return false
		}
	}
	return j.useLoop(program.Element, 0)
}

// cost returns what each row of a program that prepare made costs, without the step to the row.
func (j *job) cost() int64 {
	switch j.Kind {
	case kindCopy, kindString:
		return j.costOfCopy()
	case kindTable, kindTile:
		return j.costOfTiles()
	case kindUnits:
		return j.costOfUnits()
	case kindShuffle:
		return j.costOfShuffle()
	case kindSpread:
		return j.costOfMasks()
	case kindGather:
		return j.costOfGather()
	}
	return j.costOfElement()
}

// bySource compares loops by the absolute value of their source strides, the largest first.
func bySource(x, y nest.Dim) int { return cmp.Compare(abs(y.Src), abs(x.Src)) }

// rebaseStrides makes p ready to run. After the loops inside a loop, C is at their last row and not
// back at their first. So each stride in p.Dims becomes the step from there: for rows of 8 bytes, 3
// in a plane and planes 100 bytes apart, 100 becomes 100 - 2*8 = 84. rebaseStrides also copies the
// two innermost loops around the row to p.Innermost and p.Next.
func rebaseStrides(p *program.Program) {
	p.Innermost, p.Next = noLoop, noLoop
	if p.Outer > 0 {
		p.Innermost = p.Dims[p.Outer-1]
	}
	var dst, src int64
	for i := p.Outer - 1; i >= 0; i-- {
		d := &p.Dims[i]
		whole := *d
		d.Dst -= dst
		d.Src -= src
		dst += (whole.Extent - 1) * whole.Dst
		src += (whole.Extent - 1) * whole.Src
	}
	if p.Outer > 1 {
		p.Next = p.Dims[p.Outer-2]
	}
}

// price sets what one run of a job's program costs: the call, the rows, and the lines that come
// into the cache. The lines that non-temporal stores write do not come into it. So these stores are
// the first choice wherever they are allowed, which is where the output does not fit the caches.
// The strides of the program must not be rebased yet.
func (j *job) price() {
	c := j.host.Costs
	j.costs = &c.Sets[j.p.Set]
	row := j.cost()
	if j.Kind != kindCopy {
		row += j.costs.Row
	}
	for _, d := range j.p.Dims[:j.p.Outer] {
		row *= d.Extent
	}
	j.Cost = j.costs.Call + row + j.lines()*c.Line
}

// lines returns how many lines come into the first-level cache. For units this is an approximation
// by the nest's loops in their order.
func (j *job) lines() int64 {
	p, n := j.p, j.nest
	w := j.host.walk(n.Width, j.NonTemporal)
	switch j.Kind {
	case kindTable, kindTile, kindUnits:
		w.tiled = j.Kind != kindUnits
		w.loops(n.Dims[:n.Rank])
		return w.visits()
	case kindShuffle:
		w.loops(n.Dims[p.Outer:n.Rank])
	default:
		w.loop(p.Row.Extent, p.Row.Src, p.Row.Dst)
	}
	for i := p.Outer - 1; i >= 0; i-- {
		w.loop(p.Dims[i].Extent, p.Dims[i].Src, p.Dims[i].Dst)
	}
	return w.visits()
}
