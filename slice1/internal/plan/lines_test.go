package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The lines of nests that come into a cache, counted by hand.
func TestVisitsOfLines(t *testing.T) {
	for _, c := range []struct {
		name           string
		nest           string
		nt             bool
		capacity, want int64
	}{
		{"a row is 64 lines", "1 4096:1:1", false, 512, 64 + 64},
		{"also where none of it stays", "1 4096:1:1", false, 1, 64 + 64},
		{"backwards too", "1 4096:-1:1", false, 512, 64 + 64},
		{"one element is one line", "8", false, 512, 1 + 1},
		{"elements two lines apart", "4 100:128:4", false, 512, 100 + 7},
		{"rows apart, each of four lines", "1 10:1000:1024 256:1:1", false, 512, 40 + 40},
		{"rows that follow each other", "2 10:-512:512 256:2:2", false, 512, 80 + 80},
		{"a row taken four times, which the cache holds", "1 4:0:4096 4096:1:1", false, 128, 64 + 256},
		{"which it does not hold", "1 4:0:4096 4096:1:1", false, 127, 256 + 256},
		{"which it does beside stores that pass it", "1 4:0:4096 4096:1:1", true, 127, 64},
		{"one line repeated", "1 64:0:64 64:0:1", false, 512, 1 + 64},
		// A transposed plane, whose rows of the source are 1024, of four cache lines each.
		{"a plane in the cache", "1 256:1:1024 1024:4160:1", false, 16384, 4096 + 4096},
		{"a plane out of it", "1 256:1:1024 1024:4160:1", false, 512, 1024*256 + 16*256},
	} {
		n := parseNest(c.nest)
		w := walkOf(&n)
		w.nt = c.nt
		assert.Equal(t, c.want, w.visits(c.capacity), c.name)
	}
}

// If a cache holds all lines, each comes in once. No more lines come into a larger cache than into a
// smaller one. The loops are random, but leave no gaps or gaps of more than a line.
func TestVisitsOfLargerCaches(t *testing.T) {
	rng := rand.New(rand.NewPCG(70, 70))
	for range 3000 {
		w := walk{width: 1 << rng.IntN(4), nt: rng.IntN(2) == 0}
		sides := [2]side{{w.width, 1}, {w.width, 1}}
		for range rng.IntN(6) {
			extent := 2 + rng.Int64N(40)
			var strides [2]int64
			for i := range sides {
				run := sides[i].run
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
			w.loop(extent, strides[0], strides[1])
		}
		require.Equal(t, w.lines(&sides[0], &sides[1]), w.visits(math.MaxInt64), "%+v", w)
		before := w.visits(1)
		for capacity := int64(2); capacity < 1<<40; capacity = capacity*3/2 + 1 {
			visits := w.visits(capacity)
			require.LessOrEqual(t, visits, before, "%d lines: %+v", capacity, w)
			before = visits
		}
	}
}

// Lines cost what each level takes whose cache in front is smaller than the slice.
func TestCostsOfLines(t *testing.T) {
	h := hostWith(&Costs{Line: [levels]int64{1, 1000, 1_000_000}})
	n := parseNest("1 2:10000:640 640:1:1") // 20 lines of the source, 20 of the destination
	w := walkOf(&n)
	for lines, want := range map[int64]int64{
		512: 0, 513: 1, 16384: 1, 16385: 1001, 131072: 1001, 131073: 1_001_001, 1 << 40: 1_001_001,
	} {
		w.nt = false
		assert.Equal(t, 40*want, h.cost(&w, lines), lines)
		w.nt = true
		assert.Equal(t, 20*want, h.cost(&w, lines), lines)
	}
}
