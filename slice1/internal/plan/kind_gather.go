package plan

import "github.com/seed2e45c115/dml/slice1/internal/program"

// kindGather, kindElement and kindLong are for elements so far apart that no two are in a window.
//
//	for i in 1000 { dst[i] = src[64*i] }                              kindGather
//	for i in 1000 { dst[9*i] = src[64*i] }                            kindElement
//	for i in 1000 { for c in 3 { dst[27*i + 9*c] = src[64*i + c] } }  kindLong
//
// Each element is a load of its own. kindGather collects elements in registers and stores 16 bytes
// or more at a time. Such a store would overwrite the gaps of the second loop, so kindElement
// stores each element by itself. The inner loop of the third would end after 3 elements: kindLong
// makes i the row, and runs it for each c.

func (j *job) fitsGather() bool { return j.fillsDst() && !j.contiguous && j.bytes >= program.LaneBytes }

// gatherAhead returns the prefetch distance of p in bytes, for a source of so many bytes. It is 128
// elements if rows take one or two elements of about every line and the source is more than twice
// as large as the second-level cache. Else it is 0. On a Xeon with AMX-FP16 this makes
// `go -C bench run . -works stride16 -widths 4 -sizes L` 5 % faster. It makes gathers from the
// second-level cache slower.
func (h *Host) gatherAhead(p *program.Program, bytes int64) int64 {
	if distance := abs(p.Row.Src); distance < program.LineBytes/2 || distance >= 2*program.LineBytes || bytes <= 2*h.L2 {
		return 0
	}
	return 128 * p.Row.Src
}

func (j *job) costOfGather() int64 {
	if j.p.Row.Src == 0 {
		return j.costOfCopy()
	}
	return j.p.Row.Extent * j.costs.Gathered[log2(j.p.Width)]
}

func (j *job) costOfElement() int64 { return j.p.Row.Extent * j.costs.Element[log2(j.p.Width)] }

// exchange exchanges the row of the program with the longest loop around it. That loop becomes the
// row, and the former row becomes the innermost loop around it. Of several longest loops it takes
// the outermost. It returns false if no loop around the row is longer than the row.
func (j *job) exchange() bool {
	p := j.p
	longest, extent := -1, p.Row.Extent
	for i, d := range p.Dims[:p.Outer] {
		if d.Extent > extent {
			longest, extent = i, d.Extent
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
