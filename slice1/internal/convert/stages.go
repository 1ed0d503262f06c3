package convert

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// job plans a conversion. Its fields are what its methods share.
type job struct {
	*Work
	from, to int64 // bytes of an element
	loops    []nest.Dim
	elements int64 // of the destination, which all have bytes of their own, so that nothing overflows
}

func (w *Work) job() *job {
	j := &job{Work: w, from: w.Numbers.Src.Size(), to: w.Numbers.Dst.Size(), elements: 1}
	if w.slices() {
		j.from, j.to = int64(w.Nest.Width), int64(w.Nest.Width)
	}
	j.loops = w.Nest.Dims[:w.Nest.Rank]
	for _, l := range j.loops {
		j.elements *= l.Extent
	}
	return j
}

// cost returns what a way to run the conversion costs by estimate. ok is false if it is none:
// rows of windows that are no longer than rows, or a slice that would change nothing.
func (j *job) cost(k plan.Kernel, s plan.Kind) (cost int64, ok bool) {
	if (s == plan.Slice) != j.slices() {
		return 0, false
	}
	if s == plan.Slice {
		number := costOfByte * j.to
		if k == plan.Go {
			number = costInGo
		}
		return plan.Sum(costOfPart, plan.Times(number, j.elements)), true
	}
	loops := slices.Clone(j.loops)
	if s == plan.RowsSlice {
		loops = inSource(loops)
	}
	j.pack(loops, s)
	rows := packedRows(nest.Merged(loops), j.from, j.to)
	each, number := int64(0), int64(costOfElement)
	if rows.Period > 0 {
		each = costOfEach
	}
	switch {
	case j.inC(k):
	case k != plan.Go && vector.Converts:
		number = costInVectors
	default:
		number = costInGo
	}
	count, row := j.elements/rows.Count, int64(costOfRow)
	if s == plan.Windows {
		windows, ok := j.windows(k, nest.Merged(slices.Clone(j.loops)))
		if !ok || rows.Count >= windows.Count && rows.Period == 0 {
			return 0, false
		}
		count, row, each = j.elements/windows.Count, costOfWindows, 0
		if windows.Loops == 0 {
			row = 0
		}
	}
	if s.Before() {
		number += costOfByte * j.from
	}
	if s.After() {
		number += costOfByte * j.to
	}
	return plan.Sum(costOfPart, plan.Sum(plan.Times(row, count), plan.Times(number+each, j.elements))), true
}

// pack gives loops, the innermost last, the strides that they have in scratch memory.
func (j *job) pack(loops []nest.Dim, s plan.Kind) {
	elements := int64(1)
	for i := len(loops) - 1; i >= 0; i-- {
		l := &loops[i]
		if s.Before() {
			l.Src = elements * j.from
		}
		if s.After() {
			l.Dst = elements * j.to
		}
		elements *= l.Extent
	}
}

// inSource returns the loops in descending order of the source's strides. Loops that go backwards
// in the source are reversed: they go forwards there, and backwards in the destination. Loops that
// have values for each iteration stay as they are.
func inSource(loops []nest.Dim) []nest.Dim {
	for i := range loops {
		if l := &loops[i]; l.Src < 0 && l.Param == 0 {
			l.Src, l.Dst = -l.Src, -l.Dst
		}
	}
	slices.SortStableFunc(loops, func(a, b nest.Dim) int { return cmp.Compare(reach(b), reach(a)) })
	return loops
}

// reach returns how far an iteration of l moves the source, or the largest number if it does not.
func reach(l nest.Dim) uint64 { return uint64(max(l.Src, -l.Src)) - 1 }

// scratchOf returns scratchBytes for the parts of c, or for its bands.
func scratchOf(c plan.Candidate) int64 {
	if c.Parts == plan.Long || c.Parts == plan.LongBands {
		return longer * scratchBytes()
	}
	return scratchBytes()
}

