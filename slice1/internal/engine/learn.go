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
	// keptPrograms is how many programs an entry keeps at most when it has settled, unless the best
	// way alone has more.
	keptPrograms = 4
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

// step returns the least number of nanoseconds by which two measured durations differ. timing
// returns how long it takes to time a run. They are variables for tests.
var (
	step   = func() int64 { s, _ := clocked(); return s }
	timing = func() int64 { _, t := clocked(); return t }
)

// clocked measures step and timing, for a millisecond or more.
var clocked = sync.OnceValues(func() (smallest, timing int64) {
	var last, times, start, after int64
	smallest = math.MaxInt64
	for start = nanotime(); after-start < int64(time.Millisecond) || smallest == math.MaxInt64; times++ {
		before := nanotime()
		after = nanotime()
		if took := after - before; took != last {
			smallest = min(smallest, max(took-last, last-took))
			last = took
		}
	}
	return smallest, (after - start) / times
})

// making is about how many nanoseconds it takes to make a program. That takes 0.1 to 1 microsecond,
// or 20 microseconds where its memory is new.
const making = 4000

// tell notes that the run that is timed took so many nanoseconds, or failed. If the clock is too
// coarse for the run, the comparison ends.
func (e *Entry) tell(took int64, err error) {
	coarse := took < minSteps*step()
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.tune.Drop()
		return
	}
	if coarse {
		e.tune.Stop()
	} else {
		e.tune.Add(took)
		e.tune.Spend(timing())
	}
	e.best.Store(&e.ways[e.tune.Best()])
	if e.tune.Settled() {
		e.settle()
	} else if rest := e.tune.Rest(); rest > 0 {
		e.rest.Store(rest)
	}
}

// settle makes all runs take the best way and notes what was measured. It keeps other ways only
// while their programs are few enough. The caller holds mu.
func (e *Entry) settle() {
	e.measured = e.times()
	best := e.ways[e.tune.Best()]
	kept, programs := []Way{best}, e.programs(&best)
	for _, c := range e.measured {
		for _, w := range e.ways {
			if more := programs + e.programs(&w); w.Same(c) && !w.Same(best.Candidate) && more <= keptPrograms && e.measured[0].Cost >= againFrom {
				kept, programs = append(kept, w), more
			}
		}
	}
	kept[0].learned = len(kept) > 1
	e.ways = kept
	e.runs += int64(e.tune.Told())
	e.retry.Store(max(e.retry.Load(), e.runs) * patience)
	e.runsSince.Store(0)
	e.best.Store(&kept[0])
	e.settled.Store(&kept[0])
	theCache.resize(e, e.bytes())
}

// count counts the runs of an entry that has settled. After enough runs the entry learns again.
func (e *Entry) count() {
	if e.runsSince.Add(sampled) < e.retry.Load() || !e.mu.TryLock() {
		return
	}
	defer e.mu.Unlock()
	if e.settled.Load() != nil {
		e.settled.Store(nil)
		e.begin(tune.RetryRounds)
	}
}

// times returns the ways with known times, the fastest first. A cost is the time of a run in
// picoseconds. The caller holds mu.
func (e *Entry) times() (cs []plan.Candidate) {
	for i := range e.ways {
		if took, known := e.tune.Time(i); known {
			c := e.ways[i].Candidate
			c.Cost = 1000 * took
			cs = append(cs, c)
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
// if that memory is more than maxScratch bytes or than a byte for each nanosecond of the budget, or
// while another entry is measured.
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
	ways []Way
	tune tune.State
}

const (
	// scoutRounds is the number of rounds in which blocks are compared.
	scoutRounds = 3
	// maxScouted is how many ways a scout compares at most.
	maxScouted = 13
)

func newScout(p *Problem) *scout {
	s := &scout{ways: waysOf(p.host().InBlocks(&p.Nest, p.Work.Work, maxScouted))}
	s.tune.Begin(len(s.ways), func(way int) bool { return s.ways[way].NonTemporal }, scoutRounds)
	return s
}

// nextWay returns the way of the next block that is told to s, ready to run. The caller holds mu.
func (s *scout) nextWay(p *Problem) *Way {
	w := &s.ways[s.tune.NextWay()]
	w.prepare(p, nil, nil)
	return w
}

// compare runs a slice like Entry.Run and tells the scout how long blocks take. When the scout has
// settled, the entry gets the fastest way with non-temporal stores and the fastest way without. The
// run is the one that is timed.
func (s *scout) compare(ctx context.Context, e *Entry, c *call, parallel bool) error {
	for block, count := int64(0), int64(1); block < count; {
		e.mu.Lock()
		w, settled := s.nextWay(&e.problem), s.tune.Settled()
		e.mu.Unlock()
		blocks, numbers := w.InBlocks()
		count = blocks.Count
		end := block + 1
		if settled {
			end = count
		}
		e.note(w)
		began := nanotime()
		err := w.shareParts(ctx, block*numbers, end*numbers, e.goroutines(w, parallel), c)
		if s.tell(e, w, block, nanotime()-began, err); err != nil {
			return err
		}
		block = end
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.tune.Settled() {
		e.scout = nil
		e.ways = append(e.ways[:1:1], s.best()...)
		e.begin(scoutRounds)
	}
	return nil
}

// tell notes that a block, or all blocks from there on, took so many nanoseconds by w, or failed.
// If the clock is too coarse for the block, the comparison ends.
func (s *scout) tell(e *Entry, w *Way, block, took int64, err error) {
	coarse := took < minSteps*step()
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil:
		s.tune.Drop()
	case coarse:
		s.tune.Stop()
	default:
		blocks, _ := w.InBlocks()
		_, _, shape := blocks.Part(block)
		s.tune.Add(took * nest.Bytes(&blocks.Shapes[0]) / nest.Bytes(&blocks.Shapes[shape]))
	}
}

// best returns the fastest way without non-temporal stores and the fastest way with them.
func (s *scout) best() (best []Way) {
	for _, nt := range [...]bool{false, true} {
		fastest, least := -1, int64(0)
		for i := range s.ways {
			if took, known := s.tune.Time(i); known && s.ways[i].NonTemporal == nt && (fastest < 0 || took < least) {
				fastest, least = i, took
			}
		}
		if fastest >= 0 {
			best = append(best, s.ways[fastest])
		}
	}
	return best
}
