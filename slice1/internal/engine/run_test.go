package engine

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
)

// If the process has one processor and its goroutines yield in time, a call into C runs one part.
// If parts take long, a call runs several.
func TestCallsAreShortOnOneProcessor(t *testing.T) {
	if Race {
		t.Skip("no yields under the race detector")
	}
	var e *Entry
	for _, k := range Kernels() {
		if k.Usable && k.number.CallsC() {
			e = entryOf(t, everyOther(16<<20), Settings{Kernel: k.Name, Fixed: true, Parallelism: 1})
		}
	}
	if e == nil {
		t.Skip("no kernel in C")
	}
	parts := int(e.Described(e.Upcoming()).Parts())
	require.Greater(t, parts, 2*exec.CallParts)
	m := memoryOf(&e.problem.Nest)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer func(f func() bool, long time.Duration) { calm, longPart = f, long }(calm, longPart)
	calls := func(processors int, isCalm bool, long time.Duration) int {
		runtime.GOMAXPROCS(processors)
		calm, longPart = func() bool { return isCalm }, long
		ctx := &doneAfter{looks: 1000}
		require.NoError(t, e.Run(ctx, m.to(), m.from, &Values{}, true))
		return 1000 - ctx.looks
	}
	together := func(parts int) int { return (parts + exec.CallParts - 1) / exec.CallParts }
	assert.Equal(t, parts, calls(1, true, math.MaxInt64))
	assert.Equal(t, 1+together(parts-1), calls(1, true, 0), "long parts")
	assert.Equal(t, together(parts), calls(1, false, math.MaxInt64), "no yields")
	assert.Equal(t, together(parts), calls(2, true, math.MaxInt64), "two processors")
}
