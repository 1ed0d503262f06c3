//go:build !nocandidates

package main

import (
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// candidates returns the ways to run p that the planner weighed and did not choose, each with
// its name and the option that makes a plan take it.
func candidates(p *slice1.Plan) []choice {
	var others []choice
	for _, c := range p.Candidates() {
		if !c.Chosen {
			others = append(others, choice{c.Name, slice1.WithCandidate(c.Name)})
		}
	}
	return others
}

// measuring returns the option that has a plan race its candidates for up to budget, or not at
// all if budget is 0.
func measuring(budget time.Duration) slice1.Option { return slice1.WithMeasure(budget) }
