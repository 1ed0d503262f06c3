package engine

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// learningFrom makes slices with an estimated time of minTime picoseconds or more learn, until the
// test ends. They learn under the race detector too, and however coarse the clock is. It empties
// the cache.
func learningFrom(t testing.TB, minTime int64) {
	process := thisProcess()
	before, on, beforeClocked := learnFrom, process.learns, clocked
	learnFrom, process.learns = minTime, true
	clocked = func() (step, timing int64) { return 1, 0 }
	Forget()
	t.Cleanup(func() { learnFrom, process.learns, clocked = before, on, beforeClocked; Forget() })
}

// setClock makes nanotime a clock that only timed runs of e advance, by the cost of their way. Such
// a run asks for the time when it begins and when it ends. A step of the clock takes `stepped`
// nanoseconds.
func setClock(t testing.TB, e *Entry, stepped int64, cost func(w *Way) int64) {
	beforeNow, beforeClocked := nanotime, clocked
	at, ends := int64(0), false
	nanotime = func() int64 {
		if ends {
			at += cost(waysIn(e)[e.learner.tune.NextWay()])
		}
		ends = !ends
		return at / stepped * stepped
	}
	clocked = func() (step, timing int64) { return stepped, 0 }
	t.Cleanup(func() { nanotime, clocked = beforeNow, beforeClocked })
}

// learned runs e until it has settled and returns how many runs that took.
func learned(t testing.TB, e *Entry) (runs int) {
	t.Helper()
	m := memoryOf(&e.problem.Nest)
	for ; e.settled.Load() == nil; runs++ {
		require.Less(t, runs, 100_000, "never settles")
		m.run(t, e)
	}
	return runs
}

// everyThird takes every third of elements of 2 bytes, n of them. Each kernel but plain Go has
// several ways to run it, by estimate about equally fast.
func everyThird(n int64) nest.Nest { return rows(2, 1, n, 3, 1) }

// several returns an entry that has at least so many ways and has learned nothing yet.
func several(t testing.TB, ways int, s Settings) *Entry {
	learningFrom(t, 0)
	e := entryOf(t, everyThird(10_001), s)
	if len(waysIn(e)) < ways {
		t.Skipf("%d ways", len(waysIn(e)))
	}
	return e
}

const us = int64(time.Microsecond)

// fastest returns a cost of 10 us for way w and of 12 us for all others.
func fastest(w *Way) func(*Way) int64 {
	return func(other *Way) int64 {
		if other.SameWay(w.Candidate) {
			return 10 * us
		}
		return 12 * us
	}
}

func TestAWrongEstimateIsMended(t *testing.T) {
	e := several(t, 2, Settings{})
	for i := range waysIn(e) {
		Forget()
		e := several(t, 2, Settings{})
		best := waysIn(e)[i]
		setClock(t, e, 1, fastest(best))
		require.Same(t, waysIn(e)[0], e.Upcoming(), "at first the estimate decides")
		learned(t, e)
		assert.Equal(t, best.Candidate, e.Upcoming().Candidate)
		all, measured, _ := e.Candidates()
		assert.Positive(t, measured)
		assert.True(t, all[0].SameWay(best.Candidate))
		assert.Equal(t, 1000*10*us, all[0].Cost)
	}
}

// LastWay returns the way of the run that was last, whichever way comes next.
func TestLastIsTheWayThatRan(t *testing.T) {
	e := several(t, 2, Settings{})
	require.Nil(t, e.LastWay())
	setClock(t, e, 1, fastest(waysIn(e)[1]))
	m, turns := memoryOf(&e.problem.Nest), 0
	for range 3 {
		for settled := false; !settled; settled = e.settled.Load() != nil {
			next := e.Upcoming().Candidate
			m.run(t, e)
			assert.Equal(t, next, e.LastWay().Candidate)
			if !e.Upcoming().SameWay(next) {
				turns++
			}
		}
	}
	assert.Positive(t, turns)
}

func TestChangesBelowTheMarginDoNotCount(t *testing.T) {
	e := several(t, 2, Settings{})
	first := waysIn(e)[0]
	setClock(t, e, 1, func(w *Way) int64 {
		if w.SameWay(first.Candidate) {
			return 10 * us
		}
		return 9800
	})
	learned(t, e)
	assert.Equal(t, first.Candidate, e.Upcoming().Candidate)
}

