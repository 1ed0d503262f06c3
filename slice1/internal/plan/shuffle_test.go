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
	var p program.Program
	require.True(t, hostWith(&c).Make(&p, &n, Candidate{Kernel: 0, Kind: kindShuffle}))
	assert.EqualValues(t, 32, p.Shuffle().Advance)
	assert.EqualValues(t, 5, p.Shuffle().Main.Windows)
}

// No mask hides bytes outside of a row or of its source where these have 128 bytes. Exceptions are
// windows of several that cannot be moved: their places are taken, or the nest has many vectors
// that move by whole lines.
func TestMasksHideNothingOutsideOfRows(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(31, 31))}
	loads, stores := 0, 0
	check := func(n nest.Nest) {
		eachProgram(t, anyHost(b.rng), &n, func(c Candidate, p *program.Program) {
			if bodyOf(p) != masked || p.NT != 0 {
				return
			}
			m := p.Masks()
			s := newSimulator(p, &n)
			s.sparse = true
			require.NoError(t, s.run())
			if s.store.hi-s.store.lo >= 128 {
				stores++
				assert.False(t, s.hidesStores, "%s: %s", textOf(&n), describe(p))
			}
			many := m.Step%program.LineBytes == 0 && nest.Bytes(&n)/(m.Advance*int64(n.Width)/p.Row.Dst) > mostInside
			if s.load.hi-s.load.lo >= 128 && !many && (m.Each.Windows == 1 || movable(&m.Each)) {
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

// movable reports whether each window of x that reaches past what the vector takes of the source
// can be moved inside, onto free places.
func movable(x *program.Merged) bool {
	lo, hi := int32(math.MaxInt32), int32(math.MinInt32)
	var all uint64
	for k, take := range x.Take[:x.Windows] {
		lo = min(lo, x.At[k]+int32(bits.TrailingZeros64(take)))
		hi = max(hi, x.At[k]+int32(bits.Len64(take)))
		all |= take
	}
	for k, take := range x.Take[:x.Windows] {
		by := max(0, lo-x.At[k]) - max(0, x.At[k]+program.PermuteBytes-hi)
		if moved := take >> max(0, by) << max(0, -by); moved&(all&^take) != 0 {
			return false
		}
	}
	return true
}

// Units that ascend in the source, and units that descend, hide nothing outside of it.
func TestMaskedUnitsHideNothingOutsideOfRows(t *testing.T) {
	for _, text := range []string{"1 8:400:120 40:3:3 3:-1:1", "1 8:-400:120 40:-3:3 3:1:1"} {
		n := parseNest(text)
		var p program.Program
		require.True(t, hostWith(new(Costs)).Make(&p, &n, Candidate{Kernel: 1, Kind: kindUnits}))
		s := newSimulator(&p, &n)
		s.sparse = true
		require.NoError(t, s.run())
		assert.False(t, s.hidesLoads || s.hidesStores, text)
	}
}
