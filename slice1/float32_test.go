package slice1_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/convert"
)

// converted are the types that RunFloat32 converts.
var converted = []slice1.DataType{slice1.Uint8, slice1.Int8, slice1.Uint16, slice1.Int16, slice1.Int32, slice1.Float16, slice1.Float32}

// number returns the element of a type at the beginning of b, rounded to float32.
func number(t slice1.DataType, b []byte) float32 {
	switch t {
	case slice1.Uint8:
		return float32(b[0])
	case slice1.Int8:
		return float32(int8(b[0]))
	case slice1.Uint16:
		return float32(binary.NativeEndian.Uint16(b))
	case slice1.Int16:
		return float32(int16(binary.NativeEndian.Uint16(b)))
	case slice1.Int32:
		return float32(int32(binary.NativeEndian.Uint32(b)))
	case slice1.Float16:
		return halfValue(binary.NativeEndian.Uint16(b))
	}
	return math.Float32frombits(binary.NativeEndian.Uint32(b))
}

// halfValue is a float16 by the definition of the format.
func halfValue(h uint16) float32 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	switch {
	case exponent == 31 && fraction != 0:
		return float32(math.NaN())
	case exponent == 31:
		return float32(math.Inf(int(sign)))
	case exponent == 0:
		return float32(math.Copysign(math.Ldexp(fraction, -24), sign))
	}
	return float32(sign * math.Ldexp(1024+fraction, exponent-25))
}

// affine is scale*x + bias, rounded twice: the sum and the product are exact in float64, or rounded
// there to more than twice the bits of a float32, which changes no later rounding.
func affine(x, scale, bias float32) float32 {
	product := float32(float64(x) * float64(scale))
	return float32(float64(product) + float64(bias))
}

func valueAt(v []float32, i int, none float32) float32 {
	switch len(v) {
	case 0:
		return none
	case 1:
		return v[0]
	}
	return v[i]
}

// convertSlowly is RunFloat32 by the operator's formula, element by element.
func convertSlowly(d *slice1.Desc, dst []float32, src []byte, a slice1.Affine) {
	in, out := stridesOf(d.Input), stridesOf(d.Output)
	size := d.Input.DataType.Size()
	total := 1
	for _, n := range d.Output.Sizes {
		total *= n
	}
	for i := range total {
		from, to, index, left := 0, 0, 0, i
		for axis := len(in) - 1; axis >= 0; axis-- {
			k := left % d.Output.Sizes[axis]
			left /= d.Output.Sizes[axis]
			start := d.WindowOffsets[axis]
			if d.WindowStrides[axis] < 0 {
				start += d.WindowSizes[axis] - 1
			}
			from += (start + d.WindowStrides[axis]*k) * in[axis]
			to += k * out[axis]
			if axis == a.Axis {
				index = k
			}
		}
		dst[to] = affine(number(d.Input.DataType, src[from*size:]), valueAt(a.Scale, index, 1), valueAt(a.Bias, index, 0))
	}
}

func stridesOf(t slice1.TensorDesc) []int {
	if t.Strides != nil {
		return t.Strides
	}
	strides, n := make([]int, len(t.Sizes)), 1
	for i, size := range slices.Backward(t.Sizes) {
		strides[i] = n
		n *= size
	}
	return strides
}

// reinterpret returns b, which must be aligned for T, as elements.
func reinterpret[T, S any](b []S) []T {
	var to T
	var from S
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)*int(unsafe.Sizeof(from))/int(unsafe.Sizeof(to)))
}

// runFloat32 calls RunFloat32 with the elements that p has in src.
func runFloat32(p *slice1.Plan, dst []float32, src []byte, a slice1.Affine) error {
	switch p.DataType() {
	case slice1.Uint8:
		return slice1.RunFloat32(p, dst, src, a)
	case slice1.Int8:
		return slice1.RunFloat32(p, dst, reinterpret[int8](src), a)
	case slice1.Uint16, slice1.Float16:
		return slice1.RunFloat32(p, dst, reinterpret[uint16](src), a)
	case slice1.Int16:
		return slice1.RunFloat32(p, dst, reinterpret[int16](src), a)
	case slice1.Int32:
		return slice1.RunFloat32(p, dst, reinterpret[int32](src), a)
	}
	return slice1.RunFloat32(p, dst, reinterpret[float32](src), a)
}

