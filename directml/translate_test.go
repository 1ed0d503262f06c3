package directml

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

const (
	allTypes    = 1<<12 - 2
	narrowTypes = allTypes &^ (1<<slice1.Float64 | 1<<slice1.Uint64 | 1<<slice1.Int64)
)

// capabilities are devices of every kind of level, and some that lack types.
var capabilities = []capability{
	{slice1.FeatureLevel2_1, narrowTypes},
	{slice1.FeatureLevel3_0, narrowTypes},
	{slice1.FeatureLevel4_0, narrowTypes},
	{slice1.FeatureLevel4_1, allTypes},
	{slice1.FeatureLevel6_4, allTypes},
	{slice1.FeatureLevel6_4, narrowTypes &^ (1 << slice1.Uint16)},
	{slice1.FeatureLevel5_0, 1 << slice1.Uint8},
	{0x7000, allTypes},
}

// Translations are valid for their device and move the same bytes, and what
// has none is out of reach of the rules they may bend.
func TestTranslationsMoveTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	runs := 4000
	if testing.Short() {
		runs = 500
	}
	count := make([]int, len(capabilities))
	for range runs {
		d := randomDesc(rng)
		want := movesOf(d)
		for i, c := range capabilities {
			op, err := translate(d, c)
			if err != nil {
				// Packed or not, only axes that do not chain in memory are too many.
				require.ErrorIs(t, err, slice1.ErrRank, describe(d))
				require.True(t, c.level < slice1.FeatureLevel3_0 && len(d.Input.Sizes) > 4 || len(d.Input.Sizes) == 8 && d.Input.DataType.Size() > 1, describe(d))
				continue
			}
			count[i]++
			got := op.desc()
			require.NoError(t, got.Validate(), "%v\n%v", describe(d), &op)
			require.NoError(t, got.ValidateFor(c.level), "%v\n%v", describe(d), &op)
			require.Equal(t, want, movesOf(got), "%v\n%v", describe(d), &op)
			require.True(t, c.takes(op.dataType))
			for a := range op.rank {
				require.Equal(t, uint32((op.out.sizes[a]-1)*uint32(max(op.steps[a], -op.steps[a]))+1), op.windows[a], "not the smallest window: %v", &op)
			}
			in, _ := d.Input.MinSize()
			out, _ := d.Output.MinSize()
			require.Equal(t, []uint64{uint64(in+3) &^ 3, uint64(out+3) &^ 3}, []uint64{op.in.total, op.out.total}, "tensors end where they did, rounded up to 4")
		}
	}
	t.Logf("translations: %d descriptors, %v translated for the devices %v", runs, count, capabilities)
	assert.Equal(t, []int{runs, runs}, count[3:5], "a device of level 4.1 or later takes everything")
	assert.Equal(t, runs, count[7])
	for i, n := range count {
		assert.Greater(t, n, runs/3, "%v", capabilities[i])
	}
}

// What ValidateFor refuses on every device is refused with the same error.
func TestPlansKeepValidationsErrors(t *testing.T) {
	for name, spoil := range map[string]func(d *slice1.Desc){
		"rank":       func(d *slice1.Desc) { d.WindowSizes = d.WindowSizes[:1] },
		"type":       func(d *slice1.Desc) { d.Input.DataType = 13 },
		"extent":     func(d *slice1.Desc) { d.Input.Sizes[0] = 0 },
		"stride":     func(d *slice1.Desc) { d.WindowStrides[1] = 0 },
		"window":     func(d *slice1.Desc) { d.WindowOffsets[1] = 1 },
		"output":     func(d *slice1.Desc) { d.WindowStrides[0] = 2 },
		"total":      func(d *slice1.Desc) { d.Output.TotalSize = 1 },
		"alignment":  func(d *slice1.Desc) { d.Input.BaseAlign = 8 },
		"overlap":    func(d *slice1.Desc) { d.Output.Strides = []int{1, 1} },
		"everything": func(d *slice1.Desc) { *d = slice1.Desc{} },
	} {
		for _, c := range capabilities {
			d := &slice1.Desc{
				Input: slice1.TensorDesc{DataType: slice1.Int16, Sizes: []int{4, 5}}, Output: slice1.TensorDesc{DataType: slice1.Int16, Sizes: []int{4, 5}},
				WindowOffsets: []int{0, 0}, WindowSizes: []int{4, 5}, WindowStrides: []int{1, 1},
			}
			_, err := planOf(d, c)
			require.NoError(t, err)
			spoil(d)
			want := d.ValidateFor(max(c.level, slice1.FeatureLevel6_4))
			require.Error(t, want, name)
			_, err = planOf(d, c)
			assert.Equal(t, want, err, name)
		}
	}
	_, err := planOf(nil, capabilities[0])
	assert.ErrorIs(t, err, slice1.ErrRank)
	_, err = planOf(whole(slice1.Int8, 2, 2, 2, 2), capability{slice1.FeatureLevel2_0, allTypes})
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}

