// Package plan chooses how a loop nest is executed: which kernel runs it, in which parts, by
// which kind, and how it stores. For every kernel but plain Go
// the package also makes the program that the kernel runs.
//
// Planning is plain Go. It makes programs for any instruction set of csrc.Sets, even one that the
// build or the host lacks. A nest must be in normal form or a part that Cut makes of such a nest,
// its extents must be positive, and each of its two spans must fit a buffer in memory, so that no
// offset overflows. A cost is a number of picoseconds.
package plan

import (
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// job is the making of the program of a candidate other than plain Go.
type job struct {
	Candidate
	host  *Host // whose caches the program is made for
	nest  *nest.Nest
	p     *csrc.Program
	set   *csrc.Set
	costs *SetCosts

	inner      nest.Dim  // the innermost loop of the nest; for a nest of one element, a loop of one iteration
	bytes      int64     // that all iterations of inner copy
	contiguous bool      // whether inner is contiguous in the source and in the destination
	row        row       // what collect found for the set
	loop       csrc.Form // the form of the loop that runs the program
}

// make makes the program of the job's candidate. It cannot run until link is called. make returns
// false if the kind cannot run the nest, or if non-temporal stores do not suit the program.
func (j *job) make() bool {
	j.begin()
	if !j.prepare() {
		return false
	}
	if j.sortsLoops() && j.lines() > 0 {
		slices.SortStableFunc(j.p.Dims[:j.p.Outer], bySource)
	}
	return !j.NonTemporal || j.stream()
}

// begin sets the fields of a job that follow from its nest and its kernel. It gives the program the
// nest's width, offsets and loops, the innermost loop as the row, ordinary stores, and nothing to
// prefetch.
func (j *job) begin() {
	n, p := j.nest, j.p
	w := int64(n.Width)
	p.Set = setOf[j.Kernel][j.kind]
	j.set, j.costs = &csrc.Sets[p.Set], &j.host.Costs.Sets[p.Set]
	j.inner = n.Inner()
	j.bytes = j.inner.Extent * w
	j.contiguous = n.Class() == nest.Contiguous
	p.Width, p.Src, p.Dst, p.NT = n.Width, n.SrcOff, n.DstOff, 0
	p.Outer = max(0, n.Rank-1)
	for i := range p.Outer {
		p.Dims[i] = csrc.Dim(n.Dims[i])
	}
	p.Row, p.Prefetch.Distance = csrc.Dim(j.inner), 0
}
