package rows

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A Source has the rows of a picture. Load(rows, y, x, n, memory) sets rows to n pixels of as many
// rows from row y on. They begin with pixel x, counted from column `low` of [Plan.SourceColumns].
// If the plan was made for rows that stay, these are parts of the picture's own memory. Otherwise
// Load makes them in memory, one after the other, which has room for them.
type Source interface {
	Load(rows [][]uint8, y, x, n int, memory []uint8)
}

// Worker is what one goroutine needs to make rows of a result. Its memory is used again for other
// plans.
type Worker struct {
	whole, plan *Plan
	left        int                  // pixels from the first column that whole takes to the first one that plan takes
	top         int                  // rows of the source above the plane that is resampled
	ring        []uint8              // rows for the second pass, by row number modulo how many it has
	made        [maxBatch][]uint8    // rows of the source, or between the passes
	middle      [maxBatch][]uint8    // rows whose columns are resampled next
	sourceRows  [maxBatch][]uint8    // rows of the source
	spanned     [maxMade][]uint8     // rows of the source that are made at once
	joined      [2][4][]uint8        // rows of four rows of pixels of one sample, before and after a pass
	inputs      [][]uint8            // the rows that a row of the result is made of
	picked      Colours              // of samples that are taken before they become colours
	samples     []uint8              // these samples
	sums        []uint8              // of their chroma, if these are interpolated
	pickedRows  [2][maxBatch][]uint8 // rows of them, and of the planes that they are taken of
	offsets     []int64
	columnPass  program.ColumnPass
	begin, end  int // the ring has the rows of the source from `begin` or later on, up to, not including, end
}

// leastInC is how many bytes of a row the loops in C need to be worth a call, and more than they
// load at once.
const leastInC = 256

// maxBatch is how many rows at most have their columns resampled at once.
const maxBatch = 16

// maxMade is how many rows of the source at most are made at once. Some may be between those that
// are taken.
const maxMade = maxBatch * 3 / 2

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
	w.whole, w.top = p, 0
	w.open(p.panelPlans()[0])
}

// open makes w ready for its whole plan, or for one of its panels.
func (w *Worker) open(p *Plan) {
	low, _ := w.whole.SourceColumns()
	panelLow, _ := p.SourceColumns()
	w.plan, w.left, w.begin, w.end = p, panelLow-low, 0, 0
	resized(&w.ring, int64(p.ring)*p.segment)
}

// Close drops the plan and the rows that w refers to. It keeps w's own memory, unless that is
// large.
func (w *Worker) Close() {
	if w.bytes() > mostIdle {
		*w = Worker{}
		return
	}
	w.whole, w.plan, w.picked.Luma = nil, nil, Luma{}
	clear(w.middle[:])
	clear(w.sourceRows[:])
	clear(w.spanned[:])
	clear(w.pickedRows[1][:])
	clear(w.inputs[:cap(w.inputs)])
}

// bytes returns how many bytes w has.
func (w *Worker) bytes() int {
	n := cap(w.ring) + cap(w.samples) + cap(w.sums) + 24*cap(w.inputs) + 8*cap(w.offsets)
	for _, rows := range [...][][]uint8{w.made[:], w.joined[0][:], w.joined[1][:]} {
		for _, row := range rows {
			n += cap(row)
		}
	}
	return n
}

// Resample makes n rows of the result from row y on, where row 0 is the first one that is wanted.
// The rows lie in dst, `stride` bytes apart, from its end on if stride is negative. Rows that
// follow those of the call before use what is in the ring, unless the plan has panels.
func (w *Worker) Resample(dst []uint8, stride, y, n int, src Source) {
	for _, p := range w.whole.panels {
		w.open(p)
		w.resample(dst[(p.x.Begin-w.whole.x.Begin)*p.pixel:], stride, y, n, src)
	}
	if w.whole.panels == nil {
		w.resample(dst, stride, y, n, src)
	}
}