func randomFloats(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(20)-10)))
	}
	return v
}

// randomAffine returns one value, one per index of an axis, or none, for scale and for bias.
func randomAffine(rng *rand.Rand, sizes []int) slice1.Affine {
	a := slice1.Affine{Axis: rng.IntN(len(sizes))}
	counts := []int{0, 1, sizes[a.Axis], sizes[a.Axis]}
	a.Scale, a.Bias = randomFloats(rng, counts[rng.IntN(4)]), randomFloats(rng, counts[rng.IntN(4)])
	return a
}

// canary fills gaps; no result has these bits.
var canary = math.Float32frombits(0xffc12345)

// sameFloats requires got to be want, bit by bit but for the NaNs among results.
func sameFloats(t require.TestingT, want, got []float32, about any) {
	for i := range want {
		w, g := math.Float32bits(want[i]), math.Float32bits(got[i])
		nan := want[i] != want[i] && got[i] != got[i] && w != math.Float32bits(canary) && g != math.Float32bits(canary)
		if w != g && !nan {
			require.Failf(t, "other bits", "element %d is %v (%#x), want %v (%#x)\n%v", i, got[i], g, want[i], w, about)
		}
	}
}

func elementsOf(t *testing.T, d slice1.TensorDesc) int {
	n, err := d.MinSize()
	require.NoError(t, err)
	return int(n) / d.DataType.Size()
}

// check compares every kernel with the formula, with sources as misaligned as their elements may be.
func checkFloat32(t *testing.T, rng *rand.Rand, d *slice1.Desc, a slice1.Affine) {
	size := d.Input.DataType.Size()
	shift := rng.IntN(64 / size)
	n := elementsOf(t, d.Input) * size
	src := reinterpret[byte](make([]uint64, n/8+9))[shift*size:][:n:n]
	for i := range src {
		src[i] = byte(rng.Uint32())
	}
	if d.Input.DataType == slice1.Float32 && rng.IntN(2) == 0 { // else any bits, NaNs and infinities among them
		for i := range reinterpret[float32](src) {
			reinterpret[float32](src)[i] = float32(rng.NormFloat64())
		}
	}
	out, shift := elementsOf(t, d.Output), rng.IntN(16)
	want := slices.Repeat([]float32{canary}, out+32)
	convertSlowly(d, want[16:], src, a)
	for _, kernel := range usableKernels() {
		p, err := slice1.NewPlan(d, slice1.WithKernel(kernel))
		require.NoError(t, err)
		got := slices.Repeat([]float32{canary}, out+48)
		require.NoError(t, runFloat32(p, got[16+shift:], src, a))
		sameFloats(t, want, got[shift:], fmt.Sprint(kernel, d, a, p))
		sameFloats(t, slices.Repeat([]float32{canary}, shift), got[:shift], kernel)
		tested(t, kernel)
	}
}

func TestFloat32OfRandomSlices(t *testing.T) {
	count := 4000
	if testing.Short() {
		count = 600
	}
	rng := rand.New(rand.NewPCG(28, 1))
	for i := range count {
		d := smallDesc(rng)
		d.Input.DataType = converted[i%len(converted)]
		d.Output.DataType = d.Input.DataType
		checkFloat32(t, rng, d, randomAffine(rng, d.Output.Sizes))
	}
}

