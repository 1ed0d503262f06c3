package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// If units of merged windows cost as much as units of lanes, they are made of lanes.
func TestUnitsOfEqualCostAreMadeOfLanes(t *testing.T) {
	n := parseNest("4 9:400:80 20:12:4")
	var p program.Draft
	require.True(t, hostWith(new(Costs)).Make(&p, &n, Candidate{Kernel: 0, Kind: kindUnits}))
	loop, ok := program.Loop(0, program.UnitsLanes, int(p.Units().Each.Windows))
	require.True(t, ok)
	assert.Equal(t, loop, p.Loop)
}
