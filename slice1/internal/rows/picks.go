package rows

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// sampling says where the samples of a Luma's columns lie. Columns count from the first one of an
// axis.
type sampling struct {
	lumaStep, chromaStep, cellX, cellY int
	phase                              int // columns of the first column's cell before it

	// Of chroma that are interpolated, as program.Colours has it: the first column's cell, and the
	// samples of a row.
	smoothX, smoothY bool
	round            [2]int32
	cell, columns    int
}

// picks are the samples of a row that are taken before they become colours, for a result that
// leaves columns out. For example, Nearest makes 224 columns of 512. Then 224 pixels become
// colours, not 512.
type picks struct {
	luma, chroma picked
	rounds       [2][]uint8 // of chroma that are interpolated: what is added to the row that begins a cell, and to the next one
}

// picked lists samples of a row by their first bytes, in ascending order, counted from that of the
// first one. pass is nil where plain Go takes them. Of chroma that are interpolated it lists pairs
// of neighbours, by the first one of each, and pass sums their shares: 4 of a pixel's chroma in a
// row.
type picked struct {
	offsets []int32
	bytes   int // of a row, from the first sample to the last one
	column  int // the column of chroma of the first sample, counted from that of the axis' first column
	pass    *packedPass
}

// NewLumaPlan is NewPlan for colours that are made of l. Column `left` of l is the first one of
// `columns`. Nearest and Linear then take samples, and not pixels, if they leave out many columns.
// Chroma that are interpolated are taken by the loops in C only.
func NewLumaPlan(f Filter, columns, rows Axis, rowsFirst bool, pixel int, l *Luma, left int, set int32) (*Plan, error) {
	r := newRequest(f, columns, rows, rowsFirst, pixel, false, 0, set)
	if f == Nearest || f == Linear && !rowsFirst {
		c, column := l.open(), l.PhaseX+left
		r.sampling = sampling{lumaStep: l.YStep, chromaStep: l.CStep, cellX: l.CellX, cellY: l.CellY, phase: column % l.CellX}
		if c.SmoothX|c.SmoothY != 0 {
			grid := &r.sampling
			grid.smoothX, grid.smoothY, grid.round = c.SmoothX != 0, c.SmoothY != 0, c.Round
			grid.cell, grid.columns = column/l.CellX, l.Columns
		}
	}
	return r.kept()
}

// pickColumns sets p.picks, and makes the weights of columns count in the columns that are taken.
// It does nothing if these are more than three quarters of all, or half for Linear.
func (p *Plan) pickColumns() {
	t, grid := p.columns, &p.sampling
	if grid.cellX == 0 || t == nil {
		return
	}
	width, used := t.high-t.low, len(t.starts)
	if p.filter == Linear && 4*used > width || 4*used > 3*width {
		return
	}
	whole := *t
	whole.starts = slices.Clone(t.starts)
	columns, k := whole.condense(), &picks{}
	cells := (grid.phase + t.low) / grid.cellX // before the first one that is taken
	k.luma.offsets, k.chroma.offsets, k.chroma.column = make([]int32, len(columns)), make([]int32, len(columns)), cells
	for i, column := range columns {
		k.luma.offsets[i] = column * int32(grid.lumaStep)
		k.chroma.offsets[i] = int32(((grid.phase+t.low+int(column))/grid.cellX - cells) * grid.chromaStep)
	}
	k.luma.bytes, k.chroma.bytes = k.luma.end(0), k.chroma.end(0)
	if grid.smoothX || grid.smoothY {
		if !p.inC() || !k.interpolate(grid, t.low, columns, p.set) {
			return
		}
	}
	*t = whole
	t.high = t.low + len(columns)
	if p.inC() || p.inVectors() {
		k.luma.pack(p.set)
		k.chroma.pack(p.set)
	}
	p.picks = k
}

// end returns how many bytes of a row there are from the first sample to the last one, and so many
// bytes behind it.
func (k *picked) end(extra int) int { return int(k.offsets[len(k.offsets)-1]) + extra + 1 }

