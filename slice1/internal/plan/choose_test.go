package plan

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// A kernel in C is chosen from a number of bytes on, for many runs and for one.
func TestBestBeginsAtTheBreakEven(t *testing.T) {
	const avx2 = Kernel(0)
	for _, c := range []struct {
		nest       string
		from, once int64
	}{
		{"1", math.MaxInt64, math.MaxInt64},
		{"1 9:4:2", 256, 64 * 256},                     // scattered
		{"8 9:8:16", 2048, 64 * 2048},                  // of wider elements
		{"1 9:1:1", 32 << 10, 64 << 10},                // one copy
		{"1 2:9000:5000 4096:1:1", 32 << 10, 64 << 10}, // rows of 4 KiB
		{"1 2:9000:5000 4095:1:1", 8 << 10, 64 << 10},  // shorter ones
		{"1 2:9000:5000 1024:1:1", 8 << 10, 64 << 10},  // rows of 1 KiB
		{"1 2:9000:5000 1023:1:1", 2 << 10, 16 << 10},  // shorter ones
		{"1 2:9000:5000 32:1:1", 2 << 10, 16 << 10},    // rows of 32 bytes
		{"1 2:9000:5000 31:1:1", 2 << 10, 64 << 10},    // shorter ones
		{"1 2:9000:15 15:1:1", 256, 8 << 10},           // rows that chain
		{"1 2:9000:16 16:1:1", 2 << 10, 64 << 10},      // longer ones
		{"1 2:9000:17 15:1:1", 2 << 10, 64 << 10},      // with gaps
		{"1 9:0:1", 2 << 10, 16 << 10},                 // repeated
		{"1 9:-1:1", 1 << 10, 32 << 10},                // reversed
		{"1 9:1:9 9:64:1", 1 << 10, 2 << 10},           // transposed
		{"1 9:64:9 9:64:1", 16 << 10, 128 << 10},       // far apart
		{"1 9:1:9 9:63:1", 256, 8 << 10},               // strided
		{"4 9:12:4", 1024, 32 << 10},                   // the same, wider
		{"2 9:-64:2", 16 << 10, 128 << 10},             // far apart, downwards
		{"2 9:-63:2", 512, 16 << 10},                   // less far
	} {
		n := parseNest(c.nest)
		for _, x := range []struct {
			from int64
			once bool
		}{{c.from, false}, {c.once, true}} {
			assert.Equal(t, avx2, Best(&n, x.from, x.once, false, avx2), "%s, once %v", c.nest, x.once)
			assert.Equal(t, Go, Best(&n, x.from-1, x.once, false, avx2), "%s, once %v", c.nest, x.once)
			assert.Equal(t, Go, Best(&n, x.from, x.once, false, Go), c.nest)
		}
	}
}

func TestBestIsAVectorInGoWhereThereIsOne(t *testing.T) {
	n := parseNest("1 1000:2:1")
	want := Go
	if vector.Suits(&n) {
		want = Vector
	}
	assert.Equal(t, Go, Best(&n, 255, false, true, Go))
	assert.Equal(t, want, Best(&n, 256, false, true, Go))
	if want == Vector {
		assert.Equal(t, Vector, Best(&n, 2047, false, true, 0))
	}
	assert.Equal(t, Kernel(0), Best(&n, 2048, false, true, 0))
}

func TestCandidatesHaveNames(t *testing.T) {
	assert.Equal(t, "go", Candidate{Kernel: Go}.String())
	assert.Equal(t, "simd", Candidate{Kernel: Vector}.String())
	assert.Equal(t, "avx512 spread", Candidate{Kernel: 1, kind: kindSpread}.String())
	assert.Equal(t, "avx2 copy nt", Candidate{Kernel: 0, kind: kindCopy, NonTemporal: true}.String())
}

func TestCandidatesAreTheSameButForTheirCosts(t *testing.T) {
	c := Candidate{Kernel: 1, kind: kindTile, NonTemporal: true, Cost: 3}
	d := c
	d.Cost = 4
	assert.True(t, c.Is(d))
	d.kind = kindCopy
	assert.False(t, c.Is(d))
}

// Candidates are in the order of their costs, each once, those that store as asked.
func TestCandidatesAreCheapestFirst(t *testing.T) {
	n := parseNest("4 100:800:400 100:4:4")
	names := func(storing Storing) (names []string) {
		cs := Candidates(&n, []Kernel{Go, Vector, 0}, storing)
		for i, c := range cs {
			if c.Kernel != Vector {
				names = append(names, c.String())
			}
			assert.Positive(t, c.Cost)
			if i > 0 {
				assert.GreaterOrEqual(t, c.Cost, cs[i-1].Cost)
			}
		}
		return names
	}
	assert.ElementsMatch(t, []string{"go", "avx2 copy", "avx2 shuffle", "avx2 gather", "avx2 element"}, names(Cached))
	assert.ElementsMatch(t, []string{"go", "avx2 copy", "avx2 shuffle", "avx2 gather", "avx2 element",
		"avx2 copy nt", "avx2 shuffle nt", "avx2 gather nt"}, names(Near))
}

// The program of a candidate is that candidate, and what is chosen is among them.
func TestProgramsOfCandidatesAreThose(t *testing.T) {
	for _, s := range recorded() {
		for number := range csrc.Sets {
			k := Kernel(number)
			var chosen csrc.Program
			Make(&chosen, &s.nest, k, Cached)
			found := false
			for _, c := range Candidates(&s.nest, []Kernel{k}, Cached) {
				var p csrc.Program
				assert.True(t, c.Make(&p, &s.nest, Cached))
				assert.True(t, c.Is(ChosenIn(&p)), "%s: %s", s.name, c)
				found = found || c.Is(ChosenIn(&chosen))
			}
			assert.True(t, found, "%s: %s", s.name, ChosenIn(&chosen))
		}
	}
}
