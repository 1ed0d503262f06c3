package plan

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Stages are the stages of a part that is not made by one slice from memory to memory. For example,
// the channels of RGBA pixels become the planes of a tensor, three of float16, by SliceRows:
//
//	source        R G B A R G B A R G B A ...      bytes
//	memory        R R R ... G G G ... B B B ...    sliced
//	destination   R R R ...                        float16, three rows far apart
//	              G G G ...
//	              B B B ...
//
// What lies in scratch memory between two stages stays in the first-level cache.
type Stages uint8

// Each stage has a bit.
const (
	sliceIn   Stages = 1 << iota // a slice into scratch memory
	convert                      // numbers of another type
	sliceOut                     // a slice to the destination
	byWindows                    // numbers take elements with gaps in the source, by windows
)

// The stages of parts. Slice is for sources whose rows are made while the slice runs, Packed for
// large slices, and the others are for numbers.
const (
	Slice          = sliceOut                     // slices rows that were made in scratch memory
	Rows           = convert                      // converts rows without gaps from the source to the destination
	Windows        = convert | byWindows          // converts elements with gaps in the source to the destination
	SliceRows      = sliceIn | convert            // slices into scratch memory, and converts from there
	RowsSlice      = convert | sliceOut           // converts into scratch memory, and slices from there
	SliceRowsSlice = sliceIn | convert | sliceOut // slices into scratch memory, converts into other scratch memory, and slices from there
	Packed         = sliceIn | sliceOut           // slices into scratch memory, in the order of the source, and slices from there
)

// stages returns the stages that parts of p, a problem in stages, may have.
func (p *Problem) stages() []Stages {
	if p.Cast.Opaque() {
		return []Stages{Slice}
	}
	return []Stages{Rows, Windows, SliceRows, RowsSlice, SliceRowsSlice}
}

// scratchBytes returns how many bytes of scratch memory the elements of a part take at most, on one
// side of its numbers: the largest power of two in half the first-level cache. A long part takes
// longFactor times as many, and so do elements that become numbers where they lie.
func scratchBytes() int64 { return 1 << (bits.Len64(uint64(ThisHost().L1()/2)) - 1) }

const longFactor = 4

// What the steps of a conversion take, in picoseconds. Rows of bytes, of int16 and of float32 that
// lie in the second-level cache of a Zen 5 give them: there, rows from 768 bytes on, and rows of
// windows from 2048 elements on, take less time where they lie than sliced.
const (
	costOfElement = 250               // making a number in C, with its share of loading and storing
	costInGo      = 1800              // making a number in plain Go
	costInVectors = 400               // making a number in Go's vectors
	costOfValues  = 50                // a number of a row that has a scale and a bias of its own
	costOfByte    = 50                // slicing a byte into or out of scratch memory
	costOfRow     = 768 * costOfByte  // a row
	costOfWindows = 2048 * costOfByte // a row of windows, whose tables are loaded anew
	costOfPart    = 20_000            // a part
)

// layout is how the stages of a part lie in memory.
type layout struct {
	sliceIn, sliceOut nest.Nest // the slices into scratch memory and out of it, where the part has them
	rows              program.Conversion
	start             int64 // bytes from the part's first element to the one that rows begin with
}

// Sum returns the sum of two costs, or mostCost if that is less.
func Sum(cost, extra int64) int64 { return cost + min(extra, mostCost-cost) }

// layout returns how the stages of candidate c lie for the given loops.
func (p *Problem) layout(loops []nest.Dim, c Candidate) (l layout) {
	rank := int32(len(loops))
	srcSize, dstSize := p.Sizes()
	l.sliceIn, l.sliceOut = nest.Nest{Rank: rank, Width: int32(srcSize)}, nest.Nest{Rank: rank, Width: int32(dstSize)}
	if l.rows.Count = 1; c.Stages == Slice {
		copy(l.sliceOut.Dims[:], loops)
		return l
	}
	loops = slices.Clone(loops)
	if c.Stages == RowsSlice || c.Stages == Packed {
		l.start = inSourceOrder(loops)
	}
	elements := int64(1)
	for i, d := range slices.Backward(loops) {
		packedSrc, packedDst := elements*srcSize, elements*dstSize
		l.sliceIn.Dims[i] = nest.Dim{Extent: d.Extent, Src: d.Src, Dst: packedSrc}
		l.sliceOut.Dims[i] = nest.Dim{Extent: d.Extent, Src: packedDst, Dst: d.Dst}
		if d.Dst < 0 { // from the last iteration on, which belongs in front
			l.sliceOut.Dims[i].Src, l.sliceOut.Dims[i].Dst = -packedDst, -d.Dst
			l.sliceOut.SrcOff += packedDst * (d.Extent - 1)
		}
		if c.Stages&sliceIn != 0 {
			loops[i].Src = packedSrc
		}
		if c.Stages&sliceOut != 0 {
			loops[i].Dst = packedDst
		}
		elements *= d.Extent
	}
	if c.Stages == Packed {
		return l
	}
	l.rows = p.conversionOf(nest.Merged(loops), c)
	return l
}

