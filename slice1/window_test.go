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

func TestCropIsTheWindowItSays(t *testing.T) {
	shape := []int{4, 5, 6}
	for index, c := range map[string]struct{ offsets, sizes []int }{
		"[...]":              {nil, nil},
		"[1:, 2:, 3:]":       {[]int{1, 2, 3}, nil},
		"[:2, :1, :6]":       {nil, []int{2, 1, 6}},
		"[3:4, 0:5, 2:4]":    {[]int{3, 0, 2}, []int{1, 5, 2}},
		"[0:1, 0:1, 5:6, ]":  {[]int{0, 0, 5}, []int{1, 1, 1}},
		"[0:4, 4:5, 0:6, ] ": {[]int{0, 4, 0}, []int{4, 1, 6}},
	} {
		got, err := slice1.Crop(shape, c.offsets, c.sizes)
		require.NoError(t, err)
		want, _, err := slice1.ParseIndex(index, shape)
		require.NoError(t, err)
		assert.Equal(t, want, got, index)
	}
	all, err := slice1.Crop(shape, nil, nil)
	require.NoError(t, err)
	all.Sizes[0] = 9
	assert.Equal(t, []int{4, 5, 6}, shape, "no memory is shared")
	scalar, err := slice1.Crop(nil, nil, nil)
	require.NoError(t, err)
	assert.NoError(t, slice1.NewDesc(slice1.Int8, nil, scalar).Validate())
}

func TestCropRefuses(t *testing.T) {
	shape := []int{4, 5}
	for _, c := range []struct {
		shape, offsets, sizes []int
		want                  fault
	}{
		{shape, []int{1}, nil, fault{field: "offsets", axis: -1, got: 1, limit: 2, sentinel: slice1.ErrRank}},
		{shape, nil, []int{1, 2, 3}, fault{field: "sizes", axis: -1, got: 3, limit: 2, sentinel: slice1.ErrRank}},
		{shape, []int{0, -774}, nil, fault{field: "offsets", axis: 1, got: -774, limit: 0, sentinel: slice1.ErrWindow}},
		{shape, []int{4, 0}, nil, fault{field: "offsets", axis: 0, got: 4, limit: 3, sentinel: slice1.ErrWindow}},
		{shape, []int{3, 0}, []int{2, 5}, fault{field: "sizes", axis: 0, got: 2, limit: 1, sentinel: slice1.ErrWindow}},
		{shape, nil, []int{4, 0}, fault{field: "sizes", axis: 1, got: 0, limit: 1, sentinel: slice1.ErrWindow}},
		{shape, nil, []int{4, -1}, fault{field: "sizes", axis: 1, got: -1, limit: 1, sentinel: slice1.ErrWindow}},
		{[]int{4, 0}, nil, nil, fault{field: "shape", axis: 1, got: 0, limit: 1, sentinel: slice1.ErrSize}},
		{[]int{4, -3}, nil, nil, fault{field: "shape", axis: 1, got: -3, limit: 1, sentinel: slice1.ErrSize}},
		{make([]int, 9), nil, nil, fault{field: "shape", axis: -1, got: 9, limit: 8, sentinel: slice1.ErrRank}},
	} {
		w, err := slice1.Crop(c.shape, c.offsets, c.sizes)
		requireDescError(t, err, c.want)
		assert.Zero(t, w)
	}
}

func TestStepWalksTheWindow(t *testing.T) {
	shape := []int{7, 9}
	w, err := slice1.Crop(shape, []int{1, 2}, []int{5, 6})
	require.NoError(t, err)
	got, err := w.Step(-2, 4)
	require.NoError(t, err)
	assert.Equal(t, window([]int{1, 2}, []int{5, 6}, []int{-2, 4}, []int{3, 2}), got)
	assert.Equal(t, []int{1, 1}, w.Strides, "w stays as it is")
	for _, c := range []struct {
		w       slice1.Window
		strides []int
		want    fault
	}{
		{w, []int{1}, fault{field: "strides", axis: -1, got: 1, limit: 2, sentinel: slice1.ErrRank}},
		{w, []int{1, 0}, fault{field: "strides", axis: 1, got: 0, limit: 1, sentinel: slice1.ErrStride}},
		{slice1.Window{Sizes: []int{0}}, []int{1}, fault{field: "Sizes", axis: 0, got: 0, limit: 1, sentinel: slice1.ErrWindow}},
	} {
		got, err := c.w.Step(c.strides...)
		requireDescError(t, err, c.want)
		assert.Zero(t, got)
	}
}

func TestWindowsOfTensorsThatAreNotPacked(t *testing.T) {
	column, err := slice1.Crop([]int{3, 2}, []int{0, 1}, []int{3, 1})
	require.NoError(t, err)
	matrix := slice1.TensorDesc{DataType: slice1.Float64, Sizes: []int{3, 2}, Strides: []int{4, 1}}
	got := make([]float64, 3)
	require.NoError(t, slice1.Copy(got, []float64{1, 2, 0, 0, 3, 4, 0, 0, 5, 6}, column.Of(matrix)))
	assert.Equal(t, []float64{2, 4, 6}, got)
}

func TestWholeIsACopyOfAll(t *testing.T) {
	shape := []int{2, 3}
	d := slice1.Whole(slice1.Int16, shape...)
	want, _, err := slice1.ParseIndex("...", shape)
	require.NoError(t, err)
	assert.Equal(t, slice1.NewDesc(slice1.Int16, []int{2, 3}, want), d)
	d.WindowStrides[1], d.Input.Sizes[0], d.Output.Sizes[0], d.WindowSizes[1] = -1, 7, 8, 9
	assert.Equal(t, []int{2, 3}, shape)
	assert.Equal(t, []int{9, 8}, []int{d.WindowSizes[1], d.Output.Sizes[0]}, "slices of its own")
	assert.NoError(t, slice1.Whole(slice1.Int8).Validate())
	require.ErrorIs(t, slice1.Whole(slice1.Int8, 3, 0).Validate(), slice1.ErrSize)
	require.ErrorIs(t, slice1.Whole(slice1.Int8, make([]int, 9)...).Validate(), slice1.ErrRank)
}
