// Package plan chooses how a loop nest is executed and makes the program that does it:
// which kernel runs it, in which parts, by which kind of inner loops, in which order,
// and how it stores.
//
// It is plain Go, the same for every executor, and makes programs for sets of
// instructions that the build or the host does not have. Nests must be in normal form,
// of positive extents, and every element of them must lie in memory.
package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// kind is what a program does with each row.
type kind int8

const (
	kindCopy    kind = iota // rows that are contiguous on both sides
	kindFill                // one source element, repeated
	kindTile                // lines of the source read side by side and turned in registers
	kindUnits               // short rows that chain, as equal units placed by a table
	kindWindows             // vectors made from a few windows of the source
	kindSpread              // the same, with gaps between the elements of the destination
	kindGather              // a contiguous row of elements far apart
	kindElement             // element by element, along the longest loop
	kinds
)

var kindNames = [kinds]string{"copy", "fill", "tile", "units", "shuffle", "spread", "gather", "element"}

// job is a program that is being made.
type job struct {
	p       *csrc.Program
	nest    *nest.Nest
	number  int32 // of the set in csrc.Sets
	set     *csrc.Set
	costs   *SetCosts
	order   order
	storing Storing
	limit   int64 // what a program must cost less than

	inner      nest.Dim // the innermost loop, or one of one iteration
	bytes      int64    // of a row of it
	contiguous bool     // on both sides
	row        row      // if its period is not 0
	loop       csrc.Form
}

// make makes the job's program by a kind, which stores as `storing` says. The program has no links,
// which link sets when it is to run. make reports success.
func (j *job) make(k kind, storing Storing) bool {
	j.begin()
	j.storing = storing
	if !j.fits(k) || !j.prepare(k) {
		return false
	}
	if j.order == bySrc && !sortBySource(j.p) {
		return false
	}
	return storing == Cached || j.stream(k)
}

// begin sets the fields of a job that follow from its nest, and the loops of its program.
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
