package slice1

import (
	"cmp"
	"slices"
)

// overlapBudget is how many calls of cancels checkDistinct may make. Each takes
// less than a microsecond without the calls that it makes itself.
const overlapBudget = 1 << 14

// A term is one axis of the question "is there an x, not all 0, with
// |x[i]| <= bound[i] and sum of x[i]*stride[i] = 0". Such an x is the difference of
// the coordinates of two elements at the same address.
type term struct {
	stride, bound int64
	axis          int
}

// checkDistinct returns an error unless every element of a tensor with these extents
// and strides (both valid) has an address of its own. It also returns an error if the
// budget does not suffice to decide that. Strides count whole elements, so that two
// elements that share a byte share all their bytes.
func checkDistinct(extents, strides []int) error {
	var buf [maxRank]term
	terms := buf[:0]
	for i, n := range extents {
		if n == 1 {
			continue
		}
		if strides[i] == 0 {
			return &DescError{"Output.Strides", i, 0, 1, errStrideOverlap}
		}
		terms = append(terms, term{int64(strides[i]), int64(n - 1), i})
	}
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.stride, b.stride) })
	budget := overlapBudget
	for first := 0; first < len(terms); {
		group := independent(terms[first:])
		if top := vanishing(group, &budget); top > 0 {
			t := terms[first+top]
			return &DescError{"Output.Strides", t.axis, t.stride, 1 + reachOf(terms[:first+top]), errStrideOverlap}
		}
		first += len(group)
	}
	return nil
}

// independent returns the first terms of the list, sorted by stride, that can be looked
// at alone. If the strides of all later terms are multiples of a number that the sum of
// the first terms cannot reach, the sums of both must be zero by themselves. independent
// returns the fewest such first terms, or all terms. Packed, padded and transposed tensors
// fall into groups of one.
func independent(terms []term) []term {
	var tails [maxRank + 1]int64 // gcd of terms[i:]
	for i := len(terms) - 1; i >= 0; i-- {
		tails[i] = gcd(terms[i].stride, tails[i+1])
	}
	var reach int64
	for i, t := range terms[:len(terms)-1] {
		// No overflow: the sum of all products is less than a valid tensor's extent.
		reach += t.stride * t.bound
		if reach < tails[i+1] {
			return terms[:i+1]
		}
	}
	return terms
}

// vanishing returns the index of the last non-zero entry of an x that makes the
// sum of terms zero, or 0 if there is no such x. If the budget runs out, it
// returns the index of the last non-zero entry that it is trying. It tries positive
// last entries only, since -x makes the sum zero if x does.
func vanishing(terms []term, budget *int) int {
	for top := len(terms) - 1; top > 1; top-- {
		t, reach := terms[top], reachOf(terms[:top])
		for x := int64(1); x <= t.bound && x <= reach/t.stride; x++ {
			if cancels(terms[:top], x*t.stride, budget) {
				return top
			}
		}
	}
	if len(terms) > 1 {
		a, b := terms[0], terms[1]
		if g := gcd(a.stride, b.stride); a.stride/g <= b.bound && b.stride/g <= a.bound {
			return 1
		}
	}
	return 0
}

// cancels reports whether there is an x for which the terms, two or more, sum to
// -sum, where 0 < |sum| <= reachOf(terms). It reports true, too, if the budget, a
// number of calls, runs out.
func cancels(terms []term, sum int64, budget *int) bool {
	if *budget--; *budget < 0 {
		return true
	}
	if len(terms) == 2 {
		return pairCancels(terms[0], terms[1], sum)
	}
	top := terms[len(terms)-1]
	rest := terms[:len(terms)-1]
	var common int64
	for _, t := range terms {
		common = gcd(t.stride, common)
	}
	if sum%common != 0 {
		return false
	}
	// |sum + x*stride| must stay within reach of the rest.
	reach := reachOf(rest)
	lo := max(-top.bound, ceilDiv(-reach-sum, top.stride))
	hi := min(top.bound, floorDiv(reach-sum, top.stride))
	for x := lo; x <= hi; x++ {
		if left := sum + x*top.stride; left == 0 || cancels(rest, left, budget) {
			return true
		}
	}
	return false
}

// pairCancels reports whether x*a.stride + y*b.stride = -sum for an x and a y within
// their bounds.
func pairCancels(a, b term, sum int64) bool {
	g, p := gcdInverse(a.stride, b.stride)
	if sum%g != 0 {
		return false
	}
	// Without bounds, the solutions in x are x0 + k*step for all integers k.
	step := b.stride / g
	x0 := mulMod(-sum/g, p, step)
	// Since |y| is at most b.bound, |sum + x*a.stride| is at most reach.
	reach := b.bound * b.stride
	lo := max(-a.bound, ceilDiv(-reach-sum, a.stride))
	hi := min(a.bound, floorDiv(reach-sum, a.stride))
	if lo > hi {
		return false
	}
	// The right side is the distance from lo to the first solution from lo on.
	return uint64(hi)-uint64(lo) >= uint64(mod(x0-mod(lo, step), step))
}

// reachOf returns the largest sum that terms can have.
func reachOf(terms []term) (reach int64) {
	for _, t := range terms {
		reach += t.stride * t.bound
	}
	return reach
}
