package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
)

// A main vector has as many periods as it holds, or as one window holds, whichever costs less.
func TestVectorsHaveAsManyPeriodsAsCostLeast(t *testing.T) {
	n := parseNest("1 100:5:1")
	for _, x := range []struct {
		cross, advance int64
		windows        int32
	}{{9000, 6, 1}, {0, 32, 5}} {
		var c Costs
		c.Sets[0] = SetCosts{Lanes: 1e6, LanesOf: 1e6, MergedOf: 1000, Cross: x.cross}
		var p csrc.Program
		require.True(t, hostWith(&c).Make(&p, &n, Candidate{Kernel: 0, kind: kindWindows}, Cached))
		assert.Equal(t, x.advance, p.Windows().Advance)
		assert.Equal(t, x.windows, p.Windows().Main.Windows)
	}
}
