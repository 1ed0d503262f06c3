package portable

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// numbers has the types that Widen and Narrow know. Float32 has nothing to narrow.
var numbers = []program.ElementType{program.Uint8, program.Int8, program.Uint16, program.Int16, program.Int32, program.Uint32,
	program.Int64, program.Uint64, program.Float16, program.BFloat16, program.Float32, program.Float64, program.Sample257}

// valueOf returns the value of the element of type t in the lowest bytes of b.
func valueOf(t program.ElementType, b uint64) *big.Float {
	switch t {
	case program.Uint8, program.Uint16, program.Uint32, program.Uint64:
		return new(big.Float).SetUint64(b << (64 - 8*t.Size()) >> (64 - 8*t.Size()))
	case program.Int8, program.Int16, program.Int32, program.Int64:
		return new(big.Float).SetInt64(int64(b<<(64-8*t.Size())) >> (64 - 8*t.Size()))
	case program.Float64:
		return new(big.Float).SetFloat64(math.Float64frombits(b))
	case program.Float32:
		return new(big.Float).SetFloat64(float64(math.Float32frombits(uint32(b))))
	case program.BFloat16:
		return new(big.Float).SetFloat64(float64(math.Float32frombits(uint32(b) << 16)))
	case program.Float16:
		exponent, fraction := int(b>>10&31), float64(b&1023)
		x := math.Ldexp(1024+fraction, exponent-25)
		if exponent == 0 {
			x = math.Ldexp(fraction, -24)
		}
		return new(big.Float).SetFloat64(math.Copysign(x, float64(int64(b<<48))))
	}
	panic("no number")
}

// Widen makes the nearest float32 of each number, then a product and a sum that are rounded each,
// for random elements of every type with one scale and bias and with one for each.
func TestWiden(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 1))
	for _, from := range numbers {
		for range 300 {
			n := 1 + rng.IntN(40)
			src, got := make([]uint64, n), make([]float32, n)
			scale, bias := []float32{float32(rng.NormFloat64())}, []float32{float32(rng.NormFloat64())}
			for len(scale) < n && n%2 == 0 {
				scale, bias = append(scale, float32(rng.NormFloat64())), append(bias, float32(rng.NormFloat64()))
			}
			var values []*big.Float
			for i := range n {
				b := rng.Uint64() >> rng.IntN(64)
				switch from { // no infinities and NaNs, which are no numbers here
				case program.Float16:
					b &^= 1 << 14
				case program.BFloat16:
					b &^= 1 << 14
				case program.Float32:
					b &^= 1 << 30
				case program.Float64:
					b = math.Float64bits(float64(math.Float32frombits(uint32(b)&^(1<<30))) * (1 + 0x1p-30))
				}
				at := unsafe.Add(unsafe.Pointer(&src[0]), int64(i)*from.Size())
				var bytes [8]byte
				binary.NativeEndian.PutUint64(bytes[:], b)
				low := bytes[:from.Size()]
				if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
					low = bytes[8-from.Size():]
				}
				copy(unsafe.Slice((*byte)(at), from.Size()), low)
				if from == program.Sample257 { // the high byte first, in 257ths
					v := binary.BigEndian.Uint16(low)
					values = append(values, new(big.Float).SetFloat64(float64(float32(v)/257)))
					continue
				}
				values = append(values, valueOf(from, b))
			}
			Widen(got, unsafe.Pointer(&src[0]), from, scale, bias)
			for i, x := range values {
				y, _ := x.Float32()
				product := float32(float64(y) * float64(scale[i%len(scale)])) // exact in float64, so rounded once
				sum := new(big.Float).SetPrec(400).Add(big.NewFloat(float64(product)), big.NewFloat(float64(bias[i%len(bias)])))
				want, _ := sum.Float32()
				require.Equal(t, want, got[i], "type %d, %v", from, x)
			}
		}
	}
}

// Narrow stores the nearest number of each type, saturated for integers, ties to even, and 0 for a
// NaN that becomes an integer.
func TestNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 2))
	for _, to := range numbers {
		if to == program.Float32 {
			continue
		}
		for range 4000 {
			y := math.Float32frombits(rng.Uint32())
			switch rng.IntN(3) {
			case 0:
				y = float32(rng.IntN(140000)-70000) / 2
			case 1:
				y = float32(rng.NormFloat64() * 300)
			}
			var got [8]byte
			room := new([2]uint64)
			Narrow(unsafe.Pointer(room), []float32{y}, to)
			copy(got[:], unsafe.Slice((*byte)(unsafe.Pointer(room)), 8))
			low := got[:to.Size()]
			switch to {
			case program.Float64:
				require.Equal(t, math.Float64bits(float64(y)), binary.NativeEndian.Uint64(low))
			case program.Float16, program.BFloat16:
				bits := uint64(binary.NativeEndian.Uint16(low))
				checkNearest(t, to, y, bits)
			case program.Sample257:
				want := math.RoundToEven(float64(max(0, min(float32(y*257), 65535))))
				if y != y {
					want = 0
				}
				require.EqualValues(t, want, binary.BigEndian.Uint16(low), y)
			default:
				lowest, highest := limits(to)
				want := new(big.Float).SetFloat64(0)
				if y == y {
					x := new(big.Float).SetPrec(200).SetFloat64(math.RoundToEven(float64(max(-0x1p80, min(y, 0x1p80)))))
					want = x
					if x.Cmp(lowest) < 0 {
						want = lowest
					} else if x.Cmp(highest) > 0 {
						want = highest
					}
				}
				require.Zero(t, want.Cmp(valueOf(to, little(low))), "type %d: %v is %v", to, y, valueOf(to, little(low)))
			}
		}
	}
}