// The way of the next run is among the candidates, even if its kind does not fit its parts.
func TestTheUpcomingWayIsACandidate(t *testing.T) {
	learningFrom(t, 0)
	n := nest.Nest{Rank: 3, Width: 1, SrcOff: 16}
	n.Dims[0], n.Dims[1], n.Dims[2] = nest.Dim{Extent: 4, Src: 1, Dst: 294_819}, nest.Dim{Extent: 3, Src: -8, Dst: 98_273}, nest.Dim{Extent: 98_258, Src: 64, Dst: 1}
	e := entryOf(t, n, Settings{Parallelism: 1})
	setClock(t, e, 1, func(*Way) int64 { return 10 * us })
	m := memoryOf(&n)
	for e.settled.Load() == nil {
		all, _, upcoming := e.Candidates()
		require.True(t, slices.ContainsFunc(all, upcoming.SameWay), upcoming)
		m.run(t, e)
	}
}

// If the clock cannot tell the ways apart, the first choice stays.
func TestACoarseClock(t *testing.T) {
	e := several(t, 2, Settings{})
	first := waysIn(e)[0]
	setClock(t, e, 500*us, fastest(waysIn(e)[1]))
	assert.Equal(t, 1, learned(t, e))
	assert.Equal(t, first.Candidate, e.Upcoming().Candidate)
	assert.Empty(t, e.Known())
}

func TestTheClockSteps(t *testing.T) {
	step, timing := clocked()
	assert.Positive(t, step)
	assert.Positive(t, timing)
	before := nanotime()
	time.Sleep(time.Millisecond)
	assert.Greater(t, nanotime(), before)
}

// After a thousand times as many runs, and then after a thousand times as many again, a plan looks
// again whether another way is faster.
func TestTheMachineChanges(t *testing.T) {
	e := several(t, 2, Settings{})
	best := waysIn(e)[0]
	setClock(t, e, 1, func(w *Way) int64 { return fastest(best)(w) })
	runs := int64(learned(t, e))
	old := e.Upcoming()
	require.Equal(t, runs*patience, e.learner.retry.Load())
	best = waysIn(e)[1]
	for range e.learner.retry.Load()/sampled + 1 {
		require.NotNil(t, e.settled.Load())
		e.count()
	}
	assert.Nil(t, e.settled.Load())
	assert.Equal(t, old.Candidate, e.Upcoming().Candidate)
	learned(t, e)
	assert.Equal(t, best.Candidate, e.Upcoming().Candidate)
	assert.Equal(t, runs*patience*patience, e.learner.retry.Load())
}

// A slice that takes less than a microsecond settles for good, and keeps only one way.
func TestShortRunsSettleForGood(t *testing.T) {
	for took, kept := range map[int64]bool{us - 1: false, us: true} {
		e := several(t, 2, Settings{})
		best := waysIn(e)[1]
		setClock(t, e, 1, func(w *Way) int64 {
			if w.SameWay(best.Candidate) {
				return took
			}
			return 2*took - 1
		})
		learned(t, e)
		assert.Equal(t, best.Candidate, e.Upcoming().Candidate)
		assert.Equal(t, kept, e.settled.Load().learned)
		assert.Equal(t, kept, len(waysIn(e)) > 1)
	}
}

// Runs are counted while other runs go on.
func TestRunsAreCounted(t *testing.T) {
	e := several(t, 2, Settings{})
	setClock(t, e, 1, fastest(waysIn(e)[1]))
	learned(t, e)
	m := memoryOf(&e.problem.Nest)
	for range 20 * sampled {
		m.run(t, e)
	}
	assert.Positive(t, e.learner.runsSince.Load())
	assert.Less(t, e.learner.runsSince.Load(), int64(100*sampled))
}

// A run that is cancelled gives its turn back, and its time does not count.
func TestRunsThatAreCancelled(t *testing.T) {
	learningFrom(t, 0)
	e := entryOf(t, everyThird(2<<20), Settings{})
	if len(waysIn(e)) < 2 || e.pieces.Count <= exec.CallParts {
		t.Skip("one way or few parts")
	}
	setClock(t, e, 1, fastest(waysIn(e)[1]))
	m := memoryOf(&e.problem.Nest)
	for range 50 {
		require.ErrorIs(t, e.Run(&doneAfter{looks: 1}, m.to(), m.from, &Values{}, true), context.Canceled)
	}
	assert.Zero(t, e.learner.tune.Told())
	assert.False(t, e.learner.turn.Load())
	best := waysIn(e)[1]
	learned(t, e)
	assert.Equal(t, best.Candidate, e.Upcoming().Candidate)
}

