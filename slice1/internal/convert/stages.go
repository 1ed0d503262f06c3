package convert

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// sizes returns the bytes of an element of the source and of the destination.
func (w *Work) sizes() (src, dst int64) {
	if w.slices() {
		return int64(w.Nest.Width), int64(w.Nest.Width)
	}
	return w.Numbers.Src.Size(), w.Numbers.Dst.Size()
}

// layout is how the stages of a part lie in memory.
type layout struct {
	before, after nest.Nest // the slices into scratch memory and out of it, where the part has them
	rows          program.Conversion
	first         int64 // bytes from the part's first element to the one that rows begin with
}

// layout returns how the stages of candidate c lie for the given loops.
func (w *Work) layout(loops []nest.Dim, c plan.Candidate) (l layout) {
	rank := int32(len(loops))
	srcSize, dstSize := w.sizes()
	l.before, l.after = nest.Nest{Rank: rank, Width: int32(srcSize)}, nest.Nest{Rank: rank, Width: int32(dstSize)}
	if l.rows.Count = 1; c.Kind == plan.Slice {
		copy(l.after.Dims[:], loops)
		return l
	}
	loops = slices.Clone(loops)
	if c.Kind == plan.RowsSlice || c.Kind == plan.Packed {
		l.first = inSourceOrder(loops)
	}
	elements := int64(1)
	for i, d := range slices.Backward(loops) {
		packedSrc, packedDst := elements*srcSize, elements*dstSize
		l.before.Dims[i] = nest.Dim{Extent: d.Extent, Src: d.Src, Dst: packedSrc}
		l.after.Dims[i] = nest.Dim{Extent: d.Extent, Src: packedDst, Dst: d.Dst}
		if d.Dst < 0 { // from the last iteration on, which belongs in front
			l.after.Dims[i].Src, l.after.Dims[i].Dst = -packedDst, -d.Dst
			l.after.SrcOff += packedDst * (d.Extent - 1)
		}
		if c.Kind.Before() {
			loops[i].Src = packedSrc
		}
		if c.Kind.After() {
			loops[i].Dst = packedDst
		}
		elements *= d.Extent
	}
	if c.Kind == plan.Packed {
		return l
	}
	loops = nest.Merged(loops)
	l.rows = packedRows(loops, srcSize, dstSize)
	if w.Numbers.Src == program.Uint8 && w.inC(c.Kernel) {
		set := &program.Sets[c.Kernel]
		windows, ok := placesOf(loops, dstSize, set.Masks)
		streams := ok && c.NonTemporal && w.Numbers.Dst == program.Float32 && set.NonTemporal
		longer := l.rows.Count < windows.Count || l.rows.Period > 0
		// Kind Rows, too, takes windows if they can store whole lines by non-temporal stores.
		if ok && c.Kind == plan.Windows && longer || c.Kind == plan.Rows && !longer && streams && inLines(&windows) {
			l.rows = windows
		}
		if streams && l.rows.Places != 0 {
			l.rows.NT = 1
		}
	}
	l.rows.Src, l.rows.Dst = w.Numbers.Src, w.Numbers.Dst
	if w.Numbers.Swap {
		l.rows.Swap = 1
	}
	return l
}

// inSourceOrder puts loops in descending order of the source's strides. Loops that go backwards in
// the source are reversed: they go forwards there, and backwards in the destination. Loops that
// have values for each iteration keep their direction. It returns how many bytes the first element
// of the new order lies behind the first one of the old order.
func inSourceOrder(loops []nest.Dim) (first int64) {
	for i := range loops {
		if l := &loops[i]; l.Src < 0 && l.Param == 0 {
			first += l.Src * (l.Extent - 1)
			l.Src, l.Dst = -l.Src, -l.Dst
		}
	}
	reach := func(l nest.Dim) uint64 { return uint64(max(l.Src, -l.Src)) - 1 } // a stride of 0 is the largest
	slices.SortStableFunc(loops, func(x, y nest.Dim) int { return cmp.Compare(reach(y), reach(x)) })
	return first
}

