package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// What a GPU makes as a whole lies behind the header of the file. The plan here is the CPU's.
func TestWholeResultsLieBehindTheHeader(t *testing.T) {
	f, err := os.Create(newDir(t).at("out.npy"))
	require.NoError(t, err)
	defer f.Close()
	d := slice1.Whole(slice1.Uint8, 3)
	d.WindowStrides[0] = -1
	p, err := slice1.NewPlan(d)
	require.NoError(t, err)
	in := &array{source: &source{}, Header: npy.Header{Type: slice1.Uint8, Shape: []int{3}}, data: []byte{1, 2, 3}}
	j := &job{gpu: true}
	require.NoError(t, j.sliceWhole(plan{Runner: p}, &slice{in: in, out: in, desc: d, shape: in.Shape}, outofcore.Output{W: f, File: f, Base: 5}))
	got, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 0, 0, 0, 0, 3, 2, 1}, got)
}
