package plan

import (
	"slices"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
)

// Kernel is what executes a nest: plain Go, or the loops of a list of instruction sets of
// csrc.Sets, in C or in Go's vectors. For example, kernel avx512 has the loops of AVX-512, and
// those of AVX2 for the kinds for which AVX-512 has none.
type Kernel int32

const (
	Go Kernel = -1 // plain Go: package portable
	// Any other kernel is the number of the last set of its list in csrc.Sets, whose name it bears.
)

// String returns the name that slice1.WithKernel takes.
func (k Kernel) String() string {
	if k == Go {
		return "go"
	}
	return csrc.Sets[k].Name
}

// Lacks returns what a host must have to run kernel k and has not, as [cpuid.Features.Has] takes
// it, or "" if it has all.
func (k Kernel) Lacks(f cpuid.Features) string {
	if k == Go {
		return ""
	}
	for _, set := range csrc.Sets[k].Kernel {
		if needs := csrc.Sets[set].Needs; !f.Has(needs) {
			return needs
		}
	}
	return ""
}

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

// setOf has, for each kernel but Go and each kind, the number of the set whose loops run the kind's
// programs: the last set of the kernel's list that has such loops, or the kernel's own if none has.
// For example, tiles of kernel avx512 are AVX2's.
var setOf = func() (table [len(csrc.Sets)][kinds]int32) {
	for k := range table {
		for kind, forms := range formsOf {
			table[k][kind] = int32(k)
			for _, set := range csrc.Sets[k].Kernel {
				if slices.ContainsFunc(forms, func(f csrc.Form) bool { return csrc.Has(set, f) }) {
					table[k][kind] = set
				}
			}
		}
	}
	return table
}()

// shared reports whether kernel k runs the kind by the loops of another kernel that is in ks.
func (k Kernel) shared(kind kind, ks Kernels) bool {
	set := Kernel(setOf[k][kind])
	return set != k && ks.Has(set)
}

// Candidate is one way to run a nest: by a kernel, by a kind unless the kernel is plain Go, with
// ordinary or non-temporal stores, and cut in one of several ways. Kernel and kind together say
// whose loops run it. Non-temporal stores keep the output out of the caches.
type Candidate struct {
	Kernel      Kernel
	kind        kind
	NonTemporal bool
	Cutting           // if the nest is cut
	Cost        int64 // picoseconds, by estimate; package engine replaces them by what it measured
}

// String returns the candidate's name: "go", or else its kernel, its kind, and "nt" if it uses
// non-temporal stores; then how the nest is cut, if not by the usual rule.
func (c Candidate) String() string {
	if c.Kernel == Go {
		return c.Kernel.String() + c.Cutting.String()
	}
	name := c.Kernel.String() + " " + kindNames[c.kind]
	if c.NonTemporal {
		name += " nt"
	}
	return name + c.Cutting.String()
}

// Kind returns the name of a candidate's kind, which plain Go does not have.
func (c Candidate) Kind() string { return kindNames[c.kind] }

// Is reports whether two candidates are equal except, perhaps, in their costs.
func (c Candidate) Is(other Candidate) bool {
	c.Cost, other.Cost = 0, 0
	return c == other
}
