package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
)

// learnFrom is the least estimated time of a run, in picoseconds, for which it is worth trying
// several ways. To read the clock takes as long as a shorter run. It is a variable for tests.
var learnFrom int64 = 100_000

const (
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
	var last, times, start, after int64
	step = math.MaxInt64
	for start = nanotime(); after-start < int64(50*time.Microsecond) || step == math.MaxInt64; times++ {
		before := nanotime()
		after = nanotime()
		if took := after - before; took != last {
			step = min(step, max(took-last, last-took))
			last = took
		}
	}
	return step, (after - start) / times
})

// tell notes that the run that is timed took so many nanoseconds, or failed. If the clock is too
// coarse for the run, the comparison ends.
func (e *Entry) tell(took int64, err error) {
	step, timing := clocked()
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.tune.Drop()
		return
	}
	if took < minSteps*step {
		e.tune.Stop()
	} else {
		e.tune.Add(took)
		e.tune.Spend(timing)
	}
	best := e.tune.Best()
	e.best.Store(e.ways[best])
	if e.tune.Settled() && (best >= len(e.scouts) || e.scouts[best].tune.Settled()) {
		e.settle()
		return
	}
	if rest := e.tune.Rest(); rest > 0 {
		e.rest.Store(rest)
	}
	if next := e.tune.NextWay(); next < len(e.scouts) || e.ways[next] != e.next.Load() {
		e.next.Store(nil)
	}
}

// settle makes all runs take the best way and notes what was measured. It keeps other ways only
// while their programs are small enough. The caller holds mu.
func (e *Entry) settle() {
	e.measured = e.times()
	best := *e.ways[e.tune.Best()] // others may read the way itself
	kept, size := []*Way{&best}, e.bytesOf(&best)
	for _, c := range e.measured {
		for _, w := range e.ways {
			if more := size + e.bytesOf(w); w.Same(c) && !w.Same(best.Candidate) && more <= keptBytes && e.measured[0].Cost >= againFrom {
				kept, size = append(kept, w), more
			}
		}
	}
	best.learned = len(kept) > 1
	e.ways, e.scouts = kept, nil
	e.runs += int64(e.tune.Told())
	e.retry.Store(max(e.retry.Load(), e.runs) * patience)
	e.runsSince.Store(0)
	e.best.Store(&best)
	e.next.Store(&best)
	e.settled.Store(&best)
	theCache.resize(e, e.bytes())
}

// count counts the runs of an entry that has settled. After enough runs the entry learns again.
// For that it takes the turn: a run that has the turn reads the State without mu.
func (e *Entry) count() {
	if e.runsSince.Add(sampled) < e.retry.Load() || !e.turn.CompareAndSwap(false, true) {
		return
	}
	defer e.turn.Store(false)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.settled.Load() != nil {
		e.settled.Store(nil)
		e.begin(tune.RetryRounds)
	}
}

