package plan

// costOfCopy returns what a row costs that is copied, or that repeats an element.
func (j *job) costOfCopy() int64 { return ceilDiv(j.rowBytes(), j.set.Vector) * j.costs.Copied }