// inSourceOrder puts loops in descending order of the source's strides. Loops that go backwards in
// the source are reversed: they go forwards there, and backwards in the destination. Loops that
// have values for each iteration keep their direction. It returns how many bytes the first element
// of the new order lies behind the first one of the old order.
func inSourceOrder(loops []nest.Dim) (offset int64) {
	for i := range loops {
		if l := &loops[i]; l.Src < 0 && l.Param == 0 {
			offset += l.Src * (l.Extent - 1)
			l.Src, l.Dst = -l.Src, -l.Dst
		}
	}
	reach := func(l nest.Dim) uint64 { return uint64(max(l.Src, -l.Src)) - 1 } // a stride of 0 is the largest
	slices.SortStableFunc(loops, func(x, y nest.Dim) int { return cmp.Compare(reach(y), reach(x)) })
	return offset
}

// cost returns what candidate c, whose stages are among those of p, costs by estimate. ok is false
// if c is no way to run p: Windows need windows that reach all elements, and either longer rows
// than Rows have or values that repeat in a row, which Rows pay for.
func (p *Problem) cost(c Candidate) (cost int64, ok bool) {
	l := p.layout(p.Nest.Dims[:p.Nest.Rank], c)
	srcSize, dstSize := p.Sizes()
	// In the destination all elements have bytes of their own, so their number does not overflow.
	rows, elements := &l.rows, nest.Bytes(&l.sliceOut)/dstSize
	number, row, count := int64(costInGo), int64(costOfRow), elements/rows.Count
	switch {
	case c.Kernel == Go:
	case p.Cast.Opaque():
		number = 0
	case p.Cast.inC(c.Kernel):
		number = costOfElement
	case vector.Converts:
		number = costInVectors
	}
	switch {
	case c.Stages == Windows && rows.Places == 0:
		return 0, false
	case c.Stages == Windows && rows.Loops > 0:
		row = costOfWindows
	case c.Stages == Windows || c.Stages == Slice:
		row = 0
	case rows.Period > 0:
		number += costOfValues
	}
	if c.Stages&sliceIn != 0 {
		number += costOfByte * srcSize
	}
	if c.Stages&sliceOut != 0 {
		number += costOfByte * dstSize
	}
	return Sum(costOfPart, Sum(Times(row, count), Times(number, elements))), true
}

// scratchOf returns scratchBytes for the parts of c, or for its bands.
func scratchOf(c Candidate) int64 {
	if c.Parts == Long || c.Parts == LongBands {
		return longFactor * scratchBytes()
	}
	return scratchBytes()
}

// cut cuts the loops into parts. What a part reads or makes in scratch memory has scratchOf(c)
// bytes at most. A part has as many values at most as program.Params holds.
func (p *Problem) cut(c Candidate) Grid {
	bytes, size := scratchOf(c), int64(0)
	srcSize, dstSize := p.Sizes()
	if c.Stages&sliceIn != 0 {
		size = srcSize
	}
	if c.Stages&sliceOut != 0 {
		size = max(size, dstSize)
	}
	switch {
	case c.Stages == Packed:
		bytes = ThisHost().L2 / 2
	case p.Cast.Opaque():
		bytes = math.MaxInt64
	case size == 0:
		bytes, size = longFactor*scratchBytes(), max(srcSize, dstSize/4)
	}
	return Boxes(p.Nest.Dims[:p.Nest.Rank], bytes/size, c.Parts, program.MaxParams)
}

// grids returns the bands of c, if its source is made row by row, and the parts of a band, or of
// the whole.
func (p *Problem) grids(c Candidate) (grids [2]Grid) {
	if p.Pitch > 0 {
		grids[0] = p.bands(c)
		p = p.band(grids[0], 0)
	}
	grids[1] = p.cut(c)
	return grids
}

