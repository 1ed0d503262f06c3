package slice1_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// checkValues converts a row of elements by every kernel, with one value for all and with one for
// each, and without values if these change nothing.
func checkValues(t *testing.T, from, to slice1.DataType, src []byte, scale, bias float32) {
	n := len(src) / from.Size()
	d := slice1.Whole(from, n/2, 2)
	want := make([]byte, n*to.Size())
	for i := range n {
		put(to, want[i*to.Size():], converted1(from, to, src[i*from.Size():], binary.NativeEndian, scale, bias, false))
	}
	affines := []slice1.Affine{{Scale: []float32{scale}, Bias: []float32{bias}}, {Axis: 1, Scale: []float32{scale, scale}, Bias: []float32{bias}}}
	if scale == 1 && math.Float32bits(bias) == math.Float32bits(minusZero) {
		affines = append(affines, slice1.Affine{})
	}
	for _, a := range affines {
		checkKernels(t, d, to, src, want, slice1.WithNumbers(to, a))
	}
}

// every16 has every element of 16 bits.
func every16() []byte {
	b := make([]byte, 2<<16)
	for i := range 1 << 16 {
		binary.NativeEndian.PutUint16(b[2*i:], uint16(i))
	}
	return b
}

// Every element of 8 and 16 bits becomes a number of each type. The products of the second run are
// halves of whole numbers, and every second one is rounded up.
func TestConversionsOfEveryShortNumber(t *testing.T) {
	all, bytes := every16(), make([]byte, 256)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	pairs(t, func(t *testing.T, _ *rand.Rand, from, to slice1.DataType) {
		src := all
		switch from.Size() {
		case 1:
			src = bytes
		case 4:
			return
		}
		checkValues(t, from, to, src, 1, minusZero)
		checkValues(t, from, to, src, 0.5, 0.25)
	})
}

// Floats of 16 bits are the same after a conversion to float32 and back. Only NaNs change: they
// become quiet.
func TestSmallFloatsComeBack(t *testing.T) {
	for _, kernel := range usableKernels() {
		for dtype, quiet := range map[slice1.DataType]uint16{slice1.Float16: 1 << 9, slice1.BFloat16: 1 << 6} {
			src := every16()
			wide, back := make([]float32, 1<<16), make([]uint16, 1<<16)
			require.NoError(t, slice1.Copy(wide, reinterpret[uint16](src), slice1.Whole(dtype, 1<<16), slice1.WithNumbers(slice1.Float32, slice1.Affine{}), slice1.WithKernel(kernel)))
			require.NoError(t, slice1.Copy(back, wide, slice1.Whole(slice1.Float32, 1<<16), slice1.WithNumbers(dtype, slice1.Affine{}), slice1.WithKernel(kernel)))
			sameNumbers(t, dtype, src, slice1.Bytes(back), dtype.String)
			for i, x := range wide {
				if x != x {
					require.NotZero(t, back[i]&quiet, "%s: the NaN %#x becomes %#x", kernel, i, back[i])
				}
			}
			tested(t, kernel)
		}
	}
}

// boundaries are floats where the results of some type change: every float16 and bfloat16, each
// midpoint of two, the ends of integer types, halves of integers, and the neighbours of all these.
func boundaries() []float32 {
	var v []float32
	add := func(x float32) {
		v = append(v, x, -x, math.Nextafter32(x, 2*x), math.Nextafter32(x, 0), math.Nextafter32(-x, -2*x), math.Nextafter32(-x, 0))
	}
	for h := range uint32(0x7c00) {
		lo, hi := smallFloat(h, 5, 10), smallFloat(h+1, 5, 10)
		if h == 0x7bff {
			hi = 65536
		}
		add(lo)
		add((lo + hi) / 2)
	}
	for h := range uint32(0x7f80) {
		add(math.Float32frombits(h << 16))
		add(math.Float32frombits(h<<16 | 0x8000)) // the midpoint
	}
	for e := range 34 { // whole numbers up to 2^33, between which floats have halves up to 2^23
		for _, by := range []float32{-1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.5} {
			add(float32(math.Ldexp(1, e)) + by)
		}
	}
	for _, end := range []float32{math.MaxUint8, math.MaxInt8, math.MaxUint16, math.MaxInt16} {
		for _, by := range []float32{-0.5, 0, 0.5, 1} {
			add(end + by)
		}
	}
	add(math.MaxFloat32)
	add(math.SmallestNonzeroFloat32)
	add(0x1p-126)
	inf := float32(math.Inf(1))
	v = append(v, inf, -inf, 0, minusZero)
	for bit := range 23 { // NaNs of one bit, of all below it, and of all from it on; the CUDA NaN is 0x7fffffff
		for _, nan := range []uint32{1 << bit, 2<<bit - 1, 1<<23 - 1<<bit} {
			v = append(v, math.Float32frombits(0x7f800000|nan), math.Float32frombits(0xff800000|nan))
		}
	}
	return v
}

