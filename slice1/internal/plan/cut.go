package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A part that is cut for non-temporal stores reads `streams` pages of `page` bytes side by side.
// The second-level cache of an Intel core prefetches in as many pages.
const (
	streams = 32
	page    = 4096
)

// Cutting is how a slice that is too large for one part is cut. The zero Cutting is the rule of
// Cut.
type Cutting struct {
	Parts  Parts
	Order  Order
	Blocks bool // whether blocks are cut first, and each block then as Parts and Order say
}

// Parts is which loops are cut.
type Parts uint8

const (
	usualParts Parts = iota
	boxes            // of about equally long stretches in the source and in the destination
	Bands            // of whole rows, in the order of the destination
	Long             // of a conversion: of four times as many elements
	LongBands        // of a conversion: of four times as many elements, in the order of the destination
)

// Order is the order of the parts and, within a part, of the loops around its rows.
type Order uint8

const (
	usualOrder       Order = iota // of parts as gridOf says, of loops as sortsLoops says
	sourceOrder                   // both in the order of the source
	destinationOrder              // both in that of the destination, except loops of some kinds
)

// Grid is the parts that the loops of a nest are cut into. A loop is cut into chunks of equally
// many iterations, except that its last chunk may be shorter. At most two loops have such a chunk,
// so the parts have at most four shapes.
type Grid struct {
	Count     int64
	NumShapes int // 1, 2 or 4 if no loop, one loop or two loops have a shorter last chunk

	chunk [nest.MaxRank]int64  // iterations that a chunk of each loop has
	outer [nest.MaxRank]chunks // the loops from part to part, the outermost first
	rank  int                  // how many these are
}

// chunks is a loop from part to part. Its iterations are the chunks of a loop of the nest. The last
// chunk adds bit to the index of the shape. bit is 0 if that chunk is as long as the others.
type chunks struct {
	nest.Dim
	lastExtent int64 // iterations of the last chunk
	loop       int8  // of the nest
	bit        int8
}

// onePart returns the grid of one part that has all iterations of some loops.
func onePart(loops []nest.Dim) Grid {
	g := Grid{Count: 1, NumShapes: 1}
	for i, d := range loops {
		g.chunk[i] = d.Extent
	}
	return g
}

// part returns the nest of the parts of a shape. n is the nest that the grid cuts.
func (p *Grid) part(n *nest.Nest, shape int) nest.Nest {
	part := nest.Nest{Width: n.Width}
	for i, d := range n.Dims[:n.Rank] {
		if d.Extent = p.Iterations(i, shape); p.chunk[i] > 1 {
			part.Dims[part.Rank] = d
			part.Rank++
		}
	}
	return part
}

// Iterations returns how many iterations of a loop the parts of a shape have.
func (p *Grid) Iterations(loop, shape int) int64 {
	for _, c := range p.outer[:p.rank] {
		if int(c.loop) == loop && shape&int(c.bit) != 0 {
			return c.lastExtent
		}
	}
	return p.chunk[loop]
}

// CountOf returns how many parts have a shape. It does not overflow, since each part has an element
// of its own.
func (p *Grid) CountOf(shape int) int64 {
	count := int64(1)
	for _, c := range p.outer[:p.rank] {
		switch bit := int(c.bit); {
		case bit == 0:
			count *= c.Extent
		case shape&bit == 0:
			count *= c.Extent - 1
		}
	}
	return count
}

// FirstIteration returns the first iteration of a loop that part i has.
func (p *Grid) FirstIteration(i int64, loop int) int64 {
	for k := p.rank - 1; k >= 0; k-- {
		c := &p.outer[k]
		if int(c.loop) == loop {
			return i % c.Extent * p.chunk[loop]
		}
		i /= c.Extent
	}
	return 0
}

// Offsets returns where part i, 0 <= i < Count, begins: how many bytes behind the first part in the
// source and in the destination, and the index of its shape.
func (p *Grid) Offsets(i int64) (src, dst int64, shape int) {
	for k := p.rank - 1; k >= 0; k-- {
		c := &p.outer[k]
		j := i % c.Extent
		i /= c.Extent
		src += j * c.Src
		dst += j * c.Dst
		if j == c.Extent-1 {
			shape |= int(c.bit)
		}
	}
	return src, dst, shape
}

// set sets p to the parts of n that g has.
func (p *Pieces) set(n *nest.Nest, g Grid) {
	p.Grid, p.Shapes, p.srcOff, p.dstOff = g, slices.Grow(p.Shapes[:0], g.NumShapes), n.SrcOff, n.DstOff
	for shape := range g.NumShapes {
		p.Shapes = append(p.Shapes, g.part(n, shape))
	}
}

