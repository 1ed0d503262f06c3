package slice1

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// overlapBudget is the number of calls of sums after which checkDistinct gives up. A call takes
// less than a microsecond, without the calls that it makes itself.
const overlapBudget = 1 << 14

// disjointBudget is the budget of disjoint before each run. A call of sums takes at most 250 ns,
// without the calls that it makes itself. So disjoint ends within 20 microseconds;
// BenchmarkDisjoint prints the longest times.
const disjointBudget = 64

// admit returns an error if nest n cannot run on dst and src, with the window srcStart bytes into
// src. b must describe the buffers of n. parallel reports whether several goroutines may run it. If
// the spans of dst and src meet, a kernel may load a gap of the source while another goroutine
// stores there. That is harmless, because the kernel does not use the gap, but the race detector
// reports it. So under the race detector one goroutine runs such slices.
func (b *buffers) admit(n *nest.Nest, dst, src []byte, srcStart int) (parallel bool, err error) {
	if b.fits(dst, src, srcStart) {
		return true, nil
	}
	if int64(len(dst)) < b.dstSize {
		return false, BufferError("dst", b.dstType, int64(len(dst)), b.dstSize)
	}
	if int64(len(src)) < b.srcSize {
		return false, BufferError("src", b.srcType, int64(len(src)), b.srcSize)
	}
	d, s := pointers(dst, src, srcStart)
	free, err := checkOverlap(n, int64(n.Width)+int64(b.dstType.Size()-b.srcType.Size()), d, s)
	return free || !engine.Race, err
}

// A walk takes the positions k*step for k from start to end. The step is positive.
type walk struct {
	step, start, end int64
	axis             int // set by checkDistinct
}

// checkDistinct returns an error unless every element of an output with strides has an address of
// its own, or if the budget does not suffice to decide that. The extents and strides must be valid.
// Strides count whole elements, so two elements that share a byte share all their bytes.
//
// For example, strides of 3 and 2 give elements (0, 3) and (2, 0) the same address. Their
// coordinates differ by 2 and -3, and 2*3 - 3*2 is 0. In general, checkDistinct searches
// differences of coordinates that are not all zero and for which the sum of difference times stride
// is 0. The negative of a solution is a solution, too. So it searches only solutions whose last
// difference other than 0 is positive.
func (d *Desc) checkDistinct() error {
	strides := d.Output.Strides
	var room [maxRank]walk
	walks := room[:0]
	for i, n := range d.Output.Sizes {
		if n == 1 {
			continue
		}
		if strides[i] == 0 {
			return overlapError("Output.Strides", i, 0, 1)
		}
		walks = append(walks, walk{int64(strides[i]), int64(1 - n), int64(n - 1), i})
	}
	slices.SortFunc(walks, func(v, w walk) int { return cmp.Compare(v.step, w.step) })
	budget := overlapBudget
	for begin := 0; begin < len(walks); {
		group := independent(walks[begin:])
		for top := len(group) - 1; top > 0; top-- {
			w := &group[top]
			w.start = 1
			if sums(group[:top+1], 0, 0, &budget) {
				limit := int64(1)
				for _, lower := range walks[:begin+top] {
					limit += lower.step * lower.end
				}
				return overlapError("Output.Strides", w.axis, w.step, limit)
			}
		}
		begin += len(group)
	}
	return nil
}

// independent returns the first walks of the list that can be looked at alone. The list is sorted
// by step. Suppose the strides of all later walks are multiples of a number that the sum of the
// first walks cannot reach. Then the sum of the first walks and the sum of the later walks must
// both be zero. independent returns the fewest such first walks, or all walks. Packed, padded and
// transposed tensors give groups of one.
func independent(walks []walk) []walk {
	var tails [maxRank + 1]int64 // gcd of walks[i:]
	for i := len(walks) - 1; i >= 0; i-- {
		tails[i] = gcd(walks[i].step, tails[i+1])
	}
	var reach int64
	for i, w := range walks[:len(walks)-1] {
		// No overflow: the sum of all products is less than a valid tensor's extent.
		reach += w.step * w.end
		if reach < tails[i+1] {
			return walks[:i+1]
		}
	}
	return walks
}

// disjoint reports whether n writes no byte that it also reads. The elements that it writes have
// `width` bytes, and the address of the destination is the source's plus distance. budget is a
// number of calls of sums. If it ends before the answer is known, disjoint returns false.
//
// For example, dst[2*i] = src[2*i] for i in 10, where dst is one byte after src, is disjoint.
// Source element j would have to be destination element i, 2*j = 1 + 2*i, and no i and j solve
// that. In general the two elements may belong to any two iterations. So disjoint searches two
// iterations x of each loop: one for the destination, and one for the source with its steps
// negated. The sum of all x*step must be the distance from the first destination element to the
// first source element. Elements of several bytes share a byte even if the sum is up to width-1
// bytes less, or n.Width-1 more.
func disjoint(n *nest.Nest, width, distance int64, budget int) bool {
	var room [2 * maxRank]walk
	walks, difference := room[:0], n.SrcOff-n.DstOff-distance
	for _, d := range n.Dims[:n.Rank] {
		for _, step := range [...]int64{d.Dst, -d.Src} {
			if step < 0 { // count from the loop's end
				step = -step
				difference += step * (d.Extent - 1)
			}
			if step > 0 {
				walks = enter(walks, walk{step: step, end: d.Extent - 1})
			}
		}
	}
	lo, hi := difference-width+1, difference+int64(n.Width)-1
	// Example: lo to hi is 0 to 3, and a walk takes 0, 3 and 6. The ranges 0 to 3, -3 to 0 and -6
	// to -3 together are -6 to 3. If the step is at most the length, no gap remains: widen the
	// range by the walk's positions, and drop the walk.
	for len(walks) > 0 && walks[0].step <= hi-lo+1 {
		lo -= walks[0].step * walks[0].end
		walks = walks[1:]
	}
	return !sums(walks, lo, hi, &budget)
}

