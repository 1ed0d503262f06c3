package engine

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// Entry says how the slices of a problem run: in one or more parts, by one of several ways. Plans,
// Problem.Copy and the cache share it, and it is safe for concurrent use. While it learns, one run
// at a time is timed. Other runs take the best way known so far.
type Entry struct {
	problem Problem
	pieces  plan.Pieces         // of slices, unless a way asks for a Cutting
	best    atomic.Pointer[Way] // the way of runs that are not timed
	next    atomic.Pointer[Way] // the way of the run that is timed next, or nil if a turn begins; equal to settled if that is not nil
	settled atomic.Pointer[Way] // equal to best if nothing is left to learn, else nil
	lastWay atomic.Pointer[Way] // the way of the run that began last, or nil
	small   atomic.Pointer[Way] // the way of a slice of one part that has nothing left to learn, once a run took it, or nil
	rest    atomic.Int64        // if positive, how many runs take best before the next run is timed

	turn     atomic.Bool      // whether a run is timed, or the entry begins to learn again
	mu       sync.Mutex       // guards the other fields of this group; nobody holds it while a part runs. Who has the turn alone writes them, and needs no mu to read them
	ways     []*Way           // the first one is the first choice by estimate, or once settled the best
	tune     tune.State       // compares ways
	scouts   []*scout         // of a large slice: scouts[i] finds out, block by block, which way ways[i] is
	measured []plan.Candidate // what has been learned, the fastest first; a cost is the measured time of a run
	runs     int64            // how many runs it took to settle

	runsSince atomic.Int64 // about how many runs there were since it settled
	retry     atomic.Int64 // after how many it learns again

	size   int64       // bytes; the cache guards it if cached is true
	cached bool        // whether the cache holds the entry; the cache guards it
	used   atomic.Bool // whether the cache found the entry lately
}

// Way is one way to run the parts of a problem. Once it is prepared, nothing but learned changes.
type Way struct {
	plan.Candidate
	prepared  bool  // whether it can run: the fields up to call are set
	exec.Work       // the whole slice, or the first shape of block
	call      int64 // estimated picoseconds that a part takes in C; 0 if it runs in Go, and under the race detector
	learned   bool  // whether other ways were compared with it, and may be again
}

// newEntry returns an entry with the given ways to run a problem. If none are given, it has the
// ways that the planner lists. The first way is prepared at once. Each other way is prepared when a
// run takes it for the first time.
func newEntry(p Problem, given ...plan.Candidate) *Entry {
	e := &Entry{problem: p}
	if p.staged() {
		if len(given) == 0 {
			given = e.problem.List()
		}
		e.ways = waysOf(given)
		e.prepare(e.ways[0], nil)
	} else {
		e.list(given)
	}
	rounds := tune.Rounds
	if e.scouts != nil {
		rounds = tune.RetryRounds
	}
	e.begin(rounds)
	e.size = e.bytes()
	return e
}

// A way that costs more than `dear` times as much as the first choice by estimate is tried after
// the first choice's variants. After 16 runs, plans then run permutations by ways that take 1.05
// times as long as the best, and 1.10 times if all variants come last. This is by the times that
// bench/records has of a Zen 5.
const dear = 2

// list sets the ways of a slice: the given ones or, if none are given, those that the planner
// lists. A large slice that learns has the ways that its scouts compare, and behind them those that
// only whole runs compare: the first choice for the whole of it, or if blocks are parts in a row,
// other parts. Ways have their first turns in this order, and tune ends the comparison when it has
// taken long enough. So variants of the first choice come before ways that are dear by estimate.
func (e *Entry) list(given []plan.Candidate) {
	p := &e.problem
	e.pieces = plan.Cut(&p.Nest, p.Stores, plan.Cutting{})
	var (
		list  [plan.MaxListed]plan.Candidate
		made  program.Draft
		first *program.Draft
	)
	if len(given) == 0 {
		given, first = list[:p.host().List(&list, &made, &e.pieces.Shapes[0], e.pieces.Count, p.Rules)], &made
		if plan.Large(&p.Nest) && p.learns {
			e.scouts = newScouts(p)
		}
	}
	for _, s := range e.scouts {
		e.ways = append(e.ways, s.nextWay(e))
	}
	switch {
	case e.scouts == nil && len(given) > 1:
		near := 1
		for near < len(given) && given[near].Cost/dear <= given[0].Cost {
			near++
		}
		given = slices.Concat(given[:near], p.host().Variants(&p.Nest, p.Stores, given[0]), given[near:], p.host().Prefetching(&e.pieces.Shapes[0], given))
	case e.scouts != nil && e.ways[0].Blocks:
		given = given[:1]
	case e.scouts != nil:
		given = p.host().Variants(&p.Nest, p.Stores, given[0])
	}
	e.ways = append(e.ways, waysOf(given)...)
	if e.scouts == nil {
		e.prepare(e.ways[0], first)
	}
}

