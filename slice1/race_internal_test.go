package slice1

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// timekeeper replaces a measurer's clock: time passes only when a plan runs, by that plan's
// cost. Of several runs in a row it does one and counts the time of all.
type timekeeper struct {
	*measurer
	at   time.Duration               // what the clock shows
	cost func(p *Plan) time.Duration // of one run
	ran  int                         // runs that were counted
}

func newTimekeeper(cost func(p *Plan) time.Duration) *timekeeper {
	k := &timekeeper{measurer: newMeasurer(), cost: cost}
	k.now = func() time.Duration { return k.at }
	k.run = func(p *Plan, dst, src []byte, times int) {
		if err := p.Run(dst, src); err != nil {
			panic(err)
		}
		k.at += time.Duration(times) * k.cost(p)
		k.ran += times
	}
	return k
}

// raced returns a plan of d after choose, with a budget.
func (k *timekeeper) raced(t *testing.T, d *Desc, budget time.Duration, opts ...Option) *Plan {
	t.Helper()
	p, c := planned(t, d, opts...)
	c.budget = budget
	k.choose(p, c)
	return p
}

const us = time.Microsecond

func always(d time.Duration) func(*Plan) time.Duration {
	return func(*Plan) time.Duration { return d }
}

// either returns a cost for plans that run a given candidate, and another for all others.
func either(of plan.Candidate, cost, others time.Duration) func(*Plan) time.Duration {
	return func(p *Plan) time.Duration {
		if p.chosen.Is(of) {
			return cost
		}
		return others
	}
}

// row returns n bytes, forwards or backwards.
func row(n, step int) *Desc {
	return NewDesc(Uint8, []int{n}, Window{[]int{0}, []int{n}, []int{step}, []int{n}})
}

// reversed returns n bytes, backwards.
func reversed(n int) *Desc { return row(n, -1) }

// strongest is the strongest usable kernel.
var strongest = func() (best kernel) {
	for _, k := range kernels {
		if k.Usable {
			best = k
		}
	}
	return best
}()

// planned returns a plan of the strongest kernel with its configuration.
func planned(t *testing.T, d *Desc, opts ...Option) (*Plan, config) {
	t.Helper()
	c := configure(append([]Option{WithKernel(strongest.Name)}, opts...))
	p, err := newPlan(d, c)
	require.NoError(t, err)
	return p, c
}

// unmakeable is a candidate that fits contiguous rows alone.
var unmakeable = plan.Candidate{Kernel: strongest.Kernel}

// racersOf returns the number of racers of a plan, or 0 if it has no rivals.
func racersOf(p *Plan) int {
	if n := len(p.rivals()); n > 0 {
		return min(maxRacers, 1+n)
	}
	return 0
}

func TestTheFastestRacerIsChosenAndRemembered(t *testing.T) {
	d := reversed(4000)
	p, _ := planned(t, d)
	field := append([]plan.Candidate{p.chosen}, p.rivals()...)
	for _, fastest := range field[:max(1, racersOf(p))] {
		k := newTimekeeper(either(fastest, 7*us, 11*us))
		p := k.raced(t, d, 5*time.Millisecond)
		assert.True(t, p.chosen.Is(fastest), "%v, not %v", p.chosen, fastest)
		require.Len(t, p.measured, racersOf(p))

		ran := k.ran
		for _, budget := range []time.Duration{1, time.Hour} {
			again := k.raced(t, d, budget)
			assert.Equal(t, p.measured, again.measured)
			assert.True(t, again.chosen.Is(fastest))
		}
		assert.Equal(t, ran, k.ran, "what is remembered is not run")
		for i, m := range p.measured {
			assert.Equal(t, []int64{7e6, 11e6, 11e6, 11e6}[i], m.Cost)
		}
		assert.Equal(t, racersOf(p) > 0, ran > 0)
	}
}