// bands cuts a nest whose source is made row by row into bands of some rows. All that a band makes
// of the source stays in the first-level cache, or in longFactor times as much memory if c has long
// parts. It is larger if it is made in place and p.RowsAtOnce is 0, or if so many rows or a single
// one are too long for that.
func (p *Problem) bands(c Candidate) Grid {
	bytes := scratchOf(c)
	if p.InPlace && p.RowsAtOnce == 0 {
		bytes = PartBytes
	}
	return Chunks(p.Nest.Dims[:p.Nest.Rank], p.rows(), max(1, p.RowsAtOnce, bytes/p.Pitch))
}

// rows returns the loop of the nest that goes from row to row of a source that is made, or -1 if
// there is a single row.
func (p *Problem) rows() int {
	return slices.IndexFunc(p.Nest.Dims[:p.Nest.Rank], func(d nest.Dim) bool { return d.Src == p.Pitch })
}

// band returns what makes the bands of a shape from memory.
func (p *Problem) band(bands Grid, shape int) *Problem {
	b := *p
	if rows := p.rows(); rows >= 0 {
		b.Nest.Dims[rows].Extent = bands.Iterations(rows, shape)
	}
	b.Pitch = 0
	return &b
}

// Plan is a problem in parts that are made in stages. It is immutable.
type Plan struct {
	Pieces    Pieces
	Steps     [4]Steps // for each shape of part
	ParamLoop int      // the loop whose iterations have a scale and a bias each, or -1
	Params    int64    // how many values of scale and bias a part needs; they repeat
	CallsC    bool     // whether C makes the numbers
	Kernel    Kernel
	Cast

	// Memory is how many bytes of scratch memory a part needs. It includes a line behind the last
	// stage, so that the address where an absent stage would begin lies in the same memory. The
	// garbage collector stops a program that has an address of memory that it has freed. The first
	// Made bytes, whole lines, hold what the slice before the numbers or the Source makes.
	Memory, Made int64

	// Bands are what makes the shapes of parts from memory if the source is made row by row. A part
	// is a band then, and has no steps of its own.
	Bands   []Plan
	InPlace bool  // whether the rows are made in the destination; Bands do nothing then
	Rows    int   // the loop of the nest that goes from row to row, or -1 for a single row
	Start   int64 // bytes from the beginning of a row to the first element
}

// Steps are what the stages of the parts of one shape do.
type Steps struct {
	Rows              program.Conversion
	Start             int64 // bytes from the part's first element to the one that Rows begin with
	SliceIn, SliceOut *Step // nil if there is no such stage; a slice has no Rows, and only After unless it is packed
}

// nonTemporal reports whether what a part makes is stored by non-temporal stores.
func (s *Steps) nonTemporal() bool {
	if s.SliceOut != nil {
		return s.SliceOut.Draft.NT != 0
	}
	return s.Rows.NT != 0
}

// Step is a slice into or out of scratch memory.
type Step struct {
	Kernel Kernel
	Nest   nest.Nest
	Draft  program.Draft // of the program, unless Kernel is Go
	cost   int64         // by estimate
}

// Bytes returns about how many bytes p takes.
func (p *Plan) Bytes() int64 {
	size := int64(unsafe.Sizeof(*p))
	for s := range p.Pieces.NumShapes {
		for _, step := range [...]*Step{p.Steps[s].SliceIn, p.Steps[s].SliceOut} {
			if step != nil {
				size += int64(unsafe.Sizeof(*step))
			}
		}
	}
	for i := range p.Bands {
		size += p.Bands[i].Bytes()
	}
	return size
}

// Plan plans p by candidate c.
func (p *Problem) Plan(c Candidate) *Plan {
	m := &Plan{Cast: p.Cast, ParamLoop: p.Nest.ParamLoop(), Kernel: c.Kernel, CallsC: p.Cast.inC(c.Kernel)}
	if p.Pitch == 0 {
		p.plan(m, c)
		return m
	}
	m.Pieces.Grid = p.bands(c)
	rows := int64(1)
	if m.Rows, m.Start, m.InPlace = p.rows(), p.Nest.SrcOff, p.InPlace; m.Rows >= 0 {
		rows = m.Pieces.Iterations(m.Rows, 0)
	}
	if !m.InPlace {
		m.Made = lines(p.Pitch * rows)
	}
	for s := range m.Pieces.NumShapes {
		m.Bands = append(m.Bands, *p.band(m.Pieces.Grid, s).Plan(c))
		m.Memory = max(m.Memory, m.Made+m.Bands[s].Memory)
	}
	return m
}

