package rows

import (
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// inC reports whether the loops in C resample.
func (r *request) inC() bool { return r.set >= 0 && program.InC(r.set) }

// inVectors reports whether Go's vectors resample.
func (r *request) inVectors() bool {
	return vector.Converts && r.planes == 0 && r.set >= 0 && program.Sets[r.set].InGo
}

// vectorsOfRows makes a row of the result, or a row between the passes, by Go's vectors. It reports
// false if these do not make it.
func (t *table) vectorsOfRows(p *Plan, dst []uint8, rows [][]uint8, w []int32) bool {
	samples := len(dst)
	if p.rowsFirst && !p.fused {
		samples /= int(p.wide())
	}
	switch {
	case !p.inVectors() || samples < int(program.Sets[p.set].Vector):
		return false
	case p.filter == Linear && p.rowsFirst:
		vector.SumRows(dst, rows[0], rows[len(rows)-1], w)
	case p.filter == Linear:
		vector.AddRows(dst, rows[0], rows[len(rows)-1], w)
	case p.filter != Area:
		vector.WeighRows(dst, rows, w)
	case p.fused:
		vector.MeanFours(dst, rows[0], rows[1], p.pixel)
	case p.area.wide == 2:
		vector.TotalRows(dst, rows)
	case p.area.whole:
		return false
	case p.rowsFirst:
		vector.CoverRows(dst, rows, w, p.y.Flip)
	default:
		vector.AverageRows(dst, rows, w, p.y.Flip)
	}
	return true
}
