package slice1_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

func window(offsets, sizes, strides, out []int) slice1.Window {
	return slice1.Window{Offsets: offsets, Sizes: sizes, Strides: strides, Out: out}
}

// taken returns the elements of an axis that w reads, in output order.
func taken(w slice1.Window, axis int) []int64 {
	elements := []int64{}
	first := int64(w.Offsets[axis])
	if w.Strides[axis] < 0 {
		first += int64(w.Sizes[axis]) - 1
	}
	for k := range w.Out[axis] {
		elements = append(elements, first+int64(w.Strides[axis])*int64(k))
	}
	return elements
}

// assertInside asserts that a descriptor of an input of the given shape may have the window, but
// that axes of the window may be empty.
func assertInside(t *testing.T, w slice1.Window, shape []int) {
	t.Helper()
	for _, part := range [][]int{w.Offsets, w.Sizes, w.Strides, w.Out} {
		require.Len(t, part, len(shape))
	}
	for axis, n := range shape {
		assert.GreaterOrEqual(t, w.Offsets[axis], 0)
		assert.GreaterOrEqual(t, w.Sizes[axis], 0)
		assert.LessOrEqual(t, w.Sizes[axis], n-w.Offsets[axis])
		assert.NotZero(t, w.Strides[axis])
		assert.Equal(t, w.Sizes[axis] == 0, w.Out[axis] == 0)
		for _, i := range taken(w, axis) {
			assert.GreaterOrEqual(t, i, int64(w.Offsets[axis]))
			assert.Less(t, i, int64(w.Offsets[axis]+w.Sizes[axis]))
		}
	}
}

func TestParseIndexReadsBasicIndexing(t *testing.T) {
	whole := window([]int{0, 0, 0}, []int{4, 5, 6}, []int{1, 1, 1}, []int{4, 5, 6})
	turned := window([]int{0, 0, 0}, []int{4, 5, 6}, []int{2, -1, 1}, []int{2, 5, 6})
	row := window([]int{1, 0, 0}, []int{1, 5, 6}, []int{1, 1, 1}, []int{1, 5, 6})
	tests := []struct {
		expr  string
		want  slice1.Window
		shape []int
	}{
		{"()", whole, []int{4, 5, 6}},
		{" [ ( ) ] ", whole, []int{4, 5, 6}},
		{"...", whole, []int{4, 5, 6}},
		{":", whole, []int{4, 5, 6}},
		{"::", whole, []int{4, 5, 6}},
		{"None:None:None", whole, []int{4, 5, 6}},
		{":,:,:,...,", whole, []int{4, 5, 6}},
		{"-99:99", whole, []int{4, 5, 6}},

		{"[::2, ::-1]", turned, []int{2, 5, 6}},
		{"::2,::-1", turned, []int{2, 5, 6}},
		{"\t[\n: : +2 ,\r\n\f:newaxis:- 1 , ... , ] ", turned, []int{2, 5, 6}},
		{"00:4:2, 0_0:5_0:1, 00_0:1_000", window([]int{0, 0, 0}, []int{4, 5, 6}, []int{2, 1, 1}, []int{2, 5, 6}), []int{2, 5, 6}},

		{"1", row, []int{5, 6}},
		{"+1,", row, []int{5, 6}},
		{"-3", row, []int{5, 6}},
		{"1,...", row, []int{5, 6}},
		{"-4,4,-1", window([]int{0, 4, 5}, []int{1, 1, 1}, []int{1, 1, 1}, []int{1, 1, 1}), []int{}},
		{"...,2", window([]int{0, 0, 2}, []int{4, 5, 1}, []int{1, 1, 1}, []int{4, 5, 1}), []int{4, 5}},
		{"1,...,2", window([]int{1, 0, 2}, []int{1, 5, 1}, []int{1, 1, 1}, []int{1, 5, 1}), []int{5}},

		{"None", whole, []int{1, 4, 5, 6}},
		{"newaxis,...,None", whole, []int{1, 4, 5, 6, 1}},
		{":,None,:,newaxis", whole, []int{4, 1, 5, 1, 6}},
		{"None,1,None", row, []int{1, 1, 5, 6}},

		{"1:3", window([]int{1, 0, 0}, []int{2, 5, 6}, []int{1, 1, 1}, []int{2, 5, 6}), []int{2, 5, 6}},
		{"...,1:6:2", window([]int{0, 0, 1}, []int{4, 5, 5}, []int{1, 1, 2}, []int{4, 5, 3}), []int{4, 5, 3}},
		{"...,4:0:-3", window([]int{0, 0, 1}, []int{4, 5, 4}, []int{1, 1, -3}, []int{4, 5, 2}), []int{4, 5, 2}},
		{"...,-2::-2", window([]int{0, 0, 0}, []int{4, 5, 5}, []int{1, 1, -2}, []int{4, 5, 3}), []int{4, 5, 3}},
	}
	for _, tt := range tests {
		w, shape, err := slice1.ParseIndex(tt.expr, []int{4, 5, 6})
		if assert.NoError(t, err, tt.expr) {
			assert.Equal(t, tt.want, w, tt.expr)
			assert.Equal(t, tt.shape, shape, tt.expr)
		}
	}
}

