package slice1_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// valid returns a descriptor that the CPU and every feature level accept.
func valid() *slice1.Desc {
	return &slice1.Desc{
		Input:         slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{2, 3, 4, 5}, Strides: []int{60, 20, 5, 1}},
		Output:        slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{2, 2, 2, 2}, Strides: []int{8, 4, 2, 1}},
		WindowOffsets: []int{0, 1, 0, 1}, WindowSizes: []int{2, 2, 4, 4}, WindowStrides: []int{1, -1, 3, -2},
	}
}

// fault is a change that breaks one rule of a descriptor, and the error that must name it.
type fault struct {
	name     string
	breakIt  func(d *slice1.Desc)
	field    string
	axis     int
	got      int64
	limit    int64
	sentinel error
}

// faults break each rule of Validate, except the limit of 63 bits. Their order is about the order
// in which Validate checks the rules.
var faults = []fault{
	{"no axes", func(d *slice1.Desc) { d.Input.Sizes = nil }, "Input.Sizes", -1, 0, 1, slice1.ErrRank},
	{"nine axes", func(d *slice1.Desc) { d.Input.Sizes = make([]int, 9) }, "Input.Sizes", -1, 9, 8, slice1.ErrRank},
	{"input strides of another rank", func(d *slice1.Desc) { d.Input.Strides = []int{1} }, "Input.Strides", -1, 1, 4, slice1.ErrRank},
	{"empty strides are not nil", func(d *slice1.Desc) { d.Input.Strides = []int{} }, "Input.Strides", -1, 0, 4, slice1.ErrRank},
	{"output of another rank", func(d *slice1.Desc) { d.Output.Sizes = []int{2, 2, 2} }, "Output.Sizes", -1, 3, 4, slice1.ErrRank},
	{"offsets of another rank", func(d *slice1.Desc) { d.WindowOffsets = nil }, "WindowOffsets", -1, 0, 4, slice1.ErrRank},
	{"window sizes of another rank", func(d *slice1.Desc) { d.WindowSizes = append(d.WindowSizes, 1) }, "WindowSizes", -1, 5, 4, slice1.ErrRank},
	{"window strides of another rank", func(d *slice1.Desc) { d.WindowStrides = d.WindowStrides[:2] }, "WindowStrides", -1, 2, 4, slice1.ErrRank},
	{"output strides of another rank", func(d *slice1.Desc) { d.Output.Strides = []int{8, 4, 2, 1, 1} }, "Output.Strides", -1, 5, 4, slice1.ErrRank},
	{"unknown input type", func(d *slice1.Desc) { d.Input.DataType = 0 }, "Input.DataType", -1, 0, 1, slice1.ErrDataType},
	{"4-bit input type", func(d *slice1.Desc) { d.Input.DataType = 12 }, "Input.DataType", -1, 12, 11, slice1.ErrDataType},
	{"output of another type", func(d *slice1.Desc) { d.Output.DataType = slice1.Int32 }, "Output.DataType", -1, 6, 1, slice1.ErrDataType},
	{"input extent 0", func(d *slice1.Desc) { d.Input.Sizes[2] = 0 }, "Input.Sizes", 2, 0, 1, slice1.ErrSize},
	{"negative input extent", func(d *slice1.Desc) { d.Input.Sizes[0] = -7 }, "Input.Sizes", 0, -7, 1, slice1.ErrSize},
	{"negative input stride", func(d *slice1.Desc) { d.Input.Strides[1] = -1 }, "Input.Strides", 1, -1, 0, slice1.ErrStride},
	{"output extent 0", func(d *slice1.Desc) { d.Output.Sizes[3] = 0 }, "Output.Sizes", 3, 0, 1, slice1.ErrSize},
	{"negative output stride", func(d *slice1.Desc) { d.Output.Strides[0] = -8 }, "Output.Strides", 0, -8, 0, slice1.ErrStride},
	{"negative offset", func(d *slice1.Desc) { d.WindowOffsets[1] = -1 }, "WindowOffsets", 1, -1, 0, slice1.ErrWindow},
	{"offset at the end", func(d *slice1.Desc) { d.WindowOffsets[1] = 3 }, "WindowOffsets", 1, 3, 2, slice1.ErrWindow},
	{"empty window", func(d *slice1.Desc) { d.WindowSizes[2] = 0 }, "WindowSizes", 2, 0, 1, slice1.ErrWindow},
	{"negative window", func(d *slice1.Desc) { d.WindowSizes[2] = -3 }, "WindowSizes", 2, -3, 1, slice1.ErrWindow},
	{"window past the end", func(d *slice1.Desc) { d.WindowSizes[3] = 5 }, "WindowSizes", 3, 5, 4, slice1.ErrWindow},
	{"window that would wrap", func(d *slice1.Desc) { d.WindowSizes[3] = math.MaxInt }, "WindowSizes", 3, math.MaxInt, 4, slice1.ErrWindow},
	{"window stride 0", func(d *slice1.Desc) { d.WindowStrides[0] = 0 }, "WindowStrides", 0, 0, 1, slice1.ErrStride},
	{"output larger than the window yields", func(d *slice1.Desc) { d.Output.Sizes[2] = 3 }, "Output.Sizes", 2, 3, 2, slice1.ErrOutput},
	{"output larger than a backward window yields", func(d *slice1.Desc) { d.Output.Sizes[3] = 3 }, "Output.Sizes", 3, 3, 2, slice1.ErrOutput},
	{"output of a most negative stride", func(d *slice1.Desc) { d.WindowStrides[2] = math.MinInt }, "Output.Sizes", 2, 2, 1, slice1.ErrOutput},
	{"input total too small", func(d *slice1.Desc) { d.Input.TotalSize = 479 }, "Input.TotalSize", -1, 479, 480, slice1.ErrTotalSize},
	{"input total negative", func(d *slice1.Desc) { d.Input.TotalSize = -1 }, "Input.TotalSize", -1, -1, 480, slice1.ErrTotalSize},
	{"input alignment 3", func(d *slice1.Desc) { d.Input.BaseAlign = 3 }, "Input.BaseAlign", -1, 3, 4, slice1.ErrAlign},
	{"input alignment 31", func(d *slice1.Desc) { d.Input.BaseAlign = 31 }, "Input.BaseAlign", -1, 31, 32, slice1.ErrAlign},
	{"input alignment 48", func(d *slice1.Desc) { d.Input.BaseAlign = 48 }, "Input.BaseAlign", -1, 48, 32, slice1.ErrAlign},
	{"input alignment negative", func(d *slice1.Desc) { d.Input.BaseAlign = -16 }, "Input.BaseAlign", -1, -16, 4, slice1.ErrAlign},
	{"output total too small", func(d *slice1.Desc) { d.Output.TotalSize = 63 }, "Output.TotalSize", -1, 63, 64, slice1.ErrTotalSize},
	{"output alignment 2", func(d *slice1.Desc) { d.Output.BaseAlign = 2 }, "Output.BaseAlign", -1, 2, 4, slice1.ErrAlign},
	{"output stride 0", func(d *slice1.Desc) { d.Output.Strides[1] = 0 }, "Output.Strides", 1, 0, 1, slice1.ErrOverlap},
	{"equal output strides", func(d *slice1.Desc) { d.Output.Strides[2] = 1 }, "Output.Strides", 3, 1, 2, slice1.ErrOverlap},
}

