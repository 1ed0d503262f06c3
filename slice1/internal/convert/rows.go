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

// Blocks are the memory by which Go converts rows. Each begins at an address that suits its
// elements.
type Blocks struct {
	Vectors bool // whether Go's vectors may convert; else plain Go does
	Exact   bool // as in Numbers

	source  [block]uint64 // elements that are not aligned, or have the other byte order
	numbers [block]float32
	results [block]uint64 // elements that go to an address that is not aligned
}

// Rows converts the rows of c in Go, for all types of numbers.
func (b *Blocks) Rows(c *program.Conversion, dst, src unsafe.Pointer, params *program.Params) {
	b.rows(c, c.Loop[:c.Loops], dst, src, params[0][:], params[1][:])
}

// rows is Rows for the given loops around the row, with the values of their first iterations.
func (b *Blocks) rows(c *program.Conversion, loops []program.Dim, dst, src unsafe.Pointer, scale, bias []float32) {
	if len(loops) == 0 {
		b.row(c, dst, src, scale, bias)
		return
	}
	l := &loops[0]
	for i := range l.Extent {
		b.rows(c, loops[1:], unsafe.Add(dst, i*l.Dst), unsafe.Add(src, i*l.Src), scale[i*l.Param:], bias[i*l.Param:])
	}
}

func (b *Blocks) row(c *program.Conversion, dst, src unsafe.Pointer, scale, bias []float32) {
	srcSize, dstSize := c.Src.Size(), c.Dst.Size()
	most := int64(block)
	if scale, bias = scale[:1], bias[:1]; c.Period > 0 {
		most = c.Period
	}
	for done := int64(0); done < c.Count; done += most {
		n := min(most, c.Count-done)
		s, d := unsafe.Add(src, done*srcSize), unsafe.Add(dst, done*dstSize)
		if c.Swap != 0 || uintptr(s)&uintptr(srcSize-1) != 0 {
			s = b.aligned(s, n, srcSize, c.Swap != 0)
		}
		result := d
		if uintptr(d)&uintptr(dstSize-1) != 0 {
			result = unsafe.Pointer(&b.results)
		}
		if c.Period > 0 {
			scale, bias = scale[:n], bias[:n]
		}
		switch numbers := b.numbers[:n]; {
		case c.Src.KeepsBits():
			copy(unsafe.Slice((*byte)(result), n*dstSize), unsafe.Slice((*byte)(s), n*dstSize))
		case b.Exact:
			exact[c.Src][c.Dst](result, s, n)
		case c.Dst == program.Float32:
			b.widen(unsafe.Slice((*float32)(result), n), s, c.Src, scale, bias)
		default:
			b.widen(numbers, s, c.Src, scale, bias)
			b.narrow(result, numbers, c.Dst)
		}
		if result != d {
			copy(unsafe.Slice((*byte)(d), n*dstSize), unsafe.Slice((*byte)(result), n*dstSize))
		}
	}
}

// aligned copies n elements of `size` bytes to an address that suits them, and reverses the bytes
// of each if swap is true. Vectors copy as many as they can then.
func (b *Blocks) aligned(src unsafe.Pointer, n, size int64, swap bool) unsafe.Pointer {
	result, bytes := unsafe.Pointer(&b.source), n*size
	done := int64(0)
	if swap && b.Vectors {
		done = vector.Reverse(result, src, bytes, size)
	}
	p := unsafe.Add(result, done)
	copy(unsafe.Slice((*byte)(p), bytes-done), unsafe.Slice((*byte)(unsafe.Add(src, done)), bytes-done))
	switch n -= done / size; {
	case !swap || n == 0:
	case size == 2:
		store((*uint16)(p), unsafe.Slice((*uint16)(p), n), bits.ReverseBytes16)
	case size == 4:
		store((*uint32)(p), unsafe.Slice((*uint32)(p), n), bits.ReverseBytes32)
	case size == 8:
		store((*uint64)(p), unsafe.Slice((*uint64)(p), n), bits.ReverseBytes64)
	}
	return result
}

// widen makes float32 of len(d) elements at src: d[i] = src[i]*scale[i] + bias[i]. A scale and a
// bias of one value are for all elements. Vectors make as many as they can.
func (b *Blocks) widen(d []float32, src unsafe.Pointer, t program.ElementType, scale, bias []float32) {
	done, several := 0, len(scale) > 1
	if b.Vectors {
		done = vector.Widen(d, src, t, scale, bias, several)
	}
	if done == len(d) {
		return
	}
	if several {
		scale, bias = scale[done:], bias[done:]
	}
	d, src = d[done:], unsafe.Add(src, int64(done)*t.Size())
	if load := loops[t].load; load != nil {
		load(d, src)
		t, src = program.Float32, unsafe.Pointer(&d[0])
	}
	loops[t].widen(d, src, scale, bias)
}

