package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
)

// Entry says how the slices of a problem run: in one or more parts, by one of several ways. Plans,
// Problem.Copy and the cache share it, and it is safe for concurrent use. While it learns, one run
// at a time is timed. Other runs take the best way known so far.
type Entry struct {
	problem Problem
	pieces  plan.Pieces         // of slices, unless a way asks for a Cutting
	best    atomic.Pointer[Way] // the way of runs that are not timed
	settled atomic.Pointer[Way] // equal to best if nothing is left to learn, else nil
	lastWay atomic.Pointer[Way] // the way of the run that began last, or nil
	small   atomic.Pointer[Way] // the way of a slice of one part that has nothing left to learn, once a run took it, or nil
	rest    atomic.Int64        // if positive, how many runs take best before the next run is timed

	turn     atomic.Bool      // whether a run is timed
	mu       sync.Mutex       // guards the other fields of this group; nobody holds it while a part runs
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
		e.prepared(0, nil)
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

// list sets the ways of a slice: the given ones or, if none are given, those that the planner
// lists. A large slice that learns has the ways that its scouts compare, and behind them those that
// only whole runs compare: the first choice for the whole of it, or if blocks are parts in a row,
// other parts.
func (e *Entry) list(given []plan.Candidate) {
	p := &e.problem
	e.pieces = plan.Cut(&p.Nest, p.Stores, plan.Cutting{})
	var (
		list  [plan.MaxListed]plan.Candidate
		made  program.Program
		first *program.Program
	)
	if len(given) == 0 {
		given, first = list[:p.host().List(&list, &made, &e.pieces.Shapes[0], e.pieces.Count, p.Work.Work)], &made
		if plan.Large(&p.Nest) && p.learns {
			e.scouts = newScouts(p)
		}
	}
	for _, s := range e.scouts {
		e.ways = append(e.ways, s.nextWay(e))
	}
	switch {
	case e.scouts == nil && len(given) > 1:
		given = append(given, p.host().Variants(&p.Nest, p.Stores, given[0])...)
	case e.scouts != nil && e.ways[0].Blocks:
		given = given[:1]
	case e.scouts != nil:
		given = p.host().Variants(&p.Nest, p.Stores, given[0])
	}
	e.ways = append(e.ways, waysOf(given)...)
	if e.scouts == nil {
		e.prepared(0, first)
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
	size := int64(unsafe.Sizeof(*e)) + e.tune.Bytes() + int64(len(ways))*int64(unsafe.Sizeof(Way{}))
	for _, w := range ways {
		size += e.bytesOf(w)
	}
	return size
}

// bytesOf returns how many bytes way w takes besides a Way, or about how many it will take once it
// is prepared.
func (e *Entry) bytesOf(w *Way) int64 {
	if w.prepared {
		return w.Bytes()
	}
	return int64(e.programs(w)) * int64(unsafe.Sizeof(program.Program{}))
}

// programs returns how many programs w has, or about how many it will have once it is prepared.
func (e *Entry) programs(w *Way) int {
	if w.Kernel < 0 {
		return 0
	}
	if e.problem.staged() {
		return 2
	}
	if w.prepared {
		return len(w.Programs())
	}
	return e.pieces.NumShapes
}

// prepared returns way i, ready to run. `first` is its program for the first shape of part, or nil
// if prepared has to make that program. The caller holds mu.
func (e *Entry) prepared(i int, first *program.Program) *Way {
	w := e.ways[i]
	if !w.prepared {
		w.prepare(&e.problem, &e.pieces, first)
		e.tune.Spend(making * int64(e.programs(w)))
	}
	return w
}

// prepare makes w ready to run a problem. `usual` are the parts of a slice if w asks for no
// Cutting.
func (w *Way) prepare(p *Problem, usual *plan.Pieces, first *program.Program) {
	if w.prepared {
		return
	}
	w.prepared = true
	switch {
	case p.staged():
		w.Work = exec.Convert(p.Plan(w.Candidate))
	case w.Blocks:
		w.Work = exec.SliceInBlocks(&p.Nest, p.Stores, w.Candidate)
	case w.Cutting != plan.Cutting{}:
		pieces := plan.Cut(&p.Nest, p.Stores, w.Cutting)
		w.Work = exec.Slice(&pieces, w.Candidate, first, nil)
	default:
		w.Work = exec.Slice(usual, w.Candidate, first, nil)
	}
	if w.Kernel.InC() && !Race { // under the race detector a sync.Pool drops some of what it is given, so yields would allocate
		w.call = w.Cost / w.Numbers()
	}
}

// begin begins to compare the ways, in at most so many rounds. A single way is settled at once,
// unless it has a scout.
func (e *Entry) begin(rounds int) {
	turn := tune.Turn
	if !e.problem.staged() && nest.Bytes(&e.problem.Nest) >= 8*plan.ThisHost().L3 {
		turn = 1
	}
	e.tune.Begin(len(e.ways), func(way int) bool { return e.ways[way].NonTemporal }, rounds, turn)
	e.best.Store(e.ways[0])
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

// Upcoming returns the way that a run takes if it begins at once. It waits for no run.
func (e *Entry) Upcoming() *Way {
	if e.settled.Load() == nil && (e.rest.Load() > 0 || e.turn.Load()) {
		return e.best.Load()
	}
	w, _ := e.nextWay()
	return w
}

// nextWay returns the way of the next run that is timed. If no run is timed any more, it returns
// the way of all runs and false.
func (e *Entry) nextWay() (w *Way, timed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := e.settled.Load(); w != nil {
		return w, false
	}
	next := e.tune.NextWay()
	if next < len(e.scouts) {
		return e.scouts[next].nextWay(e), true
	}
	return e.prepared(next, nil), true
}

// Kind names what the way does with each row.
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
	return slices.Concat(timed, estimated), len(timed), upcoming
}
