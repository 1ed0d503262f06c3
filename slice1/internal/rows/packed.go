package rows

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// packedPass is a pass over columns or rows, in C or in Go's vectors, and a table's weights as it
// takes them. csrc/resample.h, csrc/area.h and csrc/vnni.h say how they lie.
type packedPass struct {
	set          int32
	pass         program.Pass
	starts       []int32 // of columns
	groups       int     // how many groups of weights a column has; the pass says how large a group is
	weightStride int     // bytes of weights for each column or row
	weights      []uint8
}

// perProduct is about how many picoseconds the loops in C take for a sample and its weight.
const perProduct = 60

// split returns a weight's two halves: w = 65536*high + low. A weight is at most 1.3, so `high` is
// at most 84, and neighbours of one above 1 are small or negative: two products with `high` fit a
// word.
func split(w int32) (high uint8, low uint16) { return uint8((w + 1<<15) >> 16), uint16(w) }

// splits reports whether all weights of Pillow's filters are as split says. At the far end of sides
// near 2^31, where places are rounded to whole samples, some are not, and plain Go resamples.
func (t *table) splits() bool {
	for i, n := range t.n {
		previous := 0
		for _, w := range t.weights[i*t.taps:][:n] {
			current := max(int(w+1<<15)>>16, -int(w+1<<15)>>16)
			if previous+current > 128 || current > 127 {
				return false
			}
			previous = current
		}
	}
	return true
}

// pack returns a pass over columns for a set. It returns nil if plain Go is to resample them: if
// there are fewer columns than the loops make at once, or fewer pixels than they load.
func (p *Plan) pack(t *table, set int32) *packedPass {
	if width := t.high - t.low; p.pixel == 3 && (width < 3 || width > math.MaxInt32/24) {
		return nil
	}
	switch {
	case p.planes > 0 && p.filter != Nearest:
		return p.packNumbers(t, set, len(t.starts), 4)
	case p.filter == Nearest:
		return p.packNearest(t, set)
	case p.filter == Linear:
		return p.packLinearColumns(t, set)
	case p.filter == Area:
		return p.packAreas(t, set)
	}
	return p.packWeights(t, set)
}

// packNearest returns a pass of Nearest over columns for a set, or nil.
func (p *Plan) packNearest(t *table, set int32) *packedPass {
	count, width := len(t.starts), t.high-t.low
	if p.pixel < 4 {
		for _, set := range [...]int32{p.set, set} {
			if c := (&packedPass{set: set, pass: program.PickWindows, starts: t.starts}).inWindows(width, p.pixel, p.pixel); c != nil {
				return c
			}
		}
	}
	if count < 4 {
		return nil
	}
	c := &packedPass{set: set, pass: [...]program.Pass{1: program.PickColumns1, 3: program.PickColumns3, 4: program.PickColumns4}[p.pixel], starts: t.starts}
	if p.pixel == 3 {
		c.starts = slices.Clone(t.starts)
		c.loadInside(width, p.pixel, 4)
	}
	return c
}

// packLinearColumns returns a pass of Linear over columns for a set, or nil.
func (p *Plan) packLinearColumns(t *table, set int32) *packedPass {
	vector, count, width := int(program.Sets[set].Vector), len(t.starts), t.high-t.low
	switch {
	case p.rowsFirst && p.pixel == 4 && count >= 4:
		c := t.packLinear(set, program.AddColumns)
		for i, start := range t.starts { // counted from the pixel that is repeated before the row
			c.starts[i] = start + min(1, start+t.n[i]-1)
		}
		return c
	case p.rowsFirst || count < 2 || width < 2 || p.pixel == 1 && !t.joins(vector):
		return nil
	}
	c := t.packLinear(set, program.SumColumns)
	for i, start := range t.starts { // a pixel alone takes its neighbour by 0
		c.starts[i] = min(start, int32(width-2))
		if t.n[i] == 1 {
			clear(c.weights[4*i:][:4])
			binary.LittleEndian.PutUint16(c.weights[4*i+2*int(start-c.starts[i]):], 1<<11)
		}
	}
	if p.pixel < 4 {
		if w := c.inWindows(width, p.pixel, p.pixel); w != nil {
			return w
		}
	}
	if p.pixel == 3 {
		c.pass = program.SumColumns3
		c.loadInside(width, p.pixel, 8)
	}
	return c
}

