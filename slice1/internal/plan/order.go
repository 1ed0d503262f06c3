package plan

import (
	"cmp"

	"github.com/seed2e45c115/dml/csrc"
)

// bySource compares loops by the absolute value of their source strides, the largest first.
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

// exchange makes the longest loop around the row of the program the row, the outermost of several,
// and the former row the innermost loop around it. It returns false if no loop around the row is
// longer.
func (j *job) exchange() bool {
	p := j.p
	longest, most := -1, p.Row.Extent
	for i, d := range p.Dims[:p.Outer] {
		if d.Extent > most {
			longest, most = i, d.Extent
		}
	}
	if longest < 0 {
		return false
	}
	row := p.Dims[longest]
	copy(p.Dims[longest:], p.Dims[longest+1:p.Outer])
	p.Dims[p.Outer-1] = p.Row
	p.Row = row
	return true
}

// link makes p ready to run. In p.Dims, a step of a loop leads from the last row of the loops
// inside it to their first row in the next iteration. Before, it leads there from their first row.
// Then link copies the two innermost loops around the row to p.Innermost and p.Next.
func link(p *csrc.Program) {
	p.Innermost, p.Next = noLoop, noLoop
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
