package directml

import (
	"math"
	"slices"
)

// fit brings the number of axes within the limits, merging two at a time or
// putting axes of extent 1 before the others; ok is false if no two can be
// merged any more and they are still too many.
func fit(axes []axis, least, most int) (fitted []axis, ok bool) {
	for len(axes) > most {
		if axes, ok = mergeTwo(axes); !ok {
			return nil, false
		}
	}
	for len(axes) < least {
		axes = slices.Insert(axes, 0, axis{n: 1, m: 1, step: 1})
	}
	return axes, true
}

// mergeTwo merges the first two axes that can be. Memory knows no order of
// axes, so any two may stand beside each other.
func mergeTwo(axes []axis) ([]axis, bool) {
	for i, outer := range axes {
		for j, inner := range axes {
			if i == j {
				continue
			}
			if a, ok := merge(outer, inner); ok {
				axes[j] = a
				return slices.Delete(axes, i, i+1), true
			}
		}
	}
	return nil, false
}

// merge returns the axis that does what two do, the second inside the first.
// No product here leaves 63 bits: counts and extents of tensors are below 2^32.
func merge(outer, inner axis) (a axis, ok bool) {
	// The input must be one run of equal steps over both ...
	switch {
	case outer.n == 1, outer.in == inner.in*inner.n:
		a.in = inner.in
	case inner.n == 1:
		a.in = outer.in
	default:
		return axis{}, false
	}
	a.n = outer.n * inner.n
	a.start = outer.start*inner.n + inner.start
	// ... and so must what is taken of it, and the output.
	switch {
	case outer.m == 1:
		a.m, a.step, a.out = inner.m, inner.step, inner.out
	case inner.m == 1:
		a.m, a.step, a.out = outer.m, outer.step*inner.n, outer.out
	case outer.step*inner.n == inner.step*inner.m && outer.out == inner.out*inner.m:
		a.m, a.step, a.out = outer.m*inner.m, inner.step, inner.out
	default:
		return axis{}, false
	}
	return a, a.step >= math.MinInt32 && a.step <= math.MaxInt32
}
