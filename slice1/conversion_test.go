package slice1_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

func TestConversionsOfRandomSlices(t *testing.T) {
	count := 8000
	if testing.Short() {
		count = 1200
	}
	rng := rand.New(rand.NewPCG(28, 1))
	for i := range count {
		d := smallDesc(rng)
		d.Input.DataType = converted[i%8]
		d.Output.DataType = d.Input.DataType
		d.Input.TotalSize, d.Output.TotalSize, d.Input.BaseAlign, d.Output.BaseAlign = 0, 0, 0, 0
		checkConversion(t, rng, d, converted[i/8%8], randomAffine(rng, d.Output.Sizes))
	}
}

// pairs calls f with every pair of types, each pair in a subtest that runs beside others.
func pairs(t *testing.T, f func(t *testing.T, rng *rand.Rand, from, to slice1.DataType)) {
	for i, from := range converted {
		t.Run(from.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(28, uint64(i)))
			for _, to := range converted {
				f(t, rng, from, to)
			}
		})
	}
}

// Numbers of float64 are scaled in float64, and rounded once when they are stored.
func TestConversionsOfFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 1))
	for _, other := range converted {
		for _, n := range []int{1, 7, 16, 33, 512, 513, 1100} {
			a := slice1.Affine{Scale: randomFloats(rng, 1+(n-1)*(n%2)), Bias: randomFloats(rng, 1)}
			checkConversion(t, rng, slice1.Whole(slice1.Float64, n), other, a)
			checkConversion(t, rng, slice1.Whole(other, n), slice1.Float64, a)
		}
	}
}

// Rows without gaps, and rows where every second element is taken or made. They have all short
// lengths and some that are longer than a block that is converted at a time. There is one value for
// all elements, or one for each element.
func TestConversionsOfRowsOfEveryLength(t *testing.T) {
	lengths := []int{511, 512, 513, 1024, 1025, 5000}
	for n := 1; n <= 150; n++ {
		lengths = append(lengths, n)
	}
	pairs(t, func(t *testing.T, rng *rand.Rand, from, to slice1.DataType) {
		for i, n := range lengths {
			if testing.Short() && rng.IntN(3) > 0 && i >= 3 {
				continue
			}
			d := slice1.Whole(from, n)
			checkConversion(t, rng, d, to, slice1.Affine{Scale: randomFloats(rng, 1+(n-1)*(i%2)), Bias: randomFloats(rng, 1)})
			d = row(from, n, []int{2, -1, -2, 3}[i%4])
			d.Output.Strides = []int{1 + i/4%2}
			checkConversion(t, rng, d, to, slice1.Affine{Scale: randomFloats(rng, 1), Bias: randomFloats(rng, 1+(n-1)*(i%2))})
		}
	})
}

// Rows of all short lengths in the layouts of pictures, and large pictures of several parts. All
// pairs of types take turns.
func TestConversionsOfPictures(t *testing.T) {
	for i, from := range converted {
		t.Run(from.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(49, uint64(i)))
			turn := i
			for n := 1; n < 150; n++ {
				pictures(from, 3, n, func(d *slice1.Desc, axis int) {
					if turn++; testing.Short() && rng.IntN(5) > 0 {
						return
					}
					values := d.Output.Sizes[axis]
					checkConversion(t, rng, d, converted[turn%8], slice1.Affine{Axis: axis, Scale: randomFloats(rng, values), Bias: randomFloats(rng, values)})
				})
				turn++ // 36 layouts would have each type at each second length alone
			}
			pictures(from, 97, 211, func(d *slice1.Desc, axis int) {
				if turn++; !testing.Short() || rng.IntN(4) == 0 {
					checkConversion(t, rng, d, converted[turn%8], randomAffine(rng, d.Output.Sizes))
				}
			})
		})
	}
}

// pictures calls f with slices of a picture of four channels, and with the axis of its channels.
func pictures(dtype slice1.DataType, h, w int, f func(d *slice1.Desc, axis int)) {
	for _, step := range []int{1, -1, 2} {
		for _, channels := range []int{1, 3, 4} {
			wide := (w-1)*max(step, -step) + 1
			hwc := &slice1.Desc{
				Input:         slice1.TensorDesc{DataType: dtype, Sizes: []int{h, wide, 4}},
				Output:        slice1.TensorDesc{DataType: dtype, Sizes: []int{h, w, channels}},
				WindowOffsets: []int{0, 0, 0}, WindowSizes: []int{h, wide, channels}, WindowStrides: []int{1, step, 1},
			}
			f(hwc, 2)
			chw, _ := hwc.Permute(2, 0, 1)
			f(chw, 0)
			canvas := *hwc
			canvas.Output.Strides = []int{4*w + 5, 4, 1}
			f(&canvas, 2)
			packed := *hwc
			packed.Input.Sizes = []int{h, wide, channels}
			f(&packed, 2)
		}
	}
}

