package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

func TestCandidatesHaveNames(t *testing.T) {
	avx2 := Kernel(csrc.SetNumber("avx2"))
	assert.Equal(t, "go", Candidate{Kernel: Go}.String())
	assert.Equal(t, "simd tile", Candidate{Kernel: Kernel(csrc.SetNumber("simd")), kind: kindTile}.String())
	assert.Equal(t, "avx512 spread", Candidate{Kernel: 1, kind: kindSpread}.String())
	assert.Equal(t, "avx2 tile near", Candidate{Kernel: avx2, kind: kindTile, order: bySrc}.String())
	assert.Equal(t, "neon element long", Candidate{Kernel: 2, kind: kindLong}.String())
	assert.Equal(t, "avx2 shuffle near nt", Candidate{Kernel: avx2, kind: kindWindows, order: bySrc, NonTemporal: true}.String())
}

func TestCandidatesAreTheSameButForTheirCosts(t *testing.T) {
	c := Candidate{Kernel: 1, kind: kindTile, NonTemporal: true, Cost: 3}
	d := c
	d.Cost = 4
	assert.True(t, c.Is(d))
	d.kind = kindCopy
	assert.False(t, c.Is(d))
}

// Candidates returns each candidate once, the cheapest first, with the cost that PriceBy returns for
// it, and with the stores that are asked for. Plain Go is among them if stores are ordinary.
func TestCandidatesAreCheapestFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(60, 60))
	b := &bench{rng: rng}
	for range 300 {
		n, h := b.any(), anyHost(rng)
		for storing := Cached; storing <= NonTemporal; storing++ {
			w := workOf(h, &n, everyKernel, storing)
			w.Once = rng.IntN(2) == 0
			cs := h.Candidates(&n, w)
			seen := map[Kernel]map[string]bool{}
			for i, c := range cs {
				require.False(t, seen[c.Kernel][c.String()], "%s twice: %+v", c, n)
				if seen[c.Kernel] == nil {
					seen[c.Kernel] = map[string]bool{}
				}
				seen[c.Kernel][c.String()] = true
				require.True(t, i == 0 || cs[i-1].Cost <= c.Cost, "%s: %+v", c, n)
				require.Equal(t, c.Cost, h.PriceBy(h, c, &n, w), "%s: %+v", c, n)
				require.Equal(t, storing != Cached, c.NonTemporal, "%s: %+v", c, n)
			}
			require.Equal(t, storing == Cached, seen[Go]["go"], "%+v", n)
		}
	}
}

// CandidatesForParts returns candidates with ordinary and with non-temporal stores, the cheapest
// first. Each costs what its first part costs times the number of parts.
func TestCandidatesForParts(t *testing.T) {
	n := parseNest("4 4096:4:4096 1024:16384:4")
	h := hostWith(&costs)
	w := workOf(h, &n, Only(Go)|Only(0), Cached)
	cs := h.CandidatesForParts(&n, w)
	names := map[string]Candidate{}
	for i, c := range cs {
		names[c.String()] = c
		assert.True(t, i == 0 || cs[i-1].Cost <= c.Cost, "%s", c)
	}
	assert.Len(t, names, len(cs))
	for _, c := range []string{"go", "avx2 tile", "avx2 tile nt", "avx2 gather", "avx2 element"} {
		assert.Contains(t, names, c)
	}
	for _, storing := range []Storing{Cached, NonTemporal} {
		pieces := Cut(&n)
		w.Storing = storing
		for _, c := range h.Candidates(&pieces.Shapes[0], w) {
			assert.Equal(t, c.Cost*pieces.Count, names[c.String()].Cost, "%s", c)
		}
	}
}

// Make reports that a candidate has no program if its kind, its order or its set does not suit the
// nest, or if they do not suit non-temporal stores, which are asked for.
func TestCandidatesOfOtherNestsHaveNoPrograms(t *testing.T) {
	h := hostWith(&costs)
	var p csrc.Program
	for _, c := range []struct {
		Candidate
		nest string
	}{
		{Candidate{kind: kindCopy}, "1 100:2:1"},
		{Candidate{kind: kindTile}, "1 100:2:1"},
		{Candidate{kind: kindUnits}, "1 100:2:1"},
		{Candidate{kind: kindSpread}, "1 100:2:1"},
		{Candidate{kind: kindGather}, "1 100:2:2"},
		{Candidate{kind: kindWindows, order: bySrc}, "1 100:2:1"},
		{Candidate{kind: kindLong}, "1 100:2:1"},
		{Candidate{Kernel: 1, kind: kindWindows}, "1 100:100:1"}, // each vector would have one element
	} {
		n := parseNest(c.nest)
		assert.False(t, h.Make(&p, &n, c.Candidate, Cached), "%s: %s", c, c.nest)
	}
	for k := range kinds {
		n := parseNest("2 100:4:128 64:400:2")
		assert.Equal(t, k == kindTile, h.Make(&p, &n, Candidate{kind: k, NonTemporal: true}, NonTemporal), kindNames[k])
		assert.False(t, h.Make(&p, &n, Candidate{Kernel: 2, kind: k, NonTemporal: true}, NonTemporal), kindNames[k])
	}
}

// any returns a nest in normal form at random: a row, a transposed view or chained short loops, each
// under some loops, a random slice, or one of the nests of `rare`.
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
