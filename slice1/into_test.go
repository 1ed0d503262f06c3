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
		d, offset, err := w.Into(tensor)
		require.NoError(t, err)
		require.Equal(t, tensor.TotalSize-offset, d.Output.TotalSize)
		count := size
		for _, n := range w.Out {
			count *= n
		}
		src, dst := randomBytes(count), randomBytes(total)
		want := slices.Clone(dst)
		require.NoError(t, slice1.CopyBytes(dst[offset:], src, d))
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
		{row, slice1.TensorDesc{DataType: 99, Sizes: []int{4, 5}}, slice1.ErrDataType},
		{row, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{4}}, slice1.ErrRank},
		{row, slice1.TensorDesc{DataType: slice1.Int64, Sizes: []int{math.MaxInt, math.MaxInt}, TotalSize: 1}, slice1.ErrOverflow},
	} {
		d, offset, err := c.w.Into(c.t)
		require.ErrorIs(t, err, c.is)
		if c.is != nil {
			require.Nil(t, d)
			require.Zero(t, offset)
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
		{dst[:11], make([]uint8, 4), "[0]", slice1.ErrBuffer, "slice1: dst: 11 bytes, needs 12"},
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