// resample makes rows of the columns of w's plan.
func (w *Worker) resample(dst []uint8, stride, y, n int, src Source) {
	p := w.plan
	row := func(k int) []uint8 { return dst[k*stride+max(0, (1-n)*stride):][:(p.x.End-p.x.Begin)*p.pixel] }
	if !p.columnsLast && p.resamplesRows() {
		for k := 0; k < n; {
			k += w.resampleRows(row(k), stride, y+k, n-k, 0, p.length, src)
		}
		return
	}
	var targets [maxBatch][]uint8
	var numbers [maxBatch]int
	count, made := 0, 0
	for k := range n {
		switch {
		case k > 0 && p.rows.repeats(y+k):
		case p.columnsLast:
			targets[count], numbers[count] = row(k), y+k
			count++
		default:
			if target, made := row(k), w.row(y+k, row(k), src); &made[0] != &target[0] {
				copy(target, made)
			}
		}
		if p.columnsLast && count < p.step && k < n-1 {
			continue
		}
		if count > 0 {
			w.resampleColumns(targets[:count], w.intermediate(numbers[:count], targets[:count], src))
		}
		for count = 0; made <= k; made++ {
			if made > 0 && p.rows.repeats(y+made) {
				copy(row(made), row(made-1))
			}
		}
	}
}

// repeats reports whether row y of a result is the row before it. Only Nearest has no weights.
func (t *table) repeats(y int) bool { return t != nil && t.taps == 0 && t.starts[y] == t.starts[y-1] }

// source returns n pixels of row y of the source.
func (w *Worker) source(src Source, y, x, n int, memory []uint8) []uint8 {
	w.loadRows(src, w.sourceRows[:1], w.top+y, x, n, memory)
	return w.sourceRows[0]
}

// resamplesRows reports whether a row of the result is made of several rows.
func (p *Plan) resamplesRows() bool { return p.rows != nil && p.filter != Nearest }

// distance returns how many bytes row k begins behind the first one. All rows lie in one slice.
func distance(rows [][]uint8, k int) int {
	return int(uintptr(unsafe.Pointer(&rows[k][0])) - uintptr(unsafe.Pointer(&rows[0][0])))
}

// row returns row y of a result whose columns are not resampled, or not yet, and which takes one
// row. src may make that in memory.
func (w *Worker) row(y int, memory []uint8, src Source) []uint8 {
	p := w.plan
	if p.rows == nil {
		return w.source(src, p.y.Begin+y, 0, int(p.length)/p.pixel, memory)
	}
	return w.source(src, p.rows.low+int(p.rows.starts[y]), 0, int(p.length)/p.pixel, memory)
}

// A call that makes rows takes about as long as so many pixels.
const pixelsOfCall = 2048

// sources sets rows to rows of the source, from number `start` of those that w's plan takes. Rows
// that follow each other are made at once, since colours share what chroma adds. So are those with
// a few rows between them that nobody takes, if these take no longer than another call.
func (w *Worker) sources(rows [][]uint8, start int, src Source) {
	p, memory := w.plan, w.room()
	if p.picks != nil {
		var numbers [maxBatch]int
		for k := range rows {
			numbers[k] = w.top + p.source(start+k)
		}
		w.pick(rows, numbers[:len(rows)], memory, src.(*Resampler))
		return
	}
	width, spare := int(p.length)/p.pixel, 0 // rows that memory has room for besides
	if !p.inMemory {
		spare = p.made - len(rows)
	}
	for k, n := 0, 1; k < len(rows); k, n = k+n, 1 {
		number, unused := p.source(start+k), 0 // rows that nobody takes
		for ; k+n < len(rows); n++ {
			gap := p.source(start+k+n) - number - n - unused
			if gap > min(spare, pixelsOfCall/max(1, width)) {
				break
			}
			unused, spare = unused+gap, spare-gap
		}
		made := rows[k : k+n]
		if unused > 0 {
			made = w.spanned[:n+unused]
		}
		w.loadRows(src, made, w.top+number, 0, width, memory)
		for i := 0; unused > 0 && i < n; i++ {
			rows[k+i] = made[p.source(start+k+i)-number]
		}
		memory = memory[min(len(memory), len(made)*int(p.length)):]
	}
}

// room returns memory for the rows of the source that are made at once. Rows that stay need none.
func (w *Worker) room() []uint8 {
	if w.plan.inMemory {
		return nil
	}
	return resized(&w.made[0], int64(w.plan.made)*w.plan.length)
}

