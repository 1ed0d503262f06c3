package portable

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Widen makes float32 of len(d) elements of type t at src: d[i] = src[i]*scale[i] + bias[i],
// rounded after each step. A scale and a bias of one value are for all elements.
func Widen(d []float32, src unsafe.Pointer, t program.ElementType, scale, bias []float32) {
	if load := numberLoops[t].load; load != nil {
		load(d, src)
		t, src = program.Float32, unsafe.Pointer(unsafe.SliceData(d))
	}
	numberLoops[t].widen(d, src, scale, bias)
}

// Narrow stores numbers as elements of type t at dst, rounded to nearest, ties to even. t is not
// Float32, whose numbers are stored as they are.
func Narrow(dst unsafe.Pointer, numbers []float32, t program.ElementType) {
	numberLoops[t].narrow(dst, numbers)
}

// Saturate stores n integers of srcType, of 32 bits or more, as the nearest integers of another
// such type, dstType.
func Saturate(dst, src unsafe.Pointer, n int64, dstType, srcType program.ElementType) {
	saturating[srcType][dstType](dst, src, n)
}

// Reverse reverses the bytes of each of n elements of `size` bytes at p: 2, 4 or 8.
func Reverse(p unsafe.Pointer, n, size int64) {
	switch size {
	case 2:
		store((*uint16)(p), unsafe.Slice((*uint16)(p), n), bits.ReverseBytes16)
	case 4:
		store((*uint32)(p), unsafe.Slice((*uint32)(p), n), bits.ReverseBytes32)
	case 8:
		store((*uint64)(p), unsafe.Slice((*uint64)(p), n), bits.ReverseBytes64)
	}
}

// numberLoops has the loops of plain Go for elements of each type.
var numberLoops = [...]struct {
	widen  func(d []float32, src unsafe.Pointer, scale, bias []float32)
	load   func(d []float32, src unsafe.Pointer) // in place of widen: d[i] = src[i]
	narrow func(dst unsafe.Pointer, numbers []float32)
}{
	program.Uint8:   {widen: affine[uint8], narrow: round[uint8]},
	program.Int8:    {widen: affine[int8], narrow: round[int8]},
	program.Uint16:  {widen: affine[uint16], narrow: round[uint16]},
	program.Int16:   {widen: affine[int16], narrow: round[int16]},
	program.Int32:   {widen: affine[int32], narrow: whole[int32, float32]},
	program.Uint32:  {widen: affine[uint32], narrow: whole[uint32, float32]},
	program.Int64:   {load: longs[int64], narrow: whole[int64, float32]},
	program.Uint64:  {load: longs[uint64], narrow: whole[uint64, float32]},
	program.Float32: {widen: affine[float32]},
	program.Float64: {widen: affine[float64], narrow: func(dst unsafe.Pointer, y []float32) { store((*float64)(dst), y, double) }},
	program.Float16: {
		load:   func(d []float32, src unsafe.Pointer) { store(&d[0], unsafe.Slice((*uint16)(src), len(d)), half) },
		narrow: func(dst unsafe.Pointer, y []float32) { store((*uint16)(dst), y, toHalf) },
	},
	program.BFloat16: {
		load:   func(d []float32, src unsafe.Pointer) { store(&d[0], unsafe.Slice((*uint16)(src), len(d)), bfloat) },
		narrow: func(dst unsafe.Pointer, y []float32) { store((*uint16)(dst), y, toBFloat) },
	},
	program.Sample257: {
		load:   func(d []float32, src unsafe.Pointer) { store(&d[0], unsafe.Slice((*[2]uint8)(src), len(d)), sample) },
		narrow: func(dst unsafe.Pointer, y []float32) { store((*[2]uint8)(dst), y, toSample) },
	},
}

// affine widens numbers that Go converts to float32. The explicit conversion of the product rounds
// it before the sum.
func affine[T uint8 | int8 | uint16 | int16 | int32 | uint32 | float32 | float64](d []float32, src unsafe.Pointer, scale, bias []float32) {
	s := unsafe.Slice((*T)(src), len(d))
	if len(scale) == 1 {
		factor, summand := scale[0], bias[0]
		for i, x := range s {
			d[i] = float32(float32(x)*factor) + summand
		}
		return
	}
	scale, bias = scale[:len(d)], bias[:len(d)]
	for i, x := range s {
		d[i] = float32(float32(x)*scale[i]) + bias[i]
	}
}

// store stores what value makes of each element of src.
func store[D, S any](dst *D, src []S, value func(S) D) {
	for i, d := 0, unsafe.Slice(dst, len(src)); i < len(d); i++ {
		d[i] = value(src[i])
	}
}

// longs makes float32 of integers that float64 does not hold exactly. Go's own conversion of these
// to float32 rounds twice on 386.
func longs[T int64 | uint64](d []float32, src unsafe.Pointer) {
	store(&d[0], unsafe.Slice((*T)(src), len(d)), func(x T) float32 { return float32(odd(x)) })
}

// odd returns a float64 that becomes the same float of 32 or 16 bits as x, and the same integer of
// up to 32 bits. Above 2^53 its lowest bit stands for all the bits of x below it, which changes no
// such rounding.
func odd[T int64 | uint64](x T) float64 {
	magnitude := x
	if x < 0 {
		magnitude = -x
	}
	if magnitude>>53 != 0 && x&0x7ff != 0 {
		x = x&^0x7ff | 0x800
	}
	return float64(x)
}

