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
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/sentence"
)

// errDescends is the error for numbers that are not written upwards. Descriptors and pictures never
// ask for that.
var errDescends = errors.New("slice1: a loop of a conversion does not move the destination upwards")

// Configure sets the fields of p from Kernels on, from s and from the environment, and may lower
// Band. The error is ErrKernel, or dtype.ErrSyntax for a variable of the environment.
//
// The nest of a problem with numbers need not be in normal form: Configure orders and merges its
// loops. If one of them does not move the destination upwards, Configure returns another error.
func Configure(p *plan.Problem, s *Settings) (err error) {
	process := thisProcess()
	if p.Kernels, err = process.allowed(s); err != nil {
		return err
	}
	if !p.Numbers.Opaque() {
		if slices.ContainsFunc(p.Nest.Dims[:p.Nest.Rank], func(d nest.Dim) bool { return d.Dst <= 0 }) {
			return errDescends
		}
		nest.Order(&p.Nest)
		nest.Coalesce(&p.Nest)
	}
	bytes := p.Bytes()
	p.Stores, p.Workers = storesOf(bytes, s.Streaming), workersOf(max(bytes, p.Taken), s.Parallelism)
	for _, d := range p.Nest.Dims[:p.Nest.Rank] {
		if d.Src == p.Pitch {
			p.Band = min(p.Band, d.Extent/int64(2*p.Workers))
		}
	}
	if p.Workers == 1 {
		p.Band = 0
	}
	p.AloneBelow = plan.Never
	if process.learns && !s.Fixed {
		p.AloneBelow = learnFrom
	}
	return nil
}

// storesOf returns how a slice of `bytes` bytes may store. A slice of at most plan.PartBytes has
// ordinary stores. A positive streaming asks for non-temporal stores for slices of that many bytes
// or more, and a negative one for none. 0 asks for the faster stores. These are never non-temporal
// if the output fits the share of the last-level cache that a program may count on.
func storesOf(bytes, streaming int64) plan.Stores {
	switch {
	case bytes <= plan.PartBytes || streaming < 0 || streaming > bytes:
		return plan.Stores{Cached: true}
	case streaming > 0:
		return plan.Stores{NonTemporal: true}
	}
	return plan.Stores{Cached: true, NonTemporal: bytes >= plan.ThisHost().LastLevel}
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
	return int32(min(int64(workers), bytes/plan.PartBytes)) // at most about as many as there are parts
}

// EntryOf returns the entry of p, from the cache if the cache has it. s must be the
// Settings with which p was configured. If s names a candidate, EntryOf looks for it among the
// candidates of all kernels of the problem, then among the candidates of each kernel alone. It then
// returns a new entry that has only this candidate. If no candidate has the name, the error is
// ErrKernel. If s asks to measure what does not learn, the error is errors.ErrUnsupported.
func EntryOf(p *plan.Problem, s *Settings) (*Entry, error) {
	if s.Measure > 0 && (s.Fixed || s.Candidate != "") {
		other := WithCandidate.String()
		if s.Fixed {
			other = WithLearning.String() + "(false)"
		}
		return nil, sentence.New("slice1", errors.ErrUnsupported, "%v with %s would measure nothing", WithMeasure, other)
	}
	if s.Candidate != "" {
		among := []plan.Kernels{p.Kernels}
		for _, k := range Kernels() {
			if p.Kernels.Contains(k.number) {
				among = append(among, plan.OneKernel(k.number))
			}
		}
		for _, may := range [...]plan.Stores{p.Stores, {Cached: true}, {Cached: true, NonTemporal: true}} { // the stores decide how a slice is cut
			for _, among := range among {
				alone := *p
				alone.Kernels, alone.Stores = among, may
				for _, c := range host(&alone).Every(&alone) {
					if c.String() == s.Candidate {
						return newEntry(alone, c), nil
					}
				}
			}
		}
		return nil, fmt.Errorf("slice1: %w: this plan has no candidate %q", ErrKernel, s.Candidate)
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

// Copy runs one slice or conversion, as Entry.Run does. A slice of a problem that is new and runs
// on one goroutine gets no entry, unless it is large: it runs by the way with the lowest estimated
// cost.
func Copy(p *plan.Problem, dst, src unsafe.Pointer, values *Values, parallel bool) {
	e, repeated := theCache.find(p)
	switch {
	case e != nil:
	case repeated:
		e = theCache.put(newEntry(*p))
	case p.Workers > 1 || p.InStages() || plan.Large(&p.Nest):
		e = newEntry(*p)
	case nest.Bytes(&p.Nest) <= plan.PartBytes && plan.ThisHost().InGo(&p.Nest, p.Kernels):
		exec.InGo(&p.Nest, dst, src)
		return
	default:
		copyNew(p, dst, src)
		return
	}
	if w := e.Small(); w != nil {
		w.Slice(dst, src)
		return
	}
	_ = e.Run(context.Background(), dst, src, values, parallel) // the context is never done, so there is no error
}

// room is memory for the plan of a slice that has no entry.
type room struct {
	first    program.Draft
	programs program.Programs
	ways     [plan.MaxListed]plan.Candidate
	pieces   plan.Pieces
}

// rooms are used again, since to clear one takes longer than many of these slices.
var rooms = sync.Pool{New: func() any { return new(room) }}

// copyNew runs a slice that has no entry.
func copyNew(p *plan.Problem, dst, src unsafe.Pointer) {
	var q queue
	r := rooms.Get().(*room)
	r.pieces.Cut(&p.Nest, p.Stores, plan.Cutting{})
	host(p).List(&r.ways, &r.first, &r.pieces.Shapes[0], r.pieces.Count, p)
	w := Way{Candidate: r.ways[0], Work: exec.Slice(&r.pieces, r.ways[0], &r.first, &r.programs)}
	if w.Single() {
		w.Slice(dst, src)
	} else {
		_ = w.takeParts(context.Background(), &q, r.pieces.Count, exec.CallParts, &call{dst: dst, src: src})
	}
	r.programs = *w.Programs()
	rooms.Put(r)
}
