package plan

import (
	"cmp"
	"math"
	"sync"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Host is a machine that nests are run on: its costs, and its data caches.
type Host struct {
	Name      string // the microarchitecture
	Costs     *Costs
	L2        int64 // bytes of the second-level cache
	L3        int64 // bytes of the third-level cache
	LastLevel int64 // bytes of the last-level cache that a program may count on
	Strings   bool  // whether the processor copies strings fast
	l1Lines   int64 // how many lines the first-level cache holds
}

// ThisHost returns the machine that this process runs on, as package cpuid sees it.
var ThisHost = sync.OnceValue(func() *Host { return HostOf(cpuid.Host()) })

// Times returns cost*count, or mostCost if that is less. cost must not be negative, and count must
// be positive.
func Times(cost, count int64) int64 {
	if cost > mostCost/count {
		return mostCost
	}
	return cost * count
}

// mostCost is the largest cost.
const mostCost = math.MaxInt64 - 1

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

// L1 returns the bytes of the first-level cache.
func (h *Host) L1() int64 { return h.l1Lines * program.LineBytes }

// HostOf returns the machine that has the features f.
func HostOf(f cpuid.Features) *Host {
	c := costs
	if f.Microarchitecture == "zen" {
		c.Sets[avx512] = avx512OfZen4
	}
	l2, l3 := cmp.Or(f.L2, usualL2), cmp.Or(f.L3, usualL3)
	share := max(l2, min(l3/4, mostL3))
	return &Host{f.Microarchitecture, &c, int64(l2), int64(l3), int64(share), f.ERMS, int64(cmp.Or(f.L1D, usualL1)) / program.LineBytes}
}

// avx512 is the number of its set.
var avx512 = program.SetNumber("avx512")
