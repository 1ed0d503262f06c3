package slice1_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// everyType are the types of numbers.
var everyType = []slice1.DataType{slice1.Uint8, slice1.Int8, slice1.Uint16, slice1.Int16, slice1.Uint32, slice1.Int32,
	slice1.Uint64, slice1.Int64, slice1.Float16, slice1.BFloat16, slice1.Float32, slice1.Float64}

// rangeOf returns the least and the largest number of a type of integers, and nil for floats.
func rangeOf(t slice1.DataType) (lo, hi *big.Int) {
	bits := uint(8 * t.Size())
	power := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
	switch t {
	case slice1.Uint8, slice1.Uint16, slice1.Uint32, slice1.Uint64:
		return new(big.Int), power(bits).Sub(power(bits), big.NewInt(1))
	case slice1.Int8, slice1.Int16, slice1.Int32, slice1.Int64:
		return power(bits - 1).Neg(power(bits - 1)), power(bits-1).Sub(power(bits-1), big.NewInt(1))
	}
	return nil, nil
}

// bitsOf returns the element at the beginning of b, in the machine's order, as an unsigned integer.
func bitsOf(t slice1.DataType, b []byte) uint64 {
	switch t.Size() {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

// appendBits appends the element with the given bits to b, in the machine's order.
func appendBits(t slice1.DataType, b []byte, bits uint64) []byte {
	switch t.Size() {
	case 1:
		return append(b, byte(bits))
	case 2:
		return binary.NativeEndian.AppendUint16(b, uint16(bits))
	case 4:
		return binary.NativeEndian.AppendUint32(b, uint32(bits))
	}
	return binary.NativeEndian.AppendUint64(b, bits)
}

// integerOf returns the integer that the element with the given bits is.
func integerOf(t slice1.DataType, bits uint64) *big.Int {
	n := new(big.Int).SetUint64(bits)
	if _, hi := rangeOf(t); n.Cmp(hi) > 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*t.Size())))
	}
	return n
}

// bitsOfInteger returns the bits of the nearest integer that t has.
func bitsOfInteger(t slice1.DataType, n *big.Int) uint64 {
	lo, hi := rangeOf(t)
	switch {
	case n.Cmp(lo) < 0:
		n = lo
	case n.Cmp(hi) > 0:
		n = hi
	}
	if n.Sign() < 0 {
		return -new(big.Int).Neg(n).Uint64()
	}
	return n.Uint64()
}

// float64Of returns the float64 nearest to the number with the given bits.
func float64Of(t slice1.DataType, bits uint64) float64 {
	switch t {
	case slice1.Float16:
		return float64(smallFloat(uint32(bits), 5, 10))
	case slice1.BFloat16:
		return float64(smallFloat(uint32(bits), 8, 7))
	case slice1.Float32:
		return float64(math.Float32frombits(uint32(bits)))
	case slice1.Float64:
		return math.Float64frombits(bits)
	}
	y, _ := new(big.Float).SetInt(integerOf(t, bits)).Float64()
	return y
}

// finite reports whether all x are numbers.
func finite(xs ...float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return x != x || math.IsInf(x, 0) })
}

// exactly returns the sum or the product of two floats, rounded once, to float64 if wide is true
// and otherwise to float32. 400 bits hold the part of it that decides.
func exactly(op func(z, x, y *big.Float) *big.Float, x, y float64, wide bool) float64 {
	f := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	z := op(f(0), f(x), f(y))
	if wide {
		y, _ := z.Float64()
		return y
	}
	narrow, _ := z.Float32()
	return float64(narrow)
}

// stored returns the bits of number y in type t.
func stored(t slice1.DataType, y float64) uint64 {
	switch t {
	case slice1.Float16:
		return uint64(toSmallFloat(y, 5, 10))
	case slice1.BFloat16:
		return uint64(toSmallFloat(y, 8, 7))
	case slice1.Float32:
		return uint64(math.Float32bits(float32(y)))
	case slice1.Float64:
		return math.Float64bits(y)
	}
	lo, hi := rangeOf(t)
	switch {
	case y != y:
		return 0
	case math.IsInf(y, -1):
		return bitsOfInteger(t, lo)
	case math.IsInf(y, 1):
		return bitsOfInteger(t, hi)
	}
	n, _ := big.NewFloat(math.RoundToEven(y)).Int(nil)
	return bitsOfInteger(t, n)
}