func requireDescError(t *testing.T, err error, f fault) {
	t.Helper()
	require.ErrorIs(t, err, f.sentinel, f.name)
	var place *slice1.DescError
	require.ErrorAs(t, err, &place, f.name)
	got := *place
	got.Err = nil
	assert.Equal(t, slice1.DescError{Field: f.field, Axis: f.axis, Got: f.got, Limit: f.limit}, got, f.name)
	assert.NotContains(t, err.Error(), "\n", f.name)
}

// Validate, NewPlan and Copy return the same error for each of faults, and nothing is written.
func TestEveryBrokenRuleIsNamed(t *testing.T) {
	for _, f := range faults {
		d := valid()
		f.breakIt(d)
		requireDescError(t, d.Validate(), f)
		_, err := slice1.NewPlan(d)
		requireDescError(t, err, f)
		dst, src := make([]float32, 16), make([]float32, 120)
		for i := range src {
			src[i] = 1
		}
		requireDescError(t, slice1.Copy(dst, src, d), f)
		assert.Equal(t, make([]float32, 16), dst, f.name)
	}
	require.NoError(t, valid().Validate())
}

// If two rules are broken, nothing panics and the error is about one of the two.
func TestOfTwoBrokenRulesTheFirstIsNamed(t *testing.T) {
	for i, first := range faults {
		for _, second := range faults[i+1:] {
			d := valid()
			second.breakIt(d)
			ranks := len(d.Input.Sizes) != 4 || len(d.WindowSizes) != 4 || len(d.WindowOffsets) != 4 || len(d.WindowStrides) != 4 ||
				len(d.Output.Sizes) != 4 || len(d.Input.Strides) != 4 || len(d.Output.Strides) != 4
			if ranks {
				continue // the first fault may index a slice that the second made too short
			}
			first.breakIt(d)
			err := d.Validate()
			var place *slice1.DescError
			require.ErrorAs(t, err, &place, "%s and %s", first.name, second.name)
			if place.Field == first.field && errors.Is(err, first.sentinel) {
				continue
			}
			// The first fault changed the field of the second, or the second is found before it.
			require.ErrorIs(t, err, second.sentinel, "%s and %s", first.name, second.name)
		}
	}
}

