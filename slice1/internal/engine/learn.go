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

// learnFrom is the estimated time of a run, in picoseconds, from which on it is worth trying
// several ways: below, reading the clock takes as long as a run. It is a variable for tests.
var learnFrom int64 = 100_000

const (
	// keptPrograms is how many programs an entry keeps at most when it has settled, unless the best
	// way alone has more.
	keptPrograms = 4
	// againFrom is the time of a run, in picoseconds, from which on an entry that has settled looks
	// again whether another way is faster by then. Below, the time that counting runs costs is not
	// worth it.
	againFrom = 1_000_000
	// patience is how many times as many runs as it took to settle have to come before an entry
	// looks again whether another way is faster by then.
	patience = 1000
	// sampled is one of how many runs is counted.
	sampled = 1024
)

// minSteps is how many steps of the clock a run must take for its time to be trusted.
const minSteps = 20

// now returns the time in nanoseconds. It is a variable for tests, which have a clock of their own.
var now = clock

// step returns the least number of nanoseconds by which two measured durations differ. timing
// returns how long it takes to time a run. They are variables for tests.
var (
	step   = func() int64 { s, _ := clocked(); return s }
	timing = func() int64 { _, t := clocked(); return t }
)

// clocked measures the clock, for a millisecond or more.
var clocked = sync.OnceValues(func() (smallest, timing int64) {
	var last, times, start, after int64
	smallest = math.MaxInt64
	for start = now(); after-start < int64(time.Millisecond) || smallest == math.MaxInt64; times++ {
		before := now()
		after = now()
		if took := after - before; took != last {
			smallest = min(smallest, max(took-last, last-took))
			last = took
		}
	}
	return smallest, (after - start) / times
})

// making is about how many nanoseconds it takes to make a program: 0.1 to 1 microsecond, and 20
// where its memory is new.
const making = 4000

// tell notes that the run that holds turn took so many nanoseconds, or failed. If the clock is too
// coarse to tell, nothing is compared.
func (e *Entry) tell(took int64, err error) {
	if err != nil {
		e.tune.Drop()
		return
	}
	if took < minSteps*step() {
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

// settle makes the best way the one that all runs take, notes what was measured, and drops the
// programs of ways that are too many to keep.
func (e *Entry) settle() {
	e.measured = e.times()
	best := e.ways[e.tune.Best()]
	kept, programs := []Way{best}, e.programs(&best)
	for _, c := range e.measured {
		for _, w := range e.ways {
			if more := programs + e.programs(&w); w.Is(c) && !w.Is(best.Candidate) && more <= keptPrograms && e.measured[0].Cost >= againFrom {
				kept, programs = append(kept, w), more
			}
		}
	}
	kept[0].learned = len(kept) > 1
	e.ways = kept
	e.runs += int64(e.tune.Runs())
	e.retry = max(e.retry, e.runs) * patience
	e.since.Store(0)
	e.best.Store(&kept[0])
	e.settled.Store(&kept[0])
	theCache.resize(e, e.bytes())
}

// count counts the runs of an entry that has settled. After enough of them it learns again.
func (e *Entry) count() {
	if e.since.Add(sampled) < e.retry || !e.turn.TryLock() {
		return
	}
	defer e.turn.Unlock()
	if e.settled.Load() != nil {
		e.settled.Store(nil)
		e.begin(tune.Again)
	}
}

// times returns the ways whose times are known, the fastest first. A cost is the time of a run in
// picoseconds. The caller holds turn.
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

// Known returns what has been measured so far, as times does.
func (e *Entry) Known() []plan.Candidate {
	e.turn.Lock()
	defer e.turn.Unlock()
	if e.settled.Load() != nil {
		return e.measured
	}
	return e.times()
}

// measuring is held while runs on scratch memory are timed, so that they do not disturb each other.
var measuring sync.Mutex

// maxScratch is how many bytes of memory measure takes at most.
const maxScratch = 64 << 20

// measure runs e on scratch memory until it has settled or the budget is spent.
func (e *Entry) measure(budget time.Duration) {
	srcLo, srcHi, _, dstHi := nest.Span(&e.problem.Nest)
	if e.settled.Load() != nil || dstHi > maxScratch || srcHi-srcLo > min(maxScratch, int64(budget))-dstHi || !measuring.TryLock() {
		return
	}
	defer measuring.Unlock()
	end := time.Now().Add(budget)
	dst, src := written(dstHi), written(srcHi-srcLo)
	for e.settled.Load() == nil && time.Now().Before(end) {
		// unsafe: the nest counts from -srcLo bytes into src, so that its span is all of src.
		_ = e.Run(context.Background(), unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[-srcLo]), true) // never done, so no error
	}
}

// written returns n bytes that begin at a page if they are many, with every page written: on Linux
// all pages that are only read are one page of zeros, which caches hold.
func written(n int64) []byte {
	const page = 4096
	b := make([]byte, n)
	for i := 0; i < len(b); i += page {
		b[i] = 1
	}
	return b
}

// scout compares ways to run a large slice from block to block, since whole runs of one are slow
// and may be few. For its State each block is a run.
type scout struct {
	ways []Way
	tune tune.State
}

const (
	// scoutRounds is in how many rounds blocks are compared.
	scoutRounds = 3
	// maxScouted is how many ways a scout compares at most.
	maxScouted = 13
)

func newScout(p *Problem) *scout {
	s := &scout{ways: waysOf(plan.Here().InBlocks(&p.Nest, p.work(), maxScouted))}
	s.tune.Begin(len(s.ways), func(way int) bool { return s.ways[way].NonTemporal }, scoutRounds)
	return s
}

// run runs a slice as Entry.Run does, and tells the scout how long blocks take. When the scout has
// settled, the fastest way of either sort of stores becomes one of the entry's. The caller holds
// turn.
func (s *scout) run(ctx context.Context, e *Entry, dst, src unsafe.Pointer, parallel bool) error {
	for block, count := int64(0), int64(1); block < count; {
		w := &s.ways[s.tune.Next()]
		w.prepare(&e.problem, nil, nil)
		count = w.blocks.Count
		end := block + 1
		if s.tune.Settled() {
			end = count
		}
		e.note(w)
		began := now()
		if err := w.run(ctx, block*w.blocks.most, end*w.blocks.most, e.goroutines(w, parallel), dst, src); err != nil {
			s.tune.Drop()
			return err
		}
		if took := now() - began; took < minSteps*step() {
			s.tune.Stop()
		} else {
			_, _, shape := w.blocks.Part(block)
			s.tune.Add(took * nest.Bytes(&w.blocks.Shapes[0]) / nest.Bytes(&w.blocks.Shapes[shape]))
		}
		block = end
	}
	if s.tune.Settled() {
		e.scout = nil
		e.ways = append(e.ways[:1:1], s.best()...)
		e.begin(scoutRounds)
	}
	return nil
}

// best returns the fastest way of either sort of stores.
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
