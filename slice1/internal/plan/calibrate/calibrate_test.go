package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// predicted returns records of `count` samples in which every way takes what it costs by the row of
// h.
func predicted(h *plan.Host, count int) (all []record) {
	for _, n := range samples(7, count) {
		r := record{n, map[string]float64{}}
		for _, x := range waysOf(plan.Here(), &n) {
			r.NS[x.String()] = float64(x.cost(plan.Here(), h, &n)) / 1000
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

// A row that is fitted to what another row predicts predicts the same but for a mean error of less
// than a tenth.
func TestFittedRowsPredict(t *testing.T) {
	for _, h := range []*plan.Host{plan.Hosts()[0], plan.Hosts()[3]} {
		all := predicted(h, 150)
		fitted := *h
		fitted.Costs = fit(all)
		errors, count := 0., 0.
		for i := range all {
			r := &all[i]
			for _, x := range waysOf(plan.Here(), &r.Nest) {
				errors += math.Abs(float64(x.cost(plan.Here(), &fitted, &r.Nest))/1000/r.NS[x.String()] - 1)
				count++
			}
		}
		assert.Less(t, errors/count, .1, h.Costs.Name)
	}
}

// fit changes the costs of each set that this host can run, Go's vectors among them where they are
// built, and of no other set.
func TestUsableSetsAreMeasured(t *testing.T) {
	known := *plan.Here().Costs
	fitted := fit(predicted(plan.Hosts()[0], 40))
	for number, set := range csrc.Sets {
		isUsable := usable().Has(plan.Kernel(number))
		assert.Equal(t, isUsable, known.Sets[number] != fitted.Sets[number], "%s of %s", set.Name, set.Arch)
	}
}

// checkRows prints a line for each row. If the times are those that a row predicts, no choice by
// that row is slower than the best.
func TestRowsAreChecked(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, checkRows(&out, plan.Hosts(), predicted(plan.Here(), 100), 2))
	name := plan.Here().Costs.Name
	assert.Regexp(t, `(?m)^`+name+` +mean 1\.0000, 0\.00 % above 1\.15, 99th percentile 1\.000$`, out.String())
	assert.Equal(t, len(plan.Hosts()), strings.Count(out.String(), "mean"))
}

func TestRowsArePrintedAsGo(t *testing.T) {
	row := plan.Costs{Storing: plan.Near, Make: 12}
	row.Go.Element = [4]int64{1, 2, 0, 4}
	row.Near[1] = plan.LineCosts{Load: 5}
	row.Sets[1].Row = 7
	var out bytes.Buffer
	require.NoError(t, printRow(&out, "here", &row))
	assert.Equal(t, `var here = Costs{
	Name:    "here",
	Storing: Near,
	Make:    12,
	Go: GoCosts{
		Element: [4]int64{1, 2, 0, 4},
	},
	Sets: [6]SetCosts{
		1: {
			Row: 7,
		},
	},
	Near: [levels]LineCosts{{0, 0}, {5, 0}, {0, 0}},
}
`, out.String())
}

// printRow prints the row as rows.go has it, except for the costs of sets that are not fitted.
func TestRowsStandInTheFileAsTheyArePrinted(t *testing.T) {
	measured := *plan.Hosts()[0].Costs
	var shared []string
	for set, name := range []string{"neon", "simd", "simdNEON", "simdLane"} {
		measured.Sets[2+set] = plan.SetCosts{Row: int64(1 + set)}
		shared = append(shared, fmt.Sprintf("%d: {\n\t\t\tRow: %d,\n\t\t},", 2+set, 1+set), fmt.Sprintf("%d: %s,", 2+set, name))
	}
	var out bytes.Buffer
	require.NoError(t, printRow(&out, "costs", &measured))
	file, err := os.ReadFile("../rows.go")
	require.NoError(t, err)
	want := strings.NewReplacer(shared...).Replace(out.String())
	assert.True(t, strings.Contains(string(file), want), want)
}

func TestMeasurementsAreSavedAndLoaded(t *testing.T) {
	dir, err := os.MkdirTemp("", "calibrate") // t.TempDir fails under Wine, which removes no folder by its handle
	require.NoError(t, err)
	name := filepath.Join(dir, "records")
	t.Cleanup(func() {
		os.Remove(name)
		os.Remove(dir)
	})
	m := newMemory()
	n := samples(5, 1)[0]
	clock := time.Unix(0, 0)
	all := []record{{n, m.measure(plan.Here(), &n, func() time.Time { clock = clock.Add(time.Microsecond); return clock })}}
	assert.NotEmpty(t, all[0].NS)
	for way, ns := range all[0].NS {
		assert.Positive(t, ns, way)
	}
	require.NoError(t, save(name, all))
	loaded, err := load(name)
	require.NoError(t, err)
	assert.Equal(t, all, loaded)
	none := filepath.Join(dir, "none", "records")
	assert.Error(t, save(none, all))
	_, err = load(none)
	assert.Error(t, err)
}

func TestArguments(t *testing.T) {
	var out bytes.Buffer
	assert.Error(t, run([]string{"-none"}, &out))
	assert.ErrorContains(t, run([]string{"-name", "zen 6"}, &out), `"zen 6"`)
	assert.Error(t, run([]string{"-check", "none"}, &out))
	assert.Error(t, run([]string{"-from", "none"}, &out))
	assert.Empty(t, out.String())
}