// float32 becomes a number of each type at all floats near which the result changes, and of both
// infinities and NaNs.
func TestConversionsAtEveryBoundary(t *testing.T) {
	v := boundaries()
	for _, to := range converted {
		t.Run(to.String(), func(t *testing.T) {
			t.Parallel()
			checkValues(t, slice1.Float32, to, slice1.Bytes(v), 1, minusZero)
		})
	}
}

// An int32 that float32 does not hold is scaled in float64.
func TestConversionsOfLargeIntegers(t *testing.T) {
	var v []int32
	for e := range 31 {
		for by := int32(-70); by <= 70; by++ {
			v = append(v, 1<<e+by, -1<<e+by)
		}
	}
	for by := range int32(600) {
		v = append(v, math.MaxInt32-by, math.MinInt32+by, 0x7fffff80-by, 0x7fffffc0-by)
	}
	for _, to := range converted {
		checkValues(t, slice1.Int32, to, slice1.Bytes(v), 1, minusZero)
		checkValues(t, slice1.Int32, to, slice1.Bytes(v), 3, 0.5)
	}
}

// A product is rounded before the sum is: with Scale 1+2^-12 and Bias -1-2^-11, a fused
// multiply-add of 1+2^-12 gives 2^-24, and no 0. A product that is too large is infinite although
// the sum would not be.
func TestProductsAreRoundedBeforeTheSum(t *testing.T) {
	v := slices.Repeat([]float32{1 + 0x1p-12}, 1000)
	checkValues(t, slice1.Float32, slice1.Float32, slice1.Bytes(v), 1+0x1p-12, -1-0x1p-11)
	v = slices.Repeat([]float32{0x1p127, -0x1p127}, 500)
	checkValues(t, slice1.Float32, slice1.Float32, slice1.Bytes(v), 2, -math.MaxFloat32)
	got := make([]float32, 1)
	a := slice1.Affine{Scale: []float32{1 + 0x1p-12}, Bias: []float32{-1 - 0x1p-11}}
	require.NoError(t, slice1.Copy(got, []float32{1 + 0x1p-12}, slice1.Whole(slice1.Float32, 1), slice1.WithNumbers(slice1.Float32, a)))
	require.Equal(t, []float32{0}, got)
}

// Without values nothing changes, not even the sign of a zero or the bits of a subnormal; a bias of
// 0 makes 0 of -0.
func TestNoValuesChangeNothing(t *testing.T) {
	for _, kernel := range usableKernels() {
		src := []float32{minusZero, 0, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32}
		bits := func(a slice1.Affine) (bits []uint32) {
			got := make([]float32, 4)
			require.NoError(t, slice1.Copy(got, src, slice1.Whole(slice1.Float32, 4), slice1.WithNumbers(slice1.Float32, a), slice1.WithKernel(kernel)))
			for _, x := range got {
				bits = append(bits, math.Float32bits(x))
			}
			return bits
		}
		require.Equal(t, []uint32{1 << 31, 0, 1, 1<<31 | 1}, bits(slice1.Affine{}))
		require.Equal(t, []uint32{1 << 31, 0, 1, 1<<31 | 1}, bits(slice1.Affine{Scale: []float32{1}, Bias: []float32{}}))
		require.Equal(t, []uint32{0, 0, 1, 1<<31 | 1}, bits(slice1.Affine{Bias: []float32{0}}))
	}
}

// samplesOf returns b, at any address, as elements of 16 bits.
func samplesOf(b []byte) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/2)
}

// sampled is the option for elements of the source, and of the destination, that are samples.
func sampled(src, dst bool) slice1.Option {
	var samples int64
	if src {
		samples = 1
	}
	if dst {
		samples |= 2
	}
	return slice1.Option(engine.WithSamples.Number(samples))
}

