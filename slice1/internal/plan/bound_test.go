package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

func boundsIn(n *nest.Nest) bounds {
	w := workOf(plainHost(), n, everyKernel, Cached)
	return plainHost().boundsOf(n, &w)
}

// turned leaves out the loops that a program of the kind takes into its rows, units or tiles.
func TestLoopsThatAreTurned(t *testing.T) {
	for _, c := range []struct {
		nest string
		kind kind
		want bool
	}{
		{"1 4:100:400 5:1000:80 80:1:1", kindCopy, true},
		{"1 4:1000:400 5:100:80 80:1:1", kindCopy, false},
		{"1 4:100:400 5:-100:80 80:1:1", kindCopy, false},
		{"1 6:100:61 4:1000:15 5:7:3 3:1:1", kindElement, true},
		{"1 6:100:61 4:1000:15 5:7:3 3:1:1", kindUnits, true},
		{"1 6:100:61 4:1000:15 5:7:3 3:1:1", kindWindows, false},
		{"4 5:0:40000 100:4:400 100:400:4", kindTile, false},
		{"4 5:0:40000 100:4:400 100:400:4", kindGather, true},
	} {
		n := parseNest(c.nest)
		b := boundsIn(&n)
		assert.Equal(t, c.want, b.turned(0, c.kind), "%s %s", kindNames[c.kind], c.nest)
	}
}

func TestLinesThatAreVisitedAtLeast(t *testing.T) {
	for text, want := range map[string]int64{
		"1 100:1:1":              2,
		"1 4:0:64 64:1:1":        1,
		"1 3:1000:100 100:1:1":   6,
		"1 100:64:1":             100,
		"1 100:1:64 3:-100:6400": 5,
	} {
		n := parseNest(text)
		w := walkOf(&n)
		assert.Equal(t, want, w.fewest(), text)
	}
	// If the nest is one run on both sides, the bound is what the lines cost.
	n := parseNest("1 100000000:1:1")
	h, one, any := plainHost(), walkOf(&n), walkOf(&n)
	assert.Positive(t, h.once(&any, h.LinesOf(&n)))
	any = walkOf(&n)
	assert.Equal(t, h.cost(&one, new([levels]LineCosts), h.LinesOf(&n)), h.once(&any, h.LinesOf(&n)))
}

func TestWindowsThatAVectorHasAtLeast(t *testing.T) {
	for text, want := range map[string]int64{
		"1 6400:3:1":          2,  // 32 elements of which 11 may share a window, rounded down: a vector may have fewer
		"1 32:3:1":            3,  // the same rounded up: the row is one vector
		"1 4:1000:8 8:100:1":  32, // no two elements share a window
		"1 50:1000:3 3:100:1": 30, // a vector has ten whole periods, and no two of its elements share a window
		"1 4:1:8 8:100:1":     8,  // the four iterations of the outer loop share windows
		"1 9:1:9 3:100:1":     3,  // the outer loop does not continue the inner one in the destination
	} {
		n := parseNest(text)
		b := boundsIn(&n)
		assert.Equal(t, want, b.windowsOf(32, 32), text)
	}
}

// In the bound of units each unit counts by its cheapest form: as a whole vector or, if the set has
// masks, as a tail or, if it has none, as elements that are copied one by one.
func TestUnitsCostAtLeastTheirCheapestForm(t *testing.T) {
	n := parseNest("4 9:400:80 20:12:4")
	b := boundsIn(&n)
	for i := range csrc.Sets {
		set := &csrc.Sets[i]
		price := func(unit, tail, alone int64) int64 {
			cost, ok := b.units(int32(i), set, &SetCosts{Unit: unit, Tail: tail, Alone: alone})
			assert.True(t, ok, set.Name)
			return cost
		}
		few, many := price(1, 1, 1), price(100, 100, 100)
		assert.Less(t, few, many)
		if set.Masks {
			assert.Equal(t, few, price(100, 1, 100), set.Name)
			assert.Equal(t, many, price(100, 100, 1), set.Name)
		} else {
			assert.Equal(t, few, price(100, 100, 1), set.Name)
			assert.Equal(t, many, price(100, 1, 100), set.Name)
		}
	}
}
