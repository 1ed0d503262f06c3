package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// List returns the first of the candidates with stores that are allowed, and none that maxCostRatio
// excludes. It makes the same program of the first one as Make.
func TestTheListIsTheFirstCandidates(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 65))
	b := &bench{rng: rng}
	full := 0
	for i := range runsOf(t, 3000) {
		n := b.any()
		if i%2 == 0 {
			n = randomSlice(rng)
		}
		h := anyHost(rng)
		w := cached(Kernels(rng.Uint32())&everyKernel | OneKernel(Kernel(rng.IntN(len(program.Sets)))))
		w.Stores = []Stores{{Cached: true}, {NonTemporal: true}, {Cached: true, NonTemporal: true}}[rng.IntN(3)]
		ps := Cut(&n, w.Stores, Cutting{})
		want := h.Candidates(&ps.Shapes[0], ps.Count, w)
		if len(want) == 0 {
			want = h.Candidates(&ps.Shapes[0], ps.Count, cached(w.Kernels))
		}
		for len(want) > MaxListed || want[len(want)-1].Cost/maxCostRatio > want[0].Cost {
			want = want[:len(want)-1]
		}
		var got [MaxListed]Candidate
		var p, again program.Draft
		count := h.List(&got, &p, &ps.Shapes[0], ps.Count, w)
		require.Len(t, got[:count], len(want), "%v, not %v: %s", got[:count], want, textOf(&n))
		for i, c := range want {
			require.Equal(t, c.Cost, got[i].Cost, "%d: %s, not %s: %s", i, got[i], c, textOf(&n))
		}
		if got[0].Kernel >= 0 {
			require.True(t, h.Make(&again, &ps.Shapes[0], got[0]))
			require.Equal(t, describe(&again.Program), describe(&p.Program), "%s: %s", got[0], textOf(&n))
		}
		if count == MaxListed {
			full++
		}
		w.Fixed = true
		require.Equal(t, 1, h.List(&got, &p, &ps.Shapes[0], ps.Count, w))
		require.Equal(t, want[0].Cost, got[0].Cost)
	}
	assert.Positive(t, full)
}
