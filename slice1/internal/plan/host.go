package plan

import (
	"cmp"
	"sync"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
)

// Host is a machine that nests are run on: its costs, and its data caches.
type Host struct {
	Name      string // the microarchitecture
	Costs     *Costs
	L2        int64 // bytes of the second-level cache
	LastLevel int64 // bytes of the last-level cache that a program may count on
	lines     int64 // how many lines the first-level cache holds
}

// Here returns the machine that this process runs on, as package cpuid sees it.
var Here = sync.OnceValue(func() *Host { return HostOf(cpuid.Host()) })

// usualL1, usualL2 and usualL3 are the bytes that a cache is taken to have if its size is not
// known. A program counts on a quarter of the third-level cache, since other programs have a share,
// and on no more than mostL3 bytes of it, but never on less than the size of the second-level
// cache.
const (
	usualL1 = 32 << 10
	usualL2 = 1 << 20
	usualL3 = 32 << 20
	mostL3  = 32 << 20
)

// HostOf returns the machine that has the features f.
func HostOf(f cpuid.Features) *Host {
	l2 := cmp.Or(f.L2, usualL2)
	last := max(l2, min(cmp.Or(f.L3, usualL3)/4, mostL3))
	return &Host{f.Microarchitecture, costsOf(f), int64(l2), int64(last), int64(cmp.Or(f.L1D, usualL1)) / csrc.LineBytes}
}
