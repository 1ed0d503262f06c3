package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// A call into C takes what the clock says of eight calls, within limits.
func TestCallsAreTimed(t *testing.T) {
	assert.Zero(t, callTime(plan.Go, clock))
	for _, k := range Kernels() {
		if !k.Usable || !k.number.CallsC() {
			continue
		}
		for step, want := range map[int64]int64{0: 0, 1: leastCall, 400: 50_000, 100_000: mostCall} {
			time := int64(0)
			assert.Equal(t, want, callTime(k.number, func() int64 { time += step; return time }), "%s: %d", k.Name, step)
		}
		took := callTime(k.number, clock)
		assert.True(t, took == 0 || took >= leastCall && took <= mostCall, "%s: %d", k.Name, took)
	}
}

// Problems that do not learn are planned by the table.
func TestOnlyProblemsThatLearnTimeCalls(t *testing.T) {
	assert.Same(t, plan.ThisHost(), host(&plan.Problem{Fixed: true}))
	assert.Same(t, measuredHost(), host(&plan.Problem{}))
	for s, c := range measuredHost().Costs.Sets {
		table := plan.ThisHost().Costs.Sets[s]
		table.Call = c.Call
		assert.Equal(t, table, c)
	}
}