func TestParseIndexTakesScalars(t *testing.T) {
	none := window([]int{}, []int{}, []int{}, []int{})
	for expr, want := range map[string][]int{
		"()": {}, "[...]": {}, "...,": {}, "None": {1}, "None, ..., newaxis": {1, 1}, "np.newaxis, Ellipsis": {1},
	} {
		w, shape, err := slice1.ParseIndex(expr, nil)
		require.NoError(t, err, expr)
		assert.Equal(t, none, w, expr)
		assert.Equal(t, want, shape, expr)
	}
}

func TestParseIndexTakesNumbersOfAnyLength(t *testing.T) {
	nines := strings.Repeat("9", 1000)
	one := window([]int{0}, []int{3}, []int{math.MaxInt}, []int{1})
	last := window([]int{0}, []int{3}, []int{math.MinInt}, []int{1})
	all := window([]int{0}, []int{3}, []int{1}, []int{3})
	for expr, want := range map[string]slice1.Window{
		"::9223372036854775807":    one,
		"::9223372036854775808":    one,
		"::" + nines:               one,
		"::-9223372036854775808":   last,
		"::-9223372036854775809":   last,
		"::-" + nines:              last,
		"-" + nines + ":" + nines:  all,
		"-9223372036854775808:":    all,
		":9223372036854775807":     all,
		":18446744073709551616":    all,
		nines + ":-" + nines:       window([]int{3}, []int{0}, []int{1}, []int{0}),
		"::-" + nines[:1] + nines:  last,
		"-9223372036854775808::-1": window([]int{0}, []int{0}, []int{-1}, []int{0}),
	} {
		w, _, err := slice1.ParseIndex(expr, []int{3})
		if want.Out[0] == 0 {
			assert.ErrorIs(t, err, slice1.ErrEmpty, expr)
		} else {
			assert.NoError(t, err, expr)
		}
		assert.Equal(t, want, w, expr)
	}
	for _, expr := range []string{nines, "-" + nines, "9223372036854775808", "-9223372036854775809"} {
		_, _, err := slice1.ParseIndex(expr, []int{math.MaxInt})
		assert.ErrorIs(t, err, slice1.ErrWindow, expr)
	}

	w, _, err := slice1.ParseIndex(fmt.Sprintf("%d, -%d, ::-2", math.MaxInt-1, math.MaxInt), []int{math.MaxInt, math.MaxInt, math.MaxInt})
	require.NoError(t, err)
	assert.Equal(t, window(
		[]int{math.MaxInt - 1, 0, 0}, []int{1, 1, math.MaxInt}, []int{1, 1, -2}, []int{1, 1, math.MaxInt/2 + 1}), w)
}

func TestParseIndexAllocatesNoMoreForLongNumbers(t *testing.T) {
	allocs := func(expr string) float64 {
		return testing.AllocsPerRun(10, func() {
			if _, _, err := slice1.ParseIndex(expr, []int{3}); err != nil {
				t.Error(err)
			}
		})
	}
	assert.Equal(t, allocs(":9"), allocs(":"+strings.Repeat("9", 1<<16)))
}

