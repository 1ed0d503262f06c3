package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

func TestStatistics(t *testing.T) {
	assert.Equal(t, 2.0, mean([]float64{1, 2, 3}))
	assert.InDelta(t, 2.0, geomean([]float64{1, 2, 4}), 1e-15)
	assert.Equal(t, 0.25, share([]float64{1, 2, 3, 4}, func(x float64) bool { return x > 3 }))
	assert.Equal(t, 3.0, percentile([]float64{3, 1, 2}, 99))
	assert.Equal(t, 2.0, percentile([]float64{4, 1, 2, 3}, 50))
	assert.Equal(t, 1.0, percentile([]float64{4, 1, 2, 3}, 0))
	hundred := make([]float64, 200)
	for i := range hundred {
		hundred[i] = float64(200 - i)
	}
	assert.Equal(t, 198.0, percentile(hundred, 99))
}

func TestASpreadTakesWhatIsFasterAsOne(t *testing.T) {
	assert.Equal(t, spread{mean: 1.25, slow: 0.5, p99: 1.5, worst: 1.5}, spreadOf([]float64{0.5, 1, 1.5, 1.5}))
	above := spread{1.5, 0.5, 3, 4}.above(spread{1.25, 0.25, 1.5, 2})
	assert.Equal(t, []float64{1.25, 0.25, 2}, []float64{above.mean, above.slow, above.p99})
}

// takes returns a contender that reports us microseconds for every slice, and a count of its
// turns.
func takes(name string, us int) (contender, *int) {
	turns := new(int)
	return contender{name: name, run: func(t turn) (time.Duration, error) {
		*turns++
		return time.Duration(t.Reps*us) * time.Microsecond, nil
	}}, turns
}

func TestTheFirstPassTimesTheHopelessTwice(t *testing.T) {
	a, turnsA := takes("a", 10)
	b, turnsB := takes("b", 41)
	c, turnsC := takes("c", 40)
	least, err := heat([]contender{a, b, c}, pace{rounds: 3, sample: time.Microsecond})
	require.NoError(t, err)
	assert.Equal(t, []float64{10e3, 41e3, 40e3}, least)
	assert.Equal(t, []int{5, 3, 5}, []int{*turnsA, *turnsB, *turnsC}, "one turn of each to find the repetitions")
}

func TestTheBestReferenceIsRacedAndWhoIsNear(t *testing.T) {
	var cs []contender
	var first []float64
	turns := map[string]*int{}
	for _, c := range []struct {
		name string
		us   int
	}{{dml, 12}, {self, 12}, {"go", 40}, {"avx2", 10}, {against, 11}, {numpy, 15}, {onnxRuntime, 48}} {
		made, n := takes(c.name, c.us)
		cs, first, turns[c.name] = append(cs, made), append(first, float64(c.us*1000)), n
	}
	o := &outcome{others: map[string]float64{}}
	require.NoError(t, o.race(cs, first, pace{rounds: 3, limit: time.Minute}))
	assert.Equal(t, "avx2", o.winner)
	assert.Equal(t, 1.2, o.regret)
	assert.Equal(t, 1.0, o.floor)
	assert.Equal(t, 12000.0, o.ns)
	assert.Equal(t, map[string]float64{against: 12.0 / 11, numpy: 0.8, onnxRuntime: 0.25}, o.others)
	assert.Equal(t, []int{0, 4, 4, 0}, []int{*turns["go"], *turns[against], *turns[numpy], *turns[onnxRuntime]})

	// The other checkout may be the best reference.
	first[3] = 20e3
	o = &outcome{others: map[string]float64{}}
	require.NoError(t, o.race(cs, first, pace{rounds: 3, limit: time.Minute}))
	assert.Equal(t, against, o.winner)
	assert.Equal(t, 12.0/11, o.regret)
	assert.Equal(t, 12.0/11, o.others[against])
}

func TestRegretOfASlice(t *testing.T) {
	m := fast(3)
	m.against = served(t)
	for _, d := range randomSlices(3, 20) {
		o, err := m.regret(d)
		require.NoError(t, err)
		assert.NotContains(t, []string{dml, self, ""}, o.winner)
		assert.Positive(t, o.regret)
		assert.Positive(t, o.floor)
		assert.Positive(t, o.others[against])
		assert.Contains(t, o.nest, "kernel ")
	}
	assert.NoError(t, m.Close())
}

// If plans race their candidates, the outcome describes the plan of the race's choice, and the
// references are dml, itself, each kernel, and each candidate that was not chosen.
func TestRegretOfAMeasuredSlice(t *testing.T) {
	d := randomSlices(3, 1)[0]
	m := fast(3)
	m.own = measuring(time.Hour)
	o, err := m.regret(d)
	require.NoError(t, err)
	p, err := slice1.NewPlan(d, slice1.WithParallelism(1), m.own)
	require.NoError(t, err)
	assert.Equal(t, p.String(), o.nest)
	s, err := m.slicing(d)
	require.NoError(t, err)
	cs, err := s.references(p)
	require.NoError(t, err)
	assert.Equal(t, []string{p.Kernel(), ""}, []string{cs[0].chosen, cs[1].chosen})
	others := 0
	for _, c := range p.Candidates() {
		if !c.Chosen {
			others++
		}
	}
	assert.Len(t, cs, 2+len(kernelChoices())+others)
}

func TestAWrongReferenceIsAnError(t *testing.T) {
	_, err := withPeer(t, "wrong", 1).regret(randomSlices(1, 1)[0])
	assert.EqualError(t, err, "numpy: the output is wrong")
}

func TestRegretReportsAndWritesItsSlices(t *testing.T) {
	dir := t.TempDir()
	o, err := parse("-regret", "-seed", "4,5", "-slices", "12", "-rounds", "3", "-peers=false", "-o", dir)
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(o, &stdout, &stderr))
	for _, line := range []string{
		`seed 4, 12 slices +mean +> 1.15 +p99 +worst`, `seed 5, 12 slices .*`, `all, 24 slices .*`,
		`choice / best reference +1\.\d+ +\d+\.\d+ % +[\d.]+ +[\d.]+`, `choice / itself: the floor +1\.\d+ .*`, `above the floor .*`,
		`[\d.]+: \w+ is faster; slice [45]-\d+, \d+ bytes in \d+ ns, floor [\d.]+`, `  kernel \w+, kind .*`,
	} {
		assert.Regexp(t, `(?m)^`+line+`$`, stdout.String())
	}
	assert.Equal(t, 10, strings.Count(stdout.String(), " is faster; slice "))
	for _, name := range []string{"slices-4.txt", "slices-5.txt"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, 12, strings.Count(string(text), "\n"))
	}
	text, err := os.ReadFile(filepath.Join(dir, "regret.tsv"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	require.Len(t, lines, 25)
	for _, line := range lines {
		assert.Equal(t, 9, strings.Count(line, "\t"), line)
	}
}

func TestOthersAreReportedByTheirSpeed(t *testing.T) {
	var b strings.Builder
	all := []*outcome{
		{name: "1-0", others: map[string]float64{numpy: 0.25}}, {name: "1-1", others: map[string]float64{numpy: 1.25}},
		{name: "1-2", others: map[string]float64{numpy: 1.02}}, {name: "1-3", others: map[string]float64{}}, {name: "1-4", others: map[string]float64{numpy: 0.5}},
	}
	printOthers(&b, all)
	assert.Equal(t, "numpy: 4 slices; choice faster by 1.58 on geometric average, behind in 50.00 %, by more than 5 % in 25.00 %, at worst 0.800 times as fast (1-1)\n\n", b.String())
}