// times returns the ways with known times, the fastest first. A cost is the time of a run in
// picoseconds. The caller holds mu.
func (e *Entry) times() (cs []plan.Candidate) {
	add := func(w *Way, took int64, known bool) {
		if c := w.Candidate; known && !slices.ContainsFunc(cs, c.Same) {
			c.Cost = 1000 * took
			cs = append(cs, c)
		}
	}
	for i, w := range e.ways {
		took, known := e.tune.Time(i)
		add(w, took, known)
	}
	for _, s := range e.scouts {
		for i, w := range s.ways {
			took, known := s.tune.Time(i)
			add(w, plan.Times(took, nest.Bytes(&e.problem.Nest)/plan.BlockBytes), known)
		}
	}
	slices.SortStableFunc(cs, func(a, b plan.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// Known returns the ways that have been measured so far, the fastest first, like times. It waits
// for no run.
func (e *Entry) Known() []plan.Candidate {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.settled.Load() != nil {
		return e.measured
	}
	return e.times()
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
	values := &Values{Scale: []float32{1}, Bias: []float32{0}}
	if e.problem.staged() {
		dstHi += e.problem.Numbers.Dst.Size() - e.problem.Numbers.Src.Size()
	}
	if e.settled.Load() != nil || e.problem.Made > 0 || dstHi > maxScratch || srcHi-srcLo > min(maxScratch, int64(budget))-dstHi || !measuring.TryLock() {
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

// scout compares ways to run a large slice within runs of it: each block may run another way. Whole
// runs are slow, and there may be few of them. Each block counts as one run of its State. The mu of
// the entry guards it.
type scout struct {
	ways  []*Way
	tune  tune.State
	least int64 // the least time of a block so far, scaled to plan.BlockBytes; 0 before the first
}

const (
	// scoutRounds is the number of rounds in which blocks are compared.
	scoutRounds = 3
	// If the blocks of a scout take more than tooSlow times as long as those of the fastest scout,
	// the run goes on by that one. The run first fills the last-level cache, which the run before
	// may have left full of lines to write.
	tooSlow = 1.5
	// maxScouted is how many ways all scouts of an entry compare at most, besides packed ones.
	maxScouted = 13
)

// newScouts returns the scouts of a large slice, or none if it has only one way. Ways with
// non-temporal stores and ways without have a scout each, so that whole runs decide between them.
// Ordinary stores leave lines in the last-level cache that are written to memory while later blocks
// run. If a turn fills that cache, one scout compares all ways.
func newScouts(p *Problem) (scouts []*scout) {
	list := p.host().InBlocks(&p.Nest, p.Rules, maxScouted)
	if list[0].Blocks {
		list = append(list, p.Packed()...)
	}
	all := waysOf(list)
	if len(all) == 1 {
		return nil
	}
	together := tune.ShortTurn*plan.BlockBytes >= plan.ThisHost().L3
	for len(all) > 0 {
		s, nt := new(scout), all[0].NonTemporal
		all = slices.DeleteFunc(all, func(w *Way) bool {
			with := together || w.NonTemporal == nt
			if with {
				s.ways = append(s.ways, w)
			}
			return with
		})
		s.tune.Begin(len(s.ways), func(way int) bool { return s.ways[way].NonTemporal }, scoutRounds, tune.ShortTurn)
		scouts = append(scouts, s)
	}
	return scouts
}

// wayInTurn returns the way of the next block that is told to s. It may not be prepared. The caller
// holds mu.
func (s *scout) wayInTurn() *Way { return s.ways[s.tune.NextWay()] }

// nextWay returns wayInTurn, ready to run. The caller holds mu.
func (s *scout) nextWay(e *Entry) *Way { return e.prepare(s.wayInTurn(), nil) }

// compare runs a slice and tells scout i of e how long blocks take. It returns how long all blocks
// took, or would take. When the ways of the scout turn out to be far slower than those of the
// fastest scout, the rest of the blocks is for that one. The run is the one that is timed.
func (e *Entry) compare(ctx context.Context, i int, c *call, parallel bool) (took int64, err error) {
	s, best, filled := e.scouts[i], e.tune.Best(), plan.ThisHost().L3
	var rival *scout
	if best != i && best < len(e.scouts) {
		rival = e.scouts[best]
	}
	step, _ := clocked()
	whole := int64(0)
	for block, count := int64(0), int64(1); block < count && err == nil; block++ {
		e.mu.Lock()
		w := s.nextWay(e)
		e.mu.Unlock()
		goroutines := e.goroutines(w, parallel)
		blocks, numbers := w.InBlocks(goroutines)
		e.note(w)
		began := nanotime()
		err = w.shareParts(ctx, block*numbers, min((block+1)*numbers, w.Numbers()), goroutines, c)
		passed := nanotime() - began
		e.mu.Lock()
		switch {
		case err != nil:
			s.tune.Drop()
		case passed < minSteps*step:
			s.tune.Stop()
		default:
			scaled := int64(float64(passed) * float64(plan.BlockBytes) / float64(w.BlockBytes(block, numbers)))
			s.tune.Add(scaled)
			s.least = min(scaled, cmp.Or(s.least, scaled))
		}
		e.mu.Unlock()
		took += passed
		filled -= w.BlockBytes(block, numbers)
		if rival != nil && filled <= 0 && float64(s.least) > tooSlow*float64(rival.least) {
			whole, s, rival = took/(block+1)*blocks, rival, nil
		}
		count = blocks
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, s := range e.scouts {
		e.ways[i] = s.ways[s.tune.Best()]
	}
	return cmp.Or(whole, took), err
}
