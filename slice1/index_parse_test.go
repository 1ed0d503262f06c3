package slice1_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Messages of several errors.
const (
	needsItem    = `expected an integer, a slice, "..." or None`
	needsBracket = `expected "," or "]"`
	needsEnd     = `expected "," or the end`
	noNumber     = "not a decimal integer"
	zeroStep     = "slice step must not be 0"
	ofList       = "; lists and masks are no strided slices"
	ofName       = "; names are no numbers"
	ofRange      = "; a slice is first:end"
)

// nines is a number beyond 64 bits.
var nines = strings.Repeat("9", 30)

// badIndex is an index of an array of shape [3, 4], with the error and its place.
type badIndex struct {
	expr           string
	column, length int
	msg            string
	err            error
}

// badBrackets are brackets, commas and empty items.
var badBrackets = []badIndex{
	{"", 0, 1, needsItem, nil},
	{" \t", 2, 1, needsItem, nil},
	{"[]", 1, 1, needsItem, nil},
	{"[", 1, 1, needsItem, nil},
	{"]", 0, 1, needsItem, nil},
	{",", 0, 1, needsItem, nil},
	{"[,]", 1, 1, needsItem, nil},
	{"0,,", 2, 1, needsItem, nil},
	{"[0, ,1]", 4, 1, needsItem, nil},
	{"[0", 2, 1, needsBracket, nil},
	{"[0,", 3, 1, needsItem, nil},
	{"0,]", 2, 1, needsItem, nil},
	{"0]", 1, 1, needsEnd, nil},
	{"[0]]", 3, 1, "expected the end", nil},
	{"[0][1]", 3, 1, "expected the end", nil},
	{"[0] abc", 4, 3, "expected the end", nil},
	{"[[0]]", 1, 1, needsItem + ofList, nil},
	{"[0, [0, 2]]", 4, 1, needsItem + ofList, nil},
	{"[0[1]]", 2, 1, needsBracket, nil},
	{"[()]]", 4, 1, "expected the end", nil},
	{"[(),]", 3, 1, `expected "]"`, nil},
	{"(),", 2, 1, "expected the end", nil},
	{"(1)", 1, 1, `expected ")"`, nil},
	{"0,()", 2, 1, needsItem, nil},
}

// badItems are items that lack a part or have one too many.
var badItems = []badIndex{
	{"1 2", 2, 1, needsEnd, nil},
	{"None 2", 5, 1, needsEnd, nil},
	{"1:None None", 7, 4, needsEnd, nil},
	{"1:2:3:4", 5, 1, needsEnd, nil},
	{":::", 2, 1, needsEnd, nil},
	{"1+1", 1, 1, needsEnd + ofRange, nil},
	{"[0-3]", 2, 1, needsBracket + ofRange, nil},
	{"[n-3]", 1, 1, needsItem + ofName, nil},
	{"--1", 1, 1, "expected an integer", nil},
	{"[- None]", 3, 4, "expected an integer", nil},
	{"1:-", 3, 1, "expected an integer", nil},
	{"[+]", 2, 1, "expected an integer", nil},
	{"....", 3, 1, needsEnd, nil},
	{". . .", 0, 1, needsItem, nil},
	{"..", 0, 1, needsItem, nil},
	{":...", 1, 3, needsEnd, nil},
}

// badWords are words and numbers that Python or NumPy do not take here.
var badWords = []badIndex{
	{"True", 0, 4, needsItem + ofName, nil},
	{"none", 0, 4, needsItem + ofName, nil},
	{"[0, np.nan]", 4, 2, needsItem + ofName, nil},
	{"[np.newaxis2]", 1, 11, needsItem, nil},
	{"[np.newaxis.x]", 1, 12, needsItem, nil},
	{"[..., Ellipsis]", 6, 8, `"..." may come only once`, nil},
	{"_1", 0, 2, needsItem + ofName, nil},
	{"NoneNone", 0, 8, needsItem + ofName, nil},
	{"0, x_9, 1", 3, 3, needsItem + ofName, nil},
	{"1:b", 2, 1, needsEnd + ofName, nil},
	{"[:n]", 2, 1, needsBracket + ofName, nil},
	{"[-n]", 2, 1, "expected an integer" + ofName, nil},
	{".5", 0, 1, needsItem, nil},
	{"01", 0, 2, noNumber, nil},
	{"-0_7", 1, 3, noNumber, nil},
	{"[0, 1__0]", 4, 4, noNumber, nil},
	{"1_", 0, 2, noNumber, nil},
	{"0x10", 0, 4, noNumber, nil},
	{"1:1e3", 2, 3, noNumber, nil},
	{"::1.5", 2, 3, noNumber, nil},
	{"1None", 0, 5, noNumber, nil},
	{"1...", 0, 4, noNumber, nil},
}

// badBytes are indices with a byte or a character that no item has.
var badBytes = []badIndex{
	{"0;1", 1, 1, needsEnd, nil},
	{"[0\x00]", 2, 1, needsBracket, nil},
	{"\v0", 0, 1, needsItem, nil},
	{"0, \xff", 3, 1, needsItem, nil},
	{"0, é", 3, 2, needsItem, nil},
	{"０", 0, 3, needsItem, nil},
	{"1\xc3", 1, 1, needsEnd, nil},
	{"0,\u00a01", 2, 2, needsItem, nil},
}

// badValues are well-formed items that do not suit a shape of [3, 4].
var badValues = []badIndex{
	{"[::0]", 3, 1, zeroStep, slice1.ErrStride},
	{"1:2: - 00 ,", 5, 4, zeroStep, slice1.ErrStride},
	{"..., ::+0", 7, 2, zeroStep, slice1.ErrStride},
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

func TestParseIndexPointsAtTheError(t *testing.T) {
	for _, tt := range slices.Concat(badBrackets, badItems, badWords, badBytes, badValues) {
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
		{make([]int, 9), &slice1.DescError{Field: "shape", Axis: -1, Got: 9, Limit: 8, Err: slice1.ErrRank}},
		{[]int{1, -1}, &slice1.DescError{Field: "shape", Axis: 1, Got: -1, Limit: 0, Err: slice1.ErrSize}},
		{[]int{math.MinInt}, &slice1.DescError{Field: "shape", Axis: 0, Got: math.MinInt, Limit: 0, Err: slice1.ErrSize}},
	} {
		w, outShape, err := slice1.ParseIndex("...", tt.shape)
		requireDescError(t, err, fault{field: tt.want.Field, axis: tt.want.Axis, got: tt.want.Got, limit: tt.want.Limit, sentinel: tt.want.Err})
		assert.Zero(t, w)
		assert.Nil(t, outShape)

		w, err = slice1.FromONNX(tt.shape, nil, nil, nil, nil)
		requireDescError(t, err, fault{field: tt.want.Field, axis: tt.want.Axis, got: tt.want.Got, limit: tt.want.Limit, sentinel: tt.want.Err})
		assert.Zero(t, w)
	}
}