// cost returns what candidate c costs by estimate. ok is false if c is no way to run w. Kind Slice
// is one only for a slice, and the other kinds only for a conversion. Kind Windows also needs
// windows that reach all elements, and either longer rows than kind Rows has or values that repeat
// in a row, which kind Rows pays for.
func (w *Work) cost(c plan.Candidate) (cost int64, ok bool) {
	if (c.Kind == plan.Slice) != w.slices() {
		return 0, false
	}
	l := w.layout(w.Nest.Dims[:w.Nest.Rank], c)
	srcSize, dstSize := w.sizes()
	// In the destination all elements have bytes of their own, so their number does not overflow.
	rows, elements := &l.rows, nest.Bytes(&l.after)/dstSize
	number, row, count := int64(costInGo), int64(costOfRow), elements/rows.Count
	switch {
	case c.Kernel == plan.Go:
	case w.slices():
		number = 0
	case w.inC(c.Kernel):
		number = costOfElement
	case vector.Converts:
		number = costInVectors
	}
	switch {
	case c.Kind == plan.Windows && rows.Places == 0:
		return 0, false
	case c.Kind == plan.Windows && rows.Loops > 0:
		row = costOfWindows
	case c.Kind == plan.Windows || c.Kind == plan.Slice:
		row = 0
	case rows.Period > 0:
		number += costOfValues
	}
	if c.Kind.Before() {
		number += costOfByte * srcSize
	}
	if c.Kind.After() {
		number += costOfByte * dstSize
	}
	return plan.Sum(costOfPart, plan.Sum(plan.Times(row, count), plan.Times(number, elements))), true
}

// scratchOf returns scratchBytes for the parts of c, or for its bands.
func scratchOf(c plan.Candidate) int64 {
	if c.Parts == plan.Long || c.Parts == plan.LongBands {
		return longer * scratchBytes()
	}
	return scratchBytes()
}

// cut cuts the loops into parts. What a part reads or makes in scratch memory has scratchOf(c)
// bytes at most. A part has as many values at most as program.Params holds.
func (w *Work) cut(c plan.Candidate) plan.Grid {
	bytes, size := scratchOf(c), int64(0)
	srcSize, dstSize := w.sizes()
	if c.Kind.Before() {
		size = srcSize
	}
	if c.Kind.After() {
		size = max(size, dstSize)
	}
	switch {
	case c.Kind == plan.Packed:
		bytes = plan.ThisHost().L2 / 2
	case w.slices():
		bytes = math.MaxInt64
	case size == 0:
		bytes, size = longer*scratchBytes(), max(srcSize, dstSize/4)
	}
	return plan.Boxes(w.Nest.Dims[:w.Nest.Rank], bytes/size, c.Parts, program.MaxParams)
}

// grids returns the bands of c, if its source is made row by row, and the parts of a band, or of
// the whole.
func (w *Work) grids(c plan.Candidate) (grids [2]plan.Grid) {
	if w.Made > 0 {
		grids[0] = w.bands(c)
		w = w.band(grids[0], 0)
	}
	grids[1] = w.cut(c)
	return grids
}

// cuttings returns the ways to cut candidate c that differ from each other, the usual one first.
func (w *Work) cuttings(c plan.Candidate) []plan.Cutting {
	all, known := []plan.Cutting{{}}, [][2]plan.Grid{w.grids(c)}
	if w.Made == 0 && (known[0][1].Count == 1 || c.Kind == plan.Rows || c.Kind == plan.Windows) {
		return all
	}
	for _, c.Parts = range [...]plan.Parts{plan.LongBands, plan.Long, plan.Bands} {
		if g := w.grids(c); !slices.Contains(known, g) {
			known, all = append(known, g), append(all, c.Cutting)
		}
	}
	return all
}

// bands cuts a nest whose source is made row by row into bands of some rows. All that a band makes
// of the source stays in the first-level cache, or in `longer` times as much memory if c has long
// parts. It is larger if it is made in place without a w.Band, or if w.Band or one row is too long
// for that.
func (w *Work) bands(c plan.Candidate) plan.Grid {
	bytes := scratchOf(c)
	if w.InPlace && w.Band == 0 {
		bytes = plan.PartBytes
	}
	return plan.Chunks(w.Nest.Dims[:w.Nest.Rank], w.rows(), max(1, w.Band, bytes/w.Made))
}