// Part returns what Offsets returns, with the offsets of the nest added. The nest of the part is
// Shapes[shape].
func (p *Pieces) Part(i int64) (src, dst int64, shape int) {
	src, dst, shape = p.Offsets(i)
	return p.srcOff + src, p.dstOff + dst, shape
}

// roundUp returns the least multiple of `multiple` that is not below n.
func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// gridOf returns the grid of the parts of a nest that function Cut describes, with `limit` bytes,
// at least 1, in place of PartBytes.
func gridOf(n *nest.Nest, limit int64, nt bool, cutting Cutting) Grid {
	if tooLarge(nest.Bytes(n), limit) {
		return cutLarge(n, limit, nt, cutting)
	}
	return onePart(n.Dims[:n.Rank])
}

// cutLarge is gridOf for a nest that is too large for one part.
func cutLarge(n *nest.Nest, limit int64, nt bool, cutting Cutting) Grid {
	inner, width, rank := n.Inner(), int64(n.Width), int(n.Rank)
	y := transposed(n)
	nt = nt && y >= 0 && inner.Extent*width >= 2*program.LineBytes
	part := newGrowth(n.Dims[:rank], limit/width)
	switch {
	case cutting.Parts == Bands:
		part.extend(rank, dstStep, part.size)
	case cutting.Parts == boxes:
		part.fitBox()
	case nt && wholeLines(n):
		part.fitRow(ntIterations(inner, width), width, 1)
		part.extend(rank-1, srcStep, part.size)
	case y >= 0 && tooLarge(n.Dims[y].Extent*inner.Extent*width, limit):
		// If parts share a line of the source, each part reads it. Each iteration of the innermost
		// loop reads a line in another page. So a part takes at least the elements of four lines
		// there.
		smallest := min(4*perLine(n.Dims[y].Src), n.Dims[y].Extent)
		part.fitRow(inner.Extent/max(1, inner.Extent*width*smallest/limit), width, smallest)
		part.extend(rank-1, srcStep, part.size)
	default:
		part.fitBox()
	}
	g := part.grid()
	if cutting.Order == sourceOrder || cutting.Order == usualOrder && nt {
		// What is stored by non-temporal stores does not stay in the caches, so only the order of
		// the source counts.
		slices.SortStableFunc(g.outer[:g.rank], func(x, y chunks) int { return cmp.Compare(abs(y.Src), abs(x.Src)) })
	}
	return g
}

// wholeLines reports whether every row consists of whole lines of the destination if the first row
// begins with a line.
func wholeLines(n *nest.Nest) bool {
	ends := n.Inner().Extent * int64(n.Width)
	for _, d := range n.Dims[:n.Rank-1] {
		ends |= d.Dst
	}
	return ends%program.LineBytes == 0
}

// ntIterations returns how many iterations of the innermost loop a part of a transposed view has
// with non-temporal stores. They are enough to read in `streams` pages and to store two lines. If
// the loop has less than twice as many, the part has all of them.
func ntIterations(inner nest.Dim, width int64) int64 {
	wide := max(streams*max(1, page/abs(inner.Src)), 2*program.LineBytes/width)
	if inner.Extent < 2*wide {
		return inner.Extent
	}
	return wide
}

// growth finds how many iterations of each loop a part has. The part begins as one element, and the
// methods of growth add iterations.
type growth struct {
	loops   []nest.Dim          // of the nest
	size    int64               // about how many elements the part may have
	bounded bool                // whether it may not have more than that
	cap     [nest.MaxRank]int64 // how many iterations of each loop it may have at most

	chunk [nest.MaxRank]int64 // how many it has
	room  int64               // by which factor it may still be extended
}

func newGrowth(loops []nest.Dim, size int64) growth {
	g := growth{loops: loops, size: max(1, size), room: max(1, size)}
	for i, d := range loops {
		g.cap[i], g.chunk[i] = d.Extent, 1
	}
	return g
}

// Boxes cuts loops into parts of at most `size` elements, with at most `params` iterations of the
// loop that has values of its own. If the loops have another order in the source than in the
// destination, a part has long stretches on both sides, unless parts are to be Bands.
func Boxes(loops []nest.Dim, size int64, parts Parts, params int64) Grid {
	g := newGrowth(loops, size)
	g.bounded = true
	elements, fits := int64(1), true
	for i, d := range loops {
		if d.Param != 0 {
			g.cap[i] = min(d.Extent, params)
		}
		elements *= d.Extent
		fits = fits && g.cap[i] == d.Extent
	}
	switch {
	case fits && elements <= size:
		return onePart(loops)
	case parts == Bands || parts == LongBands:
		g.extend(len(loops), dstStep, size)
	default:
		g.fitBox()
	}
	return g.grid()
}

