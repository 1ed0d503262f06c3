package slice1_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/oracle"
)

// next returns a random slice of a's output, or of its first elements.
func next(rng *rand.Rand, a *slice1.Desc) *slice1.Desc {
	t := a.Output.DataType
	b := &slice1.Desc{
		Input:  slice1.TensorDesc{DataType: t, Sizes: slices.Clone(a.Output.Sizes), Strides: slices.Clone(a.Output.Strides)},
		Output: slice1.TensorDesc{DataType: t},
	}
	if b.Input.Strides == nil && rng.IntN(2) == 0 {
		b.Input.Strides = packed(b.Input.Sizes)
	}
	if b.Input.Strides != nil {
		for i, n := range b.Input.Sizes {
			if rng.IntN(3) == 0 {
				b.Input.Sizes[i] = 1 + rng.IntN(n)
			}
			if b.Input.Sizes[i] == 1 && rng.IntN(2) == 0 {
				b.Input.Strides[i] = rng.IntN(1000) // never taken
			}
		}
	}
	for _, n := range b.Input.Sizes {
		randomWindow(rng, b, n)
	}
	if rng.IntN(2) == 0 {
		b.Output.Strides = randomStrides(rng, b.Output.Sizes)
	}
	return b
}

func packed(sizes []int) []int {
	strides := make([]int, len(sizes))
	s := 1
	for i := len(sizes) - 1; i >= 0; i-- {
		strides[i] = s
		s *= sizes[i]
	}
	return strides
}

// checkComposed runs the composition, and both slices one after the other, and compares the
// results. It also requires the smallest windows, and that a and b stay unchanged.
func checkComposed(t *testing.T, a, b *slice1.Desc, rng *rand.Rand) {
	t.Helper()
	beforeA, beforeB := describe(a), describe(b)
	c, err := slice1.Compose(a, b)
	require.NoError(t, err, "%s\n%s", beforeA, beforeB)
	require.Equal(t, beforeA, describe(a))
	require.Equal(t, beforeB, describe(b))
	require.Equal(t, a.Input, c.Input)
	require.Equal(t, b.Output, c.Output)
	for i, m := range c.Output.Sizes { // the smallest windows
		up := max(c.WindowStrides[i], -c.WindowStrides[i])
		require.Equal(t, 1+(m-1)*up, c.WindowSizes[i])
	}
	f := fill(c, 0, rng)
	out, err := c.Output.MinSize()
	require.NoError(t, err)
	between, err := a.Output.MinSize()
	require.NoError(t, err)
	middle := make([]byte, between)
	oracle.Slice(a, middle, f.src)
	want, got := bytes.Clone(f.dst[:out]), bytes.Clone(f.dst[:out])
	oracle.Slice(b, want, middle)
	require.NoError(t, newPlan(t, c).Run(got, f.src))
	require.Equal(t, want, got, "%s\n%s\n%s", beforeA, beforeB, describe(c))
}

func TestComposedSlicesDoWhatBothDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	runs := 4000
	if testing.Short() {
		runs = 800
	}
	for run := 0; run < runs; {
		a := randomDesc(rng)
		b := next(rng, a)
		large := false
		for _, tensor := range []slice1.TensorDesc{a.Input, a.Output, b.Output} {
			size, err := tensor.MinSize()
			require.NoError(t, err)
			large = large || size > 1<<20
		}
		if large {
			continue
		}
		checkComposed(t, a, b, rng)
		run++
	}
}

// Every pair of slices of one axis of at most 5 elements, with strides from -3 to 3, where the
// second takes the whole output of the first as its input.
func TestEverySmallComposition(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	small := axes(5)
	for _, x := range small {
		for _, y := range small {
			if x.out == y.extent {
				checkComposed(t, descOf(slice1.Uint8, x), descOf(slice1.Uint8, y), rng)
			}
		}
	}
}

// It does not matter whether the first two or the last two of three slices are folded first.
func TestCompositionIsAssociative(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 3))
	for range 2000 {
		a := randomDesc(rng)
		b := next(rng, a)
		c := next(rng, b)
		ab, err := slice1.Compose(a, b)
		require.NoError(t, err)
		left, err := slice1.Compose(ab, c)
		require.NoError(t, err)
		bc, err := slice1.Compose(b, c)
		require.NoError(t, err)
		right, err := slice1.Compose(a, bc)
		require.NoError(t, err)
		require.Equal(t, left, right, "%s\n%s\n%s", describe(a), describe(b), describe(c))
	}
}

