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
		capacity, sets int64
		src, dst       visit
	}{
		{"a row is 64 lines, each next to the one before", "1 4096:1:1", false, 512, 64, visit{63, 1}, visit{63, 1}},
		{"also where none of it stays", "1 4096:1:1", false, 1, 1, visit{63, 1}, visit{63, 1}},
		{"backwards too", "1 4096:-1:1", false, 512, 64, visit{63, 1}, visit{63, 1}},
		{"one element is one line", "8", false, 512, 64, visit{0, 1}, visit{0, 1}},
		{"elements two lines apart", "4 100:128:4", false, 512, 64, visit{0, 100}, visit{6, 1}},
		{"rows apart, each of four lines", "1 10:1000:1024 256:1:1", false, 512, 64, visit{30, 10}, visit{30, 10}},
		{"rows that follow each other", "2 10:-512:512 256:2:2", false, 512, 64, visit{79, 1}, visit{79, 1}},
		{"a row taken four times, which the cache holds", "1 4:0:4096 4096:1:1", false, 512, 64, visit{63, 1}, visit{255, 1}},
		{"which it does not hold", "1 4:0:4096 4096:1:1", false, 127, 16, visit{252, 4}, visit{252, 4}},
		{"which it does beside stores that pass it", "1 4:0:4096 4096:1:1", true, 127, 16, visit{63, 1}, visit{255, 1}},
		{"one line repeated", "1 64:0:64 64:0:1", false, 512, 64, visit{0, 1}, visit{63, 1}},
		// A transposed plane, whose rows of the source are 1024, of four cache lines each.
		{"a plane in the cache", "1 256:1:1024 1024:4160:1", false, 16384, 2048, visit{0, 4096}, visit{4095, 1}},
		{"a plane out of it", "1 256:1:1024 1024:4160:1", false, 512, 64, visit{0, 1024 * 256}, visit{3840, 256}},
		{"whose lines share one of 64 sets", "1 256:1:1024 1024:4096:1", false, 16384, 2048, visit{0, 1024 * 256}, visit{3840, 256}},
		{"of few sets, which all share", "1 256:1:1024 1024:4096:1", false, 16384, 8, visit{0, 4096}, visit{4095, 1}},
		{"where addresses do not tell the set", "1 256:1:1024 1024:4096:1", false, 16384, 1, visit{0, 4096}, visit{4095, 1}},
		{"also side by side", "1 256:1:8 8:4096:1", false, 512, 64, visit{24, 8}, visit{31, 1}},
	} {
		n := parseNest(c.nest)
		w := walkOf(&n)
		w.nt = c.nt
		src, dst := w.visits(c.capacity, c.sets)
		assert.Equal(t, c.src, src, "source: %s", c.name)
		assert.Equal(t, c.dst, dst, "destination: %s", c.name)
	}
}

// total returns how many lines come in, of the source and of the destination.
func total(src, dst visit) [2]int64 { return [2]int64{src.near + src.far, dst.near + dst.far} }

// If a cache holds all lines, each comes in once. No more lines come into a larger cache than into a
// smaller one. The loops are random, but leave no gaps or gaps of more than a line.
func TestVisitsOfLargerCaches(t *testing.T) {
	rng := rand.New(rand.NewPCG(70, 70))
	for range 3000 {
		w := walk{width: 1 << rng.IntN(4), nt: rng.IntN(2) == 0}
		runs := [2]int64{w.width, w.width}
		var strides [2]int64
		for range rng.IntN(6) {
			extent := 2 + rng.Int64N(40)
			for side, run := range runs {
				stride := rng.Int64N(run + 1)
				if rng.IntN(2) == 0 {
					stride = (run + 64 + rng.Int64N(9000)) &^ (1<<rng.IntN(13) - 1)
				}
				if stride > run && stride <= run+64 {
					stride = run + 65
				}
				if stride <= run && stride > 0 {
					runs[side] += (extent - 1) * stride
				}
				strides[side] = stride * (1 - 2*rng.Int64N(2))
			}
			w.loop(extent, strides[0], strides[1])
		}
		sets := int64(1) << rng.IntN(12)
		src, dst := w.sides()
		require.Equal(t, [2]int64{src.lines(), dst.lines()}, total(w.visits(math.MaxInt64, sets)), "%+v", w)
		before := total(w.visits(1, sets))
		for capacity := int64(2); capacity < 1<<40; capacity = capacity*3/2 + 1 {
			visits := total(w.visits(capacity, sets))
			require.LessOrEqual(t, visits[0], before[0], "source, %d lines: %+v", capacity, w)
			require.LessOrEqual(t, visits[1], before[1], "destination, %d lines: %+v", capacity, w)
			before = visits
		}
	}
}

// Lines cost what each level takes whose cache in front is smaller than the slice. A level counts
// in part if the slice has fewer than twice the lines of that cache.
func TestCostsOfLines(t *testing.T) {
	var c Costs
	for level := range levels {
		of := 16 * int64(math.Pow(10, float64(3*level)))
		c.Near[level], c.Far[level] = of, 100*of
	}
	h := hostWith(&c)
	n := parseNest("1 2:10000:640 640:1:1") // 18 near and 2 far lines of the source, 19 and 1 of the destination
	w := walkOf(&n)
	for lines, want := range map[int64][3]int64{ // for each level, how many sixteenths of its cost
		512: {}, 543: {}, 544: {1, 0, 0}, 1023: {15, 0, 0}, 1024: {16, 0, 0}, 16384: {16, 0, 0},
		16384 + 1024: {16, 1, 0}, 32768: {16, 16, 0}, 131072 + 8192: {16, 16, 1}, 1 << 40: {16, 16, 16},
	} {
		of := want[0] + 1000*want[1] + 1_000_000*want[2]
		w.nt = false
		assert.Equal(t, 337*of, h.cost(&w, lines), lines)
		w.nt = true
		assert.Equal(t, 218*of, h.cost(&w, lines), lines)
	}
}
