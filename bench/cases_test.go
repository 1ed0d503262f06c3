package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCasesAreMeasuredAndAveragedByRank(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list.txt")
	require.NoError(t, os.WriteFile(list, []byte("# two ranks\n4 1,0 32,48\n1 2,1,0 8,9,10\nfloat64 1,0 16,16 in=2,1 out=1,2 # apart\n"), 0o666))
	o, err := parse("-cases", list, "-rounds", "3", "-peers=false")
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(o, &stdout, &stderr))
	for _, line := range []string{
		`   2 +6144 .*  4 1,0 32,48`, `   3 +720 .*  1 2,1,0 8,9,10`, `   2 +2048 .*  float64 1,0 16,16 in=2,1 out=1,2`,
		`   2 +2 +[\d.]+ +[\d.]+ *`, `   3 +1 +[\d.]+ +[\d.]+ *`, ` all +3 +[\d.]+ +[\d.]+ *`,
	} {
		assert.Regexp(t, `(?m)^`+line+`$`, stdout.String())
	}
}

func TestAListThatCannotBeReadIsAnError(t *testing.T) {
	o, err := parse("-cases", "no-such-list", "-peers=false")
	require.NoError(t, err)
	assert.ErrorIs(t, run(o, new(bytes.Buffer), new(bytes.Buffer)), os.ErrNotExist)
	list := filepath.Join(t.TempDir(), "list.txt")
	require.NoError(t, os.WriteFile(list, []byte("nonsense"), 0o666))
	o.cases = list
	assert.EqualError(t, run(o, new(bytes.Buffer), new(bytes.Buffer)), list+`: line 1: "nonsense" is not an element type, a permutation and sizes`)
}

func TestWhatACaseIsComparedWith(t *testing.T) {
	r := &row{roof: []float64{1, 1}, results: []result{{name: dml, ns: []float64{2, 2}}, {name: naive, ns: []float64{6, 6}}, {name: numpy, ns: []float64{3, 3}}, {name: fftw, ns: []float64{4, 4}}}}
	assert.Equal(t, map[string]float64{memcpy: 0.5, naive: 3, numpy: 1.5, fftw: 2}, r.caseRatios())
	assert.Equal(t, "", meanOf(nil))
	assert.Equal(t, "2.000", meanOf([]float64{1, 4}))
}
