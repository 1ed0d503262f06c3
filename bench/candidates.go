//go:build !nocandidates

package main

import (
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// candidates returns the options that make a plan take what the planner weighed
// and did not choose for p, by name.
func candidates(p *slice1.Plan) []choice {
	var others []choice
	for _, c := range p.Candidates() {
		if !c.Chosen {
			others = append(others, choice{c.Name, slice1.WithCandidate(c.Name)})
		}
	}
	return others
}

// measuring returns the option that has a plan race its candidates for up to budget.
func measuring(budget time.Duration) slice1.Option { return slice1.WithMeasure(budget) }
