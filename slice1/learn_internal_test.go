package slice1

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// learningFrom makes slices learn, until the test ends, whose estimated time is `from` picoseconds or more, under
// the race detector, too, and empties the cache.
func learningFrom(t testing.TB, from int64) {
	before, on := learnFrom, learning
	learnFrom, learning = from, true
	Forget()
	t.Cleanup(func() { learnFrom, learning = before, on; Forget() })
}

// setClock makes now a clock that cost advances: by what it returns for the way that runs, between the two times of a
// run of p that is timed. Each step of the clock has stepped nanoseconds.
func setClock(t testing.TB, p *Plan, stepped int64, cost func(w *way) int64) {
	beforeNow, beforeStep := now, step
	at := int64(0)
	now = func(to *int64) {
		if to == &p.entry.ended {
			at += cost(&p.entry.ways[p.entry.tune.Next()])
		}
		*to = at / stepped * stepped
	}
	step = func() int64 { return stepped }
	t.Cleanup(func() { now, step = beforeNow, beforeStep })
}

// learned runs p until it has settled and returns how many runs that took.
func learned(t testing.TB, p *Plan) (runs int) {
	t.Helper()
	dst, src := make([]byte, p.DstSize()), make([]byte, p.SrcSize())
	for ; p.entry.settled.Load() == nil; runs++ {
		require.Less(t, runs, 1000, "never settles")
		require.NoError(t, p.Run(dst, src))
	}
	return runs
}

// several returns a plan that has nothing learned yet and at least so many ways.
func several(t testing.TB, ways int, opts ...Option) *Plan {
	learningFrom(t, 0)
	p := planOf(t, everyOther(40_001), append(opts, WithCandidate(""))...)
	if len(p.entry.ways) < ways {
		t.Skipf("%s has %d ways", p.Kernel(), len(p.entry.ways))
	}
	return p
}

const us = int64(time.Microsecond)

// fastest returns a cost of 10 us for way w and of 12 us for all others.
func fastest(w *way) func(*way) int64 {
	return func(other *way) int64 {
		if other.Is(w.Candidate) {
			return 10 * us
		}
		return 12 * us
	}
}

func TestAWrongEstimateIsMended(t *testing.T) {
	p := several(t, 2)
	for i := range p.entry.ways {
		Forget()
		p := several(t, 2)
		best := &p.entry.ways[i]
		setClock(t, p, 1, fastest(best))
		require.Same(t, &p.entry.ways[0], p.entry.upcoming(), "at first the estimate decides")
		learned(t, p)
		assert.Equal(t, best.Candidate, p.entry.upcoming().Candidate)
		cs := p.Candidates()
		assert.Equal(t, Candidate{best.String(), 10_000, true, true}, cs[0])
		assert.Contains(t, p.String(), "\ntried "+best.String()+" 10 us")
	}
}

func TestChangesBelowTheMarginDoNotCount(t *testing.T) {
	p := several(t, 2)
	first := &p.entry.ways[0]
	setClock(t, p, 1, func(w *way) int64 {
		if w.Is(first.Candidate) {
			return 10 * us
		}
		return 9800
	})
	learned(t, p)
	assert.Equal(t, first.Candidate, p.entry.upcoming().Candidate)
}

// What the clock cannot tell apart keeps its first choice.
func TestACoarseClock(t *testing.T) {
	p := several(t, 2)
	first := &p.entry.ways[0]
	setClock(t, p, 500*us, fastest(&p.entry.ways[1]))
	assert.Equal(t, 1, learned(t, p))
	assert.Equal(t, first.Candidate, p.entry.upcoming().Candidate)
	assert.False(t, p.Candidates()[0].Measured)
}

func TestTheClockSteps(t *testing.T) {
	assert.Positive(t, step())
	var before, after int64
	now(&before)
	time.Sleep(time.Millisecond)
	now(&after)
	assert.Greater(t, after, before)
}

// After a thousand times as many runs, and then after a thousand times as many again, a plan looks again
// whether another way is faster.
func TestTheMachineChanges(t *testing.T) {
	p := several(t, 2)
	best := &p.entry.ways[0]
	setClock(t, p, 1, func(w *way) int64 { return fastest(best)(w) })
	runs := int64(learned(t, p))
	old := p.entry.upcoming()
	require.Equal(t, runs*patience, p.entry.retry)
	best = &p.entry.ways[1]
	for range p.entry.retry/sampled + 1 {
		require.NotNil(t, p.entry.settled.Load())
		p.entry.count()
	}
	assert.Nil(t, p.entry.settled.Load())
	assert.Equal(t, old.Candidate, p.entry.upcoming().Candidate)
	learned(t, p)
	assert.Equal(t, best.Candidate, p.entry.upcoming().Candidate)
	assert.Equal(t, runs*patience*patience, p.entry.retry)
}