// Chunks cuts one of the loops into chunks of n iterations, and the others not at all. If the loop
// is -1, there is one part.
func Chunks(loops []nest.Dim, loop int, n int64) Grid {
	g := growth{loops: loops, chunk: onePart(loops).chunk}
	if loop >= 0 {
		g.chunk[loop] = min(n, g.chunk[loop])
	}
	return g.grid()
}

// fitRow gives the part `wide` iterations of the innermost loop, rounded up to whole lines of a
// destination with elements of `width` bytes. Other loops may then make the part as large as its
// size allows, and always minGrowth times as large.
func (g *growth) fitRow(wide, width, minGrowth int64) {
	inner := len(g.loops) - 1
	g.chunk[inner] = min(g.cap[inner], roundUp(wide, perLine(width)))
	g.room = max(minGrowth, g.size/g.chunk[inner])
}

// fitBox makes the part long both in the source and in the destination if loops are crossed. For
// example, a matrix of float32 is transposed in parts of 65,536 elements:
//
//	for y in 8192 { for x in 8192 { dst[8192*y + x] = src[y + 8192*x] } }
//
// A part has 256 iterations of each loop, so that it reads 256 stretches of 1 KiB and writes as
// many. A part of whole rows would have 8 of them: it would write 8 stretches of 32 KiB and read
// 8192 stretches of 32 bytes, each in a page of its own. If loops are not crossed, the part has
// iterations that follow each other.
func (g *growth) fitBox() {
	rank := len(g.loops)
	if crossed(g.loops) {
		side := int64(math.Sqrt(float64(g.size)))
		g.extend(rank, dstStep, side)
		g.extend(rank, srcStep, side)
		g.extend(rank, srcStep, g.size)
	}
	g.extend(rank, dstStep, g.size)
}

// extend adds iterations of the outermost `rank` loops to the part until those have about `target`
// elements or there is no more room. `step` says how far a loop moves on one side, the source or
// the destination. The loop of the smallest step comes first. Loops that do not move come last. The
// next loop comes only when the part has all iterations of the one before. Where possible, chunks
// of a loop are nearly equal, and whole cache lines, so that no two parts store to one line.
func (g *growth) extend(rank int, step func(nest.Dim) int64, target int64) {
	var order [nest.MaxRank]int
	for i := range rank {
		order[i] = rank - 1 - i
	}
	further := func(loop int) uint64 { return uint64(abs(step(g.loops[loop]))) - 1 }
	slices.SortStableFunc(order[:rank], func(x, y int) int { return cmp.Compare(further(x), further(y)) })
	elements := int64(1)
	for _, i := range order[:rank] {
		d, old := g.loops[i], g.chunk[i]
		take := min(g.cap[i], old*g.room, max(old, ceilDiv(target, elements)))
		if take < d.Extent && take > old {
			whole := perLine(step(d))
			if !g.bounded {
				take = ceilDiv(d.Extent, (d.Extent+take/2)/take)
				if whole <= take {
					take = min(d.Extent, roundUp(take, whole))
				}
			} else if lines := take / whole * whole; lines > old {
				take = lines
			}
		}
		g.chunk[i] = take
		g.room = max(1, g.room*old/take)
		elements *= take
		if take < d.Extent {
			return
		}
	}
}

// grid returns the grid of parts like this one.
func (g *growth) grid() Grid {
	p := Grid{Count: 1, NumShapes: 1, chunk: g.chunk}
	for i, d := range g.loops {
		c := chunks{nest.Dim{Extent: ceilDiv(d.Extent, g.chunk[i]), Src: d.Src * g.chunk[i], Dst: d.Dst * g.chunk[i]}, 0, int8(i), 0}
		if c.lastExtent = d.Extent - (c.Extent-1)*g.chunk[i]; c.lastExtent < g.chunk[i] {
			c.bit = int8(p.NumShapes)
			p.NumShapes *= 2
		}
		if c.Extent > 1 {
			p.outer[p.rank] = c
			p.rank++
			p.Count *= c.Extent
		}
	}
	return p
}

// crossed reports whether the loops are not in the order of their source strides: some loop moves
// the source further than a loop around it. Loops that do not move the source do not count.
func crossed(loops []nest.Dim) bool {
	smallest := int64(math.MaxInt64)
	for _, d := range loops {
		if distance := abs(d.Src); distance > smallest {
			return true
		} else if distance > 0 {
			smallest = distance
		}
	}
	return false
}

// perLine returns the least number of iterations of a loop of this stride that move by whole lines.
func perLine(stride int64) int64 { return max(1, program.LineBytes/max(1, stride&-stride)) }

// srcStep and dstStep return how far an iteration of a loop moves in the source and in the
// destination.
func srcStep(d nest.Dim) int64 { return d.Src }
func dstStep(d nest.Dim) int64 { return d.Dst }
