package slice1_test

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

type (
	half uint16
	mask bool
	wave complex64
	sign int8
)

func TestDataTypesOfElements(t *testing.T) {
	word := slice1.Uint64
	if strconv.IntSize == 32 {
		word = slice1.Uint32
	}
	for got, want := range map[slice1.DataType][]slice1.DataType{
		slice1.Int8:    {slice1.DataTypeOf[int8](), slice1.DataTypeOf[sign]()},
		slice1.Int16:   {slice1.DataTypeOf[int16]()},
		slice1.Int32:   {slice1.DataTypeOf[int32]()},
		slice1.Int64:   {slice1.DataTypeOf[int64]()},
		slice1.Uint8:   {slice1.DataTypeOf[uint8](), slice1.DataTypeOf[bool](), slice1.DataTypeOf[mask]()},
		slice1.Uint16:  {slice1.DataTypeOf[uint16](), slice1.DataTypeOf[half]()},
		slice1.Uint32:  {slice1.DataTypeOf[uint32]()},
		slice1.Uint64:  {slice1.DataTypeOf[uint64](), slice1.DataTypeOf[complex64](), slice1.DataTypeOf[wave]()},
		slice1.Float32: {slice1.DataTypeOf[float32]()},
		slice1.Float64: {slice1.DataTypeOf[float64]()},
		word:           {slice1.DataTypeOf[int](), slice1.DataTypeOf[uint]()},
	} {
		for _, w := range want {
			assert.Equal(t, got, w)
		}
	}
}

func reversed[T slice1.Element](t *testing.T, src ...T) []T {
	t.Helper()
	dst := make([]T, len(src))
	d := reversal(slice1.DataTypeOf[T](), len(src))
	require.NoError(t, slice1.Copy(dst, src, d))
	again := make([]T, len(src))
	require.NoError(t, slice1.Run(slice1.Runner(newPlan(t, d)), again, src))
	assert.Equal(t, dst, again)
	clear(again)
	require.NoError(t, slice1.Run[T](other{newPlan(t, d)}, again, src))
	assert.Equal(t, dst, again)
	return dst
}

// other is a Runner that is not a *Plan.
type other struct{ slice1.Runner }

func TestEveryKindOfElementMoves(t *testing.T) {
	assert.Equal(t, []int{3, -2, 1}, reversed(t, 1, -2, 3))
	assert.Equal(t, []uint{3, 2, 1}, reversed[uint](t, 1, 2, 3))
	assert.Equal(t, []bool{true, false, false}, reversed(t, false, false, true))
	assert.Equal(t, []complex64{3i, 2}, reversed(t, complex64(2), 3i))
	assert.Equal(t, []mask{true, false}, reversed[mask](t, false, true))
	assert.Equal(t, []half{7, 6}, reversed[half](t, 6, 7))
}

func TestRunnersAreHeldToTheirDataType(t *testing.T) {
	p := newPlan(t, reversal(slice1.Float32, 2))
	short := make([]uint16, 2)
	for _, r := range []slice1.Runner{p, other{p}} {
		require.ErrorIs(t, slice1.Run(r, short, make([]uint16, 2)), slice1.ErrDataType)
	}
	assert.Equal(t, make([]uint16, 2), short)
}

func TestBytesOfAnyType(t *testing.T) {
	dst := make([]byte, 4)
	require.NoError(t, slice1.CopyBytes(dst, []byte("abcd"), reversal(slice1.Uint16, 2)))
	assert.Equal(t, "cdab", string(dst))
	require.ErrorIs(t, slice1.CopyBytes(dst[:3], []byte("abcd"), reversal(slice1.Uint16, 2)), slice1.ErrBuffer)
	require.ErrorIs(t, slice1.CopyBytes(dst, dst, nil), slice1.ErrRank)
}

// A plan that NewPlan did not make refuses to run, and its methods return zero values.
func TestPlansThatNobodyMade(t *testing.T) {
	for _, p := range []*slice1.Plan{nil, new(slice1.Plan)} {
		for _, err := range []error{
			p.Run(nil, nil), p.Run(make([]byte, 9), make([]byte, 9)), p.RunAt(nil, nil), p.RunAt(nil, nil, 1, 2), p.RunContext(context.Background(), nil, nil),
			slice1.Run[int8, int8](p, nil, nil), slice1.RunAt[int8, int8](p, nil, nil), slice1.Run[int8, int8](nil, nil, nil), p.Check(nil, nil), p.CheckAt(nil, nil),
		} {
			require.ErrorIs(t, err, slice1.ErrPlan)
		}
		assert.Zero(t, p.SrcType())
		assert.Empty(t, p.Kernel())
		assert.NotEmpty(t, p.String())
		assert.Empty(t, p.Candidates())
	}
}

