package convert

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// block is how many numbers pass at a time through memory that stays in the first-level cache.
const block = 512

// Blocks are the memory by which Go converts rows. in has elements that are not aligned or
// have the other byte order, numbers their values, and out results that go to addresses that are
// not aligned. Each begins at an address that suits its elements.
type Blocks struct {
	Vectors bool // whether Go's vectors may convert; else plain Go does
	in, out [block]uint64
	numbers [block]float32
}

// Rows does what program.Conversion.Convert does, in Go and for all numbers.
func (b *Blocks) Rows(c *program.Conversion, x *Numbers, dst, src unsafe.Pointer, params *program.Params) {
	b.rows(c, x, dst, src, params, 0, 0)
}

// rows is Rows for the loops from number `loop` on, with the values of scale and bias from `param`
// on.
func (b *Blocks) rows(c *program.Conversion, x *Numbers, dst, src unsafe.Pointer, params *program.Params, loop, param int64) {
	if loop == c.Loops {
		b.row(c, x, dst, src, params[0][param:], params[1][param:])
		return
	}
	l := &c.Loop[loop]
	for i := range l.Extent {
		b.rows(c, x, unsafe.Add(dst, i*l.Dst), unsafe.Add(src, i*l.Src), params, loop+1, param+i*l.Param)
	}
}

func (b *Blocks) row(c *program.Conversion, x *Numbers, dst, src unsafe.Pointer, scale, bias []float32) {
	from, to := x.From.Size(), x.To.Size()
	most := int64(block)
	if c.Period > 0 {
		most = c.Period
	}
	for at := int64(0); at < c.Count; at += most {
		n := min(most, c.Count-at)
		s, d := unsafe.Add(src, at*from), unsafe.Add(dst, at*to)
		if x.Swap || uintptr(s)&uintptr(from-1) != 0 {
			s = b.aligned(s, n, from, x.Swap)
		}
		result := d
		if uintptr(d)&uintptr(to-1) != 0 {
			result = unsafe.Pointer(&b.out)
		}
		switch numbers := b.numbers[:n]; {
		case x.Exact && x.From == x.To:
			copy(unsafe.Slice((*byte)(result), n*to), unsafe.Slice((*byte)(s), n*to))
		case x.Exact:
			exact(result, s, x, n)
		case x.To == program.Float32:
			b.widen(unsafe.Slice((*float32)(result), n), s, x.From, scale, bias, c.Period > 0)
		default:
			b.widen(numbers, s, x.From, scale, bias, c.Period > 0)
			b.narrow(result, numbers, x.To)
		}
		if result != d {
			copy(unsafe.Slice((*byte)(d), n*to), unsafe.Slice((*byte)(result), n*to))
		}
	}
}

// aligned copies n elements of `size` bytes to an address that suits them, and reverses the bytes
// of each if swap is true.
func (b *Blocks) aligned(src unsafe.Pointer, n, size int64, swap bool) unsafe.Pointer {
	p := unsafe.Pointer(&b.in)
	copy(unsafe.Slice((*byte)(p), n*size), unsafe.Slice((*byte)(src), n*size))
	switch {
	case !swap:
	case size == 2:
		for i, x := range unsafe.Slice((*uint16)(p), n) {
			unsafe.Slice((*uint16)(p), n)[i] = bits.ReverseBytes16(x)
		}
	case size == 4:
		for i, x := range unsafe.Slice((*uint32)(p), n) {
			unsafe.Slice((*uint32)(p), n)[i] = bits.ReverseBytes32(x)
		}
	case size == 8:
		for i, x := range b.in[:n] {
			b.in[i] = bits.ReverseBytes64(x)
		}
	}
	return p
}

// widen is function widen, by vectors for as many elements as these convert.
func (b *Blocks) widen(d []float32, src unsafe.Pointer, from program.ElementType, scale, bias []float32, each bool) {
	done := 0
	if b.Vectors {
		done = vector.Widen(d, src, from, scale, bias, each)
	}
	if done == len(d) {
		return
	}
	if each {
		scale, bias = scale[done:], bias[done:]
	}
	widen(d[done:], unsafe.Add(src, int64(done)*from.Size()), from, scale, bias, each)
}

