package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// call is what a run reads and writes.
type call struct {
	dst, src unsafe.Pointer
	values   Values
}

// goroutines returns how many goroutines run the parts of w.
func (e *Entry) goroutines(w *Way, parallel bool) int64 {
	if !parallel {
		return 1
	}
	return e.Goroutines(w)
}

// shareParts runs the parts [start, end) on so many goroutines. ctx and the error are the same as
// Entry.Run's.
func (w *Way) shareParts(ctx context.Context, start, end, goroutines int64, c *call) error {
	if goroutines == 1 {
		var q queue
		q.begin(start)
		return w.takeParts(ctx, &q, end, exec.CallParts, c)
	}
	// The variables that goroutines share are on the heap, so they must not be those of above.
	q, shared := new(queue), *c
	q.begin(start)
	// Each goroutine takes a few parts of its share at a time, so that all are busy until the end.
	batch := max(1, min(exec.CallParts, (end-start)/(4*goroutines)))
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

func (q *queue) begin(part int64)       { q.position.Store(uintptr(part)) }
func (q *queue) take(count int64) int64 { return int64(q.position.Add(uintptr(count))) - count }
func (q *queue) taken() int64           { return int64(q.position.Load()) }

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
	scratch := w.Scratch(&c.values)
	short := end > 1 && w.call > 0 && runtime.GOMAXPROCS(0) == 1 && calm()
	var err error
	for begun := int64(0); begun < end; {
		if err = ctx.Err(); err != nil {
			break
		}
		count, began := batch, time.Time{}
		if short {
			count, began = 1, time.Now()
		}
		start := q.take(count)
		if begun = start + count; start >= end { // other goroutines have begun the last ones
			break
		}
		count = min(count, end-start)
		yield.BeforeCall(w.call * count)
		w.SliceParts(start, count, c.dst, c.src, scratch)
		short = short && time.Since(began) < longPart
	}
	scratch.Put()
	return err
}
