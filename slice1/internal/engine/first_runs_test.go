package engine

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// strongestInC returns the last kernel in C that this host can run. Without one it skips the test.
func strongestInC(t testing.TB) HostKernel {
	for _, k := range slices.Backward(Kernels()) {
		if k.Usable && k.number.CallsC() {
			return k
		}
	}
	t.Skip("no kernel in C")
	return HostKernel{}
}

// setSharedClock makes nanotime a clock that takes a microsecond from call to call, for any number
// of goroutines, until the test ends.
func setSharedClock(t testing.TB) {
	before := nanotime
	var at atomic.Int64
	nanotime = func() int64 { return at.Add(us) }
	t.Cleanup(func() { nanotime = before })
}

// Who asks an entry which way comes next, or what its ways are, changes nothing: the entry that is
// asked between runs takes the same ways as one that is not.
func TestAskingChangesNothing(t *testing.T) {
	inBlocks(t, 400<<10, 64<<10)
	for _, n := range []nest.Nest{everyThird(3001), permuted(4, 100, 200), permuted(4, 400, 300), rows(4, 300, 400, 1, 500)} {
		var took [2][]string
		for asks := range took {
			learningFrom(t, 0)
			e := entryOf(t, n, Settings{Parallelism: 1})
			costClock(t, e, func(w *Way) int64 { return 10*us + int64(len(w.String()))*us/10 })
			m := memoryOf(&e.problem.Nest)
			for runs := 0; e.settled.Load() == nil; runs++ {
				if asks == 1 && (runs < 20 || runs%10 == 0) {
					before, spent, next := preparedWays(e), e.learner.tune, e.learner.upcoming.Load()
					_ = e.Described(e.Upcoming()).Kind()
					e.Candidates()
					require.Equal(t, before, preparedWays(e))
					require.Equal(t, spent, e.learner.tune)
					require.Same(t, next, e.learner.upcoming.Load())
				}
				m.run(t, e)
				took[asks] = append(took[asks], e.LastWay().String())
			}
		}
		require.Equal(t, took[0], took[1])
	}
}

// preparedWays returns which ways of e, and of its scouts, are prepared.
func preparedWays(e *Entry) (prepared []bool) {
	ways := waysIn(e)
	for _, s := range e.learner.scouts {
		ways = slices.Concat(ways, s.ways)
	}
	for _, w := range ways {
		prepared = append(prepared, w.prepared)
	}
	return prepared
}

// A first choice that is short by estimate is timed by itself. Others are compared with it, those
// of stronger kernels among them, only if each run takes as long as two calls into C and longer
// than by estimate. They have to wait until the first choice has run for some time.
func TestShortFirstChoicesAreTimed(t *testing.T) {
	learningFrom(t, 100_000)
	kernels := thisProcess().choice
	if Race || !kernels.Strongest().CallsC() {
		t.Skip("no kernel in C")
	}
	defer func(h func() *plan.Host) { measuredHost = h }(measuredHost)
	measuredHost = plan.ThisHost
	calls := 2 * measuredHost().Costs.Sets[kernels.Strongest()].Call / 1000
	inGo, compared := false, 0
	for _, n := range []nest.Nest{rows(1, 45, 48, 1, 100), rows(1, 12, 35, 1, 64), rows(1, 2, 64, 1, 100), permuted(2, 16, 16), permuted(2, 8, 16), everyThird(40), everyThird(500)} {
		estimate := entryOf(t, n, Settings{}).Upcoming().Cost / 1000
		short, long := max(calls, estimate*3/2)-2, max(calls, estimate*3/2)+2
		for _, c := range []struct {
			name        string
			cold, usual int64 // of the first choice's first two runs, and of the others
			runs        int   // until it settles alone, or 0
		}{{"right", short, short, 1}, {"cold", 240, short, aloneRuns}, {"long", long, long, 0}, {"slow", 240, 240, 0}} {
			Forget()
			e := entryOf(t, n, Settings{})
			require.NotNil(t, e.learner)
			require.Len(t, e.learner.ways, 1)
			first, others, ran, alone := e.learner.ways[0], slices.Clone(e.learner.rivals), 0, int64(0)
			inGo = inGo || first.Kernel == plan.Go
			setClock(t, e, 1, func(w *Way) int64 {
				switch ran++; {
				case !w.SameWay(first.Candidate):
					return c.usual * 7 / 8
				case ran < aloneRuns:
					return c.cold
				}
				return c.usual
			})
			m, runs := memoryOf(&n), 0
			for ; e.settled.Load() == nil; runs++ {
				require.Less(t, runs, 100_000, "never settles")
				if len(e.learner.ways) == 1 {
					alone++
				}
				m.run(t, e)
			}
			if c.runs > 0 {
				assert.Equal(t, c.runs, ran, "%s, %s of %+v", c.name, first, n)
				assert.Empty(t, e.Known())
				assert.True(t, e.Upcoming().SameWay(first.Candidate))
				continue
			}
			assert.GreaterOrEqual(t, alone, alonePause/c.usual+aloneRuns, c.name)
			others = slices.DeleteFunc(others, func(o plan.Candidate) bool { return o.Kernel == first.Kernel || o.Cost > 1000*c.usual })
			assert.Equal(t, len(others) > 0, len(e.Known()) > 1)
			assert.Equal(t, len(others) == 0, e.Upcoming().SameWay(first.Candidate), "%s of %+v", first, n)
			for _, k := range e.Known() {
				assert.True(t, k.SameWay(first.Candidate) || k.Kernel != first.Kernel, "%s beside %s", k, first)
			}
			for _, o := range others {
				assert.True(t, slices.ContainsFunc(e.Known(), func(k plan.Candidate) bool { return k.Kernel == o.Kernel }), "%s of %v", o, e.Known())
			}
			if c.usual == 240 {
				assert.Less(t, runs, 1024)
				compared += min(1, len(others))
			}
		}
	}
	assert.Greater(t, compared, 3)
	assert.Equal(t, kernels.Contains(plan.Go), inGo)
	alone := entryOf(t, rows(1, 45, 48, 1, 100), Settings{Kernel: "go"})
	assert.Nil(t, alone.learner)
	assert.NotNil(t, alone.settled.Load())
}