// packWeights returns a pass of a filter of Pillow over columns for a set, or nil.
func (p *Plan) packWeights(t *table, set int32) *packedPass {
	vector, count, width := int(program.Sets[set].Vector), len(t.starts), t.high-t.low
	groups := (int(slices.Max(t.n)) + 3) / 4
	loaded := 4 * groups // pixels that the loop loads
	if p.pixel == 3 {
		loaded += 2
	}
	if count < 4 || groups == 0 || width < loaded || p.pixel == 1 && !t.joins(vector) {
		return nil
	}
	c := &packedPass{set: set, pass: program.WeighColumns, starts: make([]int32, count), groups: groups, weightStride: 12 * groups, weights: make([]uint8, 12*groups*count)}
	for i := range t.starts {
		start := min(int(t.starts[i]), width-4*groups)
		c.starts[i] = int32(start)
		dst := c.weights[c.weightStride*i:]
		for k, w := range t.weights[i*t.taps:][:t.n[i]] {
			index := int(t.starts[i]) - start + k
			high, low := split(w)
			dst[index/4*12+index%4] = high
			binary.LittleEndian.PutUint16(dst[index/4*12+4+[...]int{0, 4, 2, 6}[index%4]:], low)
		}
	}
	if p.pixel == 3 {
		c.pass = program.WeighColumns3
		c.loadInside(width, p.pixel, 12*groups+4)
	}
	return c
}

// packAreas returns a pass of Area over columns for a set, or nil.
func (p *Plan) packAreas(t *table, set int32) *packedPass {
	const mostSummed = 1 << 23 // bytes whose sum fits an int32
	vector, count, width, taps := int(program.Sets[set].Vector), len(t.starts), t.high-t.low, t.taps
	c := &packedPass{set: set, starts: t.starts}
	switch area := &p.area; {
	case p.pixel == 1 && !t.joins(vector) || count < 4:
		return nil
	case area.whole:
		if c.groups = p.x.Size / p.x.Scaled; area.wide != 2 || area.fours || c.groups > mostSummed/(p.y.Size/p.y.Scaled) {
			return nil
		}
		c.weights = binary.LittleEndian.AppendUint32(nil, math.Float32bits(area.part))
		c.pass = program.MeanColumns
		return c
	case p.rowsFirst:
		c.pass, c.groups = program.AverageColumns, taps
	default:
		c.pass, c.groups = program.CoverColumns, (taps+3)/4
		if taps = 4 * c.groups; taps > width {
			return nil
		}
	}
	c.weightStride, c.weights, c.starts = 4*taps, make([]uint8, 4*taps*count), make([]int32, count)
	for i, start := range t.starts {
		base := min(start, int32(width-taps))
		c.starts[i] = base
		for k, w := range t.weights[i*t.taps:][:t.n[i]] {
			binary.LittleEndian.PutUint32(c.weights[c.weightStride*i+4*(int(start-base)+k):], uint32(w))
		}
	}
	if p.x.Flip {
		c.groups = -c.groups
	}
	return c
}

// loadInside makes starts[] say where to load `bytes` bytes for pixels of `pixel` bytes, as
// place_of of csrc/resample.h takes it, so that no load goes past the end of a row of so many
// pixels.
func (c *packedPass) loadInside(width, pixel, bytes int) {
	for i, start := range c.starts {
		offset := pixel * int(start)
		back := max(0, offset+bytes-pixel*width)
		c.starts[i] = int32(8*(offset-back) + back)
	}
}

// windowOf returns how many bytes PickWindows, SumPairs and SumWindows of a set store at once, and
// load at once: their windows.
func windowOf(set int32) int {
	if program.Sets[set].Masks {
		return int(program.Sets[set].Vector)
	}
	return program.LaneBytes
}

// inWindows returns c as a pass by lookups in windows: PickWindows or, of a pass by pairs of
// samples that lie `apart` bytes apart, SumWindows of weights of two bytes, or SumPairs of weights
// of one. It makes each sample of pixels of `pixel` bytes for itself, of a row of so many pixels.
// It returns nil if a row or its result has fewer bytes than a window, or if blocks take so many
// windows that other loops are faster.
func (c *packedPass) inWindows(width, pixel, apart int) *packedPass {
	const mostWindows = 8
	window := windowOf(c.set)
	samples, taps, count := window, 1, len(c.starts)*pixel
	if c.pass != program.PickWindows {
		samples, taps = window/2, 2
	}
	if width *= pixel; count < samples || width < window {
		return nil
	}
	blocks := (count + samples - 1) / samples
	starts := make([][]int32, blocks)
	forBlock := func(block int, visit func(i, start int)) {
		begin := min(block*samples, count-samples)
		for i := range samples {
			visit(i, int(c.starts[(begin+i)/pixel])*pixel+(begin+i)%pixel)
		}
	}
	endOf := func(start int) int { return start + (taps-1)*apart + 1 }
	w := &packedPass{set: c.set, pass: program.PickWindows}
	for b := range starts {
		forBlock(b, func(_, start int) {
			if n := len(starts[b]); n == 0 || endOf(start) > int(starts[b][n-1])+window {
				// With the first sample of the pixel, since the next pixel may be the same one.
				starts[b] = append(starts[b], int32(min(start-start%pixel, width-window)))
			}
		})
		w.groups = max(w.groups, len(starts[b]))
	}
	if w.groups > mostWindows {
		return nil
	}
	w.weightStride = w.groups * window
	if taps == 2 {
		w.pass = [...]program.Pass{2: program.SumPairs, 4: program.SumWindows}[c.weightStride]
		w.weightStride += samples * c.weightStride
	}
	w.starts, w.weights = make([]int32, blocks*w.groups), bytes.Repeat([]uint8{nowhere}, blocks*w.weightStride)
	for b := range starts {
		copy(w.starts[b*w.groups:], starts[b])
		orders, g := w.weights[b*w.weightStride:][:w.weightStride], 0
		weights, begin := orders[w.groups*window:], min(b*samples, count-samples)
		forBlock(b, func(i, start int) {
			if endOf(start) > int(starts[b][g])+window {
				g++
			}
			for k := range taps {
				orders[g*window+taps*i+k] = uint8(start + k*apart - int(starts[b][g]))
			}
			copy(weights[i*c.weightStride:], c.weights[(begin+i)/pixel*c.weightStride:][:c.weightStride])
		})
	}
	return w
}

