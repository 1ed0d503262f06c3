package slice1_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// What NewPlan with numbers, WithAffine and runs refuse, with the error's text. Nothing is written.
func TestConversionsRefuse(t *testing.T) {
	d := slice1.Whole(slice1.Uint8, 4, 3)
	three := []float32{1, 2, 3}
	changed := func(change func(d *slice1.Desc)) *slice1.Desc {
		d := slice1.Whole(slice1.Uint8, 4, 3)
		change(d)
		return d
	}
	made := func(d *slice1.Desc, to slice1.DataType, a slice1.Affine) error {
		c, err := slice1.NewPlan(d, slice1.WithNumbers(to, a))
		require.Nil(t, c)
		copied := slice1.Copy(make([]float32, 99), make([]uint8, 99), d, slice1.WithNumbers(to, a))
		require.Equal(t, err, copied)
		return err
	}
	c, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float16, slice1.Affine{}))
	require.NoError(t, err)
	with := func(a slice1.Affine) error {
		other, err := c.WithAffine(a)
		require.Nil(t, other)
		return err
	}
	dst, src := slices.Repeat([]uint16{0x1234}, 12), make([]uint8, 12)
	for _, c := range []struct {
		err  error
		is   error
		text string
	}{
		{made(nil, slice1.Float32, slice1.Affine{}), slice1.ErrRank, "Desc is nil"},
		{made(d, 0, slice1.Affine{}), slice1.ErrDataType, "dstType is not set"},
		{made(d, 99, slice1.Affine{}), slice1.ErrDataType, "dstType is 99, which is no data type; these are 1 to 11 and 65536"},
		{made(d, slice1.BFloat16+1, slice1.Affine{}), slice1.ErrDataType, "dstType is 65537, which is no data type; these are 1 to 11 and 65536"},
		{made(changed(func(d *slice1.Desc) { d.Output.DataType = slice1.Float32 }), slice1.Float32, slice1.Affine{}), slice1.ErrDataType, "Output.DataType is float32, must be uint8 like the input's; WithNumbers converts"},
		{made(changed(func(d *slice1.Desc) { d.Output.TotalSize = 47 }), slice1.Float32, slice1.Affine{}), slice1.ErrTotalSize, "Output.TotalSize is 47, must be at least 48 bytes"},
		{made(changed(func(d *slice1.Desc) { d.Output.BaseAlign = 3 }), slice1.Float32, slice1.Affine{}), slice1.ErrAlign, "Output.BaseAlign is 3 bytes, the nearest alignment is 4"},
		{made(changed(func(d *slice1.Desc) { d.Output.BaseAlign = 2 }), slice1.Float32, slice1.Affine{}), slice1.ErrAlign, "Output.BaseAlign is 2 bytes, the nearest alignment is 4"},
		{made(changed(func(d *slice1.Desc) { d.Output.Strides = []int{2, 1} }), slice1.Float32, slice1.Affine{}), slice1.ErrOverlap, "Output.Strides[0] is 2, by which elements overlap; at least 3 keeps them apart"},
		{made(changed(func(d *slice1.Desc) { d.WindowSizes[1] = 4 }), slice1.Float32, slice1.Affine{}), slice1.ErrWindow, "WindowSizes[1] is 4, must be at most 3: the window is empty or leaves the input"},
		{made(slice1.Whole(slice1.Uint8, math.MaxInt32, math.MaxInt32, 4), slice1.Float32, slice1.Affine{}), slice1.ErrOverflow, ""},
		{made(d, slice1.Float32, slice1.Affine{Axis: 2, Scale: three}), slice1.ErrRank, "Affine.Axis is 2, must be the output axis along which the values go, 0 to 1"},
		{made(d, slice1.Float16, slice1.Affine{Axis: -1, Bias: three}), slice1.ErrRank, "Affine.Axis is -1, must be the output axis along which the values go, 0 to 1"},
		{made(d, slice1.Float16, slice1.Affine{Axis: -2, Bias: three}), slice1.ErrRank, "Affine.Axis is -2, must be the output axis along which the values go, 0 to 1"},
		{with(slice1.Affine{Axis: 1, Scale: three}), slice1.ErrSize, "Affine.Scale has 3 values, the plan has 1"},
		{with(slice1.Affine{Axis: 1, Scale: three[:1], Bias: three}), slice1.ErrSize, "Affine.Bias has 3 values, the plan has 1"},
		{made(d, slice1.Float16, slice1.Affine{Axis: 0, Scale: three}), slice1.ErrSize, "Affine.Scale has 3 values, output axis 0 has extent 4: must have one for each or one for all"},
		{made(d, slice1.Float16, slice1.Affine{Axis: 1, Scale: three, Bias: three[:2]}), slice1.ErrSize, "Affine.Bias has 2 values, output axis 1 has extent 3: must have one for each or one for all"},
		{made(d, slice1.Int8, slice1.Affine{Axis: 1, Scale: make([]float32, 4)}), slice1.ErrSize, "Affine.Scale has 4 values, output axis 1 has extent 3: must have one for each or one for all"},
		{slice1.Run(c, dst[:11], src), slice1.ErrBuffer, "dst has 22 bytes (11 elements), needs 24 (12)"},
		{slice1.Run(c, dst, src[:11]), slice1.ErrBuffer, "src has 11 bytes, needs 12"},
		{c.Run(make([]byte, 23), src), slice1.ErrBuffer, "dst has 23 bytes (11 elements), needs 24 (12)"},
		{c.Run(nil, nil), slice1.ErrBuffer, "dst has 0 bytes (0 elements), needs 24 (12)"},
		{slice1.Run(c, reinterpret[int16](dst), src), slice1.ErrDataType, "dst has elements of type int16, the plan writes float16"},
		{slice1.Run(c, make([]float32, 12), src), slice1.ErrDataType, "dst has elements of type float32, the plan writes float16"},
		{slice1.Run(c, dst, make([]int8, 12)), slice1.ErrDataType, "src has elements of type int8, the plan reads uint8"},
		{slice1.RunAt(c, dst, make([]uint16, 12), 0, 0), slice1.ErrDataType, "src has elements of type uint16, the plan reads uint8"},
		{slice1.Copy(make([]uint8, 12), src, d, slice1.WithNumbers(slice1.Int8, slice1.Affine{})), slice1.ErrDataType, "dst has elements of type uint8, the plan writes int8"},
		{slice1.Copy(make([]uint16, 12), make([]uint8, 12), slice1.Whole(slice1.Int8, 12), slice1.WithNumbers(slice1.BFloat16, slice1.Affine{})), slice1.ErrDataType, "src has elements of type uint8, the plan reads int8"},
	} {
		require.ErrorIs(t, c.err, c.is, c.text)
		if c.text != "" {
			require.EqualError(t, c.err, "slice1: "+c.text)
		}
		var place *slice1.DescError
		require.True(t, errors.As(c.err, &place))
	}
	_, err = slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, slice1.Affine{}), slice1.WithKernel("mmx"))
	require.ErrorIs(t, err, slice1.ErrKernel)
	require.ErrorIs(t, slice1.Copy(make([]float32, 12), src, d, slice1.WithNumbers(slice1.Float32, slice1.Affine{}), slice1.WithKernel("mmx")), slice1.ErrKernel)
	require.Equal(t, slices.Repeat([]uint16{0x1234}, 12), dst, "nothing is written")
}