// narrow is function narrow, by vectors for as many elements as these convert.
func (b *Blocks) narrow(dst unsafe.Pointer, numbers []float32, to program.ElementType) {
	done := 0
	if b.Vectors {
		done = vector.Narrow(dst, numbers, to)
	}
	if done < len(numbers) {
		narrow(unsafe.Add(dst, int64(done)*to.Size()), numbers[done:], to)
	}
}

// widen converts len(d) elements at src: d[i] = src[i]*scale[i] + bias[i]. Unless each is true,
// scale[0] and bias[0] are for all elements.
func widen(d []float32, src unsafe.Pointer, from program.ElementType, scale, bias []float32, each bool) {
	switch from {
	case program.Uint8:
		affine(d, (*uint8)(src), scale, bias, each)
	case program.Int8:
		affine(d, (*int8)(src), scale, bias, each)
	case program.Uint16:
		affine(d, (*uint16)(src), scale, bias, each)
	case program.Int16:
		affine(d, (*int16)(src), scale, bias, each)
	case program.Int32:
		affine(d, (*int32)(src), scale, bias, each)
	case program.Float32:
		affine(d, (*float32)(src), scale, bias, each)
	case program.Float64:
		affine(d, (*float64)(src), scale, bias, each)
	case program.Int64:
		affineOfLong(d, (*int64)(src), scale, bias, each)
	case program.Uint32:
		affine(d, (*uint32)(src), scale, bias, each)
	case program.Uint64:
		affineOfLong(d, (*uint64)(src), scale, bias, each)
	case program.Float16:
		affineOf(d, (*uint16)(src), half, scale, bias, each)
	case program.BFloat16:
		affineOf(d, (*uint16)(src), bfloat, scale, bias, each)
	case program.Sample:
		affineOf(d, (*[2]uint8)(src), sample, scale, bias, each)
	}
}

// affine is widen for numbers that Go converts to float32. The explicit conversion of the product
// rounds it before the sum.
func affine[T uint8 | int8 | uint16 | int16 | int32 | uint32 | float32 | float64](d []float32, src *T, scale, bias []float32, each bool) {
	s := unsafe.Slice(src, len(d))
	if !each {
		a, b := scale[0], bias[0]
		for i, x := range s {
			d[i] = float32(float32(x)*a) + b
		}
		return
	}
	a, b := scale[:len(d)], bias[:len(d)]
	for i, x := range s {
		d[i] = float32(float32(x)*a[i]) + b[i]
	}
}

// affineOf is affine for elements that function value turns into numbers.
func affineOf[T any](d []float32, src *T, value func(T) float32, scale, bias []float32, each bool) {
	for i, x := range unsafe.Slice(src, len(d)) {
		d[i] = value(x)
	}
	affine(d, unsafe.SliceData(d), scale, bias, each)
}

