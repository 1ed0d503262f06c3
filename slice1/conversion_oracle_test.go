package slice1_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// converted are the types of at most 4 bytes that have conversions in C.
var converted = []slice1.DataType{slice1.Uint8, slice1.Int8, slice1.Uint16, slice1.Int16, slice1.Int32, slice1.Float16, slice1.BFloat16, slice1.Float32}

// number returns the element of a type at the beginning of b, rounded to float32.
//
//go:norace
func number(t slice1.DataType, b []byte, order binary.ByteOrder) float32 {
	switch t {
	case slice1.Uint8:
		return float32(b[0])
	case slice1.Int8:
		return float32(int8(b[0]))
	case slice1.Uint16:
		return float32(order.Uint16(b))
	case slice1.Int16:
		return float32(int16(order.Uint16(b)))
	case slice1.Int32:
		return float32(int32(order.Uint32(b)))
	case slice1.Float16:
		return smallFloat(uint32(order.Uint16(b)), 5, 10)
	case slice1.BFloat16:
		return smallFloat(uint32(order.Uint16(b)), 8, 7)
	case slice1.Float64:
		return float32(math.Float64frombits(order.Uint64(b)))
	}
	return math.Float32frombits(order.Uint32(b))
}

// number64 returns the element of a type at the beginning of b, rounded to float64.
//
//go:norace
func number64(t slice1.DataType, b []byte, order binary.ByteOrder) float64 {
	switch t {
	case slice1.Int32:
		return float64(int32(order.Uint32(b)))
	case slice1.Uint32:
		return float64(order.Uint32(b))
	case slice1.Int64:
		return float64(int64(order.Uint64(b)))
	case slice1.Uint64:
		return float64(order.Uint64(b))
	case slice1.Float64:
		return math.Float64frombits(order.Uint64(b))
	}
	return float64(number(t, b, order))
}

// wide reports whether t is float64 or a type of integers that float32 does not hold.
func wide(t slice1.DataType) bool {
	switch t {
	case slice1.Int32, slice1.Uint32, slice1.Int64, slice1.Uint64, slice1.Float64:
		return true
	}
	return false
}

// smallFloat is the value of a float of 16 bits by the definition of such formats.
func smallFloat(h uint32, exponentBits, fractionBits int) float32 {
	sign, ones, one := 1-2*float64(h>>15), 1<<exponentBits-1, float64(int(1)<<fractionBits)
	exponent, fraction := int(h>>fractionBits)&ones, float64(h&(1<<fractionBits-1))
	bias := ones/2 + fractionBits
	switch {
	case exponent == ones && fraction != 0:
		return float32(math.NaN())
	case exponent == ones:
		return float32(math.Inf(int(sign)))
	case exponent == 0:
		return float32(math.Copysign(math.Ldexp(fraction, 1-bias), sign))
	}
	return float32(sign * math.Ldexp(one+fraction, exponent-bias))
}

// toSmallFloat is the nearest float of 16 bits, of two the even one.
func toSmallFloat(y float64, exponentBits, fractionBits int) uint16 {
	sign := uint16(math.Float64bits(y) >> 63 << 15)
	ones, most := uint16(1<<exponentBits-1), 1<<(exponentBits-1)-1
	v := math.Abs(y)
	switch {
	case y != y:
		return sign | ones<<fractionBits | 1<<(fractionBits-1)
	case math.IsInf(v, 0):
		return sign | ones<<fractionBits
	}
	_, exponent := math.Frexp(v)
	exponent = max(exponent-1, 1-most)
	n := math.RoundToEven(math.Ldexp(v, fractionBits-exponent)) // in units of the last place
	if math.Ldexp(n, exponent-fractionBits) >= math.Ldexp(1, most+1) {
		return sign | ones<<fractionBits
	}
	if n < float64(int(1)<<fractionBits) { // subnormal
		return sign | uint16(n)
	}
	return sign | uint16((exponent+most)<<fractionBits+int(n)-1<<fractionBits)
}

