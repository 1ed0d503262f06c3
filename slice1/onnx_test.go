package slice1_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

func TestFromONNXReadsAllLists(t *testing.T) {
	shape := []int{4, 5, 6}
	whole := window([]int{0, 0, 0}, []int{4, 5, 6}, []int{1, 1, 1}, []int{4, 5, 6})
	tests := []struct {
		name                      string
		starts, ends, axes, steps []int64
		want                      slice1.Window
	}{
		{"nothing", nil, nil, nil, nil, whole},
		{"no entries", []int64{}, []int64{}, []int64{}, []int64{}, whole},
		{"first axes", []int64{1, -2}, []int64{3, 99}, nil, nil,
			window([]int{1, 3, 0}, []int{2, 2, 6}, []int{1, 1, 1}, []int{2, 2, 6})},
		{"steps without axes", []int64{0, -1}, []int64{4, -99}, nil, []int64{3, -2},
			window([]int{0, 0, 0}, []int{4, 5, 6}, []int{3, -2, 1}, []int{2, 3, 6})},
		{"axes without steps", []int64{2, 1}, []int64{5, 2}, []int64{-1, 0}, nil,
			window([]int{1, 0, 2}, []int{1, 5, 3}, []int{1, 1, 1}, []int{1, 5, 3})},
		{"axes in any order", []int64{5, 0, -1}, []int64{0, 2, math.MinInt64}, []int64{2, -3, 1}, []int64{-2, 1, -1},
			window([]int{0, 0, 1}, []int{2, 5, 5}, []int{1, -1, -2}, []int{2, 5, 3})},
		{"a negative step starts inside", []int64{-99}, []int64{-99}, nil, []int64{-1},
			window([]int{0, 0, 0}, []int{1, 5, 6}, []int{-1, 1, 1}, []int{1, 5, 6})},
		{"the largest steps", []int64{1, -2}, []int64{4, -6}, nil, []int64{math.MaxInt64, math.MinInt64},
			window([]int{1, 0, 0}, []int{3, 4, 6}, []int{math.MaxInt, math.MinInt, 1}, []int{1, 1, 6})},
	}
	for _, tt := range tests {
		w, err := slice1.FromONNX(shape, tt.starts, tt.ends, tt.axes, tt.steps)
		if assert.NoError(t, err, tt.name) {
			assert.Equal(t, tt.want, w, tt.name)
		}
	}
}

func TestFromONNXTakesScalars(t *testing.T) {
	w, err := slice1.FromONNX(nil, nil, nil, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, window([]int{}, []int{}, []int{}, []int{}), w)
}

func TestFromONNXRefusesAnAxisNamedTwice(t *testing.T) {
	for _, tt := range []struct {
		axes           []int64
		axis           int
		got, firstFree int64
	}{
		{[]int64{0, 0}, 1, 0, 1},
		{[]int64{1, -1}, 1, -1, 0},
		{[]int64{-2, 1, 0}, 2, 0, -1},
	} {
		ones := []int64{1, 1, 1}[:len(tt.axes)]
		w, err := slice1.FromONNX([]int{3, 4}, ones, ones, tt.axes, nil)
		var de *slice1.DescError
		require.ErrorAs(t, err, &de)
		assert.ErrorIs(t, err, slice1.ErrRank)
		assert.Equal(t, "axes", de.Field)
		assert.Equal(t, []int64{int64(tt.axis), tt.got, tt.firstFree}, []int64{int64(de.Axis), de.Got, de.Limit})
		assert.ErrorContains(t, err, "an axis named twice")
		assert.Zero(t, w)
	}
}

func TestFromONNXReturnsEmptyResults(t *testing.T) {
	w, err := slice1.FromONNX([]int{3, 4}, []int64{0, 2}, []int64{3, 1}, nil, nil)
	requireDescError(t, err, fault{field: "Out", axis: 1, limit: 1, sentinel: slice1.ErrEmpty})
	assert.Equal(t, window([]int{0, 2}, []int{3, 0}, []int{1, 1}, []int{3, 0}), w)

	w, err = slice1.FromONNX([]int{3, 0}, nil, nil, nil, nil)
	requireDescError(t, err, fault{field: "Out", axis: 1, limit: 1, sentinel: slice1.ErrEmpty})
	assert.Equal(t, window([]int{0, 0}, []int{3, 0}, []int{1, 1}, []int{3, 0}), w)
}

