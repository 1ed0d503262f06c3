//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math"
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// floats and ints are vectors of eight numbers of 32 bits.
type (
	floats = archsimd.Float32x8
	ints   = archsimd.Uint32x8
)

// wide is the numbers of a vector.
const wide = vector / 4

// Converts reports whether this build converts numbers and colours by vectors.
const Converts = true

// Widen makes float32 of elements at src, of type t: d[i] = src[i]*scale[i] + bias[i], rounded
// after each step. Unless perElement is true, scale[0] and bias[0] are for all elements. Widen
// makes `done` of them, from the first one on. The others are for plain Go, as all of some types
// are.
func Widen(d []float32, src unsafe.Pointer, t program.ElementType, scale, bias []float32, perElement bool) (done int) {
	factor, summand := archsimd.BroadcastFloat32x8(scale[0]), archsimd.BroadcastFloat32x8(bias[0])
	switch t {
	case program.Uint8:
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			return eight(src, i).ExtendLo8ToUint32().BitsToInt32().ConvertToFloat32()
		})
	case program.Int8:
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			return eight(src, i).BitsToInt8().ExtendLo8ToInt32().ConvertToFloat32()
		})
	case program.Uint16:
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			return words16(src, i).ExtendToUint32().BitsToInt32().ConvertToFloat32()
		})
	case program.Int16:
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			return words16(src, i).BitsToInt16().ExtendToInt32().ConvertToFloat32()
		})
	case program.Int32:
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			return load(src, 4*i).ReshapeToUint32s().BitsToInt32().ConvertToFloat32()
		})
	case program.Float32:
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			return load(src, 4*i).ReshapeToUint32s().BitsToFloat32()
		})
	case program.BFloat16:
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			return words16(src, i).ExtendToUint32().ShiftAllLeft(16).BitsToFloat32()
		})
	case program.Sample257:
		swap, full := indices(unsafe.Pointer(&reversed[2])), archsimd.BroadcastFloat32x8(257)
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			x := words16(src, i).ExtendToUint32().ReshapeToUint8s()
			return permuted(x, swap).ReshapeToUint32s().BitsToInt32().ConvertToFloat32().Div(full)
		})
	case program.Float16:
		// The exponent of a float16 gets the bias of a float32, and that of infinity and of a NaN
		// gets it twice. A subnormal number gets the exponent of 2^-14, and then 2^-14 is
		// subtracted. Products with subnormal numbers would take long.
		top, rebias := archsimd.BroadcastUint32x8(1<<31), archsimd.BroadcastUint32x8(112<<23)
		limit, unit := archsimd.BroadcastInt32x8(0x0f800000-1), archsimd.BroadcastInt32x8(1<<23)
		small := archsimd.BroadcastFloat32x8(0x1p-14)
		done = affine(d, scale, bias, perElement, factor, summand, func(i int, _ floats) floats {
			h := words16(src, i).BitsToInt16().ExtendToInt32().ToBits()
			magnitude := h.ShiftAllLeft(17).ShiftAllRight(4)
			signed := magnitude.BitsToInt32()
			usual := magnitude.Add(rebias).Add(rebias.Masked(signed.Greater(limit)))
			tiny := usual.Add(unit.ToBits()).BitsToFloat32().Sub(small).ToBits()
			return tiny.IfElse(unit.Greater(signed), usual).Or(h.And(top)).BitsToFloat32()
		})
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// affine is, for whole vectors of d,
//
//	d[i] = value(i) * scale[i] + bias[i]
//
// Unless perElement is true, factor and summand are for all elements. The compiler inlines value
// since it has a vector as an argument.
func affine(d, scale, bias []float32, perElement bool, factor, summand floats, value func(i int, factor floats) floats) (done int) {
	dst := unsafe.Pointer(unsafe.SliceData(d))
	if perElement {
		factors, summands := unsafe.Pointer(unsafe.SliceData(scale)), unsafe.Pointer(unsafe.SliceData(bias))
		for ; done <= len(d)-wide; done += wide {
			factor, summand = floatsAt(factors, done), floatsAt(summands, done)
			store(dst, 4*done, value(done, factor).Mul(factor).Add(summand).ToBits().ReshapeToUint8s())
		}
		return done
	}
	for ; done <= len(d)-2*wide; done += 2 * wide {
		x, y := value(done, factor).Mul(factor), value(done+wide, factor).Mul(factor)
		store(dst, 4*done, x.Add(summand).ToBits().ReshapeToUint8s())
		store(dst, 4*(done+wide), y.Add(summand).ToBits().ReshapeToUint8s())
	}
	return done
}

func floatsAt(p unsafe.Pointer, i int) floats {
	return load(p, 4*i).ReshapeToUint32s().BitsToFloat32()
}

// eight returns a vector that begins with bytes i to i+7 of those at p.
func eight(p unsafe.Pointer, i int) archsimd.Uint8x16 {
	var x archsimd.Uint64x2
	return x.SetElem(0, *(*uint64)(unsafe.Add(p, i))).ReshapeToUint8s()
}

