package plan

import (
	"sync"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
)

// Host is a machine that nests are run on: its costs, and its data caches.
type Host struct {
	Costs *Costs
	lines [levels]int64 // of the cache before a level
	sets  [levels]int64 // of that cache; 1 where addresses do not tell the set
}

// Here returns this host.
var Here = sync.OnceValue(func() *Host { return HostOf(cpuid.Host()) })

// Sizes of caches if nothing is known about them, and the lines of a set. A program counts on a
// quarter of the third-level cache, since other programs have a share: at least the size of the
// second-level cache, at most mostL3.
const (
	usualL1 = 32 << 10
	usualL2 = 1 << 20
	usualL3 = 32 << 20
	mostL3  = 32 << 20
	ways    = 8
)

// HostOf returns the machine that has these features.
func HostOf(f cpuid.Features) *Host {
	h := &Host{Costs: costsOf(f)}
	l2 := orElse(f.L2, usualL2)
	for level, size := range [levels]int{orElse(f.L1D, usualL1), l2, max(l2, min(orElse(f.L3, usualL3)/4, mostL3))} {
		h.lines[level] = int64(size) / csrc.LineBytes
		h.sets[level] = h.lines[level] / ways
	}
	h.sets[levelMemory] = 1
	return h
}

func orElse(size, usual int) int {
	if size > 0 {
		return size
	}
	return usual
}