// Nil and zero plans write nothing; the text of their error names the function that makes one.
func TestConversionsThatNothingMade(t *testing.T) {
	for _, c := range []*slice1.Plan{nil, new(slice1.Plan)} {
		_, with := c.WithAffine(slice1.Affine{})
		for _, err := range []error{
			with, c.Run(nil, nil), c.RunContext(context.Background(), nil, nil), c.RunAt(nil, nil), c.RunAtContext(context.Background(), nil, nil, 1, 2),
			slice1.Run(c, []uint8{1}, []uint8{2}), slice1.RunAt(c, []float32{1}, []int16{2}, 0),
		} {
			require.ErrorIs(t, err, slice1.ErrPlan)
			require.ErrorContains(t, err, "NewPlan")
		}
		require.Zero(t, c.SrcType())
		require.Zero(t, c.DstType())
		require.Zero(t, c.DstSize())
		require.Zero(t, c.SrcSize())
		require.Contains(t, c.String(), "NewPlan")
	}
}

// Output.Strides count elements of the destination, and Output.TotalSize and BaseAlign are of it,
// too.
func TestOutputsOfConversionsAreOfTheirType(t *testing.T) {
	for _, from := range converted {
		for _, to := range converted {
			size := to.Size()
			d := slice1.Whole(from, 4)
			d.Output.Strides = []int{3}
			d.Output.TotalSize = int64(10 * size)
			d.Output.BaseAlign = 8
			c, err := slice1.NewPlan(d, slice1.WithNumbers(to, slice1.Affine{}))
			require.NoError(t, err)
			require.Equal(t, []any{from, to, int64(10 * size), int64(4 * from.Size())}, []any{c.SrcType(), c.DstType(), c.DstSize(), c.SrcSize()})
			dst := slices.Repeat([]byte{canary}, 11*size)
			require.NoError(t, c.Run(dst, make([]byte, 4*from.Size())))
			for i, b := range dst {
				element := i / size
				require.Equal(t, element%3 == 0 && element < 10, b == 0, "byte %d", i)
			}
			d.Output.TotalSize--
			_, err = slice1.NewPlan(d, slice1.WithNumbers(to, slice1.Affine{}))
			require.ErrorIs(t, err, slice1.ErrTotalSize)
		}
	}
}

