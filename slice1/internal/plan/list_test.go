package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
)

// List returns the first of all candidates with stores that are allowed, and no dearer ones than mostDear says.
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
		w := workOf(h, &n, Kernels(rng.Uint32())&everyKernel|Only(Kernel(rng.IntN(len(csrc.Sets)))), Cached)
		w.May = []Stores{{Cached: true}, {NonTemporal: true}, {Cached: true, NonTemporal: true}}[rng.IntN(3)]
		ps := Cut(&n)
		var want []Candidate
		for _, c := range h.CandidatesForParts(&n, w) {
			if w.May.Allow(c) {
				want = append(want, c)
			}
		}
		if len(want) == 0 {
			w.May = Stores{Cached: true}
			want = h.CandidatesForParts(&n, w)
			w.May = Stores{NonTemporal: true}
		}
		for len(want) > MaxWays || want[len(want)-1].Cost/mostDear > want[0].Cost {
			want = want[:len(want)-1]
		}
		var got [MaxWays]Candidate
		count := h.List(&got, &ps, &n, &w)
		require.Len(t, got[:count], len(want), "%v, not %v: %s", got[:count], want, textOf(&n))
		for i, c := range want {
			require.Equal(t, c.Cost, got[i].Cost, "%d: %s, not %s: %s", i, got[i], c, textOf(&n))
		}
		if count == MaxWays {
			full++
		}
		w.Sure = want[0].Cost + 1
		require.Equal(t, 1, h.List(&got, &ps, &n, &w))
		require.Equal(t, want[0].Cost, got[0].Cost)
	}
	assert.Positive(t, full)
}

func listOf(h *Host, b *Bias) (list [MaxWays]Candidate, count int, lines int64) {
	n := parseNest("1 100000:3:1")
	ps := Cut(&n)
	w := workOf(h, &n, everyKernel, Cached)
	w.May, w.Bias = Stores{Cached: true}, b
	count = h.List(&list, &ps, &n, &w)
	return list, count, w.Lines
}

// What took longer than estimated, compared with the other ways, is dearer from then on.
func TestBiasIsLearned(t *testing.T) {
	h, b := hostWith(&costs), new(Bias)
	first, count, lines := listOf(h, b)
	require.Greater(t, count, 1)
	took := make([]int64, count)
	for range 10 {
		list, count, _ := listOf(h, b)
		for i := range count {
			took[i] = list[i].Cost
			if list[i].Is(first[0]) {
				took[i] = 3 * first[0].Cost
			}
		}
		h.Learn(b, lines, list[:count], took)
	}
	after, _, _ := listOf(h, b)
	assert.False(t, after[0].Is(first[0]))
	plain, _, _ := listOf(h, nil)
	assert.Equal(t, first, plain, "without what was learned")
	small := parseNest("1 100:3:1")
	assert.Zero(t, b.of(first[0], h.level(h.LinesOf(&small))).Load(), "nothing is known of another level of memory")
	for range 100 {
		h.Learn(b, lines, first[:2], []int64{1 << 40, 1})
	}
	assert.EqualValues(t, mostBias, b.of(first[0], h.level(lines)).Load(), "bounded")
	h.Learn(b, lines, first[:2], []int64{7, 0})
	assert.EqualValues(t, mostBias, b.of(first[0], h.level(lines)).Load(), "one time says nothing")
}

func TestLevelsOfMemory(t *testing.T) {
	h := hostWith(&costs)
	for lines, want := range map[int64]int{1: 0, 512: 0, 513: 1, 16384: 1, 16385: 2, 131072: 2, 131073: 3, 1 << 40: 3} {
		assert.Equal(t, want, h.level(lines), lines)
	}
	assert.EqualValues(t, 8<<20, h.LastLevel())
}
