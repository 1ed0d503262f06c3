package slice1_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

func TestParseIndexPointsAtTheError(t *testing.T) {
	const (
		item   = `expected an integer, a slice, "..." or None`
		more   = `expected "," or "]"`
		open   = `expected "," or the end`
		number = "not a decimal integer"
		zero   = "slice step must not be 0"
	)
	nines := strings.Repeat("9", 30)
	tests := []struct {
		expr           string
		column, length int
		msg            string
		err            error
	}{
		{"", 0, 1, item, nil},
		{" \t", 2, 1, item, nil},
		{"[]", 1, 1, item, nil},
		{"[", 1, 1, item, nil},
		{"]", 0, 1, item, nil},
		{",", 0, 1, item, nil},
		{"[,]", 1, 1, item, nil},
		{"0,,", 2, 1, item, nil},
		{"[0, ,1]", 4, 1, item, nil},
		{"[0", 2, 1, more, nil},
		{"[0,", 3, 1, item, nil},
		{"0,]", 2, 1, item, nil},
		{"0]", 1, 1, open, nil},
		{"[0]]", 3, 1, "expected the end", nil},
		{"[0][1]", 3, 1, "expected the end", nil},
		{"[0] abc", 4, 3, "expected the end", nil},
		{"[[0]]", 1, 1, item, nil},
		{"[()]]", 4, 1, "expected the end", nil},
		{"[(),]", 3, 1, `expected "]"`, nil},
		{"(),", 2, 1, "expected the end", nil},
		{"(1)", 1, 1, `expected ")"`, nil},
		{"0,()", 2, 1, item, nil},

		{"1 2", 2, 1, open, nil},
		{"None 2", 5, 1, open, nil},
		{"1:None None", 7, 4, open, nil},
		{"1:2:3:4", 5, 1, open, nil},
		{":::", 2, 1, open, nil},
		{"1+1", 1, 1, open, nil},
		{"--1", 1, 1, "expected an integer", nil},
		{"[- None]", 3, 4, "expected an integer", nil},
		{"1:-", 3, 1, "expected an integer", nil},
		{"[+]", 2, 1, "expected an integer", nil},
		{"....", 3, 1, open, nil},
		{". . .", 0, 1, item, nil},
		{"..", 0, 1, item, nil},
		{":...", 1, 3, open, nil},

		{"True", 0, 4, item, nil},
		{"none", 0, 4, item, nil},
		{"[0, np.nan]", 4, 2, item, nil},
		{"[np.newaxis2]", 1, 11, item, nil},
		{"[np.newaxis.x]", 1, 12, item, nil},
		{"[..., Ellipsis]", 6, 8, `"..." may come only once`, nil},
		{"_1", 0, 2, item, nil},
		{"NoneNone", 0, 8, item, nil},
		{"0, x_9, 1", 3, 3, item, nil},
		{"1:b", 2, 1, open, nil},
		{".5", 0, 1, item, nil},
		{"01", 0, 2, number, nil},
		{"-0_7", 1, 3, number, nil},
		{"[0, 1__0]", 4, 4, number, nil},
		{"1_", 0, 2, number, nil},
		{"0x10", 0, 4, number, nil},
		{"1:1e3", 2, 3, number, nil},
		{"::1.5", 2, 3, number, nil},
		{"1None", 0, 5, number, nil},
		{"1...", 0, 4, number, nil},

		{"0;1", 1, 1, open, nil},
		{"[0\x00]", 2, 1, more, nil},
		{"\v0", 0, 1, item, nil},
		{"0, \xff", 3, 1, item, nil},
		{"0, é", 3, 2, item, nil},
		{"０", 0, 3, item, nil},
		{"1\xc3", 1, 1, open, nil},
		{"0,\u00a01", 2, 2, item, nil},

		{"[::0]", 3, 1, zero, slice1.ErrStride},
		{"1:2: - 00 ,", 5, 4, zero, slice1.ErrStride},
		{"..., ::+0", 7, 2, zero, slice1.ErrStride},
		{"3", 0, 1, "integer outside axis 0 of extent 3", slice1.ErrWindow},
		{"[:, -5 ]", 4, 2, "integer outside axis 1 of extent 4", slice1.ErrWindow},
		{"..., + 4,", 5, 3, "integer outside axis 1 of extent 4", slice1.ErrWindow},
		{"None," + nines, 5, 30, "integer outside axis 0 of extent 3", slice1.ErrWindow},
		{"-" + nines, 0, 31, "integer outside axis 0 of extent 3", slice1.ErrWindow},
		{"0,0,0,9", 4, 1, "too many indices for 2 axes", slice1.ErrRank},
		{"0, ..., :, 1 : 2 ,3", 11, 5, "too many indices for 2 axes", slice1.ErrRank},
		{"::, ::, ::", 8, 2, "too many indices for 2 axes", slice1.ErrRank},
		{"[..., 0, ...]", 9, 3, `"..." may come only once`, nil},
		{strings.Repeat("None,", 63), 310, 4, "the result has 65 axes, at most 64 are allowed", slice1.ErrRank},
		{strings.Repeat("None,", 64) + "0", 315, 4, "the result has 65 axes, at most 64 are allowed", slice1.ErrRank},
	}
	for _, tt := range tests {
		w, outShape, err := slice1.ParseIndex(tt.expr, []int{3, 4})
		want := &slice1.IndexError{Expr: tt.expr, Column: tt.column, Length: tt.length, Msg: tt.msg, Err: tt.err}
		assert.Equal(t, want, err, "%q", tt.expr)
		assert.ErrorIs(t, err, slice1.ErrSyntax)
		if tt.err != nil {
			assert.ErrorIs(t, err, tt.err)
		}
		assert.Zero(t, w)
		assert.Nil(t, outShape)
	}
}

