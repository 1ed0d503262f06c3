package slice1

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// shape is what slices have in common that share an entry: they run alike, wherever in their buffers
// they begin.
type shape struct {
	nest    nest.Nest // its offsets are 0
	kernels plan.Kernels
	stores  plan.Stores
	workers int32 // goroutines that may run it, the caller's included
	learns  bool  // whether runs may be timed to find the fastest way
}

// entry is how the slices of a shape run: in one or more parts, by one of several ways. It is shared by
// plans, by Copy and by the cache, and safe for concurrent use. While it learns, one run at a time
// holds turn and is timed; other runs take the best way known so far.
type entry struct {
	shape
	pieces  plan.Pieces
	best    atomic.Pointer[way] // what runs take that do not hold turn
	settled atomic.Pointer[way] // best if nothing is to be learned, else nil

	turn         sync.Mutex       // guards all that follows
	ways         []way            // the first choice by estimate comes first; once settled, the best
	tune         tune.State       // has a way for each of ways
	began, ended int64            // times of the run that holds turn
	measured     []plan.Candidate // what has been learned, the best first; a cost is the measured time of a run
	runs         int64            // how many runs it took to settle

	since atomic.Int64 // about how many runs there were since then
	retry int64        // after how many to learn again; set before settled

	size   int64       // bytes; guarded by the cache if cached is true
	cached bool        // guarded by the cache
	used   atomic.Bool // by the cache: whether the entry was found lately
}

// way is one way to run the parts of a shape. Once it is made, it is immutable.
type way struct {
	plan.Candidate
	made     bool            // whether it can run: the next two fields are set
	programs []csrc.Program  // for each shape of part, if the kernel is not plain Go
	table    *portable.Table // for plain Go, if a table is faster for the whole nest
	call     int64           // picoseconds that a part takes in C, by estimate; 0 if it runs in Go, and under the race detector
	learned  bool            // whether other ways were compared with it, and may be again
}

// learnFrom is the estimated time of a run, in picoseconds, from which on it is worth trying several
// ways: below, reading the clock takes as long as a run. It is a variable for tests.
var learnFrom int64 = 100_000

const (
	// keptPrograms is how many programs an entry keeps at most when it has settled.
	keptPrograms = 4
	// againFrom is the time of a run, in picoseconds, from which on an entry that has settled looks again
	// whether another way is faster by then. Below, the time that counting runs costs is not worth it.
	againFrom = 1_000_000
	// patience is how many times as many runs as it took to settle have to come before an entry
	// looks again whether another way is faster by then.
	patience = 1000
	// sampled is one of how many runs is counted.
	sampled = 1024
)

// work returns what the planner has to know beside the nest.
func (s *shape) work() plan.Work {
	w := plan.Work{Kernels: s.kernels, May: s.stores, Sure: math.MaxInt64}
	if s.learns {
		w.Sure = learnFrom
	}
	return w
}

// newEntry returns an entry with the given ways to run a shape, or with those that the planner lists if none are
// given. The first way is made, and each other one when a run takes it for the first time.
func newEntry(s shape, given ...plan.Candidate) *entry {
	e := &entry{shape: s, pieces: plan.Cut(&s.nest, s.stores)}
	var (
		list    [plan.MaxWays]plan.Candidate
		program csrc.Program
		first   *csrc.Program
	)
	if len(given) == 0 {
		given, first = list[:plan.Here().List(&list, &program, &e.pieces.Shapes[0], e.pieces.Count, s.work())], &program
	}
	e.ways = make([]way, len(given))
	for i, c := range given {
		e.ways[i].Candidate = c
	}
	e.way(0, first)
	e.begin(tune.Rounds)
	e.size = e.bytes()
	return e
}

// bytes returns about how many bytes e takes once all its ways are made.
func (e *entry) bytes() int64 {
	size := int64(unsafe.Sizeof(*e)) + int64(len(e.ways))*int64(unsafe.Sizeof(way{}))
	for i := range e.ways {
		if w := &e.ways[i]; w.Kernel >= 0 {
			size += int64(e.pieces.NumShapes) * int64(unsafe.Sizeof(csrc.Program{}))
		} else if w.table != nil {
			size += portable.MaxUnits * 16 // two offsets each
		}
	}
	return size
}

// way returns way i, made. `first` is its program for the first shape of part, or nil if that is to be made. The caller
// holds turn.
func (e *entry) way(i int, first *csrc.Program) *way {
	w, ps := &e.ways[i], &e.pieces
	if w.made {
		return w
	}
	w.made = true
	if w.Kernel.InC() && !raceEnabled { // under the race detector yields would allocate, since a sync.Pool drops some of what it is given
		w.call = w.Cost / ps.Count
	}
	if w.Kernel >= 0 {
		w.programs = make([]csrc.Program, ps.NumShapes)
		plan.Here().MakeParts(ps, w.programs, w.Candidate, first)
	} else if ps.Count == 1 {
		w.table = portable.NewTable(&ps.Shapes[0])
	}
	return w
}

// begin compares the ways in at most so many rounds, unless there is only one.
func (e *entry) begin(rounds int) {
	var nt uint8
	for i := range e.ways {
		if e.ways[i].NonTemporal {
			nt |= 1 << i
		}
	}
	e.tune.Begin(len(e.ways), nt, rounds)
	e.best.Store(&e.ways[0])
	if len(e.ways) == 1 {
		e.settled.Store(&e.ways[0])
	}
}

