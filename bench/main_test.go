package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunPrintsALineForEachContender(t *testing.T) {
	o, err := parse("-works", "stride2", "-widths", "1", "-sizes", "S", "-kernels", "naive,go,dml", "-rounds", "1", "-peers=false")
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(o, &stdout, &stderr))
	assert.Regexp(t, `(?m)^stride2 +1 +S +4096  naive  .* 1\.00 `, stdout.String())
	assert.Regexp(t, `(?m)^stride2 +1 +S +4096  go  `, stdout.String())
	assert.Regexp(t, `(?m)^stride2 +1 +S +4096  dml \(\w+\)  `, stdout.String())
	assert.Empty(t, stderr.String())
}

func TestAbsentPeersEndTheProgramOnlyIfAskedFor(t *testing.T) {
	t.Setenv("BENCH_TEST_PEER", "none")
	for flag, want := range map[string]string{
		"":                        "",
		"-peers":                  "no peer numpy: no numpy",
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
		assert.Contains(t, stderr.String(), "bench: no peer numpy: no numpy\nbench: no peer onnxruntime: no numpy\n")
		assert.Contains(t, stdout.String(), "missing: numpy, onnxruntime")
	}
}

func TestPeersThatAreThereAreNamedWithTheirVersions(t *testing.T) {
	t.Setenv("BENCH_TEST_PEER", "right")
	m := &meter{which: "numpy"}
	peers, err := m.startPeers(os.Args[0], new(bytes.Buffer))
	require.NoError(t, err)
	assert.Equal(t, "numpy 0", peers)
	assert.Empty(t, m.inC)
	require.NoError(t, m.Close())

	m.which = "onnxruntime"
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
	s := &session{meter: fast(1), progress: newProgress(0)}
	file := filepath.Join(t.TempDir(), "bench.txt")
	f, err := os.Create(file)
	require.NoError(t, err)
	s.raw, err = newRawWriter(f, "a processor", "none")
	require.NoError(t, err)
	_, err = s.row(cell{work: stride(2), width: 1, size: sizeS})
	require.NoError(t, err)
	require.NoError(t, f.Close())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "BenchmarkSlice/work=stride2/width=1/size=S/kernel=dml 1 ")
}
