package engine

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
)

// Whoever reads how a slice runs needs nothing of this file. Entry.learn asks the planner for other
// ways than the first choice, and Entry.runAndLearn runs them in turn until one has won.

// learnFrom is the least estimated time of a run, in picoseconds, from which on runs compare ways
// at once. Below it the first choice is timed first, see Entry.tellAlone. It is a variable for
// tests.
var learnFrom int64 = 100_000

const (
	// A first choice that is short by estimate has aloneRuns timed runs. Others are compared with
	// it only if each takes aloneCalls calls into C or more: other ways, and reading the clock,
	// take about one. Each also has to take half as long again as by estimate. Nine in ten of the
	// slices of bench -regret that are so short take less, on a Zen 4 that was fitted.
	aloneRuns, aloneCalls, aloneHalves = 3, 2, 3
	// alonePause is how many nanoseconds such a choice runs before the last of these runs. It is
	// six times what it takes to prepare two ways, about 3 microseconds each, and to compare them.
	// So the runs of a plan that runs a few hundred times, from memory outside the caches, pay for
	// little.
	alonePause = 100_000
	// keptBytes is how many bytes of programs an entry keeps at most when it has settled, unless
	// the best way alone has more.
	keptBytes = 10 << 10
	// againFrom is the least time of a run, in picoseconds, for which an entry that has settled
	// later looks again whether another way has become faster. For shorter runs it is not worth the
	// time to count them.
	againFrom = 1_000_000
	// patience says when an entry looks again whether another way has become faster: after this
	// many times the runs that it took to settle.
	patience = 1000
	// sampled: one in so many runs is counted.
	sampled = 1024
)

// minSteps is how many steps of the clock a run must take for its time to be trusted.
const minSteps = 20

// nanotime returns the time in nanoseconds. It is a variable so that tests can have their own
// clock.
var nanotime = clock

// clocked measures the clock, for 50 microseconds or more. It returns the least number of
// nanoseconds by which two measured durations differ, and how long it takes to time a run. It is a
// variable for tests.
var clocked = sync.OnceValues(func() (step, timing int64) {
	var previous, times, start, read int64
	step = math.MaxInt64
	for start = nanotime(); read-start < int64(50*time.Microsecond) || step == math.MaxInt64; times++ {
		began := nanotime()
		read = nanotime()
		if took := read - began; took != previous {
			step = min(step, max(took-previous, previous-took))
			previous = took
		}
	}
	return step, (read - start) / times
})

// A call into C is taken to last at least leastCall and at most mostCall picoseconds.
const (
	leastCall = 20_000
	mostCall  = 100_000
)

var measuredHost = sync.OnceValue(func() *plan.Host {
	h, strongest := plan.ThisHost(), plan.Go
	for _, k := range Kernels() {
		if k.Usable && k.number.CallsC() {
			strongest = k.number
		}
	}
	if took := callTime(strongest, clock); took > 0 {
		h = h.WithCall(took)
	}
	return h
})

// callTime returns how many picoseconds it takes to copy one byte by a loop in C of kernel k. It is
// the least of 64 tries of eight calls each, within leastCall and mostCall. It is 0 if k is not in
// C, or if the clock `timer` is too coarse to tell.
func callTime(k plan.Kernel, timer func() int64) int64 {
	if !k.CallsC() {
		return 0
	}
	pieces := plan.Cut(&nest.Nest{Width: 1}, plan.Stores{Cached: true}, plan.Cutting{})
	work := exec.Slice(&pieces, plan.ThisHost().Candidates(&pieces.Shapes[0], 1, &plan.Problem{Kernels: plan.OneKernel(k), Stores: plan.Stores{Cached: true}})[0], nil, nil)
	var dst, src byte
	shortest := int64(math.MaxInt64)
	for range 64 {
		began := timer()
		for range 8 {
			work.Slice(unsafe.Pointer(&dst), unsafe.Pointer(&src))
		}
		shortest = min(shortest, timer()-began)
	}
	if shortest <= 0 {
		return 0
	}
	return min(max(shortest*1000/8, leastCall), mostCall)
}

