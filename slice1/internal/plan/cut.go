package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

const (
	// PartBytes is about how many bytes of output a part of a large plan has with ordinary stores. A
	// nest of at most PartBytes runs whole. Parts are the units of parallel work. Their size bounds
	// how long a cancelled context goes unnoticed: a part of 1-byte elements that all miss the
	// cache takes milliseconds.
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
// runs of equally many iterations, except that its last run may be shorter. So the parts have at
// most four shapes.
type Pieces struct {
	Count     int64
	NumShapes int          // 1, 2 or 4 if no loop, one loop or two loops have a shorter last run
	Shapes    [4]nest.Nest // of which NumShapes are set; their offsets are 0

	outer [nest.MaxRank]runs // the loops from part to part, the outermost first
	rank  int                // how many these are

	srcOff, dstOff int64 // where the nest begins
}

// runs is a loop from part to part, whose iterations are runs of a loop of the nest. bit is added to
// the index of the shape for the last run: 0 if that is as long as the others.
type runs struct {
	nest.Dim
	bit int
}

// align is the bytes of a cache line. Methods inner and planes cut innermost loops at multiples of as
// many iterations.
const align = 64

// roundUp returns the least multiple of `multiple` that is not below n.
func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// Cut cuts a nest of positive destination strides into parts of about PartBytes. A nest of at most one
// and a half times PartBytes stays whole. If `may` has non-temporal stores, the parts of a transposed view
// are made for them.
func Cut(n *nest.Nest, may Stores) Pieces { return cut(n, PartBytes, may.NonTemporal) }

// cut is Cut with `limit` bytes, at least 1, in place of PartBytes.
func cut(n *nest.Nest, limit int64, nt bool) Pieces {
	p := Pieces{Count: 1, NumShapes: 1, srcOff: n.SrcOff, dstOff: n.DstOff}
	for s := range p.Shapes {
		p.Shapes[s].Width = n.Width
	}
	large := func(bytes int64) bool { return bytes > limit+limit/2 }
	y := nest.Transposed(n)
	nt = nt && y >= 0 && n.Inner().Extent*int64(n.Width) >= 2*align
	switch {
	case nt && wholeLines(n) && large(nest.Bytes(n)):
		run := columns(n, limit)
		for i, d := range n.Dims[:n.Rank] {
			p.loop(d, run[i])
		}
	case y >= 0 && large(n.Dims[y].Extent*n.Inner().Extent*int64(n.Width)):
		p.planes(n, y, limit)
	case crossed(n) && large(nest.Bytes(n)):
		run := balanced(n, limit)
		for i, d := range n.Dims[:n.Rank] {
			p.loop(d, run[i])
		}
	default:
		p.inner(n, limit)
	}
	if nt {
		// What is stored does not stay in the caches, so only the order of the source counts.
		slices.SortStableFunc(p.outer[:p.rank], func(a, b runs) int { return cmp.Compare(abs(b.Src), abs(a.Src)) })
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
	return ends%align == 0
}

// planes cuts a transposed view whose loop y walks the lines of the source. A part is a rectangle
// of that loop and the innermost one; all other loops go from part to part.
func (p *Pieces) planes(n *nest.Nest, y int, limit int64) {
	for i, d := range n.Dims[:n.Rank-1] {
		if i != y {
			p.loop(d, 1)
		}
	}
	tall, wide := block(n.Dims[y], n.Inner(), int64(n.Width), limit)
	p.loop(n.Dims[y], tall)
	p.loop(n.Inner(), wide)
}

// inner cuts a nest so that a part is made of the innermost loops, as many as have `limit` bytes.
// If these have more than one and a half times the limit, the outermost of them is cut. If that is
// the innermost loop of the nest, a part has a multiple of 64 iterations of it. Otherwise a part
// has a multiple of the least number of iterations that move the destination by whole lines, unless
// a part has fewer. Then no two parts store to one line if the destination begins with a line.
func (p *Pieces) inner(n *nest.Nest, limit int64) {
	at, inside := n.Rank, int64(n.Width)
	for at > 0 && inside < limit {
		at--
		inside *= n.Dims[at].Extent
	}
	for _, d := range n.Dims[:at] {
		p.loop(d, 1)
	}
	for i, d := range n.Dims[at:n.Rank] {
		run := d.Extent
		if i == 0 && inside > limit+limit/2 {
			run = max(1, limit/(inside/d.Extent))
			if at == n.Rank-1 {
				run = roundUp(run, align)
			} else if whole := max(1, align/(d.Dst&-d.Dst)); whole <= run {
				run -= run % whole
			}
		}
		p.loop(d, run)
	}
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

// balanced returns how many iterations of each loop a part has. Such a part consists of long runs
// both in the source and in the destination, so that each side visits few lines and pages. It has
// about `limit` bytes.
func balanced(n *nest.Nest, limit int64) (run [nest.MaxRank]int64) {
	rank, width := int(n.Rank), int64(n.Width)
	g := growth{n: n, run: &run}
	var src, dst [nest.MaxRank]int
	for i := range rank {
		run[i] = 1
		src[i], dst[rank-1-i] = i, i
	}
	sortByNear(n, src[:rank])
	target := int64(math.Sqrt(float64(limit * width)))
	g.room = max(1, limit/width)
	g.grow(dst[:rank], target)
	g.grow(src[:rank], target)
	g.grow(src[:rank], limit)
	g.grow(dst[:rank], limit)
	return run
}

// columns returns how many iterations of each loop a part of a transposed view has if it is stored by
// non-temporal stores: as few of the innermost loop as such stores allow and `streams` at least, and else
// those that read on along the lines of the source.
func columns(n *nest.Nest, limit int64) (run [nest.MaxRank]int64) {
	in, width := int(n.Rank)-1, int64(n.Width)
	var src [nest.MaxRank]int
	for i := range n.Rank {
		run[i], src[i] = 1, int(i)
	}
	wide := max(streams*max(1, page/abs(n.Inner().Src)), 2*align/width)
	if run[in] = n.Inner().Extent; run[in] >= 2*wide {
		run[in] = wide
	}
	sortByNear(n, src[:in])
	g := growth{n: n, run: &run, room: max(1, limit/(run[in]*width))}
	g.grow(src[:in], limit)
	return run
}

// sortByNear sorts indices of loops of n, the smallest source stride first.
func sortByNear(n *nest.Nest, loops []int) {
	slices.SortStableFunc(loops, func(a, b int) int { return cmp.Compare(near(n, a), near(n, b)) })
}

// near returns how many bytes an iteration of loop i moves the source, in either direction, or the
// largest number if it does not move the source. Loops are sorted by it.
func near(n *nest.Nest, i int) int64 {
	if n.Dims[i].Src == 0 {
		return math.MaxInt64
	}
	return abs(n.Dims[i].Src)
}

// growth is a part of the nest n that grows.
type growth struct {
	n    *nest.Nest
	run  *[nest.MaxRank]int64 // how many iterations of each loop the part has
	room int64                // by which factor the part may still grow
}

// grow adds iterations of the loops of these indices to the part, loop after loop, until those of
// the part have about `target` bytes or there is no more room. It goes on to the next loop only if
// the part has all iterations of the one before. The loops must be given with the smallest stride,
// on one side of the nest, first.
func (g *growth) grow(loops []int, target int64) {
	line := max(1, align/int64(g.n.Width))
	bytes := int64(g.n.Width)
	for _, i := range loops {
		extent, before := g.n.Dims[i].Extent, g.run[i]
		take := min(extent, before*g.room, max(before, ceilDiv(target, bytes)))
		if take < extent && take > before {
			take = ceilDiv(extent, ceilDiv(extent, take)) // so that the runs of the loop are about equal
			if bytes == int64(g.n.Width) {
				take = min(extent, roundUp(take, line)) // whole lines of elements, or the whole loop
			}
		}
		g.run[i] = take
		g.room = max(1, g.room*before/take)
		bytes *= take
		if take < extent {
			return
		}
	}
}

// block returns how many iterations of two transposed loops a part has: tall of `across`, which
// walks the lines of the source, and wide of `in`, the innermost loop. tall is a multiple of the
// number of iterations that stay within a line of the source, since parts that share a line each
// read it, and at least four times that number, since each line of `in` begins in another page.
func block(across, in nest.Dim, width, limit int64) (tall, wide int64) {
	lines := max(1, align/abs(across.Src))
	tall, wide = roundUp(max(4*lines, limit/(in.Extent*width)), lines), in.Extent
	if parts := in.Extent * width * min(tall, across.Extent) / limit; parts > 1 {
		wide = roundUp(ceilDiv(in.Extent, parts), align)
	}
	return tall, wide
}

// loop adds d to p inside the loops that are there already. A part has `run` iterations of d, or
// all if d has fewer; the last run of d may be shorter.
func (p *Pieces) loop(d nest.Dim, run int64) {
	run = min(run, d.Extent)
	count := ceilDiv(d.Extent, run)
	last, bit := d.Extent-(count-1)*run, 0
	if last < run {
		bit = p.NumShapes
		p.NumShapes *= 2
	}
	if count > 1 {
		p.outer[p.rank] = runs{nest.Dim{Extent: count, Src: d.Src * run, Dst: d.Dst * run}, bit}
		p.rank++
		p.Count *= count
	}
	if run == 1 {
		return
	}
	for s := range p.Shapes {
		n := &p.Shapes[s]
		n.Dims[n.Rank] = nest.Dim{Extent: run, Src: d.Src, Dst: d.Dst}
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