func TestTypesFoldToUnsignedOnes(t *testing.T) {
	rows := []struct {
		capability
		want [12]slice1.DataType // by type
	}{
		{capability{slice1.FeatureLevel6_4, allTypes}, [12]slice1.DataType{0, 3, 4, 3, 4, 5, 3, 4, 5, 10, 10, 10}},
		{capability{slice1.FeatureLevel4_0, narrowTypes}, [12]slice1.DataType{0, 3, 4, 3, 4, 5, 3, 4, 5, 3, 3, 3}},
		{capability{slice1.FeatureLevel6_4, narrowTypes}, [12]slice1.DataType{0, 3, 4, 3, 4, 5, 3, 4, 5, 3, 3, 3}},
		{capability{slice1.FeatureLevel6_4, 1<<slice1.Uint8 | 1<<slice1.Float32}, [12]slice1.DataType{0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}},
	}
	for _, row := range rows {
		for dtype := slice1.Float32; dtype <= slice1.Int64; dtype++ {
			op, err := translate(whole(dtype, 3, 5), row.capability)
			require.NoError(t, err)
			assert.Equal(t, row.want[dtype], op.dataType, "%v on %x", dtype, row.capability)
		}
	}
	_, err := translate(whole(slice1.Int8, 3), capability{slice1.FeatureLevel6_4, 1 << slice1.Uint16})
	assert.ErrorIs(t, err, slice1.ErrDataType)

	// The same bytes by another name are the same operator.
	a, _ := translate(whole(slice1.Float32, 3, 5), capabilities[4])
	b, _ := translate(whole(slice1.Int32, 3, 5), capabilities[4])
	assert.Equal(t, a, b)
}

// A DLL is asked for no type that it need not know.
func TestCapabilitiesAreAskedForByLevel(t *testing.T) {
	unknown := errors.New("unknown type")
	old := func(t slice1.DataType) (bool, error) {
		if t.Size() == 8 {
			return false, unknown
		}
		return t != slice1.Int8, nil
	}
	c, err := capabilityOf(slice1.FeatureLevel4_0, old)
	require.NoError(t, err)
	assert.Equal(t, capability{slice1.FeatureLevel4_0, narrowTypes &^ (1 << slice1.Int8)}, c)
	_, err = capabilityOf(slice1.FeatureLevel4_1, old)
	assert.Equal(t, unknown, err)
	c, err = capabilityOf(slice1.FeatureLevel4_1, func(slice1.DataType) (bool, error) { return true, nil })
	require.NoError(t, err)
	assert.Equal(t, capability{slice1.FeatureLevel4_1, allTypes}, c)
}

// 8-byte elements as pairs of 4-byte ones, and axes of extent 1 put before.
func TestOldLevelsGetPairsAndPadding(t *testing.T) {
	d := whole(slice1.Int64, 4)
	d.WindowStrides, d.Output.Sizes = []int{-2}, []int{2}
	op, err := translate(d, capability{slice1.FeatureLevel2_1, narrowTypes})
	require.NoError(t, err)
	assert.Equal(t, "uint32 [1 1 4 2] window 0+1/1,0+1/1,1+3/-2,0+2/1 out [1 1 2 2], memory strides [8 8 2 1] to [4 4 2 1]", op.String())
	assert.Equal(t, []uint64{32, 16}, []uint64{op.in.total, op.out.total})
}

func TestMergingBringsRanksDown(t *testing.T) {
	old := capability{slice1.FeatureLevel2_1, narrowTypes}
	d := whole(slice1.Uint8, 2, 3, 4, 2, 3, 4, 2, 3)
	op, err := translate(d, old)
	require.NoError(t, err, "a packed copy is one axis")
	assert.EqualValues(t, 5, op.rank)

	// Every second element of each axis, from an input that is padded everywhere:
	// no two axes step evenly.
	d = whole(slice1.Uint8, 4, 4, 4, 4, 4, 4)
	for i := range d.WindowStrides {
		d.WindowStrides[i], d.Output.Sizes[i] = 2, 2
	}
	d.Input.Strides = []int{3125 * 5, 3125, 625, 125, 25, 5}
	_, err = translate(d, old)
	var place *slice1.DescError
	require.ErrorAs(t, err, &place)
	assert.Equal(t, slice1.DescError{Field: "Input.Sizes", Axis: -1, Got: 6, Limit: 5, Err: slice1.ErrRank}, *place)
	_, err = translate(d, capability{slice1.FeatureLevel3_0, narrowTypes})
	assert.NoError(t, err)
}

