package translate

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// capabilities are the capabilities of all sample devices.
var capabilities = func() (all []Capability) {
	for _, d := range samples.Devices {
		all = append(all, Capability(d))
	}
	return all
}()

// Operators are valid for their device and move the same bytes as the descriptor. A descriptor has
// no operator only if the operator would have more axes than the device takes.
func TestTranslationsMoveTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	runs := 1500
	if testing.Short() {
		runs = 500
	}
	count, wide := make([]int, len(capabilities)), map[int]int{}
	for range runs {
		d := samples.RandomOrRows(rng)
		want := samples.Moves(d)
		for i, c := range capabilities {
			op, err := OperatorOf(d, c)
			if err != nil {
				// The slice has more than 4 axes on an old device, or 8 axes and one more for the
				// parts of elements.
				require.ErrorIs(t, err, slice1.ErrRank, samples.Describe(d))
				require.True(t, c.Level < slice1.FeatureLevel3_0 && len(d.Input.Sizes) > 4 || len(d.Input.Sizes) == 8 && d.Input.DataType.Size() > 1, samples.Describe(d))
				continue
			}
			count[i]++
			got := op.desc()
			require.NoError(t, got.Validate(), "%v\n%v", samples.Describe(d), &op)
			require.NoError(t, got.ValidateFor(c.Level), "%v\n%v", samples.Describe(d), &op)
			require.Equal(t, want, samples.Moves(got), "%v\n%v", samples.Describe(d), &op)
			require.True(t, c.Takes(op.DataType))
			for a := range op.Rank {
				require.Equal(t, uint32((op.Output.Sizes[a]-1)*uint32(max(op.Steps[a], -op.Steps[a]))+1), op.Windows[a], "not the smallest window: %v", &op)
			}
			in, _ := d.Input.MinSize()
			out, _ := d.Output.MinSize()
			require.Equal(t, uint64(out+3)&^3, op.Output.Total, "the output ends where it did, rounded up to 4")
			if width := op.DataType.Size(); width > d.Input.DataType.Size() {
				require.LessOrEqual(t, op.Input.Total, uint64(in+3)&^3, "the input ends there, too, or before")
				wide[width]++
			} else {
				require.Equal(t, uint64(in+3)&^3, op.Input.Total)
			}
		}
	}
	t.Logf("translations: %d descriptors, %v translated for the devices %v, by bytes of wide elements %v", runs, count, capabilities, wide)
	for _, width := range []int{2, 4, 8} {
		assert.Greater(t, wide[width], runs/20, width)
	}
	assert.Equal(t, []int{runs, runs}, count[3:5], "a device of level 4.1 or later takes everything")
	assert.Equal(t, runs, count[7])
	for i, n := range count {
		assert.Greater(t, n, runs/3, "%v", capabilities[i])
	}
}