// Planes become the channels of pixels, with and without room for an alpha.
func TestConversionsOfPlanesToPixels(t *testing.T) {
	pairs(t, func(t *testing.T, rng *rand.Rand, from, to slice1.DataType) {
		for _, width := range []int{1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 300} {
			d, err := slice1.Whole(from, 3, 5, width).Permute(1, 2, 0)
			require.NoError(t, err)
			if rng.IntN(2) == 0 {
				d.Output.Strides = []int{4 * width, 4, 1}
			}
			d.WindowStrides[0] = 1 - 2*rng.IntN(2)
			checkConversion(t, rng, d, to, slice1.Affine{Axis: 2, Scale: randomFloats(rng, 3), Bias: randomFloats(rng, 3)})
		}
	})
}

// Values along axes of every length near those of the tables that repeat them.
func TestConversionsWithValuesAlongAxesOfEveryLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 3))
	lengths := []int{255, 256, 257, 300, 511, 512, 513, 1000}
	for n := 1; n < 70; n++ {
		lengths = append(lengths, n)
	}
	for i, n := range lengths {
		for axis := range 3 {
			sizes := []int{5, 7, 9}
			sizes[axis] = n
			for k := range 4 {
				to, one := converted[(i+5*k+axis)%8], 1+(n-1)*(k%2)
				checkConversion(t, rng, slice1.Whole(converted[(i+axis+k*(i/8))%8], sizes...), to, slice1.Affine{Axis: axis, Scale: randomFloats(rng, n), Bias: randomFloats(rng, one)})
			}
		}
	}
}

// Slices large enough for goroutines, run by several callers at once, with values on other axes.
func TestConversionsInParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	rng := rand.New(rand.NewPCG(28, 4))
	for _, types := range [][2]slice1.DataType{{slice1.Uint8, slice1.Float32}, {slice1.Int16, slice1.Float16}, {slice1.Float32, slice1.Uint8}} {
		h, w := 1100, 1+1300/types[1].Size()
		d := slice1.Whole(types[0], h, w, 3)
		d.WindowStrides = []int{-1, -1, 1}
		d, err := d.Permute(2, 0, 1)
		require.NoError(t, err)
		src, size := randomBytes(3*h*w*types[0].Size()), types[1].Size()
		affines := []slice1.Affine{{Axis: 0, Scale: randomFloats(rng, 3), Bias: randomFloats(rng, 3)}, {Axis: 1, Scale: randomFloats(rng, h)}, {Bias: randomFloats(rng, 1)}}
		var wants [3][]byte
		for i, a := range affines {
			wants[i] = make([]byte, 3*h*w*size)
			convertSlowly(d, types[1], src, binary.NativeEndian, a, func(_, to int, y float64) { put(types[1], wants[i][to*size:], y) })
		}
		for _, kernel := range usableKernels() {
			c, err := slice1.NewPlan(d, slice1.WithNumbers(types[1], affines[0]), slice1.WithKernel(kernel), slice1.WithParallelism(3))
			require.NoError(t, err)
			require.Regexp(t, fmt.Sprintf(`on [%d-4] goroutines?\n`, min(2, runtime.GOMAXPROCS(0))), c.String()) // 1 on wasm
			var wg sync.WaitGroup
			for i := range 6 {
				other, err := slice1.NewPlan(d, slice1.WithNumbers(types[1], affines[i%3]), slice1.WithKernel(kernel), slice1.WithParallelism(3))
				require.NoError(t, err)
				wg.Go(func() {
					got := make([]byte, len(wants[0]))
					if err := other.Run(got, src); err != nil {
						t.Error(err)
					}
					if !bytes.Equal(wants[i%3], got) {
						sameNumbers(goError{t}, types[1], wants[i%3], got, other.String)
					}
				})
			}
			wg.Wait()
			tested(t, kernel)
		}
	}
}

// goError fails a test from a goroutine of its own.
type goError struct{ *testing.T }

func (e goError) FailNow() { e.Fail() }

