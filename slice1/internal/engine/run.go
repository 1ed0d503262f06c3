package engine

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

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
	// The copy of a composite literal would load 16 bytes at a time of what had just been stored in
	// pieces of 8, and wait for these stores.
	var c call
	c.dst, c.src, c.values = dst, src, *values
	w, timed := e.take()
	if timed {
		defer e.turn.Store(false)
		if i := e.tune.NextWay(); i < len(e.scouts) {
			took, err := e.compare(ctx, i, &c, parallel)
			e.tell(took, err)
			return err
		}
	}
	e.note(w)
	var began int64
	if timed {
		began = nanotime()
	}
	err := w.shareParts(ctx, 0, w.Numbers(), e.goroutines(w, parallel), &c)
	if timed {
		e.tell(nanotime()-began, err)
	}
	return err
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
		if w, timed = e.nextWay(); timed {
			return w, true
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
	case e.pieces.Count == 1 && w.call < yield.MinCall && e.small.Load() == nil:
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
	if w.Single() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		yield.BeforeCall(w.call)
		w.Slice(c.dst, c.src)
		return nil
	}
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
