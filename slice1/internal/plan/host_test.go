package plan

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// hostWith returns a machine of these costs and of caches that are the same wherever the
// test runs.
func hostWith(c *Costs) *Host {
	h := HostOf(cpuid.Features{L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20})
	h.Costs = c
	return h
}

// usual is the row of costs of most processors.
var usual = costsOf(cpuid.Features{})

// hosts returns a machine for each row of costs.
func hosts() (all []*Host) {
	for _, h := range Hosts() {
		all = append(all, hostWith(h.Costs))
	}
	return all
}

// everyKernel is the set of all kernels.
var everyKernel = Only(Kernel(len(csrc.Sets))) - 1

// workOf returns the work of running n as a whole slice on h, any number of times, by some kernels.
func workOf(h *Host, n *nest.Nest, ks Kernels, storing Storing) Work {
	return Work{Kernels: ks, Lines: h.LinesOf(n), Storing: storing}
}

// eachCost calls f with the name and the value of each quantity of a row but Streams, which
// no price has as a summand.
func eachCost(c *Costs, f func(name string, v *int64)) {
	var walk func(name string, v reflect.Value)
	walk = func(name string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(name+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(name+"."+string(rune('0'+i)), v.Index(i))
			}
		case reflect.Int64:
			if name != ".Streams" {
				f(name[1:], v.Addr().Interface().(*int64))
			}
		}
	}
	walk("", reflect.ValueOf(c).Elem())
}

// plainHost returns a machine on which each step takes a nanosecond, so that what is chosen there
// does not change with the rows of costs.
var plainHost = sync.OnceValue(func() *Host {
	c := &Costs{Name: "plain", Storing: Short, Streams: 16}
	eachCost(c, func(_ string, v *int64) { *v = 1000 })
	return hostWith(c)
})

// randomCosts returns a row of random costs from 1 ps to 100 ns, distributed evenly on a logarithmic
// scale.
func randomCosts(rng *rand.Rand) *Costs {
	c := &Costs{Name: "random", Storing: Far + Storing(rng.IntN(3)), Streams: rng.Int64N(40)}
	eachCost(c, func(_ string, v *int64) { *v = int64(math.Exp(rng.Float64() * math.Log(100_000))) })
	return c
}

var knownHosts = sync.OnceValue(hosts)

// randomHosts returns a hundred machines of random costs, always the same.
var randomHosts = sync.OnceValue(func() (all []*Host) {
	rng := rand.New(rand.NewPCG(90, 90))
	for range 100 {
		all = append(all, hostWith(randomCosts(rng)))
	}
	return all
})

// anyHost returns a machine with a known row of costs or with one at random.
func anyHost(rng *rand.Rand) *Host {
	all := knownHosts()
	if i := rng.IntN(10); i < 5 {
		return all[i%len(all)]
	}
	all = randomHosts()
	return all[rng.IntN(len(all))]
}

func TestCachesOfUnknownSizeHaveTheUsualOne(t *testing.T) {
	h := HostOf(cpuid.Features{})
	assert.Equal(t, [levels]int64{512, 16384, 131072}, h.lines)
	assert.Equal(t, [levels]int64{64, 2048, 1}, h.sets)
	assert.Equal(t, h, HostOf(cpuid.Features{L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20}))
	assert.Equal(t, [levels]int64{768, 16384, 65536}, HostOf(cpuid.Features{L1D: 48 << 10, L3: 16 << 20}).lines)
	assert.Equal(t, [levels]int64{512, 32768, 524288}, HostOf(cpuid.Features{L2: 2 << 20, L3: 256 << 20}).lines)
	assert.Equal(t, [levels]int64{512, 32768, 32768}, HostOf(cpuid.Features{L2: 2 << 20, L3: 6 << 20}).lines)
	assert.Equal(t, HostOf(cpuid.Host()), Here())
}

