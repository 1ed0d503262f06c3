package plan

import "github.com/seed2e45c115/dml/csrc"

// kindGather, kindElement and kindLong: rows whose elements are loaded one by one.

func (j *job) fitsGather() bool { return j.packed() && !j.contiguous && j.bytes >= csrc.LaneBytes }

func (j *job) costOfGather() int64 {
	if j.p.Row.Src == 0 {
		return j.costOfCopy()
	}
	return j.p.Row.Extent * j.costs.Gathered[log2(j.p.Width)]
}

func (j *job) costOfElement() int64 { return j.p.Row.Extent * j.costs.Element[log2(j.p.Width)] }