// Rows of all short lengths in the layouts that pictures have, and large pictures, of several parts.
func TestRowsAsFloat32(t *testing.T) {
	for i, dtype := range converted {
		t.Run(dtype.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(28, uint64(i)))
			for n := 1; n < 150; n++ {
				pictures(dtype, 3, n, func(d *slice1.Desc, axis int) {
					checkFloat32(t, rng, d, slice1.Affine{Axis: axis, Scale: randomFloats(rng, d.Output.Sizes[axis]), Bias: randomFloats(rng, d.Output.Sizes[axis])})
				})
			}
			pictures(dtype, 97, 211, func(d *slice1.Desc, axis int) {
				checkFloat32(t, rng, d, randomAffine(rng, d.Output.Sizes))
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

// Every sample of pictures of 16 bits, at an odd address: its bytes are in big-endian order.
func TestRowsOfSamplesAsFloat32(t *testing.T) {
	bytes := make([]byte, 2<<16+1)[1:]
	want := make([]float32, 1<<16)
	for i := range want {
		binary.BigEndian.PutUint16(bytes[2*i:], uint16(i))
		want[i] = affine(float32(float64(i)/257), 3, -1)
	}
	src := unsafe.Slice((*convert.Sample)(unsafe.Pointer(unsafe.SliceData(bytes))), len(want))
	for _, scale := range [][]float32{{3}, {3, 3}} {
		for _, kernel := range usableKernels() {
			got := make([]float32, len(src))
			a := slice1.Affine{Axis: 1, Scale: scale, Bias: []float32{-1}}
			require.NoError(t, slice1.CopyFloat32(got, src, slice1.Whole(slice1.Uint16, len(src)/2, 2), a, slice1.WithKernel(kernel)))
			sameFloats(t, want, got, kernel)
		}
	}
}

// Every float16.
func TestFloat32OfEveryHalf(t *testing.T) {
	src := make([]uint16, 1<<16)
	want := make([]float32, len(src))
	for i := range src {
		src[i] = uint16(i)
		want[i] = affine(halfValue(uint16(i)), 1, 0)
	}
	d := slice1.NewDesc(slice1.Float16, []int{len(src)}, slice1.Window{Offsets: []int{0}, Sizes: []int{len(src)}, Strides: []int{1}, Out: []int{len(src)}})
	for _, kernel := range usableKernels() {
		got := make([]float32, len(src))
		require.NoError(t, slice1.CopyFloat32(got, src, d, slice1.Affine{}, slice1.WithKernel(kernel)))
		sameFloats(t, want, got, kernel)
	}
}

// Values along axes of every length near those of the tables that repeat them.
func TestFloat32AlongAxesOfEveryLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 3))
	lengths := []int{255, 256, 257, 300, 511, 512, 513, 1000}
	for n := 1; n < 70; n++ {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for axis := range 3 {
			sizes := []int{5, 7, 9}
			sizes[axis] = n
			d := slice1.NewDesc(slice1.Uint8, sizes, slice1.Window{Offsets: []int{0, 0, 0}, Sizes: sizes, Strides: []int{1, 1, 1}, Out: sizes})
			checkFloat32(t, rng, d, slice1.Affine{Axis: axis, Scale: randomFloats(rng, n), Bias: randomFloats(rng, n)})
			checkFloat32(t, rng, d, slice1.Affine{Axis: axis, Scale: randomFloats(rng, n), Bias: randomFloats(rng, 1)})
		}
	}
}

// A picture large enough for goroutines, run by several callers at once, with values on other axes.
func TestFloat32InParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	hwc := slice1.NewDesc(slice1.Uint8, []int{1100, 1301, 3}, slice1.Window{Offsets: []int{0, 0, 0}, Sizes: []int{1100, 1301, 3}, Strides: []int{-1, -1, 1}, Out: []int{1100, 1301, 3}})
	d, err := hwc.Permute(2, 0, 1)
	require.NoError(t, err)
	src, rng := randomBytes(1100*1301*3), rand.New(rand.NewPCG(28, 4))
	affines := []slice1.Affine{{Axis: 0, Scale: randomFloats(rng, 3), Bias: randomFloats(rng, 3)}, {Axis: 1, Scale: randomFloats(rng, 1100)}, {Bias: randomFloats(rng, 1)}}
	var wants [3][]float32
	for i, a := range affines {
		wants[i] = make([]float32, len(src))
		convertSlowly(d, wants[i], src, a)
	}
	for _, kernel := range usableKernels() {
		p, err := slice1.NewPlan(d, slice1.WithKernel(kernel), slice1.WithParallelism(3))
		require.NoError(t, err)
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				got := make([]float32, len(src))
				if err := slice1.RunFloat32(p, got, src, affines[i%3]); err != nil {
					t.Error(err)
				}
				sameFloats(t, wants[i%3], got, kernel)
			})
		}
		wg.Wait()
	}
}