// learner is what an entry knows about its ways, and how it goes on to compare them.
type learner struct {
	best     atomic.Pointer[Way] // the way of runs that are not timed
	upcoming atomic.Pointer[Way] // the way of the run that is timed next, or nil if a turn begins
	rest     atomic.Int64        // if positive, how many runs take best before the next run is timed

	turn     atomic.Bool      // whether a run is timed, or the entry begins to learn again
	mu       sync.Mutex       // guards the other fields of this group; nobody holds it while a part runs. Who has the turn alone writes them, and needs no mu to read them
	ways     []*Way           // the first one is the first choice by estimate, or once settled the best
	tune     tune.State       // compares ways
	scouts   []*scout         // of a large slice: scouts[i] finds out, block by block, which way ways[i] is
	measured []plan.Candidate // what has been learned, the fastest first; a cost is the measured time of a run
	runs     int64            // how many runs it took to settle

	// A first choice that is short by estimate is alone at first.
	rivals []plan.Candidate // the ways that may be compared with it
	alone  int              // how many runs of the first choice are still timed before rivals are
	short  int64            // a run of fewer nanoseconds says that they need not be

	runsSince atomic.Int64 // about how many runs there were since it settled
	retry     atomic.Int64 // after how many it learns again
}

// bytes returns about how many bytes the learner of e takes with the ways that are prepared. The
// caller holds mu.
func (l *learner) bytes(e *Entry) int64 {
	size := int64(unsafe.Sizeof(*l)) + l.tune.Bytes() + int64(cap(l.rivals))*int64(unsafe.Sizeof(plan.Candidate{}))
	ways := l.ways
	for _, s := range l.scouts {
		ways = slices.Concat(ways, s.ways)
	}
	for _, w := range ways {
		size += int64(unsafe.Sizeof(*w)) + e.bytesOf(w)
	}
	return size
}

func waysOf(cs []plan.Candidate) []*Way {
	room, ways := make([]Way, len(cs)), make([]*Way, len(cs))
	for i, c := range cs {
		room[i].Candidate = c
		ways[i] = &room[i]
	}
	return ways
}

// learn makes e compare the ways that the planner offers besides the first choice, and reports
// whether there may be any. `ways` are what it listed, and `draft` is the program of the first of
// them. A first choice that is short by estimate is alone at first. A large slice that has several
// ways to run its blocks has these ways, which its scouts compare, and behind them those that only
// whole runs compare.
func (e *Entry) learn(ways []plan.Candidate, draft *program.Draft) bool {
	p, l, rounds := &e.problem, new(learner), tune.Rounds
	if ways[0].Cost < learnFrom {
		ways = host(p).OtherWays(p, ways)
		if len(ways) == 1 || !p.Kernels.Strongest().CallsC() {
			return false
		}
		step, timing := clocked()
		call := host(p).Costs.Sets[p.Kernels.Strongest()].Call
		l.ways, l.rivals, l.alone = waysOf(ways[:1]), ways[1:], aloneRuns
		l.short = max(max(aloneCalls*call, ways[0].Cost*aloneHalves/2)/1000+timing/2, minSteps*step) // a time includes reading the clock once
		l.best.Store(e.prepare(l.ways[0], draft))
		l.upcoming.Store(l.ways[0])
		e.learner = l
		return true
	}
	if plan.Large(&p.Nest) && !p.InStages() {
		if scouted, whole := host(p).InBlocks(p, ways[0], maxScouted); len(scouted) > 1 {
			l.scouts = newScouts(scouted)
			for _, s := range l.scouts {
				l.ways = append(l.ways, s.nextWay(e))
			}
			l.ways = append(l.ways, waysOf(whole)...)
			rounds = tune.RetryRounds
		}
	}
	if l.scouts == nil {
		if ways = host(p).OtherWays(p, ways); len(ways) == 1 {
			return false
		}
		l.ways = waysOf(ways)
		e.prepare(l.ways[0], draft)
	}
	e.learner = l
	e.begin(rounds)
	return true
}

// runAndLearn is Run of an entry that learns, or that may learn again.
func (e *Entry) runAndLearn(ctx context.Context, dst, src unsafe.Pointer, values *Values, parallel bool) error {
	w, timed := e.take()
	if !timed {
		e.note(w)
		return e.run(ctx, w, dst, src, values, parallel)
	}
	defer e.learner.turn.Store(false)
	if i := e.learner.tune.NextWay(); i < len(e.learner.scouts) {
		took, err := e.compare(ctx, i, &call{dst, src, *values}, parallel)
		e.tell(took, err)
		return err
	}
	e.note(w)
	began := nanotime()
	err := e.run(ctx, w, dst, src, values, parallel)
	took := nanotime() - began
	if e.learner.alone > 0 && err == nil {
		e.tellAlone(took)
	} else {
		e.tell(took, err)
	}
	return err
}

