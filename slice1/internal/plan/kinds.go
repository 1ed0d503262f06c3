package plan

import "github.com/seed2e45c115/dml/csrc"

// choose prepares the first kind that suits the nest, and returns it.
func (j *job) choose() kind {
	for k := kindCopy; k <= kindSpread; k++ {
		if j.suits(k) && j.prepare(k) {
			return k
		}
	}
	k := j.rest()
	j.prepare(k)
	return k
}

// suits reports whether a kind is worth being prepared.
func (j *job) suits(k kind) bool {
	switch k {
	case kindCopy:
		return j.copies && !j.crowded()
	case kindFill:
		return j.packed() && j.inner.Src == 0 && j.bytes >= csrc.LineBytes
	case kindTile, kindUnits:
		return j.packed()
	case kindWindows:
		return j.packed() && !j.copies
	case kindSpread:
		// From memory, storing element by element takes half the time.
		return j.storing == Cached && j.fits(k)
	}
	return false
}

// rest returns the kind for a nest that suits no other: one that needs no preparation.
func (j *job) rest() kind {
	switch {
	case j.contiguous:
		return kindCopy
	case !j.packed() || j.bytes < csrc.LaneBytes:
		return kindElement
	case j.inner.Src == 0:
		return kindFill
	case j.inner.Extent < 7 && j.longest() >= 0:
		return kindElement // few elements gathered do not make up for what each row costs
	}
	return kindGather
}

// packed reports whether the innermost loop fills the destination without gaps.
func (j *job) packed() bool { return j.nest.Rank > 0 && j.inner.Dst == int64(j.nest.Width) }

// crowded reports whether rows of a vector or two are in loops that end soon: vectors
// from a table cost less than the loops.
func (j *job) crowded() bool {
	n := j.nest
	return j.storing == Cached && !j.set.FreeTails && j.bytes <= 2*csrc.VectorBytes && n.Rank > 2 && n.Dims[n.Rank-2].Extent <= 4
}

// fits reports whether a kind can run the nest, as far as is known before it is
// prepared.
func (j *job) fits(k kind) bool {
	switch k {
	case kindCopy:
		return j.contiguous
	case kindFill:
		return j.packed() && j.inner.Src == 0 && j.bytes >= csrc.LaneBytes
	case kindTile, kindUnits, kindWindows:
		return j.packed()
	case kindSpread:
		return j.set.Masks && j.nest.Rank > 0 && j.inner.Dst > int64(j.nest.Width)
	case kindGather:
		return j.packed() && j.bytes >= csrc.LaneBytes
	}
	return true
}

// prepare makes the program one of a kind that fits. It reports success; where the
// kind is not asked for, one that does not pay fails too.
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
		if i := j.longest(); i >= 0 {
			exchange(j.p, i)
		}
		j.take(csrc.Plain, csrc.Element, 0)
	}
	return true
}

// collect collects the row, once.
func (j *job) collect() {
	if j.row.period == 0 {
		j.row.collect(j.nest, j.set.Vector)
		j.row.element = j.elementCost()
	}
}

// take makes the loop of a form and variant, which must exist, the program's.
func (j *job) take(body csrc.Kind, form csrc.Form, variant int) {
	j.loop = form
	j.p.Set, j.p.Kind = j.number, body
	j.p.Loop, _ = csrc.Loop(j.number, form, variant)
}

// finish lets the program store as it is to, if it suits that, and links its loops. It
// reports whether it stores so.
func (j *job) finish(k kind) bool {
	stored := j.storing == Cached || j.stream(k)
	link(j.p)
	return stored
}

// KindOf returns the name of what a program does with each row.
func KindOf(p *csrc.Program) string { return kindNames[kindOf(p)] }

func kindOf(p *csrc.Program) kind {
	switch form := csrc.FormOf(p.Set, p.Loop); form {
	case csrc.Copy:
		return kindCopy
	case csrc.Fill:
		return kindFill
	case csrc.Tile, csrc.Narrow:
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