// Every sample of 16-bit pictures, at an odd address. Its bytes are in big-endian order, whatever
// WithByteOrder says, and it counts in 257ths.
func TestConversionsOfSamples(t *testing.T) {
	src := make([]byte, 2<<16+1)[1:]
	want := make([]float32, 1<<16)
	for i := range want {
		binary.BigEndian.PutUint16(src[2*i:], uint16(i))
		want[i] = affine(float32(i)/257, 3, -1)
	}
	for _, scale := range [][]float32{{3}, {3, 3}} {
		for _, kernel := range usableKernels() {
			got := make([]float32, len(want))
			a := slice1.Affine{Axis: 1, Scale: scale, Bias: []float32{-1}}
			for _, order := range byteOrders {
				clear(got)
				require.NoError(t, slice1.Copy(got, samplesOf(src), slice1.Whole(slice1.Uint16, len(want)/2, 2), slice1.WithNumbers(slice1.Float32, a), sampled(true, false), slice1.WithKernel(kernel), slice1.WithByteOrder(order)))
				sameNumbers(t, slice1.Float32, slice1.Bytes(want), slice1.Bytes(got), func() string { return kernel })
				tested(t, kernel)
			}
		}
	}
}

// Numbers become samples: multiplied by 257, then rounded and saturated. Rows have every short
// length, odd addresses and both layouts that lead to samples. Gaps keep their bytes.
func TestConversionsToSamples(t *testing.T) {
	numbers := []float32{0, 1, 254.5, 255, 256, -1, 127.25, 0.5 / 257, 1.5 / 257, 2.5 / 257, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0.001, 65535. / 257}
	for n := 1; n < 200; n++ {
		src := make([]float32, 3*n)
		for i := range src {
			if src[i] = numbers[(i*7+n)%len(numbers)]; i%5 == 0 {
				src[i] = float32(i%70000) / 3
			}
		}
		for _, turned := range []bool{false, true} {
			d := slice1.Whole(slice1.Float32, n, 3)
			if turned { // planes become pixels of four samples
				d = slice1.Whole(slice1.Float32, 3, n)
				d, _ = d.Permute(1, 0)
				d.Output.Strides = []int{4, 1}
			}
			d.Output.DataType, d.Input.DataType = slice1.Float32, slice1.Float32
			want := slices.Repeat([]byte{canary}, 2*4*n+3)
			convertSlowly(d, slice1.Float32, slice1.Bytes(src), binary.NativeEndian, slice1.Affine{}, func(_, to int, y float64) {
				v := affine(float32(y), 257, 0)
				if v != v {
					v = 0
				}
				binary.BigEndian.PutUint16(want[1+2*to:], uint16(min(max(math.RoundToEven(float64(v)), 0), math.MaxUint16)))
			})
			for _, kernel := range usableKernels() {
				got := slices.Repeat([]byte{canary}, len(want))
				require.NoError(t, slice1.Copy(samplesOf(got[1:]), src, d, slice1.WithNumbers(slice1.Uint16, slice1.Affine{}), sampled(false, true), slice1.WithKernel(kernel)))
				require.Equal(t, want, got, "%s, %d elements", kernel, n)
				tested(t, kernel)
			}
		}
	}
}

// Every sample is the same after a way to float32 and back, with and without a way into bytes
// between.
func TestSamplesComeBack(t *testing.T) {
	src := every16()
	for _, kernel := range usableKernels() {
		wide, back := make([]float32, 1<<16), make([]byte, 2<<16)
		d := slice1.Whole(slice1.Uint16, 1<<16)
		require.NoError(t, slice1.Copy(wide, samplesOf(src), d, slice1.WithNumbers(slice1.Float32, slice1.Affine{}), sampled(true, false), slice1.WithKernel(kernel)))
		require.NoError(t, slice1.Copy(samplesOf(back), wide, slice1.Whole(slice1.Float32, 1<<16), slice1.WithNumbers(slice1.Uint16, slice1.Affine{}), sampled(false, true), slice1.WithKernel(kernel)))
		require.Equal(t, src, back)
		clear(back)
		require.NoError(t, slice1.Copy(samplesOf(back), samplesOf(src), d, slice1.WithNumbers(slice1.Uint16, slice1.Affine{}), sampled(true, true), slice1.WithKernel(kernel)))
		require.Equal(t, src, back)
	}
}

// mirrored is a user's own order, with the machine's bytes in reverse.
type mirrored struct{}

func (mirrored) reverse(b []byte, n int) []byte {
	b = slices.Clone(b[:n])
	slices.Reverse(b)
	return b
}
func (m mirrored) Uint16(b []byte) uint16     { return binary.NativeEndian.Uint16(m.reverse(b, 2)) }
func (m mirrored) Uint32(b []byte) uint32     { return binary.NativeEndian.Uint32(m.reverse(b, 4)) }
func (m mirrored) Uint64(b []byte) uint64     { return binary.NativeEndian.Uint64(m.reverse(b, 8)) }
func (mirrored) PutUint16(b []byte, v uint16) { panic("not asked for") }
func (mirrored) PutUint32(b []byte, v uint32) { panic("not asked for") }
func (mirrored) PutUint64(b []byte, v uint64) { panic("not asked for") }
func (mirrored) String() string               { panic("not asked for") }

