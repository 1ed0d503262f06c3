package plan

import "github.com/seed2e45c115/dml/csrc"

// kind is what a program does with each row.
type kind int8

const (
	kindCopy    kind = iota // copies rows that are contiguous on both sides
	kindTile                // reads tiles of a transposed view and turns them in registers
	kindUnits               // makes equal units of a contiguous row; a table says where each is in the source
	kindWindows             // makes vectors of a contiguous row from at most eight windows of the source
	kindSpread              // does so for elements with gaps between them in the destination
	kindGather              // loads each element of a contiguous row by itself and stores whole vectors
	kindElement             // loads and stores each element by itself
	kindLong                // does so with the longest loop as the row, and the nest's innermost loop as the first around it
	kinds
)

var kindNames = [kinds]string{"copy", "tile", "units", "shuffle", "spread", "gather", "element", "element long"}

// prepare makes the job's program by its kind, with ordinary stores and with the loops around the
// rows in the order of the destination. It returns false if the kind cannot or should not run the nest.
func (j *job) prepare() bool {
	switch j.kind {
	case kindCopy:
		return j.contiguous && j.take(csrc.Plain, csrc.Copy, 0)
	case kindTile:
		return j.packed() && j.tile()
	case kindUnits:
		return j.packed() && j.units()
	case kindWindows:
		return j.fitsWindows() && j.prepareWindows()
	case kindSpread:
		return j.spread()
	case kindGather:
		return j.fitsGather() && j.take(csrc.Plain, csrc.Gather, 0)
	case kindLong:
		if !j.exchange() {
			return false
		}
	}
	return j.take(csrc.Plain, csrc.Element, 0)
}

// cost returns what each row costs of a program that prepare made, without the step to it.
func (j *job) cost() int64 {
	switch j.kind {
	case kindCopy:
		return j.costOfCopy()
	case kindTile:
		return j.costOfTiles()
	case kindUnits:
		return j.costOfUnits()
	case kindWindows:
		return j.costOfWindows()
	case kindSpread:
		return j.costOfMasks()
	case kindGather:
		return j.costOfGather()
	}
	return j.costOfElement()
}

// packed reports whether the nest has a loop and the innermost one leaves no gaps in the destination.
func (j *job) packed() bool { return j.nest.Rank > 0 && j.inner.Dst == int64(j.nest.Width) }

// collect sets the job's row unless it is set already.
func (j *job) collect() {
	if j.row.period == 0 {
		j.row.collect(j.nest, j.set.Vector)
	}
}

// take sets which loop runs the program, by its form and variant, and which body the loop reads. It returns false if
// the job's set has no such loop.
func (j *job) take(body csrc.Kind, form csrc.Form, variant int) (ok bool) {
	j.loop = form
	j.p.Set, j.p.Kind = int32(j.Kernel), body
	j.p.Loop, ok = csrc.Loop(int32(j.Kernel), form, variant)
	return ok
}
