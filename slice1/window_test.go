package slice1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

func TestNewDescIsPacked(t *testing.T) {
	shape := []int{4, 5}
	w := window([]int{0, 1}, []int{4, 3}, []int{-1, 2}, []int{4, 2})
	assert.Equal(t, &slice1.Desc{
		Input:         slice1.TensorDesc{DataType: slice1.Int16, Sizes: []int{4, 5}},
		Output:        slice1.TensorDesc{DataType: slice1.Int16, Sizes: []int{4, 2}},
		WindowOffsets: []int{0, 1},
		WindowSizes:   []int{4, 3},
		WindowStrides: []int{-1, 2},
	}, slice1.NewDesc(slice1.Int16, shape, w))
}

func TestNewDescGivesScalarsOneAxis(t *testing.T) {
	w, _, err := slice1.ParseIndex("()", nil)
	require.NoError(t, err)
	assert.Equal(t, &slice1.Desc{
		Input:         slice1.TensorDesc{DataType: slice1.Float64, Sizes: []int{1}},
		Output:        slice1.TensorDesc{DataType: slice1.Float64, Sizes: []int{1}},
		WindowOffsets: []int{0},
		WindowSizes:   []int{1},
		WindowStrides: []int{1},
	}, slice1.NewDesc(slice1.Float64, nil, w))
}
