package plan

import (
	"cmp"
	"math"
	"reflect"
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
	lines     int64 // how many lines the first-level cache holds
}

// ThisHost returns the machine that this process runs on, as package cpuid sees it.
var ThisHost = sync.OnceValue(func() *Host { return HostOf(cpuid.Host()) })

// Times returns cost*count, or mostCost if that is less. cost must not be negative, and count must be
// positive.
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
func (h *Host) L1() int64 { return h.lines * program.LineBytes }

// HostOf returns the machine that has the features f.
func HostOf(f cpuid.Features) *Host {
	l2 := cmp.Or(f.L2, usualL2)
	l3 := cmp.Or(f.L3, usualL3)
	share := max(l2, min(l3/4, mostL3))
	return &Host{f.Microarchitecture, costsOf(f), int64(l2), int64(l3), int64(share), f.ERMS, int64(cmp.Or(f.L1D, usualL1)) / program.LineBytes}
}

// wide returns what the loops of AVX-512 take on a microarchitecture, in percent of what the table
// costs has for them. The table has what they take on a Zen 5. A Xeon with AMX-FP16 chooses best by
// 100 to 110 percent of that. Zen 4 is the only Zen before Zen 5 that has AVX-512. It loads, stores
// and shuffles 64 bytes in two halves. Its percentage is from costs that were fitted there.
func wide(f cpuid.Features) int64 {
	if f.Microarchitecture == "zen" {
		return 150
	}
	return 100
}

// costsOf returns the costs of a host.
func costsOf(f cpuid.Features) *Costs {
	c := costs
	set := &c.Sets[program.SetNumber("avx512")]
	call := set.Call
	for _, v := range quantities(reflect.ValueOf(set).Elem()) {
		*v = *v * wide(f) / 100
	}
	set.Call = call
	return &c
}

// quantities returns pointers to the quantities of v. v is a quantity, or a struct or an array of
// them.
func quantities(v reflect.Value) (list []*int64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			list = append(list, quantities(v.Field(i))...)
		}
	case reflect.Array:
		for i := range v.Len() {
			list = append(list, quantities(v.Index(i))...)
		}
	default:
		list = append(list, v.Addr().Interface().(*int64))
	}
	return list
}
