package main

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(args ...string) (*options, error) { return parseOptions(args, io.Discard) }

func TestOptionsChooseCells(t *testing.T) {
	o, err := parse("-works", "stride7,crop4096,tiny4x4", "-widths", "1,8", "-sizes", "64,S", "-kernels", "go,dml", "-rounds", "4")
	require.NoError(t, err)
	assert.Equal(t, []string{"go", "dml"}, o.kernels)
	assert.Equal(t, 4, o.rounds)
	cells, err := o.cells()
	require.NoError(t, err)
	var got []cell
	for _, c := range cells {
		require.NoError(t, c.desc.Validate())
		c.desc = nil
		got = append(got, c)
	}
	assert.Equal(t, []cell{
		{"stride7", 1, "64", nil}, {"stride7", 1, "S", nil}, {"stride7", 8, "64", nil}, {"stride7", 8, "S", nil},
		{"crop4096", 1, "S", nil}, {"crop4096", 8, "S", nil}, {"tiny4x4", 1, "4", nil}, {"tiny4x4", 8, "32", nil},
	}, got)
}

func TestDefaultIsEverythingAtSAndM(t *testing.T) {
	o, err := parse()
	require.NoError(t, err)
	cells, err := o.cells()
	require.NoError(t, err)
	assert.Len(t, cells, (len(works)-1)*4*2+4)
	assert.Equal(t, []uint64{1, 2, 3}, o.seeds)
	o, err = parse("-regret", "-seed", "9,8", "-slices", "7")
	require.NoError(t, err)
	assert.Equal(t, []uint64{9, 8}, o.seeds)
	assert.Equal(t, 7, o.slices)
	assert.Equal(t, 40, o.large)
	for _, args := range [][]string{{"-slices", "-1"}, {"-large", "-1"}, {"-runs", "-1"}, {"-regret", "-slices", "0", "-large", "0"}, {"-seed", ""}} {
		_, err := parse(args...)
		assert.EqualError(t, err, "a number is too small", args)
	}
}

func TestRandomCellsHaveTheSizeAskedFor(t *testing.T) {
	o, err := parse("-cases", "random", "-slices", "50", "-seed", "1,2")
	require.NoError(t, err)
	cells, err := o.cells()
	require.NoError(t, err)
	assert.Len(t, cells, 2*2*50)
	for i, c := range cells {
		size := []string{"S", "M"}[i/100]
		assert.Equal(t, fmt.Sprintf("%d-%d %s", 1+i/50%2, i%50, size), c.work+" "+c.size)
		require.NoError(t, c.desc.Validate())
		bytes := elementsOf(c.desc) * c.width
		assert.LessOrEqual(t, sizes[size]/4*3, bytes)
		assert.LessOrEqual(t, bytes, sizes[size])
	}
}

func TestOptionsThatMeanNothingAreErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-kernels", "sse"}, {"-rounds", "-1"}, {"-peers="}, {"-peers=maybe"}, {"-peers=numpy,maybe"}, {"-peers=dml"}, {"more"},
		{"-seed", "1,x"}, {"-seed", "-1"}, {"-none"},
	} {
		_, err := parse(args...)
		assert.Error(t, err, args)
	}
	for _, args := range [][]string{
		{"-works", "stride0"}, {"-works", "stridex"}, {"-works", "nothing"}, {"-widths", "3"}, {"-widths", "x"},
		{"-sizes", "XL"}, {"-sizes", "12"}, {"-sizes", "0"}, {"-sizes", "2147483648"}, {"-cases", "random", "-sizes", "XL"},
	} {
		o, err := parse(args...)
		require.NoError(t, err, args)
		_, err = o.cells()
		assert.Error(t, err, args)
	}
}
