package slice1

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

const (
	// partBytes is the output of one part of a large plan, the unit of
	// parallel work. It bounds how long a cancelled context goes unnoticed: a
	// part of 1-byte elements that all miss the cache takes milliseconds.
	partBytes = 256 << 10
	// parallelBytes is the output below which a second goroutine costs more
	// than it does.
	parallelBytes = 4 << 20
)

// streamBytes is the output from which on storing past the caches pays even for
// those who read it next: half the third-level cache, which source and output then
// fill, but no more than 32 MiB, since other programs have a share in a large one.
// With a cache of 32 MiB
//
//	go test ./slice1 -run - -bench Streaming -benchtime 1x
//
// shows the rule.
var streamBytes = streamFrom(cpuid.Host())

func streamFrom(host cpuid.Features) int64 {
	const most = 32 << 20
	if host.L3 == 0 {
		return most
	}
	return min(most, int64(host.L3/2))
}

// parts is a large nest cut, each kind of part ready for its kernel.
type parts struct {
	nest.Pieces
	kernel   *kernel
	programs [4]csrc.Program // of the shapes, for a C kernel
	workers  int             // goroutines to use, the caller's included
}

// init cuts p's nest.
func (ps *parts) init(p *Plan, c config) {
	ps.kernel = p.kernel
	native := ps.kernel.native
	stream := csrc.Cached
	if native != nil && c.streaming > 0 && p.bytes >= c.streaming {
		switch host := cpuid.Host(); {
		case host.FetchNear:
			stream = csrc.PastNear
		case host.FetchShort:
			stream = csrc.PastShort
		default:
			stream = csrc.Past
		}
	}
	ps.Pieces = nest.Cut(&p.nest, partBytes, stream != csrc.Cached)
	if native != nil {
		for s := range ps.NumShapes {
			native.Prepare(&ps.programs[s], &ps.Shapes[s], stream)
		}
	}
	ps.workers = 1
	if c.parallelism != 1 && p.bytes >= parallelBytes {
		ps.workers = runtime.GOMAXPROCS(0)
		if c.parallelism > 0 {
			ps.workers = min(ps.workers, c.parallelism)
		}
		ps.workers = int(min(int64(ps.workers), ps.Count))
	}
}

// run runs all parts.
func (ps *parts) run(ctx context.Context, dst, src unsafe.Pointer) error {
	if ps.workers > 1 {
		return ps.runParallel(ctx, dst, src)
	}
	for i := range ps.Count {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ps.part(i, dst, src)
	}
	return nil
}

// runParallel has each goroutine take the next part until none is left. It
// works on a copy, since what goroutines use lives on the heap, and the parts
// that Copy makes should not.
func (ps *parts) runParallel(ctx context.Context, dst, src unsafe.Pointer) error {
	var (
		q    = *ps
		next atomic.Int64
		wg   sync.WaitGroup
	)
	work := func() {
		for ctx.Err() == nil {
			i := next.Add(1) - 1
			if i >= q.Count {
				return
			}
			q.part(i, dst, src)
		}
	}
	for range q.workers - 1 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work()
		}()
	}
	work()
	wg.Wait()
	if next.Load() < q.Count {
		return ctx.Err()
	}
	return nil
}

func (ps *parts) part(i int64, dst, src unsafe.Pointer) {
	so, do, shape := ps.Part(i)
	d, s := unsafe.Add(dst, do), unsafe.Add(src, so)
	if native := ps.kernel.native; native != nil {
		native.Run(&ps.programs[shape], d, s)
	} else {
		ps.kernel.run(&ps.Shapes[shape], d, s)
	}
}
