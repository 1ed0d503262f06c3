package slice1

import (
	"fmt"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// Candidate is one way to run a plan. Its names may change from version to version.
type Candidate struct {
	Name     string  // what WithCandidate takes: the kernel and, unless that is "go", the kind of its inner loop, "near" or "long" for another order of its loops, and "nt" for non-temporal stores
	Cost     float64 // nanoseconds of one run
	Chosen   bool    // the plan runs by this candidate
	Measured bool    // Cost is the time that runs took, and not an estimate
}

// Candidates returns the ways to run the plan by the kernels and stores that it may use: those that
// runs have timed first, each group from the cheapest on. Estimates are for one goroutine, with the
// data in the smallest cache that holds them. Candidates plans all of them anew, and waits for a run
// that is being timed.
func (p *Plan) Candidates() []Candidate {
	if !p.valid() {
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

// force makes the plan run the candidate of the given name alone, or returns ErrKernel if it has none.
func (p *Plan) force(name string) error {
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