// doneAfter is a context that is done after so many looks at it.
type doneAfter struct {
	context.Context
	looks int
}

func (c *doneAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// While a run is timed, other runs take the best known way and are not timed.
func TestOneRunLearnsAtATime(t *testing.T) {
	e := several(t, 2, Settings{})
	best := e.learner.best.Load()
	e.learner.turn.Store(true)
	m := memoryOf(&e.problem.Nest)
	for range 100 {
		m.run(t, e)
	}
	e.learner.turn.Store(false)
	assert.Zero(t, e.learner.tune.Told())
	assert.Same(t, best, e.learner.best.Load())
}

// A slice with a named candidate, and a slice that does not learn, keep the way that they begin
// with.
func TestWhatDoesNotLearn(t *testing.T) {
	learningFrom(t, 0)
	n := everyOther(40_001)
	all, _, _ := entryOf(t, n, Settings{}).Candidates()
	for _, c := range all {
		e := entryOf(t, n, Settings{Candidate: c.String()})
		require.NotNil(t, e.settled.Load(), c)
		assert.Len(t, waysIn(e), 1)
		assert.Equal(t, c.String(), e.Upcoming().String())
	}
	e := entryOf(t, n, Settings{})
	if len(waysIn(e)) > 1 {
		setClock(t, e, 1, fastest(waysIn(e)[1]))
		learned(t, e)
	}
	fixed := entryOf(t, n, Settings{Fixed: true})
	require.NotNil(t, fixed.settled.Load())
	assert.NotSame(t, e, fixed)
	thisProcess().learns = false
	off := entryOf(t, n, Settings{})
	assert.Equal(t, fixed.Upcoming().Candidate, off.Upcoming().Candidate)
	require.NotNil(t, off.settled.Load())
	assert.Len(t, waysIn(off), 1)
}

// A slice with a named kernel learns among the ways of that kernel.
func TestNamedKernelsLearnAmongTheirWays(t *testing.T) {
	for _, k := range Kernels() {
		if k.Usable {
			e := several(t, 1, Settings{Kernel: k.Name})
			for _, w := range waysIn(e) {
				assert.Equal(t, k.number, w.Kernel)
			}
			setClock(t, e, 1, fastest(waysIn(e)[0]))
			learned(t, e)
			assert.Equal(t, k.number, e.Upcoming().Kernel)
		}
	}
}

// A slice never settles for a way that it did not list, whatever the times are. Every run writes
// the right bytes.
func TestLearningFromManyGoroutines(t *testing.T) {
	learningFrom(t, 0)
	n := everyOther(20_001)
	shared := entryOf(t, n, Settings{})
	var wg sync.WaitGroup
	var wrong atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			m := memoryOf(&n)
			for i := range 400 {
				e := shared
				switch p := problemOf(t, n, Settings{}); (g + i) % 4 {
				case 0:
					e, _ = EntryOf(p, &Settings{}) // an equal one
				case 1:
					Forget() // evicts the entry while it settles
				case 2:
					Copy(p, m.to(), m.from, &Values{}, true)
				}
				if e.Run(context.Background(), m.to(), m.from, &Values{}, true) != nil {
					wrong.Add(1)
				}
				e.Candidates()
				_ = e.Described(e.Upcoming()).Kind()
				for j := range m.dst {
					if m.dst[j] != m.src[2*j] {
						wrong.Add(1)
						return
					}
				}
				clear(m.dst)
			}
		})
	}
	wg.Wait()
	assert.Zero(t, wrong.Load())
}

// Runs do not allocate while they learn or learn again. When they settle, they allocate only what
// settling notes.
func TestLearningDoesNotAllocate(t *testing.T) {
	e := several(t, 2, Settings{Parallelism: 1})
	setClock(t, e, 1, fastest(waysIn(e)[1]))
	m := memoryOf(&e.problem.Nest)
	yield.BeforeCall(math.MaxInt64) // the first call allocates
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runs := 0
	for ; e.settled.Load() == nil; runs++ {
		m.run(t, e)
	}
	runtime.ReadMemStats(&after)
	assert.Greater(t, runs, 10)
	assert.Less(t, after.Mallocs-before.Mallocs, uint64(runs), "only settling allocates")
}

