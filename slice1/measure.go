package slice1

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

const (
	maxRacers  = 4        // candidates of a race, at most
	maxScratch = 64 << 20 // bytes of source and destination together, at most
	maxRounds  = 16       // rounds of a race, at most
	fewRounds  = 2        // rounds for which the budget must suffice; else the sample is made smaller
	// leastTurn is the time that a turn of the first racer takes at least, if the budget suffices.
	// It is long compared with the resolution of clocks.
	leastTurn = 20 * time.Microsecond
)

// measurer races candidates, one race at a time, and remembers the rankings.
type measurer struct {
	rankings rankings
	racing   chan struct{}                             // holds an element during a race
	scratch  sync.Pool                                 // of *scratch
	now      func() time.Duration                      // the clock
	run      func(p *Plan, dst, src []byte, times int) // runs p as often as times says
}

func newMeasurer() *measurer {
	start := time.Now()
	return &measurer{
		racing: make(chan struct{}, 1),
		now:    func() time.Duration { return time.Since(start) },
		run: func(p *Plan, dst, src []byte, times int) {
			for range times {
				p.Run(dst, src) // returns no error, since the buffers are made for p
			}
		},
	}
}

var theMeasurer = newMeasurer()

// choose makes p run the winner of the race of its shape. If no race of the shape is
// remembered, choose holds one, for about c.budget at most. p stays as it is if it has no
// rivals, if the budget does not suffice, or if race returns no ranking.
func (m *measurer) choose(p *Plan, c config) {
	s := shapeOf(p, c)
	if p.settle(m.rankings.get(&s), c) {
		return
	}
	start := m.now()
	left := func() time.Duration { return c.budget - (m.now() - start) }
	rivals := p.rivals()
	if len(rivals) == 0 || !m.enter(left()) {
		return
	}
	defer func() { <-m.racing }()
	if p.settle(m.rankings.get(&s), c) { // another goroutine raced this shape meanwhile
		return
	}
	if ranking := m.race(p, c, rivals, left); p.settle(ranking, c) {
		m.rankings.put(&s, ranking)
	}
}

// enter waits until no race is running, for at most the given time, and reports whether the
// caller may race. After it returns true, the caller leaves by receiving from m.racing.
func (m *measurer) enter(most time.Duration) bool {
	select {
	case m.racing <- struct{}{}:
		return true
	default:
	}
	wait := time.NewTimer(most)
	defer wait.Stop()
	select {
	case m.racing <- struct{}{}:
		return true
	case <-wait.C:
		return false
	}
}

// settle makes the plan run the first candidate of a ranking that can run its nest. It reports
// whether the ranking has one.
func (p *Plan) settle(ranking []plan.Candidate, c config) bool {
	for _, known := range ranking {
		if !known.Is(p.chosen) {
			q := p.as(known, c)
			if q == nil {
				continue
			}
			*p = *q
		}
		p.measured = ranking
		return true
	}
	return false
}

// rivals returns the candidates that may replace the plan's, cheapest first. Like the plan's,
// all use non-temporal stores or none does: what these are worth shows only in slices larger
// than a sample, and when the output is read next.
func (p *Plan) rivals() []plan.Candidate {
	return slices.DeleteFunc(p.candidates(), func(r plan.Candidate) bool {
		return r.Is(p.chosen) || r.NonTemporal != p.chosen.NonTemporal
	})
}

// race lets the plan's candidate and the first of its rivals take turns at a sample of the
// plan. It returns these candidates, fastest first, with the time that each would take for the
// plan as its cost. It returns nil if there is no sample, if no rival can run it, or if the
// time does not suffice for one turn of each.
func (m *measurer) race(p *Plan, c config, rivals []plan.Candidate, left func() time.Duration) []plan.Candidate {
	// A byte for each nanosecond left: to allocate it takes less than that.
	room := min(maxScratch, int64(left()))
	r := race{measurer: m, left: left, racers: p.racers(c, rivals, room, p.bytes), times: 1}
	if r.racers == nil {
		return nil
	}
	free := r.getMemory()
	defer free()
	took := r.time(0, 1)
	if most := left() / time.Duration(2*fewRounds*len(r.racers)); took > most {
		bytes := r.racers[0].plan.bytes * max(0, int64(most)) / int64(took)
		if r.racers = p.racers(c, rivals, room, bytes); r.racers == nil {
			return nil
		}
		took = r.time(0, 1)
	}
	for took < leastTurn && left() > 0 {
		r.times *= 2
		took = r.time(0, r.times)
	}
	round := 2 * took * time.Duration(len(r.racers))
	for n := 0; n < maxRounds && round <= left(); n++ {
		round = r.round()
	}
	return r.ranking(p.bytes)
}

// race is a race of candidates of a plan on one sample.
type race struct {
	*measurer
	left     func() time.Duration // returns what is left of the budget
	racers   []racer              // the first is the choice by estimate
	dst, src []byte
	times    int           // runs in a turn
	least    time.Duration // the least time of all turns, 0 before the first
}

type racer struct {
	known plan.Candidate
	plan  *Plan         // the sample, which runs by known
	least time.Duration // the least time of its turns, 0 before the first
}

// time runs the sample of racer i the given number of times, and returns how long that took,
// at least 1 ns.
func (r *race) time(i, times int) time.Duration {
	start := r.now()
	r.run(r.racers[i].plan, r.dst, r.src, times)
	return max(1, r.now()-start)
}

// round gives a turn to each racer whose least time is at most twice that of the fastest, while
// there is time left. It returns how long the round took.
func (r *race) round() time.Duration {
	start := r.now()
	for i := range r.racers {
		if r.left() <= 0 {
			break
		}
		at := &r.racers[i]
		if at.least > 2*r.least {
			continue
		}
		r.time(i, 1) // brings its code and data into the caches
		took := r.time(i, r.times)
		if at.least == 0 || took < at.least {
			at.least = took
		}
		if r.least == 0 || took < r.least {
			r.least = took
		}
	}
	return r.now() - start
}

// ranking returns the racers' candidates with their costs for a plan that copies the given
// number of bytes, cheapest first. It returns nil if a racer has had no turn.
func (r *race) ranking(bytes int64) (ranking []plan.Candidate) {
	for _, c := range r.racers {
		if c.least == 0 {
			return nil
		}
		c.known.Cost = max(1, int64(1000*float64(c.least)/float64(r.times)*float64(bytes)/float64(c.plan.bytes))) // at least 1, since a clock may be coarse
		ranking = append(ranking, c.known)
	}
	slices.SortStableFunc(ranking, func(a, b plan.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return ranking
}

// racers returns at most maxRacers racers, for the plan's candidate and the first of its rivals
// that can run p.sample(room, most). It returns nil if there is no such sample, if the plan's
// candidate cannot run it, or if no rival can.
func (p *Plan) racers(c config, rivals []plan.Candidate, room, most int64) (rs []racer) {
	sample, chosen := p.sample(room, most), p.chosen
	if sample == nil {
		return nil
	}
	for _, known := range append([]plan.Candidate{chosen}, rivals...) {
		if len(rs) == maxRacers {
			break
		}
		q := sample.as(known, c)
		if q == nil {
			continue
		}
		if q.parts != nil {
			q.parts.workers = int(min(int64(p.workers()), q.parts.Count))
		}
		rs = append(rs, racer{known: known, plan: q})
	}
	if len(rs) < 2 || !rs[0].known.Is(chosen) {
		return nil
	}
	return rs
}