// affineOfLong is affine for integers that float64 does not hold exactly. Go's own conversion of
// these to float32 rounds twice on 386. Here float64 holds each integer exactly: above 2^53 its
// lowest bit there stands for all the bits below it, which changes no rounding to float32.
func affineOfLong[T int64 | uint64](d []float32, src *T, scale, bias []float32, each bool) {
	for i, x := range unsafe.Slice(src, len(d)) {
		magnitude := x
		if x < 0 {
			magnitude = -x
		}
		if magnitude>>53 != 0 && x&0x7ff != 0 {
			x = x&^0x7ff | 0x800
		}
		d[i] = float32(float64(x))
	}
	affine(d, unsafe.SliceData(d), scale, bias, each)
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

// narrow stores numbers as elements at dst, rounded to nearest, ties to even.
func narrow(dst unsafe.Pointer, numbers []float32, to program.ElementType) {
	switch to {
	case program.Uint8:
		round((*uint8)(dst), numbers, 0, math.MaxUint8)
	case program.Int8:
		round((*int8)(dst), numbers, math.MinInt8, math.MaxInt8)
	case program.Uint16:
		round((*uint16)(dst), numbers, 0, math.MaxUint16)
	case program.Int16:
		round((*int16)(dst), numbers, math.MinInt16, math.MaxInt16)
	case program.Int32:
		each((*int32)(dst), numbers, whole)
	case program.Float64:
		each((*float64)(dst), numbers, func(y float32) float64 { return float64(y) })
	case program.Int64:
		each((*int64)(dst), numbers, whole)
	case program.Uint32:
		each((*uint32)(dst), numbers, whole)
	case program.Uint64:
		each((*uint64)(dst), numbers, whole)
	case program.Float16:
		each((*uint16)(dst), numbers, toHalf)
	case program.BFloat16:
		each((*uint16)(dst), numbers, toBFloat)
	case program.Sample:
		each((*[2]uint8)(dst), numbers, toSample)
	}
}

// round stores the nearest whole numbers from lo to hi, and 0 for a NaN.
func round[T uint8 | int8 | uint16 | int16](dst *T, numbers []float32, lo, hi float32) {
	d := unsafe.Slice(dst, len(numbers))
	for i, y := range numbers {
		d[i] = T(nearest(y, lo, hi))
	}
}

// nearest returns the nearest whole number from lo to hi in the lowest bits of the result. lo and
// hi must lie between -2^22 and 2^22. The sum with 1.5 * 2^23 is rounded to a whole number, and has
// it there.
func nearest(y, lo, hi float32) uint32 {
	switch {
	case y > hi:
		y = hi
	case y >= lo:
	case y < lo:
		y = lo
	default: // a NaN
		y = 0
	}
	return math.Float32bits(y + 0x1.8p23)
}

// each stores what value makes of each number.
func each[T any](dst *T, numbers []float32, value func(float32) T) {
	d := unsafe.Slice(dst, len(numbers))
	for i, y := range numbers {
		d[i] = value(y)
	}
}

// integer is a type of integers that float32 does not hold exactly.
type integer interface {
	int32 | uint32 | int64 | uint64
}

// least returns the least value of T. Its complement is the largest one.
func least[T integer]() T {
	ones := ^T(0)
	if ones > 0 {
		return 0
	}
	return ones << (8*unsafe.Sizeof(ones) - 1)
}

// whole returns the nearest integer that T has, and 0 for a NaN. The largest integer's float32 is 1
// more than the largest integer.
func whole[T integer](y float32) T {
	lo := least[T]()
	switch {
	case y >= float32(^lo):
		return ^lo
	case y > float32(lo):
		return T(math.RoundToEven(float64(y)))
	case y <= 0:
		return lo
	}
	return 0
}

// exact converts n integers, saturated.
func exact(dst, src unsafe.Pointer, x *Numbers, n int64) {
	switch x.From {
	case program.Int32:
		exactFrom(dst, unsafe.Slice((*int32)(src), n), x.To)
	case program.Uint32:
		exactFrom(dst, unsafe.Slice((*uint32)(src), n), x.To)
	case program.Int64:
		exactFrom(dst, unsafe.Slice((*int64)(src), n), x.To)
	case program.Uint64:
		exactFrom(dst, unsafe.Slice((*uint64)(src), n), x.To)
	}
}

func exactFrom[S integer](dst unsafe.Pointer, src []S, to program.ElementType) {
	switch to {
	case program.Int32:
		saturate((*int32)(dst), src)
	case program.Uint32:
		saturate((*uint32)(dst), src)
	case program.Int64:
		saturate((*int64)(dst), src)
	case program.Uint64:
		saturate((*uint64)(dst), src)
	}
}

// saturate stores the nearest number that D has of each number.
func saturate[D, S integer](dst *D, src []S) {
	lo, hi := S(0), S(min(uint64(^least[D]()), uint64(^least[S]())))
	if least[D]() < 0 && least[S]() < 0 {
		lo = S(max(int64(least[D]()), int64(least[S]())))
	}
	d := unsafe.Slice(dst, len(src))
	for i, x := range src {
		d[i] = D(min(max(x, lo), hi))
	}
}

func toSample(y float32) [2]uint8 {
	v := nearest(float32(y*257), 0, math.MaxUint16)
	return [2]uint8{uint8(v >> 8), uint8(v)}
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
