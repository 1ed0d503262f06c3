package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

func TestNamesOfCandidates(t *testing.T) {
	avx2 := Kernel(csrc.SetNumber("avx2"))
	assert.Equal(t, "go", Candidate{Kernel: Go}.String())
	assert.Equal(t, "simd", Candidate{Kernel: Vector}.String())
	assert.Equal(t, "avx2 tile", Candidate{Kernel: avx2, kind: kindTile}.String())
	assert.Equal(t, "avx2 shuffle nt", Candidate{Kernel: avx2, kind: kindWindows, NonTemporal: true}.String())
}

// The program that is made of a candidate is that candidate.
func TestCandidatesAreWhatIsMadeOfThem(t *testing.T) {
	nt := 0
	for _, text := range append([]string{"1 10:10000:5000 4096:1:1", "2 1000:4:2", "4 300:4:1200 300:1200:4"}, rare...) {
		n := parseNest(text)
		for number := range csrc.Sets {
			for _, c := range Candidates(&n, []Kernel{Kernel(number)}, Far) {
				storing := Cached
				if c.NonTemporal {
					storing = Far
					nt++
				}
				var p csrc.Program
				assert.True(t, c.Make(&p, &n, storing), "%s: %s", c, text)
				assert.Equal(t, c.String(), ChosenIn(&p).String(), text)
				assert.True(t, c.Is(ChosenIn(&p)), "%s: %s", c, text)
			}
		}
	}
	assert.Positive(t, nt)
}

// Package vector is a candidate, and the best kernel beside Go, where it suits the nest
// and the host.
func TestVectorsAreTakenWhereTheySuit(t *testing.T) {
	for text, suits := range map[string]bool{"1 3000:2:1": vector.Built, "1 3000:-1:1": vector.Built, "8 300:400:8": false} {
		n := parseNest(text)
		bytes := nest.Bytes(&n)
		cs := Candidates(&n, []Kernel{Go, Vector}, Cached)
		if suits {
			assert.Len(t, cs, 2, text)
			assert.Equal(t, Vector, Best(&n, bytes, false, true, Go), text)
		} else {
			assert.Len(t, cs, 1, text)
			assert.Equal(t, Go, Best(&n, bytes, false, true, Go), text)
		}
		assert.Equal(t, Go, Best(&n, bytes, false, false, Go), text)
		assert.Equal(t, Go, Best(&n, vectorBytes-1, false, true, Go), text)
	}
}
