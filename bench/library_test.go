package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// BENCH_REQUIRE_PEERS names libraries that must be there, separated by commas. Others may be
// missing.
func TestPeersInCAreRight(t *testing.T) {
	required := strings.Split(os.Getenv("BENCH_REQUIRE_PEERS"), ",")
	m := fast(1)
	m.wanted = []string{dml}
	rows := map[string]int{}
	for _, name := range peersInC {
		version, err := m.load(name)
		if err != nil && !slices.Contains(required, name) {
			continue
		}
		require.NoError(t, err)
		assert.Regexp(t, `^[\da-f.]+`, version, name)
		rows[name] = 0
	}
	for _, w := range works {
		for width := range types {
			for _, size := range []string{"S", "40960"} {
				r, err := m.measure(cellOf(t, w, width, size)) // measure checks every output.
				require.NoError(t, err, "%s, width %d", w.name, width)
				for _, c := range r.results {
					if isPeer(c.name) {
						rows[c.name]++
					}
				}
			}
		}
	}
	for name, n := range rows {
		assert.Greater(t, n, 10, name)
	}
}

func TestWithoutALibraryThereIsAnError(t *testing.T) {
	_, err := new(meter).load("libnone")
	assert.Error(t, err)
}

func TestPeersInCAreRightOnRandomSlices(t *testing.T) {
	m := fast(1)
	for _, name := range peersInC {
		m.load(name) // A missing library is left out.
	}
	for _, d := range randomSlices(7, 60, usualSlices) {
		s, err := newSlicing(d, &m.buffers)
		require.NoError(t, err)
		for _, l := range m.inC {
			for _, calls := range []bool{false, true} {
				if c, ok := l.contender(s, calls); ok {
					assert.NoError(t, checkOutputs([]contender{c}, s.want()), "%s: %v", l.name, d)
				}
			}
		}
	}
}