// words16 returns eight elements of 2 bytes, from number i on of those at p.
func words16(p unsafe.Pointer, i int) archsimd.Uint16x8 {
	return loadLane(p, 2*i).ReshapeToUint16s()
}

// Narrow stores numbers as elements of type t at dst, rounded to nearest, ties to even, saturated,
// and 0 for a NaN that becomes an integer. It stores `done` of them, from the first one on.
func Narrow(dst unsafe.Pointer, numbers []float32, t program.ElementType) (done int) {
	switch t {
	case program.Uint8:
		done = narrow8(dst, numbers, 0, math.MaxUint8)
	case program.Int8:
		done = narrow8(dst, numbers, math.MinInt8, math.MaxInt8)
	case program.Uint16:
		done = narrow16(dst, numbers, 0, math.MaxUint16)
	case program.Int16:
		done = narrow16(dst, numbers, math.MinInt16, math.MaxInt16)
	case program.Float16:
		done = narrowHalves(dst, numbers)
	case program.BFloat16:
		done = narrowBFloats(dst, numbers)
	case program.Sample257:
		done = narrowSamples(dst, numbers)
	case program.Int32:
		done = narrow32(dst, numbers)
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// nearest returns the nearest whole numbers from lo to hi, and 0 for a NaN, in the lowest 16 bits.
// lo and hi lie between -2^22 and 2^22. The sum of x and `even`, 1.5 * 2^23, is rounded to a whole
// number. Its lowest 16 bits are those of x rounded.
func nearest(x, lo, hi, even floats) ints {
	return x.Masked(x.Equal(x)).Min(hi).Max(lo).Add(even).ToBits()
}

// dwords has permutations of the dwords of a vector. The first one swaps quarters 1 and 2, which
// puts packed words in order. The second one takes dwords of the two lanes in turns, which puts
// packed bytes in order.
var dwords = [2][wide]uint32{{0, 1, 4, 5, 2, 3, 6, 7}, {0, 4, 1, 5, 2, 6, 3, 7}}

// narrow8 stores whole vectors of bytes.
func narrow8(dst unsafe.Pointer, numbers []float32, smallest, largest float32) (done int) {
	s := unsafe.Pointer(unsafe.SliceData(numbers))
	lo, hi, even := archsimd.BroadcastFloat32x8(smallest), archsimd.BroadcastFloat32x8(largest), archsimd.BroadcastFloat32x8(0x1.8p23)
	low := archsimd.BroadcastUint32x8(0xff)
	order := archsimd.LoadUint32x8Array(&dwords[1])
	// Each lane has four bytes of each of four vectors, one byte in each dword; bytes puts those of
	// a vector side by side.
	bytes := indices(unsafe.Pointer(&fourths))
	for ; done <= len(numbers)-vector; done += vector {
		v, b := nearest(floatsAt(s, done), lo, hi, even).And(low), nearest(floatsAt(s, done+wide), lo, hi, even).And(low)
		c, e := nearest(floatsAt(s, done+2*wide), lo, hi, even).And(low), nearest(floatsAt(s, done+3*wide), lo, hi, even)
		x := v.Or(b.ShiftAllLeft(8)).Or(c.ShiftAllLeft(16).Or(e.ShiftAllLeft(24)))
		store(dst, done, permuted(x.ReshapeToUint8s(), bytes).ReshapeToUint32s().Permute(order).ReshapeToUint8s())
	}
	return done
}

// fourths are the indices of bytes 0, 4, 8 and 12 of a lane, then those behind them, and so on.
var fourths = [vector]uint8{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}

// narrow16 stores whole vectors of integers of 2 bytes.
func narrow16(dst unsafe.Pointer, numbers []float32, smallest, largest float32) (done int) {
	lo, hi, even := archsimd.BroadcastFloat32x8(smallest), archsimd.BroadcastFloat32x8(largest), archsimd.BroadcastFloat32x8(0x1.8p23)
	low := archsimd.BroadcastUint32x8(0xffff)
	return inPairs(dst, numbers, archsimd.LoadUint32x8Array(&dwords[0]), func(x, y floats) archsimd.Uint16x16 {
		return packed(nearest(x, lo, hi, even), nearest(y, lo, hi, even), low)
	})
}

// narrowSamples stores whole vectors of samples of 16 bits.
func narrowSamples(dst unsafe.Pointer, numbers []float32) (done int) {
	lo, hi, even := archsimd.BroadcastFloat32x8(0), archsimd.BroadcastFloat32x8(math.MaxUint16), archsimd.BroadcastFloat32x8(0x1.8p23)
	full, low := archsimd.BroadcastFloat32x8(257), archsimd.BroadcastUint32x8(0xffff)
	swap := indices(unsafe.Pointer(&reversed[2]))
	return inPairs(dst, numbers, archsimd.LoadUint32x8Array(&dwords[0]), func(x, y floats) archsimd.Uint16x16 {
		z := packed(nearest(x.Mul(full), lo, hi, even), nearest(y.Mul(full), lo, hi, even), low)
		return permuted(z.ReshapeToUint8s(), swap).ReshapeToUint16s()
	})
}

// inPairs stores whole vectors of elements of 2 bytes. value returns those of two vectors, with the
// middle quarters swapped, and `order` puts them in order. The compiler inlines inPairs,
// and value in it, since both have vectors as arguments.
func inPairs(dst unsafe.Pointer, numbers []float32, order ints, value func(x, y floats) archsimd.Uint16x16) (done int) {
	s := unsafe.Pointer(unsafe.SliceData(numbers))
	for ; done <= len(numbers)-2*wide; done += 2 * wide {
		z := value(floatsAt(s, done), floatsAt(s, done+wide))
		store(dst, 2*done, z.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
	}
	return done
}

// packed returns the lowest 16 bits of the elements of x and y, with the middle quarters swapped.
// Each element of low is 0xffff.
func packed(x, y, low ints) archsimd.Uint16x16 {
	return x.And(low).BitsToInt32().SaturateToUint16ConcatGrouped(y.And(low).BitsToInt32())
}

// narrow32 stores whole vectors of int32. The conversion makes the least int32 of a number that is
// too large, and the exclusive or makes the greatest one of that.
func narrow32(dst unsafe.Pointer, numbers []float32) (done int) {
	s := unsafe.Pointer(unsafe.SliceData(numbers))
	limit := archsimd.BroadcastFloat32x8(1 << 31)
	for ; done <= len(numbers)-wide; done += wide {
		x := floatsAt(s, done)
		large := x.GreaterEqual(limit).ToInt32x8().ToBits()
		whole := x.Round().ConvertToInt32().Masked(x.Equal(x)).ToBits()
		store(dst, 4*done, whole.Xor(large).ReshapeToUint8s())
	}
	return done
}

// narrowHalves stores whole vectors of float16. A number from 2^-14 on with the exponent e gets the
// summand 2^(e+13): the sum is rounded to the bits that a float16 has, and they are its lowest
// ones. Smaller numbers get the summand of 2^-14. Larger ones count as 2^16, which becomes
// infinity.
func narrowHalves(dst unsafe.Pointer, numbers []float32) (done int) {
	absolute, exponent := archsimd.BroadcastUint32x8(0x7fffffff), archsimd.BroadcastUint32x8(0x7f800000)
	limit, smallest := archsimd.BroadcastUint32x8(0x47800000), archsimd.BroadcastUint32x8(0x38800000)
	shift, low := archsimd.BroadcastUint32x8(13<<23), archsimd.BroadcastUint32x8(0xffff)
	rebias, quiet, top := archsimd.BroadcastUint16x16(113<<10&0xffff), archsimd.BroadcastUint16x16(0x200), archsimd.BroadcastUint16x16(1<<15)
	rounded := func(x floats) ints {
		x = x.ToBits().And(absolute).Min(limit).BitsToFloat32()
		e := x.ToBits().And(exponent).Max(smallest)
		return x.Add(e.Add(shift).BitsToFloat32()).ToBits().Add(e.ShiftAllRight(13))
	}
	return inPairs(dst, numbers, archsimd.LoadUint32x8Array(&dwords[0]), func(x, y floats) archsimd.Uint16x16 {
		magnitude := packed(rounded(x), rounded(y), low).Sub(rebias)
		noNumber := x.NotEqual(x).ToInt32x8().SaturateToInt16ConcatGrouped(y.NotEqual(y).ToInt32x8()).ToBits().And(quiet)
		sign := x.ToBits().BitsToInt32().SaturateToInt16ConcatGrouped(y.ToBits().BitsToInt32()).ToBits().And(top)
		return magnitude.Or(noNumber).Or(sign)
	})
}

// narrowBFloats stores whole vectors of bfloat16, as function toBFloat of package portable makes
// them.
func narrowBFloats(dst unsafe.Pointer, numbers []float32) (done int) {
	unit, half := archsimd.BroadcastUint32x8(1), archsimd.BroadcastUint32x8(0x7fff)
	quiet, low := archsimd.BroadcastUint32x8(0x400000), archsimd.BroadcastUint32x8(0xffff)
	upper := func(x floats) ints {
		bits := x.ToBits()
		usual := bits.Add(half).Add(bits.ShiftAllRight(16).And(unit))
		return usual.IfElse(x.Equal(x), bits.Or(quiet)).ShiftAllRight(16)
	}
	return inPairs(dst, numbers, archsimd.LoadUint32x8Array(&dwords[0]), func(x, y floats) archsimd.Uint16x16 {
		return packed(upper(x), upper(y), low)
	})
}

// Reverse copies elements of `size` bytes, 2, 4 or 8, from src to dst, and reverses the bytes of
// each. It returns how many of n bytes it copies.
func Reverse(dst, src unsafe.Pointer, n, size int64) (done int64) {
	order := indices(unsafe.Pointer(&reversed[size]))
	for ; done <= n-vector; done += vector {
		store(dst, int(done), permuted(load(src, int(done)), order))
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// reversed hold, for elements of 2, 4 and 8 bytes, the indices of their bytes in reverse order.
var reversed = func() (o [9][vector]uint8) {
	for size := 2; size <= 8; size *= 2 {
		for i := range o[size] {
			o[size][i] = uint8(i%lane/size*size + size - 1 - i%size)
		}
	}
	return o
}()