// A window at other offsets, by bytes and by numbers.
func TestConversionsAtOtherOffsets(t *testing.T) {
	var never context.Context // nil, which is never done
	d := slice1.NewDesc(slice1.Int16, []int{40, 50}, slice1.Window{Offsets: []int{3, 4}, Sizes: []int{20, 30}, Strides: []int{-1, 2}, Out: []int{20, 15}})
	src := make([]int16, 40*50)
	for i := range src {
		src[i] = int16(i * 31)
	}
	for _, to := range converted {
		c, err := slice1.NewPlan(d, slice1.WithNumbers(to, slice1.Affine{Axis: 1, Scale: randomFloats(rand.New(rand.NewPCG(1, 1)), 15)}))
		require.NoError(t, err)
		require.Equal(t, []int64{300 * int64(to.Size()), 4000}, []int64{c.DstSize(), c.SrcSize()})
		for _, at := range [][]int{{0, 0}, {3, 4}, {20, 20}} {
			moved := *d
			moved.WindowOffsets = at
			want := make([]byte, c.DstSize())
			convertSlowly(&moved, to, slice1.Bytes(src), binary.NativeEndian, slice1.Affine{Axis: 1, Scale: randomFloats(rand.New(rand.NewPCG(1, 1)), 15)},
				func(_, i int, y float64) { put(to, want[i*to.Size():], y) })
			runs := []func(dst []byte) error{
				func(dst []byte) error { return c.RunAt(dst, slice1.Bytes(src), at...) },
				func(dst []byte) error { return c.RunAtContext(never, dst, slice1.Bytes(src), at...) },
				func(dst []byte) error { return convertAt(c, dst, src, at...) },
			}
			if at[0] == 3 {
				runs = append(runs, func(dst []byte) error { return c.Run(dst, slice1.Bytes(src)) })
			}
			for _, run := range runs {
				got := make([]byte, c.DstSize())
				require.NoError(t, run(got))
				sameNumbers(t, to, want, got, c.String)
			}
		}
		dst := make([]byte, c.DstSize())
		err = c.RunAt(dst, slice1.Bytes(src), 21, 0)
		require.ErrorIs(t, err, slice1.ErrWindow)
		require.EqualError(t, err, "slice1: offsets[0] is 21, must be at most 20: the window is empty or leaves the input")
		require.ErrorIs(t, convertAt(c, dst, src, -1, 0), slice1.ErrWindow)
		require.ErrorIs(t, c.RunAtContext(context.Background(), dst, slice1.Bytes(src), 1), slice1.ErrRank)
		require.Equal(t, make([]byte, len(dst)), dst)
	}
}

// convertAt calls RunAt with dst as numbers of c's type.
func convertAt[S slice1.Number](c *slice1.Plan, dst []byte, src []S, offsets ...int) error {
	switch c.DstType() {
	case slice1.Uint8:
		return slice1.RunAt(c, dst, src, offsets...)
	case slice1.Int8:
		return slice1.RunAt(c, reinterpret[int8](dst), src, offsets...)
	case slice1.Int16:
		return slice1.RunAt(c, reinterpret[int16](dst), src, offsets...)
	case slice1.Int32:
		return slice1.RunAt(c, reinterpret[int32](dst), src, offsets...)
	case slice1.Float32:
		return slice1.RunAt(c, reinterpret[float32](dst), src, offsets...)
	}
	return slice1.RunAt(c, reinterpret[uint16](dst), src, offsets...)
}

// Conversions by non-temporal stores, in several parts on either side of their shapes.
func TestConversionsStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 7))
	for i, to := range converted {
		for _, from := range []slice1.DataType{slice1.Uint8, slice1.Float32, converted[i]} {
			d := slice1.Whole(from, 3, 411, 401)
			d.WindowStrides[2] = -1
			checkStreaming(t, rng, d, to)
			turned, err := d.Permute(2, 1, 0)
			require.NoError(t, err)
			checkStreaming(t, rng, turned, to)
		}
	}
}

func checkStreaming(t *testing.T, rng *rand.Rand, d *slice1.Desc, to slice1.DataType) {
	src := randomBytes(elementsOf(t, d.Input) * d.Input.DataType.Size())
	want := make([]byte, elementsOf(t, d.Output)*to.Size())
	a := slice1.Affine{Scale: randomFloats(rng, 1)}
	plain, err := slice1.NewPlan(d, slice1.WithNumbers(to, a), slice1.WithStreaming(-1))
	require.NoError(t, err)
	require.NoError(t, plain.Run(want, src))
	for _, kernel := range usableKernels() {
		c, err := slice1.NewPlan(d, slice1.WithNumbers(to, a), slice1.WithKernel(kernel), slice1.WithStreaming(1))
		require.NoError(t, err)
		got := make([]byte, len(want))
		require.NoError(t, c.Run(got, src))
		sameNumbers(t, to, want, got, func() string { return fmt.Sprint(kernel, d, to, c) })
	}
}

// grey returns the slice of n bytes to n pixels, whose channels are all the same byte.
func grey(n, channels int) *slice1.Desc {
	d := slice1.Whole(slice1.Uint8, n, channels)
	d.Input.Strides = []int{1, 0}
	return d
}

// A few pixels side by side, with values for each channel. Behind whole periods remains less than a
// window. In grey pixels all channels are one byte.
func TestConversionsOfFewPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 8))
	for n := 1; n < 80; n++ {
		for _, channels := range []int{2, 3, 4} {
			for _, to := range []slice1.DataType{slice1.Float32, slice1.Uint8} {
				a := slice1.Affine{Axis: 1, Scale: randomFloats(rng, channels), Bias: randomFloats(rng, channels)}
				checkConversion(t, rng, slice1.Whole(slice1.Uint8, n, channels), to, a)
				checkConversion(t, rng, grey(n, channels), to, a)
			}
		}
	}
}
