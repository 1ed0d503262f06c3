package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// asking is a context that is never done. Each look at it, from within a run, calls ask.
type asking struct {
	context.Context
	ask func()
}

func (a asking) Err() error {
	a.ask()
	return nil
}

// Within a run that is timed, whoever asks about the entry waits for nothing. The way that a run
// takes if it begins then is the best one so far.
func TestWhoAsksWaitsForNoRun(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	for _, n := range []nest.Nest{everyThird(10_001), permuted(4, 1024, 1024)} {
		e := entryOf(t, n, Settings{Parallelism: 1})
		costClock(t, e, func(*Way) int64 { return 10 * us })
		m, asked, others := memoryOf(&e.problem.Nest), 0, 0
		ctx := asking{context.Background(), func() {
			if !e.learner.turn.Load() {
				return
			}
			require.True(t, e.learner.mu.TryLock(), "held while a part runs")
			e.learner.mu.Unlock()
			require.Same(t, e.learner.best.Load(), e.Upcoming())
			if asked++; asked < 50 {
				all, _, upcoming := e.Candidates()
				require.True(t, slices.ContainsFunc(all, upcoming.SameWay))
				require.True(t, upcoming.SameWay(e.learner.best.Load().Candidate))
				require.Positive(t, e.Described(e.Upcoming()).Parts())
				require.NotEmpty(t, e.Described(e.Upcoming()).Kind())
			}
			if e.LastWay() != e.Upcoming() {
				others++
			}
		}}
		for runs := 0; e.settled.Load() == nil; runs++ {
			require.Less(t, runs, 1000)
			require.NoError(t, e.Run(ctx, m.to(), m.from, &Values{}, true))
		}
		if e.learner != nil { // there was something to learn
			require.Positive(t, asked)
			require.Positive(t, others)
		}
	}
}

// Goroutines ask about a large slice while another one learns.
func TestManyAskWhileRunsLearn(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	e := entryOf(t, permuted(4, 1024, 1024), Settings{Parallelism: 2})
	var done atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !done.Load() {
				e.Candidates()
				_ = e.Described(e.Upcoming()).Kind()
			}
		})
	}
	learned(t, e)
	done.Store(true)
	wg.Wait()
	assert.True(t, e.Upcoming().SameWay(waysIn(e)[0].Candidate))
}

// The first choice's variants have their first turns before ways that cost more than twice as much
// by estimate.
func TestVariantsAreTriedBeforeDearWays(t *testing.T) {
	p := problemOf(t, permuted(4, 1024, 1024), Settings{Streaming: -1})
	first, near, far := plan.Candidate{Kernel: plan.Go, Cost: 10}, plan.Candidate{Kernel: plan.Go, Cost: 20}, plan.Candidate{Kernel: plan.Go, Cost: 30}
	variants := host(p).Variants(&p.Nest, p.Stores, first)
	require.NotEmpty(t, variants)
	tried := host(p).OtherWays(p, []plan.Candidate{first, near, far})
	assert.Equal(t, slices.Concat([]plan.Candidate{first, near}, variants, []plan.Candidate{far}), tried)
}