// narrow stores numbers as elements at dst, rounded to nearest, ties to even. Vectors store as many
// as they can.
func (b *Blocks) narrow(dst unsafe.Pointer, numbers []float32, t program.ElementType) {
	done := 0
	if b.Vectors {
		done = vector.Narrow(dst, numbers, t)
	}
	if done < len(numbers) {
		loops[t].narrow(unsafe.Add(dst, int64(done)*t.Size()), numbers[done:])
	}
}

// loops has the loops of plain Go for elements of each type.
var loops = [...]struct {
	widen  func(d []float32, src unsafe.Pointer, scale, bias []float32)
	load   func(d []float32, src unsafe.Pointer) // in place of widen: d[i] = src[i]
	narrow func(dst unsafe.Pointer, numbers []float32)
}{
	program.Uint8:   {widen: affine[uint8], narrow: round[uint8]},
	program.Int8:    {widen: affine[int8], narrow: round[int8]},
	program.Uint16:  {widen: affine[uint16], narrow: round[uint16]},
	program.Int16:   {widen: affine[int16], narrow: round[int16]},
	program.Int32:   {widen: affine[int32], narrow: whole[int32]},
	program.Uint32:  {widen: affine[uint32], narrow: whole[uint32]},
	program.Int64:   {load: long[int64], narrow: whole[int64]},
	program.Uint64:  {load: long[uint64], narrow: whole[uint64]},
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
	program.Sample: {
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

// long makes float32 of integers that float64 does not hold exactly. Go's own conversion of these
// to float32 rounds twice on 386. Here float64 holds each integer exactly: above 2^53 its lowest
// bit there stands for all the bits below it, which changes no rounding to float32.
func long[T int64 | uint64](d []float32, src unsafe.Pointer) {
	for i, x := range unsafe.Slice((*T)(src), len(d)) {
		magnitude := x
		if x < 0 {
			magnitude = -x
		}
		if magnitude>>53 != 0 && x&0x7ff != 0 {
			x = x&^0x7ff | 0x800
		}
		d[i] = float32(float64(x))
	}
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

// least returns the least value of T. Its complement is the largest one.
func least[T integer]() T {
	ones := ^T(0)
	if ones > 0 {
		return 0
	}
	return ones << (8*unsafe.Sizeof(ones) - 1)
}

// round narrows to integers that float32 holds exactly: to the nearest one, and 0 for a NaN.
func round[T int8 | uint8 | int16 | uint16](dst unsafe.Pointer, numbers []float32) {
	lo := least[T]()
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
// NaN. The largest integer's float32 is 1 more than the largest integer.
func whole[T int32 | uint32 | int64 | uint64](dst unsafe.Pointer, numbers []float32) {
	lo := least[T]()
	d, low, high := unsafe.Slice((*T)(dst), len(numbers)), float32(lo), float32(^lo)
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

// exact[s][d] converts n integers of type s to type d, saturated.
var exact = [...][program.Uint64 + 1]func(dst, src unsafe.Pointer, n int64){
	program.Int32:  {program.Uint32: saturate[uint32, int32], program.Int64: saturate[int64, int32], program.Uint64: saturate[uint64, int32]},
	program.Uint32: {program.Int32: saturate[int32, uint32], program.Int64: saturate[int64, uint32], program.Uint64: saturate[uint64, uint32]},
	program.Int64:  {program.Int32: saturate[int32, int64], program.Uint32: saturate[uint32, int64], program.Uint64: saturate[uint64, int64]},
	program.Uint64: {program.Int32: saturate[int32, uint64], program.Uint32: saturate[uint32, uint64], program.Int64: saturate[int64, uint64]},
}

// saturate stores the nearest number that D has of each number.
func saturate[D, S integer](dst, src unsafe.Pointer, n int64) {
	lo, hi := S(0), S(min(uint64(^least[D]()), uint64(^least[S]())))
	if least[D]() < 0 && least[S]() < 0 {
		lo = S(max(int64(least[D]()), int64(least[S]())))
	}
	d := unsafe.Slice((*D)(dst), n)
	for i, x := range unsafe.Slice((*S)(src), n) {
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
