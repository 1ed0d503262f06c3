package plan

import "github.com/seed2e45c115/dml/csrc"

// kindGather and kindElement: rows whose elements are loaded one by one.

func (j *job) fitsGather() bool { return j.packed() && !j.contiguous && j.bytes >= csrc.LaneBytes }

func (j *job) costOfGather() int64 {
	if j.p.Row.Src == 0 {
		return j.costOfCopy()
	}
	return j.p.Row.Extent * j.costs.Gathered[log2(j.p.Width)]
}

// prepareElement makes the longest loop the row if the order is byRow. It reports success.
func (j *job) prepareElement() bool {
	if j.order == byRow {
		i := j.longest()
		if i < 0 {
			return false
		}
		exchange(j.p, i)
	}
	j.take(csrc.Plain, csrc.Element, 0)
	return true
}

func (j *job) costOfElement() int64 { return j.p.Row.Extent * j.costs.Element[log2(j.p.Width)] }
