package slice1_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// NewPlan and WithAffine look at Affine.Axis only if Scale or Bias has several values, and then
// return ErrRank for every number that is no axis, or not the plan's.
func TestAxisCountsForSeveralValuesAlone(t *testing.T) {
	shape := []int{3, 3, 3}
	for _, axis := range []int{math.MinInt, -2, -1, 0, 1, 2, 3, 7, math.MaxInt} {
		for _, counts := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {3, 0}, {0, 3}, {3, 1}, {1, 3}, {3, 3}} {
			a := slice1.Affine{Axis: axis, Scale: slices.Repeat([]float32{2}, counts[0]), Bias: slices.Repeat([]float32{1}, counts[1])}
			several := max(counts[0], counts[1]) > 1
			_, err := slice1.NewPlan(slice1.Whole(slice1.Uint8, shape...), slice1.WithNumbers(slice1.Float32, a))
			if several && (axis < 0 || axis >= len(shape)) {
				requireField(t, err, slice1.ErrRank, "Affine.Axis")
			} else {
				require.NoError(t, err, "%d %v", axis, counts)
			}
			for of := range shape { // a plan whose values go along this axis
				values := slice1.Affine{Axis: of, Scale: slices.Repeat([]float32{4}, max(1, counts[0], counts[1]))}
				p, err := slice1.NewPlan(slice1.Whole(slice1.Uint8, shape...), slice1.WithNumbers(slice1.Float32, values))
				require.NoError(t, err)
				if _, err = p.WithAffine(a); several && axis != of {
					requireField(t, err, slice1.ErrRank, "Affine.Axis")
				} else {
					require.NoError(t, err, "%d %v", axis, counts)
				}
			}
		}
	}
}

func requireField(t *testing.T, err, is error, field string) {
	t.Helper()
	require.ErrorIs(t, err, is)
	place, ok := errors.AsType[*slice1.DescError](err)
	require.True(t, ok)
	require.Equal(t, field, place.Field)
}
