package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/stretchr/testify/assert"
)

// hostWith returns a machine of these costs and of caches that are the same wherever the
// test runs.
func hostWith(c *Costs) *Host {
	h := HostOf(cpuid.Features{ERMS: true, L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20})
	h.Costs = c
	return h
}

// hosts returns machines on which loops of AVX-512 take as long as on Zen 5, on Zen 4 and on
// others, and one of skewed costs.
func hosts() (all []*Host) {
	for _, name := range []string{"zen5", "zen", "", "skewed"} {
		c := HostOf(cpuid.Features{Microarchitecture: name}).Costs
		if name == "skewed" { // each is off by a factor of its own
			rng := rand.New(rand.NewPCG(1, 2))
			for _, v := range c.Quantities() {
				*v = int64(float64(*v) * math.Exp2(2*rng.Float64()-1))
			}
		}
		h := hostWith(c)
		h.Name = "costs " + name // which no rule of prefetches knows
		all = append(all, h)
	}
	return all
}

// everyKernel is the set of all kernels.
var everyKernel = OneKernel(Kernel(len(program.Sets))) - 1

// cached and streamed return rules for some kernels with ordinary and with non-temporal stores.
func cached(ks Kernels) *Problem   { return &Problem{Kernels: ks, Stores: Stores{Cached: true}} }
func streamed(ks Kernels) *Problem { return &Problem{Kernels: ks, Stores: Stores{NonTemporal: true}} }

// eitherStores has, for each sort of stores, what makes the rules for candidates with them.
var eitherStores = []func(ks Kernels) *Problem{cached, streamed}

// whole returns the pieces of a nest that is not cut.
func whole(n *nest.Nest) *Pieces {
	return &Pieces{Grid: Grid{Count: 1, NumShapes: 1}, Shapes: []nest.Nest{*n}}
}

// withoutCache returns h with a first-level cache that holds nothing, so that candidates whose
// loops are in the order of the source are found for every nest.
func withoutCache(h *Host) *Host {
	none := *h
	none.l1Lines = 0
	return &none
}

// plainHost returns a machine on which each step takes a nanosecond, so that what is chosen there
// does not change with the table of costs.
var plainHost = sync.OnceValue(func() *Host {
	c := new(Costs)
	for _, v := range c.Quantities() {
		*v = 1000
	}
	return hostWith(c)
})

// randomCosts returns a table of random costs from 1 ps to 100 ns, distributed evenly on a
// logarithmic scale.
func randomCosts(rng *rand.Rand) *Costs {
	c := new(Costs)
	for _, v := range c.Quantities() {
		*v = int64(math.Exp(rng.Float64() * math.Log(100_000)))
	}
	return c
}

// randomHosts returns a hundred machines of random costs, always the same.
var randomHosts = sync.OnceValue(func() (all []*Host) {
	rng := rand.New(rand.NewPCG(90, 90))
	for range 100 {
		all = append(all, hostWith(randomCosts(rng)))
	}
	return all
})

// anyHost returns one of hosts, or a machine of random costs.
func anyHost(rng *rand.Rand) *Host {
	all := randomHosts()
	if rng.IntN(2) == 0 {
		all = hosts()
	}
	return all[rng.IntN(len(all))]
}

// cachesOf returns the lines of the first-level cache and the bytes of the last one.
func cachesOf(f cpuid.Features) [2]int64 {
	h := HostOf(f)
	return [2]int64{h.l1Lines, h.LastLevel}
}

func TestCachesOfUnknownSizeHaveTheUsualOne(t *testing.T) {
	h := HostOf(cpuid.Features{})
	assert.Equal(t, [2]int64{512, 8 << 20}, cachesOf(cpuid.Features{}))
	assert.Equal(t, h, HostOf(cpuid.Features{L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20}))
	assert.Equal(t, [2]int64{768, 4 << 20}, cachesOf(cpuid.Features{L1D: 48 << 10, L3: 16 << 20}))
	assert.Equal(t, [2]int64{512, 32 << 20}, cachesOf(cpuid.Features{L2: 2 << 20, L3: 256 << 20}))
	assert.Equal(t, [2]int64{512, 2 << 20}, cachesOf(cpuid.Features{L2: 2 << 20, L3: 6 << 20}))
	assert.Equal(t, HostOf(cpuid.Host()), ThisHost())
}

// No cost is negative. Calls of loops and copied vectors cost something, and so do elements,
// gathered ones and tiles if the set has loops for them. Sets in Go have no tiles of elements of 8
// bytes.
func TestCostsAreSound(t *testing.T) {
	for _, h := range hosts() {
		for _, v := range h.Costs.Quantities() {
			assert.GreaterOrEqual(t, *v, int64(0))
		}
		for log, cost := range h.Costs.Go.Element {
			assert.Positive(t, cost, "Go's elements of %d bytes", 1<<log)
		}
		for number := range program.Sets {
			s := &h.Costs.Sets[number]
			assert.Positive(t, s.Call, program.Sets[number].Name)
			assert.Positive(t, s.Copied, program.Sets[number].Name)
			set := int32(number)
			for log := range 4 {
				of := fmt.Sprintf("of %d bytes by %s", 1<<log, program.Sets[number].Name)
				assert.Equal(t, program.HasLoop(set, program.Element), s.Element[log] > 0, "elements %s", of)
				assert.Equal(t, program.HasLoop(set, program.Gather), s.Gathered[log] > 0, "gathered elements %s", of)
				assert.Equal(t, program.HasLoop(set, program.Tile) && (log < 3 || !program.Sets[number].InGo), s.Tile[log] > 0, "tiles %s", of)
			}
		}
	}
}

// Only the loops of AVX-512 take another time on another microarchitecture.
func TestWideLoops(t *testing.T) {
	five, four := HostOf(cpuid.Features{Microarchitecture: "zen5"}).Costs, HostOf(cpuid.Features{Microarchitecture: "zen"}).Costs
	assert.Equal(t, costs, *five)
	assert.Equal(t, costs.Sets[1].Window*3/2, four.Sets[1].Window)
	assert.Equal(t, costs.Sets[1].Call, four.Sets[1].Call)
	four.Sets[1] = five.Sets[1]
	assert.Equal(t, five, four)
}