func TestComposeTakesSidesFromOutside(t *testing.T) {
	a, b := reversal(slice1.Int16, 8), reversal(slice1.Int16, 8)
	a.Input.TotalSize, a.Input.BaseAlign = 100, 16
	a.Output.TotalSize, a.Output.BaseAlign = 200, 32
	b.Input.TotalSize, b.Input.BaseAlign = 300, 64
	b.Output.TotalSize, b.Output.BaseAlign = 400, 128
	c, err := slice1.Compose(a, b)
	require.NoError(t, err)
	assert.Equal(t, &slice1.Desc{
		Input:         slice1.TensorDesc{DataType: slice1.Int16, Sizes: []int{8}, TotalSize: 100, BaseAlign: 16},
		Output:        slice1.TensorDesc{DataType: slice1.Int16, Sizes: []int{8}, TotalSize: 400, BaseAlign: 128},
		WindowOffsets: []int{0}, WindowSizes: []int{8}, WindowStrides: []int{1},
	}, c)
	clear(c.Input.Sizes)
	clear(c.Output.Sizes)
	assert.Equal(t, []int{8}, a.Input.Sizes)
	assert.Equal(t, []int{8}, b.Output.Sizes)
}

// If a window yields one element, its stride may be so large that products wrap.
func TestComposeOfStridesNeverTaken(t *testing.T) {
	one := func(n, offset, stride int) *slice1.Desc {
		return slice1.NewDesc(slice1.Uint8, []int{n}, slice1.Window{Offsets: []int{offset}, Sizes: []int{n - offset}, Strides: []int{stride}, Out: []int{1}})
	}
	for _, stride := range []int{math.MinInt, math.MaxInt} {
		for _, other := range []int{math.MinInt, -3, 1, math.MaxInt} {
			checkComposed(t, one(9, 4, stride), one(1, 0, other), rand.New(rand.NewPCG(1, 1)))
		}
	}
}

func TestComposeRefuses(t *testing.T) {
	window := slice1.Window{Offsets: []int{0, 0}, Sizes: []int{4, 6}, Strides: []int{2, -2}, Out: []int{2, 3}}
	first := func() *slice1.Desc { return slice1.NewDesc(slice1.Int32, []int{4, 6}, window) }
	for _, f := range []fault{
		{"rank", func(b *slice1.Desc) { *b = *whole(slice1.Int32, 6) }, "second.Input.Sizes", -1, 1, 2, slice1.ErrRank},
		{"type of the same width", func(b *slice1.Desc) { *b = *whole(slice1.Float32, 2, 3) }, "second.Input.DataType", -1, 1, 6, slice1.ErrDataType},
		{"more than there is", func(b *slice1.Desc) { *b = *whole(slice1.Int32, 3, 3) }, "second.Input.Sizes", 0, 3, 2, slice1.ErrSize},
		{"another shape", func(b *slice1.Desc) { *b = *whole(slice1.Int32, 1, 6) }, "second.Input.Sizes", 1, 6, 3, slice1.ErrSize},
		{"transposed", func(b *slice1.Desc) { b.Input.Strides = []int{1, 2} }, "second.Input.Strides", 0, 1, 3, slice1.ErrStride},
		{"fewer columns, packed", func(b *slice1.Desc) { *b = *whole(slice1.Int32, 2, 2) }, "second.Input.Strides", 0, 2, 3, slice1.ErrStride},
		{"broadcast", func(b *slice1.Desc) { b.Input.Strides = []int{3, 0} }, "second.Input.Strides", 1, 0, 1, slice1.ErrStride},
		{"invalid", func(b *slice1.Desc) { b.WindowOffsets[1] = -1 }, "second.WindowOffsets", 1, -1, 0, slice1.ErrWindow},
	} {
		b := whole(slice1.Int32, 2, 3)
		f.breakIt(b)
		c, err := slice1.Compose(first(), b)
		requireDescError(t, err, f)
		require.Nil(t, c)
	}
	for _, f := range faults {
		a := valid()
		f.breakIt(a)
		f.field = "first." + f.field
		_, err := slice1.Compose(a, whole(slice1.Float32, 2, 2, 2, 2))
		requireDescError(t, err, f)
	}
	_, err := slice1.Compose(nil, first())
	requireDescError(t, err, fault{"", nil, "first.Desc", -1, 0, 1, slice1.ErrRank})
	_, err = slice1.Compose(first(), nil)
	requireDescError(t, err, fault{"", nil, "second.Desc", -1, 0, 1, slice1.ErrRank})
}
