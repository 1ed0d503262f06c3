package slice1

import "github.com/seed2e45c115/dml/slice1/internal/nest"

// apartBudget is the number of sums that apart tries before it gives up. Each takes at most
// 250 ns, so that the search ends within 20 microseconds; BenchmarkApart prints the times.
const apartBudget = 64

// apart reports whether no byte that n writes is one that it reads, if the destination begins
// `after` bytes behind the source. It reports false, too, if its budget ends before that is
// known.
//
// A byte is read and written if loops of the destination and of the source lead to it: if there
// are iterations x, each from 0 to its loop's last, for which the sum of x*step is the distance
// of the first elements, give or take the bytes of one element. The sum is over all loops, and
// the steps of the source are negated.
func apart(n *nest.Nest, after int64) bool { return apartWithin(n, after, apartBudget) }

func apartWithin(n *nest.Nest, after int64, budget int) bool {
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
	// A step of at most the length reached so far leaves no gap: it only makes that length
	// longer.
	for len(walks) > 0 && walks[0].step <= hi-lo+1 {
		lo -= walks[0].step * walks[0].last
		walks = walks[1:]
	}
	return !sums(walks, lo, hi, &budget)
}

// A walk takes the positions k*step for k from 0 to last.
type walk struct{ step, last int64 }

// enter adds w to walks, which are sorted by step. Walks of equal steps become one.
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
// lo to hi. It also reports true if the budget runs out. hi-lo must be less than each step.
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
		return true // a multiple of the step lies there
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

// pairSums is sums for two walks. The first has the shorter steps.
func pairSums(short, long walk, lo, hi int64) bool {
	first := max(0, ceilDiv(lo-long.step*long.last, short.step))
	last := min(short.last, floorDiv(hi, short.step))
	if first > last {
		return false
	}
	left := hi - first*short.step
	if left >= long.step*(long.last+1) {
		return true // short reaches it from the end of long
	}
	// From first on, what is left for long is at most its last step, so that only the
	// remainder matters: it must be at most hi-lo.
	over, slack := left%long.step, hi-lo
	return over <= slack || reaches(short.step, long.step, over-slack, over, last-first)
}

// reaches reports whether x*a modulo m lies from lo to hi for an x from 1 to most, where
// 0 < a < m and 0 < lo <= hi < m. No product exceeds a*most, and each recursive call has at
// most half the m of its caller.
func reaches(a, m, lo, hi, most int64) bool {
	_, ok := firstWithin(a, m, lo, hi, most)
	return ok
}

// firstWithin returns the least x for which reaches is true.
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
	// No multiple of a is from lo to hi: find the least number of turns around m, so that
	// one is from lo+turns*m to hi+turns*m. Modulo a, -turns*m is then from lo to hi.
	turns, ok := firstWithin((a-m%a)%a, a, lo%a, hi%a, (a*most-lo)/m)
	if !ok {
		return 0, false
	}
	x = ceilDiv(lo+turns*m, a)
	return x, x <= most
}
