package slice1_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Into writes the elements that Of takes, and nothing else.
func TestIntoIsTheInverseOfOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 1))
	for range 3000 {
		from := smallDesc(rng)
		tensor := from.Output // without elements that share memory
		tensor.TotalSize, tensor.BaseAlign = 0, 0
		window := new(slice1.Desc)
		for _, n := range tensor.Sizes {
			randomWindow(rng, window, n)
		}
		w := slice1.Window{Offsets: window.WindowOffsets, Sizes: window.WindowSizes, Strides: window.WindowStrides, Out: window.Output.Sizes}
		size := tensor.DataType.Size()
		total := elementsOf(t, tensor) * size
		tensor.TotalSize = int64(total)
		into, err := w.Into(tensor)
		require.NoError(t, err)
		require.Equal(t, tensor.TotalSize-into.Offset, into.Desc.Output.TotalSize)
		count := size
		for _, n := range w.Out {
			count *= n
		}
		src, dst := randomBytes(count), randomBytes(total)
		want := slices.Clone(dst)
		require.NoError(t, slice1.CopyBytes(dst[into.Offset:], src, into.Desc))
		back := make([]byte, count)
		require.NoError(t, slice1.CopyBytes(back, dst, w.Of(tensor)))
		require.Equal(t, src, back)
		of := w.Of(tensor)
		of.Input.Strides, of.Output.Strides = stridesOf(of.Input), stridesOf(of.Output)
		for _, m := range moves(of) {
			copy(want[m.from:], dst[m.from:m.from+size])
		}
		require.Equal(t, want, dst)
	}
}

func TestIntoRefuses(t *testing.T) {
	whole := slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{4, 5}}
	row := slice1.Window{Offsets: []int{1, 0}, Sizes: []int{1, 5}, Strides: []int{1, 1}, Out: []int{1, 5}}
	empty, outside, broadcast := row, row, whole
	empty.Out = []int{0, 5}
	outside.Offsets = []int{4, 0}
	broadcast.Strides = []int{0, 1}
	for _, c := range []struct {
		w  slice1.Window
		t  slice1.TensorDesc
		is error
	}{
		{empty, whole, slice1.ErrEmpty},
		{outside, whole, slice1.ErrWindow},
		{row, broadcast, slice1.ErrOverlap},
		{row, slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{4, 5}, Strides: []int{2, 1}}, nil}, // one row is apart from the others' elements
		{slice1.Window{Offsets: []int{0, 0}, Sizes: []int{2, 5}, Strides: []int{1, 1}, Out: []int{2, 5}},
			slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{4, 5}, Strides: []int{2, 1}}, slice1.ErrOverlap},
		{slice1.Window{Offsets: []int{0, 0}, Sizes: []int{1, 4}, Strides: []int{1, 1}, Out: []int{1, 4}},
			slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{3, 4}, Strides: []int{1, 1}}, nil}, // rows share elements, of which the window takes one row
		{slice1.Window{Offsets: []int{0, 0}, Sizes: []int{2, 4}, Strides: []int{1, 1}, Out: []int{2, 4}},
			slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{3, 4}, Strides: []int{1, 1}}, slice1.ErrOverlap},
		{row, slice1.TensorDesc{DataType: 99, Sizes: []int{4, 5}}, slice1.ErrDataType},
		{row, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{4}}, slice1.ErrRank},
		{row, slice1.TensorDesc{DataType: slice1.Int64, Sizes: []int{math.MaxInt, math.MaxInt}, TotalSize: 1}, slice1.ErrOverflow},
	} {
		into, err := c.w.Into(c.t)
		require.ErrorIs(t, err, c.is)
		if c.is != nil {
			require.Zero(t, into)
		}
	}
}