// onnx returns the elements that ONNX's Slice takes of an axis of extent n. It follows the
// operator's text: from the clamped start, by step, as long as the clamped end is not reached.
func onnx(n, start, end, step int64) []int64 {
	elements := []int64{}
	if n == 0 {
		return elements
	}
	if start < 0 {
		start += n
	}
	if end < 0 {
		end += n
	}
	if step > 0 {
		start, end = min(max(start, 0), n), min(max(end, 0), n)
	} else {
		start, end = min(max(start, 0), n-1), min(max(end, -1), n-1)
	}
	for x := range n {
		if step < 0 {
			x = n - 1 - x
		}
		before := x >= start && x < end
		if step < 0 {
			before = x <= start && x > end
		}
		if before && (x-start)%step == 0 {
			elements = append(elements, x)
		}
	}
	return elements
}

func TestFromONNXTakesWhatTheOperatorTakes(t *testing.T) {
	bounds := []int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64 - 1, math.MaxInt64}
	for i := int64(-8); i <= 8; i++ {
		bounds = append(bounds, i)
	}
	steps := []int64{math.MinInt64, -4, -3, -2, -1, 1, 2, 3, 4, math.MaxInt64}
	for n := range 7 {
		for _, start := range bounds {
			for _, end := range bounds {
				for _, step := range steps {
					want := onnx(int64(n), start, end, step)
					w, err := slice1.FromONNX([]int{n}, []int64{start}, []int64{end}, nil, []int64{step})
					at := []int64{int64(n), start, end, step}
					require.Equal(t, len(want) == 0, errors.Is(err, slice1.ErrEmpty), at)
					require.True(t, err == nil || len(want) == 0, at)
					require.Equal(t, want, taken(w, 0), at)
					assertInside(t, w, []int{n})
				}
			}
		}
	}
}

// ONNX Runtime reads an end of exactly 2^31-1 or 2^63-1 with a negative step as one before element
// 0. Here it is ErrEmpty, as ONNX's text says, and the error says so for every start, step, extent
// and axis. What it says to write instead takes what the runtime takes. Numbers beside these two,
// and positive steps, are nothing special.
func TestFromONNXSaysWhatONNXRuntimeReads(t *testing.T) {
	const hint = "and a negative step; ONNX Runtime goes through element 0, as an end of math.MinInt64 does"
	starts := []int64{math.MinInt64, -9, -5, -3, -1, 0, 1, 2, 4, 9, math.MaxInt32, math.MaxInt64}
	steps := []int64{-1, -2, -3, -9, math.MinInt32, math.MinInt64}
	hinted := 0
	for extent := range 6 {
		for axis := range 2 {
			shape := []int{3, 3}
			shape[axis] = extent
			for _, start := range starts {
				for _, step := range steps {
					of := func(end int64) (slice1.Window, error) {
						return slice1.FromONNX(shape, []int64{start}, []int64{end}, []int64{int64(axis) - 2*(start&1)}, []int64{step})
					}
					for _, end := range []int64{math.MaxInt32, math.MaxInt64} {
						w, err := of(end)
						require.ErrorIs(t, err, slice1.ErrEmpty)
						require.Zero(t, w.Out[axis])
						require.Equal(t, extent > 0, strings.Contains(err.Error(), hint), err)
						if extent > 0 {
							require.ErrorContains(t, err, fmt.Sprintf("axis %d: nothing selected by ends[0] of %d ", axis, end))
							hinted++
						}
					}
					for _, end := range []int64{math.MaxInt32 - 1, math.MaxInt32 + 1, math.MaxInt64 - 1} {
						_, err := of(end)
						require.ErrorIs(t, err, slice1.ErrEmpty)
						require.NotContains(t, err.Error(), "ONNX Runtime")
					}
					w, err := of(math.MinInt64)
					if extent == 0 {
						require.ErrorIs(t, err, slice1.ErrEmpty)
						continue
					}
					require.NoError(t, err)
					first := start
					if first < 0 {
						first += int64(extent)
					}
					first = min(max(first, 0), int64(extent)-1)
					var want []int // what the runtime takes, from the first element through element 0
					for at := first; at >= 0; at += max(step, -9) {
						want = append(want, int(at))
					}
					var got []int
					for k := range w.Out[axis] {
						got = append(got, w.Offsets[axis]+w.Sizes[axis]-1+k*max(w.Strides[axis], -9))
					}
					require.Equal(t, want, got, "start %d, step %d, extent %d", start, step, extent)
				}
			}
			w, err := slice1.FromONNX([]int{5, 5}, []int64{1}, []int64{math.MaxInt64}, nil, []int64{2})
			require.NoError(t, err)
			require.Equal(t, 2, w.Out[0])
		}
	}
	require.Equal(t, 5*2*len(starts)*len(steps)*2, hinted)
}
