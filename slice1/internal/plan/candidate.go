package plan

import (
	"cmp"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Candidate is one way to run a nest: a kernel and, in C, a kind and whether it stores by
// non-temporal stores.
type Candidate struct {
	Kernel      Kernel
	kind        kind
	NonTemporal bool
	Cost        float64 // estimated nanoseconds
}

// String returns the candidate's name: its kernel, its kind, and "nt" if it stores by
// non-temporal stores.
func (c Candidate) String() string {
	switch c.Kernel {
	case Go:
		return "go"
	case Vector:
		return "simd"
	}
	name := csrc.Sets[c.Kernel].Name + " " + kindNames[c.kind]
	if c.NonTemporal {
		name += " nt"
	}
	return name
}

// Candidates returns the ways to run n, a nest in normal form or one shape of its parts,
// by the given kernels, cheapest first. Those with non-temporal stores store as storing
// says; Cached leaves them out.
func Candidates(n *nest.Nest, kernels []Kernel, storing Storing) (cs []Candidate) {
	for _, k := range kernels {
		switch {
		case k == Vector && !vector.Suits(n):
		case k < 0:
			cs = append(cs, Candidate{Kernel: k, Cost: estimateGo(n)})
		default:
			for kind := range kinds {
				for _, s := range []Storing{Cached, storing} {
					c := Candidate{Kernel: k, kind: kind, NonTemporal: s != Cached}
					var p csrc.Program
					if c.Make(&p, n, s) {
						c.Cost = estimate(&p)
						cs = append(cs, c)
					}
					if storing == Cached {
						break
					}
				}
			}
		}
	}
	slices.SortStableFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// Make makes p the program of c, a candidate in C, for n, stored as storing says. It
// reports whether there is one.
func (c Candidate) Make(p *csrc.Program, n *nest.Nest, storing Storing) bool {
	j := job{p: p, nest: n, number: int32(c.Kernel), set: &csrc.Sets[c.Kernel], storing: storing, asked: true}
	j.begin()
	if !j.fits(c.kind) || !j.prepare(c.kind) {
		return false
	}
	stored := j.finish(c.kind)
	return stored && (p.NT != 0) == c.NonTemporal
}

// ChosenIn returns the candidate that a program of n is.
func ChosenIn(p *csrc.Program) Candidate {
	return Candidate{Kernel: Kernel(p.Set), kind: kindOf(p), NonTemporal: p.NT != 0}
}

// Is reports whether two candidates are the same but for their costs.
func (c Candidate) Is(other Candidate) bool {
	c.Cost, other.Cost = 0, 0
	return c == other
}
