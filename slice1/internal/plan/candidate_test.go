package plan

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

func TestCandidatesHaveNames(t *testing.T) {
	avx2 := Kernel(program.SetNumber("avx2"))
	assert.Equal(t, "go", Candidate{Kernel: Go}.String())
	assert.Equal(t, "simd tile", Candidate{Kernel: Kernel(program.SetNumber("simd")), Kind: kindTile}.String())
	assert.Equal(t, "avx512 spread", Candidate{Kernel: 1, Kind: kindSpread}.String())
	assert.Equal(t, "neon element long", Candidate{Kernel: 2, Kind: kindLong}.String())
	assert.Equal(t, "avx2 shuffle nt", Candidate{Kernel: avx2, Kind: kindShuffle, NonTemporal: true}.String())
}

func TestCandidatesAreTheSameButForTheirCosts(t *testing.T) {
	c := Candidate{Kernel: 1, Kind: kindTile, NonTemporal: true, Cost: 3}
	d := c
	d.Cost = 4
	assert.True(t, c.SameWay(d))
	d.Kind = kindCopy
	assert.False(t, c.SameWay(d))
}

// Kernel avx512 has AVX-512's loops of some kinds and AVX2's of the others, under its own name.
// Among all kernels, each loop is a candidate of the weakest kernel that has it.
func TestEachLoopIsOneCandidate(t *testing.T) {
	avx2, avx512 := Kernel(program.SetNumber("avx2")), Kernel(program.SetNumber("avx512"))
	n, h := parseNest("4 9:400:80 20:12:4"), hostWith(&costs)
	turned := parseNest("4 40:4:128 32:200:4")
	names := func(n *nest.Nest, ks Kernels) (sets map[string]string) {
		sets = map[string]string{}
		for _, c := range h.Candidates(n, 1, cached(ks)) {
			var p program.Draft
			h.Make(&p, n, c)
			sets[c.String()] = program.Sets[p.Set].Name
		}
		return sets
	}
	assert.Equal(t, map[string]string{
		"avx512 units": "avx512", "avx512 shuffle": "avx512", "avx512 gather": "avx2", "avx512 element": "avx2",
	}, names(&n, OneKernel(avx512)))
	assert.Equal(t, map[string]string{
		"avx512 units": "avx512", "avx512 shuffle": "avx512",
		"avx2 units": "avx2", "avx2 shuffle": "avx2", "avx2 gather": "avx2", "avx2 element": "avx2",
	}, names(&n, OneKernel(avx2)|OneKernel(avx512)))
	assert.Equal(t, map[string]string{
		"avx512 tile": "avx2", "avx512 gather": "avx2", "avx512 element": "avx2", "avx512 element long": "avx2",
	}, names(&turned, OneKernel(avx512)))
	b := &bench{rng: rand.New(rand.NewPCG(66, 66))}
	for range runsOf(t, 500) {
		n := b.any()
		type loop struct {
			Kind
			set, loop int32
		}
		seen := map[loop]Candidate{}
		for _, c := range h.Candidates(&n, 1, cached(everyKernel&^OneKernel(Go))) {
			var p program.Draft
			require.True(t, h.Make(&p, &n, c))
			of := loop{c.Kind, p.Set, p.Loop}
			require.NotContains(t, seen, of, "%s and %s: %s", seen[of], c, textOf(&n))
			seen[of] = c
		}
	}
}

// The instruction that copies strings is a way only where the processor runs it by lines, for rows
// of 4 KiB and more, and never the first: kindCopy costs less.
func TestStringsAreCopiedWhereTheProcessorDoesSoByLines(t *testing.T) {
	avx2 := Kernel(program.SetNumber("avx2"))
	without := hostWith(&costs)
	without.Strings = false
	names := func(h *Host, text string) (names []string) {
		n := parseNest(text)
		for _, c := range h.Candidates(&n, 1, cached(OneKernel(avx2))) {
			names = append(names, c.String())
		}
		return names
	}
	for text, want := range map[string][]string{
		"1 8:9000:8000 4096:1:1": {"avx2 copy", "avx2 string", "avx2 element"},
		"1 8:9000:8000 4095:1:1": {"avx2 copy", "avx2 element"},
	} {
		assert.Equal(t, want, names(hostWith(&costs), text), text)
		assert.Equal(t, []string{"avx2 copy", "avx2 element"}, names(without, text), text)
	}
}

// A host must have all sets of a kernel.
func TestKernelsLackWhatOneOfTheirSetsNeeds(t *testing.T) {
	avx512 := Kernel(program.SetNumber("avx512"))
	assert.Equal(t, "AVX2", avx512.Lacks(cpuid.Features{AVX512VBMI: true}))
	assert.Equal(t, "AVX512VBMI", avx512.Lacks(cpuid.Features{AVX2: true}))
	assert.Empty(t, avx512.Lacks(cpuid.Features{AVX2: true, AVX512VBMI: true}))
	assert.Empty(t, Go.Lacks(cpuid.Features{}))
}