// take returns the way that a run takes, and whether the run is timed. If it is, the run clears
// turn when it ends.
func (e *Entry) take() (w *Way, timed bool) {
	if w = e.settled.Load(); w == nil && e.learner.rest.Load() > 0 && e.learner.rest.Add(-1) >= 0 {
		return e.learner.best.Load(), false
	}
	if w == nil && e.learner.turn.CompareAndSwap(false, true) {
		if w = e.settled.Load(); w == nil {
			return e.nextWay(), true
		}
		e.learner.turn.Store(false)
	}
	switch {
	case w == nil:
		w = e.learner.best.Load()
	case w.learned && rand.Uint32()%sampled == 0:
		e.count()
	}
	return w, false
}

// begin begins to compare the ways, in at most so many rounds. A turn is one run if the output has
// eight times the bytes of the third-level cache: such a run finds the caches alike after any way.
func (e *Entry) begin(rounds int) {
	turn := tune.Turn
	if e.problem.Bytes() >= 8*plan.ThisHost().L3 {
		turn = 1
	}
	e.learner.tune.Begin(len(e.learner.ways), func(way int) bool { return e.learner.ways[way].NonTemporal }, rounds, turn)
	e.learner.best.Store(e.learner.ways[0])
	e.learner.upcoming.Store(nil)
}

// wayInTurn returns the way of the next run that is timed. It may not be prepared. If no run is
// timed any more, it is the way of all runs. The caller holds mu.
func (e *Entry) wayInTurn() *Way {
	if w := e.settled.Load(); w != nil {
		return w
	}
	way := e.learner.tune.NextWay()
	if way < len(e.learner.scouts) {
		return e.learner.scouts[way].wayInTurn()
	}
	return e.learner.ways[way]
}

// nextWay returns the way of the next run that is timed, ready to run. If no run is timed any more,
// it is the way of all runs.
func (e *Entry) nextWay() *Way {
	if w := e.learner.upcoming.Load(); w != nil {
		return w
	}
	e.learner.mu.Lock()
	defer e.learner.mu.Unlock()
	w := e.wayInTurn()
	if !w.prepared {
		began := nanotime()
		e.prepare(w, nil)
		if e.learner.tune.NextWay() >= len(e.learner.scouts) {
			e.learner.tune.Prepared(nanotime() - began)
		}
	}
	e.learner.upcoming.Store(w)
	return w
}

// tell notes that the run that is timed took so many nanoseconds, or failed. If the clock is too
// coarse for the run, the comparison ends.
func (e *Entry) tell(took int64, err error) {
	step, timing := clocked()
	e.learner.mu.Lock()
	defer e.learner.mu.Unlock()
	if err != nil {
		e.learner.tune.Drop()
		return
	}
	if took < minSteps*step {
		e.learner.tune.Stop()
	} else {
		e.learner.tune.Add(took)
		e.learner.tune.Spend(timing)
	}
	best := e.learner.tune.Best()
	e.learner.best.Store(e.learner.ways[best])
	if e.learner.tune.Settled() && (best >= len(e.learner.scouts) || e.learner.scouts[best].tune.Settled()) {
		e.settle()
		return
	}
	if rest := e.learner.tune.Rest(); rest > 0 {
		e.learner.rest.Store(rest)
	}
	if way := e.learner.tune.NextWay(); way < len(e.learner.scouts) || e.learner.ways[way] != e.learner.upcoming.Load() {
		e.learner.upcoming.Store(nil)
	}
}

// tellAlone notes the time of a run of a first choice that is short by estimate. Estimates are
// right for processors that were fitted: elsewhere plain Go took 240 ns for what it should do in
// 70, and AVX-512 needed 72. So a single short run settles e, and if all are longer, e begins to
// compare the cheapest way of each other kernel. The caller has the turn.
func (e *Entry) tellAlone(took int64) {
	l := e.learner
	if took < l.short {
		l.alone = 0
		e.settled.Store(l.ways[0])
		return
	}
	switch l.alone--; l.alone {
	case 1:
		l.rest.Store(alonePause / took)
	case 0:
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, c := range l.rivals {
			if c.Cost <= 1000*took && !slices.ContainsFunc(l.ways, func(w *Way) bool { return w.Kernel == c.Kernel }) {
				l.ways = append(l.ways, &Way{Candidate: c})
			}
		}
		l.rivals = nil
		e.begin(tune.RetryRounds)
		theCache.grow(e, e.bytes()-e.size)
	}
}

