package plan

import "github.com/seed2e45c115/dml/csrc"

// packed reports whether the nest has a loop and the innermost one leaves no gaps in the destination.
func (j *job) packed() bool { return j.nest.Rank > 0 && j.inner.Dst == int64(j.nest.Width) }

// fits reports whether a kind may run the nest. If it returns false, the kind cannot or should not.
// If it returns true, prepare can still fail.
func (j *job) fits(k kind) bool {
	switch k {
	case kindCopy:
		return j.contiguous
	case kindFill:
		return j.packed() && j.inner.Src == 0 && j.bytes >= csrc.LaneBytes
	case kindTile, kindUnits:
		return j.packed()
	case kindWindows:
		// Rows of at least a vector that are contiguous on both sides are left to kindCopy. If each element
		// has a window of its own, and a vector has more elements than windows, no vector can be made.
		return j.packed() && !(j.contiguous && j.bytes >= j.set.Vector) &&
			!(abs(j.inner.Src) >= j.set.Vector && min(j.inner.Extent, j.set.Vector/int64(j.nest.Width)) > csrc.MaxWindows)
	case kindSpread:
		return j.set.Masks && j.nest.Rank > 0 && j.inner.Dst > int64(j.nest.Width)
	case kindGather:
		return j.packed() && !j.contiguous && j.bytes >= csrc.LaneBytes
	}
	return true
}

// prepare makes the job's program by a kind that fits, with ordinary stores and, unless the job's
// order is byRow, with the loops around the rows in the order of the destination. It reports success.
func (j *job) prepare(k kind) bool {
	switch k {
	case kindCopy:
		j.take(csrc.Plain, csrc.Copy, 0)
	case kindFill:
		j.take(csrc.Plain, csrc.Fill, 0)
	case kindTile:
		return j.tile()
	case kindUnits:
		j.collect()
		return j.units()
	case kindWindows:
		j.collect()
		if !j.windows() {
			return false
		}
		j.p.Outer = int32(j.row.outer)
	case kindSpread:
		return j.spread()
	case kindGather:
		j.take(csrc.Plain, csrc.Gather, 0)
	default:
		if j.order == byRow {
			i := j.longest()
			if i < 0 {
				return false
			}
			exchange(j.p, i)
		}
		j.take(csrc.Plain, csrc.Element, 0)
	}
	return true
}

// collect sets the job's row unless it is set already.
func (j *job) collect() {
	if j.row.period == 0 {
		j.row.collect(j.nest, j.set.Vector)
	}
}

// take sets which loop runs the program, by its form and variant, and which body the loop reads. The
// job's set must have the loop.
func (j *job) take(body csrc.Kind, form csrc.Form, variant int) {
	j.loop = form
	j.p.Set, j.p.Kind = j.number, body
	j.p.Loop = j.loopOf(form, variant)
}

// loopOf returns the number of a loop that the job's set must have.
func (j *job) loopOf(form csrc.Form, variant int) int32 {
	number, ok := csrc.Loop(j.number, form, variant)
	if !ok {
		panic("plan: a set has no loop for a program")
	}
	return number
}

// KindOf returns the name of a program's kind.
func KindOf(p *csrc.Program) string { return kindNames[kindOf(p)] }

func kindOf(p *csrc.Program) kind {
	switch form := csrc.FormOf(p.Set, p.Loop); form {
	case csrc.Copy:
		return kindCopy
	case csrc.Fill:
		return kindFill
	case csrc.Tile, csrc.Narrow, csrc.Folded, csrc.Joined:
		return kindTile
	case csrc.Gather:
		return kindGather
	case csrc.Element:
		return kindElement
	case csrc.Spread:
		return kindSpread
	case csrc.UnitsLanes, csrc.UnitsDwords, csrc.UnitsBytes, csrc.UnitsInlane, csrc.UnitsSwap, csrc.UnitsCross, csrc.UnitsPermute:
		return kindUnits
	}
	return kindWindows
}