func TestValidateOfNothing(t *testing.T) {
	var d *slice1.Desc
	require.ErrorIs(t, d.Validate(), slice1.ErrRank)
	require.ErrorIs(t, d.ValidateFor(slice1.FeatureLevel6_4), slice1.ErrRank)
	_, err := slice1.NewPlan(nil)
	require.ErrorIs(t, err, slice1.ErrRank)
	require.ErrorIs(t, new(slice1.Desc).Validate(), slice1.ErrRank)
}

func TestSizesThatLeave63BitsAreRefused(t *testing.T) {
	big := math.MaxInt
	tensors := map[string]slice1.TensorDesc{
		"packed product": {DataType: slice1.Uint8, Sizes: []int{big, big, 4}},
		"packed bytes":   {DataType: slice1.Float64, Sizes: []int{big, big}},
	}
	if big > math.MaxInt32 {
		tensors["packed bytes by 8"] = slice1.TensorDesc{DataType: slice1.Float64, Sizes: []int{big/8 + 1}}
		tensors["strided reach"] = slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{big, 2}, Strides: []int{big, 1}}
		tensors["sum of reaches"] = slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{big/2 + 1, big/2 + 1, 5}, Strides: []int{2, 2, big}}
		tensors["strided bytes by 8"] = slice1.TensorDesc{DataType: slice1.Float64, Sizes: []int{3, big}, Strides: []int{big, big / 8}}
		size, err := slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{2, big}, Strides: []int{0, 1}}.MinSize()
		require.NoError(t, err)
		require.Equal(t, int64(math.MaxInt64), size)
	}
	for name, tensor := range tensors {
		_, err := tensor.MinSize()
		require.ErrorIs(t, err, slice1.ErrOverflow, name)
	}
}

