package engine

import (
	"context"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

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
	draft    program.Draft
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
	host(p).List(&r.ways, &r.draft, &r.pieces.Shapes[0], r.pieces.Count, p)
	w := Way{Candidate: r.ways[0], Executable: exec.Slice(&r.pieces, r.ways[0], &r.draft, &r.programs)}
	if w.Single() {
		w.Slice(dst, src)
	} else {
		_ = w.takeParts(context.Background(), &q, r.pieces.Count, exec.CallParts, &call{dst: dst, src: src})
	}
	r.programs = *w.Programs()
	rooms.Put(r)
}