// intermediate returns rows of a result whose columns are not resampled yet. Those of pixels that
// Nearest picked are the rows of the result, and lie in `targets` if these follow each other.
func (w *Worker) intermediate(numbers []int, targets [][]uint8, src Source) [][]uint8 {
	p, rows := w.plan, w.middle[:len(numbers)]
	if !p.resamplesRows() {
		memory := w.room()
		if p.picks != nil && p.filter == Nearest && distance(targets, len(targets)-1) == (len(targets)-1)*len(targets[0]) {
			memory = targets[0][:len(targets)*len(targets[0])]
		}
		if p.rows == nil { // they follow each other
			w.loadRows(src, rows, w.top+p.y.Begin+numbers[0], 0, int(p.length)/p.pixel, memory)
			return rows
		}
		if p.picks != nil {
			var sourceNumbers [maxBatch]int
			for k, y := range numbers {
				sourceNumbers[k] = w.top + p.rows.low + int(p.rows.starts[y])
			}
			w.pick(rows, sourceNumbers[:len(rows)], memory, src.(*Resampler))
			return rows
		}
		for k, y := range numbers {
			rows[k] = w.row(y, memory, src)
			memory = memory[min(len(memory), int(p.length)):]
		}
		return rows
	}
	wide, segments, pixels := p.wide(), int64(1), p.length/int64(p.pixel)
	if p.rings() && p.segment > 0 {
		segments = (p.length + p.segment - 1) / p.segment
	}
	for i := range segments { // about equally long ones
		left := pixels * i / segments * int64(p.pixel)
		length := pixels*(i+1)/segments*int64(p.pixel) - left
		if segments > 1 {
			w.begin, w.end = 0, 0
		}
		for k, y := range numbers {
			rows[k] = resized(&w.made[k], p.middle+int64(2*p.edge))
			w.resampleRows(rows[k][int64(p.edge)+wide*left:][:wide*length], 0, y, 1, left, length, src)
		}
	}
	for _, row := range rows {
		copy(row[:p.edge], row[p.edge:])
		copy(row[len(row)-p.edge:], row[len(row)-2*p.edge:])
	}
	return rows
}

// gather lists the input rows of row y of the result: `length` bytes of each, from number `left`
// on. It makes sure that the ring has them, unless they stay. If columns are resampled first, the
// ring has whole rows. Zipped rows are taken by fours.
func (w *Worker) gather(y int, left, length int64, src Source) {
	p := w.plan
	start, stop, group := p.inputSpan(y)
	row := func(k int, memory []uint8) []uint8 {
		return w.source(src, p.source(k), int(left)/p.pixel, int(length)/p.pixel, memory)
	}
	w.inputs = resized(&w.inputs, int64(stop-start))[:0]
	if !p.rings() {
		for k := start; k < stop; k++ {
			w.inputs = append(w.inputs, row(k, nil))
		}
		return
	}
	if start < w.begin || start > w.end || start+p.ring < w.end {
		w.begin, w.end = start, start
	}
	columnsFirst := p.columns != nil && !p.rowsFirst
	if columnsFirst {
		length = p.middle
	}
	end := p.rows.high - p.rows.low
	if p.inputRows != nil {
		end = len(p.inputRows)
	}
	for w.end < stop {
		if !columnsFirst {
			row(w.end, w.line(w.end, length))
			w.end++
			continue
		}
		var targets [maxBatch][]uint8
		sources := w.sourceRows[:min(p.step, end-w.end)]
		w.sources(sources, w.end, src)
		count := 0
		for k := 0; k < len(sources); k += group {
			targets[count] = w.line(w.end+k, int64(group)*length)
			count++
		}
		w.resampleColumns(targets[:count], sources)
		w.end += count * group
	}
	for k := start; k < stop; k += group {
		w.inputs = append(w.inputs, w.line(k, int64(group)*length))
	}
}

// inputSpan returns from which row on up to, not including, which one row y of the result takes
// rows, and how many of these lie zipped together. Zipped rows begin with the first one of a four.
func (p *Plan) inputSpan(y int) (start, stop, group int) {
	start, stop = int(p.rows.starts[y]), int(p.rows.starts[y]+p.rows.n[y])
	if p.zipped {
		return start &^ 3, stop, 4
	}
	return start, stop, 1
}

// holds reports whether the rows that row y of the result takes are at hand.
func (w *Worker) holds(y int) bool {
	start, stop, _ := w.plan.inputSpan(y)
	return !w.plan.rings() || start >= w.begin && start+w.plan.ring >= w.end && stop <= w.end
}

// line returns row k of the source in the ring.
func (w *Worker) line(k int, length int64) []uint8 {
	offset := int64(k%w.plan.ring) * w.plan.segment
	return w.ring[offset:][:length:length]
}
