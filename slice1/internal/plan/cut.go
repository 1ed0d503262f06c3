package plan

import (
	"cmp"
	"math"
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

// Pieces is a nest cut into Count parts that together make each element once. A loop is cut into
// chunks of equally many iterations, except that its last chunk may be shorter. So the parts have
// at most four shapes.
type Pieces struct {
	Count     int64
	NumShapes int          // 1, 2 or 4 if no loop, one loop or two loops have a shorter last chunk
	Shapes    [4]nest.Nest // of which NumShapes are set; their offsets are 0

	outer [nest.MaxRank]chunks // the loops from part to part, the outermost first
	rank  int                  // how many these are

	srcOff, dstOff int64 // where the nest begins
}

// chunks is a loop from part to part, whose iterations are chunks of a loop of the nest. bit is
// added to the index of the shape for the last chunk: 0 if that is as long as the others.
type chunks struct {
	nest.Dim
	bit int
}

// roundUp returns the least multiple of `multiple` that is not below n.
func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// Cut cuts a nest of positive destination strides into parts of about PartBytes. A nest of at most
// one and a half times PartBytes stays whole. If `may` has non-temporal stores, the parts of a
// transposed view are made for them.
func Cut(n *nest.Nest, may Stores) Pieces { return cut(n, PartBytes, may.NonTemporal) }

// cut is Cut with `limit` bytes, at least 1, in place of PartBytes.
func cut(n *nest.Nest, limit int64, nt bool) Pieces {
	p := Pieces{Count: 1, NumShapes: 1, srcOff: n.SrcOff, dstOff: n.DstOff}
	for s := range p.Shapes {
		p.Shapes[s].Width = n.Width
	}
	large := func(bytes int64) bool { return bytes > limit+limit/2 }
	in, width, rank := n.Inner(), int64(n.Width), int(n.Rank)
	y := nest.Transposed(n)
	nt = nt && y >= 0 && in.Extent*width >= 2*csrc.LineBytes
	part := growth{n: n, room: max(1, limit/width)}
	for i, d := range n.Dims[:rank] {
		part.extent[i] = 1
		if !large(nest.Bytes(n)) {
			part.extent[i] = d.Extent
		}
	}
	switch {
	case !large(nest.Bytes(n)):
	case nt && wholeLines(n):
		part.begin(few(in, width), limit, 1)
		part.grow(rank-1, srcStep, limit)
	case y >= 0 && large(n.Dims[y].Extent*in.Extent*width):
		// Parts that share a line of the source each read it, and each line of the innermost loop
		// begins in another page. So a part takes at least four lines of elements of each.
		least := min(4*perLine(n.Dims[y].Src), n.Dims[y].Extent)
		part.begin(in.Extent/max(1, in.Extent*width*least/limit), limit, least)
		part.grow(rank-1, srcStep, limit)
	default:
		if crossed(n) {
			// A part has long stretches both in the source and in the destination, so that each
			// side visits few lines and pages.
			target := int64(math.Sqrt(float64(limit * width)))
			part.grow(rank, dstStep, target)
			part.grow(rank, srcStep, target)
			part.grow(rank, srcStep, limit)
		}
		part.grow(rank, dstStep, limit)
	}
	for i, d := range n.Dims[:rank] {
		p.loop(d, part.extent[i])
	}
	if nt {
		// What is stored does not stay in the caches, so only the order of the source counts.
		slices.SortStableFunc(p.outer[:p.rank], func(a, b chunks) int { return cmp.Compare(abs(b.Src), abs(a.Src)) })
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

// crossed reports whether some loop moves the source further than a loop around it that moves the
// source at all, so that the order of the loops is not that of their source strides.
func crossed(n *nest.Nest) bool {
	least := int64(math.MaxInt64)
	for _, d := range n.Dims[:n.Rank] {
		if up := abs(d.Src); up > least {
			return true
		} else if up > 0 {
			least = up
		}
	}
	return false
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

// perLine returns the least number of iterations of a loop of this stride that move by whole lines.
func perLine(stride int64) int64 { return max(1, csrc.LineBytes/max(1, stride&-stride)) }

// srcStep and dstStep return how far an iteration of a loop moves in the source and in the
// destination.
func srcStep(d nest.Dim) int64 { return d.Src }
func dstStep(d nest.Dim) int64 { return d.Dst }

// growth is a part of the nest n that grows.
type growth struct {
	n      *nest.Nest
	extent [nest.MaxRank]int64 // how many iterations of each loop the part has
	room   int64               // by which factor the part may still grow
}

// begin gives the part `wide` iterations of the innermost loop, or somewhat more that are whole
// lines of the destination. The part may have about `limit` bytes, but always `least` times what it
// has.
func (g *growth) begin(wide, limit, least int64) {
	in := g.n.Rank - 1
	wide = min(g.n.Dims[in].Extent, roundUp(wide, perLine(int64(g.n.Width))))
	g.extent[in] = wide
	g.room = max(least, limit/(wide*int64(g.n.Width)))
}

// grow adds iterations of the outermost `rank` loops to the part until those have about `target`
// bytes or there is no more room. `step` says how far a loop moves on one side, the source or the
// destination. The loop of the smallest step comes first, those that do not move last, and the next
// loop only when the part has all iterations of the one before. Chunks of a loop are nearly equal
// and, where possible, whole cache lines, so that no two parts store to one line.
func (g *growth) grow(rank int, step func(nest.Dim) int64, target int64) {
	var order [nest.MaxRank]int
	for i := range rank {
		order[i] = rank - 1 - i
	}
	further := func(loop int) uint64 { return uint64(abs(step(g.n.Dims[loop]))) - 1 }
	slices.SortStableFunc(order[:rank], func(a, b int) int { return cmp.Compare(further(a), further(b)) })
	bytes := int64(g.n.Width)
	for _, i := range order[:rank] {
		d, before := g.n.Dims[i], g.extent[i]
		take := min(d.Extent, before*g.room, max(before, ceilDiv(target, bytes)))
		if take < d.Extent && take > before {
			take = ceilDiv(d.Extent, (d.Extent+take/2)/take)
			if whole := perLine(step(d)); whole <= take {
				take = min(d.Extent, roundUp(take, whole))
			}
		}
		g.extent[i] = take
		g.room = max(1, g.room*before/take)
		bytes *= take
		if take < d.Extent {
			return
		}
	}
}

// loop adds d to p inside the loops that are there already. A part has `chunk`
// iterations of d, or all if d has fewer; the last chunk of d may be shorter.
func (p *Pieces) loop(d nest.Dim, chunk int64) {
	chunk = min(chunk, d.Extent)
	count := ceilDiv(d.Extent, chunk)
	last, bit := d.Extent-(count-1)*chunk, 0
	if last < chunk {
		bit = p.NumShapes
		p.NumShapes *= 2
	}
	if count > 1 {
		p.outer[p.rank] = chunks{nest.Dim{Extent: count, Src: d.Src * chunk, Dst: d.Dst * chunk}, bit}
		p.rank++
		p.Count *= count
	}
	if chunk == 1 {
		return
	}
	for s := range p.Shapes {
		n := &p.Shapes[s]
		n.Dims[n.Rank] = nest.Dim{Extent: chunk, Src: d.Src, Dst: d.Dst}
		if s&bit != 0 {
			n.Dims[n.Rank].Extent = last
		}
		n.Rank++
	}
}

// Part returns the offsets of part i, 0 <= i < Count, in the source and in the destination, in
// bytes, and the index of its shape. The nest of the part is Shapes[shape] at these offsets.
func (p *Pieces) Part(i int64) (src, dst int64, shape int) {
	src, dst = p.srcOff, p.dstOff
	for k := p.rank - 1; k >= 0; k-- {
		r := &p.outer[k]
		j := i % r.Extent
		i /= r.Extent
		src += j * r.Src
		dst += j * r.Dst
		if j == r.Extent-1 {
			shape |= r.bit
		}
	}
	return src, dst, shape
}