// plan sets the parts of m and their stages.
func (p *Problem) plan(m *Plan, c Candidate) {
	m.Pieces.Grid = p.cut(c)
	cached := &Problem{Kernels: p.Kernels.notAbove(c.Kernel), Stores: Stores{Cached: true}}
	asked := &Problem{Kernels: cached.Kernels, Stores: Stores{Cached: !c.NonTemporal, NonTemporal: c.NonTemporal}}
	for s := range m.Pieces.NumShapes {
		loops := make([]nest.Dim, 0, nest.MaxRank)
		for i, l := range p.Nest.Dims[:p.Nest.Rank] {
			if l.Extent = m.Pieces.Iterations(i, s); l.Extent > 1 {
				loops = append(loops, l)
			}
		}
		l := p.layout(loops, c)
		steps := &m.Steps[s]
		steps.Rows, steps.Start = l.rows, l.start
		m.Params = max(1, m.Params, min(l.rows.Period, l.rows.Count))
		if m.ParamLoop >= 0 {
			m.Params = max(m.Params, m.Pieces.Iterations(m.ParamLoop, s))
		}
		if c.Stages&sliceIn != 0 {
			steps.SliceIn = newStep(l.sliceIn, cached)
			m.Made = max(m.Made, lines(nest.Bytes(&l.sliceIn)))
		}
		if c.Stages&sliceOut != 0 {
			steps.SliceOut = newStep(l.sliceOut, asked)
			if c.Stages&convert != 0 { // else it slices what the stage before has made, or the source
				m.Memory = max(m.Memory, lines(nest.Bytes(&l.sliceOut)))
			}
		}
	}
	for s := range m.Pieces.NumShapes {
		m.Steps[s].Rows.Set, m.Steps[s].Rows.Made = int32(c.Kernel), m.Made
	}
	m.Memory += m.Made + program.LineBytes
}

// lines rounds a number of bytes up to whole lines.
func lines(bytes int64) int64 { return (bytes + program.LineBytes - 1) &^ (program.LineBytes - 1) }

// newStep returns a step that runs a nest by one of the kernels and stores of p.
func newStep(n nest.Nest, p *Problem) *Step {
	s := &Step{Nest: n}
	nest.Normalize(&s.Nest)
	c := ThisHost().Choose(&s.Draft, &s.Nest, p)
	s.Kernel, s.cost = c.Kernel, c.Cost
	return s
}

// Strongest returns the last of the kernels that this build has in C, which is the strongest. If it
// has none of them in C, Strongest returns the first that is not plain Go, or else plain Go.
func (ks Kernels) Strongest() Kernel {
	best := Go
	for k := range Kernel(len(program.Sets)) {
		if ks.Contains(k) && (best < 0 || program.InC(int32(k))) {
			best = k
		}
	}
	return best
}

// notAbove returns the kernels whose loops slice for kernel k: those in C among ks that are not
// stronger, or else k alone.
func (ks Kernels) notAbove(k Kernel) Kernels {
	among := OneKernel(k)
	for weaker := range k {
		if ks.Contains(weaker) && program.InC(int32(weaker)) && program.InC(int32(k)) {
			among |= OneKernel(weaker)
		}
	}
	return among
}

// inStages returns the ways to run p in stages by some kernels, with ordinary stores and cut by the
// usual rule, the cheapest first. Plain Go takes the place of a kernel in C that cannot make the
// numbers.
func (p *Problem) inStages(kernels Kernels) (ways []Candidate) {
	band, bands := p.oneBand()
	for k := Go; k < Kernel(len(program.Sets)); k++ {
		if !kernels.Contains(k) {
			continue
		}
		c := Candidate{Kernel: k}
		if k.CallsC() && !p.Cast.Opaque() && !p.Cast.inC(k) {
			c.Kernel = Go
		}
		for _, c.Stages = range p.stages() {
			if cost, ok := band.cost(c); ok && !slices.ContainsFunc(ways, func(listed Candidate) bool { return listed.Kernel == c.Kernel && listed.Stages == c.Stages }) {
				c.Cost = Times(cost, bands)
				ways = append(ways, c)
			}
		}
	}
	slices.SortStableFunc(ways, func(x, y Candidate) int { return cmp.Compare(x.Cost, y.Cost) })
	return ways
}

// oneBand returns what makes the first band of p from memory, and how many bands there are. If the
// source of p is memory, that is p.
func (p *Problem) oneBand() (band *Problem, count int64) {
	if p.Pitch == 0 {
		return p, 1
	}
	grid := p.bands(Candidate{})
	return p.band(grid, 0), grid.Count
}