// What takes less than a microsecond settles for good, and keeps one way alone.
func TestShortRunsSettleForGood(t *testing.T) {
	for took, kept := range map[int64]bool{us - 1: false, us: true} {
		p := several(t, 2)
		best := &p.entry.ways[1]
		setClock(t, p, 1, func(w *way) int64 {
			if w.Is(best.Candidate) {
				return took
			}
			return 2*took - 1
		})
		learned(t, p)
		assert.Equal(t, best.Candidate, p.entry.upcoming().Candidate)
		assert.Equal(t, kept, p.entry.settled.Load().learned)
		assert.Equal(t, kept, len(p.entry.ways) > 1)
	}
}

// Runs are counted while others run.
func TestRunsAreCounted(t *testing.T) {
	p := several(t, 2)
	setClock(t, p, 1, fastest(&p.entry.ways[1]))
	learned(t, p)
	dst, src := make([]byte, p.DstSize()), make([]byte, p.SrcSize())
	for range 20 * sampled {
		require.NoError(t, p.Run(dst, src))
	}
	assert.Positive(t, p.entry.since.Load())
	assert.Less(t, p.entry.since.Load(), int64(100*sampled))
}

// A run that is cancelled gives its turn back, and its time does not count.
func TestRunsThatAreCancelled(t *testing.T) {
	learningFrom(t, 0)
	p := planOf(t, everyOther(6<<20))
	if len(p.entry.ways) < 2 || p.entry.pieces.Count <= plan.CallParts {
		t.Skip("one way or few parts")
	}
	setClock(t, p, 1, fastest(&p.entry.ways[1]))
	dst, src := make([]byte, p.DstSize()), make([]byte, p.SrcSize())
	for range 50 {
		require.ErrorIs(t, p.RunContext(&doneAfter{looks: 2}, dst, src), context.Canceled)
	}
	assert.Zero(t, p.entry.tune.Runs())
	assert.True(t, p.entry.turn.TryLock())
	p.entry.turn.Unlock()
	best := &p.entry.ways[1]
	learned(t, p)
	assert.Equal(t, best.Candidate, p.entry.upcoming().Candidate)
}

// doneAfter is a context that is done when it was looked at so many times.
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

// While a run is timed, others take the best way known and are not timed.
func TestOneRunLearnsAtATime(t *testing.T) {
	p := several(t, 2)
	best := p.entry.best.Load()
	p.entry.turn.Lock()
	dst, src := make([]byte, p.DstSize()), make([]byte, p.SrcSize())
	for range 100 {
		require.NoError(t, p.Run(dst, src))
	}
	p.entry.turn.Unlock()
	assert.Zero(t, p.entry.tune.Runs())
	assert.Same(t, best, p.entry.best.Load())
}

// Ways that are asked for, and slices that do not learn, run by what they have from the start.
func TestWhatDoesNotLearn(t *testing.T) {
	learningFrom(t, 0)
	d := everyOther(40_001)
	for _, c := range planOf(t, d).Candidates() {
		p := planOf(t, d, WithCandidate(c.Name))
		require.NotNil(t, p.entry.settled.Load(), c.Name)
		assert.Len(t, p.entry.ways, 1)
		assert.Equal(t, c.Name, p.entry.upcoming().String())
	}
	p := planOf(t, d)
	if len(p.entry.ways) > 1 {
		setClock(t, p, 1, fastest(&p.entry.ways[1]))
		learned(t, p)
	}
	fixed := planOf(t, d, WithLearning(false))
	require.NotNil(t, fixed.entry.settled.Load())
	assert.NotSame(t, p.entry, fixed.entry)
	learning = false
	off := planOf(t, d)
	assert.Equal(t, fixed.entry.upcoming().Candidate, off.entry.upcoming().Candidate)
	require.NotNil(t, off.entry.settled.Load())
	assert.Len(t, off.entry.ways, 1)
}

// A plan with a named kernel learns among the ways of that kernel.
func TestNamedKernelsLearnAmongTheirWays(t *testing.T) {
	for _, k := range kernels {
		if k.Usable {
			p := several(t, 1, WithKernel(k.Name))
			for _, w := range p.entry.ways {
				assert.Equal(t, k.Kernel, w.Kernel)
			}
			learned(t, p)
			assert.Equal(t, k.Name, p.Kernel())
		}
	}
}

