package engine

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
)

// Entry is how the slices of a problem run: in one or more parts, by one of several ways. It is
// shared by plans, by Problem.Run and by the cache, and safe for concurrent use. While it learns,
// one run at a time holds turn and is timed; other runs take the best way known so far.
type Entry struct {
	problem    Problem
	pieces     plan.Pieces
	conversion *convert.Nest       // what runs a problem with Numbers, which uses nothing of pieces, ways and tune
	best       atomic.Pointer[Way] // what runs take that do not hold turn
	settled    atomic.Pointer[Way] // best if nothing is to be learned, else nil
	last       atomic.Pointer[Way] // what the last run took that has begun, or nil

	turn     sync.Mutex       // guards all that follows
	ways     []Way            // the first choice by estimate comes first; once settled, the best
	tune     tune.State       // has a way for each of ways
	measured []plan.Candidate // what has been learned, the best first; a cost is the measured time of a run
	runs     int64            // how many runs it took to settle

	since atomic.Int64 // about how many runs there were since then
	retry int64        // after how many to learn again; set before settled

	size   int64       // bytes; guarded by the cache if cached is true
	cached bool        // guarded by the cache
	used   atomic.Bool // by the cache: whether the entry was found lately
}

// Way is one way to run the parts of a problem. Once it is prepared, it is immutable, but for
// learned.
type Way struct {
	plan.Candidate
	pieces   *plan.Pieces
	prepared bool            // whether it can run: the next three fields are set
	programs []csrc.Program  // for each shape of part, if the kernel is not plain Go
	table    *portable.Table // for plain Go, if a table is faster for the whole nest
	call     int64           // picoseconds that a part takes in C, by estimate; 0 if it runs in Go, and under the race detector
	learned  bool            // whether other ways were compared with it, and may be again
}

// newEntry returns an entry with the given ways to run a problem, or with those that the planner
// lists if none are given. The first way is prepared, and each other one when a run takes it for
// the first time.
func newEntry(p Problem, given ...plan.Candidate) *Entry {
	e := &Entry{problem: p, pieces: plan.Cut(&p.Nest, p.stores)}
	var (
		list    [plan.MaxWays]plan.Candidate
		program csrc.Program
		first   *csrc.Program
	)
	if len(given) == 0 {
		given, first = list[:plan.Here().List(&list, &program, &e.pieces.Shapes[0], e.pieces.Count, p.work())], &program
	}
	e.ways = make([]Way, len(given))
	for i, c := range given {
		e.ways[i].Candidate, e.ways[i].pieces = c, &e.pieces
	}
	e.prepared(0, first)
	e.begin(tune.Rounds)
	e.size = e.bytes()
	return e
}

// bytes returns about how many bytes e takes when all its ways are prepared.
func (e *Entry) bytes() int64 {
	size := int64(unsafe.Sizeof(*e)) + int64(len(e.ways))*int64(unsafe.Sizeof(Way{}))
	for i := range e.ways {
		if w := &e.ways[i]; w.Kernel >= 0 {
			size += int64(e.pieces.NumShapes) * int64(unsafe.Sizeof(csrc.Program{}))
		} else if w.table != nil {
			size += w.table.Bytes()
		}
	}
	return size
}

// prepared returns way i, ready to run. `first` is its program for the first shape of part, or nil
// if that is to be made. The caller holds turn.
func (e *Entry) prepared(i int, first *csrc.Program) *Way {
	w, pieces := &e.ways[i], &e.pieces
	if w.prepared {
		return w
	}
	w.prepared = true
	if w.Kernel.InC() && !Race { // under the race detector yields would allocate, since a sync.Pool drops some of what it is given
		w.call = w.Cost / pieces.Count
	}
	if w.Kernel >= 0 {
		w.programs = make([]csrc.Program, pieces.NumShapes)
		plan.Here().MakeParts(pieces, w.programs, w.Candidate, first)
	} else if pieces.Count == 1 {
		w.table = portable.NewTable(&pieces.Shapes[0])
	}
	return w
}

// begin compares the ways in at most so many rounds, unless there is only one.
func (e *Entry) begin(rounds int) {
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

// Problem returns what the entry is for. It must not be changed.
func (e *Entry) Problem() *Problem { return &e.problem }

// Parts returns how many parts a slice has.
func (e *Entry) Parts() int64 { return e.pieces.Count }

// Goroutines returns how many goroutines a run takes, the caller's included.
func (e *Entry) Goroutines() int64 { return min(int64(e.problem.Workers), e.pieces.Count) }

// Last returns the way of the run that began last, or nil before the first.
func (e *Entry) Last() *Way { return e.last.Load() }

// Upcoming returns the way that the next run takes if no other run comes before it.
func (e *Entry) Upcoming() *Way {
	e.turn.Lock()
	defer e.turn.Unlock()
	if w := e.settled.Load(); w != nil {
		return w
	}
	return e.prepared(e.tune.Next(), nil)
}

// Kind returns what the way does with each row.
func (w *Way) Kind() string {
	if w.programs != nil {
		return w.Candidate.Kind()
	}
	return portable.Class(&w.pieces.Shapes[0])
}

// Candidates returns the ways to run the problem: first those that runs have timed, each group from
// the cheapest on, and how many these are. It plans anew, and waits while a run is timed.
func (e *Entry) Candidates() (all []plan.Candidate, measured int) {
	upcoming, timed := e.Upcoming().Candidate, e.Known()
	estimated := slices.DeleteFunc(e.problem.candidates(), func(c plan.Candidate) bool {
		return slices.ContainsFunc(timed, c.Is) || !c.Is(upcoming) && !e.problem.stores.Allow(c)
	})
	return slices.Concat(timed, estimated), len(timed)
}
