package plan

import "github.com/seed2e45c115/dml/csrc"

// ascend lets a loop walk the source upwards.
func (j *job) ascend(d *csrc.Dim) {
	if d.Src >= 0 {
		return
	}
	j.p.Src += (d.Extent - 1) * d.Src
	j.p.Dst += (d.Extent - 1) * d.Dst
	d.Src, d.Dst = -d.Src, -d.Dst
}

// longest returns the longest of the loops around short rows that can be the row, or -1:
// all that it reaches stays in the cache until the next row comes there again.
func (j *job) longest() int {
	longest, most := -1, 2*j.inner.Extent
	for i := range max(0, int(j.nest.Rank)-1) {
		d := &j.nest.Dims[i]
		if d.Extent > most && d.Extent <= kept(d.Src) && d.Extent <= kept(d.Dst) {
			longest, most = i, d.Extent
		}
	}
	return longest
}

// exchange makes loop i of those around the row the row.
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