func TestRunAtFloat32(t *testing.T) {
	d := slice1.NewDesc(slice1.Int16, []int{40, 50}, slice1.Window{Offsets: []int{3, 4}, Sizes: []int{20, 30}, Strides: []int{-1, 2}, Out: []int{20, 15}})
	src := make([]int16, 40*50)
	for i := range src {
		src[i] = int16(i * 31)
	}
	p, err := slice1.NewPlan(d)
	require.NoError(t, err)
	for _, at := range [][]int{{0, 0}, {3, 4}, {20, 20}} {
		moved := *d
		moved.WindowOffsets = at
		want, got := make([]float32, 300), make([]float32, 300)
		convertSlowly(&moved, want, reinterpret[byte](src), slice1.Affine{})
		require.NoError(t, slice1.RunAtFloat32(p, got, src, slice1.Affine{}, at...))
		sameFloats(t, want, got, at)
	}
	require.ErrorIs(t, slice1.RunAtFloat32(p, make([]float32, 300), src, slice1.Affine{}, 21, 0), slice1.ErrWindow)
	require.ErrorIs(t, slice1.RunAtFloat32(nil, nil, src, slice1.Affine{}), slice1.ErrPlan)
}

// What RunFloat32 refuses, with the error's text. Nothing is written.
func TestFloat32Refuses(t *testing.T) {
	d := slice1.NewDesc(slice1.Uint8, []int{4, 3}, slice1.Window{Offsets: []int{0, 0}, Sizes: []int{4, 3}, Strides: []int{1, 1}, Out: []int{4, 3}})
	p, err := slice1.NewPlan(d)
	require.NoError(t, err)
	dst := slices.Repeat([]float32{canary}, 12)
	src := make([]uint8, 12)
	three := []float32{1, 2, 3}
	for _, c := range []struct {
		dst, src int
		a        slice1.Affine
		is       error
		text     string
	}{
		{11, 12, slice1.Affine{}, slice1.ErrBuffer, "slice1: dst: 44 bytes (11 elements), needs 48 (12)"},
		{12, 11, slice1.Affine{}, slice1.ErrBuffer, "slice1: src: 11 bytes, needs 12"},
		{12, 12, slice1.Affine{Axis: 2, Scale: three}, slice1.ErrRank, "slice1: Affine.Axis is 2, the nearest axis is 1"},
		{12, 12, slice1.Affine{Axis: -1, Bias: three}, slice1.ErrRank, "slice1: Affine.Axis is -1, must be the output axis along which the values go"},
		{12, 12, slice1.Affine{Axis: 0, Scale: three}, slice1.ErrSize, "slice1: Affine.Scale has 3 values, output axis 0 has 4: must have one for each or one for all"},
		{12, 12, slice1.Affine{Axis: 1, Scale: three, Bias: three[:2]}, slice1.ErrSize, "slice1: Affine.Bias has 2 values, output axis 1 has 3: must have one for each or one for all"},
	} {
		err := slice1.RunFloat32(p, dst[:c.dst], src[:c.src], c.a)
		require.ErrorIs(t, err, c.is)
		require.EqualError(t, err, c.text)
		var place *slice1.DescError
		require.True(t, errors.As(err, &place))
	}
	require.EqualError(t, slice1.RunFloat32(p, dst, make([]int8, 12), slice1.Affine{}), "slice1: src is int8, the plan's elements are uint8")
	require.ErrorIs(t, slice1.RunFloat32(p, dst, make([]float32, 12), slice1.Affine{}), slice1.ErrDataType)
	require.ErrorIs(t, slice1.RunFloat32(nil, dst, src, slice1.Affine{}), slice1.ErrPlan)
	require.ErrorIs(t, slice1.RunFloat32(new(slice1.Plan), dst, src, slice1.Affine{}), slice1.ErrPlan)
	require.ErrorIs(t, slice1.CopyFloat32(dst, src, nil, slice1.Affine{}), slice1.ErrRank)
	wide, err := slice1.NewPlan(slice1.NewDesc(slice1.Float64, []int{4}, slice1.Window{Offsets: []int{0}, Sizes: []int{4}, Strides: []int{1}, Out: []int{4}}))
	require.NoError(t, err)
	require.ErrorIs(t, slice1.RunFloat32(wide, dst, make([]float32, 12), slice1.Affine{}), slice1.ErrDataType)
	sameFloats(t, slices.Repeat([]float32{canary}, 12), dst, "refused")
}