// interpolate makes k.chroma pairs of the samples of columns, which count from `low`. It reports
// false if the loops of a set in C make no sums of these. A pair's shares are 1 and 3, or all 4 of
// one of the two: at the edge of the planes, and where columns are not interpolated.
func (k *picks) interpolate(grid *sampling, low int, columns []int32, set int32) bool {
	if grid.columns < 2 || len(columns) < int(program.Sets[program.Sets[set].Kernel[0]].Vector) {
		return false
	}
	c := &packedPass{set: set, pass: program.SumColumns, starts: make([]int32, len(columns)), weightStride: 2, weights: make([]uint8, 2*len(columns))}
	for i := range k.rounds {
		k.rounds[i] = make([]uint8, 2*len(columns))
	}
	for i, column := range columns {
		place := grid.phase + low + int(column)
		cell, odd := grid.cell+place/grid.cellX, place%grid.cellX
		begin, shares := cell, [2]uint8{4, 0}
		if grid.smoothX {
			begin, shares = cell-1+odd, [...][2]uint8{{1, 3}, {3, 1}}[odd]
		}
		switch limit := grid.columns - 2; {
		case begin < 0:
			begin, shares = 0, [2]uint8{4, 0}
		case begin > limit:
			begin, shares = limit, [2]uint8{0, 4}
		}
		c.starts[i] = int32((begin - grid.cell) * grid.chromaStep)
		copy(c.weights[2*i:], shares[:])
		for line := range k.rounds {
			parity := line
			if grid.smoothX {
				parity = odd
			}
			binary.LittleEndian.PutUint16(k.rounds[line][2*i:], uint16(grid.round[parity]))
		}
	}
	k.chroma.column = int(c.starts[0]) / grid.chromaStep
	for i := range c.starts {
		c.starts[i] -= int32(k.chroma.column * grid.chromaStep)
	}
	k.chroma.offsets = c.starts
	k.chroma.bytes = k.chroma.end(grid.chromaStep)
	if k.chroma.pass = c.inWindows(k.chroma.bytes, 1, grid.chromaStep); k.chroma.pass == nil {
		c.set = program.Sets[c.set].Kernel[0]
		k.chroma.pass = c.inWindows(k.chroma.bytes, 1, grid.chromaStep)
	}
	return k.chroma.pass != nil
}

// pack makes the pass that takes the samples by the loops of a set.
func (k *picked) pack(set int32) {
	if len(k.offsets) < 4 || k.pass != nil {
		return
	}
	weakest := program.Sets[set].Kernel[0]
	for _, set := range [...]int32{set, weakest} {
		if k.pass == nil {
			k.pass = (&packedPass{set: set, pass: program.PickWindows, starts: k.offsets}).inWindows(k.bytes, 1, 1)
		}
	}
	if k.pass == nil {
		k.pass = &packedPass{set: weakest, pass: program.PickColumns1, starts: k.offsets}
	}
}

// loadSamples stores the samples of rows.
func (w *Worker) loadSamples(k *picked, dst, src [][]uint8) {
	if k.pass != nil {
		w.runColumns(k.pass, k.pass.pass, len(k.offsets), dst, src)
		return
	}
	for row, s := range src {
		d := dst[row][:len(k.offsets)]
		for i, offset := range k.offsets {
			d[i] = s[offset]
		}
	}
}