// To measure settles a slice, on scratch memory, like the runs of its plan would.
func TestMeasuredSlicesHaveSettled(t *testing.T) {
	learningFrom(t, 0)
	for _, budget := range []time.Duration{-1, 0, 1} {
		assert.Empty(t, entryOf(t, everyOther(40_001), Settings{Measure: budget}).Known())
	}
	e := entryOf(t, everyOther(400_001), Settings{Measure: time.Hour})
	assert.NotNil(t, e.settled.Load())
	assert.Equal(t, len(waysIn(e)) > 1, len(e.Known()) > 1)
	large := entryOf(t, everyOther(maxScratch+1), Settings{Measure: time.Hour, Parallelism: 1})
	assert.Empty(t, large.Known(), "takes more memory than there may be")
	measuring.Lock()
	defer measuring.Unlock()
	assert.Nil(t, entryOf(t, everyOther(50_001), Settings{Measure: time.Hour}).Known(), "another one is measured")
}

// Slices that run 200 times each write the same bytes in every run.
func TestEveryRunOfALearningSlice(t *testing.T) {
	slices := 300
	if testing.Short() || Race {
		slices = 40
	}
	rng := rand.New(rand.NewPCG(91, 91))
	learned := 0
	for range slices {
		learningFrom(t, 0)
		n, step, count := 1+rng.Int64N(3000), 1+rng.Int64N(9), 1+rng.Int64N(20)
		if rng.IntN(2) == 0 {
			step = -step
		}
		pitch := n * max(step, -step)
		if rng.IntN(3) == 0 { // a transposed view
			step, pitch = step*count, max(step, -step)
		}
		loops := rows(1<<rng.Int32N(4), count, n, step, pitch)
		m := memoryOf(&loops)
		for i := range m.src {
			m.src[i] = byte(rng.Uint32())
		}
		m.run(t, entryOf(t, loops, Settings{Kernel: "go", Fixed: true}))
		want := bytes.Clone(m.dst)
		e := entryOf(t, loops, Settings{})
		for run := range 200 {
			clear(m.dst)
			m.run(t, e)
			require.True(t, bytes.Equal(want, m.dst), "run %d of %+v", run, loops)
		}
		if e.settled.Load() != nil || len(e.Known()) > 1 {
			learned++
		}
	}
	assert.Positive(t, learned)
}

// While learning rests, runs take the best known way and are not timed. So learning takes only its
// share of the time.
func TestRunsRestBetweenTurns(t *testing.T) {
	e := several(t, 2, Settings{})
	first := waysIn(e)[0]
	timed, rested := 0, 0
	setClock(t, e, 1, func(w *Way) int64 {
		timed++
		if w.SameWay(first.Candidate) {
			return 10 * us
		}
		return 18 * us
	})
	m := memoryOf(&e.problem.Nest)
	for runs := 0; e.settled.Load() == nil; runs++ {
		require.Less(t, runs, 5000, "never settles")
		before := timed
		next := e.Upcoming().Candidate
		m.run(t, e)
		require.True(t, e.LastWay().SameWay(next))
		if timed == before {
			require.True(t, next.SameWay(first.Candidate))
			rested++
		}
	}
	assert.Greater(t, rested, timed/2)
	assert.Greater(t, int(e.learner.runs), rested)
}

// A settled entry learns again while other goroutines run it. Under the race detector this shows
// that a run reads the State only while no other goroutine writes it.
func TestRelearningFromManyGoroutines(t *testing.T) {
	learningFrom(t, 0)
	e := entryOf(t, everyThird(3001), Settings{Kernel: strongestInC(t).Name})
	setSharedClock(t)
	learned(t, e)
	require.True(t, e.settled.Load().learned)
	relearned := atomic.Int64{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			m := memoryOf(&e.problem.Nest)
			for range 3000 {
				e.learner.retry.Store(1)
				if e.settled.Load() != nil {
					e.count()
					relearned.Add(1)
				}
				_ = e.Run(context.Background(), m.to(), m.from, &Values{}, false)
				_ = e.Upcoming()
			}
		})
	}
	wg.Wait()
	assert.Greater(t, relearned.Load(), int64(20))
}