func TestRoundsKeepToTheBudget(t *testing.T) {
	d := reversed(4000)
	plain, _ := planned(t, d)
	n := racersOf(plain)
	for _, e := range []struct {
		budget time.Duration
		rounds int // each of two runs of 30 us for each racer; one more run comes before the rounds
	}{
		{30*us + 2*time.Duration(n)*30*us*9, 9},
		{30*us + 2*time.Duration(n)*30*us*10 - 1, 9},
		{30*us + 2*time.Duration(n)*30*us*10, 10},
		{time.Hour, maxRounds},
		{1<<63 - 1, maxRounds},
	} {
		k := newTimekeeper(always(30 * us))
		p := k.raced(t, d, e.budget)
		assert.Len(t, p.measured, n, e.budget)
		if n > 0 {
			assert.Equal(t, 1+2*n*e.rounds, k.ran, e.budget)
		} else {
			assert.Zero(t, k.ran)
		}
	}
}

func TestAShortBudgetLeavesTheChoiceByEstimate(t *testing.T) {
	d := reversed(4000)
	before, _ := planned(t, d)
	for _, e := range []struct {
		name   string
		budget time.Duration
		cost   func(*Plan) time.Duration
	}{
		{"no memory", 100 * us, always(1)},
		{"a first run beyond it", time.Millisecond, always(time.Hour)},
		{"no round", 200 * us, always(30 * us)},
		{"half a round", time.Millisecond, either(before.chosen, 30*us, time.Millisecond)},
	} {
		k := newTimekeeper(e.cost)
		p := k.raced(t, d, e.budget)
		assert.True(t, p.chosen.Is(before.chosen), e.name)
		assert.Empty(t, p.measured, e.name)

		// A larger budget finds nothing remembered.
		k.cost = always(us)
		p = k.raced(t, d, time.Second)
		assert.Len(t, p.measured, racersOf(p), e.name)
	}
}

func TestRacersFarBehindAreRacedOnce(t *testing.T) {
	before, _ := planned(t, reversed(4000))
	n := racersOf(before)
	for _, e := range []struct {
		others time.Duration
		rounds int // in which the others take a turn
	}{{60 * us, maxRounds}, {61 * us, 1}} {
		runs, cost := map[bool]int{}, either(before.chosen, 30*us, e.others)
		k := newTimekeeper(func(p *Plan) time.Duration {
			runs[p.chosen.Is(before.chosen)]++
			return cost(p)
		})
		assert.Len(t, k.raced(t, reversed(4000), time.Second).measured, n)
		if n > 0 {
			assert.Equal(t, map[bool]int{true: 1 + 2*maxRounds, false: 2 * e.rounds * (n - 1)}, runs)
		}
	}
}

func TestShortRunsAreRepeated(t *testing.T) {
	k := newTimekeeper(always(us))
	p := k.raced(t, reversed(4000), time.Second)
	if n := racersOf(p); n > 0 {
		// 1 + 2 + 4 + 8 + 16 + 32 runs until a turn is long enough, then rounds of 1 + 32 runs
		// for each racer.
		assert.Equal(t, 63+n*maxRounds*33, k.ran)
		assert.Equal(t, int64(1e6), p.measured[0].Cost)
	}
}

// If the budget does not suffice for two rounds with the whole slice, a smaller sample is raced. The
// costs reported are those of the whole slice.
func TestLongRunsAreSampled(t *testing.T) {
	largest := int64(0)
	k := newTimekeeper(func(s *Plan) time.Duration {
		largest = max(largest, s.bytes)
		return time.Duration(s.bytes)
	})
	p := k.raced(t, reversed(16<<20), 64*time.Millisecond, WithParallelism(1))
	n := racersOf(p)
	require.Len(t, p.measured, n)
	for _, m := range p.measured {
		assert.Equal(t, int64(1000*(16<<20)), m.Cost)
	}
	if n > 0 {
		assert.Equal(t, int64(16<<20), largest, "the first run is of all that fits")
		assert.Greater(t, k.ran, 2*n)
		assert.LessOrEqual(t, k.at, 64*time.Millisecond)
	}
}