// How programs prefetch depends on the processor, and nothing else does.
func TestProcessorsDifferInHowTheyPrefetch(t *testing.T) {
	all := Hosts()
	for i, c := range []struct {
		processor string
		want      Storing
	}{{"", Far}, {"zen4", Short}, {"zen5", Near}, {"k6", Far}} {
		got := *HostOf(cpuid.Features{Microarchitecture: c.processor}).Costs
		assert.Equal(t, c.want, got.Storing, c.processor)
		if i < 3 {
			assert.Equal(t, got, *all[i].Costs)
		}
		got.Storing = costs.Storing
		assert.Equal(t, costs, got, c.processor)
	}
}

// Skewed costs differ from the usual ones by factors from 1/2 to 2, which are of all sizes.
func TestSkewedCosts(t *testing.T) {
	skewed := costsOf(cpuid.Features{Skewed: true})
	assert.Equal(t, "skewed", skewed.Name)
	assert.Equal(t, skewed, Hosts()[3].Costs)
	assert.Equal(t, costs.Streams, skewed.Streams)
	var was, is []int64
	eachCost(usual, func(_ string, v *int64) { was = append(was, *v) })
	eachCost(skewed, func(_ string, v *int64) { is = append(is, *v) })
	low, high := 0, 0
	for i := range was {
		assert.True(t, was[i]/2-1 <= is[i] && is[i] <= 2*was[i], "%d becomes %d", was[i], is[i])
		if 3*is[i] < 2*was[i] {
			low++
		} else if 2*is[i] > 3*was[i] {
			high++
		}
	}
	assert.Greater(t, low, len(was)/8)
	assert.Greater(t, high, len(was)/8)
}

// Quantities returns Streams and each quantity that eachCost finds, and nothing else.
func TestQuantitiesAreAllOfARow(t *testing.T) {
	c := &Costs{}
	all := c.Quantities()
	for i := range all {
		all[i] = 1
	}
	found := int(c.Streams)
	eachCost(c, func(name string, v *int64) {
		assert.Equal(t, int64(1), *v, name)
		found++
	})
	assert.Len(t, all, found)
}

// No row has a negative cost, and the usual one has costs of two digits. Calls of loops, copied vectors, elements and
// tiles cost something. To load a far line costs no less than to load a near one.
func TestRowsAreSound(t *testing.T) {
	eachCost(usual, func(name string, v *int64) {
		assert.Regexp(t, "^[0-9]{1,2}0*$", strconv.FormatInt(*v, 10), name)
	})
	for _, h := range hosts() {
		c := h.Costs
		assert.NotEqual(t, Cached, c.Storing, c.Name)
		eachCost(c, func(name string, v *int64) { assert.GreaterOrEqual(t, *v, int64(0), "%s of %s", name, c.Name) })
		assert.Positive(t, c.Streams, c.Name)
		for level := range levels {
			assert.GreaterOrEqual(t, usual.Far[level].Load, usual.Near[level].Load, "loads from level %d", level)
		}
		for log, cost := range c.Go.Element {
			assert.Positive(t, cost, "%s, Go's elements of %d bytes", c.Name, 1<<log)
		}
		for number := range csrc.Sets {
			if !knows(c, number) {
				continue
			}
			s := &c.Sets[number]
			assert.Positive(t, s.Call, "%s of %s", csrc.Sets[number].Name, c.Name)
			assert.Positive(t, s.Copied, "%s of %s", csrc.Sets[number].Name, c.Name)
			for log := range 4 {
				for what, cost := range map[string]int64{"element": s.Element[log], "gathered": s.Gathered[log], "tile": s.Tile[log]} {
					assert.Positive(t, cost, "%s of %d bytes by %s of %s", what, 1<<log, csrc.Sets[number].Name, c.Name)
				}
			}
		}
	}
}

// knows reports whether a row has costs of a set.
func knows(c *Costs, set int) bool { return c.Sets[set] != SetCosts{} }