// Neighbours of a window may be as far apart as an int counts. A step along an axis of which the
// window takes one element may be any.
func TestIntoTakesTheLongestStrides(t *testing.T) {
	const half = math.MaxInt / 2
	into := func(offset, step, out, stride int) (slice1.Shard, error) {
		w := slice1.Window{Offsets: []int{offset}, Sizes: []int{3 - offset}, Strides: []int{step}, Out: []int{out}}
		return w.Into(slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{3}, Strides: []int{stride}})
	}
	for _, step := range []int{2, -2} {
		s, err := into(0, step, 2, half)
		require.NoError(t, err)
		require.Equal(t, []int{2 * half}, s.Desc.Output.Strides)
		require.Zero(t, s.Offset)
	}
	for _, step := range []int{math.MinInt, math.MaxInt} {
		s, err := into(1, step, 1, half)
		require.NoError(t, err, step)
		require.Equal(t, map[bool]int64{true: 2 * half, false: half}[step < 0], s.Offset)
	}
	_, err := into(0, 2, 2, half+1) // on 64 bits the tensor alone has too many bytes
	require.ErrorIs(t, err, slice1.ErrOverflow)
	if math.MaxInt == math.MaxInt32 {
		require.EqualError(t, err, "slice1: Strides[0] is 1073741824, must be at most 1073741823 in steps of 2")
	}
}

// Part skips elements of any type, and is empty where a shard has no place.
func TestPart(t *testing.T) {
	dst := []uint16{0, 1, 2, 3, 4, 5}
	d := slice1.Whole(slice1.Float32, 2)
	require.Equal(t, dst, slice1.Part(dst, slice1.Shard{Desc: d}))
	require.Equal(t, dst[2:], slice1.Part(dst, slice1.Shard{Desc: d, Offset: 8}))
	require.Equal(t, dst[5:], slice1.Part(dst, slice1.Shard{Desc: d, Offset: 20}))
	for _, s := range []slice1.Shard{
		{}, {Offset: 4}, {Desc: new(slice1.Desc)}, {Desc: slice1.Whole(99, 2), Offset: 4},
		{Desc: d, Offset: 24}, {Desc: d, Offset: math.MaxInt64 - 3}, {Desc: d, Offset: -4}, {Desc: d, Offset: math.MinInt64},
		{Desc: d, Offset: 1}, {Desc: d, Offset: 6},
	} {
		require.Empty(t, slice1.Part(dst, s), "%+v", s)
		require.Empty(t, slice1.Part([]float64(nil), s))
	}
}

// A window is written by Into, Part and a run into the same elements as by Assign, with the same
// type and with a conversion.
func TestPartIsWhereIntoWrites(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 5))
	for range 2000 {
		shape, src := []int{1 + rng.IntN(4), 1 + rng.IntN(5), 1 + rng.IntN(6)}, []float32(nil)
		window := new(slice1.Desc)
		for _, n := range shape {
			randomWindow(rng, window, n)
		}
		w := slice1.Window{Offsets: window.WindowOffsets, Sizes: window.WindowSizes, Strides: window.WindowStrides, Out: window.Output.Sizes}
		for range w.Out[0] * w.Out[1] * w.Out[2] {
			src = append(src, float32(rng.IntN(256)))
		}
		want := make([]float32, shape[0]*shape[1]*shape[2])
		next := 0
		first := func(i int) int {
			if w.Strides[i] < 0 {
				return w.Offsets[i] + w.Sizes[i] - 1
			}
			return w.Offsets[i]
		}
		for i := range w.Out[0] {
			for j := range w.Out[1] {
				for k := range w.Out[2] {
					at := (first(0)+i*w.Strides[0])*shape[1] + first(1) + j*w.Strides[1]
					want[at*shape[2]+first(2)+k*w.Strides[2]] = src[next]
					next++
				}
			}
		}
		into, err := w.Into(slice1.TensorDesc{DataType: slice1.Float32, Sizes: shape})
		require.NoError(t, err)
		got, bytes := make([]float32, len(want)), make([]uint8, len(want))
		require.NoError(t, slice1.Copy(slice1.Part(got, into), src, into.Desc))
		require.Equal(t, want, got)
		require.NoError(t, slice1.Copy(slice1.Part(bytes, into), src, into.Desc, slice1.WithNumbers(slice1.Uint8, slice1.Affine{})))
		for i, v := range want {
			require.Equal(t, uint8(v), bytes[i])
		}
	}
}

