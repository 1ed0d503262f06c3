package slice1

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// In a process with one processor whose goroutines yield in time, a call into C runs one part, unless parts take long.
func TestCallsAreShortOnOneProcessor(t *testing.T) {
	if raceEnabled {
		t.Skip("no yields under the race detector")
	}
	var p *Plan
	for _, k := range Kernels() {
		if k.Usable {
			if made := planOf(t, everyOther(16<<20), WithKernel(k.Name), WithLearning(false), WithParallelism(1)); made.entry.ways[0].Kernel.InC() {
				p = made
			}
		}
	}
	if p == nil {
		t.Skip("no kernel in C")
	}
	parts := int(p.entry.pieces.Count)
	require.Greater(t, parts, 2*plan.CallParts)
	dst, src := make([]byte, p.DstSize()), make([]byte, p.SrcSize())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer func(f func() bool, long time.Duration) { calm, longPart = f, long }(calm, longPart)
	calls := func(processors int, isCalm bool, long time.Duration) int {
		runtime.GOMAXPROCS(processors)
		calm, longPart = func() bool { return isCalm }, long
		ctx := &doneAfter{looks: 1000}
		require.NoError(t, p.RunContext(ctx, dst, src))
		return 1000 - ctx.looks - 1 // the first look is before any part
	}
	together := func(parts int) int { return (parts + plan.CallParts - 1) / plan.CallParts }
	assert.Equal(t, parts, calls(1, true, math.MaxInt64))
	assert.Equal(t, 1+together(parts-1), calls(1, true, 0), "long parts")
	assert.Equal(t, together(parts), calls(1, false, math.MaxInt64), "no yields")
	assert.Equal(t, together(parts), calls(2, true, math.MaxInt64), "two processors")
}
