// Package engine runs loop nests. It chooses kernels and times runs to find out which of several
// ways is the fastest. It keeps what it knows in a cache of the process, and spreads parts over
// goroutines. It knows nests and programs, not descriptors, and checks no buffer.
//
// A [plan.Problem] that runs more than once has an [Entry]: from [EntryOf] for a plan, or from the
// cache when [Copy] meets the problem for the second time. [Entry.Run] runs a whole slice,
// Way.takeParts some parts of one, and [Copy] a slice of a problem that may be new.
package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// Entry says how the slices of a problem run: in one or more parts, by one of several ways. Plans,
// Copy and the cache share it, and it is safe for concurrent use. While it learns, one run at a
// time is timed. Other runs take the best way known so far.
type Entry struct {
	problem plan.Problem
	pieces  plan.Pieces         // of slices from memory to memory, unless a way asks for a Cutting
	settled atomic.Pointer[Way] // the way of all runs; nil while the entry learns
	small   atomic.Pointer[Way] // the way of a slice of one part that has nothing left to learn, once a run took it, or nil
	lastWay atomic.Pointer[Way] // the way of the run that began last, or nil
	learner *learner            // what finds the fastest of several ways, or nil if there is one

	size   int64       // bytes; the cache guards it if cached is true
	cached bool        // whether the cache holds the entry; the cache guards it
	used   atomic.Bool // whether the cache found the entry lately
}

// Way is one way to run the parts of a problem. Once it is prepared, nothing but learned changes.
type Way struct {
	plan.Candidate
	prepared        bool  // whether it can run: the fields up to call are set
	exec.Executable       // the whole slice
	call            int64 // estimated picoseconds that a part takes in C; 0 if it runs in Go, and under the race detector
	learned         bool  // whether other ways were compared with it, and may be again
}

// EntryOf returns the entry of p, from the cache if the cache has it. s must be the Settings with
// which p was configured. If s names a candidate, EntryOf returns what entryNamed returns. If s
// asks to measure what does not learn, the error is errors.ErrUnsupported.
func EntryOf(p *plan.Problem, s *Settings) (*Entry, error) {
	if s.Measure > 0 && (s.Fixed || s.Candidate != "") {
		option := WithCandidate.String()
		if s.Fixed {
			option = WithLearning.String() + "(false)"
		}
		return nil, sentence.New("slice1", errors.ErrUnsupported, "%v with %s would measure nothing", WithMeasure, option)
	}
	if s.Candidate != "" {
		return entryNamed(p, s.Candidate)
	}
	e, repeated := theCache.find(p)
	if e == nil {
		e = newEntry(*p)
		if repeated {
			e = theCache.put(e)
		}
	}
	if s.Measure > 0 {
		e.measure(s.Measure)
	}
	return e, nil
}

// newEntry returns an entry with the given way to run a problem. If none is given, its first way is
// the planner's first choice, and the entry learns whether another one is faster. The first way is
// prepared at once. Each other way is prepared when a run takes it for the first time.
func newEntry(p plan.Problem, given ...plan.Candidate) *Entry {
	e := &Entry{problem: p}
	var made program.Draft
	ways, draft := host(&p).Ways(&p, &e.pieces, &made), &made
	if len(given) > 0 {
		ways, draft = given, nil
	}
	if len(given) > 0 || p.Fixed || !e.learn(ways, draft) {
		e.settled.Store(e.prepare(&Way{Candidate: ways[0]}, draft))
	}
	e.size = e.bytes()
	return e
}

// bytes returns about how many bytes e takes with the ways that are prepared.
func (e *Entry) bytes() int64 {
	size := int64(unsafe.Sizeof(*e)) + e.pieces.Bytes()
	if e.learner != nil {
		return size + e.learner.bytes(e)
	}
	w := e.settled.Load()
	return size + int64(unsafe.Sizeof(*w)) + e.bytesOf(w)
}

// bytesOf returns how many bytes way w takes besides a Way and the pieces of e: none until it is
// prepared.
func (e *Entry) bytesOf(w *Way) int64 {
	switch {
	case !w.prepared:
		return 0
	case w.Pieces() == &e.pieces:
		return w.Bytes() - e.pieces.Bytes()
	}
	return w.Bytes()
}

// prepare makes w ready to run, and returns it. `draft` is its program for the first shape of part,
// or nil if prepare has to make that program. The caller holds mu.
func (e *Entry) prepare(w *Way, draft *program.Draft) *Way {
	if w.prepared {
		return w
	}
	w.prepared = true
	w.Executable = exec.Prepare(&e.problem, w.Candidate, &e.pieces, draft)
	theCache.grow(e, e.bytesOf(w))
	if w.Kernel.CallsC() && !Race { // under the race detector a sync.Pool drops some of what it is given, so yields would allocate
		w.call = w.Cost / w.Slots()
	}
	return w
}

// Problem returns the problem of the entry. The caller must not change it.
func (e *Entry) Problem() *plan.Problem { return &e.problem }

// Goroutines returns how many goroutines a run by w takes, the caller's included.
func (e *Entry) Goroutines(w *Way) int64 { return min(int64(e.problem.Workers), w.Slots()) }

// LastWay returns the way of the run that began last, or nil before the first.
func (e *Entry) LastWay() *Way { return e.lastWay.Load() }

// Small returns the way of a slice of one part that has nothing left to learn, once a run has taken
// it, or nil. To run that way is the same as [Entry.Run] and saves calls. For a tiny slice these
// calls take as long as the slice.
func (e *Entry) Small() *Way { return e.small.Load() }

// Values are what a conversion multiplies its numbers by and adds to them, and what makes the rows
// of its source, if that is not memory. Slices have none.
type Values = exec.Values

// Source makes rows of a source.
type Source = exec.Source

// Run runs a slice or a conversion. The offsets of the nest count from dst and src. Several
// goroutines share the work only if parallel is true. If ctx is done before the last part has
// begun, Run begins no more parts and returns ctx's error.
//
// unsafe: all elements lie in their buffers. Elements of the destination share no byte with each
// other or with elements of the source.
func (e *Entry) Run(ctx context.Context, dst, src unsafe.Pointer, values *Values, parallel bool) error {
	w := e.settled.Load()
	if w == nil || w.learned {
		return e.runAndLearn(ctx, dst, src, values, parallel)
	}
	e.note(w)
	if w.Single() && w.call < yield.MinCall && e.small.Load() == nil {
		e.small.Store(w)
	}
	return e.run(ctx, w, dst, src, values, parallel)
}

// run is Run by way w, which is not compared block by block.
func (e *Entry) run(ctx context.Context, w *Way, dst, src unsafe.Pointer, values *Values, parallel bool) error {
	if !w.Single() {
		// The copy of a composite literal would load 16 bytes at a time of what had just been
		// stored in pieces of 8, and wait for these stores.
		var c call
		c.dst, c.src, c.values = dst, src, *values
		return w.shareParts(ctx, 0, w.Slots(), e.goroutines(w, parallel), &c)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	yield.BeforeCall(w.call)
	w.Slice(dst, src)
	return nil
}

// note makes w the way of the last run. It stores only a change, since goroutines share the entry.
func (e *Entry) note(w *Way) {
	if e.lastWay.Load() != w {
		e.lastWay.Store(w)
	}
}