func TestAssign(t *testing.T) {
	array := func() []int16 { return []int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} }
	shape := []int{3, 4}
	for _, c := range []struct {
		expr string
		src  []int16
		want []int16
	}{
		{"[1]", []int16{-1, -2, -3, -4}, []int16{1, 2, 3, 4, -1, -2, -3, -4, 9, 10, 11, 12}},
		{"[::2, ::-1]", []int16{-1, -2, -3, -4, -5, -6, -7, -8}, []int16{-4, -3, -2, -1, 5, 6, 7, 8, -8, -7, -6, -5}},
		{"[:, 1::2]", []int16{0}, []int16{1, 0, 3, 0, 5, 0, 7, 0, 9, 0, 11, 0}},
		{"[2, 3]", []int16{0}, []int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0}},
		{"[::-1, newaxis, -1]", []int16{-1, -2, -3}, []int16{1, 2, 3, -3, 5, 6, 7, -2, 9, 10, 11, -1}},
		{"[3:]", nil, array()},
		{"[3:]", []int16{7}, array()},
		{"[...]", []int16{0}, make([]int16, 12)},
	} {
		dst := array()
		require.NoError(t, slice1.Assign(dst, shape, c.expr, c.src), c.expr)
		require.Equal(t, c.want, dst, c.expr)
	}
	dst := array()
	require.NoError(t, slice1.Assign(dst, shape, "[...]", dst[5:6])) // which is read before it is written
	require.Equal(t, slices.Repeat([]int16{6}, 12), dst)
	scalar := []int16{1}
	require.NoError(t, slice1.Assign(scalar, nil, "[...]", []int16{5}))
	require.Equal(t, []int16{5}, scalar)
}

func TestAssignRefuses(t *testing.T) {
	dst := make([]uint8, 12)
	for _, c := range []struct {
		dst, src []uint8
		expr     string
		is       error
		text     string
	}{
		{dst, make([]uint8, 3), "[1]", slice1.ErrSize, "slice1: src has 3 values, the window takes 4: must have one for each or one for all"},
		{dst, nil, "[1]", slice1.ErrSize, "slice1: src has 0 values, the window takes 4: must have one for each or one for all"},
		{dst, make([]uint8, 2), "[3:]", slice1.ErrSize, "slice1: src has 2 values, the window takes 0: must have one for each or one for all"},
		{dst[:11], make([]uint8, 4), "[0]", slice1.ErrBuffer, "slice1: dst has 11 bytes, needs 12"},
		{dst, dst[:4], "[0]", slice1.ErrOverlap, "slice1: dst and src share 4 bytes, none of which may be both read and written"},
		{dst, make([]uint8, 4), "[5]", slice1.ErrWindow, ""},
		{dst, make([]uint8, 4), "[", slice1.ErrSyntax, ""},
	} {
		err := slice1.Assign(c.dst, []int{3, 4}, c.expr, c.src)
		require.ErrorIs(t, err, c.is)
		if c.text != "" {
			require.EqualError(t, err, c.text)
		}
	}
	require.Equal(t, make([]uint8, 12), dst)
}

// move is one copied element: the bytes of the source and of the destination at which it begins.
type move struct{ from, to int }

// moves lists what a descriptor copies, by the operator's formula. Both tensors must have their
// strides written out.
func moves(d *slice1.Desc) []move {
	size := d.Input.DataType.Size()
	all := []move{{}}
	for i, extent := range d.Output.Sizes {
		start, stride := d.WindowOffsets[i], d.WindowStrides[i]
		if stride < 0 {
			start += d.WindowSizes[i] - 1
		}
		var next []move
		for _, m := range all {
			for k := range extent {
				next = append(next, move{m.from + (start+stride*k)*d.Input.Strides[i]*size, m.to + k*d.Output.Strides[i]*size})
			}
		}
		all = next
	}
	return all
}