// pick sets rows[i] to the pixels that w's plan takes of row y[i] of the source. It makes them in
// memory, one row behind the other, as one row of a picture whose pixels have their own chroma.
func (w *Worker) pick(rows [][]uint8, y []int, memory []uint8, r *Resampler) {
	p, c, luma := w.plan, &w.picked, &r.Colours.Luma
	k, left, n := p.picks, r.Left+w.left, int(p.length)/p.pixel
	bytes := len(rows) * n
	samples := resized(&w.samples, int64(3*bytes))
	planes := [...][]uint8{samples[:bytes:bytes], samples[bytes:][:bytes:bytes], samples[2*bytes:]}
	dst, src := w.pickedRows[0][:len(y)], w.pickedRows[1][:len(y)]
	for i, y := range y {
		dst[i], src[i] = planes[0][i*n:][:n:n], luma.Y[(r.Top+y)*luma.YStride+left*luma.YStep:][:k.luma.bytes]
	}
	w.loadSamples(&k.luma, dst, src)
	// Left counts from the plan's first column, whose place k.chroma.column has already.
	low, _ := w.whole.SourceColumns()
	column := (luma.PhaseX+r.Left-low)/luma.CellX + k.chroma.column
	chroma := [...][]uint8{luma.Cb[column*luma.CStep:], luma.Cr[column*luma.CStep:]}
	if k.rounds[0] != nil {
		w.interpolate(planes[1:], chroma, y, r)
	} else {
		for plane, pix := range chroma {
			for i, y := range y {
				dst[i], src[i] = planes[1+plane][i*n:][:n:n], pix[(luma.PhaseY+r.Top+y)/luma.CellY*luma.CStride:][:k.chroma.bytes]
			}
			w.loadSamples(&k.chroma, dst, src)
		}
	}
	for i := range rows {
		rows[i] = memory[i*int(p.length):][:p.length:p.length]
	}
	c.Maker, c.Grey = OfLuma, r.Colours.Grey
	c.Luma = Luma{Kernel: luma.Kernel, Formula: luma.Formula, Y: planes[0], Cb: planes[1], Cr: planes[2], YStride: bytes, CStride: bytes,
		YStep: 1, CStep: 1, CellX: 1, CellY: 1, Columns: bytes, Rows: 1}
	c.store(memory, Layout{Pixel: p.pixel}, Window{Width: bytes, Step: 1, Count: 1})
}

// interpolate stores the chroma of the pixels that are taken of rows y, one row behind the other.
// Row by row of a plane of chroma, `chroma` begins with the first sample that is taken. A row of
// pixels takes the sums of one row of samples or two, which the next one may take, too.
//
// unsafe: rows are addressed by their distance from the first sum. w and its plan keep them alive.
func (w *Worker) interpolate(dst [][]uint8, chroma [2][]uint8, y []int, r *Resampler) {
	k, grid, luma := w.plan.picks, &w.plan.sampling, &r.Colours.Luma
	row := 2 * len(k.chroma.offsets) // bytes of sums
	made := resized(&w.sums, int64(2*len(y)*row))
	var numbers [2 * maxBatch]int // of the rows of samples whose sums are made
	count := 0
	offset := func(number int) int64 {
		for i := max(0, count-3); i < count; i++ { // one row of pixels takes two
			if numbers[i] == number {
				return int64(i * row)
			}
		}
		numbers[count] = number
		count++
		return int64((count - 1) * row)
	}
	var rounds [2]int64
	for line := range rounds {
		rounds[line] = int64(uintptr(unsafe.Pointer(&k.rounds[line][0])) - uintptr(unsafe.Pointer(&made[0])))
	}
	w.offsets = w.offsets[:0]
	shift := luma.CellY - 1 // of 1 or 2 rows
	for _, y := range y {
		place := luma.PhaseY + r.Top + y
		cell, line := place>>shift, place&shift
		neighbour := cell
		if grid.smoothY {
			neighbour = min(max(cell-1+2*line, 0), luma.Rows-1)
		}
		w.offsets = append(w.offsets, 3, offset(cell), offset(neighbour), rounds[line])
	}
	for plane, pix := range chroma {
		for done := 0; done < count; done += maxBatch {
			batch := min(maxBatch, count-done)
			sums, src := w.pickedRows[0][:batch], w.pickedRows[1][:batch]
			for i := range batch {
				sums[i], src[i] = made[(done+i)*row:][:row:row], pix[numbers[done+i]*luma.CStride:][:k.chroma.bytes]
			}
			w.loadSamples(&k.chroma, sums, src)
		}
		yield.BeforeCall(int64(len(y)*row) * perProduct)
		exec.Rows(program.Sets[w.plan.set].Kernel[0], &program.RowPass{Pass: program.MixRows, N: int64(row / 2), Count: int64(len(y)), Stride: int64(row / 2)},
			w.offsets, nil, dst[plane], &made[0])
	}
}

// loadRows sets rows to n pixels of as many rows of the source, from row y on, as Source.Load does.
// If the plan picks columns, these are the picked pixels.
func (w *Worker) loadRows(src Source, rows [][]uint8, y, x, n int, memory []uint8) {
	if w.plan.picks == nil {
		src.Load(rows, y, w.left+x, n, memory)
		return
	}
	var numbers [maxBatch]int
	for i := range rows {
		numbers[i] = y + i
	}
	w.pick(rows, numbers[:len(rows)], memory, src.(*Resampler))
}
