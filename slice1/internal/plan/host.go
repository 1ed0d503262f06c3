package plan

import (
	"math/bits"
	"sync"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
)

// Host is a machine that nests are run on: its costs, and its data caches. The cache in front of a
// level is the first-level cache for levelL2, the second-level one for levelL3, and the third-level
// one for levelMemory.
type Host struct {
	Name  string // the microarchitecture
	Costs *Costs
	lines [levels]int64 // how many lines the cache in front of each level holds
	sets  int64         // how many sets the first-level cache has, a power of two
}

// Here returns the machine that this process runs on, as package cpuid sees it.
var Here = sync.OnceValue(func() *Host { return HostOf(cpuid.Host()) })

// usualL1, usualL2 and usualL3 are the bytes that a cache is taken to have if its size is not
// known. A program counts on a quarter of the third-level cache, since other programs have a share,
// and on no more than mostL3 bytes of it, but never on less than the size of the second-level
// cache. ways is how many lines a set of a cache is taken to have at least.
const (
	usualL1 = 32 << 10
	usualL2 = 1 << 20
	usualL3 = 32 << 20
	mostL3  = 32 << 20
	ways    = 8
)

// HostOf returns the machine that has the features f.
func HostOf(f cpuid.Features) *Host {
	h := &Host{Name: f.Microarchitecture, Costs: costsOf(f)}
	l2 := orElse(f.L2, usualL2)
	for level, size := range [levels]int{orElse(f.L1D, usualL1), l2, max(l2, min(orElse(f.L3, usualL3)/4, mostL3))} {
		h.lines[level] = int64(size) / csrc.LineBytes
	}
	h.sets = 1 << (bits.Len64(uint64(h.lines[levelL2]/ways)) - 1)
	return h
}

func orElse(size, usual int) int {
	if size > 0 {
		return size
	}
	return usual
}

// Hosts returns this machine, and machines with its caches by whose costs other programs are chosen, for tests.
func Hosts() []*Host {
	all := []*Host{Here()}
	for _, f := range []cpuid.Features{{Microarchitecture: "zen4"}, {Microarchitecture: "zen5"}, {}, {Skewed: true}} {
		h := *Here()
		h.Costs = costsOf(f)
		all = append(all, &h)
	}
	return all
}