func TestTypesAndLevelsAreText(t *testing.T) {
	for want := slice1.Float32; want <= slice1.Int64; want++ {
		text, err := want.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, want.String(), string(text))
		var got slice1.DataType
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, want, got)
	}
	for want, text := range map[slice1.FeatureLevel]string{
		slice1.FeatureLevel1_0: "1.0", slice1.FeatureLevel2_1: "2.1", slice1.FeatureLevel6_4: "6.4", 0xFF00: "15.15",
	} {
		assert.Equal(t, text, want.String())
		written, err := want.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, text, string(written))
		var got slice1.FeatureLevel
		require.NoError(t, got.UnmarshalText(written))
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "float", "Float32", "float32 ", "DataType(3)", "1"} {
		got := slice1.Int8
		require.ErrorIs(t, got.UnmarshalText([]byte(text)), slice1.ErrDataType, text)
		assert.Equal(t, slice1.Int8, got)
	}
	for _, text := range []string{"", "2", "2.", "02.1", "0.1", "16.0", "2.16", "2.1 ", "FeatureLevel(8449)"} {
		got := slice1.FeatureLevel2_1
		require.ErrorIs(t, got.UnmarshalText([]byte(text)), slice1.ErrSyntax, text)
		assert.Equal(t, slice1.FeatureLevel2_1, got)
	}
	for _, unknown := range []slice1.FeatureLevel{0, 0x0100, 0x2101, 0x12100, 1 << 31} {
		_, err := unknown.MarshalText()
		require.ErrorIs(t, err, slice1.ErrSyntax)
		assert.Contains(t, unknown.String(), "FeatureLevel(")
	}
	_, err := slice1.DataType(12).MarshalText()
	require.ErrorIs(t, err, slice1.ErrDataType)
}

func TestDescriptorsAreJSON(t *testing.T) {
	d := valid()
	d.Output.Strides, d.Input.TotalSize, d.Output.BaseAlign = nil, 480, 16
	text, err := json.Marshal(d)
	require.NoError(t, err)
	assert.Equal(t, `{"Input":{"DataType":"float32","Sizes":[2,3,4,5],"Strides":[60,20,5,1],"TotalSize":480},`+
		`"Output":{"DataType":"float32","Sizes":[2,2,2,2],"BaseAlign":16},`+
		`"WindowOffsets":[0,1,0,1],"WindowSizes":[2,2,4,4],"WindowStrides":[1,-1,3,-2]}`, string(text))
	got := new(slice1.Desc)
	require.NoError(t, json.Unmarshal(text, got))
	assert.Equal(t, d, got)
	_, err = json.Marshal(new(slice1.Desc))
	require.ErrorIs(t, err, slice1.ErrDataType)
	// Empty strides, which Validate refuses, do not become nil strides.
	d.Input.Strides = []int{}
	text, err = json.Marshal(d)
	require.NoError(t, err)
	got = new(slice1.Desc)
	require.NoError(t, json.Unmarshal(text, got))
	assert.Equal(t, d, got)
}

func TestCheckIsRunWithoutWriting(t *testing.T) {
	p := newPlan(t, reversal(slice1.Uint8, 4))
	memory := []byte("abcdefgh")
	require.NoError(t, p.Check(memory[4:], memory))
	require.ErrorIs(t, p.Check(memory[3:], memory), slice1.ErrOverlap)
	require.ErrorIs(t, p.Check(memory[5:], memory), slice1.ErrBuffer)
	require.NoError(t, p.CheckAt(memory[4:], memory, 0))
	require.ErrorIs(t, p.CheckAt(memory[3:], memory, 0), slice1.ErrOverlap)
	require.ErrorIs(t, p.CheckAt(memory[4:], memory, 5), slice1.ErrWindow)
	require.ErrorIs(t, p.CheckAt(memory[4:], memory), slice1.ErrRank)
	assert.Equal(t, "abcdefgh", string(memory))
}

func TestDescriptorsAreTextForPeople(t *testing.T) {
	d := valid()
	d.Output.Strides = nil
	assert.Equal(t, "float32 [2 3 4 5] strides [60 20 5 1] window 0+2/1,1+2/-1,0+4/3,1+4/-2 to [2 2 2 2]", d.String())
	d.WindowSizes = d.WindowSizes[:1]
	assert.Equal(t, "float32 [2 3 4 5] strides [60 20 5 1] window 0+2/1 to [2 2 2 2]", d.String())
	assert.Equal(t, "nil descriptor", (*slice1.Desc)(nil).String())
}

