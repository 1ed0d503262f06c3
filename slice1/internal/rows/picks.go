package rows

import "github.com/seed2e45c115/dml/slice1/internal/program"

// sampling says where the samples of a Luma's columns lie, whose chroma are not interpolated.
// Columns count from the first one of an axis.
type sampling struct {
	lumaStep, chromaStep, cell int
	phase                      int // columns of the first column's cell before it
}

// picks are the samples of a row that are taken before they become colours, for a result that
// leaves columns out. For example, Nearest makes 224 columns of 512. Then 224 pixels become
// colours, not 512.
type picks struct{ luma, chroma picked }

// picked lists samples of a row by their first bytes, in ascending order, counted from that of the
// first one. pass is nil where plain Go takes them.
type picked struct {
	offsets []int32
	pass    *packedPass
}

// NewLumaPlan is NewPlan for colours that are made of l. Column `left` of l is the first one of
// `columns`. Nearest and Linear then take samples, and not pixels, if they leave out many columns
// and chroma are not interpolated.
func NewLumaPlan(f Filter, columns, rows Axis, rowsFirst bool, pixel int, l *Luma, left int, set int32) (*Plan, error) {
	r := newRequest(f, columns, rows, rowsFirst, pixel, false, 0, set)
	if c := l.open(); c.SmoothX|c.SmoothY == 0 && (f == Nearest || f == Linear && !rowsFirst) {
		r.sampling = sampling{l.YStep, l.CStep, l.CellX, (l.PhaseX + left) % l.CellX}
	}
	return r.kept()
}

// pickColumns sets p.picks, and makes the weights of columns count in the columns that are taken.
// It does nothing if these are more than three quarters of all, or half for Linear.
func (p *Plan) pickColumns() {
	t, grid := p.columns, &p.sampling
	if grid.cell == 0 || t == nil {
		return
	}
	width, used := t.high-t.low, len(t.starts)
	if p.filter == Linear && 4*used > width || 4*used > 3*width {
		return
	}
	k := &picks{luma: picked{offsets: t.condense()}}
	k.chroma.offsets = make([]int32, len(k.luma.offsets))
	cells := (grid.phase + t.low) / grid.cell // before the first one that is taken
	for i, column := range k.luma.offsets {
		k.chroma.offsets[i] = int32(((grid.phase+t.low+int(column))/grid.cell - cells) * grid.chromaStep)
		k.luma.offsets[i] = column * int32(grid.lumaStep)
	}
	t.high = t.low + len(k.luma.offsets)
	if p.inC() || p.inVectors() {
		k.luma.pack(program.Sets[p.set].Kernel[0])
		k.chroma.pack(program.Sets[p.set].Kernel[0])
	}
	p.picks = k
}

// length returns how many bytes of a row there are from the first sample to the last one.
func (k *picked) length() int { return int(k.offsets[len(k.offsets)-1]) + 1 }

// pack makes the pass that takes the samples by the loops of a set.
func (k *picked) pack(set int32) {
	if len(k.offsets) < 4 {
		return
	}
	k.pass = (&packedPass{set: set, pass: program.PickWindows, starts: k.offsets}).inWindows(k.length(), 1)
	if k.pass == nil {
		k.pass = &packedPass{set: set, pass: program.PickColumns1, starts: k.offsets}
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
	for plane, pix := range [...][]uint8{luma.Y, luma.Cb, luma.Cr} {
		list := &k.chroma
		if plane == 0 {
			list = &k.luma
		}
		dst, src := w.pickedRows[0][:len(y)], w.pickedRows[1][:len(y)]
		for i, y := range y {
			offset := (luma.PhaseY+r.Top+y)/luma.CellY*luma.CStride + (luma.PhaseX+left)/luma.CellX*luma.CStep
			if plane == 0 {
				offset = (r.Top+y)*luma.YStride + left*luma.YStep
			}
			dst[i], src[i] = planes[plane][i*n:][:n:n], pix[offset:][:list.length()]
		}
		w.loadSamples(list, dst, src)
	}
	for i := range rows {
		rows[i] = memory[i*int(p.length):][:p.length:p.length]
	}
	c.Maker, c.Grey = OfLuma, r.Colours.Grey
	c.Luma = Luma{Kernel: luma.Kernel, Formula: luma.Formula, Y: planes[0], Cb: planes[1], Cr: planes[2], YStride: bytes, CStride: bytes,
		YStep: 1, CStep: 1, CellX: 1, CellY: 1, Columns: bytes, Rows: 1}
	c.store(memory, Layout{Pixel: p.pixel}, Window{Width: bytes, Step: 1, Count: 1})
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
