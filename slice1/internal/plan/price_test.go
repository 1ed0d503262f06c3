package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a candidate costs is linear in the costs: by the sum of two tables it costs as much as by
// the two tables together.
func TestPricesAreLinear(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(80, 80))}
	for range runsOf(t, 2000) {
		h, n, w := anyWork(b)
		var one, other, sum Costs
		ones, others := one.Quantities(), other.Quantities()
		some, more := randomHosts()[b.rng.IntN(50)].Costs.Quantities(), randomHosts()[50+b.rng.IntN(50)].Costs.Quantities()
		for i, v := range sum.Quantities() { // multiples of 16, of which part drops nothing
			*ones[i], *others[i] = *some[i]&^15, *more[i]&^15
			*v = *some[i]&^15 + *more[i]&^15
		}
		for _, c := range h.Candidates(&n, 1, w) {
			require.Equal(t, h.PriceBy(hostWith(&one), c, &n)+h.PriceBy(hostWith(&other), c, &n), h.PriceBy(hostWith(&sum), c, &n), "%s for %+v: %+v", c, w, n)
		}
	}
}

// Plain Go runs small nests by a table of units. Each unit costs Unit, which is 1 here, and its
// moves cost Move, which is 10, each.
func TestPricesOfTables(t *testing.T) {
	for text, want := range map[string]int64{
		"4 3:100:50 4:4:4":   3*1 + 10*3*1, // three contiguous rows of 16 bytes, each a move
		"4 3:100:50 3:4:4":   3*1 + 10*3*1, // of 12 bytes
		"4 3:100:50 8:4:4":   3*1 + 10*3*2, // of 32 bytes, each two moves
		"4 3:100:50 9:4:4":   3*1 + 10*3*3, // of 36 bytes, each three moves
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
		assert.Equal(t, want, h.priceGo(&n, false), text)
	}
}

// A short nest that runs once costs what it takes to make its table; one that runs many times has a
// table already.
func TestPricesOfTablesThatAreMade(t *testing.T) {
	n, h := parseNest("4 5:4096:1024 8:256:128 8:32:16 4:4:4"), hostWith(&Costs{Go: GoCosts{Block: 1, Listed: 100}})
	assert.Equal(t, int64(5), h.priceGo(&n, false))
	assert.Equal(t, int64(5+64*100), h.priceGo(&n, true))
}

// Each quantity counts in a price of a candidate for some recorded slice, except quantities of
// steps that a kernel does not have.
func TestEveryQuantityCounts(t *testing.T) {
	left := new(Costs)
	at := map[int]bool{}
	for i, v := range left.Quantities() {
		*v, at[i] = 16, true // 16, so that part of it is not rounded to 0
	}
	try := func(h *Host, c Candidate, n *nest.Nest) {
		if h.PriceBy(hostWith(left), c, n) == 0 {
			return
		}
		for i := range at {
			var alone Costs
			*alone.Quantities()[i] = 16
			if h.PriceBy(hostWith(&alone), c, n) > 0 {
				*left.Quantities()[i] = 0
				delete(at, i)
			}
		}
	}
	makers := append(hosts(), randomHosts()...)
	for i, s := range recorded(t) {
		n, h := &s.nest, makers[i%len(makers)]
		for _, work := range eitherStores {
			for _, c := range h.Candidates(n, 1, work(everyKernel)) {
				try(h, c, n)
			}
		}
	}
	var got []string
	for i := range at {
		got = append(got, quantityName(reflect.ValueOf(left).Elem(), left.Quantities()[i], ""))
	}
	assert.ElementsMatch(t, unused, got)
}

// unused lists the quantities that no price counts: of loops in words for elements of 8 bytes, of
// steps that a set does not have, and of slices that run once.
var unused = []string{
	".Choice", ".Go.Listed",
	".Go.Packed[3]", ".Go.Reversed[3]",
	".Sets[1].Merged", ".Sets[1].Strip",
	".Sets[1].Gathered[0]", ".Sets[1].Gathered[1]", ".Sets[1].Gathered[2]", ".Sets[1].Gathered[3]",
	".Sets[1].Element[0]", ".Sets[1].Element[1]", ".Sets[1].Element[2]", ".Sets[1].Element[3]",
	".Sets[1].Tile[0]", ".Sets[1].Tile[1]", ".Sets[1].Tile[2]", ".Sets[1].Tile[3]",
	".Sets[1].TileApart[0]", ".Sets[1].TileApart[1]", ".Sets[1].TileApart[2]", ".Sets[1].TileApart[3]",

	".Sets[3].Gathered[0]", ".Sets[3].Gathered[1]", ".Sets[3].Gathered[2]", ".Sets[3].Gathered[3]",
	".Sets[3].Tile[3]", ".Sets[3].TileApart[0]", ".Sets[3].TileApart[1]", ".Sets[3].TileApart[2]", ".Sets[3].TileApart[3]",
	".Sets[4].Copied", ".Sets[4].Merged",
	".Sets[4].Gathered[0]", ".Sets[4].Gathered[1]", ".Sets[4].Gathered[2]", ".Sets[4].Gathered[3]",
	".Sets[4].Tile[3]", ".Sets[4].TileApart[0]", ".Sets[4].TileApart[1]", ".Sets[4].TileApart[2]", ".Sets[4].TileApart[3]",
}

// quantityName returns the name of the quantity q of v, or "".
func quantityName(v reflect.Value, q *int64, name string) string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if found := quantityName(v.Field(i), q, name+"."+v.Type().Field(i).Name); found != "" {
				return found
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if found := quantityName(v.Index(i), q, fmt.Sprintf("%s[%d]", name, i)); found != "" {
				return found
			}
		}
	default:
		if v.Addr().Interface() == any(q) {
			return name
		}
	}
	return ""
}