// There is no race if the sample is too small for the plan's own candidate, which here uses
// non-temporal stores if the kernel has them.
func TestASampleThatIsNotTheChoiceIsNotRaced(t *testing.T) {
	k := newTimekeeper(always(time.Second))
	p := k.raced(t, reversed(8<<20), time.Second+time.Millisecond, WithStreaming(1), WithParallelism(1))
	assert.Empty(t, p.measured)
	assert.LessOrEqual(t, k.ran, 2)
}

func TestRacersAreCandidatesThatCanBeMade(t *testing.T) {
	if strongest.Kernel == plan.Go {
		return // which runs all nests
	}
	p, c := planned(t, reversed(4000))
	racers := func(rivals ...plan.Candidate) (names []string) {
		for _, r := range p.racers(c, rivals, maxScratch, p.bytes) {
			names = append(names, r.known.String())
		}
		return names
	}
	want := racers(p.rivals()...)
	require.NotEmpty(t, want)
	assert.Equal(t, want, racers(append([]plan.Candidate{unmakeable}, p.rivals()...)...))
	assert.Empty(t, racers(unmakeable), "nobody to race")

	q, _ := planned(t, row(4000, 1))
	require.True(t, q.chosen.Is(unmakeable))
	p.chosen = q.chosen
	assert.Empty(t, racers(p.rivals()...), "the plan is what cannot be made")
}

func TestRacersAreOfTheKernelThatIsNamed(t *testing.T) {
	for _, k := range kernels {
		if !k.Usable {
			continue
		}
		for _, d := range []*Desc{reversed(4000), reversed(1 << 20)} {
			p, err := NewPlan(d, WithKernel(k.Name))
			require.NoError(t, err)
			for _, r := range p.rivals() {
				assert.Equal(t, k.Kernel, r.Kernel)
			}
		}
	}
	force(t, "")
	p, err := NewPlan(reversed(4000))
	require.NoError(t, err)
	others := slices.ContainsFunc(p.rivals(), func(r plan.Candidate) bool { return r.Kernel != p.chosen.Kernel })
	assert.Equal(t, usable != plan.Only(plan.Go) && !raceEnabled, others, "others race a kernel that is not named, but for the race detector")
}

func TestRacersStoreAsTheChoiceByEstimate(t *testing.T) {
	for _, from := range []int64{-1, 0, 1} {
		before, _ := planned(t, reversed(1<<20), WithStreaming(from))
		nt := before.chosen.NonTemporal
		assert.False(t, nt && from < 1)
		p := newTimekeeper(always(us)).raced(t, reversed(1<<20), time.Second, WithStreaming(from))
		assert.Len(t, p.measured, racersOf(before))
		for _, m := range p.measured {
			assert.Equal(t, nt, m.NonTemporal, m)
		}
	}
}

func TestOneRacesAtATimeWhileOthersWait(t *testing.T) {
	d := reversed(4000)
	k := newTimekeeper(always(us))
	k.racing <- struct{}{}
	p := k.raced(t, d, time.Millisecond)
	assert.Zero(t, k.ran, "another race took all of the budget")
	assert.Empty(t, p.measured)
	go func() { <-k.racing }()
	require.True(t, k.enter(time.Hour))
	<-k.racing

	// If another goroutine ends a race of the same shape before this one begins, its ranking is
	// taken.
	p, c := planned(t, d)
	ranking := []plan.Candidate{p.chosen}
	s := shapeOf(p, c)
	k.now = func() time.Duration {
		k.rankings.put(&s, ranking)
		return 0
	}
	p = k.raced(t, d, time.Hour)
	assert.Zero(t, k.ran)
	if racersOf(p) > 0 {
		assert.Equal(t, ranking, p.measured)
	}
	assert.Empty(t, k.racing)
}
