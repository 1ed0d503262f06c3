package resample

import "fmt"

// Plan says how the rows of a result are made. It is not changed, so that workers may share it.
type Plan struct {
	filter        Filter
	columns, rows *table // nil if the axis is left out
	x, y          Axis
	rowsFirst     bool
	pixel         int // bytes of a pixel, 1 or 4
	ring          int // how many rows a ring has
}

// New returns a plan for pixels of 1 or 4 bytes, each of which is a sample of its own. If rowsFirst
// is set, rows are resampled before columns: the source lies transposed. Memory is taken for the
// wanted part of the result only. New returns an error that names the number if an axis is none or
// too long, or has more than [MostWeights] weights.
func New(f Filter, columns, rows Axis, rowsFirst bool, pixel int) (*Plan, error) {
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

// A Source has the rows of a picture. Row(y) returns row y from column low of [Plan.Columns] on, as
// long as these columns. The plan's worker reads it until the next call of Row, or until Rows
// returns if Stays is set: then all rows stay in memory.
type Source interface {
	Row(y int) []uint8
	Stays() bool
}

// Worker is what one goroutine needs to make rows of a result. Its memory is used again for other
// plans.
type Worker struct {
	plan  *Plan
	bytes [][]uint8  // the ring, by row number modulo its length
	words [][]uint16 // the same for sums of Linear
	taken [][]uint8  // the rows that a row of the result takes
	sums  [][]uint16
	row   []uint8 // a row between the passes
	sum   []uint16
	next  int // the row of the source behind those in the ring
}

// resized returns a slice of n elements, s if that is long enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Open makes w ready for a plan.
func (w *Worker) Open(p *Plan) {
	w.plan, w.next = p, 0
	w.bytes, w.words = resized(w.bytes, p.ring), resized(w.words, p.ring)
	low, high := p.Columns()
	width, _ := p.Size()
	w.row, w.sum = resized(w.row, max(width, high-low)*p.pixel), resized(w.sum, max(width, high-low)*p.pixel)
}

// Close drops what w refers to, but for its memory.
func (w *Worker) Close() { w.plan = nil; clear(w.taken[:cap(w.taken)]) }

// Rows makes n rows of the result from row y on, where row 0 is the first one that is wanted. The
// rows begin at dst, `stride` bytes apart. Rows that follow those of the call before use what is in
// the ring.
func (w *Worker) Rows(dst []uint8, stride, y, n int, src Source) {
	p := w.plan
	width, _ := p.Size()
	for k := range n {
		w.make(dst[k*stride:][:width*p.pixel], y+k, src)
	}
}

func (w *Worker) make(dst []uint8, y int, src Source) {
	p := w.plan
	if p.filter == Nearest || p.rows == nil {
		from := p.y.From + y
		if p.rows != nil {
			from = p.rows.low + int(p.rows.first[y])
		}
		row := src.Row(from)
		switch {
		case p.columns == nil:
			copy(dst, row)
		case p.filter == Nearest:
			p.columns.pick(dst, row, p.pixel)
		default:
			p.columns.weighPixels(dst, row, p.pixel)
		}
		return
	}
	first, taps := int(p.rows.first[y]), int(p.rows.n[y])
	weights := p.rows.weights[y*p.rows.taps:]
	if w.next < first || y == 0 || first+p.ring < w.next {
		w.next = first
	}
	inRing := !p.rowsFirst && p.columns != nil || !src.Stays()
	for ; w.next < first+taps && inRing; w.next++ {
		w.take(w.next%p.ring, src.Row(p.rows.low+w.next))
	}
	if p.filter == Linear && !p.rowsFirst {
		addRows(dst, w.words[first%p.ring], w.words[(first+taps-1)%p.ring], weights)
		return
	}
	w.taken = w.taken[:0]
	for k := first; k < first+taps; k++ {
		if inRing {
			w.taken = append(w.taken, w.bytes[k%p.ring])
		} else {
			w.taken = append(w.taken, src.Row(p.rows.low+k))
		}
	}
	switch {
	case p.filter == Linear:
		sumRows(w.sum[:len(w.taken[0])], w.taken[0], w.taken[taps-1], weights)
		p.columns.addPixels(dst, w.sum, p.pixel)
	case p.columns == nil:
		weighRows(dst, w.taken, weights)
	case p.rowsFirst:
		low, high := p.Columns()
		row := w.row[:(high-low)*p.pixel]
		weighRows(row, w.taken, weights)
		p.columns.weighPixels(dst, row, p.pixel)
	default:
		weighRows(dst, w.taken, weights)
	}
}

// take puts what becomes of a row of the source into the ring.
func (w *Worker) take(at int, row []uint8) {
	p := w.plan
	width, _ := p.Size()
	switch {
	case p.rowsFirst || p.columns == nil:
		w.bytes[at] = resized(w.bytes[at], len(row))
		copy(w.bytes[at], row)
	case p.filter == Linear:
		w.words[at] = resized(w.words[at], width*p.pixel)
		p.columns.sumPixels(w.words[at], row, p.pixel)
	default:
		w.bytes[at] = resized(w.bytes[at], width*p.pixel)
		p.columns.weighPixels(w.bytes[at], row, p.pixel)
	}
}
