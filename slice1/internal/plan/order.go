package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
)

// order is the order of the loops around a row.
type order int8

const (
	byDst order = iota // as in the destination
	bySrc              // the loop that moves the source least inside
	byRow              // as in the destination, but the longest loop is the row, if it can be
	orders
)

var orderNames = [orders]string{"", " near", " long"}

// sortBySource sorts the loops around a program's row by descending source stride. It reports
// whether they were in another order.
func sortBySource(p *csrc.Program) bool {
	loops := p.Dims[:p.Outer]
	if slices.IsSortedFunc(loops, bySource) {
		return false
	}
	slices.SortStableFunc(loops, bySource)
	return true
}

func bySource(a, b csrc.Dim) int { return cmp.Compare(abs(b.Src), abs(a.Src)) }

// ascend turns a loop round if it walks the source downwards.
func (j *job) ascend(d *csrc.Dim) {
	if d.Src >= 0 {
		return
	}
	j.p.Src += (d.Extent - 1) * d.Src
	j.p.Dst += (d.Extent - 1) * d.Dst
	d.Src, d.Dst = -d.Src, -d.Dst
}

// longest returns the longest loop around the rows if it is longer than they are, or -1.
func (j *job) longest() int {
	longest, most := -1, j.inner.Extent
	for i := range max(0, int(j.nest.Rank)-1) {
		if extent := j.nest.Dims[i].Extent; extent > most {
			longest, most = i, extent
		}
	}
	return longest
}

// exchange makes loop i the row, and the row the innermost loop around it.
func exchange(p *csrc.Program, i int) {
	row := p.Dims[i]
	copy(p.Dims[i:], p.Dims[i+1:p.Outer])
	p.Dims[p.Outer-1] = p.Row
	p.Row = row
}

// link sets the loops around the row as they are run: each steps from the last row of
// those that it contains and not from the first.
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