// native is a user's own order that equals the machine's.
type native struct{ mirrored }

func (native) Uint16(b []byte) uint16 { return binary.NativeEndian.Uint16(b) }

// Both orders of package binary, the machine's order by name, and two orders of a user's own. Typed
// calls read the memory of a slice in that order, too.
func TestConversionsOfEitherByteOrder(t *testing.T) {
	for _, from := range converted {
		src := make([]byte, 300*from.Size()+1)[1:]
		for i := range src {
			src[i] = byte(i * 37)
		}
		if from == slice1.Float32 {
			for i := range 300 {
				copy(src[4*i:], []byte{0x42, byte(i), byte(7 * i), 0x43})
			}
		}
		for _, to := range converted {
			for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian, binary.NativeEndian, mirrored{}, native{}} {
				reads := order
				if _, ok := order.(native); ok {
					reads = binary.NativeEndian
				}
				want := make([]byte, 300*to.Size())
				for i := range 300 {
					put(to, want[i*to.Size():], converted1(from, to, src[i*from.Size():], reads, 1, minusZero, true))
				}
				checkKernels(t, slice1.Whole(from, 300), to, src, want, slice1.WithNumbers(to, slice1.Affine{}), slice1.WithByteOrder(order))
			}
		}
	}
	got := make([]float32, 1)
	big := make([]int16, 1)
	binary.BigEndian.PutUint16(slice1.Bytes(big), 258)
	require.NoError(t, slice1.Copy(got, big, slice1.Whole(slice1.Int16, 1), slice1.WithNumbers(slice1.Float32, slice1.Affine{}), slice1.WithByteOrder(binary.BigEndian)))
	require.Equal(t, []float32{258}, got)
	plain := make([]uint16, 1)
	require.NoError(t, slice1.Copy(plain, []uint16{0x0102}, slice1.Whole(slice1.Uint16, 1), slice1.WithByteOrder(binary.NativeEndian), slice1.WithByteOrder(mirrored{})))
	require.Equal(t, []uint16{0x0201}, plain)
}

// Without numbers a plan reverses the bytes of each element, of a NaN, too, wherever they lie.
func TestConversionsOfByteOrderAlone(t *testing.T) {
	for _, dt := range []slice1.DataType{slice1.Int8, slice1.BFloat16, slice1.Float16, slice1.Float32, slice1.Uint32, slice1.Float64, slice1.Int64} {
		size := dt.Size()
		src := make([]byte, 3*701*size+1)[1:]
		for i := range src {
			src[i] = byte(i*37 | i>>8)
		}
		whole := slice1.Whole(dt, 3, 701)
		turned, err := whole.Permute(1, 0)
		require.NoError(t, err)
		for _, d := range []*slice1.Desc{whole, turned} {
			want := make([]byte, len(src))
			require.NoError(t, slice1.CopyBytes(want, src, d, slice1.WithKernel("go")))
			for e := range slices.Chunk(want, int(size)) {
				slices.Reverse(e)
			}
			for _, kernel := range usableKernels() {
				p, err := slice1.NewPlan(d, slice1.WithByteOrder(otherOrder()), slice1.WithKernel(kernel))
				require.NoError(t, err)
				got := make([]byte, len(want)+1)[1:]
				require.NoError(t, p.Run(got, src))
				require.Equal(t, want, got, "%s %v", kernel, dt)
				tested(t, kernel)
			}
		}
	}
}

// The last WithByteOrder counts, and nil is the machine's order.
func TestTheLastByteOrderCounts(t *testing.T) {
	got := make([]int32, 1)
	require.NoError(t, slice1.Copy(got, []int32{5}, slice1.Whole(slice1.Int32, 1), slice1.WithNumbers(slice1.Int32, slice1.Affine{}), slice1.WithByteOrder(mirrored{}), slice1.WithByteOrder(nil)))
	require.Equal(t, []int32{5}, got)
}

