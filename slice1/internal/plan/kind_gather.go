package plan

import "github.com/seed2e45c115/dml/csrc"

// kindGather, kindElement and kindLong are for elements so far apart that no two are in a window.
//
//	for i in 1000 { dst[i] = src[64*i] }                              kindGather
//	for i in 1000 { dst[9*i] = src[64*i] }                            kindElement
//	for i in 1000 { for c in 3 { dst[27*i + 9*c] = src[64*i + c] } }  kindLong
//
// Each element is a load. In the first row, elements are collected in registers, and a store is at
// least 16 bytes. In the second, where a store would overwrite gaps, each element is a store, too.
// In the third, the inner loop would end after each 3 elements: kindLong makes i the row, and runs
// it for each c.

func (j *job) fitsGather() bool { return j.packed() && !j.contiguous && j.bytes >= csrc.LaneBytes }

// gatherAhead returns how many bytes ahead of the elements that p gathers the source is prefetched,
// if it has `bytes` bytes: 128 elements where rows take an element or two of about every line and
// the source is twice as large as the second-level cache, else 0. On a Xeon with AMX-FP16 this
// makes `go -C bench run . -works stride16 -widths 4 -sizes L` 5 % faster; from that cache it would
// be slower.
func (h *Host) gatherAhead(p *csrc.Program, bytes int64) int64 {
	if up := abs(p.Row.Src); up < csrc.LineBytes/2 || up >= 2*csrc.LineBytes || bytes <= 2*h.L2 {
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
