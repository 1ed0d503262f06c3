package plan

import "github.com/seed2e45c115/dml/csrc"

// kind is what a program does with each row. Of two kinds of a kernel that cost the same, List puts
// the later one first: kindTile before kindTable.
type kind int8

const (
	kindCopy    kind = iota // copies rows that are contiguous on both sides
	kindTable               // turns small views as kindTile does, but by the loop that has tables
	kindTile                // reads tiles of a transposed view and turns them in registers
	kindUnits               // makes equal units of a contiguous row; a table says where each is in the source
	kindWindows             // makes vectors of a contiguous row from at most eight windows of the source
	kindSpread              // does so for elements with gaps between them in the destination
	kindGather              // loads each element of a contiguous row by itself and stores whole vectors
	kindElement             // loads and stores each element by itself
	kindLong                // does so with the longest loop as the row, and the nest's innermost loop as the first around it
	kinds
)

// formsOf has forms of each kind: a set that has one of them has loops for programs of the kind.
var formsOf = [kinds][]csrc.Form{
	kindCopy:    {csrc.Copy},
	kindTable:   {csrc.Table},
	kindTile:    {csrc.Tile},
	kindUnits:   {csrc.UnitsLanes, csrc.UnitsPermute},
	kindWindows: {csrc.Lanes, csrc.Permute},
	kindSpread:  {csrc.Permute},
	kindGather:  {csrc.Gather},
	kindElement: {csrc.Element},
	kindLong:    {csrc.Element},
}

// sortsLoops reports whether the loops around the rows of c's programs come in the order of the
// source if the lines of the nest do not fit the first-level cache. This is faster for nearly all
// such slices by most kinds. Rows that are copied by ordinary stores, and tiles, gain or lose by
// it, so that it is a way of their own (sourceOrder). kindLong has chosen a loop.
//
// In the order of the source, copies by non-temporal stores take .58 to .98 of the time on a Zen 5,
// and .35 to 1.10 of it on a Xeon with AMX-BF16. The records of permutations in bench/records show
// it.
func (c Candidate) sortsLoops() bool {
	switch {
	case c.Kernel == Go:
		return false
	case c.kind == kindCopy && c.NonTemporal:
		return c.Order != destinationOrder
	case c.kind == kindCopy || c.kind == kindTile || c.kind == kindTable || c.kind == kindLong:
		return c.Order == sourceOrder
	}
	return true
}

var kindNames = [kinds]string{"copy", "table", "tile", "units", "shuffle", "spread", "gather", "element", "element long"}

// prepare makes the job's program by its kind, with ordinary stores and with the loops around the
// rows in the order of the destination. It returns false if the kind cannot or should not run the
// nest.
func (j *job) prepare() bool {
	switch j.kind {
	case kindCopy:
		return j.contiguous && j.take(csrc.Copy, 0)
	case kindTable, kindTile:
		return j.packed() && j.tile()
	case kindUnits:
		return j.packed() && j.units()
	case kindWindows:
		return j.fitsWindows() && j.prepareWindows()
	case kindSpread:
		return j.spread()
	case kindGather:
		return j.fitsGather() && j.take(csrc.Gather, 0)
	case kindLong:
		if !j.exchange() {
			return false
		}
	}
	return j.take(csrc.Element, 0)
}

// cost returns what each row costs of a program that prepare made, without the step to it.
func (j *job) cost() int64 {
	switch j.kind {
	case kindCopy:
		return j.costOfCopy()
	case kindTable, kindTile:
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

// packed reports whether the nest has a loop and the innermost one leaves no gaps in the
// destination.
func (j *job) packed() bool { return j.nest.Rank > 0 && j.inner.Dst == int64(j.nest.Width) }

// collect sets the job's row unless that has been collected for vectors of the set already.
func (j *job) collect() {
	if j.row.vector != j.set.Vector {
		j.row.collect(j.nest, j.set.Vector)
	}
}

// take sets which loop runs the program, by its form and variant. It returns false if the job's set
// has no such loop.
func (j *job) take(form csrc.Form, variant int) (ok bool) {
	j.loop = form
	j.p.Loop, ok = csrc.Loop(j.p.Set, form, variant)
	return ok
}
