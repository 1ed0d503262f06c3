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
	storing Storing
	asked   bool // the kind is asked for: what does not pay is made all the same

	inner      nest.Dim // the innermost loop, or one of one iteration
	bytes      int64    // of a row of it
	contiguous bool     // on both sides
	copies     bool     // rows are long enough to be copied
	row        row      // if its period is not 0
	loop       csrc.Form
}

// Make makes p the program of n for a kernel in C.
func Make(p *csrc.Program, n *nest.Nest, kernel Kernel, storing Storing) {
	for number := int32(kernel); number >= 0; {
		// Not by a method or a function of its own, through which p would escape.
		j := job{p: p, nest: n, number: number, set: &csrc.Sets[number], storing: storing}
		j.begin()
		number = -1
		if k := j.choose(); !j.finish(k) && k == kindWindows {
			// From memory, stores of which each straddles two lines are slower than twice
			// as many of which half do.
			number = csrc.SetNumber(j.set.Narrower)
		}
	}
}

// begin sets what of a job follows from its nest, and the loops of its program.
func (j *job) begin() {
	n, p := j.nest, j.p
	w := int64(n.Width)
	j.inner = n.Inner()
	j.bytes = j.inner.Extent * w
	j.contiguous = n.Class() == nest.Contiguous
	// A vector takes several of the shorter rows that chain, and one under a mask takes
	// a row of any length.
	least := int64(csrc.LaneBytes)
	if j.set.Masks || n.Rank > 1 && n.Dims[n.Rank-2].Dst == j.bytes {
		least = min(j.set.Vector, csrc.VectorBytes)
	}
	j.copies = j.contiguous && j.bytes >= least

	p.Width, p.Src, p.Dst, p.NT = n.Width, n.SrcOff, n.DstOff, 0
	p.Outer = max(0, n.Rank-1)
	for i := range p.Outer {
		p.Dims[i] = csrc.Dim(n.Dims[i])
	}
	p.Row = csrc.Dim(j.inner)
}
