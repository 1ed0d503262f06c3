package rows

import (
	"fmt"
	"hash/maphash"
	"sync/atomic"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Plan says how the rows of a result are made. It is not changed, so that workers may share it.
type Plan struct {
	request
	filter         Filter // the request's, or Nearest where that makes the same
	columns, rows  *table // nil if the axis is left out
	columnsLast    bool
	opaque         bool    // whether samples of 255 in all pixels of the source stay so in the result
	inMemory       bool    // whether rows of the source are taken from where they lie
	fused          bool    // whether the pass over rows makes pixels of the result: means of four
	step           int     // rows whose columns are resampled at once
	made           int     // how many rows of the source are made at once
	ring           int     // how many rows a ring has
	length, middle int64   // bytes of a row of the source, and of one between the passes
	segment        int64   // bytes of a row of the ring; a longer row between the passes is made segment by segment
	edge           int     // bytes of Linear's first and last pixel between the passes, which are repeated beside the row
	inputRows      []int32 // the rows that Linear needs, counted from the first one

	packedColumns, packedRows *packedPass // nil where plain Go resamples
	joined                    bool        // whether four rows of grey are joined before their columns are resampled, and parted after it
	zipped                    bool        // whether four rows of the ring lie there byte by byte in turns
	area                      area        // of Area
	picks                     *picks      // nil if all columns become colours

	// panels are plans for successive columns, whose rows take at most MostMemory each. They are
	// nil if all columns together do.
	panels []*Plan
}

// request is what a plan is made for.
type request struct {
	filter     Filter
	x, y       Axis
	rowsFirst  bool
	pixel      int  // bytes of a pixel: 1, 3 or 4
	threeBytes bool // whether pixels of the source have three bytes, and become four before they are resampled
	stays      bool
	planes     int // of float32, a pixel each; 0 for samples
	set        int32
	vnni       bool     // whether the passes of csrc/vnni.h resample
	sampling   sampling // of luma and chroma, if samples may be taken before they become colours
	limit      int64    // bytes that the rows of a goroutine may take
}

// plans has plans of late by the hashes of their requests, since to make the weights may take as
// long as to resample. A plan with more than mostKept weights is not kept.
var (
	plans [16]atomic.Pointer[Plan]
	seed  = maphash.MakeSeed()
)

const mostKept = 1 << 17

// NewPlan returns a plan for pixels of 1, 3 or 4 bytes, each of which is a sample of its own. If
// [Plan.Pixel] is 4 where `pixel` is 3, pixels of the source get a fourth byte, which is any
// number. If rowsFirst is set, rows are resampled before columns: the source lies transposed. If
// stays is set, rows of the source are memory, unless they get that byte, and all of them lie in
// one allocation. Memory is taken for the wanted part of the result only. The loops of set number
// `set` resample, or plain Go if `set` is negative or has no passes in this build. NewPlan returns
// an error that names the number if the filter or an axis is out of range, if an axis has more than
// [MostWeights] weights or a sample more than [MostTaps], or if the rows between the passes are too
// many.
func NewPlan(f Filter, columns, rows Axis, rowsFirst bool, pixel int, stays bool, set int32) (*Plan, error) {
	return newRequest(f, columns, rows, rowsFirst, pixel, stays, 0, set).kept()
}

// NewPlanePlan returns a plan for each of so many planes of float32, which are memory. Columns are
// resampled before rows. No axis is flipped, and the filter is not Area. The rest is NewPlan's; the
// rows between the passes are those of all planes.
func NewPlanePlan(f Filter, columns, rows Axis, planes int, set int32) (*Plan, error) {
	return newRequest(f, columns, rows, false, 4, true, planes, set).kept()
}

// setPixel sets how many bytes a pixel has. Of three it makes four where the sums of a pixel are
// four numbers: those of Area, and of Linear along rows first.
func (r *request) setPixel(pixel int) {
	r.pixel = pixel
	if r.threeBytes = pixel == 3 && (r.filter == Area || r.filter == Linear && r.rowsFirst); r.threeBytes {
		r.pixel = 4
	}
}

func newRequest(f Filter, columns, rows Axis, rowsFirst bool, pixel int, stays bool, planes int, set int32) request {
	r := request{filter: f, x: columns, y: rows, rowsFirst: rowsFirst, pixel: pixel, stays: stays, planes: planes, set: set, limit: MostMemory}
	r.setPixel(pixel)
	r.vnni = planes == 0 && hasVNNI(set)
	return r
}

// kept returns a plan that was made before, or makes one.
func (r request) kept() (*Plan, error) {
	if r.filter < 0 || r.filter >= filters || r.planes > 0 && r.filter == Area {
		return nil, fmt.Errorf("rows: filter %d: must be 0 to %d", r.filter, filters-1)
	}
	for i, axis := range [...]*Axis{&r.x, &r.y} {
		if err := axis.check([...]string{"columns", "rows"}[i]); err != nil {
			return nil, err
		}
	}
	r = r.inOrder()
	slot := &plans[maphash.Comparable(seed, r)%uint64(len(plans))]
	if p := slot.Load(); p != nil && p.request == r {
		return p, nil
	}
	p, err := r.whole()
	if err == nil && p.columns.size()+p.rows.size() <= mostKept {
		slot.Store(p)
	}
	return p, err
}

// inOrder returns r with the order of the passes. That of integers is free.
func (r request) inOrder() request {
	r.rowsFirst = r.rowsFirst || r.filter == Area && r.x.divides() && r.y.divides()
	return r
}

// hasVNNI reports whether a set has the passes of csrc/vnni.h, and this host their instructions.
func hasVNNI(set int32) bool {
	return set >= 0 && program.Sets[set].Weighs != "" && cpuid.Host().Has(program.Sets[set].Weighs)
}

// whole makes a plan, of panels if the rows of all columns would take too much memory.
func (r request) whole() (*Plan, error) {
	p, err := r.plan()
	if err != nil {
		return nil, err
	}
	width, height := p.Size()
	stored := p.Bytes() + int64(width)*int64(height)*int64(r.pixel)
	planes := int64(max(1, r.planes))
	if bytes := p.betweenBytes(); bytes > max(mostBetween/planes, timesStored*stored) {
		return nil, fmt.Errorf("rows: the rows between the passes have %d bytes: must have at most %d, and 16 times what the source and the result have", bytes*planes, mostBetween)
	}
	if p.memory() <= r.limit {
		return p, nil
	}
	p.panels, err = r.cut()
	low, high := p.SourceColumns()
	p.columns, p.packedColumns = &table{low: low, high: high}, nil // the panels have the weights
	return p, err
}

func (t *table) size() int {
	if t == nil {
		return 0
	}
	return len(t.starts) + len(t.weights) + 2*len(t.wide)
}

// table returns the weights of a pass along an axis, or nil if there is no such pass. isFirst is
// whether it is the first pass.
func (r *request) table(axis *Axis, isFirst bool) (*table, error) {
	switch {
	case r.x.unchanged() && r.y.unchanged() || r.filter < Linear && axis.unchanged():
		return nil, nil
	case r.filter == Area:
		return axis.covers()
	case r.filter == Linear:
		return axis.linearWeights(isFirst, r.planes > 0)
	case r.filter == Nearest:
		return axis.places()
	}
	return axis.weights(r.filter, r.planes > 0)
}

// plan makes a plan.
func (r request) plan() (p *Plan, err error) {
	p = &Plan{request: r, filter: r.filter, step: 4}
	if r.filter == Area {
		if p.area, err = newArea(&r.x, &r.y); err != nil {
			return nil, err
		}
	}
	if p.columns, err = r.table(&r.x, !r.rowsFirst); err != nil {
		return nil, err
	}
	if p.rows, err = r.table(&r.y, r.rowsFirst); err != nil {
		return nil, err
	}
	if r.planes == 0 && r.filter == Box && p.columns.isNearest() && p.rows.isNearest() {
		p.columns, p.rows = p.columns.nearest(), p.rows.nearest()
		p.filter, r.filter = Nearest, Nearest
	}
	p.opaque = p.columns.keepsWhite(r.filter) && p.rows.keepsWhite(r.filter)
	p.pickColumns()
	p.columnsLast = p.columns != nil && (p.rows == nil || r.rowsFirst || r.filter == Nearest)
	low, high := p.SourceColumns()
	width, _ := p.Size()
	p.middle = int64(width) * int64(r.pixel)
	if p.columnsLast || p.columns == nil {
		p.middle = int64(high-low) * int64(r.pixel)
	}
	samples := p.middle
	if r.filter == Linear && p.rows != nil {
		p.inputRows = p.rows.condense()
		if r.rowsFirst {
			p.edge = 2 * r.pixel
		}
	}
	p.middle *= p.wide()
	if r.inC() || r.inVectors() {
		p.packTables(samples)
	}
	p.inMemory = p.stays && !p.threeBytes
	p.length = int64(high-low) * int64(p.pixel)
	p.setStep()
	p.setRing()
	return p, nil
}

// wide returns how many bytes a number between the passes has.
func (p *Plan) wide() int64 {
	switch {
	case p.filter == Linear && p.rows != nil && p.planes == 0:
		return 2
	case p.filter == Area && p.rows != nil:
		return p.area.wide
	}
	return 1
}

// widths returns how many bytes a sample has before its columns are resampled, and after that.
func (p *Plan) widths() (loaded, stored int64) {
	if p.rowsFirst {
		return p.wide(), 1
	}
	return 1, p.wide()
}

// packTables packs the tables for the passes of the set: those in C, and those over columns in Go's
// vectors, which take the same tables. Rows between the passes have so many samples.
func (p *Plan) packTables(samples int64) {
	if p.planes == 0 && p.filter < Nearest && (p.columns != nil && !p.columns.splits() || p.rows != nil && !p.rows.splits()) {
		return
	}
	p.packFours(samples)
	set := program.Sets[p.set].Kernel[0] // the weakest set of the kernel has all other passes
	if p.columns != nil && p.packedColumns == nil {
		p.packedColumns = p.pack(p.columns, set)
	}
	if c := p.packedColumns; c != nil && p.pixel == 1 && p.filter != Nearest && c.pass != program.SumWindows && c.pass < program.WeighQuads {
		p.joined, p.step = true, maxBatch
	}
	if p.packedColumns != nil && p.filter == Nearest {
		if p.step = maxBatch; p.y.Scaled > p.y.Size { // rows that are repeated are copied while they are in the cache
			p.step = maxBatch / 2
		}
	}
	if p.packedColumns != nil && p.planes > 0 && p.filter != Nearest {
		p.step = int(program.Sets[set].Vector) / 4
	}
	width, _ := p.Size()
	if p.fused = p.area.fours && int64(width*p.pixel) >= program.Sets[set].Vector; p.fused {
		p.columnsLast = false
	}
	if p.rows != nil && p.packedRows == nil && p.filter != Nearest && !p.inVectors() {
		p.packedRows = p.packRows(p.rows, set, samples)
	}
}

// setStep sets how many rows are made at once. Colours take fewer calls for more rows.
func (p *Plan) setStep() {
	if !p.inMemory && p.filter == Linear && p.columns != nil && !p.rowsFirst {
		p.step = max(p.step, maxBatch/2)
	}
	p.made = p.step
	if p.inputRows != nil {
		p.made = p.step * 3 / 2
	}
}

// setRing sets how many rows lie in a ring, and how long their parts are.
func (p *Plan) setRing() {
	p.ring = p.step
	if p.rows != nil {
		p.ring += p.rows.taps
	}
	if p.zipped {
		p.ring = (p.rows.taps+6)/4*4 + 4
	}
	switch {
	case !p.rings():
		p.ring = 0
	case p.columns != nil && !p.rowsFirst:
		p.segment = p.middle
	default:
		p.segment = p.length
		if p.columnsLast && int64(p.ring)*p.length > p.limit/4 {
			p.segment = max(4, p.limit/4/int64(p.ring)/int64(p.pixel)) * int64(p.pixel)
		}
		if p.segment < min(p.length, leastInC) {
			p.packedRows = nil
		}
	}
}

// span returns the samples of an axis that the wanted part of the result takes.
func span(t *table, axis *Axis) (low, high int) {
	if t == nil {
		return axis.Begin, axis.End
	}
	return t.low, t.high
}

// SourceColumns and SourceRows return what the result takes of the source, from low up
// to, not including, high. A pixel outside is never read.
func (p *Plan) SourceColumns() (low, high int) { return span(p.columns, &p.x) }
func (p *Plan) SourceRows() (low, high int)    { return span(p.rows, &p.y) }

// Size returns the width and the height of the wanted part of the result.
func (p *Plan) Size() (width, height int) { return p.x.End - p.x.Begin, p.y.End - p.y.Begin }

// Band returns how many rows of the result a goroutine should make at once. Of the rows of the
// source that such a band takes, the next band takes about an eighth again.
func (p *Plan) Band() int64 {
	if p.rows == nil || p.filter == Nearest {
		return int64(p.step)
	}
	return max(int64(p.step), 8*int64(p.ring)*int64(p.y.Scaled)/int64(p.y.Size))
}

// MinBand returns how many rows of the result even a single goroutine should make at once: panels
// keep no row of the source for the next band. It is 0 if there are none, and less than a band if
// that is large.
func (p *Plan) MinBand() int64 {
	if p.panels == nil {
		return 0
	}
	width, _ := p.Size()
	return min(p.Band(), max(1, mostIdle/int64(width*p.pixel)))
}

// Bytes returns how many bytes of the source the result takes.
func (p *Plan) Bytes() int64 {
	low, high := p.SourceRows()
	return int64(high-low) * p.length
}

// Opaque reports whether alpha of 255 in all pixels of the source is 255 in the result. It may
// report false although it is.
func (p *Plan) Opaque() bool { return p.opaque }

// Pixel returns how many bytes a pixel has in the rows that a [Source] returns, and in the result.
func (p *Plan) Pixel() int { return p.pixel }

// source returns which row of the source is row k of those that the result takes.
func (p *Plan) source(k int) int {
	if p.inputRows != nil {
		k = int(p.inputRows[k])
	}
	return p.rows.low + k
}
