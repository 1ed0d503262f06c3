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
)

// Pieces is a nest cut into Count parts that together make each element once. A loop is cut into
// runs of equally many iterations, except that its last run may be shorter. So the parts have at
// most four shapes.
type Pieces struct {
	Count     int64
	NumShapes int          // 1, 2 or 4 if no loop, one loop or two loops have a shorter last run
	Shapes    [4]nest.Nest // of which NumShapes are set; their offsets are 0

	outer nest.Nest // the loops from part to part
	short [2]int32  // the indices in outer of the loops whose last run is shorter
}

// align is the bytes of a cache line. Methods inner and planes cut innermost loops at multiples of as
// many iterations.
const align = 64

// roundUp returns the least multiple of `multiple` that is not below n.
func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// Cut cuts a nest of positive destination strides into parts of about PartBytes. A nest of at most one
// and a half times PartBytes stays whole.
func Cut(n *nest.Nest) Pieces { return cut(n, PartBytes) }

// cut is Cut with `limit` bytes, at least 1, in place of PartBytes.
func cut(n *nest.Nest, limit int64) Pieces {
	p := Pieces{Count: 1, NumShapes: 1, outer: *n}
	p.outer.Rank = 0
	for s := range p.Shapes {
		p.Shapes[s].Width = n.Width
	}
	large := func(bytes int64) bool { return bytes > limit+limit/2 }
	y := nest.Transposed(n)
	switch {
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
	return p
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
	slices.SortStableFunc(src[:rank], func(a, b int) int { return cmp.Compare(near(n, a), near(n, b)) })
	target := int64(math.Sqrt(float64(limit * width)))
	g.room = max(1, limit/width)
	g.grow(dst[:rank], target)
	g.grow(src[:rank], target)
	g.grow(src[:rank], limit)
	g.grow(dst[:rank], limit)
	return run
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
	runs := (d.Extent + run - 1) / run
	last := d.Extent - (runs-1)*run
	if runs > 1 {
		if last < run {
			p.short[p.NumShapes/2] = p.outer.Rank
			p.NumShapes *= 2
		}
		p.outer.Dims[p.outer.Rank] = nest.Dim{Extent: runs, Src: d.Src * run, Dst: d.Dst * run}
		p.outer.Rank++
		p.Count *= runs
	}
	if run == 1 {
		return
	}
	for s := range p.Shapes {
		n := &p.Shapes[s]
		n.Dims[n.Rank] = nest.Dim{Extent: run, Src: d.Src, Dst: d.Dst}
		if last < run && s&(p.NumShapes/2) != 0 {
			n.Dims[n.Rank].Extent = last
		}
		n.Rank++
	}
}

// Part returns the offsets of part i, 0 <= i < Count, in the source and in the destination, in
// bytes, and the index of its shape. The nest of the part is Shapes[shape] at these offsets.
func (p *Pieces) Part(i int64) (src, dst int64, shape int) {
	src, dst = p.outer.SrcOff, p.outer.DstOff
	for k := p.outer.Rank - 1; k >= 0; k-- {
		d := &p.outer.Dims[k]
		j := i % d.Extent
		i /= d.Extent
		src += j * d.Src
		dst += j * d.Dst
		if j == d.Extent-1 {
			if p.NumShapes > 1 && k == p.short[0] {
				shape |= 1
			}
			if p.NumShapes > 2 && k == p.short[1] {
				shape |= 2
			}
		}
	}
	return src, dst, shape
}
