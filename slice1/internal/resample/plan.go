package resample

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
	length, middle int     // bytes of a row of the source, and of one between the passes
	edge           int     // bytes of Linear's first and last pixel between the passes, which are repeated beside the row
	taken          []int32 // the rows that Linear takes, counted from the first one

	packedColumns, packedRows *packed // nil where plain Go resamples
}

// request is what a plan is made for.
type request struct {
	filter    Filter
	x, y      Axis
	rowsFirst bool
	pixel     int // bytes of a pixel, 1 or 4
	set       int32
}

// kept has plans of late by the hashes of their requests, since to make the weights may take as
// long as to resample. A plan with more than mostKept weights is not kept.
var (
	kept [16]atomic.Pointer[Plan]
	seed = maphash.MakeSeed()
)

const mostKept = 1 << 17

// New returns a plan for pixels of 1 or 4 bytes, each of which is a sample of its own. If rowsFirst
// is set, rows are resampled before columns: the source lies transposed. Memory is taken for the
// wanted part of the result only. The loops of set number `set` resample, or plain Go if `set` is
// negative or its loops are not in C. New returns an error that names the number if the filter or
// an axis is out of range, if an axis has more than [MostWeights] weights, or if rows take more
// than [MostRing] bytes.
func New(f Filter, columns, rows Axis, rowsFirst bool, pixel int, set int32) (*Plan, error) {
	if f < 0 || f >= filters {
		return nil, fmt.Errorf("resample: filter %d: must be 0 to %d", f, filters-1)
	}
	for i, a := range [...]*Axis{&columns, &rows} {
		if err := a.check([...]string{"columns", "rows"}[i]); err != nil {
			return nil, err
		}
	}
	r := request{f, columns, rows, rowsFirst, pixel, set}
	slot := &kept[maphash.Comparable(seed, r)%uint64(len(kept))]
	if p := slot.Load(); p != nil && p.request == r {
		return p, nil
	}
	p, err := r.plan()
	if err == nil && p.columns.size()+p.rows.size() <= mostKept {
		slot.Store(p)
	}
	return p, err
}

func (t *table) size() int {
	if t == nil {
		return 0
	}
	return len(t.first) + len(t.weights)
}

// plan makes a plan.
func (r request) plan() (*Plan, error) {
	f, columns, rows, rowsFirst, pixel, set := r.filter, r.x, r.y, r.rowsFirst, r.pixel, r.set
	p := &Plan{request: r, step: 4}
	tableOf := func(a *Axis, first bool) (*table, error) {
		switch {
		case columns.unchanged() && rows.unchanged() || f != Linear && a.unchanged():
			return nil, nil
		case f == Linear:
			return a.pairs(first)
		case f == Nearest:
			return a.places()
		}
		return a.weights(f)
	}
	var err error
	if p.columns, err = tableOf(&columns, !rowsFirst); err != nil {
		return nil, err
	}
	if p.rows, err = tableOf(&rows, rowsFirst); err != nil {
		return nil, err
	}
	p.columnsLast = p.columns != nil && (p.rows == nil || rowsFirst || f == Nearest)
	low, high := p.Columns()
	width, _ := p.Size()
	source, middle := int64(high-low)*int64(pixel), int64(width)*int64(pixel)
	if p.columnsLast || p.columns == nil {
		middle = source
	}
	samples := middle
	if f == Linear && p.rows != nil {
		middle *= 2
		p.taken = p.rows.condense()
		if rowsFirst {
			p.edge = 2 * pixel
		}
	}
	if set >= 0 && program.InC(set) {
		set = program.Sets[set].Kernel[0] // the weakest set of the kernel; stronger ones have no loops
		if p.columns != nil {
			p.packedColumns = p.pack(p.columns, set)
		}
		if p.packedColumns != nil && pixel == 1 && f != Nearest { // their rows are joined
			p.step = most
		}
		if p.rows != nil && f != Nearest {
			p.packedRows = p.packRows(p.rows, set, samples)
		}
	}
	p.ring = p.step
	if p.rows != nil {
		p.ring += p.rows.taps
	}
	if all := max(source, int64(p.ring)*middle); all > MostRing {
		return nil, fmt.Errorf("resample: a row of the source, or %d rows of the ring, have %d bytes: must be at most %d", p.ring, all, MostRing)
	}
	p.length, p.middle = int(source), int(middle)
	return p, nil
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

// Bytes returns how many bytes of the source the result takes.
func (p *Plan) Bytes() int64 {
	low, high := p.Rows()
	return int64(high-low) * int64(p.length)
}

// A Source has the rows of a picture. Row(y, memory) returns row y from column `low` of
// [Plan.Columns] on, as long as these columns. It makes the row in memory, which is as long. If
// Stays returns true, it instead returns a part of the picture's own memory, and all rows lie in
// one allocation.
type Source interface {
	Row(y int, memory []uint8) []uint8
	Stays() bool
}

// Worker is what one goroutine needs to make rows of a result. Its memory is used again for other
// plans.
type Worker struct {
	plan        *Plan
	ring        [][]uint8     // rows for the second pass, by row number modulo the ring's length
	made        [most][]uint8 // rows of the source, or between the passes
	joined      [2][4][]uint8 // rows of four rows of pixels of one sample, before and after a pass
	taken       [][]uint8     // the rows that a row of the result takes
	offsets     []int64
	begin, next int // the ring has the rows of the source from `begin` or later on, up to, not including, next
}

// most is how many rows at most have their columns resampled at once.
const most = 16

// resized sets s to n elements, and keeps its memory if that is enough.
func resized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}

