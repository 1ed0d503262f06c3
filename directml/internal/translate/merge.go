package translate

import (
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// fit brings the number of axes between least and most: it merges axes two at a time, or
// puts axes of extent 1 before the others. ok is false if too many axes are left and no two
// can be merged.
func fit(axes []slice1.Axis, least, most int) (fitted []slice1.Axis, ok bool) {
	for len(axes) > most {
		if axes, ok = mergeTwo(axes); !ok {
			return nil, false
		}
	}
	for len(axes) < least {
		axes = slices.Insert(axes, 0, slice1.Axis{In: 1, Out: 1, Step: 1})
	}
	return axes, true
}

// mergeTwo merges the first two axes that can be merged. Their order in the list does not
// matter, since memory has none.
func mergeTwo(axes []slice1.Axis) ([]slice1.Axis, bool) {
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

// merge returns one axis that takes the same elements as two, of which inner is the faster
// one. ok is false if no single axis takes them, or if its step does not fit in 32 bits.
// No product overflows: a tensor has fewer than 2^32 elements and spans fewer than 2^32.
func merge(outer, inner slice1.Axis) (a slice1.Axis, ok bool) {
	// The input must have equal steps over both axes.
	switch {
	case outer.In == 1, outer.Src == inner.Src*inner.In:
		a.Src = inner.Src
	case inner.In == 1:
		a.Src = outer.Src
	default:
		return slice1.Axis{}, false
	}
	a.In = outer.In * inner.In
	a.Start = outer.Start*inner.In + inner.Start
	// The elements taken and the output must have equal steps, too.
	switch {
	case outer.Out == 1:
		a.Out, a.Step, a.Dst = inner.Out, inner.Step, inner.Dst
	case inner.Out == 1:
		a.Out, a.Step, a.Dst = outer.Out, outer.Step*inner.In, outer.Dst
	case outer.Step*inner.In == inner.Step*inner.Out && outer.Dst == inner.Dst*inner.Out:
		a.Out, a.Step, a.Dst = outer.Out*inner.Out, inner.Step, inner.Dst
	default:
		return slice1.Axis{}, false
	}
	return a, a.Step >= math.MinInt32 && a.Step <= math.MaxInt32
}
