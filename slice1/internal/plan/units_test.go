package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
)

// worth takes each unit to be made in the cheapest way: as a whole vector or, with masks, as a tail
// or, without them, element by element. Only costs of the way count that the set has.
func TestUnitsThatAreWorthTheirCost(t *testing.T) {
	n := parseNest("1 4:100:16 16:1:1")
	for _, c := range []struct {
		set   int32
		costs SetCosts
		want  bool
	}{
		{0, SetCosts{Unit: 10, UnitOf: 1, Alone: 100, AloneOf: 1}, false},
		{0, SetCosts{Unit: 10, UnitOf: 1, Alone: 1}, true},
		{0, SetCosts{Unit: 1, UnitOf: 1, Alone: 100}, true},
		{1, SetCosts{Unit: 10, UnitOf: 1, Tail: 100}, false},
		{1, SetCosts{Unit: 10, UnitOf: 1, Tail: 2, TailOf: 1, Alone: 100}, true},
		{1, SetCosts{Unit: 10, UnitOf: 1, Tail: 100, TailOf: 1}, false},
	} {
		u := units{size: 16}
		j := job{nest: &n, set: &csrc.Sets[c.set], costs: &c.costs, limit: 20}
		assert.Equal(t, c.want, u.worth(&j, 1), "%+v", c)
	}
}

// If units of merged windows cost as much as units of lanes, they are made of lanes.
func TestUnitsOfEqualCostAreMadeOfLanes(t *testing.T) {
	n := parseNest("4 9:400:80 20:12:4")
	var p csrc.Program
	require.True(t, hostWith(new(Costs)).Make(&p, &n, Candidate{Kernel: 0, kind: kindUnits}, Cached))
	loop, ok := csrc.Loop(0, csrc.UnitsLanes, int(p.Units().Each.Windows))
	require.True(t, ok)
	assert.Equal(t, loop, p.Loop)
}
