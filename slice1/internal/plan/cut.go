package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

const (
	// PartBytes is about how many bytes of output a part of a large plan has with ordinary stores.
	// A nest of at most PartBytes runs whole. Parts are the units of parallel work. Their size
	// bounds how long a cancelled context goes unnoticed: a part of 1-byte elements that all miss
	// the cache takes milliseconds.
	PartBytes = 256 << 10
	// ParallelBytes is the size of the output, in bytes, below which a plan runs on one goroutine,
	// since a second one costs more time than it saves.
	ParallelBytes = 4 << 20
	// streams is in how many pages, of `page` bytes, a part reads on side by side if it is cut for
	// non-temporal stores: as many as the second-level cache of an Intel core prefetches.
	streams = 32
	page    = 4096
)

// Pieces is a nest cut into parts that together make each element once.
type Pieces struct {
	Grid
	Shapes [4]nest.Nest // of which NumShapes are set; their offsets are 0

	srcOff, dstOff int64 // where the nest begins
}

// Cutting is how a slice is cut that is too large for one part: by the rule of Cut, or otherwise.
type Cutting struct {
	Parts  Parts
	Order  Order
	Blocks bool // whether it is cut into blocks before, which are cut so one after another
}

// Parts is which loops are cut.
type Parts uint8

const (
	usualParts Parts = iota
	boxes            // of about equally long runs in the source and in the destination
	bands            // of whole rows, as the destination has them
)

// Order is in which order parts come, and within a part the loops around its rows.
type Order uint8

const (
	usualOrder       Order = iota // of parts as cut has it, of loops as sortsLoops has it
	sourceOrder                   // both as the source has them
	destinationOrder              // both as the destination has them, but for the loops of some kinds
)

// String returns the end of the names of candidates that are cut so.
func (c Cutting) String() string {
	name := [...]string{"", " boxes", " bands"}[c.Parts] + [...]string{"", " by source", " by destination"}[c.Order]
	if c.Blocks {
		name += " in blocks"
	}
	return name
}

// EveryCutting returns all ways to cut a nest, the rule of Cut first. A large one is cut in all other
// ways in blocks. Several may make the same parts.
func EveryCutting(n *nest.Nest) []Cutting {
	all := []Cutting{{}}
	for parts := range bands + 1 {
		for order := range destinationOrder + 1 {
			if c := (Cutting{parts, order, Large(n)}); c != all[0] {
				all = append(all, c)
			}
		}
	}
	return all
}

// Cuttings returns the ways to cut a nest for c that differ from the rule of Cut, and from each
// other: in the parts, in their order, or in that of the loops around the rows of a part.
func Cuttings(n *nest.Nest, may Stores, c Candidate) (others []Cutting) {
	type way struct {
		pieces         Pieces
		blocks, sorted bool
	}
	var known []way
	blocks := Blocks(n)
	for i, by := range EveryCutting(n) {
		in := n
		if by.Blocks {
			in = &blocks.Shapes[0]
		}
		w := way{pieces: Cut(in, may, by), blocks: by.Blocks}
		c.Cutting = by
		if part := &w.pieces.Shapes[0]; part.Rank > 0 && crossed(part.Dims[:part.Rank-1]) {
			w.sorted = c.sortsLoops()
		}
		if slices.Contains(known, w) {
			continue
		}
		if known = append(known, w); i > 0 {
			others = append(others, by)
		}
	}
	return others
}

// LargeBytes is the size of the output, in bytes, from which on a slice may run block by block, and
// BlockBytes is about the size of a block. They are variables for tests.
var LargeBytes, BlockBytes int64 = 64 << 20, 4 << 20

// Large reports whether a slice may run block by block: if it has another order in the source than
// in the destination. If it has one order, its parts follow each other there and here, and blocks
// would change nothing.
func Large(n *nest.Nest) bool { return nest.Bytes(n) >= LargeBytes && crossed(n.Dims[:n.Rank]) }

// Blocks cuts a nest into blocks: large parts with long runs both in the source and in the
// destination.
func Blocks(n *nest.Nest) Pieces { return cut(n, BlockBytes, false, Cutting{Parts: boxes}) }

// roundUp returns the least multiple of `multiple` that is not below n.
func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// Cut cuts a nest of positive destination strides into parts of about PartBytes. A nest of at most
// one and a half times PartBytes stays whole. If `may` has non-temporal stores, the parts of a
// transposed view are made for them.
func Cut(n *nest.Nest, may Stores, by Cutting) Pieces { return cut(n, PartBytes, may.NonTemporal, by) }

// cut is Cut with `limit` bytes, at least 1, in place of PartBytes.
func cut(n *nest.Nest, limit int64, nt bool, by Cutting) Pieces {
	large := func(bytes int64) bool { return bytes > limit+limit/2 }
	in, width, rank := n.Inner(), int64(n.Width), int(n.Rank)
	y := nest.Transposed(n)
	nt = nt && y >= 0 && in.Extent*width >= 2*csrc.LineBytes
	part := growthOf(n.Dims[:rank], limit/width)
	switch {
	case !large(nest.Bytes(n)):
		part.all()
	case by.Parts == bands:
		part.grow(rank, dstStep, part.size)
	case by.Parts == boxes:
		part.box()
	case nt && wholeLines(n):
		part.row(few(in, width), width, 1)
		part.grow(rank-1, srcStep, part.size)
	case y >= 0 && large(n.Dims[y].Extent*in.Extent*width):
		// Parts that share a line of the source each read it, and each line of the innermost loop
		// begins in another page. So a part takes at least four lines of elements of each.
		least := min(4*perLine(n.Dims[y].Src), n.Dims[y].Extent)
		part.row(in.Extent/max(1, in.Extent*width*least/limit), width, least)
		part.grow(rank-1, srcStep, part.size)
	default:
		part.box()
	}
	p := Pieces{Grid: part.grid(), srcOff: n.SrcOff, dstOff: n.DstOff}
	if by.Order == sourceOrder || by.Order == usualOrder && nt {
		// What is stored by non-temporal stores does not stay in the caches, so only the order of
		// the source counts.
		slices.SortStableFunc(p.outer[:p.rank], func(a, b chunks) int { return cmp.Compare(abs(b.Src), abs(a.Src)) })
	}
	for s := range p.Shapes {
		shape := &p.Shapes[s]
		shape.Width = n.Width
		for i, d := range n.Dims[:rank] {
			if d.Extent = p.Iterations(i, s); p.run[i] > 1 {
				shape.Dims[shape.Rank] = d
				shape.Rank++
			}
		}
	}
	return p
}

// wholeLines reports whether every row consists of whole lines of the destination if the first row
// begins with a line.
func wholeLines(n *nest.Nest) bool {
	ends := n.Inner().Extent * int64(n.Width)
	for _, d := range n.Dims[:n.Rank-1] {
		ends |= d.Dst
	}
	return ends%csrc.LineBytes == 0
}

// few returns how many iterations of the innermost loop a part of a transposed view has if it is
// stored by non-temporal stores: as few as such stores allow and `streams` at least, and all if
// these are not twice as many.
func few(in nest.Dim, width int64) int64 {
	wide := max(streams*max(1, page/abs(in.Src)), 2*csrc.LineBytes/width)
	if in.Extent < 2*wide {
		return in.Extent
	}
	return wide
}

// Part is At with the offsets of the part, where the nest of the part is Shapes[shape].
func (p *Pieces) Part(i int64) (src, dst int64, shape int) {
	src, dst, shape = p.At(i)
	return p.srcOff + src, p.dstOff + dst, shape
}