func TestMergeKnowsWhatChains(t *testing.T) {
	axis := func(in, out, start, step, src, dst int64) slice1.Axis {
		return slice1.Axis{In: in, Out: out, Start: start, Step: step, Src: src, Dst: dst}
	}
	row := axis(6, 6, 0, 1, 1, 1)
	for name, c := range map[string]struct {
		outer, inner slice1.Axis
		want         slice1.Axis
		ok           bool
	}{
		"whole rows":          {axis(4, 4, 0, 1, 6, 6), row, axis(24, 24, 0, 1, 1, 1), true},
		"some whole rows":     {axis(4, 2, 1, 1, 6, 6), row, axis(24, 12, 6, 1, 1, 1), true},
		"reversed":            {axis(4, 4, 3, -1, 6, 6), axis(6, 6, 5, -1, 1, 1), axis(24, 24, 23, -1, 1, 1), true},
		"every second":        {axis(4, 4, 0, 1, 6, 3), axis(6, 3, 1, 2, 1, 1), axis(24, 12, 1, 2, 1, 1), true},
		"one row":             {axis(4, 1, 2, 1, 6, 9), axis(6, 2, 1, 3, 1, 1), axis(24, 2, 13, 3, 1, 1), true},
		"one column":          {axis(4, 2, 3, -2, 6, 5), axis(6, 1, 4, 1, 1, 7), axis(24, 2, 22, -12, 1, 5), true},
		"extent 1 outside":    {axis(1, 1, 0, 1, 77, 77), row, row, true},
		"extent 1 inside":     {row, axis(1, 1, 0, 1, 77, 77), row, true},
		"broadcast":           {axis(4, 4, 0, 1, 0, 6), axis(6, 6, 0, 1, 0, 1), axis(24, 24, 0, 1, 0, 1), true},
		"partial rows":        {axis(4, 4, 0, 1, 6, 5), axis(6, 5, 0, 1, 1, 1), slice1.Axis{}, false},
		"every second row":    {axis(4, 2, 0, 2, 6, 6), row, slice1.Axis{}, false},
		"padded input":        {axis(4, 4, 0, 1, 7, 6), row, slice1.Axis{}, false},
		"padded output":       {axis(4, 4, 0, 1, 6, 7), row, slice1.Axis{}, false},
		"one reversed":        {axis(4, 4, 3, -1, 6, 6), row, slice1.Axis{}, false},
		"step beyond 32 bits": {axis(1<<15, 2, 0, 1<<15-1, 1<<17, 1), axis(1<<17, 1, 0, 1, 1, 1), slice1.Axis{}, false},
	} {
		got, ok := merge(c.outer, c.inner)
		assert.Equal(t, c.ok, ok, name)
		if c.ok {
			assert.Equal(t, c.want, got, name)
		}
	}
}

// A negative step's window keeps its end, not its beginning, when it shrinks.
func TestWindowsShrinkToTheOutput(t *testing.T) {
	d := whole(slice1.Uint8, 10, 10)
	d.WindowOffsets, d.WindowSizes, d.WindowStrides, d.Output.Sizes = []int{1, 1}, []int{8, 8}, []int{3, -3}, []int{2, 2}
	op, err := translate(d, capabilities[4])
	require.NoError(t, err)
	assert.Equal(t, "uint8 [10 10] window 1+4/3,5+4/-3 out [2 2], memory strides [10 1] to [2 1]", op.String())
	d.Output.Sizes = []int{1, 1}
	op, err = translate(d, capabilities[4])
	require.NoError(t, err)
	assert.Equal(t, "uint8 [10 10] window 1+1/1,8+1/1 out [1 1], memory strides [10 1] to [1 1]", op.String())
}

func TestGeometryIsTheSpanOfTheElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	gaps := 0
	for range 2000 {
		d := randomDesc(rng)
		g := geometryOf(d)
		in, _ := d.Input.MinSize()
		out, _ := d.Output.MinSize()
		require.Equal(t, []int64{in, out}, []int64{g.srcSize, g.dstSize})
		all := movesOf(d)
		lo, hi := in, int64(0)
		for _, m := range all {
			lo, hi = min(lo, m.src), max(hi, m.src+1)
		}
		require.Equal(t, []int64{lo, hi}, []int64{g.srcLo, g.srcHi}, describe(d))
		require.Equal(t, int64(len(all)) != out, g.gaps, describe(d))
		if g.gaps {
			gaps++
		}
	}
	assert.Greater(t, gaps, 200)
}

func TestSizeClassesHoldTheirSizes(t *testing.T) {
	for size, want := range map[int64]int64{
		1: 64 << 10, 64 << 10: 64 << 10, 64<<10 + 1: 128 << 10, 5 << 20: 8 << 20, 16 << 20: 16 << 20,
		16<<20 + 1: 32 << 20, 33 << 20: 48 << 20, 1<<34 - 4: 1 << 34,
	} {
		assert.Equal(t, want, sizeClass(size), "%d", size)
	}
}