// A plan never settles for something that it did not list, whatever the times are, and every run writes what it
// should.
func TestLearningFromManyGoroutines(t *testing.T) {
	learningFrom(t, 0)
	const n = 20_001
	src := make([]byte, n)
	for i := range src {
		src[i] = byte(i / 2 * 7)
	}
	shared := planOf(t, everyOther(n))
	var wg sync.WaitGroup
	var wrong atomic.Int64
	for g := range 8 {
		wg.Go(func() {
			dst := make([]byte, (n+1)/2)
			for i := range 400 {
				p := shared
				var err error
				switch (g + i) % 4 {
				case 0:
					p, err = NewPlan(everyOther(n)) // an equal plan
				case 1:
					Forget() // evicts the entry while it settles
				case 2:
					err = Copy(dst, src, everyOther(n))
				}
				if err == nil {
					err = p.Run(dst, src)
				}
				if err == nil {
					_, _ = p.String(), p.Candidates()
				}
				for j := range dst {
					if err != nil || dst[j] != byte(j*7) {
						wrong.Add(1)
						return
					}
				}
				clear(dst)
			}
		})
	}
	wg.Wait()
	assert.Zero(t, wrong.Load())
}

// Runs do not allocate while they learn, nor when they settle or learn again, but for what settling notes.
func TestLearningDoesNotAllocate(t *testing.T) {
	p := several(t, 2, WithParallelism(1))
	setClock(t, p, 1, fastest(&p.entry.ways[1]))
	dst, src := make([]byte, p.DstSize()), make([]byte, p.SrcSize())
	yield.Before(math.MaxInt64) // the first time it allocates
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runs := 0
	for ; p.entry.settled.Load() == nil; runs++ {
		require.NoError(t, p.Run(dst, src))
	}
	runtime.ReadMemStats(&after)
	assert.Greater(t, runs, 10)
	assert.Less(t, after.Mallocs-before.Mallocs, uint64(runs), "only settling allocates")
}

// WithMeasure settles on memory of its own, as the runs of the plan would.
func TestMeasuredPlansHaveSettled(t *testing.T) {
	learningFrom(t, 0)
	for _, budget := range []time.Duration{-1, 0, 1} {
		assert.Empty(t, planOf(t, everyOther(40_001), WithMeasure(budget)).entry.known())
	}
	p := planOf(t, everyOther(400_001), WithMeasure(time.Hour))
	assert.NotNil(t, p.entry.settled.Load())
	assert.Equal(t, len(p.entry.ways) > 1, len(p.entry.measured) > 1)
	large := planOf(t, everyOther(maxScratch+1), WithMeasure(time.Hour), WithParallelism(1))
	assert.Empty(t, large.entry.known(), "takes more memory than there may be")
	measuring.Lock()
	defer measuring.Unlock()
	assert.Nil(t, planOf(t, everyOther(50_001), WithMeasure(time.Hour)).entry.known(), "another one is measured")
}

// Slices that run 200 times on one plan each write the same bytes in every run.
func TestEveryRunOfALearningPlan(t *testing.T) {
	slices := 300
	if testing.Short() || raceEnabled {
		slices = 40
	}
	rng := rand.New(rand.NewPCG(91, 91))
	settled := 0
	for range slices {
		learningFrom(t, 0)
		n, step := 1+rng.IntN(3000), 1+rng.IntN(9)
		rows, width := 1+rng.IntN(20), []DataType{Uint8, Uint16, Uint32, Uint64}[rng.IntN(4)]
		if rng.IntN(2) == 0 {
			step = -step
		}
		in := (n-1)*max(step, -step) + 1
		d := NewDesc(width, []int{rows, in}, Window{[]int{0, 0}, []int{rows, in}, []int{1, step}, []int{rows, n}})
		if rng.IntN(3) == 0 {
			d.Input.Strides = []int{1, rows}
		}
		p := planOf(t, d)
		src := make([]byte, p.SrcSize())
		for i := range src {
			src[i] = byte(rng.Uint32())
		}
		want := make([]byte, p.DstSize())
		require.NoError(t, planOf(t, d, WithKernel("go"), WithLearning(false)).Run(want, src))
		dst := make([]byte, p.DstSize())
		for run := range 200 {
			require.NoError(t, p.Run(dst, src))
			require.True(t, string(want) == string(dst), "run %d of %s", run, p)
			clear(dst)
		}
		if p.entry.settled.Load() != nil {
			settled++
		}
	}
	assert.Positive(t, settled)
}
