package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStatistics(t *testing.T) {
	assert.InDelta(t, 2.0, geomean([]float64{1, 2, 4}), 1e-15)
	assert.Equal(t, 3.0, percentile([]float64{3, 1, 2}, 99))
	assert.Equal(t, int64(2), percentile([]int64{4, 1, 2, 3}, 50))
	assert.Equal(t, 1.0, percentile([]float64{4, 1, 2, 3}, 0))
	hundred := make([]float64, 200)
	for i := range hundred {
		hundred[i] = float64(200 - i)
	}
	assert.Equal(t, 198.0, percentile(hundred, 99))
}

func TestASpreadTakesWhatIsFasterAsOne(t *testing.T) {
	of := spreadOf([]float64{0.5, 1, 2, 2})
	assert.InDelta(t, math.Sqrt2, of.mean, 1e-15)
	assert.Equal(t, 50.0, of.slow)
	assert.Equal(t, spread{1.2, 25}, spread{1.5, 50}.minus(spread{1.25, 25}))
}

func TestRegretOfASlice(t *testing.T) {
	m := fast(3)
	m.home, m.baseline = served(t), served(t)
	for i, d := range randomSlices(3, 12, limits{256, 1 << 14, 1 << 20, 1 << 20, 0}) {
		large, runs := false, firstRuns
		if i%4 == 2 {
			large, runs = true, largeRuns
		}
		o, err := m.regret(d, i%4 == 3, large)
		require.NoError(t, err)
		assert.NotContains(t, []string{dml, self, ""}, o.winner)
		assert.Contains(t, o.times, o.winner)
		assert.Contains(t, o.times, o.chosen)
		assert.Len(t, o.learned, runs)
		assert.Len(t, o.fixed, runs)
		assert.Equal(t, i%4 == 2, o.large)
		assert.GreaterOrEqual(t, o.settleRuns, 0)
		for _, ratio := range []float64{o.regret, o.floor, o.ratio} {
			assert.Positive(t, ratio)
		}
	}
	assert.NoError(t, m.Close())
}

func TestColdBuffersRotate(t *testing.T) {
	d := randomSlices(1, 1, limits{4096, 8192, 1 << 16, 1 << 16, 0})[0]
	var b buffers
	s, err := newSlicing(d, &b)
	require.NoError(t, err)
	s.rotate(make([]byte, 1<<20))
	places := s.cold.places
	require.Greater(t, places, 4)
	c, err := s.plan(dml, slice1.Option{})
	require.NoError(t, err)
	seen := map[*byte]bool{}
	for range places {
		_, err := c.run(turn{Reps: 1})
		require.NoError(t, err)
		assert.False(t, seen[&s.dst[0]] || seen[&s.src[0]], "a run finds buffers of its own")
		seen[&s.dst[0]], seen[&s.src[0]] = true, true
	}
	assert.NoError(t, checkOutputs([]contender{c, c}, s.want()), "a check stays in one place")
}

func TestRegretReportsAndWritesItsSlices(t *testing.T) {
	t.Setenv("BENCH_TEST_PEER", "serve")
	dir := t.TempDir()
	o, err := parse("-regret", "-seed", "4,5", "-slices", "4", "-large", "0", "-rounds", "3", "-o", dir)
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(o, &stdout, &stderr))
	for _, buffers := range []string{"hot", "cold"} {
		assert.Regexp(t, `(?m)^BenchmarkRegret/buffers=`+buffers+`/run=all +4 +[\d.]+ best-x +[\d.]+ best-slow-% .* above-slow-%$`, stdout.String())
		assert.Regexp(t, `(?m)^BenchmarkFirst/buffers=`+buffers+`/run=all +4 +[\d.]+ first-x .* unsettled-%$`, stdout.String())
		text, err := os.ReadFile(filepath.Join(dir, buffers+".jsonl"))
		require.NoError(t, err)
		var record struct {
			Nest struct{ Rank, Width int }
			NS   map[string]float64
		}
		require.NoError(t, json.Unmarshal(text[:bytes.IndexByte(text, '\n')], &record))
		assert.Positive(t, record.Nest.Width)
		assert.Contains(t, record.NS, "go")
	}
	assert.Equal(t, 8, strings.Count(stdout.String(), " instead of "))
	text, err := os.ReadFile(filepath.Join(dir, "regret.txt"))
	require.NoError(t, err)
	assert.Equal(t, 8, strings.Count(string(text), "\n"))
}

func TestLargeSlicesHaveABinOfTheirOwn(t *testing.T) {
	o := &outcome{name: "1-L0", large: true, buffers: "cold", desc: randomSlices(1, 1, usualSlices)[0],
		ns: 1, times: map[string]float64{"go": 1}, regret: 1.5, floor: 1.2, learned: []int64{3}, fixed: []int64{2}, settled: []int64{1}}
	usual := *o
	usual.large, usual.regret = false, 2
	var out strings.Builder
	printRegrets(&out, []*outcome{o, &usual})
	assert.Regexp(t, `(?m)^BenchmarkRegret/buffers=cold/run=all +1 +2\.0000 best-x `, out.String())
	assert.Regexp(t, `(?m)^BenchmarkRegret/buffers=cold/run=at-L +1 +1\.5000 best-x .* 1\.2000 noise-x .* 1\.2500 above-x `, out.String())
	assert.Regexp(t, `(?m)^BenchmarkFirst/buffers=cold/run=at-L +1 +1\.5000 first-x .* fixed-p99-x$`, out.String())
	for _, seed := range []uint64{1, 2} {
		distinct := map[int]bool{}
		for i, d := range randomSlices(seed, 40, largeSlices()) {
			axes, _ := axesOf(d)
			assert.Len(t, join(axes), 1+i%5)
			bytes := elementsOf(d) * d.Input.DataType.Size()
			assert.GreaterOrEqual(t, bytes, sizes["L"])
			assert.LessOrEqual(t, bytes, sizes["L"]/2*3)
			distinct[bytes] = true
		}
		assert.Greater(t, len(distinct), 35, "few have a power of two of bytes")
	}
}

// Buffers in rotation have two places for any slice.
func TestLargeSlicesRotateToo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a gibibyte")
	}
	var s server
	n := rotation/2 + 64
	d := wholeOf(slice1.Uint8, []axis{{n, 1, 1}})
	_, err := s.obey(&order{Op: "setup", Desc: d, Cold: true})
	require.NoError(t, err)
	assert.Equal(t, 2, s.slicing.cold.places)
	a, err := s.obey(&order{Op: "learn", Runs: 2})
	require.NoError(t, err)
	assert.Len(t, a.Learned, 2)
	assert.NotEmpty(t, a.Chosen)
	assert.Zero(t, a.SettleRuns)
}

// Each record is small and has the loops and the times of slices.
func TestRecordsOfOtherMachines(t *testing.T) {
	files, err := filepath.Glob("records/*.jsonl.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Less(t, len(text), 128<<10, name)
		from, err := gzip.NewReader(bytes.NewReader(text))
		require.NoError(t, err)
		slices := 0
		for lines := json.NewDecoder(from); lines.More(); slices++ {
			var record struct {
				Nest struct {
					Rank, Width int
					Dims        []struct{ Extent, Src, Dst int }
				}
				NS map[string]float64
			}
			require.NoError(t, lines.Decode(&record), name)
			require.Len(t, record.Nest.Dims, record.Nest.Rank, name)
			require.Greater(t, len(record.NS), 1, name) // ways to compare
			for _, ns := range record.NS {
				require.Positive(t, ns, name)
			}
		}
		assert.GreaterOrEqual(t, slices, 40, name)
	}
}
