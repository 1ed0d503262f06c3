package plan

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// noLoop stands for a loop that is not there: it has one iteration.
var noLoop = nest.Dim{Extent: 1}

// job makes the program of a candidate that is not plain Go. Its fields are what its methods share.
type job struct {
	Candidate
	host  *Host // whose caches the program is made for
	nest  *nest.Nest
	p     *program.Draft
	set   *program.Set
	costs *SetCosts

	inner      nest.Dim // the innermost loop of the nest; for a nest of one element, a loop of one iteration
	bytes      int64    // that all iterations of inner copy
	contiguous bool     // whether inner is contiguous in the source and in the destination
	row        row      // what collect found for the set
}

// begin sets the fields of a job that follow from its nest and its kernel. It gives the program the
// nest's width, offsets and loops, the innermost loop as the row, ordinary stores, and nothing to
// prefetch.
func (j *job) begin() {
	n, p := j.nest, j.p
	w := int64(n.Width)
	p.Set = setOf[j.Kernel][j.Kind]
	j.set, j.costs = &program.Sets[p.Set], &j.host.Costs.Sets[p.Set]
	j.inner = n.Inner()
	j.bytes = j.inner.Extent * w
	j.contiguous = n.Class() == nest.Contiguous
	p.Width, p.Src, p.Dst, p.NT = n.Width, n.SrcOff, n.DstOff, 0
	p.Outer = max(0, n.Rank-1)
	copy(p.Dims[:p.Outer], n.Dims[:])
	p.Row, p.Prefetch.Distance = j.inner, 0
}

// fillsDst reports whether the nest has a loop and the innermost one leaves no gaps in the
// destination.
func (j *job) fillsDst() bool { return j.nest.Rank > 0 && j.inner.Dst == int64(j.nest.Width) }

// collect sets the job's row, unless it is already the one for vectors of the set.
func (j *job) collect() {
	if j.row.vector != j.set.Vector {
		j.row.collect(j.nest, j.set.Vector)
	}
}

// useLoop sets which loop runs the program, by its form and variant. It returns false if the job's
// set has no such loop.
func (j *job) useLoop(form program.Form, variant int) (ok bool) {
	j.p.Loop, ok = program.Loop(j.p.Set, form, variant)
	return ok
}

func (j *job) rowBytes() int64 { return j.p.Row.Extent * int64(j.p.Width) }
func log2(width int32) int     { return bits.TrailingZeros32(uint32(width)) }

// row is a row of the destination without gaps. It has `repeat` periods of `period` bytes. A period
// consists of grains, bytes that lie together on both sides. Grain i of period j begins at byte
// j*period + i*grain of the row and comes from
//
//	pattern[i] + j*advance
//
// in the source. Such a place counts bytes from the row's first element in the source.
type row struct {
	grain                   int64 // bytes of a grain: 1, 2, 4 or 8
	period, advance, repeat int64
	lo, hi                  int64 // places of the first byte that the row takes and of the one past the last
	outer                   int   // how many loops of the nest are around the row
	vector                  int64 // bytes of the vectors that the row was collected for; 0 before
	// pattern has the places of the grains of a period. units.divide extends it to all grains of a
	// unit.
	pattern [program.PermuteBytes]int64
}

func (r *row) bytes() int64 { return r.period * r.repeat }

// source returns the place in the source of the grain that begins at byte j of the row.
func (r *row) source(j int64) int64 {
	return r.pattern[j%r.period/r.grain] + j/r.period*r.advance
}

// positions sets pos to the places in the source of len(pos) successive grains, each less `base`.
// The first of the grains begins at byte j of the row. Behind the row the pattern goes on.
func (r *row) positions(pos []int64, j, base int64) {
	i, grains := j%r.period/r.grain, r.period/r.grain
	base -= j / r.period * r.advance
	for k := range pos {
		pos[k] = r.pattern[i] - base
		if i++; i == grains {
			i = 0
			base -= r.advance
		}
	}
}