// Open makes w ready for a plan and for any source of it: it empties the ring.
func (w *Worker) Open(p *Plan) {
	w.plan, w.begin, w.next = p, 0, 0
	resized(&w.ring, p.ring)
}

// Close drops the plan and the rows that w refers to, and keeps its own memory.
func (w *Worker) Close() { w.plan = nil; clear(w.taken[:cap(w.taken)]) }

// Rows makes n rows of the result from row y on, where row 0 is the first one that is wanted. The
// rows lie in dst, `stride` bytes apart, from its end on if stride is negative. Rows that follow
// those of the call before use what is in the ring.
func (w *Worker) Rows(dst []uint8, stride, y, n int, src Source) {
	p := w.plan
	row := func(k int) []uint8 { return dst[k*stride+max(0, (1-n)*stride):][:(p.x.To-p.x.From)*p.pixel] }
	var to, from [most][]uint8
	count, made := 0, 0
	for k := range n {
		switch {
		case k > 0 && p.rows.repeats(y+k):
		case p.columnsLast:
			to[count], from[count] = row(k), w.row(y+k, resized(&w.made[count], p.middle+2*p.edge), src)
			count++
		default:
			copy(row(k), w.row(y+k, row(k), src))
		}
		if p.columnsLast && count < p.step && k < n-1 {
			continue
		}
		if count > 0 {
			w.resampleColumns(to[:count], from[:count])
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
		return src.Row(p.y.From+y, memory)
	case p.filter == Nearest:
		return src.Row(p.rows.low+int(p.rows.first[y]), memory)
	}
	w.take(y, src)
	row := memory[p.edge : len(memory)-p.edge]
	w.resampleRows(row, y)
	copy(memory[:p.edge], row)
	copy(memory[len(memory)-p.edge:], row[len(row)-p.edge:])
	return memory
}

// take makes sure that the ring has the rows that row y of the result takes, and lists them.
func (w *Worker) take(y int, src Source) {
	p := w.plan
	first, n := int(p.rows.first[y]), int(p.rows.n[y])
	columnsFirst := p.columns != nil && !p.rowsFirst
	w.taken = w.taken[:0]
	if src.Stays() && !columnsFirst {
		for k := first; k < first+n; k++ {
			w.taken = append(w.taken, src.Row(p.source(k), nil))
		}
		return
	}
	if first < w.begin || first > w.next || first+p.ring < w.next {
		w.begin, w.next = first, first
	}
	end := p.rows.high - p.rows.low
	if p.taken != nil {
		end = len(p.taken)
	}
	for w.next < first+n {
		if !columnsFirst {
			to := resized(&w.ring[w.next%p.ring], p.length)
			copy(to, src.Row(p.source(w.next), to))
			w.next++
			continue
		}
		var to, from [most][]uint8
		count := min(p.step, end-w.next)
		for k := range count {
			from[k] = src.Row(p.source(w.next+k), resized(&w.made[k], p.length))
			at := (w.next + k) % p.ring
			to[k] = resized(&w.ring[at], p.middle)
		}
		w.resampleColumns(to[:count], from[:count])
		w.next += count
	}
	for k := first; k < first+n; k++ {
		w.taken = append(w.taken, w.ring[k%p.ring])
	}
}

// source returns which row of the source is row k of those that the result takes.
func (p *Plan) source(k int) int {
	if p.taken != nil {
		k = int(p.taken[k])
	}
	return p.rows.low + k
}
