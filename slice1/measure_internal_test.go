package slice1

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// timekeeper replaces a measurer's clock: time passes by what runs cost, and by nothing else.
type timekeeper struct {
	*measurer
	at   time.Duration
	cost func(p *Plan) time.Duration // of one run
	ran  int
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

func always(d time.Duration) func(*Plan) time.Duration {
	return func(*Plan) time.Duration { return d }
}

// reversed returns n elements of one byte, backwards.
func reversed(n int) *Desc {
	return NewDesc(Uint8, []int{n}, Window{[]int{0}, []int{n}, []int{-1}, []int{n}})
}

// strongest is the strongest kernel that this host can run.
var strongest = func() (best plan.Kernel) {
	best = plan.Go
	for _, k := range kernels {
		if k.Usable && k.Kernel != plan.Vector {
			best = k.Kernel
		}
	}
	return best
}()

// planned returns a plan of the strongest kernel and how it was configured.
func planned(t *testing.T, d *Desc, opts ...Option) (*Plan, config) {
	t.Helper()
	var name string
	for _, k := range kernels {
		if k.Kernel == strongest {
			name = k.Name
		}
	}
	c := configure(append([]Option{WithKernel(name)}, opts...))
	p, err := newPlan(d, c)
	require.NoError(t, err)
	return p, c
}

func limited(c config, budget time.Duration) config {
	c.budget = budget
	return c
}

// unmakeable is a candidate that can run nothing but contiguous rows.
var unmakeable = plan.Candidate{Kernel: strongest}

// racersOf returns how many candidates of a plan race, 0 if there is no race.
func racersOf(p *Plan) int {
	if n := len(p.rivals()); n > 0 {
		return min(maxRacers, 1+n)
	}
	return 0
}

func TestTheFastestRacerIsChosenAndRemembered(t *testing.T) {
	d := reversed(4000)
	p, c := planned(t, d)
	c.budget = 5 * time.Millisecond
	field := append([]plan.Candidate{p.chosen}, p.rivals()...)
	field = field[:max(1, racersOf(p))]
	for _, fastest := range field {
		k := newTimekeeper(func(p *Plan) time.Duration {
			if p.chosen.Is(fastest) {
				return 7 * time.Microsecond
			}
			return 11 * time.Microsecond
		})
		p, _ := planned(t, d)
		k.choose(p, c)
		assert.True(t, p.chosen.Is(fastest), "%v, not %v", p.chosen, fastest)
		require.Len(t, p.measured, racersOf(p))

		ran := k.ran
		for _, budget := range []time.Duration{1, time.Hour} {
			again, _ := planned(t, d)
			k.choose(again, limited(c, budget))
			assert.Equal(t, p.measured, again.measured)
			assert.True(t, again.chosen.Is(fastest))
		}
		assert.Equal(t, ran, k.ran, "what is remembered is not run")
		if racersOf(p) == 0 {
			assert.Zero(t, ran)
			continue
		}
		var costs []int64
		for _, m := range p.measured {
			costs = append(costs, m.Cost)
		}
		assert.Equal(t, []int64{7e6, 11e6, 11e6, 11e6}[:len(costs)], costs)
	}
}

func TestRoundsKeepToTheBudget(t *testing.T) {
	d := reversed(4000)
	plain, c := planned(t, d)
	n := racersOf(plain)
	const us = time.Microsecond
	for _, e := range []struct {
		budget time.Duration
		rounds int // of two runs of 30 us for each racer, after a first run
	}{
		{30*us + 2*time.Duration(n)*30*us*9, 9},
		{30*us + 2*time.Duration(n)*30*us*10 - 1, 9},
		{30*us + 2*time.Duration(n)*30*us*10, 10},
		{time.Hour, maxRounds},
		{1<<63 - 1, maxRounds},
	} {
		p, _ := planned(t, d)
		k := newTimekeeper(always(30 * us))
		k.choose(p, limited(c, e.budget))
		if n == 0 {
			assert.Zero(t, k.ran)
			continue
		}
		assert.Equal(t, 1+2*n*e.rounds, k.ran, e.budget)
		assert.Len(t, p.measured, n, e.budget)
	}
}

func TestAShortBudgetLeavesTheChoiceByEstimate(t *testing.T) {
	d := reversed(4000)
	before, c := planned(t, d)
	chosen := before.chosen
	slow := func(p *Plan) time.Duration {
		if p.chosen.Is(chosen) {
			return 30 * time.Microsecond
		}
		return time.Millisecond
	}
	for _, e := range []struct {
		name   string
		budget time.Duration
		cost   func(*Plan) time.Duration
	}{
		{"no memory", 100 * time.Microsecond, always(1)},
		{"a first run beyond it", time.Millisecond, always(time.Hour)},
		{"no round", 200 * time.Microsecond, always(30 * time.Microsecond)},
		{"half a round", time.Millisecond, slow},
	} {
		p, _ := planned(t, d)
		k := newTimekeeper(e.cost)
		k.choose(p, limited(c, e.budget))
		assert.True(t, p.chosen.Is(chosen), e.name)
		assert.Empty(t, p.measured, e.name)

		// A larger budget finds nothing remembered.
		k.cost = always(time.Microsecond)
		k.choose(p, limited(c, time.Second))
		assert.Len(t, p.measured, racersOf(p), e.name)
	}
}

func TestRacersFarBehindAreRacedOnce(t *testing.T) {
	p, c := planned(t, reversed(4000))
	chosen, n := p.chosen, racersOf(p)
	for _, e := range []struct {
		others time.Duration
		rounds int // of them
	}{{60 * time.Microsecond, maxRounds}, {61 * time.Microsecond, 1}} {
		runs := map[bool]int{}
		k := newTimekeeper(func(p *Plan) time.Duration {
			runs[p.chosen.Is(chosen)]++
			if p.chosen.Is(chosen) {
				return 30 * time.Microsecond
			}
			return e.others
		})
		p, _ := planned(t, reversed(4000))
		k.choose(p, limited(c, time.Second))
		assert.Len(t, p.measured, n)
		if n > 0 {
			assert.Equal(t, map[bool]int{true: 1 + 2*maxRounds, false: 2 * e.rounds * (n - 1)}, runs)
		}
	}
}

func TestShortRunsAreRepeated(t *testing.T) {
	p, c := planned(t, reversed(4000))
	k := newTimekeeper(always(time.Microsecond))
	k.choose(p, limited(c, time.Second))
	if n := racersOf(p); n > 0 {
		// Once, then 1 + 2 + 4 + 8 + 16 + 32, less the first, then rounds of 1 + 32.
		assert.Equal(t, 63+n*maxRounds*33, k.ran)
		assert.Equal(t, int64(1e6), p.measured[0].Cost)
	}
}

// Of a slice that takes too long, a sample is raced that several rounds have time for,
// and costs are those of the slice.
func TestLongRunsAreSampled(t *testing.T) {
	p, c := planned(t, reversed(16<<20), WithParallelism(1))
	largest := int64(0)
	k := newTimekeeper(func(s *Plan) time.Duration {
		largest = max(largest, s.bytes)
		return time.Duration(s.bytes)
	})
	k.choose(p, limited(c, 64*time.Millisecond))
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

// A sample so small that the choice by estimate does not apply to it, non-temporal
// stores in this case, is not raced.
func TestASampleThatIsNotTheChoiceIsNotRaced(t *testing.T) {
	p, c := planned(t, reversed(8<<20), WithStreaming(1), WithParallelism(1))
	k := newTimekeeper(always(time.Second))
	k.choose(p, limited(c, time.Second+time.Millisecond))
	assert.Empty(t, p.measured)
	assert.LessOrEqual(t, k.ran, 2)
}

func TestRacersAreCandidatesThatCanBeMade(t *testing.T) {
	if strongest == plan.Go {
		return // which runs all nests
	}
	p, c := planned(t, reversed(4000))
	names := func(rs []racer) (names []string) {
		for _, r := range rs {
			names = append(names, r.known.String())
		}
		return names
	}
	want := names(p.racers(c, p.rivals(), maxScratch, p.bytes))
	require.NotEmpty(t, want)
	assert.Equal(t, want, names(p.racers(c, append([]plan.Candidate{unmakeable}, p.rivals()...), maxScratch, p.bytes)))
	assert.Empty(t, p.racers(c, []plan.Candidate{unmakeable}, maxScratch, p.bytes), "nobody to race")

	q, _ := planned(t, NewDesc(Uint8, []int{4000}, Window{[]int{0}, []int{4000}, []int{1}, []int{4000}}))
	require.True(t, q.chosen.Is(unmakeable))
	p.chosen = q.chosen
	assert.Empty(t, p.racers(c, p.rivals(), maxScratch, p.bytes), "the plan is what cannot be made")
}

func TestAPlanSettlesForTheFirstItCanBe(t *testing.T) {
	p, c := planned(t, reversed(4000))
	assert.False(t, p.settle(nil, c))
	field := append(p.rivals(), p.chosen)
	first := field[0]
	if strongest != plan.Go {
		before := p.chosen
		assert.False(t, p.settle([]plan.Candidate{unmakeable}, c))
		assert.True(t, p.chosen.Is(before))
		field = append([]plan.Candidate{unmakeable}, field...)
	}
	assert.Empty(t, p.measured)
	require.True(t, p.settle(field, c))
	assert.Equal(t, field, p.measured)
	assert.True(t, p.chosen.Is(first))
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
		p, c := planned(t, reversed(1<<20), WithStreaming(from))
		nt := p.chosen.NonTemporal
		assert.False(t, nt && from < 1)
		newTimekeeper(always(time.Microsecond)).choose(p, limited(c, time.Second))
		assert.Len(t, p.measured, racersOf(p))
		for _, m := range p.measured {
			assert.Equal(t, nt, m.NonTemporal, m)
		}
	}
}

func TestOneRacesAtATimeWhileOthersWait(t *testing.T) {
	d := reversed(4000)
	p, c := planned(t, d)
	k := newTimekeeper(always(time.Microsecond))
	k.racing <- struct{}{}
	k.choose(p, limited(c, time.Millisecond))
	assert.Zero(t, k.ran, "another race took all of the budget")
	assert.Empty(t, p.measured)
	go func() { <-k.racing }()
	require.True(t, k.enter(time.Hour))
	<-k.racing

	// The race waited for may have been of this shape.
	ranking := []plan.Candidate{p.chosen}
	s := shapeOf(p, c)
	k.now = func() time.Duration {
		k.rankings.put(&s, ranking)
		return 0
	}
	k.choose(p, limited(c, time.Hour))
	assert.Zero(t, k.ran)
	if racersOf(p) > 0 {
		assert.Equal(t, ranking, p.measured)
	}
	assert.Empty(t, k.racing)
}

func TestMemoryIsWrittenAndUsedAgain(t *testing.T) {
	p, _ := planned(t, reversed(300_000))
	r := race{measurer: newMeasurer(), racers: []racer{{plan: p}}}
	for i := 0; i < 5; i++ {
		free := r.getMemory()
		require.Len(t, r.dst, 300_000)
		require.Len(t, r.src, 300_000)
		for at := 0; at < len(r.src); at += pageBytes {
			require.NotZero(t, r.src[at])
		}
		free()
	}
	small, _ := planned(t, reversed(10))
	r.racers[0].plan = small
	r.getMemory()
	assert.Len(t, r.dst, 10)
	assert.Len(t, r.src, 10)
}

// spread returns a descriptor with memory strides.
func spread(t DataType, window Window, sizes, src, dst []int) *Desc {
	d := NewDesc(t, sizes, window)
	d.Input.Strides, d.Output.Strides = src, dst
	return d
}

// sampled are slices of all sizes, whose sources begin and end anywhere.
func sampled() []*Desc {
	all := []*Desc{
		reversed(1), reversed(4000), reversed(600_000), reversed(64 << 20),
		NewDesc(Uint16, []int{1 << 20}, Window{[]int{3}, []int{1<<20 - 3}, []int{-2}, []int{1000}}),
		NewDesc(Float64, []int{3, 1 << 20}, Window{[]int{1, 5}, []int{2, 1<<20 - 5}, []int{-1, 7}, []int{2, 149000}}),
		spread(Float32, Window{[]int{0, 0}, []int{4096, 4096}, []int{1, 1}, []int{4096, 4096}}, []int{4096, 4096}, []int{1, 4096}, nil),
		spread(Uint8, Window{[]int{0, 0}, []int{90, 4096}, []int{1, -1}, []int{90, 4096}}, []int{90, 4096}, []int{1 << 24, 1}, []int{5000, 1}),
		spread(Uint8, Window{[]int{0, 7}, []int{1, 50_000}, []int{1, 1}, []int{1, 50_000}}, []int{3, 60_000}, []int{0, 0}, []int{1, 90}),
	}
	if far := int64(1) << 40; int64(int(far)) == far {
		big := int(far)
		all = append(all,
			spread(Int8, Window{[]int{0, 0}, []int{1 << 20, 1 << 20}, []int{1, 1}, []int{1 << 20, 1 << 20}}, []int{1 << 20, 1 << 20}, []int{1, big}, []int{big, 1}),
			spread(Int8, Window{[]int{0, 0}, []int{2, 3}, []int{1, 1}, []int{2, 3}}, []int{2, 3}, []int{big, big << 20}, []int{big << 20, big}))
	}
	return all
}

func TestSamplesFitTheirMemory(t *testing.T) {
	for i, d := range sampled() {
		p, c := planned(t, d)
		least := min(p.bytes, plan.PartBytes) / 8
		for _, room := range []int64{0, 1, 200_000, 1 << 20, maxScratch} {
			q := p.sample(room, p.bytes)
			if q == nil {
				continue
			}
			assert.LessOrEqual(t, q.dstSize+q.srcSize+2*largeBytes, room+nest.Line)
			for most := p.bytes; most > 0; most /= 3 {
				s := p.sample(room, most)
				what := fmt.Sprintf("slice %d, room %d, most %d: %+v", i, room, most, s.nest)
				assert.LessOrEqual(t, s.dstSize, q.dstSize, what)
				assert.LessOrEqual(t, s.srcSize, q.srcSize, what)
				assert.GreaterOrEqual(t, s.bytes, least, what)
				assert.LessOrEqual(t, s.bytes, max(most, 2*least), what)
				assert.Equal(t, nest.Bytes(&s.nest), s.bytes, what)
				lo, _, _, _ := nest.Span(&s.nest)
				assert.Zero(t, lo, what)
				assert.Less(t, s.home, nest.Line, what)

				made := s.as(p.chosen, c)
				if made == nil {
					continue
				}
				require.NoError(t, made.Run(make([]byte, s.dstSize), make([]byte, s.srcSize)), what)
			}
		}
	}
}

func TestASampleKeepsItsPlaceInALine(t *testing.T) {
	p, _ := planned(t, NewDesc(Uint16, []int{10_000}, Window{[]int{100}, []int{9000}, []int{-2}, []int{1000}}))
	// The last byte taken first is that of element 9099, the first byte that of 9099 - 1998.
	assert.Equal(t, (9099-1998)*2%64, p.sample(maxScratch, p.bytes).home)
}

func TestASliceThatDoesNotFitHasNoSample(t *testing.T) {
	one, _ := planned(t, reversed(1))
	assert.Nil(t, one.sample(2*largeBytes+1, 1))
	assert.NotNil(t, one.sample(2*largeBytes+2, 1))
	eight := NewDesc(Float64, []int{1}, Window{[]int{0}, []int{1}, []int{1}, []int{1}})
	p, _ := planned(t, eight)
	assert.Nil(t, p.sample(0, 8))
	wide, _ := planned(t, spread(Uint8, Window{[]int{0, 0}, []int{20, 1}, []int{1, 1}, []int{20, 1}}, []int{20, 1}, []int{16 << 20, 1}, nil))
	assert.Equal(t, int64(3), wide.sample(maxScratch, 20).bytes)
	wider, _ := planned(t, spread(Uint8, Window{[]int{0, 0}, []int{20, 1}, []int{1, 1}, []int{20, 1}}, []int{20, 1}, []int{64 << 20, 1}, nil))
	assert.Nil(t, wider.sample(maxScratch, 20))
}

// A sample runs on as many goroutines as its plan, though it may be too small to take as
// many by itself.
func TestASampleRunsOnAsManyGoroutines(t *testing.T) {
	p, c := planned(t, reversed(16<<20))
	if p.parts == nil || racersOf(p) == 0 {
		return
	}
	p.parts.workers = 3
	for _, r := range p.racers(c, p.rivals(), maxScratch, 2<<20) {
		assert.Equal(t, 3, r.plan.workers())
	}
	for _, r := range p.racers(c, p.rivals(), maxScratch, plan.PartBytes*2) {
		assert.Equal(t, int(min(3, r.plan.parts.Count)), r.plan.workers())
	}
}

func TestShapesAreEqualWhereRacesWouldBe(t *testing.T) {
	of := func(d *Desc, opts ...Option) shape {
		p, err := NewPlan(d, opts...)
		require.NoError(t, err)
		return shapeOf(p, configure(opts))
	}
	flip := func(offset, extent int) *Desc {
		return NewDesc(Uint8, []int{5000}, Window{[]int{offset}, []int{extent}, []int{-1}, []int{extent}})
	}
	plain := of(flip(0, 4000))
	assert.Equal(t, plain, of(flip(17, 4000)), "offsets")
	assert.Equal(t, plain, of(flip(0, 4000), WithMeasure(time.Second)), "budgets")
	assert.Equal(t, plain, of(flip(0, 4000), WithParallelism(7)), "limits that are not reached")
	box := []int{40, 100}
	assert.Equal(t, plain, of(NewDesc(Uint8, box, Window{[]int{0, 0}, box, []int{-1, -1}, box})), "descriptors of one nest")
	assert.NotEqual(t, plain, of(flip(0, 3999)), "extents")
	assert.NotEqual(t, plain, of(flip(0, 4000), WithStreaming(-1)), "stores")
	assert.Equal(t, usable != plan.Only(plan.Go) && !raceEnabled, plain != of(flip(0, 4000), WithKernel("go")), "kernels")
	several, err := NewPlan(reversed(16 << 20))
	require.NoError(t, err)
	before := shapeOf(several, config{})
	several.parts.workers++
	assert.NotEqual(t, before, shapeOf(several, config{}), "goroutines")
}

func TestTheShapeNotUsedForLongestIsForgotten(t *testing.T) {
	var r rankings
	at := func(i int) *shape { return &shape{workers: i} }
	ranking := func(i int) []plan.Candidate { return []plan.Candidate{{Cost: int64(i)}} }
	assert.Nil(t, r.get(at(0)))
	for i := range maxShapes {
		r.put(at(i), ranking(i))
	}
	for i := range maxShapes {
		require.Equal(t, ranking(i), r.get(at(i)))
	}
	assert.Equal(t, ranking(0), r.get(at(0)))
	r.put(at(maxShapes), ranking(maxShapes))
	assert.Nil(t, r.get(at(1)))
	for _, i := range []int{0, 2, 3, maxShapes - 1, maxShapes} {
		assert.Equal(t, ranking(i), r.get(at(i)))
	}
	r.put(at(2), ranking(22))
	assert.Equal(t, ranking(22), r.get(at(2)), "the later race counts")
	assert.Equal(t, maxShapes, r.all.Len())
	assert.Len(t, r.of, maxShapes)
}
