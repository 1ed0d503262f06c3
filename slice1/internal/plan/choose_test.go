package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

func runsOf(t *testing.T, many int) int {
	if testing.Short() {
		return many / 5
	}
	return many
}

// anyWork returns a nest, a machine to run it on, and the work of doing so, all at random.
func anyWork(b *bench) (h *Host, n nest.Nest, w Work) {
	h, n = anyHost(b.rng), b.any()
	w = workOf(h, &n, Kernels(b.rng.Uint32())&everyKernel, []Storing{Cached, NonTemporal}[b.rng.IntN(2)])
	w.Once = b.rng.IntN(2) == 0
	w.Lines <<= b.rng.IntN(16) // as if the nest were a part of a larger slice
	return h, n, w
}

// Choose returns a candidate that costs as much as the first that Candidates returns, but for sets whose loops cost
// more to call than the cheapest candidate. Its program is the one that Make makes.
func TestTheChoiceIsTheFirstCandidate(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(61, 61))}
	inC := 0
	for range runsOf(t, 4000) {
		h, n, w := anyWork(b)
		var p, again csrc.Program
		got, cs := h.Choose(&p, &n, w), h.Candidates(&n, w)
		if len(cs) == 0 {
			require.Equal(t, Candidate{Kernel: Go, Cost: none}, got, "%+v: %+v", w, n)
			continue
		}
		require.Equal(t, cs[0].Cost, got.Cost, "%s for %d, not %s for %d, by %s for %+v: %s", got, got.Cost, cs[0], cs[0].Cost, h.Name, w, textOf(&n))
		if got.Kernel >= 0 {
			inC++
			require.True(t, h.Make(&again, &n, got, w.Storing))
			require.Equal(t, describe(&again), describe(&p), "%s: %+v", got, n)
		}
	}
	assert.Positive(t, inC)
}

// MakeParts makes a program for each shape of parts, by the set of the candidate, and each program
// copies what its shape does. The kind of the candidate does not fit some of the shapes.
func TestShorterPartsHavePrograms(t *testing.T) {
	for _, text := range []string{
		"1 300001:2:1", "1 300000:-1:1", "4 300:4:4100 1025:4096:4", "1 2:1:300000 300000:2:1", "2 262145:4:2",
		"1 700:1:1023 1023:700:1", "8 9:100000:4104 513:8:8", "1 262210:3:1",
	} {
		n := parseNest(text)
		for set := range csrc.Sets {
			for _, storing := range []Storing{Cached, NonTemporal} {
				h := hostWith(&costs)
				pieces := cut(&n, 20_000)
				var memories [4]*memory
				for i := range pieces.NumShapes {
					memories[i] = memoryOf(&pieces.Shapes[i])
				}
				for _, c := range h.Candidates(&pieces.Shapes[0], workOf(h, &n, Only(Kernel(set)), storing)) {
					c.NonTemporal = storing != Cached
					var programs [4]csrc.Program
					h.MakeParts(&pieces, programs[:], c, workOf(h, &n, everyKernel, Cached))
					for i := range pieces.NumShapes {
						if own := new(csrc.Program); h.Make(own, &pieces.Shapes[i], c, c.Storing()) {
							require.Equal(t, describe(own), describe(&programs[i]), "%s, shape %d: %s", c, i, text)
						}
						require.NoError(t, simulate(&programs[i], memories[i]), "%s, shape %d: %s", c, i, text)
						assert.EqualValues(t, set, programs[i].Set)
					}
				}
			}
		}
	}
}

// If InGo reports that plain Go is the choice, it is.
func TestInGoIsTheChoice(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(63, 63))}
	in := 0
	for range runsOf(t, 8000) {
		h, n, w := anyWork(b)
		best, ok := h.InGo(&n, &w)
		if !ok {
			continue
		}
		in++
		var p csrc.Program
		require.Equal(t, best, h.Choose(&p, &n, w), "%s for %+v: %+v", h.Name, w, n)
		require.Less(t, best.Kernel, Kernel(0))
	}
	assert.Positive(t, in)
	h, n := hostWith(&costs), parseNest("1 9:2:1")
	for _, ks := range []Kernels{0, Only(0)} {
		w := workOf(h, &n, ks, Cached)
		_, ok := h.InGo(&n, &w)
		assert.False(t, ok, "%b has no Go", ks)
	}
}

func TestCostsOfManyPartsAreBounded(t *testing.T) {
	assert.EqualValues(t, 42, times(6, 7))
	assert.Equal(t, int64(none-1), times(none/2+1, 2))
	assert.Equal(t, int64(none-1), times(3, none))
	assert.Equal(t, int64(none-1), times(none-1, 1))
}