// rows returns the loop of the nest that goes from row to row of a source that is made, or -1 if
// there is a single row.
func (w *Work) rows() int {
	return slices.IndexFunc(w.Nest.Dims[:w.Nest.Rank], func(d nest.Dim) bool { return d.Src == w.Made })
}

// band returns what makes the bands of a shape from memory.
func (w *Work) band(bands plan.Grid, shape int) *Work {
	b := *w
	if rows := w.rows(); rows >= 0 {
		b.Nest.Dims[rows].Extent = bands.Iterations(rows, shape)
	}
	b.Made = 0
	return &b
}

// Plan is a conversion in parts. It is immutable.
type Plan struct {
	Pieces    plan.Pieces
	Stages    [4]Stages // for each shape of part
	ParamLoop int       // the loop whose iterations have a scale and a bias each, or -1
	Params    int64     // how many values of scale and bias a part needs; they repeat
	InC       bool      // whether C makes the numbers
	Kernel    plan.Kernel
	Numbers

	// Memory is how many bytes of scratch memory a part needs. It includes a line behind the last
	// stage, so that the address where an absent stage would begin lies in the same memory. The
	// garbage collector stops a program that has an address of memory that it has freed. The first
	// Made bytes, whole lines, hold what the slice before the numbers or the Source makes.
	Memory, Made int64

	// Bands are the conversions of the shapes of parts if the source is made row by row. A part is
	// a band then, and has no stages of its own.
	Bands   []Plan
	InPlace bool  // whether the rows are made in the destination; Bands do nothing then
	Rows    int   // the loop of the nest that goes from row to row, or -1 for a single row
	Start   int64 // bytes from the beginning of a row to the first element
}

// Stages are what runs the parts of one shape.
type Stages struct {
	Rows          program.Conversion
	First         int64 // bytes from the part's first element to the one that Rows begin with
	Before, After *Step // nil if there is no such stage; a slice has no Rows, and only After unless it is packed
}

// second reports whether a slice of a part runs by the second way.
func (s *Stages) second() bool {
	return s.Before != nil && s.Before.Second || s.After != nil && s.After.Second
}

// nonTemporal reports whether what a part makes is stored by non-temporal stores.
func (s *Stages) nonTemporal() bool {
	if s.After != nil {
		return s.After.Draft.NT != 0
	}
	return s.Rows.NT != 0
}

// Step is a slice into or out of scratch memory.
type Step struct {
	Kernel plan.Kernel
	Nest   nest.Nest
	Draft  program.Draft // of the program, unless Kernel is Go
	Second bool          // whether it runs by the second way
	cost   int64         // by estimate
}