// settle makes all runs take the best way and notes what was measured. It keeps other ways only
// while their programs are small enough. The caller holds mu.
func (e *Entry) settle() {
	e.learner.measured = e.times()
	best := *e.learner.ways[e.learner.tune.Best()] // others may read the way itself
	kept, size := []*Way{&best}, e.bytesOf(&best)
	for _, c := range e.learner.measured {
		for _, w := range e.learner.ways {
			if grown := size + e.bytesOf(w); w.SameWay(c) && !w.SameWay(best.Candidate) && grown <= keptBytes && e.learner.measured[0].Cost >= againFrom {
				kept, size = append(kept, w), grown
			}
		}
	}
	best.learned = len(kept) > 1
	e.learner.ways, e.learner.scouts = kept, nil
	e.learner.runs += int64(e.learner.tune.Told())
	e.learner.retry.Store(max(e.learner.retry.Load(), e.learner.runs) * patience)
	e.learner.runsSince.Store(0)
	e.learner.best.Store(&best)
	e.learner.upcoming.Store(&best)
	e.settled.Store(&best)
	theCache.grow(e, e.bytes()-e.size)
}

// count counts the runs of an entry that has settled. After enough runs the entry learns again.
// For that it takes the turn: a run that has the turn reads the State without mu.
func (e *Entry) count() {
	if e.learner.runsSince.Add(sampled) < e.learner.retry.Load() || !e.learner.turn.CompareAndSwap(false, true) {
		return
	}
	defer e.learner.turn.Store(false)
	e.learner.mu.Lock()
	defer e.learner.mu.Unlock()
	if e.settled.Load() != nil {
		e.settled.Store(nil)
		e.begin(tune.RetryRounds)
	}
}

// times returns the ways with known times, the fastest first. A cost is the time of a run in
// picoseconds. The caller holds mu.
func (e *Entry) times() (cs []plan.Candidate) {
	add := func(w *Way, took int64, known bool) {
		if c := w.Candidate; known && !slices.ContainsFunc(cs, c.SameWay) {
			c.Cost = 1000 * took
			cs = append(cs, c)
		}
	}
	for i, w := range e.learner.ways {
		took, known := e.learner.tune.Time(i)
		add(w, took, known)
	}
	for _, s := range e.learner.scouts {
		for i, w := range s.ways {
			took, known := s.tune.Time(i)
			add(w, plan.Times(took, nest.Bytes(&e.problem.Nest)/plan.BlockBytes), known)
		}
	}
	slices.SortStableFunc(cs, func(x, y plan.Candidate) int { return cmp.Compare(x.Cost, y.Cost) })
	return cs
}

// measuring is held while runs on scratch memory are timed. They would disturb each other.
var measuring sync.Mutex

// maxScratch is how many bytes of memory measure takes at most.
const maxScratch = 64 << 20

// measure runs e on scratch memory until e has settled or the budget is spent. It returns at once
// if that memory is more than maxScratch bytes or than a byte for each nanosecond of the budget, if
// the rows of the source are made, or while another entry is measured.
func (e *Entry) measure(budget time.Duration) {
	srcLo, srcHi, _, dstHi := nest.Span(&e.problem.Nest)
	srcSize, dstSize := e.problem.Sizes()
	dstHi += dstSize - srcSize
	values := &Values{Scale: []float32{1}, Bias: []float32{0}}
	if e.settled.Load() != nil || e.problem.Pitch > 0 || dstHi > maxScratch || srcHi-srcLo > min(maxScratch, int64(budget))-dstHi || !measuring.TryLock() {
		return
	}
	defer measuring.Unlock()
	end := time.Now().Add(budget)
	dst, src := written(dstHi), written(srcHi-srcLo)
	for e.settled.Load() == nil && time.Now().Before(end) {
		// unsafe: the nest counts from -srcLo bytes into src, so that its span is all of src.
		_ = e.Run(context.Background(), unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[-srcLo]), values, true) // never done, so no error
	}
}

// written returns n bytes and writes to every page of them. If they are many, they begin at a page.
// On Linux all pages that a program has only read are one and the same page of zeros, which the
// caches hold.
func written(n int64) []byte {
	const page = 4096
	b := make([]byte, n)
	for i := 0; i < len(b); i += page {
		b[i] = 1
	}
	return b
}
