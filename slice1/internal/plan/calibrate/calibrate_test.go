package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// predicted returns records of `count` samples. In these, every way takes what it costs by the
// costs of h.
func predicted(h *plan.Host, count int) (all []record) {
	for _, n := range samples(7, count) {
		r := record{n, map[string]float64{}}
		pieces, ways := waysOf(&r)
		for _, c := range ways {
			r.NS[c.String()] = float64(pieces.Count*plan.ThisHost().PriceBy(h, c, &pieces.Shapes[0])) / 1000
		}
		all = append(all, r)
	}
	return all
}

func TestSamplesAreTheSameForASeed(t *testing.T) {
	all := samples(3, 200)
	assert.Equal(t, all, samples(3, 200))
	assert.NotEqual(t, all, samples(4, 200))
	for i := range all {
		b := nest.Bytes(&all[i])
		assert.True(t, leastBytes <= b && b <= mostBytesOfRows, "%d bytes", b)
	}
}

// By a table that is fitted to what skewed costs predict, hardly any first choice is slower than
// the best.
func TestFittedCostsChoose(t *testing.T) {
	if _, ways := waysOf(&record{Nest: samples(7, 1)[0]}); len(ways) == 1 {
		t.Skip("plain Go is the only kernel")
	}
	skewed := *plan.ThisHost()
	skewed.Costs = plan.HostOf(cpuid.Features{}).Costs
	rng := rand.New(rand.NewPCG(1, 2))
	for _, q := range skewed.Costs.Quantities() {
		*q = int64(float64(*q) * math.Exp2(4*rng.Float64()-2)) // so far off that first choices are bad by every kernel
	}
	points := pointsOf(predicted(&skewed, 150))
	assert.Greater(t, loss(points, plan.ThisHost().Costs), 150*.1, "before")
	assert.Less(t, loss(points, fit(points, 12)), 150*.02)
}

// A plan lists the cheapest ways by estimate. If these are the fastest, as predicted, nothing is
// lost. If the fastest way is the dearest of all, and a plan does not list that many, listed sees
// it.
func TestListedWays(t *testing.T) {
	all := predicted(plan.ThisHost(), 100)
	longer, far := listed(all)
	assert.Equal(t, 1.0, longer)
	assert.Zero(t, far)
	want := 0
	for i := range all {
		if _, ways := waysOf(&all[i]); len(ways) > plan.MaxListed {
			last := ways[len(ways)-1]
			all[i].NS[last.String()] = all[i].NS[ways[0].String()] / 2
			want++
		}
	}
	longer, far = listed(all)
	assert.Equal(t, want, far)
	assert.InDelta(t, math.Pow(2, float64(want)/100), longer, 1e-9)
}

// fit changes the costs of each set of this build, Go's vectors among them, and of no other set.
func TestBuiltSetsAreFitted(t *testing.T) {
	known := *plan.ThisHost().Costs
	all := predicted(plan.ThisHost(), 40)
	for i := range all {
		for way := range all[i].NS {
			all[i].NS[way] *= 2
		}
	}
	fitted := fit(pointsOf(all), 2)
	for number, set := range program.Sets {
		assert.Equal(t, plan.Kernel(number).Built(), known.Sets[number] != fitted.Sets[number], "%s of %s", set.Name, set.Arch)
	}
}

// If the times are as the table predicts, nothing is lost and no cost is wrong.
func TestLosses(t *testing.T) {
	points, costs := pointsOf(predicted(plan.ThisHost(), 100)), plan.ThisHost().Costs
	time, errors := losses(points, costs)
	assert.Zero(t, time)
	assert.Less(t, errors, .1)
	several := 0
	for _, of := range points {
		if len(of) > 1 {
			several++
			of[len(of)-1].ns = of[0].ns * .8
		}
	}
	time, _ = losses(points, costs)
	assert.InDelta(t, .25*float64(several), time, 1e-6)
	for _, of := range points {
		of[0].ns *= 4
	}
	time, errors = losses(points, costs)
	assert.InDelta(t, float64(several), time, 1e-6, "mostLoss each")
	assert.InDelta(t, .75*100, errors, .1)
}

func TestValuesHaveTwoDigits(t *testing.T) {
	for v, want := range map[int64]int64{0: 0, 7: 7, 99: 99, 123: 120, 125: 130, 45_678: 46_000} {
		assert.Equal(t, want, twoDigits(v))
	}
}

func TestRecordsAreLoaded(t *testing.T) {
	name := filepath.Join(folder(t), "records")
	require.NoError(t, os.WriteFile(name, []byte(`{"Nest":{"Rank":2,"Width":1,"Dims":[{"Extent":2,"Src":3,"Dst":3},{"Extent":3,"Src":1,"Dst":1}]},"NS":{"go":7}}`), 0o600))
	all, err := load(name)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, map[string]float64{"go": 7}, all[0].NS)
	assert.EqualValues(t, 1, all[0].Nest.Rank, "in normal form")
	require.NoError(t, os.WriteFile(name, []byte("{"), 0o600))
	_, err = load(name)
	require.Error(t, err)
}

func TestArguments(t *testing.T) {
	var out bytes.Buffer
	assert.Error(t, calibrate(nil, &out))
	assert.Error(t, calibrate([]string{filepath.Join(folder(t), "none")}, &out))
	assert.Empty(t, out.String())
}

// folder makes a folder that is removed at the end of the test, with the file "records" if there is
// one. t.TempDir ends in os.RemoveAll, which fails under Wine 8.
func folder(t *testing.T) string {
	path, err := os.MkdirTemp("", "calibrate")
	require.NoError(t, err)
	t.Cleanup(func() {
		os.Remove(filepath.Join(path, "records"))
		require.NoError(t, os.Remove(path))
	})
	return path
}