// Bytes returns about how many bytes p takes.
func (p *Plan) Bytes() int64 {
	size := int64(unsafe.Sizeof(*p))
	for s := range p.Pieces.NumShapes {
		for _, step := range [...]*Step{p.Stages[s].Before, p.Stages[s].After} {
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

// MostBytes returns a number of bytes that is not below Bytes of what Plan makes of c.
func (w *Work) MostBytes(c plan.Candidate) int64 {
	size := int64(unsafe.Sizeof(Plan{}))
	if w.Made > 0 {
		bands := w.bands(c)
		for s := range bands.NumShapes {
			size += w.band(bands, s).MostBytes(c)
		}
		return size
	}
	parts := w.cut(c)
	for _, has := range [...]bool{c.Kind.Before(), c.Kind.After()} {
		if has {
			size += int64(parts.NumShapes) * int64(unsafe.Sizeof(Step{}))
		}
	}
	return size
}

// Plan plans w by candidate c.
func (w *Work) Plan(c plan.Candidate) *Plan {
	p := &Plan{Numbers: w.Numbers, ParamLoop: w.Nest.ParamLoop(), Kernel: c.Kernel, InC: w.inC(c.Kernel)}
	if w.Made == 0 {
		w.plan(p, c)
		return p
	}
	p.Pieces.Grid = w.bands(c)
	rows := int64(1)
	if p.Rows, p.Start, p.InPlace = w.rows(), w.Nest.SrcOff, w.InPlace; p.Rows >= 0 {
		rows = p.Pieces.Iterations(p.Rows, 0)
	}
	if !p.InPlace {
		p.Made = lines(w.Made * rows)
	}
	for s := range p.Pieces.NumShapes {
		p.Bands = append(p.Bands, *w.band(p.Pieces.Grid, s).Plan(c))
		p.Memory = max(p.Memory, p.Made+p.Bands[s].Memory)
	}
	return p
}

// plan sets the parts of p and their stages.
func (w *Work) plan(p *Plan, c plan.Candidate) {
	p.Pieces.Grid = w.cut(c)
	cached := plan.Rules{Kernels: w.slicing(c.Kernel), Stores: plan.Stores{Cached: true}}
	asked := plan.Rules{Kernels: cached.Kernels, Stores: plan.Stores{Cached: !c.NonTemporal, NonTemporal: c.NonTemporal}}
	for s := range p.Pieces.NumShapes {
		loops := make([]nest.Dim, 0, nest.MaxRank)
		for i, l := range w.Nest.Dims[:w.Nest.Rank] {
			if l.Extent = p.Pieces.Iterations(i, s); l.Extent > 1 {
				loops = append(loops, l)
			}
		}
		l := w.layout(loops, c)
		stages := &p.Stages[s]
		stages.Rows, stages.First = l.rows, l.first
		p.Params = max(1, p.Params, min(l.rows.Period, l.rows.Count))
		if p.ParamLoop >= 0 {
			p.Params = max(p.Params, p.Pieces.Iterations(p.ParamLoop, s))
		}
		if c.Kind.Before() {
			stages.Before = newStep(l.before, cached, c.Second)
			p.Made = max(p.Made, lines(nest.Bytes(&l.before)))
		}
		if c.Kind.After() {
			stages.After = newStep(l.after, asked, c.Second)
			if c.Kind != plan.Packed { // there it slices what the first stage has made
				p.Memory = max(p.Memory, lines(nest.Bytes(&l.after)))
			}
		}
	}
	p.Memory += p.Made + program.LineBytes
}

// lines rounds a number of bytes up to whole lines.
func lines(bytes int64) int64 { return (bytes + program.LineBytes - 1) &^ (program.LineBytes - 1) }

// inLines reports whether all rows of c begin at the same place in a line of the destination. Then
// all of them have whole vectors there, or none.
func inLines(c *program.Conversion) bool {
	return !slices.ContainsFunc(c.Loop[:c.Loops], func(d nest.Dim) bool { return d.Dst%program.LineBytes != 0 })
}

// newStep returns a step that runs a nest by one of the kernels and stores of w. If second is true,
// it runs by the second way where that costs at most a quarter more than the first by estimate.
func newStep(n nest.Nest, w plan.Rules, second bool) *Step {
	s := &Step{Nest: n}
	nest.Normalize(&s.Nest)
	var ways [plan.MaxListed]plan.Candidate
	count := plan.ThisHost().List(&ways, &s.Draft, &s.Nest, 1, w)
	s.Kernel, s.cost = ways[0].Kernel, ways[0].Cost
	if second && count > 1 && ways[1].Cost <= ways[0].Cost+ways[0].Cost/4 && plan.ThisHost().Make(&s.Draft, &s.Nest, ways[1]) {
		s.Kernel, s.cost, s.Second = ways[1].Kernel, ways[1].Cost, true
	}
	return s
}

// packedRows returns a conversion of merged loops. Its rows go as far as neither side has gaps.
func packedRows(loops []nest.Dim, srcSize, dstSize int64) program.Conversion {
	c := program.Conversion{Count: 1}
	last := len(loops) - 1
	if last >= 0 && loops[last].Src == srcSize && loops[last].Dst == dstSize {
		row := loops[last]
		c.Count = row.Extent
		if row.Param != 0 {
			c.Period = row.Extent
			row.Param = 0
			if last > 0 && nest.Continues(&loops[last-1], &row) {
				last--
				c.Count *= loops[last].Extent
				c.Period = repeated(c.Period)
			}
		}
		last--
	}
	c.Loops = int64(copy(c.Loop[:], loops[:last+1]))
	return c
}

// repeated returns how many values of scale and bias to make of n values that repeat: as many as
// there is room for, in whole vectors if there is room for these.
func repeated(n int64) int64 {
	times := program.MaxParams / n
	for _, whole := range [...]int64{64, 16} {
		if times >= whole {
			return n * (times - times%whole)
		}
	}
	return n * max(1, times)
}
