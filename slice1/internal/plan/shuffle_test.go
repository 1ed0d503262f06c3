package plan

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A main vector has as many periods as it holds, or as one window holds, whichever costs less: here
// 32 elements of five windows, and not six of one.
func TestVectorsHaveAsManyPeriodsAsCostLeast(t *testing.T) {
	n := parseNest("1 100:5:1")
	var c Costs
	c.Sets[0] = SetCosts{Window: 1e6, Merged: 1000}
	var p program.Draft
	require.True(t, hostWith(&c).Make(&p, &n, Candidate{Kernel: 0, Kind: kindShuffle}))
	assert.EqualValues(t, 32, p.Shuffle().Advance)
	assert.EqualValues(t, 5, p.Shuffle().Main.Windows)
}

// No mask hides bytes outside of a row of 128 bytes, or outside of a source that is 128 bytes
// longer than that of a vector, unless many rows have vectors of several windows.
func TestMasksHideNothingOutsideOfRows(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(31, 31))}
	loads, stores := 0, 0
	check := func(n nest.Nest) {
		eachProgram(t, anyHost(b.rng), &n, func(c Candidate, p *program.Program) {
			if bodyOf(p) != masked || p.NT != 0 {
				return
			}
			s := newSimulator(p, &n)
			s.sparse = true
			require.NoError(t, s.run())
			if s.store.hi-s.store.lo >= 128 {
				stores++
				assert.False(t, s.hidesStores, "%s: %s", textOf(&n), describe(p))
			}
			if lo, hi := taken(&p.Masks().Each); s.load.hi-s.load.lo >= hi-lo+128 && (s.variant == 1 || fewRows(rows(p.Dims[:p.Outer]))) {
				loads++
				assert.False(t, s.hidesLoads, "%s: %s", textOf(&n), describe(p))
			}
		})
	}
	for _, text := range rare {
		check(parseNest(text))
	}
	for range 300 {
		check(b.nest())
		check(b.around(b.row(), b.rng.IntN(4)))
		check(b.around(b.transposed(), b.rng.IntN(3)))
	}
	assert.Greater(t, min(loads, stores), 100)
}

// taken returns where the bytes that x takes begin and end.
func taken(x *program.Merged) (lo, hi int64) {
	lo, hi = math.MaxInt64, math.MinInt64
	for k, take := range x.Take[:x.Windows] {
		at := int64(x.At[k])
		lo, hi = min(lo, at+int64(bits.TrailingZeros64(take))), max(hi, at+int64(bits.Len64(take)))
	}
	return lo, hi
}

// Units that ascend in the source, and units that descend, hide nothing outside of it. Nor does the
// only vector of a row, if it has several windows.
func TestMasksHideNothingOutsideOfUnits(t *testing.T) {
	for text, kind := range map[string]Kind{"1 8:400:120 40:3:3 3:-1:1": kindUnits, "1 8:-400:120 40:-3:3 3:1:1": kindUnits, "1 20:5:1": kindShuffle} {
		n := parseNest(text)
		var p program.Draft
		require.True(t, hostWith(new(Costs)).Make(&p, &n, Candidate{Kernel: 1, Kind: kind}))
		s := newSimulator(&p.Program, &n)
		s.sparse = true
		require.NoError(t, s.run())
		assert.False(t, s.hidesLoads, text)
		assert.Equal(t, kind == kindShuffle, s.hidesStores, text)
	}
}