func waysOf(cs []plan.Candidate) []*Way {
	room, ways := make([]Way, len(cs)), make([]*Way, len(cs))
	for i, c := range cs {
		room[i].Candidate = c
		ways[i] = &room[i]
	}
	return ways
}

// bytes returns about how many bytes e takes when all its ways are prepared.
func (e *Entry) bytes() int64 {
	ways := e.ways
	for _, s := range e.scouts {
		ways = slices.Concat(ways, s.ways)
	}
	size := int64(unsafe.Sizeof(*e)) + e.pieces.Bytes() + e.tune.Bytes() + int64(len(ways))*int64(unsafe.Sizeof(Way{}))
	for _, w := range ways {
		size += e.bytesOf(w)
	}
	return size
}

// bytesOf returns how many bytes way w takes besides a Way and the pieces of e. If w is not
// prepared, they are at least as many as it will take then.
func (e *Entry) bytesOf(w *Way) int64 {
	shared := int64(0)
	if !e.problem.staged() && w.Cutting == (plan.Cutting{}) {
		shared = e.pieces.Bytes()
	}
	if w.prepared {
		return w.Bytes() - shared
	}
	if e.problem.staged() {
		return e.problem.MostBytes(w.Candidate)
	}
	return exec.MostBytes(&e.problem.Nest, e.problem.Rules, w.Candidate) - shared
}

// prepare makes w ready to run, and returns it. `first` is its program for the first shape of part,
// or nil if prepare has to make that program. The caller holds mu.
func (e *Entry) prepare(w *Way, first *program.Draft) *Way {
	if w.prepared {
		return w
	}
	w.prepared = true
	switch p := &e.problem; {
	case p.staged():
		w.Work = exec.Convert(p.Plan(w.Candidate))
	case w.Blocks:
		w.Work = exec.SliceInBlocks(&p.Nest, p.Rules, w.Candidate)
	case w.Cutting != plan.Cutting{}:
		pieces := plan.Cut(&p.Nest, p.Stores, w.Cutting)
		w.Work = exec.Slice(&pieces, w.Candidate, first, nil)
	default:
		w.Work = exec.Slice(&e.pieces, w.Candidate, first, nil)
	}
	if w.Kernel.InC() && !Race { // under the race detector a sync.Pool drops some of what it is given, so yields would allocate
		w.call = w.Cost / w.Numbers()
	}
	return w
}

// begin begins to compare the ways, in at most so many rounds. A single way is settled at once,
// unless it has a scout. A turn is one run if the output has eight times the bytes of the
// third-level cache: such a run finds the caches alike after any way.
func (e *Entry) begin(rounds int) {
	turn := tune.Turn
	if !e.problem.staged() && nest.Bytes(&e.problem.Nest) >= 8*plan.ThisHost().L3 {
		turn = 1
	}
	e.tune.Begin(len(e.ways), func(way int) bool { return e.ways[way].NonTemporal }, rounds, turn)
	e.best.Store(e.ways[0])
	e.next.Store(nil)
	if len(e.ways) == 1 && e.scouts == nil {
		e.settled.Store(e.ways[0])
	}
}

// Problem returns the problem of the entry. The caller must not change it.
func (e *Entry) Problem() *Problem { return &e.problem }

// Goroutines returns how many goroutines a run by w takes, the caller's included.
func (e *Entry) Goroutines(w *Way) int64 { return min(int64(e.problem.Workers), w.Numbers()) }

// LastWay returns the way of the run that began last, or nil before the first.
func (e *Entry) LastWay() *Way { return e.lastWay.Load() }

