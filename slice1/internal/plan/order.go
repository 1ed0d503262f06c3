package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
)

// order says in which order the loops of a program are around the row.
type order int8

const (
	byDst order = iota // in the nest's order: by descending destination stride
	bySrc              // by descending absolute value of the source stride
	orders
)

var orderNames = [orders]string{"", " near"}

// sortBySource sorts the loops around a program's row by the absolute value of their source strides,
// the largest outermost. It reports whether that changes their order.
func sortBySource(p *csrc.Program) bool {
	if sortedBySource(p) {
		return false
	}
	slices.SortStableFunc(p.Dims[:p.Outer], bySource)
	return true
}

func sortedBySource(p *csrc.Program) bool { return slices.IsSortedFunc(p.Dims[:p.Outer], bySource) }

func bySource(a, b csrc.Dim) int { return cmp.Compare(abs(b.Src), abs(a.Src)) }

// ascend turns a loop of the job's program round if it walks the source downwards, so that the same
// iterations come in the other order.
func (j *job) ascend(d *csrc.Dim) {
	if d.Src >= 0 {
		return
	}
	j.p.Src += (d.Extent - 1) * d.Src
	j.p.Dst += (d.Extent - 1) * d.Dst
	d.Src, d.Dst = -d.Src, -d.Dst
}

// longest returns the index of the loop around the innermost one that has the most iterations, the
// outermost of several. It returns -1 if none has more iterations than the innermost loop.
func (j *job) longest() int {
	longest, most := -1, j.inner.Extent
	for i := range max(0, int(j.nest.Rank)-1) {
		if extent := j.nest.Dims[i].Extent; extent > most {
			longest, most = i, extent
		}
	}
	return longest
}

// exchange makes loop i around the row of p the row, and the former row the innermost loop around it.
func exchange(p *csrc.Program, i int) {
	row := p.Dims[i]
	copy(p.Dims[i:], p.Dims[i+1:p.Outer])
	p.Dims[p.Outer-1] = p.Row
	p.Row = row
}

// link makes p ready to run. In p.Dims, a step of a loop leads from the last row of the loops inside
// it to their first row in the next iteration. Before, it leads there from their first row. Then
// link copies the two innermost loops around the row to p.Innermost and p.Next.
func link(p *csrc.Program) {
	none := csrc.Dim{Extent: 1}
	p.Innermost, p.Next = none, none
	if p.Outer > 0 {
		p.Innermost = p.Dims[p.Outer-1]
	}
	var dst, src int64
	for i := p.Outer - 1; i >= 0; i-- {
		d := &p.Dims[i]
		whole := *d
		d.Dst -= dst
		d.Src -= src
		dst += (whole.Extent - 1) * whole.Dst
		src += (whole.Extent - 1) * whole.Src
	}
	if p.Outer > 1 {
		p.Next = p.Dims[p.Outer-2]
	}
}