// descends reports whether a row goes downwards in the source: from period to period or, if periods
// do not move, from the first grain of a period to its last.
func (r *row) descends() bool {
	return r.advance < 0 || r.advance == 0 && r.pattern[r.period/r.grain-1] < 0
}

// collect sets r to the row that the innermost loops of n make as far as they continue each other
// in the destination. An element and the loops that fit a vector of v bytes make the period. The
// next loop repeats the period if it continues it. Other loops are around the row.
func (r *row) collect(n *nest.Nest, v int64) {
	d := int(n.Rank) - 1
	r.vector = v
	r.period = int64(n.Width)
	strides := r.period
	for ; d >= 0 && n.Dims[d].Dst == r.period && n.Dims[d].Extent <= v/r.period; d-- {
		r.period *= n.Dims[d].Extent
		strides |= n.Dims[d].Src
	}
	inside := n.Dims[d+1 : n.Rank]
	r.advance, r.repeat = 0, 1
	if d >= 0 && n.Dims[d].Dst == r.period {
		r.advance, r.repeat = n.Dims[d].Src, n.Dims[d].Extent
		strides |= r.advance
		d--
	}
	r.outer = d + 1
	r.grain = strides & -strides
	r.lo, r.hi = min(0, (r.repeat-1)*r.advance), max(0, (r.repeat-1)*r.advance)+int64(n.Width)
	grains := int64(n.Width) / r.grain
	for i := range grains {
		r.pattern[i] = i * r.grain
	}
	for _, d := range slices.Backward(inside) {
		total := grains * d.Extent
		for i := grains; i < total; i++ {
			r.pattern[i] = r.pattern[i-grains] + d.Src
		}
		grains = total
		r.lo += min(0, (d.Extent-1)*d.Src)
		r.hi += max(0, (d.Extent-1)*d.Src)
	}
}

func abs(v int64) int64 { return max(v, -v) }

// ceilDiv returns x/y rounded up, for y > 0 and x of any sign.
func ceilDiv(x, y int64) int64 {
	if x%y > 0 {
		return x/y + 1
	}
	return x / y
}

// floorDiv returns x/y rounded down, for y > 0 and x of any sign.
func floorDiv(x, y int64) int64 {
	if x%y < 0 {
		return x/y - 1
	}
	return x / y
}

// blend is a list of windows of the source that a blend merges into one vector. All have the
// vector's length. Byte i of the vector comes from byte i of at most one window.
type blend struct {
	grain   int64 // bytes of a grain
	windows int
	starts  [program.MaxWindows]int32   // where each window begins in the source
	taken   [program.MaxWindows]uint64  // of each window: bit i is set if the vector takes grain i
	place   [program.PermuteBytes]uint8 // of the grain at each position: where it begins in the vector
}