// A destination whose bytes 63 bits cannot count is an error, and a slightly smaller one is not.
// The source is the same in both cases.
func TestDestinationsOfMoreThan63Bits(t *testing.T) {
	d := slice1.Whole(slice1.Uint8, 2)
	for stride, fits := range map[int]bool{math.MaxInt/4 - 1: true, math.MaxInt / 4: math.MaxInt < math.MaxInt64, math.MaxInt - 1: math.MaxInt < math.MaxInt64} {
		d.Output.Strides = []int{stride}
		require.NoError(t, d.Validate())
		_, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, slice1.Affine{}))
		if fits {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, slice1.ErrOverflow)
		}
	}
}

// WithAffine gives the same plan other values. The original plan stays unchanged.
func TestConversionsWithOtherValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 2))
	d, err := slice1.Whole(slice1.Uint8, 9, 11, 3).Permute(2, 0, 1)
	require.NoError(t, err)
	src := randomBytes(297)
	affines := []slice1.Affine{
		{Scale: randomFloats(rng, 3), Bias: randomFloats(rng, 3)}, {Scale: randomFloats(rng, 3)}, {Scale: randomFloats(rng, 1), Bias: randomFloats(rng, 3)}, {Bias: randomFloats(rng, 3)},
	}
	for _, kernel := range usableKernels() {
		first, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float16, affines[0]), slice1.WithKernel(kernel))
		require.NoError(t, err)
		c := first
		check := func(c *slice1.Plan, a slice1.Affine) {
			want, got := make([]byte, 594), make([]byte, 594)
			convertSlowly(d, slice1.Float16, src, binary.NativeEndian, a, func(_, to int, y float64) { put(slice1.Float16, want[2*to:], y) })
			require.NoError(t, c.Run(got, src))
			sameNumbers(t, slice1.Float16, want, got, c.String)
			tested(t, kernel)
		}
		for _, a := range affines {
			given := slice1.Affine{Axis: a.Axis, Scale: slices.Clone(a.Scale), Bias: slices.Clone(a.Bias)}
			c, err = c.WithAffine(given)
			require.NoError(t, err)
			for _, values := range [][]float32{given.Scale, given.Bias} { // which is not kept
				for i := range values {
					values[i] = 1e9
				}
			}
			check(c, a)
			check(first, affines[0])
		}
		for _, wrong := range []slice1.Affine{{}, {Scale: make([]float32, 1)}, {Scale: make([]float32, 2)}, {Bias: make([]float32, 9)}} {
			_, err = c.WithAffine(wrong)
			require.ErrorIs(t, err, slice1.ErrSize)
		}
		_, err = c.WithAffine(slice1.Affine{Axis: 1, Scale: make([]float32, 3)})
		require.ErrorIs(t, err, slice1.ErrRank)
		require.EqualError(t, err, "slice1: Affine.Axis is 1, the plan's values go along axis 0")
		check(c, affines[len(affines)-1])
	}
}

// A conversion keeps no reference to the descriptor or to the values.
func TestConversionsKeepNothing(t *testing.T) {
	d := slice1.Whole(slice1.Int16, 3, 2)
	d.Input.Strides, d.Output.Strides = []int{2, 1}, []int{1, 3}
	a := slice1.Affine{Axis: 1, Scale: []float32{1, 2}, Bias: []float32{0, 1}}
	c, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, a))
	require.NoError(t, err)
	for _, list := range [][]int{d.Input.Sizes, d.Input.Strides, d.Output.Sizes, d.Output.Strides, d.WindowOffsets, d.WindowSizes, d.WindowStrides} {
		for i := range list {
			list[i] = -9
		}
	}
	a.Scale[0], a.Scale[1], a.Bias[0], a.Bias[1] = 7, 7, 7, 7
	got := make([]float32, 6)
	require.NoError(t, slice1.Run(c, got, []int16{1, 2, 3, 4, 5, 6}))
	require.Equal(t, []float32{1, 3, 5, 5, 9, 13}, got)
	clear(got)
	require.NoError(t, slice1.RunAt(c, got, []int16{1, 2, 3, 4, 5, 6}, 0, 0))
	require.Equal(t, []float32{1, 3, 5, 5, 9, 13}, got)
}

