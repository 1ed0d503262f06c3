package rows

import (
	"fmt"
	"hash/maphash"
	"sync/atomic"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Plan says how the rows of a result are made. It is not changed, so that workers may share it.
type Plan struct {
	request
	columns, rows  *table // nil if the axis is left out
	columnsLast    bool
	step           int     // rows whose columns are resampled at once
	ring           int     // how many rows a ring has
	length, middle int64   // bytes of a row of the source, and of one between the passes
	part           int64   // bytes of a row of the ring; a row between the passes is made of as many parts as it takes
	edge           int     // bytes of Linear's first and last pixel between the passes, which are repeated beside the row
	taken          []int32 // the rows that Linear takes, counted from the first one

	packedColumns, packedRows *packed // nil where plain Go resamples
	area                      area    // of Area

	// strips are plans for successive columns, whose rows take at most MostMemory each. They are nil
	// if all columns together do.
	strips []*Plan
}

// request is what a plan is made for.
type request struct {
	filter    Filter
	x, y      Axis
	rowsFirst bool
	pixel     int // bytes of a pixel, 1 or 4
	stays     bool
	set       int32
	most      int64 // bytes that the rows of a goroutine may take
}

// kept has plans of late by the hashes of their requests, since to make the weights may take as
// long as to resample. A plan with more than mostKept weights is not kept.
var (
	kept [16]atomic.Pointer[Plan]
	seed = maphash.MakeSeed()
)

const mostKept = 1 << 17

// MostMemory is how many bytes the rows of all goroutines that resample one picture may take.
const MostMemory = 96 << 20

// The rows between the passes may have `timesStored` times as many bytes as the source and the
// result, or mostBetween. Otherwise a column of 32768 pixels that becomes a row of 65536 would take
// half a minute.
const mostBetween, timesStored = 64 << 20, 16

// NewPlan returns a plan for pixels of 1 or 4 bytes, each of which is a sample of its own. If rowsFirst
// is set, rows are resampled before columns: the source lies transposed. If stays is set, rows of
// the source are memory, and all of them lie in one allocation. Memory is taken for the wanted part
// of the result only. The loops of set number `set` resample, or plain Go if `set` is negative or
// its loops are not in C. NewPlan returns an error that names the number if the filter or an axis is out
// of range, if an axis has more than [MostWeights] weights or a sample more than [MostTaps], or if
// the rows between the passes are too many.
func NewPlan(f Filter, columns, rows Axis, rowsFirst bool, pixel int, stays bool, set int32) (*Plan, error) {
	if f < 0 || f >= filters {
		return nil, fmt.Errorf("rows: filter %d: must be 0 to %d", f, filters-1)
	}
	for i, a := range [...]*Axis{&columns, &rows} {
		if err := a.check([...]string{"columns", "rows"}[i]); err != nil {
			return nil, err
		}
	}
	r := request{f, columns, rows, rowsFirst, pixel, stays, set, MostMemory}
	slot := &kept[maphash.Comparable(seed, r)%uint64(len(kept))]
	if p := slot.Load(); p != nil && p.request == r {
		return p, nil
	}
	p, err := r.whole()
	if err == nil && p.columns.size()+p.rows.size() <= mostKept {
		slot.Store(p)
	}
	return p, err
}

// whole makes a plan, in strips if the rows of all columns would take too much memory.
func (r request) whole() (*Plan, error) {
	p, err := r.plan()
	if err != nil {
		return nil, err
	}
	width, height := p.Size()
	stored := p.Bytes() + int64(width)*int64(height)*int64(r.pixel)
	most := max(mostBetween, timesStored*stored)
	if between := p.between(); between > most {
		return nil, fmt.Errorf("rows: the rows between the passes have %d bytes: must have at most %d, and 16 times what the source and the result have", between, mostBetween)
	}
	if p.memory() <= r.most {
		return p, nil
	}
	p.strips, err = r.cut()
	low, high := p.Columns()
	p.columns, p.packedColumns = &table{low: low, high: high}, nil // the strips have the weights
	return p, err
}

func (t *table) size() int {
	if t == nil {
		return 0
	}
	return len(t.first) + len(t.weights)
}

// table returns the weights of a pass along axis a, or nil if there is no such pass. `first` is
// whether the pass is the first one.
func (r *request) table(a *Axis, first bool) (*table, error) {
	switch {
	case r.x.unchanged() && r.y.unchanged() || r.filter < Linear && a.unchanged():
		return nil, nil
	case r.filter == Area:
		return a.covers()
	case r.filter == Linear:
		return a.pairs(first)
	case r.filter == Nearest:
		return a.places()
	}
	return a.weights(r.filter)
}

// plan makes a plan.
func (r request) plan() (p *Plan, err error) {
	p = &Plan{request: r, step: 4}
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
	p.columnsLast = p.columns != nil && (p.rows == nil || r.rowsFirst || r.filter == Nearest)
	low, high := p.Columns()
	width, _ := p.Size()
	p.length, p.middle = int64(high-low)*int64(r.pixel), int64(width)*int64(r.pixel)
	if p.columnsLast || p.columns == nil {
		p.middle = p.length
	}
	samples := p.middle
	if r.filter == Linear && p.rows != nil {
		p.taken = p.rows.condense()
		if r.rowsFirst {
			p.edge = 2 * r.pixel
		}
	}
	p.middle *= p.wide()
	if r.set >= 0 && program.InC(r.set) {
		p.packTables(samples)
	}
	p.setRing()
	return p, nil
}

// wide returns how many bytes a number between the passes has.
func (p *Plan) wide() int64 {
	switch {
	case p.filter == Linear && p.rows != nil:
		return 2
	case p.filter == Area && p.rows != nil:
		return 4
	}
	return 1
}

// packTables packs the tables for the loops in C, as far as these run them. Rows between the passes
// have so many samples.
func (p *Plan) packTables(samples int64) {
	set := program.Sets[p.set].Kernel[0] // the weakest set of the kernel; stronger ones have no loops
	if p.columns != nil {
		p.packedColumns = p.pack(p.columns, set)
	}
	if p.packedColumns != nil && p.pixel == 1 && p.filter != Nearest { // their rows are joined
		p.step = most
	}
	if p.rows != nil && p.filter != Nearest {
		p.packedRows = p.packRows(p.rows, set, samples)
	}
}

// setRing sets how many rows lie in a ring, and how long their parts are.
func (p *Plan) setRing() {
	p.ring = p.step
	if p.rows != nil {
		p.ring += p.rows.taps
	}
	switch {
	case !p.rings():
		p.ring = 0
	case p.columns != nil && !p.rowsFirst:
		p.part = p.middle
	default:
		p.part = p.length
		if p.columnsLast && int64(p.ring)*p.length > p.most/4 {
			p.part = max(4, p.most/4/int64(p.ring)/int64(p.pixel)) * int64(p.pixel)
		}
		if p.part < min(p.length, leastInC) {
			p.packedRows = nil
		}
	}
}

// between returns how many bytes all rows between the passes have.
func (p *Plan) between() int64 {
	low, high := p.Rows()
	switch {
	case p.columns == nil || p.rows == nil || p.filter == Nearest:
		return 0
	case p.rowsFirst:
		low, high = p.y.From, p.y.To
	}
	return int64(high-low) * p.middle
}

// rings reports whether rows lie in a ring until no row of the result takes them.
func (p *Plan) rings() bool {
	return p.rows != nil && p.filter != Nearest && (p.columns != nil && !p.rowsFirst || !p.stays)
}

// memory returns about how many bytes the rows of a goroutine take.
func (p *Plan) memory() int64 {
	made, joined := int64(0), int64(0)
	switch {
	case p.columnsLast && p.rows != nil && p.filter != Nearest:
		made = p.middle + int64(2*p.edge)
	case !p.stays && p.columns != nil:
		made = p.length
	}
	if p.step == most {
		joined = most * (p.length + 2*int64(len(p.columns.first)))
	}
	return int64(p.step)*made + joined + int64(p.ring)*(p.part+32) // a row that is taken has a slice and an offset
}

// Memory returns about how many bytes the rows of a goroutine take.
func (p *Plan) Memory() (most int64) {
	for _, s := range p.parts() {
		most = max(most, s.memory())
	}
	return most
}

// cut returns plans for successive columns whose rows take at most r.most bytes each, or for single
// columns.
func (r request) cut() ([]*Plan, error) {
	p, err := r.plan()
	if err != nil || p.memory() <= r.most || r.x.To-r.x.From == 1 {
		return []*Plan{p}, err
	}
	left, right := r, r
	left.x.To = r.x.From + (r.x.To-r.x.From)/2
	right.x.From = left.x.To
	first, err := left.cut()
	if err != nil {
		return nil, err
	}
	second, err := right.cut()
	return append(first, second...), err
}

// parts returns the strips of p, or p itself.
func (p *Plan) parts() []*Plan {
	if p.strips == nil {
		return []*Plan{p}
	}
	return p.strips
}

// span returns the samples of an axis that the wanted part of the result takes.
func span(t *table, a *Axis) (low, high int) {
	if t == nil {
		return a.From, a.To
	}
	return t.low, t.high
}

// Columns and Rows return the columns and the rows of the source that the result takes, from low up
// to, not including, high. A pixel outside is never read.
func (p *Plan) Columns() (low, high int) { return span(p.columns, &p.x) }
func (p *Plan) Rows() (low, high int)    { return span(p.rows, &p.y) }

// Size returns the width and the height of the wanted part of the result.
func (p *Plan) Size() (width, height int) { return p.x.To - p.x.From, p.y.To - p.y.From }

// Band returns how many rows of the result a goroutine should make at once. Of the rows of the
// source that such a band takes, the next band takes about an eighth again.
func (p *Plan) Band() int64 {
	if p.rows == nil || p.filter == Nearest {
		return int64(p.step)
	}
	return max(int64(p.step), 8*int64(p.ring)*int64(p.y.Out)/int64(p.y.Size))
}

// Least returns how many rows of the result even a single goroutine should make at once: strips keep
// no row of the source for the next band. It is 0 if there are none, and less than a band if that is
// large.
func (p *Plan) Least() int64 {
	if p.strips == nil {
		return 0
	}
	width, _ := p.Size()
	return min(p.Band(), max(1, mostIdle/int64(width*p.pixel)))
}

// Bytes returns how many bytes of the source the result takes.
func (p *Plan) Bytes() int64 {
	low, high := p.Rows()
	return int64(high-low) * p.length
}

// A Source has the rows of a picture. Row(y, first, n, memory) returns n pixels of row y from pixel
// number `first` on, counted from column `low` of [Plan.Columns]. If the plan was made for rows that
// stay, these are a part of the picture's own memory. Otherwise Row makes them in memory, which is
// as long.
type Source interface {
	Row(y, first, n int, memory []uint8) []uint8
}

// Worker is what one goroutine needs to make rows of a result. Its memory is used again for other
// plans.
type Worker struct {
	whole, plan *Plan
	left        int           // pixels from the first column that whole takes to the first one that plan takes
	ring        []uint8       // rows for the second pass, by row number modulo how many it has
	made        [most][]uint8 // rows of the source, or between the passes
	middle      [most][]uint8 // rows whose columns are resampled next
	joined      [2][4][]uint8 // rows of four rows of pixels of one sample, before and after a pass
	taken       [][]uint8     // the rows that a row of the result takes
	offsets     []int64
	begin, next int // the ring has the rows of the source from `begin` or later on, up to, not including, next
}

// leastInC is how many bytes of a row the loops in C need to be worth a call, and more than they
// load at once.
const leastInC = 256

// most is how many rows at most have their columns resampled at once.
const most = 16

// mostIdle is how many bytes a Worker keeps that nobody uses.
const mostIdle = 4 << 20

// resized sets s to n elements, and keeps its memory if that is enough.
func resized[T any](s *[]T, n int64) []T {
	if int64(cap(*s)) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}

// Open makes w ready for a plan and for any source of it: it empties the ring.
func (w *Worker) Open(p *Plan) {
	w.whole = p
	w.open(p)
}

// open makes w ready for its whole plan, or for one of its strips.
func (w *Worker) open(p *Plan) {
	low, _ := w.whole.Columns()
	first, _ := p.Columns()
	w.plan, w.left, w.begin, w.next = p, first-low, 0, 0
	resized(&w.ring, int64(p.ring)*p.part)
}

// Close drops the plan and the rows that w refers to. It keeps w's own memory, unless that is large.
func (w *Worker) Close() {
	if w.bytes() > mostIdle {
		*w = Worker{}
		return
	}
	w.whole, w.plan = nil, nil
	clear(w.middle[:])
	clear(w.taken[:cap(w.taken)])
}

// bytes returns how many bytes w has.
func (w *Worker) bytes() int {
	n := cap(w.ring) + 24*cap(w.taken) + 8*cap(w.offsets)
	for _, rows := range [...][][]uint8{w.made[:], w.joined[0][:], w.joined[1][:]} {
		for _, row := range rows {
			n += cap(row)
		}
	}
	return n
}

// Rows makes n rows of the result from row y on, where row 0 is the first one that is wanted. The
// rows lie in dst, `stride` bytes apart, from its end on if stride is negative. Rows that follow
// those of the call before use what is in the ring, unless the plan has strips.
func (w *Worker) Rows(dst []uint8, stride, y, n int, src Source) {
	for _, p := range w.whole.strips {
		w.open(p)
		w.rows(dst[(p.x.From-w.whole.x.From)*p.pixel:], stride, y, n, src)
	}
	if w.whole.strips == nil {
		w.rows(dst, stride, y, n, src)
	}
}

// rows makes rows of the columns of w's plan.
func (w *Worker) rows(dst []uint8, stride, y, n int, src Source) {
	p := w.plan
	row := func(k int) []uint8 { return dst[k*stride+max(0, (1-n)*stride):][:(p.x.To-p.x.From)*p.pixel] }
	var to [most][]uint8
	var from [most]int
	count, made := 0, 0
	for k := range n {
		switch {
		case k > 0 && p.rows.repeats(y+k):
		case p.columnsLast:
			to[count], from[count] = row(k), y+k
			count++
		default:
			copy(row(k), w.row(y+k, row(k), src))
		}
		if p.columnsLast && count < p.step && k < n-1 {
			continue
		}
		if count > 0 {
			w.resampleColumns(to[:count], w.before(from[:count], src))
		}
		for count = 0; made <= k; made++ {
			if made > 0 && p.rows.repeats(y+made) {
				copy(row(made), row(made-1))
			}
		}
	}
}

// repeats reports whether row y of a result is the row before it. Only Nearest has no weights.
func (t *table) repeats(y int) bool { return t != nil && t.taps == 0 && t.first[y] == t.first[y-1] }

// row returns row y of a result whose columns are not resampled, or not yet. It makes the row in
// memory, or returns the source's.
func (w *Worker) row(y int, memory []uint8, src Source) []uint8 {
	p := w.plan
	switch {
	case p.rows == nil:
		return w.source(p.y.From+y, memory, src)
	case p.filter == Nearest:
		return w.source(p.rows.low+int(p.rows.first[y]), memory, src)
	}
	w.take(y, 0, p.length, src)
	w.resampleRows(memory, y)
	return memory
}

// source returns the pixels of row y of the source that w's plan takes.
func (w *Worker) source(y int, memory []uint8, src Source) []uint8 {
	return src.Row(y, w.left, int(w.plan.length)/w.plan.pixel, memory)
}

// room returns memory for row k of those that are made at once. Rows that stay need none.
func (w *Worker) room(k int) []uint8 {
	if w.plan.stays {
		return nil
	}
	return resized(&w.made[k], w.plan.length)
}

// before returns rows of a result whose columns are not resampled yet.
func (w *Worker) before(numbers []int, src Source) [][]uint8 {
	p, rows := w.plan, w.middle[:len(numbers)]
	if p.rows == nil || p.filter == Nearest {
		for k, y := range numbers {
			rows[k] = w.row(y, w.room(k), src)
		}
		return rows
	}
	wide, parts, pixels := p.wide(), int64(1), p.length/int64(p.pixel)
	if p.rings() && p.part > 0 {
		parts = (p.length + p.part - 1) / p.part
	}
	for i := range parts { // about equally long ones
		first := pixels * i / parts * int64(p.pixel)
		length := pixels*(i+1)/parts*int64(p.pixel) - first
		if parts > 1 {
			w.begin, w.next = 0, 0
		}
		for k, y := range numbers {
			rows[k] = resized(&w.made[k], p.middle+int64(2*p.edge))
			w.take(y, first, length, src)
			w.resampleRows(rows[k][int64(p.edge)+wide*first:][:wide*length], y)
		}
	}
	for _, row := range rows {
		copy(row[:p.edge], row[p.edge:])
		copy(row[len(row)-p.edge:], row[len(row)-2*p.edge:])
	}
	return rows
}

// take lists the rows that row y of the result takes: `length` bytes of each, from number `left` on.
// It makes sure that the ring has them, unless they stay. If columns are resampled first, the ring
// has whole rows.
func (w *Worker) take(y int, left, length int64, src Source) {
	p := w.plan
	first, n := int(p.rows.first[y]), int(p.rows.n[y])
	row := func(k int, memory []uint8) []uint8 {
		return src.Row(p.source(k), w.left+int(left)/p.pixel, int(length)/p.pixel, memory)
	}
	w.taken = resized(&w.taken, int64(n))[:0]
	if !p.rings() {
		for k := first; k < first+n; k++ {
			w.taken = append(w.taken, row(k, nil))
		}
		return
	}
	if first < w.begin || first > w.next || first+p.ring < w.next {
		w.begin, w.next = first, first
	}
	columnsFirst := p.columns != nil && !p.rowsFirst
	if columnsFirst {
		length = p.middle
	}
	end := p.rows.high - p.rows.low
	if p.taken != nil {
		end = len(p.taken)
	}
	for w.next < first+n {
		if !columnsFirst {
			row(w.next, w.line(w.next, length))
			w.next++
			continue
		}
		var to, from [most][]uint8
		count := min(p.step, end-w.next)
		for k := range count {
			from[k] = w.source(p.source(w.next+k), w.room(k), src)
			to[k] = w.line(w.next+k, length)
		}
		w.resampleColumns(to[:count], from[:count])
		w.next += count
	}
	for k := first; k < first+n; k++ {
		w.taken = append(w.taken, w.line(k, length))
	}
}

// line returns row k of the source in the ring.
func (w *Worker) line(k int, length int64) []uint8 {
	at := int64(k%w.plan.ring) * w.plan.part
	return w.ring[at:][:length:length]
}

// source returns which row of the source is row k of those that the result takes.
func (p *Plan) source(k int) int {
	if p.taken != nil {
		k = int(p.taken[k])
	}
	return p.rows.low + k
}
