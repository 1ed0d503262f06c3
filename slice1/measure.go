package slice1

import (
	"cmp"
	"container/list"
	"slices"
	"sync"
	"time"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

const (
	maxRacers  = 4
	maxScratch = 64 << 20 // bytes of source and destination together
	maxShapes  = 1024     // whose rankings are remembered
	maxRounds  = 16       // of a race
	fewRounds  = 2        // for which a sample is made small enough
	// leastTurn is long beside the resolution of clocks.
	leastTurn = 20 * time.Microsecond
	pageBytes = 4096
	// largeBytes is an allocation that begins where a page does.
	largeBytes = 64 << 10
)

// measurer races candidates, one race at a time, and remembers the rankings.
type measurer struct {
	rankings rankings
	racing   chan struct{} // holds an element during a race
	scratch  sync.Pool     // of *scratch
	now      func() time.Duration
	run      func(p *Plan, dst, src []byte, times int)
}

func newMeasurer() *measurer {
	start := time.Now()
	return &measurer{
		racing: make(chan struct{}, 1),
		now:    func() time.Duration { return time.Since(start) },
		run: func(p *Plan, dst, src []byte, times int) {
			for range times {
				p.Run(dst, src) // without error, since the buffers are made for it
			}
		},
	}
}

var theMeasurer = newMeasurer()

// choose makes p the fastest of its candidates, as a race of its shape found. If there
// was none yet, it holds one, for up to the budget.
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
	if p.settle(m.rankings.get(&s), c) { // by who raced while this waited
		return
	}
	if ranking := m.race(p, c, rivals, left); p.settle(ranking, c) {
		m.rankings.put(&s, ranking)
	}
}

// enter waits for the end of a race, if there is one, and reports whether the next may begin.
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

// settle makes the plan the first of a ranking that it can be, and reports whether there
// is one.
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

// rivals returns the candidates that the plan could be instead of the one it is, cheapest
// first. They store as it does: what non-temporal stores save or cost those who read the
// output next, or a slice larger than its sample, no race would tell.
func (p *Plan) rivals() []plan.Candidate {
	return slices.DeleteFunc(p.candidates(), func(r plan.Candidate) bool {
		return r.Is(p.chosen) || r.NonTemporal != p.chosen.NonTemporal
	})
}