// The command's -explain -json prints the same JSON.
func TestJobsOfTheCommandAreDescriptors(t *testing.T) {
	var d slice1.Desc
	require.NoError(t, json.Unmarshal([]byte(`{"Input": {"DataType": "uint8", "Sizes": [48, 64]}, "Output": {"DataType": "uint8", "Sizes": [32, 32]},
		"WindowOffsets": [8, 0], "WindowSizes": [32, 64], "WindowStrides": [1, -2], "Shape": [32, 32], "Explain": {"Kernel": "go", "Nest": ["for 32"]}}`), &d))
	w, _, err := slice1.ParseIndex("8:40, ::-2", []int{48, 64})
	require.NoError(t, err)
	assert.Equal(t, slice1.NewDesc(slice1.Uint8, []int{48, 64}, w), &d)
}

func TestSliceIsOneShot(t *testing.T) {
	src := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	for expr, want := range map[string]struct {
		data  []float32
		shape []int
	}{
		"[::-1, ::2]":          {[]float32{8, 10, 4, 6, 0, 2}, []int{3, 2}},
		"1":                    {[]float32{4, 5, 6, 7}, []int{4}},
		"[2, 3]":               {[]float32{11}, []int{}},
		"[..., newaxis, -1:]":  {[]float32{3, 7, 11}, []int{3, 1, 1}},
		"[3:]":                 {[]float32{}, []int{0, 4}},
		"[5:2, newaxis, ::-3]": {[]float32{}, []int{0, 1, 2}},
	} {
		data, shape, err := slice1.Slice(src, []int{3, 4}, expr)
		require.NoError(t, err, expr)
		assert.Equal(t, want.data, data, expr)
		assert.Equal(t, want.shape, shape, expr)
	}
	data, shape, err := slice1.Slice(src[5:], nil, "[None]")
	require.NoError(t, err)
	assert.Equal(t, []float32{5}, data)
	assert.Equal(t, []int{1}, shape)
	data[0] = 0
	assert.Equal(t, float32(5), src[5], "dst is new")
	data, shape, err = slice1.Slice([]float32{}, []int{0, 4}, "[:, ::2]")
	require.NoError(t, err)
	assert.Empty(t, data)
	assert.Equal(t, []int{0, 2}, shape)
}

func TestSliceErrors(t *testing.T) {
	for _, c := range []struct {
		shape []int
		expr  string
		want  error
	}{
		{[]int{3, 4}, "[::2]", slice1.ErrBuffer},
		{nil, "()", nil},
		{[]int{11}, "[1", slice1.ErrSyntax},
		{[]int{11}, "[11]", slice1.ErrWindow},
		{[]int{-1}, "[:]", slice1.ErrSize},
		{make([]int, 9), "[:]", slice1.ErrRank},
		{[]int{math.MaxInt, math.MaxInt}, "[:2]", slice1.ErrOverflow},
		{[]int{math.MaxInt/4 - 1}, "[:2]", slice1.ErrBuffer},
	} {
		data, shape, err := slice1.Slice(make([]uint32, 11), c.shape, c.expr)
		require.ErrorIs(t, err, c.want, c)
		if c.want != nil {
			assert.Nil(t, data)
			assert.Nil(t, shape)
		}
	}
	_, _, err := slice1.Slice[uint16](nil, nil, "()")
	require.EqualError(t, err, "slice1: src has 0 bytes (0 elements), needs 2 (1)")
}

// pixel is a type defined as an array.
type pixel [4]uint8

func TestArraysAreElements(t *testing.T) {
	assert.Equal(t, []pixel{{3, 3}, {2, 2}, {1, 1}}, reversed(t, pixel{1, 1}, pixel{2, 2}, pixel{3, 3}))
	assert.Equal(t, [][2]uint8{{3, 4}, {1, 2}}, reversed(t, [2]uint8{1, 2}, [2]uint8{3, 4}))
	assert.Equal(t, [][8]uint8{{9}, {1}}, reversed(t, [8]uint8{1}, [8]uint8{9}))
	assert.Equal(t, [][2]uint16{{3, 4}, {1, 2}}, reversed(t, [2]uint16{1, 2}, [2]uint16{3, 4}))
	assert.Equal(t, [][4]uint16{{3, 4}, {1, 2}}, reversed(t, [4]uint16{1, 2}, [4]uint16{3, 4}))
	assert.Equal(t, [][2]uint32{{3, 4}, {1, 2}}, reversed(t, [2]uint32{1, 2}, [2]uint32{3, 4}))
	assert.Equal(t, [][2]float32{{3, 4}, {1, 2}}, reversed(t, [2]float32{1, 2}, [2]float32{3, 4}))
	assert.Equal(t, slice1.Uint16, slice1.DataTypeOf[[2]uint8]())
	assert.Equal(t, slice1.Uint32, slice1.DataTypeOf[pixel]())
	assert.Equal(t, slice1.Uint64, slice1.DataTypeOf[[2]float32]())
}
