package slice1_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/oracle"
)

// permuted evaluates a permuted slice by its definition. The oracle runs d with a packed output.
// Then the axes of the output are put into the other order.
func permuted(d *slice1.Desc, src []byte, axes []int) []byte {
	size, rank := d.Output.DataType.Size(), len(axes)
	n, _ := slice1.TensorDesc{DataType: d.Output.DataType, Sizes: d.Output.Sizes}.MinSize()
	plain, turned := make([]byte, n), make([]byte, 0, n)
	oracle.Slice(d, plain, src)
	strides := make([]int, rank)
	for i, s := rank-1, size; i >= 0; i-- {
		strides[i] = s
		s *= d.Output.Sizes[i]
	}
	var walk func(i, at int)
	walk = func(i, at int) {
		if i == rank {
			turned = append(turned, plain[at:at+size]...)
			return
		}
		for k := range d.Output.Sizes[axes[i]] {
			walk(i+1, at+k*strides[axes[i]])
		}
	}
	walk(0, 0)
	return turned
}

func TestPermuteIsATranspositionOfTheResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for range 500 {
		d := randomDesc(rng)
		d.Output.Strides = nil
		b := fill(d, 0, rng)
		if len(b.src) > 1<<16 {
			continue
		}
		axes := rng.Perm(len(d.Input.Sizes))
		before := *d
		p, err := d.Permute(axes...)
		require.NoError(t, err)
		require.Equal(t, before, *d)
		require.NoError(t, p.Validate())
		require.Nil(t, p.Output.Strides)
		want := permuted(d, b.src, axes)
		got := make([]byte, len(want))
		require.NoError(t, slice1.CopyBytes(got, b.src, p))
		require.Equal(t, want, got, "%v %s", axes, describe(d))
		back := make([]int, len(axes))
		for i, axis := range axes {
			back[axis] = i
		}
		again, err := p.Permute(back...)
		require.NoError(t, err)
		require.Equal(t, d.Key(), again.Key())
		for i := range d.WindowOffsets { // p keeps nothing of d
			d.WindowOffsets[i], d.Input.Sizes[i], d.Output.Sizes[i] = -1, -1, -1
		}
		require.NoError(t, p.Validate())
	}
}

func TestPermuteRefuses(t *testing.T) {
	d := valid()
	_, err := d.Permute(0, 1, 2, 3)
	requireDescError(t, err, fault{"", nil, "Output.Strides", -1, 4, 0, slice1.ErrStride})
	d.Output.Strides = nil
	for _, c := range []struct {
		axes       []int
		axis       int
		got, limit int64
	}{
		{nil, -1, 0, 4}, {[]int{0, 1, 2}, -1, 3, 4}, {[]int{0, 1, 2, 3, 4}, -1, 5, 4},
		{[]int{0, 1, 2, 4}, 3, 4, 3}, {[]int{-1, 1, 2, 3}, 0, -1, 0}, {[]int{0, 1, 0, 2}, 2, 0, 2},
	} {
		_, err := d.Permute(c.axes...)
		requireDescError(t, err, fault{"", nil, "axes", c.axis, c.got, c.limit, slice1.ErrRank})
	}
	_, err = (*slice1.Desc)(nil).Permute()
	require.ErrorIs(t, err, slice1.ErrRank)
	if strconv.IntSize == 32 {
		wide := slice1.NewDesc(slice1.Uint8, []int{1, math.MaxInt, 2}, window([]int{0, 0, 0}, []int{1, 1, 1}, []int{1, 1, 1}, []int{1, 1, 1}))
		_, err = wide.Permute(2, 1, 0)
		require.ErrorIs(t, err, slice1.ErrOverflow)
	}
}

// Descriptors whose plans do the same have equal keys where they differ in ways that Key
// documents. Each of several changes of what a plan does changes the key.
func TestKeysOfDescriptors(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	plain := func() *slice1.Desc {
		return slice1.NewDesc(slice1.Uint16, []int{6, 5, 1}, window([]int{1, 0, 0}, []int{4, 5, 1}, []int{-2, 1, 1}, []int{2, 1, 1}))
	}
	key := plain().Key()
	require.NotEmpty(t, key)
	for name, change := range map[string]func(d *slice1.Desc){
		"packed strides written out": func(d *slice1.Desc) { d.Input.Strides, d.Output.Strides = []int{5, 1, 1}, []int{1, 1, 1} },
		"strides of one element":     func(d *slice1.Desc) { d.Input.Strides, d.Output.Strides = []int{5, 1, 9}, []int{1, 7, 8} },
		"steps never taken":          func(d *slice1.Desc) { d.WindowStrides = []int{-2, 4, -1} },
		"promises":                   func(d *slice1.Desc) { d.Input.TotalSize, d.Output.BaseAlign = 100, 64 },
	} {
		d := plain()
		change(d)
		assert.Equal(t, key, d.Key(), name)
	}
	for name, change := range map[string]func(d *slice1.Desc){
		"type":           func(d *slice1.Desc) { d.Input.DataType, d.Output.DataType = slice1.Int16, slice1.Int16 },
		"offset":         func(d *slice1.Desc) { d.WindowOffsets[0] = 2 },
		"window size":    func(d *slice1.Desc) { d.WindowSizes[0] = 5 },
		"stride":         func(d *slice1.Desc) { d.WindowStrides[0] = -1 },
		"direction":      func(d *slice1.Desc) { d.WindowStrides[1] = -1 },
		"output":         func(d *slice1.Desc) { d.Output.Sizes[1] = 2 },
		"output stride":  func(d *slice1.Desc) { d.Output.Strides = []int{3, 1, 1} },
		"input stride":   func(d *slice1.Desc) { d.Input.Strides = []int{6, 1, 1} },
		"input extent":   func(d *slice1.Desc) { d.Input.Sizes[0], d.Input.Strides = 7, []int{5, 1, 1} },
		"last row alone": func(d *slice1.Desc) { d.Output.Sizes[0] = 1 },
	} {
		d := plain()
		change(d)
		require.NoError(t, d.Validate(), name)
		assert.NotEqual(t, key, d.Key(), name)
	}
	for range 300 { // plans of equal keys, the second one written in another way
		d := randomDesc(rng)
		e := *d
		e.WindowStrides = slices.Clone(d.WindowStrides)
		for i, n := range d.Output.Sizes {
			if n == 1 {
				e.WindowStrides[i] *= 1 + rng.IntN(3)
			}
		}
		require.Equal(t, d.Key(), e.Key())
		b := fill(d, 0, rng)
		offsets := corners(d, rng, 1)[2]
		want, got := make([]byte, len(b.dst)), make([]byte, len(b.dst))
		require.NoError(t, newPlan(t, d).RunAt(want, b.src, offsets...))
		require.NoError(t, newPlan(t, &e).RunAt(got, b.src, offsets...))
		require.Equal(t, want, got)
	}
	for _, wrong := range faults {
		d := valid()
		wrong.breakIt(d)
		assert.Empty(t, d.Key(), wrong.name)
	}
	assert.Empty(t, (*slice1.Desc)(nil).Key())
}

func TestPlansSayHowLongBuffersAre(t *testing.T) {
	p := newPlan(t, valid())
	assert.EqualValues(t, 64, p.DstSize())
	assert.EqualValues(t, 480, p.SrcSize())
	assert.Equal(t, slice1.Float32, p.SrcType())
	for _, p := range []*slice1.Plan{nil, new(slice1.Plan)} {
		assert.Zero(t, p.DstSize())
		assert.Zero(t, p.SrcSize())
	}
}