// run runs `count` parts of ps from part `first` on, at most plan.CallParts.
func (w *way) run(ps *plan.Pieces, first, count int64, d, s unsafe.Pointer) {
	yield.Before(w.call * count)
	switch {
	case w.programs != nil && ps.Count == 1:
		plan.Run(&w.programs[0], d, s)
	case w.programs != nil:
		plan.RunParts(w.programs, ps, first, count, d, s)
	case w.table != nil:
		w.table.Run(d, s)
	default:
		for i := first; i < first+count; i++ {
			from, to, shape := ps.Part(i)
			portable.Run(&ps.Shapes[shape], unsafe.Add(d, to), unsafe.Add(s, from))
		}
	}
}

// longPart is how long a part takes if calls into C are to run several parts in a process with one processor, too.
// There Go's monitor takes the processor away from each call that lasts from one look to the next, and to get it back
// takes about 50 microseconds. It looks every 40 microseconds or so, but every 10 milliseconds if calls have been short
// for a while. It is a variable for tests.
var longPart = 60 * time.Microsecond

// calm is a variable for tests.
var calm = yield.Calm

// runAll runs all parts of ps on the caller's goroutine. If ctx is done before the last part has begun,
// runAll begins no more parts and returns ctx's error.
func (w *way) runAll(ctx context.Context, ps *plan.Pieces, d, s unsafe.Pointer) error {
	short := ps.Count > 1 && w.call > 0 && runtime.GOMAXPROCS(0) == 1 && calm()
	for i := int64(0); i < ps.Count; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		count := min(plan.CallParts, ps.Count-i)
		if short {
			count = 1
			began := time.Now()
			w.run(ps, i, count, d, s)
			short = time.Since(began) < longPart
		} else {
			w.run(ps, i, count, d, s)
		}
		i += count
	}
	return nil
}

// runNew runs a slice whose shape has not come before, on the caller's goroutine, by the way that is
// the cheapest by estimate. Programs are variables of functions that are called only if they are
// needed: clearing a program takes longer than many a slice.
func (s *shape) runNew(dst, src unsafe.Pointer) {
	switch {
	case nest.Bytes(&s.nest) > plan.PartBytes:
		s.runParts(dst, src)
	case plan.Here().InGo(&s.nest, s.kernels):
		portable.Run(&s.nest, dst, src)
	default:
		s.runProgram(dst, src)
	}
}

// runParts is runNew for a nest that is cut.
//
//go:noinline
func (s *shape) runParts(dst, src unsafe.Pointer) {
	var (
		programs [4]csrc.Program
		ways     [plan.MaxWays]plan.Candidate
	)
	ps, work := plan.Cut(&s.nest, s.stores), s.work()
	work.Sure = math.MaxInt64
	plan.Here().List(&ways, &programs[0], &ps.Shapes[0], ps.Count, work)
	w := way{Candidate: ways[0]}
	if w.Kernel >= 0 {
		plan.Here().MakeParts(&ps, programs[:], w.Candidate, &programs[0])
		w.programs = programs[:]
	}
	_ = w.runAll(context.Background(), &ps, dst, src) // never done, so no error
}

// runProgram is runNew for a nest for which plain Go may not be the cheapest.
//
//go:noinline
func (s *shape) runProgram(dst, src unsafe.Pointer) {
	var program csrc.Program
	if c := plan.Here().Choose(&program, &s.nest, s.work()); c.Kernel < 0 {
		portable.Run(&s.nest, dst, src)
	} else {
		plan.Run(&program, dst, src)
	}
}

// goroutines returns how many goroutines a run takes, the caller's included.
func (e *entry) goroutines() int64 { return min(int64(e.workers), e.pieces.Count) }

// execute runs a slice at d and s, from which the nest counts: on several goroutines only if parallel
// is true. If ctx is done before the last part has begun, execute begins no more parts and returns ctx's
// error.
func (e *entry) execute(ctx context.Context, d, s unsafe.Pointer, parallel bool) error {
	w := e.settled.Load()
	if w == nil {
		return e.learn(ctx, d, s, parallel)
	}
	if w.learned && rand.Uint32()%sampled == 0 {
		e.count()
	}
	return e.runBy(ctx, w, d, s, parallel)
}

// runBy is execute by way w.
func (e *entry) runBy(ctx context.Context, w *way, d, s unsafe.Pointer, parallel bool) error {
	if e.workers == 1 || !parallel {
		return w.runAll(ctx, &e.pieces, d, s)
	}
	var (
		next atomic.Int64
		wg   sync.WaitGroup
	)
	// Each goroutine takes a few parts of its share at a time, so that all have something to do at the end.
	some := max(1, min(plan.CallParts, e.pieces.Count/(4*e.goroutines())))
	work := func() {
		for ctx.Err() == nil {
			i := next.Add(some) - some
			if i >= e.pieces.Count {
				return
			}
			w.run(&e.pieces, i, min(some, e.pieces.Count-i), d, s)
		}
	}
	for range e.goroutines() - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if next.Load() < e.pieces.Count {
		return ctx.Err()
	}
	return nil
}
