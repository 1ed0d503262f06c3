package slice1

import (
	"cmp"
	"context"
	"math"
	"os"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
)

// learning says whether the slices of this process learn, unless WithLearning(false) says that one does not.
// Under the race detector they do not, since it takes most of the time that would be compared.
var learning = os.Getenv("SLICE1_LEARN") != "off" && !raceEnabled

// minSteps is how many steps of the clock a run must take for its time to be trusted.
const minSteps = 20

// now stores a time in *t, in nanoseconds. It is a variable for tests, which have a clock of their own.
var now = clock

// step returns the nanoseconds by which durations differ that the clock tells apart. It is a variable for tests.
var step = sync.OnceValue(func() int64 {
	var start, before, after, last int64
	smallest := int64(math.MaxInt64)
	for now(&start); after-start < int64(time.Millisecond) || smallest == math.MaxInt64; {
		now(&before)
		now(&after)
		if took := after - before; took != last {
			smallest = min(smallest, max(took-last, last-took))
			last = took
		}
	}
	return smallest
})

// learn is execute for an entry that has not settled. One run at a time is timed.
func (e *entry) learn(ctx context.Context, d, s unsafe.Pointer, parallel bool) error {
	if !e.turn.TryLock() {
		return e.runBy(ctx, e.best.Load(), d, s, parallel)
	}
	defer e.turn.Unlock()
	if w := e.settled.Load(); w != nil {
		return e.runBy(ctx, w, d, s, parallel)
	}
	w := e.way(e.tune.Next(), nil)
	now(&e.began)
	err := e.runBy(ctx, w, d, s, parallel)
	now(&e.ended)
	if err != nil {
		e.tune.Drop()
		return err
	}
	if e.tell(); e.tune.Settled() {
		e.settle()
	}
	return nil
}

// tell notes how long the run took that began and ended last. If the clock is too coarse to
// tell, nothing is compared.
func (e *entry) tell() {
	took := e.ended - e.began
	if took < minSteps*step() {
		e.tune.Stop()
	} else {
		e.tune.Add(took)
	}
	e.best.Store(&e.ways[e.tune.Best()])
}

// settle makes the best way the one that all runs take, notes what was measured, and drops the programs of
// ways that are too many to keep.
func (e *entry) settle() {
	e.measured = e.times()
	best := e.ways[e.tune.Best()]
	kept := []way{best}
	for _, c := range e.measured {
		for _, w := range e.ways {
			if w.Is(c) && !w.Is(best.Candidate) && (len(kept)+1)*e.pieces.NumShapes <= keptPrograms && e.measured[0].Cost >= againFrom {
				kept = append(kept, w)
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
func (e *entry) count() {
	if e.since.Add(sampled) < e.retry || !e.turn.TryLock() {
		return
	}
	defer e.turn.Unlock()
	if e.settled.Load() != nil {
		e.settled.Store(nil)
		e.begin(tune.Again)
	}
}

// upcoming returns the way that the next run takes if no other run comes before it.
func (e *entry) upcoming() *way {
	e.turn.Lock()
	defer e.turn.Unlock()
	if w := e.settled.Load(); w != nil {
		return w
	}
	return e.way(e.tune.Next(), nil)
}

// times returns the ways whose times are known, the fastest first. A cost is the time of a run in
// picoseconds. The caller holds turn.
func (e *entry) times() (cs []plan.Candidate) {
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

// known returns what has been measured so far, as times does.
func (e *entry) known() []plan.Candidate {
	e.turn.Lock()
	defer e.turn.Unlock()
	if e.settled.Load() != nil {
		return e.measured
	}
	return e.times()
}

// measuring is held while runs on scratch memory are timed, so that they do not disturb each other.
var measuring sync.Mutex

// maxScratch is how many bytes of memory WithMeasure takes at most.
const maxScratch = 64 << 20

// measure runs e on scratch memory until it has settled or the budget is spent.
func (e *entry) measure(budget time.Duration) {
	srcLo, srcHi, _, dstHi := nest.Span(&e.nest)
	if e.settled.Load() != nil || dstHi > maxScratch || srcHi-srcLo > min(maxScratch, int64(budget))-dstHi || !measuring.TryLock() {
		return
	}
	defer measuring.Unlock()
	end := time.Now().Add(budget)
	dst, src := written(dstHi), written(srcHi-srcLo)
	for e.settled.Load() == nil && time.Now().Before(end) {
		// unsafe: the nest counts from -srcLo bytes into src, so that its span is all of src.
		_ = e.execute(context.Background(), unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[-srcLo]), true) // never done, so no error
	}
}

// written returns n bytes that begin at a page if they are many, with every page written: on Linux all pages
// that are only read are one page of zeros, which caches hold.
func written(n int64) []byte {
	const page = 4096
	b := make([]byte, n)
	for i := 0; i < len(b); i += page {
		b[i] = 1
	}
	return b
}