// Every float32 becomes a Float16, a BFloat16 and an Int32, by all kernels except "go".
func TestConversionsOfEveryFloat32(t *testing.T) {
	if !*exhaustive {
		t.Skip("without -exhaustive")
	}
	for _, to := range []slice1.DataType{slice1.Float16, slice1.BFloat16, slice1.Int32} {
		t.Run(to.String(), func(t *testing.T) {
			t.Parallel()
			middle := middles(to)
			src := make([]float32, 1<<20)
			want, got := make([]byte, len(src)*to.Size()), make([]byte, len(src)*to.Size())
			var conversions []*slice1.Plan
			for _, kernel := range usableKernels()[1:] {
				c, err := slice1.NewPlan(slice1.Whole(slice1.Float32, len(src)), slice1.WithNumbers(to, slice1.Affine{}), slice1.WithKernel(kernel), slice1.WithParallelism(1))
				require.NoError(t, err)
				conversions = append(conversions, c)
			}
			for first := uint64(0); first < 1<<32; first += uint64(len(src)) {
				for i := range src {
					src[i] = math.Float32frombits(uint32(first) + uint32(i))
				}
				middle.put(to, want, src)
				for i, c := range conversions {
					require.NoError(t, c.Run(got, slice1.Bytes(src)))
					sameNumbers(t, to, want, got, c.String)
					tested(t, usableKernels()[1+i])
				}
			}
		})
	}
}

// middles of the floats of 16 bits from 0 to infinity. Number i is halfway between the floats with
// the bits i and i+1.
type middles16 []float32

func middles(to slice1.DataType) (middle middles16) {
	exponentBits, fractionBits, infinity := 5, 10, uint32(0x7c00)
	switch to {
	case slice1.Int32:
		return nil
	case slice1.BFloat16:
		exponentBits, fractionBits, infinity = 8, 7, 0x7f80
	}
	value := func(h uint32) float64 {
		if h == infinity { // what a number too large would be
			return 2 * float64(smallFloat(h-1<<fractionBits, exponentBits, fractionBits))
		}
		return float64(smallFloat(h, exponentBits, fractionBits))
	}
	for h := range infinity {
		middle = append(middle, float32((value(h)+value(h+1))/2))
	}
	return middle
}

// put is put of each float in src, whose bits are consecutive numbers.
func (m middles16) put(to slice1.DataType, b []byte, src []float32) {
	h := 0
	above := func(x float32) bool { return h < len(m) && (x > m[h] || x == m[h] && h%2 == 1) }
	for i, y := range src {
		x := float32(math.Abs(float64(y)))
		if m == nil || x != x {
			put(to, b[i*to.Size():], float64(y))
			continue
		}
		if i == 0 {
			h, _ = slices.BinarySearch(m, x)
		}
		for above(x) {
			h++
		}
		binary.NativeEndian.PutUint16(b[2*i:], uint16(h)|uint16(math.Float32bits(y)>>31<<15))
	}
}

// The middles give what the definition of the formats gives.
func TestMiddlesRoundAsTheFormatsDo(t *testing.T) {
	src := make([]float32, 1<<16)
	for _, to := range []slice1.DataType{slice1.Float16, slice1.BFloat16} {
		middle, want, got := middles(to), make([]byte, 2), make([]byte, 2<<16)
		for _, first := range []uint32{0, 0x33000000, 0x387f0000, 0x3f800000, 0x477f0000, 0x7f7f0000, 0x7f800000, 0xb87f0000, 0xff7f0000} {
			for i := range src {
				src[i] = math.Float32frombits(first + uint32(i))
			}
			middle.put(to, got, src)
			for i, x := range src {
				put(to, want, float64(x))
				require.Equal(t, want, got[2*i:2*i+2], "%v to %v", x, to)
			}
		}
	}
}

// float64 is rounded once: at the middles of all floats of 16 bits, at what float32 does not tell
// from them, and beside them.
func TestConversionsOfFloat64AtEveryMiddle(t *testing.T) {
	for _, to := range everyType {
		if to == slice1.Int64 || to == slice1.Uint64 || to == slice1.Uint32 { // TestPairsOfTypes has these
			continue
		}
		t.Run(to.String(), func(t *testing.T) {
			t.Parallel()
			var v []float64
			for i, x := range boundaries() {
				if to != slice1.Float16 && to != slice1.BFloat16 && i%17 > 0 {
					continue
				}
				y := float64(x)
				v = append(v, y, math.Nextafter(y, 2*y), math.Nextafter(y, 0), y*(1+0x1p-40), y*(1-0x1p-40))
			}
			src, want := slice1.Bytes(v), make([]byte, len(v)*to.Size())
			for i, y := range v {
				put(to, want[i*to.Size():], y)
			}
			for _, a := range []slice1.Affine{{}, {Scale: []float32{1}}} {
				checkKernels(t, slice1.Whole(slice1.Float64, len(v)), to, src, want, slice1.WithNumbers(to, a))
			}
		})
	}
}
