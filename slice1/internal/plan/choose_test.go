package plan

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

func runsOf(t *testing.T, many int) int {
	if testing.Short() {
		return many / 5
	}
	return many
}

// anyWork returns a machine, a nest to run on it, and rules for that, all at random.
func anyWork(b *bench) (h *Host, n nest.Nest, w *Problem) {
	h, n = anyHost(b.rng), b.any()
	if b.rng.IntN(2) == 0 {
		h = withoutCache(h)
	}
	return h, n, eitherStores[b.rng.IntN(2)](Kernels(b.rng.Uint32())&everyKernel | OneKernel(Kernel(b.rng.IntN(len(program.Sets)))))
}

// Choose returns the first of the candidates. Its program is the one that Make makes.
func TestTheChoiceIsTheFirstCandidate(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(61, 61))}
	inC := 0
	for range runsOf(t, 4000) {
		h, n, w := anyWork(b)
		var p, again program.Draft
		got, cs := h.Choose(&p, &n, w), h.Candidates(&n, 1, w)
		if len(cs) == 0 {
			cs = h.Candidates(&n, 1, cached(w.Kernels))
		}
		require.Equal(t, cs[0], got, "%s for %d, not %s for %d, by %s for %+v: %s", got, got.Cost, cs[0], cs[0].Cost, h.Name, w, textOf(&n))
		if got.Kernel >= 0 {
			inC++
			require.True(t, h.Make(&again, &n, got))
			require.Equal(t, describe(&again.Program), describe(&p.Program), "%s: %+v", got, n)
		}
	}
	assert.Positive(t, inC)
}

// MakeParts makes a program for each shape of parts, by the kernel of the candidate, and each
// program copies what its shape does. The kind of the candidate does not fit some of the shapes.
func TestShorterPartsHavePrograms(t *testing.T) {
	for _, text := range []string{
		"1 300001:2:1", "1 300000:-1:1", "4 300:4:4100 1025:4096:4", "1 2:1:300000 300000:2:1", "2 262145:4:2",
		"1 700:1:1023 1023:700:1", "8 9:100000:4104 513:8:8", "1 262210:3:1",
	} {
		n := parseNest(text)
		for set := range program.Sets {
			for _, work := range eitherStores {
				h := hostWith(&costs)
				pieces := cut(&n, 20_000, false, Cutting{})
				var memories [4]*memory
				for i := range pieces.NumShapes {
					memories[i] = memoryOf(&pieces.Shapes[i])
				}
				for _, c := range h.Candidates(&pieces.Shapes[0], 1, work(OneKernel(Kernel(set)))) {
					var programs program.Programs
					first := new(program.Draft)
					h.Make(first, &pieces.Shapes[0], c)
					h.MakeParts(&programs, &pieces, c, first)
					for i := range pieces.NumShapes {
						p := programs.At(i)
						if own := new(program.Draft); h.Make(own, &pieces.Shapes[i], c) {
							require.Equal(t, describe(&own.Program), describe(p), "%s, shape %d: %s", c, i, text)
						}
						require.NoError(t, simulate(p, memories[i]), "%s, shape %d: %s", c, i, text)
						assert.Contains(t, program.Sets[set].Kernel, p.Set)
					}
				}
			}
		}
	}
}

// A nest runs in Go at once if that is the only kernel, or if it is allowed and takes no longer
// than the choice.
func TestInGo(t *testing.T) {
	n := parseNest("1 9:2:1")
	for choice, want := range map[int64]bool{8: false, 9: true} {
		h := hostWith(&Costs{Choice: choice, Go: GoCosts{Start: 9}})
		assert.Equal(t, want, h.InGo(&n, everyKernel))
		assert.True(t, h.InGo(&n, OneKernel(Go)))
		assert.False(t, h.InGo(&n, OneKernel(0)))
	}
}

func TestCostsOfManyPartsAreBounded(t *testing.T) {
	assert.EqualValues(t, 42, Times(6, 7))
	assert.Equal(t, int64(mostCost), Times(mostCost/2+1, 2))
	assert.Equal(t, int64(mostCost), Times(3, mostCost))
	assert.Equal(t, int64(mostCost), Times(mostCost, 1))
	assert.EqualValues(t, 13, Sum(6, 7))
	assert.Equal(t, int64(mostCost), Sum(mostCost-1, 1))
	assert.Equal(t, int64(mostCost), Sum(mostCost, mostCost))
}

// Views that are not small prefetch what a block stores if the slice has more than twice the bytes
// of the second-level cache and elements have 4 bytes or more.
func TestPartsPrefetchBlocks(t *testing.T) {
	for text, want := range map[string]int64{"4 999:4:4000 1000:4000:4": 2, "8 999:8:8000 1000:8000:8": 2, "2 999:2:2000 1000:2000:2": 0} {
		for above := range int64(2) {
			n, h := parseNest(text), plainHost()
			h.L2 = nest.Bytes(&n) - above
			var programs program.Programs
			h.MakeParts(&programs, whole(&n), Candidate{Kernel: 0, Kind: kindTile}, nil)
			assert.Equal(t, want*above, programs.At(0).Tiles().Ahead, "%s %d", text, above)
		}
	}
}

// Elements that are gathered are prefetched if they lie about a line apart in a source of more than
// twice the bytes of the second-level cache.
func TestPartsPrefetchGatheredLines(t *testing.T) {
	for text, want := range map[string]int64{
		"4 1000:64:4": 8192, "4 1000:-64:4": -8192, "1 1000:32:1": 4096, "8 1000:127:8": 16256,
		"1 1000:31:1": 0, "8 1000:128:8": 0, "2 1000:-128:2": 0, "4 10:70000:4000 1000:0:4": 0,
	} {
		for above := range int64(2) {
			n, h := parseNest(text), plainHost()
			lo, hi, _, _ := nest.Span(&n)
			h.L2 = (3*(hi-lo)+1)/2 - above
			ps := whole(&n)
			ps.Count = 3
			var programs program.Programs
			p := program.Draft{Program: program.Program{Prefetch: program.Prefetch{Distance: 1}}}
			c := Candidate{Kernel: 0, Kind: kindGather}
			h.Make(&p, &n, c)
			assert.Zero(t, p.Prefetch.Distance, text)
			h.MakeParts(&programs, ps, c, nil)
			assert.Equal(t, want*above, programs.At(0).Prefetch.Distance, "%s %d", text, above)
		}
	}
}

// If a slice does not fit the second-level cache, the next view is prefetched if a view takes only
// a part of the first-level cache, but not if its rows share few sets of that cache.
func TestPartsPrefetchSmallViews(t *testing.T) {
	h := plainHost()
	for text, want := range map[string]int64{
		"8 500:168:1848 21:8:924000 11:84000:8":   1,
		"8 500:168:88 21:8:65536 11:84000:8":      0,
		"8 500:168:1848 21:8:924000 11:65536:8":   0,
		"8 500:800:80000 100:8:800 100:400000:8":  0,
		"8 500:168:1848 21:8:924000 11:84000:8 -": 0,
	} {
		n := parseNest(strings.TrimSuffix(text, " -"))
		h.L2 = 2*nest.Bytes(&n) - 1
		if strings.HasSuffix(text, " -") {
			h.L2++
		}
		var programs program.Programs
		h.MakeParts(&programs, whole(&n), Candidate{Kernel: 0, Kind: kindTile}, nil)
		assert.Equal(t, want, programs.At(0).Tiles().Ahead, text)
	}
}
