package plan

import "github.com/seed2e45c115/dml/csrc"

// cycle is the unit of costs: so many are one cycle.
const cycle = 64 * 12

// gatherCost returns what it costs to gather a vector: about a load and an insertion
// for each element.
func gatherCost(vector, width int64) int64 { return cycle * 7 / 12 * vector / width }

// vectorCost returns what a vector of so many windows costs: cycles at two loads, two
// shuffles or blends, and one store each, or two loads and stores; then, among equals,
// operations.
func vectorCost(s *csrc.Set, form csrc.Form, windows int64) int64 {
	loads, shuffles := windows, windows-1
	switch form {
	case csrc.Every2, csrc.Every3, csrc.Every4:
		shuffles = 2
	case csrc.Lanes:
		loads *= s.Vector / csrc.LaneBytes
		shuffles = loads // the insertions of the second lane count
	case csrc.Dwords, csrc.Inlane:
		shuffles++
	case csrc.Bytes, csrc.Swap:
		shuffles += 2
	case csrc.Cross:
		shuffles += 3
	}
	if s.Lookup {
		if form == csrc.Lanes {
			shuffles = 1
			if windows > 2 {
				shuffles = windows + 1
			}
		}
		if !isEvery(form) {
			loads++
		}
		return 64*6*loads + shuffles
	}
	return 64*max(12, 6*max(loads, shuffles)) + loads + shuffles
}

// windowsPay reports whether the main vectors of a row, which cost that much, and its
// tails cost less than its elements. A tail is a loop over its windows; the numbers
// are those of Zen 4.
func (j *job) windowsPay(cost int64) bool {
	w := j.p.Windows()
	for _, t := range w.Tail[:w.Tails] {
		windows := int64(t.Vector.Windows)
		if w.TailLanes == 1 {
			cost += cycle * (4 + windows)
		} else {
			cost += cycle * (8 + 3*windows)
		}
	}
	return j.asked || j.set.FreeTails || cost <= j.row.bytes()/int64(j.nest.Width)*j.row.element
}

// elementCost returns what an element of a row costs without a vector. On Zen 4 an
// element stored takes a cycle, gathered less, and each row five cycles.
func (j *job) elementCost() int64 {
	count := j.inner.Extent
	longest := count
	if i := j.longest(); i >= 0 {
		longest = j.nest.Dims[i].Extent
	}
	stored := cycle + 5*cycle/longest
	if j.bytes < csrc.LaneBytes {
		return stored
	}
	gathered := int64(cycle * 7 / 12)
	if j.nest.Width <= 2 {
		gathered = cycle * 11 / 12
	}
	return min(stored, gathered+5*cycle/count)
}
