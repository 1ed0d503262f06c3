package slice1_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// limits returns strides at or beside which integers of 16, 32 and 64 bits overflow, as far
// as int holds them.
func limits() (all []int) {
	for _, n := range []int64{
		math.MaxInt16, math.MaxInt16 + 1, math.MaxUint16, math.MaxUint16 + 1,
		math.MaxInt32 - 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64,
	} {
		for _, stride := range []int64{n, -n, -n - 1} {
			if int64(int(stride)) == stride {
				all = append(all, int(stride))
			}
		}
	}
	return all
}

// Every kernel takes one element, of tensors of one element or more and of every rank. No step is
// taken, so that the length of a stride does not matter.
func TestKernelsOnOneElement(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for rank := 1; rank <= 8; rank++ {
		ones := slices.Repeat([]int{1}, rank)
		for _, dtype := range widths {
			checkAll(t, whole(dtype, ones...), rng.IntN(9), rng)
			for _, stride := range limits() {
				d := whole(dtype, ones...)
				d.WindowStrides = slices.Repeat([]int{stride}, rank)
				if stride > 0 {
					d.Input.Strides, d.Output.Strides = d.WindowStrides, d.WindowStrides
				}
				checkAll(t, d, rng.IntN(9), rng)
				checkAll(t, oneOfMany(dtype, rank, stride, rng), rng.IntN(9), rng)
			}
		}
	}
}

// oneOfMany takes the first element of a random window, or the last if stride is negative.
func oneOfMany(dtype slice1.DataType, rank, stride int, rng *rand.Rand) *slice1.Desc {
	w := slice1.Window{Strides: slices.Repeat([]int{stride}, rank), Out: slices.Repeat([]int{1}, rank)}
	for range rank {
		offset := rng.IntN(3)
		w.Offsets, w.Sizes = append(w.Offsets, offset), append(w.Sizes, 1+rng.IntN(3-offset))
	}
	return slice1.NewDesc(dtype, slices.Repeat([]int{3}, rank), w)
}

// A window stride at the limits is refused if the slice takes a step.
func TestStridesAtTheLimitsAreRefusedWhereTaken(t *testing.T) {
	for _, stride := range limits() {
		d := whole(slice1.Uint8, 3)
		d.WindowStrides, d.Output.Sizes = []int{stride}, []int{2}
		require.ErrorIs(t, d.Validate(), slice1.ErrOutput)
	}
}