func TestMinSize(t *testing.T) {
	for _, c := range []struct {
		dtype          slice1.DataType
		sizes, strides []int
		want           int64
	}{
		{slice1.Uint8, []int{3}, nil, 3},
		{slice1.Uint8, []int{5}, nil, 5},
		{slice1.Float16, []int{3}, nil, 6},
		{slice1.Float32, []int{2, 3}, nil, 24},
		{slice1.Float64, []int{2, 3}, nil, 48},
		{slice1.Float16, []int{2, 3}, []int{5, 1}, 16},
		{slice1.Uint8, []int{2, 3}, []int{0, 1}, 3},
		{slice1.Uint8, []int{4, 4}, []int{100, 1}, 304},
		{slice1.Float64, []int{3}, []int{2}, 40},
		{slice1.Int8, []int{1, 1}, []int{math.MaxInt, 7}, 1},
	} {
		got, err := slice1.TensorDesc{DataType: c.dtype, Sizes: c.sizes, Strides: c.strides}.MinSize()
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%v %v %v", c.dtype, c.sizes, c.strides)
	}
	_, err := slice1.TensorDesc{DataType: slice1.Uint8}.MinSize()
	assert.ErrorIs(t, err, slice1.ErrRank)
	_, err = slice1.TensorDesc{Sizes: []int{1}}.MinSize()
	assert.ErrorIs(t, err, slice1.ErrDataType)
	_, err = slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{2, 0}}.MinSize()
	assert.ErrorIs(t, err, slice1.ErrSize)
}

// bruteOverlap reports whether two elements have one address, by a list of all addresses.
func bruteOverlap(sizes, strides []int) bool {
	seen := map[int]bool{}
	coordinate := make([]int, len(sizes))
	for {
		at := 0
		for i, c := range coordinate {
			at += c * strides[i]
		}
		if seen[at] {
			return true
		}
		seen[at] = true
		i := len(sizes) - 1
		for ; i >= 0; i-- {
			if coordinate[i]++; coordinate[i] < sizes[i] {
				break
			}
			coordinate[i] = 0
		}
		if i < 0 {
			return false
		}
	}
}

// overlapError returns the error of a copy to an output with these extents and strides.
func overlapError(sizes, strides []int) error {
	d := &slice1.Desc{
		Input:  slice1.TensorDesc{DataType: slice1.Uint16, Sizes: sizes},
		Output: slice1.TensorDesc{DataType: slice1.Uint16, Sizes: sizes, Strides: strides},
	}
	for _, n := range sizes {
		d.WindowOffsets = append(d.WindowOffsets, 0)
		d.WindowSizes = append(d.WindowSizes, n)
		d.WindowStrides = append(d.WindowStrides, 1)
	}
	return d.Validate()
}