// Elements become as wide as the rows, the distances between them and, for Dispatch, the place of
// the window allow.
func TestElementsBecomeWide(t *testing.T) {
	picture := func(t slice1.DataType, height, width, channels int, window ...int) *slice1.Desc { // top, left, height, width
		d := slice1.Whole(t, height, width, channels)
		d.WindowOffsets, d.WindowSizes = []int{window[0], window[1], 0}, []int{window[2], window[3], channels}
		d.Output.Sizes = d.WindowSizes
		return d
	}
	mirrored := slice1.Whole(slice1.Uint8, 20, 30, 4)
	mirrored.WindowStrides[1] = -1
	pitched := picture(slice1.Uint8, 20, 30, 1, 0, 0, 20, 8)
	pitched.Input.Strides = []int{64, 1, 0}
	odd := picture(slice1.Uint8, 20, 31, 1, 0, 0, 20, 8)
	gaps := picture(slice1.Uint8, 20, 32, 1, 0, 0, 20, 8)
	gaps.Output.Strides = []int{12, 1, 1}
	frame := slice1.Whole(slice1.Uint8, 3, 20, 8)
	frame.Input.Strides = []int{321, 16, 1}
	frame.WindowOffsets[0], frame.WindowSizes[0], frame.Output.Sizes = 1, 1, []int{1, 20, 8}
	for name, c := range map[string]struct {
		d    *slice1.Desc
		c    Capability
		want [2]int // bytes of the elements for Dispatch and for Run
	}{
		"rows of RGB":              {picture(slice1.Uint8, 20, 32, 3, 0, 8, 20, 16), capabilities[4], [2]int{8, 8}},
		"from the third pixel on":  {picture(slice1.Uint8, 20, 32, 3, 0, 2, 20, 16), capabilities[4], [2]int{2, 8}},
		"rows of 14 pixels":        {picture(slice1.Uint8, 20, 32, 3, 0, 8, 20, 14), capabilities[4], [2]int{2, 2}},
		"an odd pitch":             {odd, capabilities[4], [2]int{1, 1}},
		"a pitch of its own":       {pitched, capabilities[4], [2]int{8, 8}},
		"gaps in the output":       {gaps, capabilities[4], [2]int{4, 4}},
		"mirrored RGBA":            {mirrored, capabilities[4], [2]int{4, 4}},
		"mirrored bytes":           {samples.Flipped(slice1.Uint8, 20, 32), capabilities[4], [2]int{1, 1}},
		"a frame at an odd place":  {frame, capabilities[4], [2]int{1, 8}},
		"halves":                   {picture(slice1.Float16, 20, 30, 1, 0, 3, 20, 2), capabilities[4], [2]int{2, 4}},
		"floats":                   {picture(slice1.Float32, 20, 30, 1, 0, 2, 20, 6), capabilities[4], [2]int{8, 8}},
		"floats of an old level":   {picture(slice1.Float32, 20, 30, 1, 0, 2, 20, 6), capabilities[2], [2]int{4, 4}},
		"bytes without their type": {picture(slice1.Uint8, 20, 32, 1, 0, 4, 20, 8), Capability{slice1.FeatureLevel4_0, 1 << slice1.Uint32}, [2]int{4, 4}},
	} {
		whole, err := OperatorOf(c.d, c.c)
		require.NoError(t, err, name)
		movable, err := MovableOf(c.d, c.c)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, [2]int{whole.DataType.Size(), movable.DataType.Size()}, "%s: %v, %v", name, &whole, &movable)
	}
	op, err := OperatorOf(picture(slice1.Uint8, 20, 32, 3, 0, 8, 20, 16), capabilities[4])
	require.NoError(t, err)
	assert.Equal(t, "uint64 [20 12] window 0+20/1,3+6/1 out [20 6], memory strides [12 1] to [6 1]", op.String())

	// Without narrow types only Run is left. Its input begins at the window.
	narrow := Capability{slice1.FeatureLevel4_0, 1 << slice1.Uint32}
	d := picture(slice1.Uint8, 20, 32, 1, 0, 3, 20, 8)
	_, err = OperatorOf(d, narrow)
	assert.ErrorIs(t, err, slice1.ErrDataType)
	_, err = MovableOf(d, narrow)
	assert.NoError(t, err)
}

func TestTypesFoldToUnsignedOnes(t *testing.T) {
	rows := []struct {
		Capability
		want [12]slice1.DataType // of the operator, by the descriptor's type
	}{
		{Capability{slice1.FeatureLevel6_4, samples.AllTypes}, [12]slice1.DataType{0, 3, 4, 3, 4, 5, 3, 4, 5, 10, 10, 10}},
		{Capability{slice1.FeatureLevel4_0, samples.NarrowTypes}, [12]slice1.DataType{0, 3, 4, 3, 4, 5, 3, 4, 5, 3, 3, 3}},
		{Capability{slice1.FeatureLevel6_4, samples.NarrowTypes}, [12]slice1.DataType{0, 3, 4, 3, 4, 5, 3, 4, 5, 3, 3, 3}},
		{Capability{slice1.FeatureLevel6_4, 1<<slice1.Uint8 | 1<<slice1.Float32}, [12]slice1.DataType{0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}},
	}
	for _, row := range rows {
		for dtype := slice1.Float32; dtype <= slice1.Int64; dtype++ {
			op, err := OperatorOf(slice1.Whole(dtype, 3, 5), row.Capability)
			require.NoError(t, err)
			assert.Equal(t, row.want[dtype], op.DataType, "%v on %x", dtype, row.Capability)
		}
	}
	_, err := OperatorOf(slice1.Whole(slice1.Int8, 3), Capability{slice1.FeatureLevel6_4, 1 << slice1.Uint16})
	assert.ErrorIs(t, err, slice1.ErrDataType)

	// Descriptors that differ only in types of one width have the same operator.
	a, _ := OperatorOf(slice1.Whole(slice1.Float32, 3, 5), capabilities[4])
	b, _ := OperatorOf(slice1.Whole(slice1.Int32, 3, 5), capabilities[4])
	assert.Equal(t, a, b)
}

// Below level 4.1 CapabilityOf does not ask for types of 8 bytes. From level 4.1 on it does.
func TestCapabilitiesAreAskedForByLevel(t *testing.T) {
	unknown := errors.New("unknown type")
	old := func(t slice1.DataType) (bool, error) {
		if t.Size() == 8 {
			return false, unknown
		}
		return t != slice1.Int8, nil
	}
	c, err := CapabilityOf(slice1.FeatureLevel4_0, old)
	require.NoError(t, err)
	assert.Equal(t, Capability{slice1.FeatureLevel4_0, samples.NarrowTypes &^ (1 << slice1.Int8)}, c)
	_, err = CapabilityOf(slice1.FeatureLevel4_1, old)
	assert.Equal(t, unknown, err)
	c, err = CapabilityOf(slice1.FeatureLevel4_1, func(slice1.DataType) (bool, error) { return true, nil })
	require.NoError(t, err)
	assert.Equal(t, Capability{slice1.FeatureLevel4_1, samples.AllTypes}, c)
}

