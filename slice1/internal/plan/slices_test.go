package plan

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// slice is a nest in normal form, with a name.
type slice struct {
	name string
	nest nest.Nest
}

// recorded returns the slices of testdata/choices/slices.txt. A nest there is in normal form.
func recorded(t *testing.T) (all []slice) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(choices, "slices.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(file)) {
		if fields := strings.Split(strings.TrimSpace(line), " | "); line[0] != '#' {
			require.GreaterOrEqual(t, len(fields), 2, line)
			all = append(all, slice{fields[0], parseNest(fields[1])})
		}
	}
	return all
}

// randomSlice returns the nest, in normal form, of a random slice of one to six axes. It has about
// 64 bytes to 4 MiB, distributed evenly on a logarithmic scale. Some axes are sub-sampled, reversed
// or cropped. The axes of some inputs and outputs lie in memory in another order, and some outputs
// have gaps.
func randomSlice(rng *rand.Rand) nest.Nest {
	w, rank := int64(1)<<rng.IntN(4), 1+rng.IntN(6)
	left := max(2, int64(64*math.Exp2(16*rng.Float64()))/w)
	sizes, steps, shape := make([]int64, rank), make([]int64, rank), make([]int64, rank)
	for i, axis := range rng.Perm(rank) {
		sizes[axis] = left
		if i < rank-1 {
			sizes[axis] = 1 + rng.Int64N(min(left, []int64{4, 16, 300, left}[rng.IntN(4)]))
		}
		left = max(1, left/sizes[axis])
		steps[axis] = []int64{1, 1, 1, 1, -1, -1, 2, -2, 3, 4}[rng.IntN(10)]
		shape[axis] = abs(steps[axis]) * sizes[axis]
		if rng.IntN(3) == 0 {
			shape[axis] += rng.Int64N(shape[axis] + 2)
		}
	}
	in, out := stridesOf(rng, shape, rng.IntN(3) == 0, false), stridesOf(rng, sizes, rng.IntN(10) == 0, rng.IntN(5) == 0)
	n := nest.Nest{Width: int32(w)}
	for i, extent := range sizes {
		if extent > 1 {
			n.Dims[n.Rank] = dim(extent, steps[i]*in[i]*w, out[i]*w)
			n.Rank++
		}
	}
	nest.Normalize(&n)
	return n
}

// stridesOf returns the strides, in elements, of a tensor of these sizes. If permuted is true, its
// axes lie in memory in a random order, else in their own. If padded is true, there may be gaps
// behind axes.
func stridesOf(rng *rand.Rand, sizes []int64, permuted, padded bool) []int64 {
	order := rng.Perm(len(sizes))
	strides, next := make([]int64, len(sizes)), int64(1)
	for i := len(sizes) - 1; i >= 0; i-- {
		axis := i
		if permuted {
			axis = order[i]
		}
		strides[axis] = next
		next *= sizes[axis]
		if padded && rng.IntN(2) == 0 {
			next += rng.Int64N(20)
		}
	}
	return strides
}
