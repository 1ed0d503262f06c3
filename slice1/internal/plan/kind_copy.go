package plan

import "github.com/seed2e45c115/dml/csrc"

// kindCopy and kindFill: rows that are contiguous in the destination and contiguous in the source, or one element
// of it.

func (j *job) fitsFill() bool {
	return j.packed() && j.inner.Src == 0 && j.bytes >= csrc.LaneBytes
}

// costOfCopy returns what a row costs that is copied, or that repeats an element.
func (j *job) costOfCopy() int64 { return ceilDiv(j.rowBytes(), j.set.Vector) * j.costs.Copied }