// floatOf returns the bits of the float of type t nearest to an integer.
func floatOf(t slice1.DataType, n *big.Int) uint64 {
	bits := map[slice1.DataType]uint{slice1.Float16: 11, slice1.BFloat16: 8, slice1.Float32: 24, slice1.Float64: 53}[t]
	nearest, _ := new(big.Float).SetPrec(bits).SetInt(n).Float64()
	return stored(t, nearest)
}

// becomes returns the bits in dstType of what the number with the given bits becomes.
func becomes(srcType, dstType slice1.DataType, bits uint64, scale, bias []float32) uint64 {
	_, integer := rangeOf(srcType)
	_, integers := rangeOf(dstType)
	if scale == nil && bias == nil {
		switch {
		case srcType == dstType:
			return bits
		case integer != nil && integers != nil:
			return bitsOfInteger(dstType, integerOf(srcType, bits))
		case integer != nil:
			return floatOf(dstType, integerOf(srcType, bits))
		}
		return stored(dstType, float64Of(srcType, bits))
	}
	in64 := wide(srcType) || wide(dstType)
	y := float64Of(srcType, bits)
	for i, value := range [][]float32{scale, bias} {
		if value == nil {
			continue
		}
		exact, inexact := (*big.Float).Mul, y*float64(value[0])
		if i == 1 {
			exact, inexact = (*big.Float).Add, y+float64(value[0])
		}
		if v := float64(value[0]); finite(y, v) {
			y = exactly(exact, y, v, in64)
		} else {
			y = inexact
		}
	}
	return stored(dstType, y)
}

// edges returns elements of a type near which roundings and limits change a result, and some with
// random bits.
func edges(t slice1.DataType, rng *rand.Rand) (b []byte) {
	add := func(bits uint64) { b = appendBits(t, b, bits) }
	lo, hi := rangeOf(t)
	for e := range 64 {
		if hi == nil {
			break
		}
		at := new(big.Int).Lsh(big.NewInt(1), uint(e))
		middle := new(big.Int).Lsh(big.NewInt(1), uint(max(0, e-24))) // from at on to where float32 rounds up
		for _, near := range []*big.Int{at, new(big.Int).Add(at, middle), new(big.Int).Add(at, new(big.Int).Mul(big.NewInt(3), middle))} {
			for by := int64(-1); by <= 1; by++ {
				n := new(big.Int).Add(near, big.NewInt(by))
				add(bitsOfInteger(t, n))
				add(bitsOfInteger(t, n.Neg(n)))
			}
		}
	}
	if hi != nil {
		add(bitsOfInteger(t, lo))
		add(bitsOfInteger(t, hi))
	} else {
		nan, inf := math.NaN(), math.Inf(1)
		values := []float64{0, inf, nan, 0.5, 1.5, 2.5, 3.5, 127.5, 128.5, 255.5, 256.5, 32767.5, 32768.5, 65503, 65504, 65519, 65520, 65535.5, 65536,
			1<<24 + 1, 1<<24 + 2, 1<<53 - 1, 1<<53 + 2, 1 << 31, 1<<31 - 1, 1<<31 - 128, 1 << 32, 1<<32 - 256, 1 << 63, 1<<63 - 1<<39, 1<<63 - 1<<10, 1 << 64, 1<<64 - 1<<40,
			0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14, 0x1p-126, 0x1p-133, 0x1p-149, 0x1p-150, 1 + 0x1p-24 + 0x1p-52, 1 + 0x1p-24, 1 + 0x3p-24, 1 + 0x1p-11, 1 + 0x1p-8,
			1 + 0x1p-11 + 0x1p-40, 1 + 0x3p-11 - 0x1p-40, 1 + 0x1p-8 + 0x1p-40, 1 + 0x3p-8 - 0x1p-40, 1 + 0x1p-24 + 0x1p-50, 2.5 + 0x1p-40, 65520 - 0x1p-30, 1<<53 + 3, 0x1p-25 + 0x1p-60, 0x1p-134 + 0x1p-170,
			math.MaxFloat32, 0x1.ffffffp127, 0x1.fffffefffffffp127, math.MaxFloat64, math.SmallestNonzeroFloat64, 1e300}
		for _, v := range values {
			for _, v := range []float64{v, -v} {
				add(stored(t, v))
			}
		}
	}
	for range 60 {
		add(rng.Uint64())
	}
	return b
}

