package nest

import "github.com/seed2e45c115/dml/csrc"

// Pieces is a nest cut into Count parts of about equal work that cover it
// exactly once. Loops are cut into runs of a fixed number of iterations; the
// last run of a loop may be shorter, hence parts of several shapes.
type Pieces struct {
	Count     int64
	NumShapes int          // 1, 2 or 4: no loop, one or two have a shorter last run
	Shapes    [4]csrc.Nest // their offsets 0

	outer csrc.Nest // loops over parts
	short [2]int32  // of each loop whose last run is shorter, its index in outer
}

// align is a cache line in bytes, and the iterations of a cut innermost loop
// that a part holds a multiple of, so that parts start where whole vectors do.
const align = 64

func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// Cut cuts a nest of positive destination strides into parts of about limit
// bytes, at least one byte; a nest that is not much larger stays whole. stream
// says that kernels store past the caches.
func Cut(n *csrc.Nest, limit int64, stream bool) Pieces {
	p := Pieces{Count: 1, NumShapes: 1, outer: *n}
	p.outer.Rank = 0
	for s := range p.Shapes {
		p.Shapes[s].Width = n.Width
	}
	if y := Transposed(n); y >= 0 {
		across, in := n.Dims[y], n.Dims[n.Rank-1]
		if across.Extent*in.Extent*int64(n.Width) > limit+limit/2 {
			for i, d := range n.Dims[:n.Rank-1] {
				if i != y {
					p.loop(d, 1)
				}
			}
			tall, wide := block(across, in, int64(n.Width), limit, stream)
			p.loop(across, tall)
			p.loop(in, wide)
			return p
		}
	}
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
			}
		}
		p.loop(d, run)
	}
	return p
}

// Transposed returns the loop that walks the lines of the source beside an
// innermost one that leaves them at each step, or -1.
func Transposed(n *csrc.Nest) int {
	if n.Rank < 2 {
		return -1
	}
	in, y, least := n.Dims[n.Rank-1], -1, int64(align)
	if in.Dst != int64(n.Width) || max(in.Src, -in.Src) < align {
		return -1
	}
	for i, d := range n.Dims[:n.Rank-1] {
		if up := max(d.Src, -d.Src); up > 0 && up < least {
			y, least = i, up
		}
	}
	return y
}

// block returns how many iterations of two transposed loops make a part: whole
// lines of the source, which parts that shared them would each read. Where
// stores go past the caches, lines are best read far, side by side: parts are
// then larger, and no wider than the lines of the source that can be followed.
func block(across, in csrc.Dim, width, limit int64, stream bool) (tall, wide int64) {
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

// loop puts d into p inside the loops already there, run iterations to a part.
func (p *Pieces) loop(d csrc.Dim, run int64) {
	run = min(run, d.Extent)
	runs := (d.Extent + run - 1) / run
	last := d.Extent - (runs-1)*run
	if runs > 1 {
		if last < run {
			p.short[p.NumShapes/2] = p.outer.Rank
			p.NumShapes *= 2
		}
		p.outer.Dims[p.outer.Rank] = csrc.Dim{Extent: runs, Src: d.Src * run, Dst: d.Dst * run}
		p.outer.Rank++
		p.Count *= runs
	}
	if run == 1 {
		return
	}
	for s := range p.Shapes {
		n := &p.Shapes[s]
		n.Dims[n.Rank] = csrc.Dim{Extent: run, Src: d.Src, Dst: d.Dst}
		if last < run && s&(p.NumShapes/2) != 0 {
			n.Dims[n.Rank].Extent = last
		}
		n.Rank++
	}
}

// Part returns where part i, 0 <= i < Count, starts, its first element's
// offsets, and its shape.
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