// python returns list(range(n))[start:stop:step]; nil stands for a missing part.
func python(n int64, start, stop *int64, step int64) []int64 {
	fromEnd := func(i *int64) int64 {
		if *i < 0 {
			return *i + n
		}
		return *i
	}
	elements := []int64{}
	steps := int64(0)
	for k := range n {
		x := k
		if step < 0 {
			x = n - 1 - k
		}
		if start != nil && (step > 0 && x < fromEnd(start) || step < 0 && x > fromEnd(start)) {
			continue
		}
		if stop != nil && (step > 0 && x >= fromEnd(stop) || step < 0 && x <= fromEnd(stop)) {
			continue
		}
		if steps%step == 0 {
			elements = append(elements, x)
		}
		steps++
	}
	return elements
}

func TestParseIndexTakesWhatPythonTakes(t *testing.T) {
	bounds := []*int64{nil}
	for i := int64(-8); i <= 8; i++ {
		bounds = append(bounds, &i)
	}
	text := func(i *int64) string {
		if i == nil {
			return ""
		}
		return strconv.FormatInt(*i, 10)
	}
	for n := range 7 {
		for _, start := range bounds {
			for _, stop := range bounds {
				for step := int64(-4); step <= 4; step++ {
					if step == 0 {
						continue
					}
					expr := fmt.Sprintf("%s:%s:%d", text(start), text(stop), step)
					want := python(int64(n), start, stop, step)
					w, shape, err := slice1.ParseIndex(expr, []int{n})
					require.Equal(t, len(want) == 0, errors.Is(err, slice1.ErrEmpty), expr)
					require.True(t, err == nil || len(want) == 0, expr)
					require.Equal(t, []int{len(want)}, shape, expr)
					require.Equal(t, want, taken(w, 0), expr)
					assertInside(t, w, []int{n})
				}
			}
		}
	}
}

func TestParseIndexReturnsEmptyResults(t *testing.T) {
	tests := []struct {
		expr     string
		shape    []int
		axis     int
		want     slice1.Window
		outShape []int
	}{
		{"2:2", []int{3}, 0, window([]int{2}, []int{0}, []int{1}, []int{0}), []int{0}},
		{"9:", []int{3}, 0, window([]int{3}, []int{0}, []int{1}, []int{0}), []int{0}},
		{"0:1:-2", []int{3}, 0, window([]int{2}, []int{0}, []int{-2}, []int{0}), []int{0}},
		{"None, 1, :0", []int{3, 4}, 1, window([]int{1, 0}, []int{1, 0}, []int{1, 1}, []int{1, 0}), []int{1, 0}},
		{"...", []int{2, 0}, 1, window([]int{0, 0}, []int{2, 0}, []int{1, 1}, []int{2, 0}), []int{2, 0}},
		{"::-1", []int{0}, 0, window([]int{0}, []int{0}, []int{-1}, []int{0}), []int{0}},
	}
	for _, tt := range tests {
		w, outShape, err := slice1.ParseIndex(tt.expr, tt.shape)
		requireDescError(t, err, fault{field: "Out", axis: tt.axis, limit: 1, sentinel: slice1.ErrEmpty})
		require.EqualError(t, err, fmt.Sprintf("slice1: index %q: axis %d: nothing selected", tt.expr, tt.axis))
		assert.NotErrorIs(t, err, slice1.ErrSyntax)
		assert.Equal(t, tt.want, w, tt.expr)
		assert.Equal(t, tt.outShape, outShape, tt.expr)
	}
}

func TestParseIndexQuotesTheTextInEveryError(t *testing.T) {
	long := strings.Repeat("9", 50000)
	for _, c := range []struct {
		expr  string
		shape []int
		want  string
	}{
		{"[1:]", []int{-2}, `slice1: index "[1:]": shape[0] is -2, must be at least 0`},
		{"[1:]", make([]int, 9), `slice1: index "[1:]": shape has 9 entries, must have 0 to 8`},
		{"1:1", []int{2}, `slice1: index "1:1": axis 0: nothing selected`},
		{"x", []int{2}, `slice1: index "x": column 1: expected`},
		{long, []int{2}, `slice1: index "` + long[:40] + `"...: column 1: integer outside axis 0 of extent 2`},
		{long + ",x", []int{2}, `slice1: index ..."` + long[:39] + `,x": column 50002: expected`},
	} {
		_, _, err := slice1.ParseIndex(c.expr, c.shape)
		require.ErrorContains(t, err, c.want)
		require.Less(t, len(err.Error()), 300)
	}
}