// find sets c to windows of v bytes that hold the grains at the positions pos in the source. There
// must be 1 to 64 positions. If descending is true, it takes windows from the highest position
// down, else from the lowest up. If inside is true, a window that would reach past all positions is
// moved back where the places are free. find returns false if more than maxWindows windows are
// needed, if a window fits nowhere, or if positions do not fit 32 bits.
func (c *blend) find(pos []int64, grain, v int64, maxWindows int, descending, inside bool) bool {
	c.grain = grain
	end := int64(anywhere)
	if inside {
		end = extreme(pos, lowBits(int64(len(pos))), !descending)
	}
	places := v / grain
	used, todo, full := uint64(0), lowBits(int64(len(pos))), lowBits(places)
	inOrder := ordered(pos, descending)
	for c.windows = 0; todo != 0; c.windows++ {
		if c.windows == maxWindows {
			return false
		}
		lowest := pos[bits.TrailingZeros64(todo)]
		if !inOrder {
			lowest = extreme(pos, todo, descending)
		}
		if lowest < math.MinInt32+program.PermuteBytes || lowest > math.MaxInt32-program.PermuteBytes {
			return false
		}
		start := lowest
		if descending {
			start -= v - grain
		}
		taken, left := c.window(pos, todo, start, v, inOrder)
		if inside && c.windows > 0 {
			moved := min(start, end+grain-v)
			if descending {
				moved = max(start, end)
			}
			if t, l := c.window(pos, todo, moved, v, inOrder); t&used == 0 {
				start, taken, left = moved, t, l
			}
		}
		if taken&used != 0 {
			// Move the window grain by grain, away from the positions that are left, until what the
			// vector takes from it falls on free places. What no longer is in the window is left to
			// the next one.
			for taken&used != 0 {
				if descending {
					taken >>= 1
					start += grain
				} else {
					taken = taken << 1 & full
					start -= grain
				}
			}
			if taken == 0 {
				return false
			}
			taken, left = c.window(pos, todo, start, v, inOrder)
		}
		used |= taken
		todo = left
		c.starts[c.windows] = int32(start)
		c.taken[c.windows] = taken
	}
	return true
}

// extreme returns the highest position pos[i] whose bit i of todo is set if descending is true,
// else the lowest.
func extreme(pos []int64, todo uint64, descending bool) int64 {
	lowest := pos[bits.TrailingZeros64(todo)]
	for t := todo & (todo - 1); t != 0; t &= t - 1 {
		if position := pos[bits.TrailingZeros64(t)]; descending {
			lowest = max(lowest, position)
		} else {
			lowest = min(lowest, position)
		}
	}
	return lowest
}

// ordered reports whether positions never ascend if descending is true, else whether they never
// descend.
func ordered(pos []int64, descending bool) bool {
	for i := 1; i < len(pos); i++ {
		if pos[i] != pos[i-1] && pos[i] > pos[i-1] == descending {
			return false
		}
	}
	return true
}

// window returns which grains of the window of v bytes at `start` are wanted, as bits by their
// place in the window, and what is left of todo without them. A grain is wanted if it is at pos[i]
// and bit i of todo is set. If inOrder is true, the positions are ordered, and window stops at the
// first that is outside.
func (c *blend) window(pos []int64, todo uint64, start, v int64, inOrder bool) (taken, left uint64) {
	log := bits.TrailingZeros64(uint64(c.grain))
	left = todo
	for ; todo != 0; todo &= todo - 1 {
		i := bits.TrailingZeros64(todo)
		if offset := uint64(pos[i] - start); offset < uint64(v) {
			taken |= 1 << (offset >> log)
			left &^= 1 << i
			c.place[i] = uint8(offset)
		} else if inOrder {
			break
		}
	}
	return taken, left
}

// bytes returns, for each window, which of its bytes the vector takes, as bits.
func (c *blend) bytes() (taken [program.MaxWindows]uint64) {
	if c.grain == 1 {
		return c.taken
	}
	for k, grains := range c.taken[:c.windows] {
		for ; grains != 0; grains &= grains - 1 {
			taken[k] |= lowBits(c.grain) << (int64(bits.TrailingZeros64(grains)) * c.grain)
		}
	}
	return taken
}

// index sets dst to the places of the grains of the first `count` positions, byte by byte, in the
// vector that the windows merge into. dst[0] is the place of the first byte of the first grain.
func (c *blend) index(dst []uint8, count int) {
	for i, place := range c.place[:count] {
		for b := range uint8(c.grain) {
			dst[i*int(c.grain)+int(b)] = place + b
		}
	}
}

// lowBits returns a mask of the n lowest bits, or of all 64 if n is larger.
func lowBits(n int64) uint64 {
	if n >= 64 {
		return math.MaxUint64
	}
	return 1<<n - 1
}

// anywhere is so large that -anywhere and anywhere bound no window.
const anywhere = math.MaxInt64 / 2
