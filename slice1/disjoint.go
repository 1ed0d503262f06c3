package slice1

import "github.com/seed2e45c115/dml/slice1/internal/nest"

// disjointBudget is the number of calls of sums after which disjoint gives up. A call takes at most
// 250 ns without the calls that it makes itself, so that disjoint ends within 20 microseconds;
// BenchmarkDisjoint prints the longest times.
const disjointBudget = 64

// disjoint reports whether no byte that n writes is a byte that it reads, if the address of the
// destination is that of the source plus `after`. It reports false, too, if its budget ends
// before that is known.
//
// The element that is written to a byte and the element that is read from it may belong to
// different iterations. So disjoint searches two iterations x of each loop, one for the destination
// and one for the source, from 0 to the loop's last, for which the sum of all x*step is the
// distance from the first destination element to the first source element, give or take
// n.Width-1 bytes. The steps of the source are negated.
func disjoint(n *nest.Nest, after int64) bool { return disjointWithin(n, after, disjointBudget) }

// disjointWithin is disjoint with another budget.
func disjointWithin(n *nest.Nest, after int64, budget int) bool {
	var room [2 * maxRank]walk
	walks, at := room[:0], n.SrcOff-n.DstOff-after
	for _, d := range n.Dims[:n.Rank] {
		for _, step := range [...]int64{d.Dst, -d.Src} {
			if step < 0 { // count from the loop's end
				step = -step
				at += step * (d.Extent - 1)
			}
			if step > 0 {
				walks = enter(walks, walk{step, d.Extent - 1})
			}
		}
	}
	lo, hi := at-int64(n.Width)+1, at+int64(n.Width)-1
	// If a walk's step is at most the length of lo to hi, the ranges from lo to hi less each of
	// its positions leave no gap: together they are one longer range, without the walk.
	for len(walks) > 0 && walks[0].step <= hi-lo+1 {
		lo -= walks[0].step * walks[0].last
		walks = walks[1:]
	}
	return !sums(walks, lo, hi, &budget)
}

// A walk takes the positions k*step for k from 0 to last.
type walk struct{ step, last int64 }

// enter returns walks, which are sorted by step, with w among them. Walks of equal steps become
// one.
func enter(walks []walk, w walk) []walk {
	i := len(walks)
	for i > 0 && walks[i-1].step > w.step {
		i--
	}
	if i > 0 && walks[i-1].step == w.step {
		walks[i-1].last += w.last
		return walks
	}
	walks = append(walks, w)
	copy(walks[i+1:], walks[i:])
	walks[i] = w
	return walks
}

// sums reports whether one position of each walk can be chosen so that their sum lies from
// lo to hi. It also reports true if the budget, a number of calls, runs out. hi-lo must be
// less than each step.
func sums(walks []walk, lo, hi int64, budget *int) bool {
	if *budget--; *budget < 0 {
		return true
	}
	var reach, common int64
	for _, w := range walks {
		reach += w.step * w.last
		common = gcd(w.step, common)
	}
	if hi < 0 || lo > reach || common > 0 && floorDiv(hi, common) < ceilDiv(lo, common) {
		return false
	}
	switch len(walks) {
	case 0:
		return true
	case 1:
		return true // one multiple of the step lies from lo to hi, and it is a position of the walk
	case 2:
		return pairSums(walks[0], walks[1], lo, hi)
	}
	top, rest := walks[len(walks)-1], walks[:len(walks)-1]
	reach -= top.step * top.last
	first, last := max(0, ceilDiv(lo-reach, top.step)), min(top.last, floorDiv(hi, top.step))
	for x := first; x <= last; x++ {
		if sums(rest, lo-x*top.step, hi-x*top.step, budget) {
			return true
		}
	}
	return false
}

// pairSums is sums for two walks, of which short has the smaller step.
func pairSums(short, long walk, lo, hi int64) bool {
	first := max(0, ceilDiv(lo-long.step*long.last, short.step))
	last := min(short.last, floorDiv(hi, short.step))
	if first > last {
		return false
	}
	left := hi - first*short.step
	if left >= long.step*(long.last+1) {
		return true // by long's last position and short's position first*short.step
	}
	// For every position p of short from first on, hi-p is less than one step behind the last
	// position of long. So long has a position from lo-p to hi-p exactly if the remainder of
	// hi-p divided by long's step is at most hi-lo.
	over, slack := left%long.step, hi-lo
	return over <= slack || reaches(short.step, long.step, over-slack, over, last-first)
}

// reaches reports whether x*a modulo m lies from lo to hi for an x from 1 to most, where
// 0 < a < m and 0 < lo <= hi < m.
func reaches(a, m, lo, hi, most int64) bool {
	_, ok := firstWithin(a, m, lo, hi, most)
	return ok
}

// firstWithin returns the least x from 1 to most for which x*a modulo m lies from lo to hi; ok
// is false if there is none. a may be 0; otherwise the limits are those of reaches. No product
// exceeds a*most, and m of a recursive call is at most half the m of its caller.
func firstWithin(a, m, lo, hi, most int64) (x int64, ok bool) {
	if a > m-a { // count backwards, in steps of m-a
		a, lo, hi = m-a, m-hi, m-lo
	}
	if a == 0 {
		return 0, false
	}
	if x = ceilDiv(lo, a); x > most {
		return 0, false
	}
	if x*a <= hi {
		return x, true
	}
	// No multiple of a lies from lo to hi. Find the least number of turns around m for which
	// a multiple lies from lo+turns*m to hi+turns*m: for which -turns*m modulo a lies from
	// lo%a to hi%a.
	turns, ok := firstWithin((a-m%a)%a, a, lo%a, hi%a, (a*most-lo)/m)
	if !ok {
		return 0, false
	}
	x = ceilDiv(lo+turns*m, a)
	return x, x <= most
}