// half returns the value of a float16. It moves the exponent and the fraction to where a float32
// has them. Then it multiplies by 2^112, for the difference of the exponents' biases, which is
// exact. That would make infinity and NaN finite, so they get the exponent that these have in a
// float32.
func half(h uint16) float32 {
	magnitude := uint32(h&0x7fff) << 13
	bits := math.Float32bits(math.Float32frombits(magnitude)*0x1p112) | uint32(h&0x8000)<<16
	if magnitude >= 0x0f800000 {
		bits |= 0x7f800000
	}
	return math.Float32frombits(bits)
}

// bfloat returns the value of a bfloat16.
func bfloat(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// sample returns the value, from 0 to 255, of a sample of a picture of 16 bits.
func sample(s [2]uint8) float32 { return float32(uint16(s[0])<<8|uint16(s[1])) / 257 }

// double returns y as a float64.
func double(y float32) float64 { return float64(y) }

// integer is a type of integers.
type integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64
}

// minimum returns the least value of T. Its complement is the largest one.
func minimum[T integer]() T {
	bits1 := ^T(0)
	if bits1 > 0 {
		return 0
	}
	return bits1 << (8*unsafe.Sizeof(bits1) - 1)
}

// round narrows to integers that float32 holds exactly: to the nearest one, and 0 for a NaN.
func round[T int8 | uint8 | int16 | uint16](dst unsafe.Pointer, numbers []float32) {
	lo := minimum[T]()
	d, low, high := unsafe.Slice((*T)(dst), len(numbers)), float32(lo), float32(^lo)
	for i, y := range numbers {
		d[i] = T(nearest(y, low, high))
	}
}

// nearest returns the nearest whole number from low to high in the lowest bits of the result. low
// and high must lie between -2^22 and 2^22. The sum with 1.5 * 2^23 is rounded to a whole number,
// and has it there.
func nearest(y, low, high float32) uint32 {
	switch {
	case y > high:
		y = high
	case y >= low:
	case y < low:
		y = low
	default: // a NaN
		y = 0
	}
	return math.Float32bits(y + 0x1.8p23)
}

// whole narrows to integers that float32 does not hold exactly: to the nearest one, and 0 for a
// NaN. If F does not hold the largest integer, high is 1 more than that.
func whole[T integer, F float32 | float64](dst unsafe.Pointer, numbers []F) {
	lo := minimum[T]()
	d, low, high := unsafe.Slice((*T)(dst), len(numbers)), F(lo), F(^lo)
	for i, y := range numbers {
		x := T(0) // of a NaN
		switch {
		case y >= high:
			x = ^lo
		case y > low:
			x = T(math.RoundToEven(float64(y)))
		case y <= low:
			x = lo
		}
		d[i] = x
	}
}

// saturating[s][d] converts n integers of type s to type d, saturated.
var saturating = [...][program.Uint64 + 1]func(dst, src unsafe.Pointer, n int64){
	program.Int32:  {program.Uint32: saturate[uint32, int32], program.Int64: saturate[int64, int32], program.Uint64: saturate[uint64, int32]},
	program.Uint32: {program.Int32: saturate[int32, uint32], program.Int64: saturate[int64, uint32], program.Uint64: saturate[uint64, uint32]},
	program.Int64:  {program.Int32: saturate[int32, int64], program.Uint32: saturate[uint32, int64], program.Uint64: saturate[uint64, int64]},
	program.Uint64: {program.Int32: saturate[int32, uint64], program.Uint32: saturate[uint32, uint64], program.Int64: saturate[int64, uint64]},
}

// saturate stores the nearest number that D has of each number.
func saturate[D, S integer](dst, src unsafe.Pointer, n int64) {
	lo, hi := S(0), S(min(uint64(^minimum[D]()), uint64(^minimum[S]())))
	if minimum[D]() < 0 && minimum[S]() < 0 {
		lo = S(max(int64(minimum[D]()), int64(minimum[S]())))
	}
	d := unsafe.Slice((*D)(dst), n)
	for i, x := range unsafe.Slice((*S)(src), n) {
		d[i] = D(min(max(x, lo), hi))
	}
}

func toSample(y float32) [2]uint8 { return sampleOf(float32(y * 257)) }

// sampleOf returns the sample of 16 bits that is nearest to v, which counts in 257ths.
func sampleOf(v float32) [2]uint8 {
	w := nearest(v, 0, math.MaxUint16)
	return [2]uint8{uint8(w >> 8), uint8(w)}
}

// toBFloat returns the upper half of y's bits, rounded; a NaN gets its quiet bit.
func toBFloat(y float32) uint16 {
	bits := math.Float32bits(y)
	if y != y {
		return uint16(bits>>16 | 0x40)
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// toHalf returns y as a float16. From 2^-14 on it rounds the lower 13 bits away, and moves the
// exponent to float16's bias. So numbers that round to 2^16 become infinity. Below 2^-14, the sum
// with 1/2 has the rounded fraction of a float16 without an exponent in its lowest bits.
func toHalf(y float32) uint16 {
	bits := math.Float32bits(y)
	sign, magnitude := uint16(bits>>16&0x8000), bits&0x7fffffff
	switch {
	case magnitude > 0x7f800000:
		return sign | 0x7e00
	case magnitude >= 0x47800000: // 2^16
		return sign | 0x7c00
	case magnitude < 0x38800000: // 2^-14
		return sign | uint16(math.Float32bits(math.Float32frombits(magnitude)+0.5)-math.Float32bits(0.5))
	}
	return sign | uint16((magnitude-112<<23+0xfff+magnitude>>13&1)>>13)
}
