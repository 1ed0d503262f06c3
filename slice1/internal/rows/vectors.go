package rows

import (
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// leastInVectors is how many pixels Go's vectors make or take at least.
const leastInVectors = 16

// setVectors says whether Go's vectors resample columns. Rows of one sample are joined by fours, as
// for the loops in C. Pixels of three bytes become four before, as [request.setPixel] has it.
func (p *Plan) setVectors() {
	p.vectors = vector.Converts && p.planes == 0 && p.set >= 0 && program.Sets[p.set].InGo
	if !p.vectors || p.columns == nil || p.filter == Nearest || min(len(p.columns.starts), p.columns.high-p.columns.low) < leastInVectors {
		return
	}
	switch {
	case p.filter == Linear:
		p.vectorColumns = !p.rowsFirst
	case p.filter == Area && p.area.whole:
		p.vectorColumns = p.area.wide == 2
	case p.filter == Area:
		p.vectorColumns = !p.rowsFirst && !p.x.Flip
	default:
		p.vectorColumns = true
	}
	if p.joined = p.vectorColumns && p.pixel == 1; p.joined {
		p.step = maxBatch
	}
}

// vectorsOfColumns resamples the columns of the rows src into the rows dst by Go's vectors.
func (w *Worker) vectorsOfColumns(dst, src [][]uint8) {
	p, t := w.plan, w.plan.columns
	loaded, stored := p.widths()
	if p.pixel == 4 {
		var d, s vector.Four
		for k := range d { // if there are fewer rows, the final one is made again
			d[k], s[k] = dst[min(k, len(dst)-1)], src[min(k, len(src)-1)]
		}
		w.vectorsOfFour(d, s, len(src))
		return
	}
	var joined, made vector.Four
	groups := (len(src) + 3) / 4
	for k := range joined {
		g := min(k, groups-1)
		if joined[k], made[k] = w.joined[0][g], w.joined[1][g]; k >= groups {
			continue
		}
		joined[k] = resized(&w.joined[0][k], 4*int64(t.high-t.low)*loaded)
		made[k] = resized(&w.joined[1][k], 4*int64(len(t.starts))*stored)
		fourOf(src, 4*k).Join(joined[k], int(loaded))
	}
	w.vectorsOfFour(made, joined, groups)
	for k := range groups {
		fourOf(dst, 4*k).Part(made[k], int(stored))
	}
}

// fourOf returns four rows from number k on, the last one again for those that are missing.
func fourOf(rows [][]uint8, k int) (f vector.Four) {
	for i := range f {
		f[i] = rows[min(k+i, len(rows)-1)]
	}
	return f
}

// vectorsOfFour resamples the columns of rows of pixels of four samples, of which n differ.
func (w *Worker) vectorsOfFour(dst, src vector.Four, n int) {
	p, t := w.plan, w.plan.columns
	taps := &vector.Taps{Starts: t.starts, N: t.n, Weights: t.weights, Pitch: t.taps}
	switch {
	case p.filter == Linear:
		vector.SumPixels(dst, src, taps)
	case p.filter == Area && p.area.whole:
		for k := range n {
			vector.MeanPixels(dst[k], src[k], t.starts, p.x.Size/p.x.Scaled, p.area.part, p.area.fours)
		}
	case p.filter == Area:
		vector.CoverPixels(dst, src, taps)
	default:
		vector.WeighPixels(dst, src, taps, bits)
	}
}

// vectorsOfRows makes a row of the result, or a row between the passes, by Go's vectors. It reports
// false if these do not make it.
func (t *table) vectorsOfRows(p *Plan, dst []uint8, rows [][]uint8, w []int32) bool {
	samples := len(dst)
	if p.rowsFirst {
		samples /= int(p.wide())
	}
	switch {
	case !p.vectors || samples < int(program.Sets[p.set].Vector) || p.filter == Linear && p.rowsFirst:
		return false
	case p.filter == Linear:
		vector.AddRows(dst, rows[0], rows[len(rows)-1], w)
	case p.filter != Area:
		vector.WeighRows(dst, rows, w, bits)
	case p.area.wide == 2:
		vector.TotalRows(dst, rows)
	case p.area.whole || p.rowsFirst || p.y.Flip:
		return false
	default:
		vector.CoverRows(dst, rows, w)
	}
	return true
}