// little returns the bytes of a number of this machine in the lowest bytes.
func little(b []byte) (x uint64) {
	for i := range b {
		at := i
		if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
			at = len(b) - 1 - i
		}
		x |= uint64(b[at]) << (8 * i)
	}
	return x
}

// limits returns the least and the largest integer of a type.
func limits(t program.ElementType) (lowest, highest *big.Float) {
	bits := uint(8 * t.Size())
	one := big.NewFloat(1)
	if t == program.Uint8 || t == program.Uint16 || t == program.Uint32 || t == program.Uint64 {
		return new(big.Float), new(big.Float).SetPrec(200).Sub(new(big.Float).SetMantExp(one, int(bits)), one)
	}
	return new(big.Float).Neg(new(big.Float).SetMantExp(one, int(bits)-1)), new(big.Float).SetPrec(200).Sub(new(big.Float).SetMantExp(one, int(bits)-1), one)
}

// checkNearest requires that bits are the float of 16 bits that is nearest to y, the even one of
// two.
func checkNearest(t *testing.T, to program.ElementType, y float32, bits uint64) {
	infinity := map[program.ElementType]uint64{program.Float16: 0x7c00, program.BFloat16: 0x7f80}[to]
	magnitude := bits & 0x7fff
	if y != y {
		require.Greater(t, magnitude, infinity)
		return
	}
	require.Equal(t, math.Signbit(float64(y)), bits>>15 == 1)
	distance := func(b uint64) *big.Float { // the value after the largest one stands for infinity
		x := math.Ldexp(1, map[program.ElementType]int{program.Float16: 16, program.BFloat16: 128}[to])
		if b < infinity {
			x, _ = valueOf(to, b).Float64()
		}
		d := new(big.Float).SetPrec(400).Sub(big.NewFloat(x), big.NewFloat(math.Min(math.Abs(float64(y)), 0x1p200)))
		return d.Abs(d)
	}
	require.LessOrEqual(t, magnitude, infinity)
	for _, other := range []uint64{magnitude - 1, magnitude + 1} {
		if other > infinity { // also of 0 - 1
			continue
		}
		switch distance(magnitude).Cmp(distance(other)) {
		case 1:
			require.Failf(t, "not the nearest", "%v of %v", bits, y)
		case 0:
			require.Zero(t, magnitude&1, "a tie to odd: %v of %v", bits, y)
		}
	}
}

// Saturate stores the nearest integer of every pair of types of 32 and 64 bits.
func TestSaturate(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 3))
	types := []program.ElementType{program.Int32, program.Uint32, program.Int64, program.Uint64}
	for _, from := range types {
		for _, to := range types {
			if from == to {
				continue
			}
			for range 1000 {
				b := rng.Uint64() >> rng.IntN(64)
				if rng.IntN(2) == 0 {
					b = -b
				}
				var src, dst [1]uint64
				binary.NativeEndian.PutUint64(unsafe.Slice((*byte)(unsafe.Pointer(&src)), 8), b)
				Saturate(unsafe.Pointer(&dst), unsafe.Pointer(&src), 1, to, from)
				x := valueOf(from, little(unsafe.Slice((*byte)(unsafe.Pointer(&src)), from.Size())))
				lowest, highest := limits(to)
				if x.Cmp(lowest) < 0 {
					x = lowest
				} else if x.Cmp(highest) > 0 {
					x = highest
				}
				require.Zero(t, x.Cmp(valueOf(to, little(unsafe.Slice((*byte)(unsafe.Pointer(&dst)), to.Size())))), "%d to %d: %x", from, to, b)
			}
		}
	}
}

// Reverse reverses the bytes of each element, of every size.
func TestReverse(t *testing.T) {
	for _, size := range []int64{2, 4, 8} {
		memory := make([]uint64, 10)
		b := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 80)
		for i := range b {
			b[i] = byte(i)
		}
		n := 72 / size
		Reverse(unsafe.Pointer(&memory[0]), n, size)
		for i := range b {
			want := byte(i)
			if int64(i) < n*size {
				want = byte(int64(i)/size*size + size - 1 - int64(i)%size)
			}
			require.Equal(t, want, b[i])
		}
	}
}
