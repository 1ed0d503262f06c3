package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(args ...string) (*options, error) { return parseOptions(args, io.Discard) }

func TestOptionsChooseCells(t *testing.T) {
	o, err := parse("-works", "stride7,crop4096,tiny4x4", "-widths", "1,8", "-sizes", "64,S", "-kernels", "go,dml", "-rounds", "4")
	require.NoError(t, err)
	assert.Equal(t, []string{"go", "dml"}, o.kernels)
	assert.Equal(t, 4, o.rounds)
	type key struct {
		work  string
		width int
		size  size
	}
	var got []key
	for _, c := range o.cells() {
		got = append(got, key{c.work.name, c.width, c.size})
	}
	assert.Equal(t, []key{
		{"stride7", 1, size{"64", 64}}, {"stride7", 1, sizeS},
		{"stride7", 8, size{"64", 64}}, {"stride7", 8, sizeS},
		{"crop4096", 1, sizeS}, {"crop4096", 8, sizeS},
		{"tiny4x4", 1, size{"4", 4}}, {"tiny4x4", 8, size{"32", 32}},
	}, got)
}

func TestDefaultIsEverythingAtSAndM(t *testing.T) {
	o, err := parse()
	require.NoError(t, err)
	assert.Len(t, o.cells(), (len(works)-1)*4*2+4)
	quick, err := parse("-quick")
	require.NoError(t, err)
	assert.Less(t, len(quick.cells()), 50)
	some, err := parse("-quick", "-widths", "8")
	require.NoError(t, err)
	assert.Equal(t, []int{8}, some.widths)
}

func TestOptionsThatMeanNothingAreErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-works", "stride0"}, {"-works", "stridex"}, {"-works", "nothing"}, {"-widths", "3"}, {"-widths", "x"},
		{"-sizes", "XL"}, {"-sizes", "12"}, {"-sizes", "0"}, {"-sizes", "2147483648"},
		{"-kernels", "sse"}, {"-rounds", "-1"}, {"-peers=maybe"}, {"-peers=numpy,maybe"}, {"-peers=dml"}, {"more"},
		{"-seed", "1,x"}, {"-seed", "-1"}, {"-slices", "0"}, {"-measure", "-1ms"}, {"-measure", "5"}, {"-regret", "-cases", "list"},
		{"-addresses", "-regret"}, {"-addresses", "-cases", "list"}, {"-addresses", "-against", ".."},
	} {
		_, err := parse(args...)
		assert.Error(t, err, args)
	}
}

func TestPeersKnowsIfItWasGiven(t *testing.T) {
	for _, c := range []struct {
		args []string
		want peerFlag
	}{{nil, ""}, {[]string{"-peers"}, "true"}, {[]string{"-peers=0"}, "false"}, {[]string{"-peers=fftw,numpy"}, "fftw,numpy"}} {
		o, err := parse(c.args...)
		require.NoError(t, err)
		assert.Equal(t, c.want, o.peers)
	}
}

func TestPeersTakePartOrHaveTo(t *testing.T) {
	for _, c := range []struct {
		peers        peerFlag
		wants, needs []string
	}{
		{"", []string{numpy, onnxRuntime, libyuv, volk, fftw}, nil},
		{"true", []string{numpy, onnxRuntime, libyuv, volk, fftw}, []string{numpy}},
		{"false", nil, nil},
		{"libyuv,numpy", []string{numpy, libyuv}, []string{numpy, libyuv}},
	} {
		var wants, needs []string
		for _, name := range peerNames() {
			if c.peers.wants(name) {
				wants = append(wants, name)
			}
			if c.peers.needs(name) {
				needs = append(needs, name)
			}
		}
		assert.Equal(t, c.wants, wants, c.peers)
		assert.Equal(t, c.needs, needs, c.peers)
	}
}

func TestModesMeasureWhatTheyReport(t *testing.T) {
	for _, c := range []struct {
		args    []string
		kernels []string
		peers   peerFlag
	}{
		{[]string{"-cases", "list"}, []string{naive, dml}, ""},
		{[]string{"-cases", "list", "-kernels", "go"}, []string{"go", dml}, ""},
		{[]string{"-against", ".."}, []string{dml}, "false"},
		{[]string{"-against", "..", "-peers", "-kernels", "dml,go"}, []string{dml, "go"}, "true"},
		{[]string{"-regret", "-against", ".."}, nil, ""},
	} {
		o, err := parse(c.args...)
		require.NoError(t, err)
		assert.Equal(t, c.kernels, o.kernels, c.args)
		assert.Equal(t, c.peers, o.peers, c.args)
	}
	o, err := parse("-regret", "-seed", "9,8", "-slices", "7", "-measure", "5ms")
	require.NoError(t, err)
	assert.Equal(t, 5*time.Millisecond, o.measure)
	assert.Equal(t, []uint64{9, 8}, o.seeds)
	assert.Equal(t, 7, o.slices)
}