// put stores y as an element of a type at the beginning of b.
//
//go:norace
func put(t slice1.DataType, b []byte, y float64) {
	whole := func(lo, hi float64) int64 {
		if y != y {
			return 0
		}
		return int64(min(max(math.RoundToEven(y), lo), hi))
	}
	switch t {
	case slice1.Uint8:
		b[0] = uint8(whole(0, math.MaxUint8))
	case slice1.Int8:
		b[0] = uint8(whole(math.MinInt8, math.MaxInt8))
	case slice1.Uint16:
		binary.NativeEndian.PutUint16(b, uint16(whole(0, math.MaxUint16)))
	case slice1.Int16:
		binary.NativeEndian.PutUint16(b, uint16(whole(math.MinInt16, math.MaxInt16)))
	case slice1.Int32:
		binary.NativeEndian.PutUint32(b, uint32(whole(math.MinInt32, math.MaxInt32)))
	case slice1.Float16:
		binary.NativeEndian.PutUint16(b, toSmallFloat(y, 5, 10))
	case slice1.BFloat16:
		binary.NativeEndian.PutUint16(b, toSmallFloat(y, 8, 7))
	case slice1.Float64:
		binary.NativeEndian.PutUint64(b, math.Float64bits(y))
	default:
		binary.NativeEndian.PutUint32(b, math.Float32bits(float32(y)))
	}
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

var minusZero = float32(math.Copysign(0, -1))

// convertSlowly is a conversion to dstType by the operator's formula, element by element. It
// calls f with the place of each element in the source and in the destination, in elements, and
// with its value before it is stored. The race detector does not watch what it, number and put do
// for each element.
//
//go:norace
func convertSlowly(d *slice1.Desc, dstType slice1.DataType, src []byte, order binary.ByteOrder, a slice1.Affine, f func(src, dst int, y float64)) {
	in, out := stridesOf(d.Input), stridesOf(d.Output)
	size := d.Input.DataType.Size()
	total := 1
	for _, n := range d.Output.Sizes {
		total *= n
	}
	for i := range total {
		at, place, index, left := 0, 0, 0, i
		for axis := len(in) - 1; axis >= 0; axis-- {
			k := left % d.Output.Sizes[axis]
			left /= d.Output.Sizes[axis]
			start := d.WindowOffsets[axis]
			if d.WindowStrides[axis] < 0 {
				start += d.WindowSizes[axis] - 1
			}
			at += (start + d.WindowStrides[axis]*k) * in[axis]
			place += k * out[axis]
			if axis == a.Axis {
				index = k
			}
		}
		f(at, place, converted1(d.Input.DataType, dstType, src[at*size:], order, valueAt(a.Scale, index, 1), valueAt(a.Bias, index, minusZero), len(a.Scale)+len(a.Bias) == 0))
	}
}

// converted1 returns the number that the element at the beginning of b becomes before it is stored
// as one of dstType. If `plain` is true, there are no values.
//
//go:norace
func converted1(srcType, dstType slice1.DataType, b []byte, order binary.ByteOrder, scale, bias float32, plain bool) float64 {
	switch x := number64(srcType, b, order); {
	case plain:
		return x
	case wide(srcType) || wide(dstType):
		return float64(x*float64(scale)) + float64(bias)
	}
	return float64(affine(number(srcType, b, order), scale, bias))
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

func elementsOf(t *testing.T, d slice1.TensorDesc) int {
	n, err := d.MinSize()
	require.NoError(t, err)
	return int(n) / d.DataType.Size()
}

// canary fills gaps.
const canary = 0xa5

// sameNumbers requires got to equal want bit by bit, except for NaNs. The elements have one type,
// and begin at first.
func sameNumbers(t require.TestingT, dtype slice1.DataType, want, got []byte, about func() string) {
	if bytes.Equal(want, got) {
		return
	}
	size := dtype.Size()
	for i := 0; i+size <= len(want); i += size {
		if bytes.Equal(want[i:i+size], got[i:i+size]) {
			continue
		}
		w, g := number(dtype, want[i:], binary.NativeEndian), number(dtype, got[i:], binary.NativeEndian)
		if w == w || g == g {
			require.Failf(t, "other bits", "element %d is %v (% x), want %v (% x)\n%v", i/size, g, got[i:i+size], w, want[i:i+size], about())
		}
	}
	require.Equal(t, len(want), len(got))
}

var byteOrders = []binary.ByteOrder{nil, binary.LittleEndian, binary.BigEndian}

// orNative returns the order that WithByteOrder(order) sets.
func orNative(order binary.ByteOrder) binary.ByteOrder {
	if order == nil {
		return binary.NativeEndian
	}
	return order
}

// checkKernels requires every kernel to make want, numbers of type `to`, of the source.
func checkKernels(t *testing.T, d *slice1.Desc, to slice1.DataType, src, want []byte, opts ...slice1.Option) {
	t.Helper()
	for _, kernel := range usableKernels() {
		p, err := slice1.NewPlan(d, append(opts, slice1.WithKernel(kernel))...)
		require.NoError(t, err)
		got := make([]byte, len(want))
		require.NoError(t, p.Run(got, src))
		sameNumbers(t, to, want, got, func() string { return fmt.Sprint(kernel, d, to, p) })
		tested(t, kernel)
	}
}

// checkConversion compares every kernel with the formula, at any addresses.
func checkConversion(t *testing.T, rng *rand.Rand, d *slice1.Desc, to slice1.DataType, a slice1.Affine) {
	from := d.Input.DataType
	n := elementsOf(t, d.Input) * from.Size()
	shift := rng.IntN(64)
	src := make([]byte, n+64)[shift:][:n:n]
	randomize(src, rng)
	if from == slice1.Float32 && rng.IntN(2) == 0 { // else any bits, NaNs and infinities among them
		for i := 0; i < n; i += 4 {
			binary.NativeEndian.PutUint32(src[i:], math.Float32bits(float32(rng.NormFloat64()*100)))
		}
	} else if from == slice1.Float64 && rng.IntN(2) == 0 {
		for i := 0; i < n; i += 8 {
			binary.NativeEndian.PutUint64(src[i:], math.Float64bits(rng.NormFloat64()*100))
		}
	}
	given := byteOrders[rng.IntN(3)]
	order := orNative(given)
	const around = 64
	out, shift := elementsOf(t, d.Output)*to.Size(), rng.IntN(16)
	want := slices.Repeat([]byte{canary}, out+2*around)
	convertSlowly(d, to, src, order, a, func(_, at int, y float64) { put(to, want[around+at*to.Size():], y) })
	for _, kernel := range usableKernels() {
		c, err := slice1.NewPlan(d, slice1.WithNumbers(to, a), slice1.WithKernel(kernel), slice1.WithByteOrder(given))
		require.NoError(t, err)
		require.Equal(t, int64(out), c.DstSize())
		got := slices.Repeat([]byte{canary}, out+2*around+shift)[shift:]
		require.NoError(t, c.Run(got[around:], src))
		about := func() string { return fmt.Sprint(kernel, d, to, a, given, c) }
		require.Equal(t, want[:around], got[:around], kernel)
		sameNumbers(t, to, want[around:], got[around:], about)
		tested(t, kernel)
	}
}