// Elements of 8 bytes become pairs of elements of 4 bytes. Axes of extent 1 are put before the axes
// of the slice.
func TestOldLevelsGetPairsAndPadding(t *testing.T) {
	d := slice1.Whole(slice1.Int64, 4)
	d.WindowStrides, d.Output.Sizes = []int{-2}, []int{2}
	op, err := OperatorOf(d, Capability{slice1.FeatureLevel2_1, samples.NarrowTypes})
	require.NoError(t, err)
	assert.Equal(t, "uint32 [1 1 4 2] window 0+1/1,0+1/1,1+3/-2,0+2/1 out [1 1 2 2], memory strides [8 8 2 1] to [4 4 2 1]", op.String())
	assert.Equal(t, []uint64{32, 16}, []uint64{op.Input.Total, op.Output.Total})
}

func TestMergingBringsRanksDown(t *testing.T) {
	old := Capability{slice1.FeatureLevel2_1, 1 << slice1.Uint8}
	d := slice1.Whole(slice1.Uint8, 2, 3, 4, 2, 3, 4, 2, 3)
	op, err := OperatorOf(d, old)
	require.NoError(t, err, "a packed copy is one axis")
	assert.EqualValues(t, 5, op.Rank)

	// Every second element of each axis, from an input that is padded everywhere:
	// no two axes step evenly.
	d = slice1.Whole(slice1.Uint8, 4, 4, 4, 4, 4, 4)
	for i := range d.WindowStrides {
		d.WindowStrides[i], d.Output.Sizes[i] = 2, 2
	}
	d.Input.Strides = []int{3125 * 5, 3125, 625, 125, 25, 5}
	_, err = OperatorOf(d, old)
	var place *slice1.DescError
	require.ErrorAs(t, err, &place)
	require.ErrorIs(t, err, slice1.ErrRank)
	assert.EqualError(t, err, "directml: Input.Sizes has 6 entries, must have at most 5: feature level 2.1 has at most 5 axes, and no more of these can be merged")
	assert.Equal(t, slice1.DescError{Field: "Input.Sizes", Axis: -1, Got: 6, Limit: 5, Err: place.Err}, *place)
	_, err = OperatorOf(d, Capability{slice1.FeatureLevel3_0, samples.NarrowTypes})
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

// If the output is smaller than the window yields, the window shrinks: at its end if the step
// is positive, and at its beginning if the step is negative.
func TestWindowsShrinkToTheOutput(t *testing.T) {
	d := slice1.Whole(slice1.Uint8, 10, 10)
	d.WindowOffsets, d.WindowSizes, d.WindowStrides, d.Output.Sizes = []int{1, 1}, []int{8, 8}, []int{3, -3}, []int{2, 2}
	op, err := OperatorOf(d, capabilities[4])
	require.NoError(t, err)
	assert.Equal(t, "uint8 [10 10] window 1+4/3,5+4/-3 out [2 2], memory strides [10 1] to [2 1]", op.String())
	d.Output.Sizes = []int{1, 1}
	op, err = OperatorOf(d, capabilities[4])
	require.NoError(t, err)
	assert.Equal(t, "uint8 [10 10] window 1+1/1,8+1/1 out [1 1], memory strides [10 1] to [1 1]", op.String())
}

func TestGeometryIsTheSpanOfTheElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	gaps := 0
	for range 2000 {
		d := samples.Random(rng)
		g := GeometryOf(d)
		in, _ := d.Input.MinSize()
		out, _ := d.Output.MinSize()
		require.Equal(t, []int64{in, out}, []int64{g.SrcSize, g.DstSize})
		all := samples.Moves(d)
		lo, hi := in, int64(0)
		for _, m := range all {
			lo, hi = min(lo, m.Src), max(hi, m.Src+1)
		}
		require.Equal(t, []int64{lo, hi}, []int64{g.SrcLo, g.SrcHi}, samples.Describe(d))
		require.Equal(t, int64(len(all)) != out, g.Gaps, samples.Describe(d))
		if g.Gaps {
			gaps++
		}
	}
	assert.Greater(t, gaps, 200)
}

// A translation replaces a type by another one of its width. BFloat16 is no type of DirectML, so no
// capability accepts it, not even one that claims every type.
func TestBFloat16IsRefused(t *testing.T) {
	d := slice1.Whole(slice1.BFloat16, 1, 1, 1, 4)
	for _, c := range append(capabilities, Capability{slice1.FeatureLevel6_4, math.MaxUint32}) {
		require.False(t, c.Takes(slice1.BFloat16))
		if err := c.Validate(d); c.Level >= slice1.FeatureLevel2_1 {
			require.ErrorIs(t, err, slice1.ErrDataType)
			require.ErrorContains(t, err, "bfloat16")
		} else {
			require.Error(t, err)
		}
	}
}