// Small outputs are refused if and only if two elements share bytes.
func TestOverlapOfOutputsIsExact(t *testing.T) {
	check := func(sizes, strides []int) bool {
		t.Helper()
		err := overlapError(sizes, strides)
		want := bruteOverlap(sizes, strides)
		if want {
			require.ErrorIs(t, err, slice1.ErrOverlap, "%v %v", sizes, strides)
			require.ErrorIs(t, err, slice1.ErrStride)
		} else {
			require.NoError(t, err, "%v %v", sizes, strides)
		}
		return want
	}
	for a := 1; a <= 6; a++ {
		for b := 1; b <= 6; b++ {
			for s := range 14 {
				for r := range 14 {
					check([]int{a, b}, []int{s, r})
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(7, 7))
	overlaps := 0
	const rounds = 20000
	for range rounds {
		rank := 2 + rng.IntN(5)
		sizes, strides := make([]int, rank), make([]int, rank)
		for i := range sizes {
			sizes[i] = 1 + rng.IntN([]int{0, 0, 20, 9, 6, 4, 4}[rank])
			strides[i] = rng.IntN([]int{0, 0, 60, 90, 300, 500, 2000}[rank])
		}
		if check(sizes, strides) {
			overlaps++
		}
	}
	assert.Greater(t, overlaps, rounds/10)
	assert.Less(t, overlaps, rounds-rounds/10)
}

func TestOverlapOfLargeOutputs(t *testing.T) {
	for _, c := range []struct {
		sizes, strides []int
		overlap        bool
	}{
		{[]int{1 << 20, 1 << 10}, []int{1 << 10, 1}, false},
		{[]int{1 << 20, 1<<10 + 1}, []int{1 << 10, 1}, true},
		{[]int{1000, 1000, 999}, []int{1000001, 1000, 1}, false},
		{[]int{1000, 1001, 999}, []int{1000001, 1000, 1}, true},
		{[]int{30000, 30000}, []int{30001, 30002}, false},
		{[]int{30003, 30002}, []int{30001, 30002}, true},
		{[]int{7, 1 << 20, 1 << 20}, []int{1, 7 << 3, 7<<23 + 7<<3}, false},
		{[]int{2, 2, 2, 2, 2, 2, 2, 2}, []int{1, 2, 4, 8, 16, 32, 64, 128}, false},
		{[]int{2, 2, 2, 2, 2, 2, 2, 2}, []int{1, 2, 4, 8, 16, 32, 64, 127}, true},
		{[]int{3, 3, 3, 3, 3, 3, 3, 3}, []int{2187, 729, 243, 81, 27, 9, 3, 1}, false},
	} {
		err := overlapError(c.sizes, c.strides)
		assert.Equal(t, c.overlap, errors.Is(err, slice1.ErrOverlap), "%v %v: %v", c.sizes, c.strides, err)
		if !c.overlap {
			assert.NoError(t, err)
		}
	}
}

// Validation does not change the descriptor.
func TestValidateDoesNotModify(t *testing.T) {
	d, want := valid(), valid()
	d.Output.Strides, want.Output.Strides = []int{1, 2, 4, 8}, []int{1, 2, 4, 8}
	require.NoError(t, d.Validate())
	require.NoError(t, d.ValidateFor(slice1.FeatureLevel2_1))
	assert.Equal(t, want, d)
	assert.True(t, slices.Equal(want.Output.Strides, d.Output.Strides))
}

// No two elements meet at these strides. But the search that shows it exceeds the budget, so the
// descriptor is refused.
func TestEntangledOutputStridesAreRefused(t *testing.T) {
	err := overlapError([]int{16, 16, 16, 16, 16, 16}, []int{1999999943, 1763212369, 1500450271, 1234567891, 1073741827, 999999937})
	require.ErrorIs(t, err, slice1.ErrOverlap)
	require.ErrorIs(t, err, slice1.ErrStride)
}

// The limit of a wrong alignment is the nearest one, whatever the value.
func TestNearestAlignment(t *testing.T) {
	const most = 1 << (strconv.IntSize - 2)
	for align, nearest := range map[int]int64{math.MinInt: 2, math.MinInt + 1: 2, -1: 2, 1: 2, 3: 2, 5: 4, 7: 8, most - 1: most, most + 1: most, math.MaxInt: most} {
		d := whole(slice1.Int16, 4)
		d.Input.BaseAlign = align
		requireDescError(t, d.Validate(), fault{field: "Input.BaseAlign", axis: -1, got: int64(align), limit: nearest, sentinel: slice1.ErrAlign})
	}
}

// The limit of an Output.DataType is the input's type, whatever it is, since no other is allowed.
// The error says WithNumbers only of a type.
func TestOutputTypeIsTheInputs(t *testing.T) {
	var types []slice1.DataType
	for n := range slice1.DataType(1<<16 + 3) {
		if n.Size() > 0 {
			types = append(types, n)
		}
	}
	require.Len(t, types, 12)
	for _, in := range types {
		for _, out := range append(types, 0, 12, 77, 1<<16-1, 1<<16+1, math.MaxUint32) {
			d := whole(in, 3)
			d.Output.DataType = out
			_, planned := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, slice1.Affine{}))
			for _, err := range []error{d.Validate(), planned} {
				if out == in {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, slice1.ErrDataType)
				place, ok := errors.AsType[*slice1.DescError](err)
				require.True(t, ok)
				require.Equal(t, slice1.DescError{Field: "Output.DataType", Axis: -1, Got: int64(out), Limit: int64(in), Err: place.Err}, *place)
				require.Contains(t, err.Error(), "must be "+in.String()+" like the input's")
				require.Equal(t, out.Size() > 0, strings.HasSuffix(err.Error(), "; WithNumbers converts"), err)
			}
		}
	}
}
