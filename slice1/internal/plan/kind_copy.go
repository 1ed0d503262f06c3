package plan

// kindCopy, by example: the left half of each row of a picture of 200 RGB pixels a row.
//
//	for y in 80 { for i in 300 { dst[300*y + i] = src[600*y + i] } }
//
// By AVX2 a row is nine vectors of 32 bytes, which make bytes 0 to 287, and one that ends with the
// row: it makes bytes 268 to 299, some of them again.
//
// kindString copies such a row by one instruction, `rep movsb`. Processors with the feature ERMS
// run it by cache lines. Some of them do not read a line of the destination that they overwrite
// whole, as vectors must. On a Zen 5, rows of 4 KiB and more in the second-level cache take .69 to
// .83 of the time so, on a Zen 4 .95 to 1.1. Older processors are slow if source and destination
// lie differently in their lines. So it is never the first choice: it costs a row's start more than
// kindCopy by estimate, and runs show where it is faster.

// leastString is the least number of bytes of a row that kindString copies. The instruction takes
// about 30 ns to start.
const leastString = 4096

// costOfCopy returns what a row costs that is copied, or that repeats an element.
func (j *job) costOfCopy() int64 { return ceilDiv(j.rowBytes(), j.set.Vector) * j.costs.Copied }
