package slice1

import (
	"fmt"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// Candidate is one way to run a plan.
type Candidate struct {
	Name     string  // what WithCandidate takes: the kernel and, unless that is "go", the kind of its inner loop, "near" or "long" for another order of its loops, and "nt" for non-temporal stores
	Cost     float64 // nanoseconds of one run
	Chosen   bool    // the plan runs by this candidate
	Measured bool    // Cost is the time that runs took, and not an estimate
}

// Candidates returns the ways to run the plan by the kernels that it may use: by every usable
// kernel, or by the one that WithKernel or SLICE1_KERNEL names, and with the stores that it may use: see
// [WithStreaming]. Those whose times runs have shown stand
// before the others, and both groups begin with the cheapest. A measured cost is the median time of a run
// on the plan's goroutines. The other costs are estimates for one goroutine, with the data in the
// smallest cache that holds them. Candidates plans all candidates anew and allocates, and waits for a
// run that is being timed. It returns nil for a plan that NewPlan did not make.
func (p *Plan) Candidates() []Candidate {
	if !p.made() {
		return nil
	}
	chosen, measured := p.entry.upcoming().Candidate, p.entry.known()
	var cs []Candidate
	for _, c := range measured {
		cs = append(cs, Candidate{Name: c.String(), Cost: float64(c.Cost) / 1000, Chosen: c.Is(chosen), Measured: true})
	}
	for _, c := range p.candidates() {
		if !slices.ContainsFunc(measured, c.Is) && (c.Is(chosen) || p.stores.Allow(c)) {
			cs = append(cs, Candidate{Name: c.String(), Cost: float64(c.Cost) / 1000, Chosen: c.Is(chosen)})
		}
	}
	return cs
}

// candidates returns the candidates of the plan, cheapest first, with estimated costs that count
// all parts.
func (p *Plan) candidates() []plan.Candidate {
	if p.bytes <= plan.PartBytes {
		return plan.Here().Candidates(&p.nest, p.work)
	}
	return plan.Here().CandidatesForParts(&p.nest, p.work)
}

// ask makes the plan run the candidate of the given name alone, or returns ErrKernel if it has none.
func (p *Plan) ask(name string) error {
	for _, c := range p.candidates() {
		if c.String() == name {
			e := &entry{shape: p.shape, pieces: plan.Cut(&p.nest)}
			e.ways = []*way{p.newWay(&e.pieces, c)}
			e.begin(0)
			p.entry = e
			return nil
		}
	}
	return fmt.Errorf("slice1: %w: this plan has no candidate %q", ErrKernel, name)
}