// checkOverlap returns an ErrOverlap, with the number of bytes in which the spans of n meet, unless
// n is disjoint at these addresses. free reports whether the spans do not meet.
//
// unsafe: addresses are compared, not used.
func checkOverlap(n *nest.Nest, width int64, dst, src unsafe.Pointer) (free bool, err error) {
	distance := int64(uintptr(dst)) - int64(uintptr(src)) // 64 bits, because the distance may be negative
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	dstLo, dstHi = dstLo+distance, dstHi+distance+width-int64(n.Width)
	switch {
	case dstHi <= srcLo || dstLo >= srcHi:
		return true, nil
	case disjoint(n, width, distance, disjointBudget):
		return false, nil
	}
	shared := min(dstHi, srcHi) - max(dstLo, srcLo)
	return false, refused(ErrOverlap, "dst", -1, shared, 0, " and src share %s, none of which may be both read and written", plural(shared, "byte"))
}

// enter returns walks with w among them. walks are sorted by step. Two walks with equal steps
// become one.
func enter(walks []walk, w walk) []walk {
	i := len(walks)
	for i > 0 && walks[i-1].step > w.step {
		i--
	}
	if i > 0 && walks[i-1].step == w.step {
		walks[i-1].end += w.end
		return walks
	}
	walks = append(walks, w)
	copy(walks[i+1:], walks[i:])
	walks[i] = w
	return walks
}

// sums reports whether one position of each walk can be chosen so that their sum is at least lo and
// at most hi. It also reports true if the budget, a number of calls, runs out. Walks must be sorted
// by step, and hi-lo must be less than each step.
func sums(walks []walk, lo, hi int64, budget *int) bool {
	if *budget--; *budget < 0 {
		return true
	}
	var low, high, common int64
	for _, w := range walks {
		low += w.step * w.start
		high += w.step * w.end
		common = gcd(w.step, common)
	}
	if hi < low || lo > high || common > 0 && floorDiv(hi, common) < ceilDiv(lo, common) {
		return false
	}
	switch len(walks) {
	case 0, 1: // one multiple of the step is within lo to hi, and it is a position of the walk
		return true
	case 2:
		return pairSums(walks[0], walks[1], lo, hi)
	}
	top, rest := walks[len(walks)-1], walks[:len(walks)-1]
	low -= top.step * top.start
	high -= top.step * top.end
	start, end := max(top.start, ceilDiv(lo-high, top.step)), min(top.end, floorDiv(hi-low, top.step))
	for x := start; x <= end; x++ {
		if sums(rest, lo-x*top.step, hi-x*top.step, budget) {
			return true
		}
	}
	return false
}

// pairSums is sums for two walks. The step of short is at most the step of long.
func pairSums(short, long walk, lo, hi int64) bool {
	low, high := long.step*long.start, long.step*long.end
	start := max(short.start, ceilDiv(lo-high, short.step))
	end := min(short.end, floorDiv(hi-low, short.step))
	if start > end {
		return false
	}
	left := hi - start*short.step
	// For every position p of short from start on, lo-p is not behind the last position of long,
	// and hi-p less than one step. So long has a position from lo-p to hi-p exactly if the
	// remainder of hi-p divided by long's step is at most hi-lo.
	excess, slack := (left-low)%long.step, hi-lo
	if excess <= slack {
		return true
	}
	_, ok := firstWithin(short.step, long.step, excess-slack, excess, end-start)
	return ok
}

// firstWithin returns the least x from 1 to limit for which x*step modulo m is at least lo and at
// most hi. ok is false if there is no such x. It needs 0 <= step <= m and 0 < lo <= hi < m. No
// product exceeds step*limit. The m of a recursive call is at most half the caller's m.
func firstWithin(step, m, lo, hi, limit int64) (x int64, ok bool) {
	if step > m-step { // count backwards, in steps of m-step
		step, lo, hi = m-step, m-hi, m-lo
	}
	if step == 0 {
		return 0, false
	}
	if x = ceilDiv(lo, step); x > limit {
		return 0, false
	}
	if x*step <= hi {
		return x, true
	}
	// No multiple of step is within lo to hi. Find the least number of turns around m after which
	// one is within lo+turns*m to hi+turns*m. For these turns, -turns*m modulo step is within
	// lo%step to hi%step.
	turns, ok := firstWithin((step-m%step)%step, step, lo%step, hi%step, (step*limit-lo)/m)
	if !ok {
		return 0, false
	}
	x = ceilDiv(lo+turns*m, step)
	return x, x <= limit
}

// gcd returns the greatest common divisor of two numbers that are not negative. gcd(x, 0) is x.
func gcd(x, y int64) int64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

// floorDiv returns x/y rounded down, for y > 0.
func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// ceilDiv returns x/y rounded up, for y > 0.
func ceilDiv(x, y int64) int64 {
	q := x / y
	if x%y > 0 {
		q++
	}
	return q
}
