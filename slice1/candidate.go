package slice1

import (
	"fmt"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Candidate is one way to run a plan.
type Candidate struct {
	Name   string  // what WithCandidate takes: the kernel, the kind of its inner loop, and "nt" for non-temporal stores
	Cost   float64 // estimated nanoseconds of one run on one goroutine with all data in the first-level cache
	Chosen bool    // the plan runs so
}

// Candidates returns the ways to run the plan that the planner knows, cheapest first:
// by every usable kernel, or by the one that WithKernel or SLICE1_KERNEL names. Estimates
// do not know where the data lie, so that the chosen candidate need not be the first.
// Candidates plans them all anew and allocates.
func (p *Plan) Candidates() []Candidate {
	chosen := p.candidate()
	var cs []Candidate
	for _, c := range p.candidates() {
		cs = append(cs, Candidate{Name: c.String(), Cost: c.Cost, Chosen: c.Is(chosen)})
	}
	return cs
}

// candidates returns those of the plan's first part, with the costs of all parts.
func (p *Plan) candidates() []plan.Candidate {
	var weighed []plan.Kernel
	chosen := p.candidate().Kernel // that of a narrower set, if its loops serve the kernel better
	for _, k := range kernels {
		if k.Usable && (!p.named || k.Kernel == p.kernel.Kernel || k.Kernel == chosen) {
			weighed = append(weighed, k.Kernel)
		}
	}
	n, storing, count := p.shape()
	cs := plan.Candidates(n, weighed, storing)
	for i := range cs {
		cs[i].Cost *= count
	}
	return cs
}

// shape returns the nest that the plan's programs are made of, or the first of them, how
// it could be stored if not into the caches, and how many such nests the plan has.
func (p *Plan) shape() (n *nest.Nest, storing plan.Storing, count float64) {
	if p.parts == nil {
		return &p.nest, plan.Cached, 1
	}
	return &p.parts.Shapes[0], plan.NonTemporal(), float64(p.parts.Count)
}

// candidate returns the one that the plan is.
func (p *Plan) candidate() plan.Candidate {
	switch {
	case p.parts != nil && p.parts.native:
		return plan.ChosenIn(&p.parts.programs[0])
	case p.program != nil:
		return plan.ChosenIn(p.program)
	}
	if n, _, _ := p.shape(); p.vector && vector.Suits(n) {
		return plan.Candidate{Kernel: plan.Vector}
	}
	return plan.Candidate{Kernel: plan.Go} // which Go's vectors hand what does not suit them
}

// ask makes the plan the candidate of the given name.
func (p *Plan) ask(name string, c config) error {
	for _, known := range p.candidates() {
		if known.String() != name {
			continue
		}
		for i := range kernels {
			if kernels[i].Kernel == known.Kernel {
				p.kernel = &kernels[i]
			}
		}
		c.streaming = -1
		if known.NonTemporal {
			c.streaming = 1
		}
		p.prepare(c, &known)
		if p.candidate().Is(known) {
			return nil
		}
	}
	return fmt.Errorf("slice1: %w: this plan has no candidate %q", ErrKernel, name)
}

// makeProgram makes the program of a shape: of the candidate that is asked for, if one is
// and suits the shape.
func makeProgram(p *csrc.Program, n *nest.Nest, kernel plan.Kernel, storing plan.Storing, asked *plan.Candidate) {
	if asked == nil || !asked.Make(p, n, storing) {
		plan.Make(p, n, kernel, storing)
	}
}
