// Package engine runs loop nests: it chooses kernels, finds out from runs which of several ways is
// the fastest, keeps what it knows in a cache of the process, and spreads parts over goroutines. It
// knows nests and programs, not descriptors, and checks no buffer.
//
// A [Problem] is a nest with what may run it. A slice that runs more than once has an [Entry]: from
// [Problem.Entry] for a plan, or from the cache when [Problem.Run] meets its problem for the second
// time. Three functions do the work: [Entry.Run] runs a whole slice, Way.runParts some parts of
// one, and [Problem.Run] a slice whose problem may never have come before.
package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Settings are what a user asks for. The zero value asks for nothing.
type Settings struct {
	Kernel      string        // "" for any
	Candidate   string        // "" for any
	Parallelism int           // goroutines at most, the caller's included; 0 for GOMAXPROCS
	Streaming   int64         // bytes of output from which on stores are non-temporal; 0 for the default, negative for never
	Measure     time.Duration // to settle in, on scratch memory; none if it is not positive
	Fixed       bool          // estimates alone decide
	Swap        bool          // of a conversion: the bytes of the source's elements have the order that the machine does not have
	Samples     [2]bool       // of a conversion: whether elements of the source, and of the destination, are a Sample
}

// Sample is an element of a picture of 16 bits: the high byte first, whatever the machine's order,
// in 257ths of what 8 bits count.
type Sample uint16

// Problem is a nest and what may run it. Slices that run alike have equal problems, wherever in
// their buffers they begin, and share one entry. The caller sets Nest, and Configure the rest.
type Problem struct {
	Nest    nest.Nest       // in normal form; its offset in the source is 0
	Numbers convert.Numbers // what a conversion makes of the elements
	Kernels plan.Kernels
	Workers int32 // goroutines that may run it, the caller's included
	stores  plan.Stores
	learns  bool // whether runs may be timed to find the fastest way
}

// Configure sets all but the nest as s and the environment say. The errors are ErrKernel and
// dtype.ErrSyntax, for variables.
func (p *Problem) Configure(s *Settings) (err error) {
	process := here()
	if p.Kernels, err = process.allowed(s); err != nil {
		return err
	}
	bytes := nest.Bytes(&p.Nest)
	p.stores, p.Workers = storesOf(bytes, s.Streaming), workersOf(bytes, s.Parallelism)
	p.learns = process.learns && !s.Fixed
	return nil
}

// storesOf returns how a slice of `bytes` bytes may store. A positive `from` asks for non-temporal
// stores for slices of that many bytes or more, and a negative one for none. 0 asks for the faster
// ones, if the output does not fit the share of the last-level cache that a program may count on.
func storesOf(bytes, from int64) plan.Stores {
	switch {
	case bytes <= plan.PartBytes || from < 0 || from > bytes:
		return plan.Stores{Cached: true}
	case from > 0:
		return plan.Stores{NonTemporal: true}
	}
	return plan.Stores{Cached: true, NonTemporal: bytes >= plan.Here().LastLevel}
}

// workersOf returns how many goroutines may run a slice of `bytes` bytes, the caller's included.
func workersOf(bytes int64, parallelism int) int32 {
	if parallelism == 1 || bytes < plan.ParallelBytes {
		return 1
	}
	workers := runtime.GOMAXPROCS(0)
	if parallelism > 0 {
		workers = min(workers, parallelism)
	}
	return int32(min(int64(workers), bytes/plan.PartBytes)) // about as many as there are parts
}

// work returns what the planner has to know beside the nest.
func (p *Problem) work() plan.Work {
	w := plan.Work{Kernels: p.Kernels, Stores: p.stores, AloneBelow: math.MaxInt64}
	if p.learns {
		w.AloneBelow = learnFrom
	}
	return w
}