// Candidates returns each candidate once, the cheapest first, with the stores that are asked for.
// Each costs what PriceBy returns for the first part, times the number of parts. Plain Go is among
// them if stores are ordinary.
func TestCandidatesAreCheapestFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(60, 60))
	b := &bench{rng: rng}
	for range 300 {
		n, h := b.any(), anyHost(rng)
		pieces := cut(&n, 1<<(8+rng.IntN(11)), rng.IntN(2) == 0, Cutting{})
		for _, work := range eitherStores {
			w := work(everyKernel)
			cs := h.Candidates(&pieces.Shapes[0], pieces.Count, w)
			seen := map[Candidate]bool{}
			for i, c := range cs {
				cost := c.Cost
				require.Equal(t, Times(h.PriceBy(h, c, &pieces.Shapes[0]), pieces.Count), cost, "%s: %+v", c, n)
				require.True(t, i == 0 || cs[i-1].Cost <= cost, "%s: %+v", c, n)
				require.True(t, w.Stores.Allow(c), "%s: %+v", c, n)
				c.Cost = 0
				require.False(t, seen[c], "%s twice: %+v", c, n)
				seen[c] = true
			}
			require.Equal(t, w.Stores.Cached, seen[Candidate{Kernel: Go}], "%+v", n)
		}
	}
}

// Candidates with ordinary stores and with non-temporal ones are found together.
func TestCandidatesWithAnyStores(t *testing.T) {
	n, h := parseNest("4 4096:4:4096 1024:16384:4"), hostWith(&costs)
	pieces := Cut(&n, Stores{Cached: true}, Cutting{})
	both := h.Candidates(&pieces.Shapes[0], pieces.Count, &Problem{Kernels: OneKernel(Go) | OneKernel(0), Stores: Stores{Cached: true, NonTemporal: true}})
	var names []string
	for i, c := range both {
		assert.True(t, i == 0 || both[i-1].Cost <= c.Cost, "%s", c)
		names = append(names, c.String())
	}
	assert.ElementsMatch(t, []string{"go", "avx2 tile", "avx2 tile nt", "avx2 gather", "avx2 element", "avx2 shuffle", "avx2 shuffle nt"}, names)
}

// Make reports that a candidate has no program if its kind or its set does not suit the nest, or if
// the program does not suit the non-temporal stores that are asked for.
func TestCandidatesOfOtherNestsHaveNoPrograms(t *testing.T) {
	h := hostWith(&costs)
	var p program.Draft
	for _, c := range []struct {
		Candidate
		nest string
	}{
		{Candidate{Kind: kindCopy}, "1 100:2:1"},
		{Candidate{Kind: kindTile}, "1 100:2:1"},
		{Candidate{Kind: kindUnits}, "1 100:2:1"},
		{Candidate{Kind: kindSpread}, "1 100:2:1"},
		{Candidate{Kind: kindGather}, "1 100:2:2"},
		{Candidate{Kind: kindLong}, "1 100:2:1"},
		{Candidate{Kernel: 1, Kind: kindShuffle}, "1 100:100:1"}, // each vector would have one element
	} {
		n := parseNest(c.nest)
		assert.False(t, h.Make(&p, &n, c.Candidate), "%s: %s", c, c.nest)
	}
	for k := range kinds {
		n := parseNest("2 100:4:128 64:400:2")
		assert.Equal(t, k == kindTile, h.Make(&p, &n, Candidate{Kind: k, NonTemporal: true}), k.String())
		assert.False(t, h.Make(&p, &n, Candidate{Kernel: 2, Kind: k, NonTemporal: true}), k.String())
	}
}

// any returns a nest in normal form at random: a row, a transposed view or chained short loops,
// each under some loops, a random slice, or one of the nests of `rare`.
func (b *bench) any() (n nest.Nest) {
	switch b.rng.IntN(5) {
	case 0:
		n = b.around(b.row(), b.rng.IntN(4))
	case 1:
		n = b.around(b.transposed(), b.rng.IntN(3))
	case 2:
		n = parseNest(rare[b.rng.IntN(len(rare))])
	case 3:
		n = randomSlice(b.rng)
	default:
		n = b.nest()
	}
	normal := nest.Nest{Width: n.Width}
	for _, d := range n.Dims[:n.Rank] {
		if d.Dst < 0 {
			d.Src, d.Dst = -d.Src, -d.Dst
		}
		if d.Extent > 1 {
			normal.Dims[normal.Rank] = d
			normal.Rank++
		}
	}
	nest.Normalize(&normal)
	return normal
}

func TestKernelsInC(t *testing.T) {
	assert.False(t, Go.CallsC())
	for i, set := range program.Sets {
		assert.Equal(t, !program.InVectors || !set.InGo, Kernel(i).CallsC(), set.Name)
		if set.InGo && set.Arch == runtime.GOARCH {
			assert.Equal(t, program.InVectors, Kernel(i).Built(), set.Name)
		}
	}
}