func TestIndexErrorCountsColumnsFromOne(t *testing.T) {
	_, _, err := slice1.ParseIndex("[::0]", []int{3})
	assert.EqualError(t, err, `slice1: index "[::0]": column 4: slice step must not be 0`)
	_, _, err = slice1.ParseIndex("[0,\x00\xff]", []int{3})
	assert.EqualError(t, err, `slice1: index "[0,\x00\xff]": column 4: expected an integer, a slice, "..." or None`)
}

func TestParseIndexAllowsAsManyAxesAsNumPy(t *testing.T) {
	for _, expr := range []string{
		strings.Repeat("None,", 62),
		strings.Repeat("None,", 64) + "0,0",
		"0," + strings.Repeat("newaxis,", 63),
	} {
		_, outShape, err := slice1.ParseIndex(expr, []int{3, 4})
		require.NoError(t, err, expr)
		assert.Len(t, outShape, 64)
	}
}

func TestFrontEndsRefuseBadShapes(t *testing.T) {
	for _, tt := range []struct {
		shape []int
		want  *slice1.DescError
	}{
		{make([]int, 9), &slice1.DescError{Field: "Sizes", Axis: -1, Got: 9, Limit: 8, Err: slice1.ErrRank}},
		{[]int{1, -1}, &slice1.DescError{Field: "Sizes", Axis: 1, Got: -1, Limit: 0, Err: slice1.ErrSize}},
		{[]int{math.MinInt}, &slice1.DescError{Field: "Sizes", Axis: 0, Got: math.MinInt, Limit: 0, Err: slice1.ErrSize}},
	} {
		w, outShape, err := slice1.ParseIndex("...", tt.shape)
		assert.Equal(t, tt.want, err)
		assert.Zero(t, w)
		assert.Nil(t, outShape)

		w, err = slice1.FromONNX(tt.shape, nil, nil, nil, nil)
		assert.Equal(t, tt.want, err)
		assert.Zero(t, w)
	}
}