// nowhere is the order of a byte that a window does not have.
const nowhere = 255

// joins reports whether rows of pixels of one sample can be joined to rows of pixels of four.
func (t *table) joins(vector int) bool {
	count, width := len(t.starts), t.high-t.low
	return min(count, width) >= vector
}

// packLinear returns a pass by Linear's weights.
func (t *table) packLinear(set int32, pass program.Pass) *packedPass {
	p := &packedPass{set: set, pass: pass, starts: make([]int32, len(t.starts)), weightStride: 4, weights: make([]uint8, 4*len(t.starts))}
	for i, w := range t.weights[:2*len(t.starts)] {
		binary.LittleEndian.PutUint16(p.weights[2*i:], uint16(w))
	}
	return p
}

// packRows returns a pass over rows of so many samples for a set. It returns nil if plain Go is to
// resample them.
func (p *Plan) packRows(t *table, set int32, samples int64) *packedPass {
	pairs := (t.taps + 1) / 2
	switch {
	case samples < program.Sets[set].Vector || pairs == 0:
		return nil
	case p.planes > 0:
		return p.packNumbers(t, set, int(samples), int(program.Sets[set].Vector))
	case p.filter == Area:
		return p.packAreaRows(t, set)
	case p.filter == Linear && p.rowsFirst:
		return t.packLinear(set, program.SumRows)
	case p.filter == Linear:
		return t.packLinear(set, program.AddRows)
	}
	c := &packedPass{set: set, pass: program.WeighRows, weightStride: 8 * pairs, weights: make([]uint8, 8*pairs*len(t.starts))}
	for i := range t.starts {
		dst := c.weights[c.weightStride*i:]
		for k, w := range t.weights[i*t.taps:][:t.n[i]] {
			high, low := split(w)
			dst[k/2*8+k%2], dst[k/2*8+2+k%2] = high, high
			binary.LittleEndian.PutUint16(dst[k/2*8+4+k%2*2:], low)
		}
	}
	return c
}

// packAreaRows returns a pass of Area over rows for a set, or nil.
func (p *Plan) packAreaRows(t *table, set int32) *packedPass {
	switch {
	case p.fused:
		return &packedPass{set: set, pass: [...]program.Pass{1: program.MeanFours1, 4: program.MeanFours4}[p.pixel]}
	case p.area.wide == 2:
		return &packedPass{set: set, pass: program.TotalRows}
	case p.area.whole:
		return nil
	}
	c := &packedPass{set: set, pass: program.AverageRows, weightStride: 4 * t.taps, weights: make([]uint8, 4*t.taps*len(t.starts))}
	if p.rowsFirst {
		c.pass = program.CoverRows
	}
	for i, n := range t.n {
		for k := range int(n) {
			binary.LittleEndian.PutUint32(c.weights[c.weightStride*i+4*k:], uint32(t.weights[i*t.taps+p.y.ordered(k, int(n))]))
		}
	}
	return c
}