// race has the plan's candidate and the first of its rivals take turns at a sample of the
// plan and returns them with the times they take for the plan, fastest first. It returns
// nil if the time left allows not one turn of each.
func (m *measurer) race(p *Plan, c config, rivals []plan.Candidate, left func() time.Duration) []plan.Candidate {
	// To get memory takes less than a nanosecond for each byte.
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

// race is a race of a plan's candidates on one sample.
type race struct {
	*measurer
	left     func() time.Duration // of the budget
	racers   []racer              // the choice by estimate is the first
	dst, src []byte
	times    int           // runs of a turn
	least    time.Duration // of all turns
}

type racer struct {
	known plan.Candidate
	plan  *Plan         // the sample
	least time.Duration // of its turns, 0 before the first
}

// time returns how long `times` runs of racer i take.
func (r *race) time(i, times int) time.Duration {
	start := r.now()
	r.run(r.racers[i].plan, r.dst, r.src, times)
	return max(1, r.now()-start)
}

// round gives each racer a turn while there is time left, but for those that took more than
// twice as long as the fastest. It returns how long it took.
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
		r.time(i, 1) // which leaves the caches to it
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

// ranking returns the racers as candidates with what they cost for a plan that copies so
// many bytes, cheapest first, or nil if one has had no turn.
func (r *race) ranking(bytes int64) (ranking []plan.Candidate) {
	for _, c := range r.racers {
		if c.least == 0 {
			return nil
		}
		c.known.Cost = max(1, int64(1000*float64(c.least)/float64(r.times)*float64(bytes)/float64(c.plan.bytes))) // a clock may be coarse
		ranking = append(ranking, c.known)
	}
	slices.SortStableFunc(ranking, func(a, b plan.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return ranking
}

// getMemory gives the race buffers, and returns a function that takes them back.
func (r *race) getMemory() (free func()) {
	p := r.racers[0].plan
	b, _ := r.scratch.Get().(*scratch)
	if b == nil || int64(len(b.dst)) < p.dstSize || int64(len(b.src)) < p.srcSize {
		b = &scratch{written(p.dstSize), written(p.srcSize)}
	}
	r.dst, r.src = b.dst[:p.dstSize], b.src[:p.srcSize]
	return func() { r.scratch.Put(b) }
}

// scratch is what samples slice.
type scratch struct{ dst, src []byte }

// written returns at least n bytes, which begin where a page does, since large allocations
// do. Each page has been written to: those that are only read are all the same page of
// zeros on Linux, which caches hold.
func written(n int64) []byte {
	b := make([]byte, max(n, largeBytes))
	for i := 0; i < len(b); i += pageBytes {
		b[i] = 1
	}
	return b
}

// racers returns the plan's candidate and the first of its rivals, at a sample of the plan
// that touches at most room bytes and copies about most bytes, or nil if there are not two.
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

// sample returns the plan with loops cut short, so that it touches at most room bytes and
// copies about most bytes, ready for as. It copies no less than an eighth of the plan or of
// a part of one; if that does not fit, sample returns nil.
func (p *Plan) sample(room, most int64) *Plan {
	q := *p
	n := &q.nest
	least := min(p.bytes, plan.PartBytes) / 8
	for !narrow(n, room) || nest.Bytes(n) > max(most, 2*least) {
		d := furthest(n)
		if d == nil || nest.Bytes(n) < 2*least {
			return nil
		}
		d.Extent = (d.Extent + 1) / 2
	}
	dims := slices.DeleteFunc(n.Dims[:n.Rank], func(d nest.Dim) bool { return d.Extent == 1 })
	n.Rank = int32(len(dims))
	nest.Normalize(n)
	q.bytes = nest.Bytes(n)

	// The source begins where a line does, as far before the first byte taken as in p.
	srcLo, srcHi, _, dstHi := nest.Span(n)
	q.home = int((int64(p.home) + srcLo) % nest.Line)
	n.SrcOff -= srcLo
	q.srcSize, q.dstSize = int64(q.home)+srcHi-srcLo, dstHi
	q.ahead, q.apart = uintptr(dstHi-1), uintptr(srcHi-srcLo+dstHi-1)
	return &q
}

// narrow reports whether source and destination of n, each allocated for itself, fit `room`
// bytes.
func narrow(n *nest.Nest, room int64) bool {
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	return srcHi-srcLo <= room-2*largeBytes-(dstHi-dstLo)
}

// furthest returns the loop of n that goes furthest on either side, nil if none goes on.
func furthest(n *nest.Nest) (far *nest.Dim) {
	most := int64(0)
	for i := range n.Dims[:n.Rank] {
		d := &n.Dims[i]
		if reach := max(d.Src, -d.Src, d.Dst) * (d.Extent - 1); reach > most {
			far, most = d, reach
		}
	}
	return far
}

// workers returns how many goroutines run the plan.
func (p *Plan) workers() int {
	if p.parts == nil {
		return 1
	}
	return p.parts.workers
}

// shape is what plans of one ranking have in common.
type shape struct {
	nest      nest.Nest // its offsets are 0
	kernels   plan.Kernels
	workers   int
	streaming int64
}

func shapeOf(p *Plan, c config) shape {
	s := shape{kernels: p.work.Kernels, workers: p.workers(), streaming: c.streaming}
	s.nest.Width, s.nest.Rank = p.nest.Width, p.nest.Rank
	copy(s.nest.Dims[:], p.nest.Dims[:p.nest.Rank])
	return s
}

// rankings are those of the shapes used last.
type rankings struct {
	mu  sync.Mutex
	of  map[shape]*list.Element
	all list.List // of *remembered, the last used first
}

type remembered struct {
	shape
	ranking []plan.Candidate
}

// get returns the ranking of a shape, nil if there is none.
func (r *rankings) get(s *shape) []plan.Candidate {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.of[*s]
	if e == nil {
		return nil
	}
	r.all.MoveToFront(e)
	return e.Value.(*remembered).ranking
}

// put remembers the ranking of a shape. Of too many it forgets the one not used for longest.
func (r *rankings) put(s *shape, ranking []plan.Candidate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[shape]*list.Element{}
	}
	if e := r.of[*s]; e != nil {
		r.all.Remove(e)
	}
	r.of[*s] = r.all.PushFront(&remembered{*s, ranking})
	if r.all.Len() > maxShapes {
		last := r.all.Remove(r.all.Back()).(*remembered)
		delete(r.of, last.shape)
	}
}
