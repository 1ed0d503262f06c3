package slice1

import (
	"fmt"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// Candidate is one way to run a plan.
type Candidate struct {
	Name     string  // what WithCandidate takes: the kernel and, unless that is "go", the kind of its inner loop, "near" or "long" for another order of its loops, and "nt" for non-temporal stores
	Cost     float64 // nanoseconds of one run
	Chosen   bool    // the plan runs by this candidate
	Measured bool    // Cost was measured for WithMeasure, and not estimated
}

// Candidates returns the ways to run the plan by the kernels that it may use: by every usable
// kernel, or by the one that WithKernel or SLICE1_KERNEL names. Those that [WithMeasure] measured
// for the plan, or for an earlier plan of its shape, stand before the others, and both groups
// begin with the cheapest. A measured cost is the time of a run in the fastest turn, on the plan's
// goroutines; if only a part of the slice was measured, that part's time is multiplied by how many
// times more bytes the plan copies. The other costs are estimates for one goroutine, with the
// data in the smallest cache that holds them. Candidates plans all candidates anew and allocates.
// It returns nil for a plan that NewPlan did not make.
func (p *Plan) Candidates() []Candidate {
	if !p.made() {
		return nil
	}
	var cs []Candidate
	for _, c := range p.measured {
		cs = append(cs, Candidate{Name: c.String(), Cost: float64(c.Cost) / 1000, Chosen: c.Is(p.chosen), Measured: true})
	}
	for _, c := range p.candidates() {
		if !slices.ContainsFunc(p.measured, c.Is) {
			cs = append(cs, Candidate{Name: c.String(), Cost: float64(c.Cost) / 1000, Chosen: c.Is(p.chosen)})
		}
	}
	return cs
}

// candidates returns the candidates of the plan, cheapest first, with estimated costs that count
// all parts.
func (p *Plan) candidates() []plan.Candidate {
	if p.parts == nil {
		return plan.Here().Candidates(&p.nest, p.work)
	}
	return plan.Here().CandidatesForParts(&p.nest, p.work)
}

// ask makes the plan run the candidate of the given name, or returns ErrKernel if it has none.
func (p *Plan) ask(name string, c config) error {
	for _, known := range p.candidates() {
		if known.String() == name {
			*p = *p.as(known, c)
			return nil
		}
	}
	return fmt.Errorf("slice1: %w: this plan has no candidate %q", ErrKernel, name)
}

// as returns a copy of p that runs the given candidate. It returns nil if p's nest runs whole
// and the candidate cannot run it. If the nest is cut, a shape of part that the candidate cannot
// run gets the cheapest program of the same kernel.
func (p *Plan) as(known plan.Candidate, c config) *Plan {
	h, q := plan.Here(), *p
	q.chosen, q.runner, q.parts = known, runner{}, nil
	if q.bytes > plan.PartBytes {
		q.parts = new(parts)
		q.parts.Pieces = plan.Cut(&q.nest, h.StoringOf(known))
		h.MakeParts(&q.parts.Pieces, &q.parts.programs, known, q.work)
		q.parts.begin(&q, c)
		return &q
	}
	if known.Kernel >= 0 {
		q.program = new(csrc.Program)
		if !h.Make(q.program, &q.nest, known, h.StoringOf(known)) {
			return nil
		}
	}
	q.ready()
	return &q
}
