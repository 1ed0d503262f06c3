package resample

import (
	"fmt"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Plan says how the rows of a result are made. It is not changed, so that workers may share it.
type Plan struct {
	filter        Filter
	columns, rows *table // nil if the axis is left out
	x, y          Axis
	rowsFirst     bool
	pixel         int // bytes of a pixel, 1 or 4
	ring          int // how many rows a ring has

	packedColumns, packedRows *packed // nil where plain Go resamples
}

// New returns a plan for pixels of 1 or 4 bytes, each of which is a sample of its own. If rowsFirst
// is set, rows are resampled before columns: the source lies transposed. Memory is taken for the
// wanted part of the result only. New returns an error that names the number if an axis is none or
// too long, or has more than [MostWeights] weights. Set `set` has the loops that resample, or plain
// Go if it is negative or has none in C.
func New(f Filter, columns, rows Axis, rowsFirst bool, pixel int, set int32) (*Plan, error) {
	if f < 0 || f >= filters {
		return nil, fmt.Errorf("resample: filter %d: must be 0 to %d", f, filters-1)
	}
	if err := columns.check("columns"); err != nil {
		return nil, err
	}
	if err := rows.check("rows"); err != nil {
		return nil, err
	}
	p := &Plan{filter: f, x: columns, y: rows, rowsFirst: rowsFirst, pixel: pixel}
	make := func(a *Axis, first bool) (*table, error) {
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
	if p.columns, err = make(&columns, !rowsFirst); err != nil {
		return nil, err
	}
	if p.rows, err = make(&rows, rowsFirst); err != nil {
		return nil, err
	}
	p.ring = 4
	if p.rows != nil {
		p.ring += p.rows.taps
	}
	low, high := p.Columns()
	source, bytes := int64(high-low)*int64(pixel), int64(columns.To-columns.From)*int64(pixel)
	if rowsFirst || p.columns == nil {
		bytes = source
	}
	if all := max(source, int64(p.ring)*bytes); all > MostRing {
		return nil, fmt.Errorf("resample: %d rows of the ring have %d bytes: must be at most %d", p.ring, all, MostRing)
	}
	if set < 0 || !program.InC(set) || f == Linear || f == Nearest {
		return p, nil
	}
	set = program.Sets[set].Kernel[0] // the weakest set of the kernel; stronger ones have no loops
	if p.columns != nil && pixel == 4 {
		p.packedColumns = p.columns.packColumns(set)
	}
	if p.rows != nil {
		p.packedRows = p.rows.packRows(set, int(bytes))
	}
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

// A Source has the rows of a picture. Row(y, memory) returns row y from column `low` of
// [Plan.Columns] on, as long as these columns. It makes the row in memory, which is as long, or, if
// Stays is set, returns a part of the picture's own memory, of one allocation.
type Source interface {
	Row(y int, memory []uint8) []uint8
	Stays() bool
}

// Worker is what one goroutine needs to make rows of a result. Its memory is used again for other
// plans.
type Worker struct {
	plan        *Plan
	bytes       [][]uint8  // the ring, by row number modulo its length
	words       [][]uint16 // the same for sums of Linear
	made        [4][]uint8 // rows of the source, or between the passes
	taken       [][]uint8  // the rows that a row of the result takes
	offsets     []int64
	sum         []uint16
	begin, next int // the ring has the rows of the source from `begin` or later on, up to, not including, next
}

// resized returns a slice of n elements, s if that is long enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Open makes w ready for a plan and a source.
func (w *Worker) Open(p *Plan) {
	w.plan, w.begin, w.next = p, 0, 0
	w.bytes, w.words = resized(w.bytes, p.ring), resized(w.words, p.ring)
	low, high := p.Columns()
	for k := range w.made {
		w.made[k] = resized(w.made[k], (high-low)*p.pixel)
	}
	w.sum = resized(w.sum, (high-low)*p.pixel)
}

// Close drops what w refers to, but for its memory.
func (w *Worker) Close() { w.plan = nil; clear(w.taken[:cap(w.taken)]) }

// Rows makes n rows of the result from row y on, where row 0 is the first one that is wanted. The
// rows begin at dst, `stride` bytes apart. Rows that follow those of the call before use what is in
// the ring.
func (w *Worker) Rows(dst []uint8, stride, y, n int, src Source) {
	p := w.plan
	width, _ := p.Size()
	columnsLast := p.columns != nil && p.filter != Nearest && (p.rows == nil || p.rowsFirst && p.filter != Linear)
	for done := 0; done < n; done += 4 {
		var rows, from [4][]uint8
		count := min(4, n-done)
		for k := range count {
			rows[k] = dst[(done+k)*stride:][:width*p.pixel]
			switch at := y + done + k; {
			case p.filter == Nearest && p.rows != nil && done+k > 0 && p.rows.first[at] == p.rows.first[at-1]:
				copy(rows[k], dst[(done+k-1)*stride:])
			case !columnsLast:
				w.row(rows[k], at, src)
			case p.rows == nil:
				from[k] = src.Row(p.y.From+at, w.made[k])
			default:
				from[k] = w.made[k]
				w.take(at, src)
				w.weighRows(from[k], at)
			}
		}
		if columnsLast {
			p.weighColumns(&rows, &from, count)
		}
	}
}

// row makes row y of a result whose columns are not resampled last.
func (w *Worker) row(dst []uint8, y int, src Source) {
	p := w.plan
	if p.filter == Nearest || p.rows == nil {
		from := p.y.From + y
		if p.rows != nil {
			from = p.rows.low + int(p.rows.first[y])
		}
		row := src.Row(from, w.made[0])
		if p.columns == nil {
			copy(dst, row)
		} else {
			p.columns.pick(dst, row, p.pixel)
		}
		return
	}
	w.take(y, src)
	if p.filter != Linear {
		w.weighRows(dst, y)
		return
	}
	first, n, weights := int(p.rows.first[y]), int(p.rows.n[y]), p.rows.weights[2*y:]
	if p.rowsFirst {
		sumRows(w.sum, w.taken[0], w.taken[n-1], weights)
		p.columns.addPixels(dst, w.sum, p.pixel)
	} else {
		addRows(dst, w.words[first%p.ring], w.words[(first+n-1)%p.ring], weights)
	}
}

// take makes sure that the ring has the rows that row y of the result takes, and lists them.
func (w *Worker) take(y int, src Source) {
	p := w.plan
	first, n := int(p.rows.first[y]), int(p.rows.n[y])
	columnsFirst := p.columns != nil && !p.rowsFirst
	w.taken = w.taken[:0]
	if src.Stays() && !columnsFirst {
		for k := first; k < first+n; k++ {
			w.taken = append(w.taken, src.Row(p.rows.low+k, nil))
		}
		return
	}
	if first < w.begin || first > w.next || first+p.ring < w.next {
		w.begin, w.next = first, first
	}
	width, _ := p.Size()
	for w.next < first+n {
		if !columnsFirst {
			at := w.next % p.ring
			w.bytes[at] = resized(w.bytes[at], len(w.made[0]))
			if row := src.Row(p.rows.low+w.next, w.bytes[at]); src.Stays() {
				copy(w.bytes[at], row)
			}
			w.next++
			continue
		}
		var to, from [4][]uint8
		count := min(4, p.rows.high-p.rows.low-w.next)
		for k := range count {
			at := (w.next + k) % p.ring
			from[k] = src.Row(p.rows.low+w.next+k, w.made[k])
			if p.filter == Linear {
				w.words[at] = resized(w.words[at], width*p.pixel)
				p.columns.sumPixels(w.words[at], from[k], p.pixel)
				count = 1
				break
			}
			w.bytes[at] = resized(w.bytes[at], width*p.pixel)
			to[k] = w.bytes[at]
		}
		if p.filter != Linear {
			p.weighColumns(&to, &from, count)
		}
		w.next += count
	}
	for k := first; k < first+n; k++ {
		w.taken = append(w.taken, w.bytes[k%p.ring])
	}
}
