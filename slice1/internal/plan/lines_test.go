package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// The lines of nests that come into a cache, counted by hand.
func TestVisitsOfLines(t *testing.T) {
	for _, c := range []struct {
		name           string
		nest           string
		nt             bool
		capacity, want int64
	}{
		{"a row is 64 lines, which the cache holds", "1 4096:1:1", false, 128, 0},
		{"which it does not hold", "1 4096:1:1", false, 127, 64 + 64},
		{"also where none of it stays", "1 4096:1:1", false, 1, 64 + 64},
		{"backwards too", "1 4096:-1:1", false, 127, 64 + 64},
		{"one element is one line, without a loop", "8", false, 1, 0},
		{"elements two lines apart", "4 100:128:4", false, 106, 100 + 7},
		{"rows apart, each of four lines", "1 10:1000:1024 256:1:1", false, 79, 40 + 40},
		{"rows that follow each other", "2 10:-512:512 256:2:2", false, 159, 80 + 80},
		{"a row taken four times, which the cache holds beside one of the destination", "1 4:0:4096 4096:1:1", false, 128, 64 + 256},
		{"which it does not hold", "1 4:0:4096 4096:1:1", false, 127, 256 + 256},
		{"which it does beside stores that pass it", "1 4:0:4096 4096:1:1", true, 64, 0},
		{"and does not", "1 4:0:4096 4096:1:1", true, 63, 4 * 64},
		{"one line repeated", "1 64:0:64 64:0:1", false, 64, 1 + 64},
		// A transposed plane, whose rows of the source are 1024, of four cache lines each.
		{"a plane whose rows the cache holds", "1 256:1:1024 1024:4160:1", false, 8191, 4096 + 4096},
		{"whose rows it does not hold", "1 256:1:1024 1024:4160:1", false, 512, 1024*256 + 16*256},
	} {
		n := parseNest(c.nest)
		w := (&Host{lines: c.capacity}).walk(n.Width, c.nt)
		w.loops(n.Dims[:n.Rank])
		assert.Equal(t, c.want, w.visits(), c.name)
	}
}

// No more lines come into a larger cache than into a smaller one, and none into one that holds them
// all. The loops are random, but leave no gaps or gaps of more than a line.
func TestVisitsOfLargerCaches(t *testing.T) {
	rng := rand.New(rand.NewPCG(70, 70))
	for range 3000 {
		n, nt := nest.Nest{Width: 1 << rng.IntN(4)}, rng.IntN(2) == 0
		sides := [2]side{{int64(n.Width), 1}, {int64(n.Width), 1}}
		for range rng.IntN(6) {
			var strides [2]int64
			extent := 2 + rng.Int64N(40)
			for i := range sides {
				run := sides[i].length
				stride := rng.Int64N(run + 1)
				if rng.IntN(2) == 0 {
					stride = (run + 64 + rng.Int64N(9000)) &^ (1<<rng.IntN(13) - 1)
				}
				if stride > run && stride <= run+64 {
					stride = run + 65
				}
				strides[i] = stride * (1 - 2*rng.Int64N(2))
				sides[i].add(extent, strides[i])
			}
			copy(n.Dims[1:], n.Dims[:n.Rank])
			n.Dims[0] = nest.Dim{Extent: extent, Src: strides[0], Dst: strides[1]}
			n.Rank++
		}
		before := int64(math.MaxInt64)
		for capacity := int64(1); capacity < 1<<40; capacity = capacity*3/2 + 1 {
			w := (&Host{lines: capacity}).walk(n.Width, nt)
			w.loops(n.Dims[:n.Rank])
			require.LessOrEqual(t, w.visits(), before, "%d lines: %s", capacity, textOf(&n))
			before = w.visits()
		}
		require.Zero(t, before, textOf(&n))
	}
}