// Entry returns how slices of the problem run: what the cache has, or a new entry. s must be the
// Settings that p was configured by. If s names a candidate, Entry looks for it among those of all
// kernels of the problem, then among those of each kernel alone. The entry is then a new one that
// has only this candidate. If none has the name, the error is ErrKernel.
func (p *Problem) Entry(s *Settings) (*Entry, error) {
	if s.Candidate != "" {
		among := []plan.Kernels{p.Kernels}
		for _, k := range Kernels() {
			among = append(among, p.Kernels&plan.Only(k.number))
		}
		for _, may := range [...]plan.Stores{p.stores, {Cached: true}, {Cached: true, NonTemporal: true}} { // they decide how a slice is cut
			for _, among := range among {
				alone := *p
				alone.Kernels, alone.stores = among, may
				for _, c := range alone.candidates() {
					if c.String() == s.Candidate {
						return newEntry(alone, c), nil
					}
				}
			}
		}
		return nil, fmt.Errorf("slice1: %w: this plan has no candidate %q", ErrKernel, s.Candidate)
	}
	e, again := theCache.find(p)
	if e == nil {
		e = newEntry(*p)
		if again {
			e = theCache.put(e)
		}
	}
	if s.Measure > 0 {
		e.measure(s.Measure)
	}
	return e, nil
}

// candidates returns the ways to run a problem, cheapest first, with estimated costs that count all
// parts.
func (p *Problem) candidates() (cs []plan.Candidate) {
	work := p.work()
	work.Stores = plan.Stores{Cached: true, NonTemporal: nest.Bytes(&p.Nest) > plan.PartBytes}
	blocks := plan.Blocks(&p.Nest)
	for i, by := range plan.EveryCutting(&p.Nest) {
		n, times := &p.Nest, int64(1)
		if by.Blocks {
			n, times = &blocks.Shapes[0], blocks.Count
		}
		pieces := plan.Cut(n, p.stores, by)
		for _, c := range plan.Here().Candidates(&pieces.Shapes[0], times*pieces.Count, work) {
			if i == 0 || slices.Contains(plan.Cuttings(&p.Nest, p.stores, c), by) {
				c.Cutting = by
				cs = append(cs, c)
			}
		}
	}
	slices.SortStableFunc(cs, func(a, b plan.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// Run runs one slice at dst and src, from which the nest counts: on several goroutines only if
// parallel is true. A problem that comes for the first time, and runs on one goroutine, has no
// entry: the way that is the cheapest by estimate runs it.
func (p *Problem) Run(dst, src unsafe.Pointer, parallel bool) {
	e, again := theCache.find(p)
	switch {
	case e != nil:
	case again:
		e = theCache.put(newEntry(*p))
	case p.Workers > 1 || plan.Large(&p.Nest):
		e = newEntry(*p)
	case nest.Bytes(&p.Nest) <= plan.PartBytes && plan.Here().InGo(&p.Nest, p.Kernels):
		portable.Run(&p.Nest, dst, src)
		return
	default:
		p.runNew(dst, src)
		return
	}
	if w := e.Small(); w != nil {
		w.Run(dst, src)
		return
	}
	_ = e.Run(context.Background(), dst, src, parallel) // which is never done, so no error
}

// runNew runs a slice that has no entry, with all that it takes on the stack. It is a function of
// its own since clearing programs takes longer than many a slice that needs none.
//
//go:noinline
func (p *Problem) runNew(dst, src unsafe.Pointer) {
	var (
		programs [4]csrc.Program
		ways     [plan.MaxListed]plan.Candidate
		next     queue
	)
	pieces, work := plan.Cut(&p.Nest, p.stores, plan.Cutting{}), p.work()
	work.AloneBelow = math.MaxInt64
	plan.Here().List(&ways, &programs[0], &pieces.Shapes[0], pieces.Count, work)
	w := Way{Candidate: ways[0], cut: cut{pieces: &pieces}}
	if w.Kernel >= 0 {
		plan.Here().MakeParts(&pieces, programs[:], w.Candidate, &programs[0])
		w.programs = programs[:]
	}
	w.runParts(context.Background(), &next, pieces.Count, plan.CallParts, dst, src)
}
