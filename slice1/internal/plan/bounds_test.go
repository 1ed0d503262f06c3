package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/csrc"
)

// The kind of nests on either side of where a kind begins.
func TestKindsBeginAtTheirBounds(t *testing.T) {
	for _, c := range []struct {
		nest, avx2, avx512, neon string
	}{
		// Rows of a vector in loops that end soon: 16 units pay.
		{"1 3:1000:128 4:100:32 32:1:1", "copy", "copy", "copy"},
		{"1 4:1000:128 4:100:32 32:1:1", "units", "copy", "copy"},
		{"1 7:1000:128 4:100:32 32:1:1", "units", "copy", "copy"},
		{"1 8:1000:128 4:100:32 32:1:1", "units", "units", "copy"},
		{"1 8:1000:160 5:100:32 32:1:1", "copy", "copy", "copy"}, // five are not soon
		{"1 40:100:32 32:1:1", "copy", "copy", "copy"},
		// Fills of a line or more, and shorter ones.
		{"1 3:0:100 64:0:1", "fill", "fill", "fill"},
		// Elements a line apart are gathered, one at a time if few; masks make one vector of a row.
		{"4 9:256:4", "gather", "gather", "gather"},
		{"4 3:256:4", "element", "shuffle", "element"},
		{"4 40:1000:400 6:256:4", "element", "shuffle", "element"},
		{"4 40:1000:400 7:256:4", "gather", "shuffle", "gather"},
		// Gaps in the destination: of 64 bytes, two elements at least.
		{"1 50:1:32", "element", "spread", "element"},
		{"1 50:1:33", "element", "element", "element"},
	} {
		n := parseNest(c.nest)
		for number, want := range []string{c.avx2, c.avx512, c.neon} {
			var p csrc.Program
			Make(&p, &n, Kernel(number), Cached)
			assert.Equal(t, want, KindOf(&p), "%s: %s", name(Kernel(number)), c.nest)
		}
	}
}

// Of kinds that need no preparation, none suits before all others fail.
func TestTheRestSuitsNothing(t *testing.T) {
	n := parseNest("4 40:1000:400 7:256:4")
	j := job{p: new(csrc.Program), nest: &n, set: &csrc.Sets[0]}
	j.begin()
	assert.False(t, j.suits(kindGather))
	assert.False(t, j.suits(kindElement))
	assert.True(t, j.fits(kindGather))
	assert.True(t, j.fits(kindElement))
}