// smallNumbers returns the elements of b that are numbers from -2^51 to 2^51 - 1. Integers of 64
// bits have loops of their own for blocks of such numbers.
func smallNumbers(t slice1.DataType, b []byte) (small []byte) {
	for e := range slices.Chunk(b, t.Size()) {
		if y := float64Of(t, bitsOf(t, e)); y >= -0x1p51 && y < 0x1p51 {
			small = append(small, e...)
		}
	}
	return small
}

// swapped returns b with the bytes of each element of `size` bytes reversed.
func swapped(b []byte, size int) []byte {
	b = slices.Clone(b)
	for element := range slices.Chunk(b, size) {
		slices.Reverse(element)
	}
	return b
}

// otherOrder is the order of bytes that the machine does not have.
func otherOrder() binary.ByteOrder {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// equalBits requires elements of type t to be equal bit by bit, and where loose is true any NaN to
// do for a NaN.
func equalBits(t *testing.T, dtype slice1.DataType, want, got []byte, loose bool, about func() string) {
	t.Helper()
	size := dtype.Size()
	_, integers := rangeOf(dtype)
	for i := 0; i < len(want); i += size {
		w, g := bitsOf(dtype, want[i:]), bitsOf(dtype, got[i:])
		x, y := 0., 0.
		if loose && integers == nil {
			x, y = float64Of(dtype, w), float64Of(dtype, g)
		}
		if w != g && (x == x || y == y) {
			require.Failf(t, "other bits", "element %d is %#x, want %#x\n%s", i/size, g, w, about())
		}
	}
}

// All pairs of the twelve types at their edges, by all kernels, against numbers of any precision:
// without values, with one for all, with one for each, in either order of bytes, forwards at an
// odd address and with gaps backwards. Pairs with 64 bits have small numbers alone, too.
func TestPairsOfTypes(t *testing.T) {
	affines := [][2][]float32{{}, {{1}, nil}, {nil, {0.5}}, {{3}, {-1}}, {{-0.5}, {0.25}}, {{0x1p100}, {-0x1p90}}, {{1.0000001}, {minusZero}}, {{float32(math.Inf(1))}, {float32(math.NaN())}}}
	for n := range 2 * len(everyType) {
		k, small := n/2, n%2 == 1
		from := everyType[k]
		t.Run(fmt.Sprint(from, small), func(t *testing.T) {
			t.Parallel()
			size := from.Size()
			src := edges(from, rand.New(rand.NewPCG(64, uint64(k))))
			if small {
				src = smallNumbers(from, src)
			}
			count := len(src) / size
			for j, to := range everyType {
				if small && size < 8 && to.Size() < 8 {
					continue
				}
				for i, values := range affines {
					if testing.Short() && i > 1 && (i+j+k)%3 > 0 {
						continue
					}
					want := make([]byte, 0, count*to.Size())
					for at := 0; at < len(src); at += size {
						want = appendBits(to, want, becomes(from, to, bitsOf(from, src[at:]), values[0], values[1]))
					}
					forwards, backwards := slice1.Whole(from, count), slice1.Whole(from, count)
					backwards.Input.Strides, backwards.WindowStrides, backwards.Output.Strides = []int{2}, []int{-1}, []int{2}
					apart := make([]byte, 2*len(src))
					turned := slices.Repeat([]byte{canary}, (2*count-1)*to.Size())
					for e := range count {
						copy(apart[2*e*size:], src[e*size:][:size])
						copy(turned[2*(count-1-e)*to.Size():], want[e*to.Size():][:to.Size()])
					}
					for _, c := range []struct {
						d         *slice1.Desc
						src, want []byte
						axis      bool
						order     binary.ByteOrder
					}{
						{forwards, append([]byte{0}, src...)[1:], want, false, nil},
						{backwards, apart, turned, false, nil},
						{forwards, swapped(src, size), want, true, otherOrder()},
						{backwards, swapped(apart, size), turned, true, otherOrder()},
					} {
						a := slice1.Affine{Scale: values[0], Bias: values[1]}
						if c.axis {
							a.Scale, a.Bias = slices.Repeat(a.Scale, count), slices.Repeat(a.Bias, count)
						}
						for _, kernel := range usableKernels() {
							p, err := slice1.NewPlan(c.d, slice1.WithNumbers(to, a), slice1.WithKernel(kernel), slice1.WithByteOrder(c.order))
							require.NoError(t, err)
							got := slices.Repeat([]byte{canary}, len(c.want)+1)[1:]
							require.NoError(t, p.Run(got, c.src))
							loose := from != to || values[0] != nil || values[1] != nil
							equalBits(t, to, c.want, got, loose, func() string { return fmt.Sprint(kernel, " ", from, " to ", to, " ", values, "\n", p) })
						}
					}
				}
			}
		})
	}
}

// Rows of one number each, at the ends of small ones.
func TestPairsAtTheEndsOfSmallNumbers(t *testing.T) {
	for _, from := range []slice1.DataType{slice1.Int64, slice1.Uint64, slice1.Float64} {
		for _, to := range everyType {
			for _, by := range []float64{-1, -0.5, 0, 0.5, 1, 0x1p51 - 1, 0x1p51} {
				for _, y := range []float64{0x1p51 + by, -0x1p51 - by} {
					bits := stored(from, y)
					want := appendBits(to, nil, becomes(from, to, bits, nil, nil))
					checkKernels(t, slice1.Whole(from, 1), to, appendBits(from, nil, bits), want, slice1.WithNumbers(to, slice1.Affine{}))
				}
			}
		}
	}
}

// A plan without numbers reverses the bytes of its elements, whatever numbers they are, and so does
// one with equal types and no values. Windows are rows of all short lengths, with gaps, backwards
// and turned, at odd addresses.
func TestPairsOfByteOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 99))
	for _, dtype := range everyType {
		size := dtype.Size()
		for n := 1; n < 70; n += 1 + n/9 {
			for layout := range 4 {
				d := slice1.Whole(dtype, 3, n, 5)
				switch layout {
				case 1:
					d.WindowStrides, d.Output.Strides = []int{1, -1, 1}, []int{5*n + 2, 5, 1}
				case 2:
					d, _ = d.Permute(2, 1, 0)
				case 3:
					d.WindowStrides, d.Output.Sizes = []int{-1, 1, 2}, []int{3, n, 3}
				}
				src := make([]byte, 15*n*size+1)[1:]
				randomize(src, rng)
				need, err := d.Output.MinSize()
				require.NoError(t, err)
				want := slices.Repeat([]byte{canary}, int(need))
				convertSlowly(d, dtype, swapped(src, size), binary.NativeEndian, slice1.Affine{}, func(from, to int, _ float64) {
					copy(want[to*size:], swapped(src[from*size:][:size], size))
				})
				for _, kernel := range usableKernels() {
					for _, opts := range [][]slice1.Option{{}, {slice1.WithNumbers(dtype, slice1.Affine{})}} {
						opts = append(opts, slice1.WithKernel(kernel), slice1.WithByteOrder(otherOrder()))
						p, err := slice1.NewPlan(d, opts...)
						require.NoError(t, err)
						got := slices.Repeat([]byte{canary}, len(want)+1)[1:]
						require.NoError(t, p.Run(got, src))
						require.True(t, bytes.Equal(want, got), "%s, %d\n%v", kernel, n, p)
						clear(got)
						copy(got, slices.Repeat([]byte{canary}, len(got)))
						require.NoError(t, slice1.CopyBytes(got, src, d, opts...))
						require.True(t, bytes.Equal(want, got), "%s, %d\n%v", kernel, n, p)
					}
				}
			}
		}
	}
	for _, opts := range [][]slice1.Option{{}, {slice1.WithNumbers(slice1.Int32, slice1.Affine{})}} {
		src, dst := slice1.Bytes([]int32{16777217}), make([]int32, 1)
		opts = append(opts, slice1.WithByteOrder(otherOrder()))
		require.NoError(t, slice1.CopyBytes(slice1.Bytes(dst), swapped(src, 4), slice1.Whole(slice1.Int32, 1), opts...))
		require.Equal(t, []int32{16777217}, dst)
	}
}