// A context that is done before or during a run ends it. Before the first part nothing has been
// written. Later each element is either written or unchanged.
func TestConversionsStopBetweenParts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, types := range [][2]slice1.DataType{{slice1.Uint8, slice1.Float32}, {slice1.Float32, slice1.Int16}} {
		const h, w = 2000, 1500
		d, err := slice1.Whole(types[0], h, w).Permute(1, 0)
		require.NoError(t, err)
		size := types[1].Size()
		src, dst, whole := make([]byte, h*w*types[0].Size()), make([]byte, h*w*size), make([]byte, size)
		put(types[1], whole, 257) // its bytes differ
		for _, parallelism := range []int{1, 0} {
			for _, kernel := range usableKernels() {
				for i := range dst {
					dst[i] = canary
				}
				c, err := slice1.NewPlan(d, slice1.WithNumbers(types[1], slice1.Affine{Bias: []float32{257}}), slice1.WithKernel(kernel), slice1.WithParallelism(parallelism))
				require.NoError(t, err)
				done, cancel := context.WithCancel(context.Background())
				cancel()
				require.ErrorIs(t, c.RunContext(done, dst, src), context.Canceled)
				require.ErrorIs(t, c.RunAtContext(done, dst, src, 0, 0), context.Canceled)
				require.Equal(t, len(dst), bytes.Count(dst, []byte{canary}), "a context that is done from the start")

				ctx := &countdown{Context: done} // which has a channel, and its count decides
				require.ErrorIs(t, c.RunContext(ctx, dst, src), context.DeadlineExceeded)
				written := 0
				unchanged := slices.Repeat([]byte{canary}, size)
				for at := 0; at < len(dst); at += size {
					if element := dst[at : at+size]; bytes.Equal(element, whole) {
						written++
					} else if !bytes.Equal(element, unchanged) {
						t.Fatalf("%s: part of the element at byte %d: %v", kernel, at, element)
					}
				}
				require.Positive(t, written)
				require.Less(t, written, h*w)
				require.NoError(t, c.RunContext(context.Background(), dst, src))
				require.True(t, bytes.Equal(bytes.Repeat(whole, h*w), dst), "%v", c)
			}
		}
	}
}

// A conversion on one goroutine looks at its context before each 2 MiB of output, or more often,
// whatever the sizes of its elements are and whatever a part is.
func TestConversionsLookEvery2MiB(t *testing.T) {
	const size, looks = 5 << 20, 2
	src, dst, unchanged := make([]byte, size*4), make([]byte, size), bytes.Repeat([]byte{canary}, size)
	for _, from := range []slice1.DataType{slice1.Uint8, slice1.Int16, slice1.Float32} {
		for _, to := range []slice1.DataType{slice1.Uint8, slice1.Int16, slice1.Float32} {
			rows := slice1.Whole(from, 1<<10, size/to.Size()>>10)
			turned, err := rows.Permute(1, 0)
			require.NoError(t, err)
			for _, d := range []*slice1.Desc{rows, turned} {
				for _, kernel := range usableKernels() {
					copy(dst, unchanged)
					c, err := slice1.NewPlan(d, slice1.WithNumbers(to, slice1.Affine{}), slice1.WithKernel(kernel), slice1.WithParallelism(1))
					require.NoError(t, err)
					require.ErrorIs(t, c.RunContext(&countdown{Context: context.Background(), looks: 4 - looks}, dst, src), context.DeadlineExceeded, "%v", c) // done from the fifth look on
					written := size - bytes.Count(dst, []byte{canary})
					require.Positive(t, written)
					require.LessOrEqual(t, written, looks*2<<20, "%v", c)
				}
			}
		}
	}
}

// The cache's entry for one conversion serves no conversion with other types, another byte order,
// axis of values, kernel or slice.
func TestCachedConversionsAreNotMixedUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 3))
	for range 3 {
		for _, from := range converted {
			for _, to := range converted {
				for _, axis := range []int{0, 1, -1} {
					d := slice1.Whole(from, 8, 8)
					a := slice1.Affine{Axis: axis}
					if axis >= 0 {
						a.Scale = randomFloats(rng, 8)
					}
					checkConversion(t, rng, d, to, a)
				}
			}
		}
	}
}