// Upcoming returns the way that a run takes if it begins at once. It waits for no run, and changes
// nothing: the way may not be prepared yet, see Described.
func (e *Entry) Upcoming() *Way {
	if e.rest.Load() > 0 || e.turn.Load() {
		return e.best.Load()
	}
	if w := e.next.Load(); w != nil {
		return w
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.wayInTurn()
}

// Described returns w, or if it is not prepared a copy that is. The entry stays as it is, so that
// who asks about it does not change what it learns.
func (e *Entry) Described(w *Way) *Way {
	e.mu.Lock()
	prepared := w.prepared
	e.mu.Unlock()
	if prepared {
		return w
	}
	return e.prepare(&Way{Candidate: w.Candidate}, nil)
}

// wayInTurn returns the way of the next run that is timed. It may not be prepared. If no run is
// timed any more, it is the way of all runs. The caller holds mu.
func (e *Entry) wayInTurn() *Way {
	if w := e.settled.Load(); w != nil {
		return w
	}
	next := e.tune.NextWay()
	if next < len(e.scouts) {
		return e.scouts[next].wayInTurn()
	}
	return e.ways[next]
}

// nextWay returns the way of the next run that is timed, ready to run. If no run is timed any more,
// it is the way of all runs.
func (e *Entry) nextWay() *Way {
	if w := e.next.Load(); w != nil {
		return w
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	w := e.wayInTurn()
	if !w.prepared {
		began := nanotime()
		e.prepare(w, nil)
		if e.tune.NextWay() >= len(e.scouts) {
			e.tune.Made(nanotime() - began)
		}
	}
	e.next.Store(w)
	return w
}

// Kind names what the way, which is prepared, does with each row.
func (w *Way) Kind() string {
	if w.Kernel >= 0 || w.Candidate.Kind.Staged() {
		return w.Candidate.Kind.String()
	}
	return portable.Class(&w.Pieces().Shapes[0])
}

// Candidates returns the ways to run the problem: first the measured ones, then the others, each
// group from the cheapest on. It also returns how many are measured, and which one is Upcoming. It
// plans anew, and waits for no run.
func (e *Entry) Candidates() (all []plan.Candidate, measured int, upcoming plan.Candidate) {
	timed := e.Known()
	upcoming = e.Upcoming().Candidate
	estimated := slices.DeleteFunc(e.problem.candidates(), func(c plan.Candidate) bool {
		return slices.ContainsFunc(timed, c.Same) || !c.Same(upcoming) && !e.problem.Stores.Allow(c)
	})
	if !slices.ContainsFunc(timed, upcoming.Same) && !slices.ContainsFunc(estimated, upcoming.Same) { // its kind fits the first choice's parts alone
		estimated = append(estimated, upcoming)
		slices.SortStableFunc(estimated, func(a, b plan.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	}
	return slices.Concat(timed, estimated), len(timed), upcoming
}

// Small returns the way of a slice of one part that has nothing left to learn, once a run has taken
// it, or nil. To run that way is the same as [Entry.Run] and saves calls. For a tiny slice these
// calls take as long as the slice.
func (e *Entry) Small() *Way { return e.small.Load() }

// Values are what a conversion multiplies its numbers by and adds to them, and what makes the rows
// of its source, if that is not memory. Slices have none.
type Values = exec.Values

// Source makes rows of a source.
type Source = exec.Source

// call is what a run reads and writes.
type call struct {
	dst, src unsafe.Pointer
	values   Values
}

// Run runs a slice or a conversion. The offsets of the nest count from dst and src. Several
// goroutines share the work only if parallel is true. If ctx is done before the last part has
// begun, Run begins no more parts and returns ctx's error.
//
// unsafe: all elements lie in their buffers. Elements of the destination share no byte with each
// other or with elements of the source.
func (e *Entry) Run(ctx context.Context, dst, src unsafe.Pointer, values *Values, parallel bool) error {
	w, timed := e.take()
	if !timed {
		e.note(w)
		return e.run(ctx, w, dst, src, values, parallel)
	}
	defer e.turn.Store(false)
	if i := e.tune.NextWay(); i < len(e.scouts) {
		took, err := e.compare(ctx, i, &call{dst, src, *values}, parallel)
		e.tell(took, err)
		return err
	}
	e.note(w)
	began := nanotime()
	err := e.run(ctx, w, dst, src, values, parallel)
	e.tell(nanotime()-began, err)
	return err
}

// run is Run by way w, which is not compared block by block.
func (e *Entry) run(ctx context.Context, w *Way, dst, src unsafe.Pointer, values *Values, parallel bool) error {
	if !w.Single() {
		// The copy of a composite literal would load 16 bytes at a time of what had just been
		// stored in pieces of 8, and wait for these stores.
		var c call
		c.dst, c.src, c.values = dst, src, *values
		return w.shareParts(ctx, 0, w.Numbers(), e.goroutines(w, parallel), &c)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	yield.BeforeCall(w.call)
	w.Slice(dst, src)
	return nil
}

// goroutines returns how many goroutines run the parts of w.
func (e *Entry) goroutines(w *Way, parallel bool) int64 {
	if !parallel {
		return 1
	}
	return e.Goroutines(w)
}

// shareParts runs the parts [first, end) on so many goroutines. ctx and the error are the same as
// Entry.Run's.
func (w *Way) shareParts(ctx context.Context, first, end, goroutines int64, c *call) error {
	if goroutines == 1 {
		var q queue
		q.begin(first)
		return w.takeParts(ctx, &q, end, exec.CallParts, c)
	}
	// The variables that goroutines share are on the heap, so they must not be those of above.
	q, shared := new(queue), *c
	q.begin(first)
	// Each goroutine takes a few parts of its share at a time, so that all are busy until the end.
	batch := max(1, min(exec.CallParts, (end-first)/(4*goroutines)))
	work := func() { _ = w.takeParts(ctx, q, end, batch, &shared) }
	var wg sync.WaitGroup
	for range goroutines - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if q.taken() < end {
		return ctx.Err()
	}
	return nil
}

// queue hands out consecutive numbers. It is no atomic.Int64, because Go aligns that to 64 bits and
// so cannot keep it on the stack of a 32-bit processor. A uintptr is enough: memory has room for
// fewer parts than it counts.
type queue struct{ position atomic.Uintptr }

func (q *queue) begin(at int64)         { q.position.Store(uintptr(at)) }
func (q *queue) take(count int64) int64 { return int64(q.position.Add(uintptr(count))) - count }
func (q *queue) taken() int64           { return int64(q.position.Load()) }

// note makes w the way of the last run. It stores only a change, since goroutines share the entry.
func (e *Entry) note(w *Way) {
	if e.lastWay.Load() != w {
		e.lastWay.Store(w)
	}
}

// take returns the way that a run takes, and whether the run is timed. If it is, the run clears
// turn when it ends.
func (e *Entry) take() (w *Way, timed bool) {
	if w = e.settled.Load(); w == nil && e.rest.Load() > 0 && e.rest.Add(-1) >= 0 {
		return e.best.Load(), false
	}
	if w == nil && e.turn.CompareAndSwap(false, true) {
		if w = e.settled.Load(); w == nil {
			return e.nextWay(), true
		}
		e.turn.Store(false)
	}
	switch {
	case w == nil:
		w = e.best.Load()
	case w.learned:
		if rand.Uint32()%sampled == 0 {
			e.count()
		}
	case w.Single() && w.call < yield.MinCall && e.small.Load() == nil:
		e.note(w)
		e.small.Store(w)
	}
	return w, false
}

// longPart is the time of a part that decides how many parts one call into C runs with
// GOMAXPROCS=1. Shorter parts get one call each, because sysmon takes the P from a call that spans
// two of its checks. Longer parts share calls. Package yield says how often sysmon checks, and what
// losing the P costs. It is a variable for tests.
var longPart = 60 * time.Microsecond

// calm is a variable for tests.
var calm = yield.Calm

// takeParts takes parts from q and runs them, until all parts below `end` have begun. It takes them
// in batches of `batch` parts, at most exec.CallParts. Goroutines that share q share the parts. If
// ctx is done before all have begun, takeParts returns ctx's error.
func (w *Way) takeParts(ctx context.Context, q *queue, end, batch int64, c *call) error {
	scratch := w.Scratch()
	short := end > 1 && w.call > 0 && runtime.GOMAXPROCS(0) == 1 && calm()
	var err error
	for at := int64(0); at < end; {
		if err = ctx.Err(); err != nil {
			break
		}
		count, began := batch, time.Time{}
		if short {
			count, began = 1, time.Now()
		}
		first := q.take(count)
		if at = first + count; first >= end { // other goroutines have begun the last ones
			break
		}
		count = min(count, end-first)
		yield.BeforeCall(w.call * count)
		w.SliceParts(first, count, c.dst, c.src, &c.values, scratch)
		short = short && time.Since(began) < longPart
	}
	scratch.Put()
	return err
}
