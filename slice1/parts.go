package slice1

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// parts is a large nest that is cut into parts, and what runs each shape of part.
type parts struct {
	plan.Pieces
	native   bool            // programs run the parts; else plain Go does
	programs [4]csrc.Program // of the shapes, if native
	workers  int             // goroutines that may run the parts, the caller's included
}

// init chooses how to cut and run p's nest, and sets ps and p.chosen.
func (ps *parts) init(p *Plan, c config) {
	p.chosen = plan.Here().ChooseParts(&ps.Pieces, &ps.programs, &p.nest, p.work, stores(p.bytes, c.streaming))
	ps.begin(p, c)
}

// workers returns how many goroutines may run the plan, the caller's included.
func (p *Plan) workers() int {
	if p.parts == nil {
		return 1
	}
	return p.parts.workers
}

// stores returns how a slice of `bytes` bytes may store. A positive `from` asks for non-temporal
// stores for slices of that many bytes or more, 0 wherever they cost less, and a negative one nowhere.
func stores(bytes, from int64) plan.Stores {
	nt := from > 0 && bytes >= from
	return plan.Stores{Cached: !nt, NonTemporal: nt || from == 0}
}

// begin sets native by p.chosen, and workers by the size of the slice and c.
func (ps *parts) begin(p *Plan, c config) {
	ps.native = p.chosen.Kernel >= 0
	ps.workers = 1
	if c.parallelism != 1 && p.bytes >= plan.ParallelBytes {
		ps.workers = runtime.GOMAXPROCS(0)
		if c.parallelism > 0 {
			ps.workers = min(ps.workers, c.parallelism)
		}
		ps.workers = int(min(int64(ps.workers), ps.Count))
	}
}

// run runs all parts, on ps.workers goroutines if many is true, else on the caller's alone. If
// ctx is done before the last part has begun, run begins no more parts and returns ctx's error.
func (ps *parts) run(ctx context.Context, dst, src unsafe.Pointer, many bool) error {
	if many && ps.workers > 1 {
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

// runParallel is run on ps.workers goroutines, each of which takes the next part until none
// is left or ctx is done. It works on a copy of ps: what goroutines use lives on the heap, and
// the parts that Copy makes must stay on the stack.
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

// part runs part i.
func (ps *parts) part(i int64, dst, src unsafe.Pointer) {
	so, do, shape := ps.Part(i)
	d, s := unsafe.Add(dst, do), unsafe.Add(src, so)
	var r runner
	if ps.native {
		r.program = &ps.programs[shape]
	}
	r.run(&ps.Shapes[shape], d, s)
}
