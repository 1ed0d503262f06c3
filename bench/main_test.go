package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunPrintsALineForEachContender(t *testing.T) {
	o, err := parse("-works", "stride2", "-widths", "1", "-sizes", "S", "-kernels", "naive,go,dml", "-rounds", "1", "-peers=false")
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(o, &stdout, &stderr))
	assert.Regexp(t, `(?m)^stride2 +1 +S +4096  naive  .* 1\.00  `, stdout.String())
	assert.Regexp(t, `(?m)^stride2 +1 +S +4096  go  `, stdout.String())
	assert.Regexp(t, `(?m)^stride2 +1 +S +4096  dml \(\w+\)  `, stdout.String())
	assert.Empty(t, stderr.String())
}

func TestAbsentPeersEndTheProgramOnlyIfAskedFor(t *testing.T) {
	t.Setenv("BENCH_TEST_PEER", "none")
	for flag, want := range map[string]string{
		"":                        "",
		"-peers=false":            "",
		"-peers=numpy":            "no peer numpy: no numpy",
		"-peers=volk,onnxruntime": "no peer onnxruntime: no numpy",
	} {
		args := []string{"-works", "tiny4x4", "-widths", "1", "-rounds", "1", "-python", os.Args[0]}
		if flag != "" {
			args = append(args, flag)
		}
		o, err := parse(args...)
		require.NoError(t, err)
		var stdout, stderr bytes.Buffer
		err = run(o, &stdout, &stderr)
		if want != "" {
			assert.EqualError(t, err, want)
			continue
		}
		require.NoError(t, err)
		if flag != "" {
			assert.Empty(t, stderr.String())
			continue
		}
		assert.Contains(t, stderr.String(), "bench: no peer numpy: no numpy\nbench: no peer onnxruntime: no numpy\n")
		assert.Contains(t, stdout.String(), "missing: numpy, onnxruntime")
	}
}

func TestPeersThatAreThereAreNamedWithTheirVersions(t *testing.T) {
	t.Setenv("BENCH_TEST_PEER", "right")
	m := &meter{chosen: []string{numpy}}
	peers, err := m.startPeers(os.Args[0], new(bytes.Buffer))
	require.NoError(t, err)
	assert.Equal(t, "numpy 0", peers)
	assert.Empty(t, m.inC)
	require.NoError(t, m.Close())

	m.chosen = []string{onnxRuntime}
	_, err = m.startPeers(os.Args[0], new(bytes.Buffer))
	assert.EqualError(t, err, "no peer onnxruntime: "+os.Args[0]+" has none")
	require.NoError(t, m.Close())
}

func TestListNamesEveryWork(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, run(&options{list: true}, &stdout, nil))
	for _, w := range works {
		assert.Regexp(t, `(?m)^`+w.name+` +`, stdout.String())
	}
}

func TestRawLinesGoIntoTheDirectory(t *testing.T) {
	dir := t.TempDir()
	o, err := parse("-works", "stride2", "-widths", "1", "-sizes", "S", "-kernels", "go,dml", "-rounds", "2", "-peers=false", "-o", dir)
	require.NoError(t, err)
	require.NoError(t, run(o, new(bytes.Buffer), new(bytes.Buffer)))
	text, err := os.ReadFile(filepath.Join(dir, "bench.txt"))
	require.NoError(t, err)
	for _, kernel := range []string{"go", "dml"} {
		assert.Len(t, regexp.MustCompile(`(?m)^BenchmarkSlice/work=stride2/width=1/size=S/kernel=`+kernel+` \d+ [\d.]+ ns/op [\d.]+ MB/s [\d.]+ roof$`).FindAll(text, -1), 2)
	}
	assert.Contains(t, string(text), "\nUnit roof better=higher\n")
	text, err = os.ReadFile(filepath.Join(dir, "slices.txt"))
	require.NoError(t, err)
	assert.Equal(t, "stride2 S 1 1 8194 1 1 2 4096 1\n", string(text))
}

