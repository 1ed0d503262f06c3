package plan

import (
	"github.com/seed2e45c115/dml/csrc"
)

// Kernel is what executes a nest: plain Go, or the loops of an instruction set of csrc.Sets. These
// loops are written in C or in Go's vectors.
type Kernel int32

const (
	Go Kernel = -1 // plain Go: package portable
	// Any other kernel is the index of its set in csrc.Sets.
)

// Kernels is a set of kernels.
type Kernels uint8

// A set has a bit for each kernel: this does not compile if there are more kernels than bits.
const _ = Kernels(1 << len(csrc.Sets))

// Only returns the set that contains k alone.
func Only(k Kernel) Kernels { return 1 << (k - Go) }

// Has reports whether k is in the set.
func (ks Kernels) Has(k Kernel) bool { return ks&Only(k) != 0 }

// Stores says which stores are allowed.
type Stores struct {
	Cached, NonTemporal bool // ordinary stores; non-temporal ones
}

// Allow reports whether a candidate has stores that are allowed.
func (s Stores) Allow(c Candidate) bool {
	if c.NonTemporal {
		return s.NonTemporal
	}
	return s.Cached
}

// Candidate is one way to run a nest: a kernel and, unless that is plain Go, a kind, and whether
// non-temporal stores are used, which keep the output out of the caches.
type Candidate struct {
	Kernel      Kernel
	kind        kind
	NonTemporal bool
	Cost        int64 // picoseconds, as the planner estimates them; package slice1 replaces them by what it measured
}

// String returns the candidate's name: "go" for plain Go; else its set, its kind, and "nt" if it uses
// non-temporal stores.
func (c Candidate) String() string {
	if c.Kernel == Go {
		return "go"
	}
	name := csrc.Sets[c.Kernel].Name + " " + kindNames[c.kind]
	if c.NonTemporal {
		name += " nt"
	}
	return name
}

// Kind returns the name of a candidate's kind, which plain Go does not have.
func (c Candidate) Kind() string { return kindNames[c.kind] }

// Is reports whether two candidates are equal except, perhaps, in their costs.
func (c Candidate) Is(other Candidate) bool {
	c.Cost, other.Cost = 0, 0
	return c == other
}