// A conversion's text says what it does.
func TestConversionsExplainThemselves(t *testing.T) {
	d, err := slice1.Whole(slice1.Uint8, 20, 30, 3).Permute(2, 0, 1)
	require.NoError(t, err)
	c, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.BFloat16, slice1.Affine{}), slice1.WithKernel("go"))
	require.NoError(t, err)
	require.Equal(t, `uint8 to bfloat16, kernel go, kind slice convert, 1800 elements of 1 byte, 1 part on 1 goroutine
for 3: source +1, destination +1200
  for 600: source +3, destination +2
    convert 1 byte, first from source 0 to destination 0`, c.String())
}

// dst and src lie in one memory. Runs are refused exactly where an output element shares a byte
// with an element that is taken, and give the right result elsewhere.
func TestConversionsInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 5))
	accepted, refused := 0, 0
	for i := range 4000 {
		from, to := converted[i%8], converted[i/8%8]
		d := slice1.NewDesc(from, []int{3, 40}, slice1.Window{Offsets: []int{0, rng.IntN(8)}, Sizes: []int{3, 32}, Strides: []int{1, []int{1, 4, 8, -8}[rng.IntN(4)]}, Out: []int{3, 1 + rng.IntN(4)}})
		d.Output.Strides = []int{4 + rng.IntN(40), 1 + rng.IntN(8)}
		if d.Validate() != nil {
			continue
		}
		memory := make([]byte, 2000)
		for i := range memory {
			memory[i] = byte(rng.IntN(60))
		}
		s := memory[rng.IntN(400):][:120*from.Size()]
		o := memory[rng.IntN(800):][:elementsOf(t, d.Output)*to.Size()]
		before, want := slices.Clone(s), slices.Clone(o)
		taken, written := map[uintptr]bool{}, map[uintptr]bool{}
		convertSlowly(d, to, before, binary.NativeEndian, slice1.Affine{}, func(at, i int, y float64) {
			for b := range from.Size() {
				taken[uintptr(unsafe.Pointer(&s[at*from.Size()+b]))] = true
			}
			for b := range to.Size() {
				written[uintptr(unsafe.Pointer(&o[i*to.Size()+b]))] = true
			}
			put(to, want[i*to.Size():], y)
		})
		shared := false
		for b := range taken {
			shared = shared || written[b]
		}
		c, err := slice1.NewPlan(d, slice1.WithNumbers(to, slice1.Affine{}), slice1.WithKernel(usableKernels()[rng.IntN(len(usableKernels()))]))
		require.NoError(t, err)
		if err = c.Run(o, s); shared {
			require.ErrorIs(t, err, slice1.ErrOverlap)
			require.ErrorContains(t, err, "share")
			require.Equal(t, before, s)
			refused++
			continue
		}
		require.NoError(t, err)
		accepted++
		sameNumbers(t, to, want, o, c.String)
	}
	require.Greater(t, accepted, 500)
	require.Greater(t, refused, 500)
}

// Every distance of dst from src, for rows whose loops can be told apart in 8 axes at most.
// Elements become wider, become narrower, or keep their width.
func TestConversionsInPlaceAtEveryDistance(t *testing.T) {
	for _, from := range converted {
		for _, to := range []slice1.DataType{slice1.Uint8, slice1.Float16, slice1.Float32} {
			row := slice1.Whole(from, 8)
			eight := slice1.Whole(from, 2, 2, 2, 2, 2, 2, 2, 2)
			for i := range 8 {
				eight.WindowStrides[i] = 1 - 2*(i&1)
			}
			for _, d := range []*slice1.Desc{row, eight} {
				c, err := slice1.NewPlan(d, slice1.WithNumbers(to, slice1.Affine{}))
				require.NoError(t, err)
				in, out := int(c.SrcSize()), int(c.DstSize())
				memory := make([]byte, 2*in+out)
				dst := memory[in : in+out]
				for at := range in + out {
					err := c.Run(dst, memory[at:][:in])
					if at == 0 || at == in+out {
						require.NoError(t, err)
					} else {
						require.ErrorIs(t, err, slice1.ErrOverlap, "%v to %v, %d", from, to, at)
					}
				}
				require.NoError(t, c.Run(dst, memory[in+out:]))
			}
		}
	}
}