func TestMeansAreOverRowsThatHaveBoth(t *testing.T) {
	rows := []*row{
		{roof: []float64{1}, results: []result{{name: dml, ns: []float64{2}, firstRun: 3}, {name: naive, ns: []float64{8}}}},
		{roof: []float64{1}, results: []result{{name: dml, ns: []float64{8}}, {name: baseline, ns: []float64{4}}}},
		{roof: []float64{8.5}, results: []result{{name: dml, chosen: "avx2", ns: []float64{10}}, {name: numpy, ns: []float64{8.5}}, {name: fftw, ns: []float64{9}}}},
	}
	var out bytes.Buffer
	printMeans(&out, rows)
	for _, line := range strings.Split(`naive: 0.250 x dml by geometric mean of 1 rows; 0.25 to 0.25, 1 below 1, 1 below 0.9, 1 below 0.8, 1 below 0.7, 1 below 0.5, 0 surely below 1
naive: 0.125 x memcpy by geometric mean of 1 rows; 0.12 to 0.12, 1 below 1, 1 below 0.9, 1 below 0.8, 1 below 0.7, 1 below 0.5, 0 surely below 1
dml: 4.000 x naive by geometric mean of 1 rows; 4.00 to 4.00, 0 below 1, 0 below 0.9, 0 below 0.8, 0 below 0.7, 0 below 0.5, 0 surely below 1
dml: 0.850 x numpy by geometric mean of 1 rows; 0.85 to 0.85, 1 below 1, 1 below 0.9, 0 below 0.8, 0 below 0.7, 0 below 0.5, 0 surely below 1
dml: 0.900 x fftw by geometric mean of 1 rows; 0.90 to 0.90, 1 below 1, 0 below 0.9, 0 below 0.8, 0 below 0.7, 0 below 0.5, 0 surely below 1
dml: 0.500 x against by geometric mean of 1 rows; 0.50 to 0.50, 1 below 1, 1 below 0.9, 1 below 0.8, 1 below 0.7, 0 below 0.5, 0 surely below 1
dml: 0.850 x the best peer by geometric mean of 1 rows; 0.85 to 0.85, 1 below 1, 1 below 0.9, 0 below 0.8, 0 below 0.7, 0 below 0.5, 0 surely below 1
dml: 0.376 x memcpy by geometric mean of 3 rows; 0.12 to 0.85, 3 below 1, 3 below 0.9, 2 below 0.8, 2 below 0.7, 1 below 0.5, 0 surely below 1
dml: 1.500 x its first runs by geometric mean of 1 rows; 1.50 to 1.50, 0 below 1, 0 below 0.9, 0 below 0.8, 0 below 0.7, 0 below 0.5, 0 surely below 1
against: 2.000 x dml by geometric mean of 1 rows; 2.00 to 2.00, 0 below 1, 0 below 0.9, 0 below 0.8, 0 below 0.7, 0 below 0.5, 0 surely below 1
numpy: 1.059 x fftw by geometric mean of 1 rows; 1.06 to 1.06, 0 below 1, 0 below 0.9, 0 below 0.8, 0 below 0.7, 0 below 0.5, 0 surely below 1`, "\n") {
		assert.Contains(t, out.String(), line+"\n")
	}
	assert.NotContains(t, out.String(), "numpy: 1.000 x the best peer")
}

