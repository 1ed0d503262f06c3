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

// fits reports whether a kind may run the nest. If it returns false, the kind cannot or should not.
// If it returns true, prepare can still fail.
func (j *job) fits(k kind) bool {
	switch k {
	case kindCopy:
		return j.contiguous && j.has(csrc.Copy)
	case kindTile, kindUnits:
		return j.packed()
	case kindWindows:
		return j.fitsWindows()
	case kindSpread:
		return j.fitsSpread()
	case kindGather:
		return j.has(csrc.Gather) && j.fitsGather()
	case kindLong:
		return j.longest() >= 0
	}
	return true
}

// prepare makes the job's program by a kind that fits, with ordinary stores and with the loops around the
// rows in the order of the destination. It reports success.
func (j *job) prepare(k kind) bool {
	switch k {
	case kindCopy:
		j.take(csrc.Plain, csrc.Copy, 0)
	case kindGather:
		j.take(csrc.Plain, csrc.Gather, 0)
	case kindTile:
		return j.tile()
	case kindUnits:
		return j.units()
	case kindWindows:
		return j.prepareWindows()
	case kindSpread:
		return j.spread()
	case kindElement:
		j.take(csrc.Plain, csrc.Element, 0)
	case kindLong:
		exchange(j.p, j.longest())
		j.take(csrc.Plain, csrc.Element, 0)
	}
	return true
}

// cost returns what each row costs of a program that prepare made, without the step to it.
func (j *job) cost(k kind) int64 {
	switch k {
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

// has reports whether the job's set has a loop of a form that has no variants.
func (j *job) has(form csrc.Form) bool {
	_, has := csrc.Loop(j.number, form, 0)
	return has
}

// take sets which loop runs the program, by its form and variant, and which body the loop reads. The
// job's set must have the loop.
func (j *job) take(body csrc.Kind, form csrc.Form, variant int) {
	j.loop = form
	j.p.Set, j.p.Kind = j.number, body
	var ok bool
	if j.p.Loop, ok = csrc.Loop(j.number, form, variant); !ok {
		panic("plan: a set has no loop for a program")
	}
}

// Kind returns the name of a candidate's kind, which plain Go does not have.
func (c Candidate) Kind() string { return kindNames[c.kind] }