// Tiles with non-temporal stores take single elements of rows that are less than a line of the
// source. They also do if less than every second element of the source is taken.
func TestTilesThatPackSingleElements(t *testing.T) {
	for text, single := range map[string]int64{
		"4 32:4:256 64:400:4": 0, "4 32:8:256 64:400:4": 0, "4 32:12:256 64:400:4": 32 * 64,
		"4 20:4:256 64:400:4": 4 * 64, "4 20:8:256 64:400:4": 4 * 64, "4 20:12:256 64:400:4": 20 * 64,
	} {
		n, h, other := parseNest(text), plainHost(), *plainHost()
		other.Costs = new(Costs)
		other.Costs.Sets[0].Element[2] = 1
		assert.Equal(t, single, h.PriceBy(&other, Candidate{Kernel: 0, Kind: kindTile, NonTemporal: true}, &n), text)
	}
}

// A view of folded lines makes a table for each strip. A view of joined rows makes one for each row
// of a tile that its rows have. Neither makes a table if there is one strip, or one row of a tile.
// A table costs as much as the elements of a row of a tile: eight of 4 bytes.
func TestTilesThatMakeTables(t *testing.T) {
	for text, tables := range map[string]int64{
		"4 2:4:64 2:8:32 8:100:4": 0, "4 2:4:384 12:8:32 8:100:4": 6, // 4 and 24 lines, four to a strip
		"4 9:4:17 2:80:8 2:40:4": 0, "4 9:4:25 2:120:12 3:40:4": 2, // rows of 16 and 24 bytes, the latter in pieces of 16
		"4 9:4:24 6:40:4": 0, // neither folded nor joined
	} {
		n, h, other := parseNest(text), plainHost(), *plainHost()
		other.Costs = new(Costs)
		other.Costs.Sets[0].Element[2] = 1
		assert.Equal(t, 8*tables, h.PriceBy(&other, Candidate{Kernel: 0, Kind: kindTile}, &n), text)
	}
}

// The lines of nests that come into a cache, counted by hand.
func TestVisitsOfLines(t *testing.T) {
	for _, c := range []struct {
		name           string
		nest           string
		nt             bool
		capacity, want int64
	}{
		{"a row is 64 lines, which the cache holds", "1 4096:1:1", false, 128, 0},
		{"which it does not hold", "1 4096:1:1", false, 127, 64 + 64},
		{"also where none of it stays", "1 4096:1:1", false, 1, 64 + 64},
		{"backwards too", "1 4096:-1:1", false, 127, 64 + 64},
		{"one element is one line, without a loop", "8", false, 1, 0},
		{"elements two lines apart", "4 100:128:4", false, 106, 100 + 7},
		{"rows apart, each of four lines", "1 10:1000:1024 256:1:1", false, 79, 40 + 40},
		{"rows that follow each other", "2 10:-512:512 256:2:2", false, 159, 80 + 80},
		{"a row taken four times, which the cache holds beside one of the destination", "1 4:0:4096 4096:1:1", false, 128, 64 + 256},
		{"which it does not hold", "1 4:0:4096 4096:1:1", false, 127, 256 + 256},
		{"which it does beside stores that pass it", "1 4:0:4096 4096:1:1", true, 64, 0},
		{"and does not", "1 4:0:4096 4096:1:1", true, 63, 4 * 64},
		{"one line repeated", "1 64:0:64 64:0:1", false, 64, 1 + 64},
		// A transposed plane. The source has 1024 rows of four cache lines each.
		{"a plane whose rows the cache holds", "1 256:1:1024 1024:4160:1", false, 8191, 4096 + 4096},
		{"whose rows it does not hold", "1 256:1:1024 1024:4160:1", false, 512, 1024*256 + 16*256},
	} {
		n := parseNest(c.nest)
		w := (&Host{l1Lines: c.capacity}).walk(n.Width, c.nt)
		w.loops(n.Dims[:n.Rank])
		assert.Equal(t, c.want, w.visits(), c.name)
	}
}

// No more lines come into a larger cache than into a smaller one, and none into one that holds them
// all. The loops are random. They leave no gaps, or gaps of more than a line.
func TestVisitsOfLargerCaches(t *testing.T) {
	rng := rand.New(rand.NewPCG(70, 70))
	for range 3000 {
		n, nt := nest.Nest{Width: 1 << rng.IntN(4)}, rng.IntN(2) == 0
		sides := [2]side{{int64(n.Width), 1}, {int64(n.Width), 1}}
		for range rng.IntN(6) {
			var strides [2]int64
			extent := 2 + rng.Int64N(40)
			for i := range sides {
				run := sides[i].length
				stride := rng.Int64N(run + 1)
				if rng.IntN(2) == 0 {
					stride = (run + 64 + rng.Int64N(9000)) &^ (1<<rng.IntN(13) - 1)
				}
				if stride > run && stride <= run+64 {
					stride = run + 65
				}
				strides[i] = stride * (1 - 2*rng.Int64N(2))
				sides[i].add(extent, strides[i])
			}
			copy(n.Dims[1:], n.Dims[:n.Rank])
			n.Dims[0] = nest.Dim{Extent: extent, Src: strides[0], Dst: strides[1]}
			n.Rank++
		}
		before := int64(math.MaxInt64)
		for capacity := int64(1); capacity < 1<<40; capacity = capacity*3/2 + 1 {
			w := (&Host{l1Lines: capacity}).walk(n.Width, nt)
			w.loops(n.Dims[:n.Rank])
			require.LessOrEqual(t, w.visits(), before, "%d lines: %s", capacity, textOf(&n))
			before = w.visits()
		}
		require.Zero(t, before, textOf(&n))
	}
}