// dst and src in one memory: refused exactly where an output element shares a byte with an element
// taken, and right elsewhere.
func TestFloat32InPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 5))
	accepted := 0
	for range 3000 {
		dtype := converted[rng.IntN(len(converted))]
		size := dtype.Size()
		d := slice1.NewDesc(dtype, []int{3, 40}, slice1.Window{Offsets: []int{0, rng.IntN(8)}, Sizes: []int{3, 32}, Strides: []int{1, []int{1, 4, 8, -8}[rng.IntN(4)]}, Out: []int{3, 1 + rng.IntN(4)}})
		d.Output.Strides = []int{4 + rng.IntN(40), 1 + rng.IntN(8)}
		if d.Validate() != nil {
			continue
		}
		memory := reinterpret[byte](make([]uint64, 400))
		for i := range memory {
			memory[i] = byte(rng.IntN(60))
		}
		s := memory[rng.IntN(100)*size:][:120*size]
		o := reinterpret[float32](memory)[rng.IntN(200):][:elementsOf(t, d.Output)]
		before := slices.Clone(s)
		want := slices.Clone(o)
		shared := sharesBytes(d, o, s)
		convertSlowly(d, want, before, slice1.Affine{})
		p, err := slice1.NewPlan(d)
		require.NoError(t, err)
		err = runFloat32(p, o, s, slice1.Affine{})
		if shared {
			require.ErrorIs(t, err, slice1.ErrOverlap)
			require.True(t, strings.Contains(err.Error(), "share"))
			require.Equal(t, before, s)
			continue
		}
		require.NoError(t, err)
		accepted++
		sameBits(t, want, o)
	}
	require.Greater(t, accepted, 100)
}

// Every distance of dst from src, for rows whose loops can be told apart in 8 axes at most.
func TestFloat32InPlaceAtEveryDistance(t *testing.T) {
	row := slice1.Whole(slice1.Uint8, 8)
	eight := slice1.Whole(slice1.Uint8, 2, 2, 2, 2, 2, 2, 2, 2)
	for i := range 8 {
		eight.WindowStrides[i] = 1 - 2*(i&1)
	}
	for _, d := range []*slice1.Desc{row, eight} {
		n := elementsOf(t, d.Input)
		memory := make([]float32, 3*n)
		p, err := slice1.NewPlan(d)
		require.NoError(t, err)
		dst := memory[n : 2*n]
		for at := range 11 * n {
			src := reinterpret[uint8](memory)[at:][:n]
			err := slice1.RunFloat32(p, dst, src, slice1.Affine{})
			if at+n <= 4*n || at >= 8*n {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, slice1.ErrOverlap)
			}
		}
	}
}

func sameBits(t *testing.T, want, got []float32) {
	for i := range want {
		require.Equal(t, math.Float32bits(want[i]), math.Float32bits(got[i]))
	}
}

// sharesBytes reports whether a byte is both in an element taken and in an output element.
func sharesBytes(d *slice1.Desc, dst []float32, src []byte) bool {
	size := d.Input.DataType.Size()
	in, out := stridesOf(d.Input), stridesOf(d.Output)
	taken, written := map[uintptr]bool{}, map[uintptr]bool{}
	for y := range d.Output.Sizes[0] {
		for x := range d.Output.Sizes[1] {
			column := d.WindowOffsets[1] + d.WindowStrides[1]*x
			if d.WindowStrides[1] < 0 {
				column += d.WindowSizes[1] - 1
			}
			for b := range size {
				taken[uintptr(unsafe.Pointer(&src[(y*in[0]+column)*size+b]))] = true
			}
			for b := range 4 {
				written[uintptr(unsafe.Pointer(&dst[y*out[0]+x*out[1]]))+uintptr(b)] = true
			}
		}
	}
	for b := range taken {
		if written[b] {
			return true
		}
	}
	return false
}
