package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