// room returns how many elements a part has at most.
func (j *job) room(c plan.Candidate) int64 {
	bytes := scratchOf(c)
	if !c.Kind.Before() && !c.Kind.After() {
		bytes = longer * scratchBytes()
	}
	switch {
	case c.Kind == plan.Slice:
		return math.MaxInt64
	case c.Kind == plan.SliceRowsSlice:
		return bytes / max(j.from, j.to)
	case c.Kind.Before():
		return bytes / j.from
	case c.Kind.After():
		return bytes / j.to
	}
	return bytes / max(j.from, j.to/4)
}

// cut cuts the loops into parts. A part has as many values at most as program.Params holds.
func (j *job) cut(c plan.Candidate) plan.Grid {
	return plan.Boxes(j.loops, j.room(c), c.Parts, program.MaxParams)
}

// grids returns the bands of c, if its source is made row by row, and the parts of a band, or of
// the whole.
func (w *Work) grids(c plan.Candidate) (grids [2]plan.Grid) {
	if w.Made > 0 {
		grids[0] = w.bands(c)
		w = w.band(grids[0], 0)
	}
	grids[1] = w.job().cut(c)
	return grids
}

// cuttings returns the ways to cut a conversion with such stages that differ from each other, the
// usual one first.
func (w *Work) cuttings(s plan.Kind) []plan.Cutting {
	all := []plan.Cutting{{}}
	usual := w.grids(plan.Candidate{Kind: s})
	if w.Made == 0 && (usual[1].Count == 1 || s == plan.Rows || s == plan.Windows) {
		return all
	}
	known := [][2]plan.Grid{usual}
	for _, parts := range [...]plan.Parts{plan.LongBands, plan.Long, plan.Bands} {
		c := plan.Candidate{Kind: s, Cutting: plan.Cutting{Parts: parts}}
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
	Pieces        plan.Pieces
	Stages        [4]Stages // for each shape of part
	Valued        int       // the loop that has values of its own, or -1
	InC           bool      // whether C makes the numbers
	Kernel        plan.Kernel
	Before, After int64 // bytes of scratch memory for the two slices of a part

	// Bands are the conversions of the shapes of parts if the source is made row by row. A part is
	// a band then, and has no stages of its own.
	Bands   []Plan
	InPlace bool // whether they are made where they are stored, and bands do nothing else
	Rows    int  // the loop of the rows that are made, or -1
	Numbers
	Made  int64 // bytes of scratch memory for these rows
	Start int64 // bytes from the beginning of a row to the first element
}

// Stages are what runs the parts of one shape.
type Stages struct {
	Rows          program.Conversion
	First         int64 // bytes from the part's first element to the one that Rows begin with
	Before, After *Step // nil if there is no such stage; a slice has only After, and no Rows
}

// nonTemporal reports whether what a part makes is stored by non-temporal stores.
func (s *Stages) nonTemporal() bool {
	if s.After != nil {
		return s.After.Program.NT != 0
	}
	return s.Rows.NT != 0
}

// Step is a slice into or out of scratch memory.
type Step struct {
	Kernel  plan.Kernel
	Nest    nest.Nest
	Program program.Program // unless Kernel is Go
}

// Plan plans w by candidate c.
func (w *Work) Plan(c plan.Candidate) *Plan {
	if w.Made > 0 {
		p := &Plan{Numbers: w.Numbers, Valued: w.Nest.Valued(), Rows: w.rows(), Start: w.Nest.SrcOff, InPlace: w.InPlace}
		p.Pieces.Grid = w.bands(c)
		for s := range p.Pieces.NumShapes {
			p.Bands = append(p.Bands, *w.band(p.Pieces.Grid, s).Plan(c))
		}
		if p.InPlace {
			return p
		}
		p.Made = w.Made
		if p.Rows >= 0 {
			p.Made *= p.Pieces.Iterations(p.Rows, 0)
		}
		return p
	}
	j := w.job()
	p := &Plan{Numbers: w.Numbers, Valued: w.Nest.Valued(), InC: w.inC(c.Kernel), Kernel: c.Kernel}
	p.Pieces.Grid = j.cut(c)
	for s := range p.Pieces.NumShapes {
		j.stages(&p.Stages[s], p, c, s)
	}
	return p
}

// stages sets what runs the parts of shape number s.
func (j *job) stages(to *Stages, p *Plan, c plan.Candidate, s int) {
	loops := make([]nest.Dim, 0, nest.MaxRank)
	for i, l := range j.loops {
		if l.Extent = p.Pieces.Iterations(i, s); l.Extent > 1 {
			loops = append(loops, l)
		}
	}
	work := plan.Work{Kernels: j.slicing(c.Kernel), Stores: plan.Stores{Cached: !c.NonTemporal, NonTemporal: c.NonTemporal}}
	if c.Kind == plan.Slice {
		n := nest.Nest{Rank: int32(len(loops)), Width: int32(j.to)}
		copy(n.Dims[:], loops)
		to.After = newStep(n, work)
		return
	}
	if c.Kind == plan.RowsSlice {
		for _, l := range loops {
			if l.Src < 0 && l.Param == 0 {
				to.First += l.Src * (l.Extent - 1)
			}
		}
		loops = inSource(loops)
	}
	in, out := nest.Nest{Rank: int32(len(loops)), Width: int32(j.from)}, nest.Nest{Rank: int32(len(loops)), Width: int32(j.to)}
	elements := int64(1)
	for i, l := range slices.Backward(loops) {
		in.Dims[i] = nest.Dim{Extent: l.Extent, Src: l.Src, Dst: elements * j.from}
		out.Dims[i] = nest.Dim{Extent: l.Extent, Src: elements * j.to, Dst: l.Dst}
		if l.Dst < 0 { // from the last iteration on, which belongs in front
			out.Dims[i].Src, out.Dims[i].Dst = -elements*j.to, -l.Dst
			out.SrcOff += elements * j.to * (l.Extent - 1)
		}
		elements *= l.Extent
	}
	if c.Kind.Before() {
		to.Before = newStep(in, plan.Work{Kernels: work.Kernels, Stores: plan.Stores{Cached: true}})
		p.Before = max(p.Before, elements*j.from)
	}
	if c.Kind.After() {
		to.After = newStep(out, work)
		p.After = max(p.After, elements*j.to)
	}
	j.pack(loops, c.Kind)
	loops = nest.Merged(loops)
	to.Rows = packedRows(loops, j.from, j.to)
	if windows, ok := j.windows(c.Kernel, loops); ok {
		streams := c.NonTemporal && j.Numbers.Dst == program.Float32 && program.Sets[c.Kernel].NonTemporal
		longer := to.Rows.Count < windows.Count || to.Rows.Period > 0
		if c.Kind == plan.Windows && longer || c.Kind == plan.Rows && !longer && streams && inLines(&windows) {
			to.Rows = windows
		}
		if streams && to.Rows.Places != 0 {
			to.Rows.NT = 1
		}
	}
	to.Rows.Src, to.Rows.Dst = j.Numbers.Src, j.Numbers.Dst
	if j.Numbers.Swap {
		to.Rows.Swap = 1
	}
}

// windows returns the conversion of merged loops of bytes by windows, where they lie, by kernel k.
func (j *job) windows(k plan.Kernel, loops []nest.Dim) (c program.Conversion, ok bool) {
	if j.Numbers.Src != program.Uint8 || !j.inC(k) {
		return c, false
	}
	return placesOf(loops, j.to, program.Sets[k].Masks)
}

// inLines reports whether all rows of c begin at the same place in a line of the destination. Then
// all of them have whole vectors there, or none.
func inLines(c *program.Conversion) bool {
	return !slices.ContainsFunc(c.Loop[:c.Loops], func(d nest.Dim) bool { return d.Dst%program.LineBytes != 0 })
}

// newStep returns a step that runs a nest by one of the kernels and stores of w.
func newStep(n nest.Nest, w plan.Work) *Step {
	s := &Step{Nest: n}
	nest.Normalize(&s.Nest)
	s.Kernel = plan.ThisHost().Choose(&s.Program, &s.Nest, w).Kernel
	return s
}

// packedRows returns a conversion of merged loops. Its rows go as far as neither side has gaps.
func packedRows(loops []nest.Dim, from, to int64) program.Conversion {
	c := program.Conversion{Count: 1}
	last := len(loops) - 1
	if last >= 0 && loops[last].Src == from && loops[last].Dst == to {
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
