package directml

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Runs move what the operator moves, and there are some where there can be. Now and
// then one ends where the next begins, and the two could be one.
func TestRunsMoveTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	count := map[int]int{}
	for range 3000 {
		d := randomDesc(rng)
		g := geometryOf(d)
		runs := runsOf(d)
		want := movesOf(d)
		longest := 1
		for i := 1; i < len(want); i++ {
			if want[i].dst != want[i-1].dst+1 || want[i].src != want[i-1].src+1 {
				longest++
			}
		}
		count[len(runs)]++
		if runs == nil {
			require.Greater(t, longest, maxCopies/2, describe(d))
			continue
		}
		require.LessOrEqual(t, len(runs), maxCopies)
		var got []move
		for _, r := range runs {
			require.Equal(t, runs[0].size, r.size)
			for b := range r.size {
				got = append(got, move{r.dst + b, g.srcLo + r.src + b})
			}
		}
		require.Equal(t, want, got, describe(d))
	}
	t.Logf("copies: of 3000 descriptors, by number of runs, %v", count)
	for _, n := range []int{0, 1, 2, 4, 16} {
		assert.Positive(t, count[n], n)
	}
}

func TestRunsOf(t *testing.T) {
	rows := whole(slice1.Uint16, 4, 10)
	crop := slice1.NewDesc(slice1.Uint16, []int{9, 10}, slice1.Window{Offsets: []int{2, 3}, Sizes: []int{3, 5}, Strides: []int{2, 1}, Out: []int{2, 5}})
	back := slice1.NewDesc(slice1.Uint16, []int{9, 10}, slice1.Window{Offsets: []int{2, 0}, Sizes: []int{3, 10}, Strides: []int{-1, 1}, Out: []int{3, 10}})
	long := whole(slice1.Uint8, 17, 1<<20)
	long.Input.Strides = []int{1<<20 + 1, 1}
	for name, c := range map[string]struct {
		d    *slice1.Desc
		want []run
	}{
		"everything":    {rows, []run{{0, 0, 80}}},
		"parts of rows": {crop, []run{{0, 0, 10}, {10, 40, 10}}},
		"rows reversed": {back, []run{{0, 40, 20}, {20, 20, 20}, {40, 0, 20}}},
		"too many":      {long, nil},
		"one by one":    {flipped(slice1.Uint8, 3), []run{{0, 2, 1}, {1, 1, 1}, {2, 0, 1}}},
	} {
		assert.Equal(t, c.want, runsOf(c.d), name)
	}
	assert.Equal(t, "Direct3D copies 10 bytes each from 46 to 0, 86 to 10", describeRuns(runsOf(crop), geometryOf(crop).srcLo))
}
