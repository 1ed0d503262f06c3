package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// What a candidate costs is linear in the row of costs: by the sum of two rows it costs as much as
// by the two rows together.
func TestPricesAreLinear(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(80, 80))}
	for range runsOf(t, 2000) {
		h, n, w := anyWork(b)
		var one, other, sum Costs
		var values []int64
		some, more := randomHosts()[b.rng.IntN(50)].Costs, randomHosts()[50+b.rng.IntN(50)].Costs
		eachCost(some, func(_ string, v *int64) { values = append(values, *v) })
		eachCost(more, func(_ string, v *int64) { values = append(values, *v) })
		for place, c := range map[int]*Costs{0: &one, len(values) / 2: &other} {
			c.Streams = some.Streams
			eachCost(c, func(_ string, v *int64) { *v = values[place] &^ 15; place++ }) // a multiple of 16, of which part drops nothing
		}
		sum.Streams = some.Streams
		place := 0
		eachCost(&sum, func(_ string, v *int64) {
			*v = values[place]&^15 + values[len(values)/2+place]&^15
			place++
		})
		for _, c := range h.Candidates(&n, w) {
			require.Equal(t, h.PriceBy(hostWith(&one), c, &n, w)+h.PriceBy(hostWith(&other), c, &n, w), h.PriceBy(hostWith(&sum), c, &n, w), "%s for %+v: %+v", c, w, n)
		}
	}
}

// Plain Go runs small nests by a table of units. Each unit costs Unit, which is 1 here, and its
// moves cost Move, which is 10, each.
func TestPricesOfTables(t *testing.T) {
	for text, want := range map[string]int64{
		"4 3:100:50 4:4:4":   3*1 + 10*3*1, // three contiguous rows of 16 bytes, each a move
		"4 3:100:50 3:4:4":   3*1 + 10*3*2, // of 12 bytes, each two moves that overlap
		"4 3:100:50 8:4:4":   3*1 + 10*3*2, // of 32 bytes, each two moves
		"4 3:100:50 9:4:4":   3*2 + 10*3*4, // of 36 bytes, each two units of two moves
		"4 3:100:50 6:8:4":   3*2 + 10*3*6, // three strided rows of six elements, three to a unit
		"4 3:100:50 7:8:4":   3*7 + 10*3*7, // of seven elements, one to a unit
		"4 4:100:500 3:8:12": 4*1 + 10*4*3, // four rows of three elements, all in a unit
		"8":                  1*1 + 10*1*1, // one element
		"2 5:-6:2":           1*5 + 10*5*1, // a row of five elements, one to a unit
		// A table of 64 rows of 16 bytes, which is run five times.
		"4 5:4096:1024 8:256:128 8:32:16 4:4:4": 5 * (1*64 + 10*64),
	} {
		n := parseNest(text)
		h := hostWith(&Costs{Go: GoCosts{Unit: 1, Move: 10}})
		assert.Equal(t, want, h.PriceBy(h, Candidate{Kernel: Go}, &n, Work{}), text)
	}
}

// A short nest that runs once costs what it takes to make its table; one that runs many times has a
// table already.
func TestPricesOfTablesThatAreMade(t *testing.T) {
	n, h := parseNest("4 5:4096:1024 8:256:128 8:32:16 4:4:4"), hostWith(&Costs{Go: GoCosts{Table: 1, Units: 10, List: 100}})
	assert.Equal(t, int64(1), h.PriceBy(h, Candidate{Kernel: Go}, &n, Work{}))
	assert.Equal(t, int64(10+64*100), h.PriceBy(h, Candidate{Kernel: Go}, &n, Work{Once: true}))
}

// unused lists the quantities that no price counts.
var unused = slices.Concat(
	[]string{"Go.Packed.3", "Go.Reversed.3"}, // words of Go hold elements of four bytes at most
	// Without masks no program is of kindSpread. Few and FewApart count for rows of two elements or
	// more that are shorter than a lane, and a lane has two elements of 8 bytes.
	costsOfSet(0, "Spread SpreadOf Few.3 FewApart.3"),
	// With masks, windows are merged under them and permuted across the whole vector, and no unit
	// is left alone.
	costsOfSet(1, "Alone AloneOf Cross Merged MergedOf Every.0 Every.1 Every.2 Every.3 Few.3 FewApart.3"),
	// NEON has vectors of one lane, no masks, no form Cross, no non-temporal stores and no tiles of
	// short or joined rows.
	costsOfSet(2, "Spread SpreadOf Cross", notInLanes),
	// Go's vectors have no masks, no non-temporal stores, no form Cross and no tiles of joined rows.
	costsOfSet(3, "Spread SpreadOf Cross GatheredNT TileNT.0 TileNT.1 TileNT.2 TileNT.3 Few.3 FewApart.3", notJoined),
	// Go's vectors of arm64 also have no loop for every second element of 8 bytes.
	costsOfSet(4, "Spread SpreadOf Cross Every.3", notInLanes),
	// Go's vectors of wasm have no loops that merge windows, and none for every second element.
	costsOfSet(5, "Spread SpreadOf Cross Merged MergedOf Every.0 Every.1 Every.2 Every.3", notInLanes),
)

// notInLanes names costs that count for no set with vectors of one lane.
const notInLanes = "GatheredNT TileNT.0 TileNT.1 TileNT.2 TileNT.3 Few.0 Few.1 Few.2 Few.3 FewApart.0 FewApart.1 FewApart.2 FewApart.3 " + notJoined

// notJoined names costs of loops that only sets in C with vectors of two lanes or more have.
const notJoined = "Joined.0 Joined.1 Joined.2 Joined.3 Joint"

// costsOfSet returns the names, as eachCost has them, of costs of a set. The lists have the names
// of the fields, separated by spaces.
func costsOfSet(set int, lists ...string) (names []string) {
	for _, name := range strings.Fields(strings.Join(lists, " ")) {
		names = append(names, fmt.Sprintf("Sets.%d.%s", set, name))
	}
	return names
}

// The quantities that count in no price of a candidate for a recorded slice are those of unused. The
// candidates are those of several rows of costs.
func TestEveryQuantityCounts(t *testing.T) {
	left, at := new(Costs), map[string]*int64{}
	eachCost(left, func(name string, v *int64) { *v, at[name] = 16, v }) // 16, so that part of it is not rounded to 0
	try := func(h *Host, c Candidate, n *nest.Nest, w Work) {
		if h.PriceBy(hostWith(left), c, n, w) == 0 {
			return
		}
		for name, v := range at {
			var alone Costs
			eachCost(&alone, func(other string, v *int64) {
				if other == name {
					*v = 16
				}
			})
			if h.PriceBy(hostWith(&alone), c, n, w) > 0 {
				*v = 0
				delete(at, name)
			}
		}
	}
	makers := append(hosts(), randomHosts()...)
	for i, s := range recorded() {
		n, h := &s.nest, makers[i%len(makers)]
		for storing := range Near {
			w := workOf(h, n, everyKernel, storing)
			for _, w.Once = range []bool{false, true} {
				for _, c := range h.Candidates(n, w) {
					try(h, c, n, w)
				}
			}
		}
	}
	var got []string
	for name := range at {
		got = append(got, name)
	}
	assert.ElementsMatch(t, unused, got)
}