// resampleColumns resamples the columns of the rows src, at most p.step, into the rows dst.
func (w *Worker) resampleColumns(dst, src [][]uint8) {
	p := w.plan
	c, t := p.packedColumns, p.columns
	switch {
	case p.picks != nil && p.filter == Nearest: // the rows are those that are taken
		for k := range dst {
			if &dst[k][0] != &src[k][0] {
				copy(dst[k], src[k])
			}
		}
	case c == nil:
		for k := range dst {
			t.resampleColumns(p, dst[k], src[k][p.edge:])
		}
	case p.planes > 0 && p.filter != Nearest:
		w.numberColumns(dst, src)
	case p.joined:
		join := [...]program.Pass{1: program.JoinRows, 2: program.JoinRows2, 4: program.JoinRows4}
		part := [...]program.Pass{1: program.PartRows1, 4: program.PartRows4} // sums of two bytes come from SumWindows, whose rows are not joined
		width, count := t.high-t.low, len(t.starts)
		loaded, stored := p.widths()
		groups := (len(dst) + 3) / 4
		joined, sized := w.joined[0][:groups], w.joined[1][:groups]
		for k := range groups {
			resized(&sized[k], 4*int64(count)*stored+16) // NEON loads some bytes behind the last pixel
			resized(&joined[k], 4*int64(width)*loaded)
			w.runColumns(c, join[loaded], width, joined[k:k+1], src[4*k:min(4*k+4, len(src))])
		}
		w.runColumns(c, c.pass, count, sized, joined)
		for k := range groups {
			w.runColumns(c, part[stored], count, dst[4*k:], sized[k:k+1])
		}
	case c.pass == program.PickWindows || c.pass == program.SumWindows:
		w.runColumns(c, c.pass, p.pixel*len(t.starts), dst, src)
	default:
		w.runColumns(c, c.pass, len(t.starts), dst, src)
	}
}

// runColumns runs a pass over the columns of rows.
func (w *Worker) runColumns(c *packedPass, pass program.Pass, n int, dst, src [][]uint8) {
	yield.BeforeCall(int64(n) * int64(len(src)) * int64(max(1, c.weightStride, c.groups)) * perProduct / 4)
	p := &w.columnPass
	p.Pass, p.AtOnce, p.N, p.Groups = pass, 4, int64(n), int64(c.groups)
	if w.plan.zipped {
		p.AtOnce = 8
	}
	exec.Columns(c.set, p, c.starts, c.weights, dst, src)
}

// The rows that resampleRows makes in a call are bounded, and so are the numbers that list what
// they take, unless the first row takes more.
const mostInCall, mostListed = 64, 4096

// resampleRows stores row y of the result, or a row between the passes, and at most n - 1 rows
// behind it: those that take what is at hand once row y's rows are. They lie `stride` bytes apart
// from dst on. It returns how many it made. `left` and `length` say which bytes of the rows that
// they take, as take does.
//
// unsafe: rows are addressed by their distance from the first one. w.inputs, the ring and src keep
// all of them alive.
func (w *Worker) resampleRows(dst []uint8, stride, y, n int, left, length int64, src Source) (made int) {
	p, c := w.plan, w.plan.packedRows
	w.gather(y, left, length, src)
	if c == nil || len(w.inputs) == 0 {
		p.rows.resampleRows(p, dst, w.inputs, y)
		return 1
	}
	if p.planes > 0 {
		made = p.alike(y, n)
		w.offsets = w.appendInputs(w.offsets[:0], w.inputs[0])
		w.numberRows(dst, stride, y, made)
		return made
	}
	base := w.inputs[0]
	w.offsets = w.offsets[:0]
	for {
		head := len(w.offsets)
		w.offsets = w.appendInputs(append(w.offsets, 0), base)
		w.offsets[head] = int64(len(w.offsets) - head - 1)
		if made++; made == min(n, mostInCall) || len(w.offsets) >= mostListed || p.rows.n[y+made] == 0 || !w.holds(y+made) {
			break
		}
		w.gather(y+made, left, length, src)
	}
	samples := len(dst)
	if p.rowsFirst && !p.fused {
		samples /= int(p.wide())
	}
	yield.BeforeCall(int64(samples) * int64(len(w.offsets)) * perProduct)
	exec.Rows(c.set, &program.RowPass{Pass: c.pass, N: int64(samples), Count: int64(made), Stride: int64(stride), Each: int64(c.weightStride)},
		w.offsets, c.weights[c.weightStride*y:], dst, &base[0])
	return made
}

// appendInputs appends the distances of the input rows from base, in bytes. Some passes over rows
// take their inputs in pairs or fours. Then the last row stands for those that are missing, too.
func (w *Worker) appendInputs(offsets []int64, base []uint8) []int64 {
	p, rows := w.plan, w.inputs
	listed := len(rows)
	switch {
	case p.packedRows.pass == program.WeighFours:
		listed = (listed + 3) / 4 * 4
	case p.filter != Area && !p.zipped:
		listed = max(2, listed+listed%2)
	}
	for k := range listed {
		row := rows[min(k, len(rows)-1)]
		if p.filter == Area {
			row = rows[p.y.ordered(k, listed)]
		}
		offsets = append(offsets, int64(uintptr(unsafe.Pointer(&row[0]))-uintptr(unsafe.Pointer(&base[0]))))
	}
	return offsets
}
