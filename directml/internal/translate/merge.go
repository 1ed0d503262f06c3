package translate

import (
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// fit returns minRank to maxRank axes that take the same elements. It merges
// axes two at a time while there are too many, and puts axes of extent 1 before the others
// while there are too few. ok is false if too many axes are left and no two can be merged.
func fit(axes []slice1.Axis, minRank, maxRank int) (fitted []slice1.Axis, ok bool) {
	for len(axes) > maxRank {
		if axes, ok = mergeTwo(axes); !ok {
			return nil, false
		}
	}
	for len(axes) < minRank {
		axes = slices.Insert(axes, 0, slice1.Axis{In: 1, Out: 1, Step: 1})
	}
	return axes, true
}

// mergeTwo merges the first pair of axes that can be merged. ok is false if there is none.
// Either axis of the pair may be the outer one: their strides say where elements lie, and not
// their order in the list.
func mergeTwo(axes []slice1.Axis) (merged []slice1.Axis, ok bool) {
	for i, outer := range axes {
		for j, inner := range axes {
			if i == j {
				continue
			}
			if merged, ok := merge(outer, inner); ok {
				axes[j] = merged
				return slices.Delete(axes, i, i+1), true
			}
		}
	}
	return nil, false
}

// merge returns one axis that takes the same elements as two axes, in the same order. The index on
// inner runs faster than the index on outer. ok is false unless the steps from element to element
// are equal over both axes, in the input and in the output, and the merged axis's Step fits in 32
// bits. No product overflows: a tensor has fewer than 2^32 elements and spans fewer than 2^32.
func merge(outer, inner slice1.Axis) (merged slice1.Axis, ok bool) {
	// All elements of the input, taken or not, must have equal steps over both axes.
	switch {
	case outer.In == 1, outer.Src == inner.Src*inner.In:
		merged.Src = inner.Src
	case inner.In == 1:
		merged.Src = outer.Src
	default:
		return slice1.Axis{}, false
	}
	merged.In = outer.In * inner.In
	merged.Start = outer.Start*inner.In + inner.Start
	// The elements taken must have equal steps too, and so must the elements of the output.
	switch {
	case outer.Out == 1:
		merged.Out, merged.Step, merged.Dst = inner.Out, inner.Step, inner.Dst
	case inner.Out == 1:
		merged.Out, merged.Step, merged.Dst = outer.Out, outer.Step*inner.In, outer.Dst
	case outer.Step*inner.In == inner.Step*inner.Out && outer.Dst == inner.Dst*inner.Out:
		merged.Out, merged.Step, merged.Dst = outer.Out*inner.Out, inner.Step, inner.Dst
	default:
		return slice1.Axis{}, false
	}
	return merged, merged.Step >= math.MinInt32 && merged.Step <= math.MaxInt32
}
