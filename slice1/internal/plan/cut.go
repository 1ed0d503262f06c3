package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

const (
	// PartBytes is the output of one part of a large plan, the unit of parallel work. It
	// bounds how long a cancelled context goes unnoticed: a part of 1-byte elements that
	// all miss the cache takes milliseconds.
	PartBytes = 256 << 10
	// ParallelBytes is the output below which a second goroutine costs more than it does.
	ParallelBytes = 4 << 20
)

// Pieces is a nest cut into Count parts of about equal work that cover it
// exactly once. Loops are cut into runs of a fixed number of iterations; the
// last run of a loop may be shorter, hence parts of several shapes.
type Pieces struct {
	Count     int64
	NumShapes int          // 1, 2 or 4: no loop, one or two have a shorter last run
	Shapes    [4]nest.Nest // their offsets 0

	outer nest.Nest // loops over parts
	short [2]int32  // of each loop whose last run is shorter, its index in outer
}

// align is a cache line in bytes. If the innermost loop is cut, a part has a multiple of 64
// of its iterations, so that parts start where whole vectors do.
const align = 64

func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// Cut cuts a nest of positive destination strides into parts of about PartBytes; a nest
// that is not much larger stays whole.
func Cut(n *nest.Nest, storing Storing) Pieces { return cut(n, PartBytes, storing != Cached) }

// cut is Cut for parts of about limit bytes, at least one byte. If stream is true, parts
// are stored by non-temporal stores.
func cut(n *nest.Nest, limit int64, stream bool) Pieces {
	p := Pieces{Count: 1, NumShapes: 1, outer: *n}
	p.outer.Rank = 0
	for s := range p.Shapes {
		p.Shapes[s].Width = n.Width
	}
	large := func(bytes int64) bool { return bytes > limit+limit/2 }
	y := nest.Transposed(n)
	switch {
	case y >= 0 && large(n.Dims[y].Extent*n.Inner().Extent*int64(n.Width)):
		p.planes(n, y, limit, stream)
	case crossed(n) && large(nest.Bytes(n)):
		run := balanced(n, limit, stream)
		for i, d := range n.Dims[:n.Rank] {
			p.loop(d, run[i])
		}
	default:
		p.inner(n, limit)
	}
	return p
}

// planes cuts a transposed view, loop y of which walks the lines of the source, into parts
// of its planes.
func (p *Pieces) planes(n *nest.Nest, y int, limit int64, stream bool) {
	for i, d := range n.Dims[:n.Rank-1] {
		if i != y {
			p.loop(d, 1)
		}
	}
	tall, wide := block(n.Dims[y], n.Inner(), int64(n.Width), limit, stream)
	p.loop(n.Dims[y], tall)
	p.loop(n.Inner(), wide)
}

// inner cuts a nest into runs of the destination. A part holds the innermost loops that
// make up its size, and the outermost of these is cut. If n rows end where a line of the
// destination ends, for a small n, a part has a multiple of n rows, so that no two
// goroutines write one line.
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

// crossed reports whether some loop moves the source further than a loop around it, so
// that source and destination are not walked in one order.
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

// balanced returns how many iterations of each loop make a part whose source and
// destination are both runs as long as they can be, so that both sides of a part visit
// few lines and pages.
func balanced(n *nest.Nest, limit int64, stream bool) (run [nest.MaxRank]int64) {
	rank, width := int(n.Rank), int64(n.Width)
	g := growth{n: n, run: &run}
	var src, dst [nest.MaxRank]int
	for i := range rank {
		run[i] = 1
		src[i], dst[rank-1-i] = i, i
	}
	slices.SortStableFunc(src[:rank], func(a, b int) int { return cmp.Compare(near(n, a), near(n, b)) })
	target := int64(math.Sqrt(float64(limit * width)))
	if stream {
		limit *= 4
		target = 512
	}
	g.room = max(1, limit/width)
	g.grow(dst[:rank], target)
	g.grow(src[:rank], target)
	g.grow(src[:rank], limit)
	g.grow(dst[:rank], limit)
	return run
}

// near returns the key by which loops are sorted: how far they move the source. A loop that does
// not move it is last.
func near(n *nest.Nest, i int) int64 {
	if n.Dims[i].Src == 0 {
		return math.MaxInt64
	}
	return abs(n.Dims[i].Src)
}

// growth is a part that grows.
type growth struct {
	n    *nest.Nest
	run  *[nest.MaxRank]int64
	room int64 // how many times larger it may become
}

// grow takes iterations of loops, given in the order in which they move one side of the
// nest, until they make a run of target bytes or there is no room.
func (g *growth) grow(loops []int, target int64) {
	line := max(1, align/int64(g.n.Width))
	bytes := int64(g.n.Width)
	for _, i := range loops {
		extent, before := g.n.Dims[i].Extent, g.run[i]
		take := min(extent, before*g.room, max(before, ceilDiv(target, bytes)))
		if take < extent && take > before {
			take = ceilDiv(extent, ceilDiv(extent, take)) // equal parts
			if bytes == int64(g.n.Width) {
				take = min(extent, roundUp(take, line)) // of whole lines
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

// block returns how many iterations of two transposed loops make a part. A part
// takes whole lines of the source, since parts that share a line each read it.
// With non-temporal stores parts are larger, so that runs of the source are long,
// and narrow, so that processors can follow all runs that are read side by side.
func block(across, in nest.Dim, width, limit int64, stream bool) (tall, wide int64) {
	lines := max(1, align/max(across.Src, -across.Src))
	bytes := in.Extent * width
	if stream {
		limit *= 4
		bytes = min(bytes, 512)
	} else if bytes > 16*limit/lines {
		bytes = 4096
	}
	wide = in.Extent
	if parts := in.Extent * width / bytes; parts > 1 {
		wide = roundUp((in.Extent+parts-1)/parts, align)
	}
	return roundUp(max(1, limit/(wide*width)), lines), wide
}

// loop adds d to p inside the loops already there. A part has `run` of its
// iterations.
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

// Part returns the offsets of the first element of part i, 0 <= i < Count, and
// the number of its shape.
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
