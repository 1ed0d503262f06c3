// Package plan chooses how a loop nest is executed: which kernel runs it, in which parts, by
// which kind, in which order of its loops, and how it stores. For every kernel but plain Go
// the package also makes the program that the kernel runs.
//
// Planning is plain Go. It makes programs for any instruction set of csrc.Sets, even one that the
// build or the host lacks. A nest must be in normal form or a part that Cut makes of such a nest,
// its extents must be positive, and each of its two spans must fit a buffer in memory, so that no
// offset overflows. A cost is a number of picoseconds.
package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// job is a program that is being made, and what it is made from.
type job struct {
	p       *csrc.Program
	nest    *nest.Nest
	number  int32 // the index of the set in csrc.Sets
	set     *csrc.Set
	costs   *SetCosts
	order   order
	storing Storing
	host    *Host // whose caches the program is made for

	inner      nest.Dim // the innermost loop of the nest; for a nest of one element, a loop of one iteration
	bytes      int64    // that all iterations of inner copy
	contiguous bool     // whether inner is contiguous in the source and in the destination
	row        row      // what collect found; its period is 0 before
	kind       kind
	loop       csrc.Form // the form of the loop that runs the program
}

// make makes the job's program by a kind. The program stores as `storing` says. It cannot run until
// link is called. make returns false if the kind cannot run the nest, if the job's order is bySrc
// but the loops around the rows are in that order by themselves, or if non-temporal stores are asked
// for that do not suit the program.
func (j *job) make(k kind, storing Storing) bool {
	j.begin()
	j.kind, j.storing = k, storing
	if !j.fits(k) || !j.prepare(k) {
		return false
	}
	if j.order == bySrc && !sortBySource(j.p) {
		return false
	}
	return storing == Cached || j.stream(k)
}

// begin sets the fields of a job that follow from its nest. It gives the program the nest's width,
// offsets and loops, the innermost loop as the row, and ordinary stores.
func (j *job) begin() {
	n, p := j.nest, j.p
	w := int64(n.Width)
	j.inner = n.Inner()
	j.bytes = j.inner.Extent * w
	j.contiguous = n.Class() == nest.Contiguous
	p.Width, p.Src, p.Dst, p.NT = n.Width, n.SrcOff, n.DstOff, 0
	p.Outer = max(0, n.Rank-1)
	for i := range p.Outer {
		p.Dims[i] = csrc.Dim(n.Dims[i])
	}
	p.Row = csrc.Dim(j.inner)
}
