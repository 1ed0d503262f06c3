package plan

// kindCopy, by example: the left half of each row of a picture of 200 RGB pixels a row.
//
//	for y in 80 { for i in 300 { dst[300*y + i] = src[600*y + i] } }
//
// By AVX2 a row is nine vectors of 32 bytes, which make bytes 0 to 287, and one that ends with the
// row: it makes bytes 268 to 299, some of them again.

// costOfCopy returns what a row costs that is copied, or that repeats an element.
func (j *job) costOfCopy() int64 { return ceilDiv(j.rowBytes(), j.set.Vector) * j.costs.Copied }