// A ratio is surely below 1 if it is so in nearly all of six rounds or more.
func TestRatiosAreSurelyBelow1(t *testing.T) {
	slow := []float64{2, 2.1, 2, 1.9, 2, 2, 2.1, 2, 1.9, 2}
	mostly := []float64{1, 1, 1, 2, 2, 2, 2, 2, 2, 2}
	var rows []*row
	for _, ns := range [][]float64{slow, mostly, slow[:5]} {
		same := slices.Repeat([]float64{1}, len(ns))
		rows = append(rows, &row{roof: same, results: []result{{name: dml, ns: ns}, {name: fftw, ns: slices.Repeat([]float64{1.5}, len(ns))}, {name: self, ns: ns}}})
	}
	var out bytes.Buffer
	printMeans(&out, rows)
	assert.Contains(t, out.String(), "dml: 0.750 x the best peer by geometric mean of 3 rows; 0.75 to 0.75, 3 below 1, 3 below 0.9, 3 below 0.8, 0 below 0.7, 0 below 0.5, 1 surely below 1\n")
	assert.Contains(t, out.String(), "dml: 1.000 x itself by geometric mean of 3 rows; 1.00 to 1.00, 0 below 1, 0 below 0.9, 0 below 0.8, 0 below 0.7, 0 below 0.5, 0 surely below 1\n")
	assert.NotContains(t, out.String(), "itself: ")
}

func TestCallsShowTheNoise(t *testing.T) {
	for _, calls := range []bool{false, true} {
		m := fast(1)
		m.calls, m.wanted, m.chosen = calls, []string{dml}, []string{}
		r, err := m.measure(cellOf(t, stride(2), 1, "S"))
		require.NoError(t, err)
		assert.Equal(t, calls, r.find(self) != nil)
	}
}

func TestAnotherBuildIsOneMoreContender(t *testing.T) {
	t.Setenv("BENCH_TEST_PEER", "serve") // The test binary stands for both builds.
	o, err := parse("-against", os.Args[0], "-works", "stride2", "-widths", "1", "-sizes", "S,512", "-rounds", "3", "-peers=false")
	require.NoError(t, err)
	var stdout bytes.Buffer
	require.NoError(t, run(o, &stdout, new(bytes.Buffer)))
	for _, size := range []string{"S", "512"} {
		assert.Regexp(t, `(?m)^stride2 +1 +`+size+` +\d+ +dml `, stdout.String())
		assert.Regexp(t, `(?m)^stride2 +1 +`+size+` +\d+ +against `, stdout.String())
	}
	assert.Regexp(t, `(?m)^dml: [\d.]+ x against by geometric mean of 2 rows; .*`, stdout.String())
	o.baseline = "no-such-program"
	assert.Error(t, run(o, new(bytes.Buffer), new(bytes.Buffer)))
}

func TestPermutationsAreMeasuredAsWorksAre(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list.txt")
	require.NoError(t, os.WriteFile(list, []byte("# two ranks\n4 1,0 32,48\n1 2,1,0 8,9,10\nfloat64 1,0 16,16 in=2,1 out=1,2 # apart\n"), 0o666))
	o, err := parse("-cases", list, "-kernels", "naive,dml", "-rounds", "3", "-peers=false")
	require.NoError(t, err)
	var stdout bytes.Buffer
	require.NoError(t, run(o, &stdout, new(bytes.Buffer)))
	for _, line := range []string{`4 1,0 32,48 +4 rank2 +6144  dml .*`, `1 2,1,0 8,9,10 +1 rank3 +720  naive .*`, `float64 1,0 16,16 in=2,1 out=1,2 +8 rank2 +2048  dml .*`} {
		assert.Regexp(t, `(?m)^`+line+`$`, stdout.String())
	}
	o, err = parse("-cases", "random", "-kernels", "naive,dml", "-rounds", "1", "-peers=false", "-slices", "2", "-seed", "5")
	require.NoError(t, err)
	stdout.Reset()
	require.NoError(t, run(o, &stdout, new(bytes.Buffer)))
	assert.Regexp(t, `(?m)^5-1 +\d +M +\d+  dml .*$`, stdout.String())
	o.cases = "no-such-list"
	assert.ErrorIs(t, run(o, new(bytes.Buffer), new(bytes.Buffer)), os.ErrNotExist)
	require.NoError(t, os.WriteFile(list, []byte("nonsense"), 0o666))
	o.cases = list
	assert.EqualError(t, run(o, new(bytes.Buffer), new(bytes.Buffer)), list+`: line 1: "nonsense" is not an element type, a permutation and sizes`)
}
