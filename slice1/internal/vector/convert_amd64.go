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

// Converts reports whether this build converts numbers by vectors.
const Converts = true

// Widen makes float32 of the first elements at src, of type `from`, and returns of how many: d[i] =
// src[i]*scale[i] + bias[i], rounded after each step. Unless each is true, scale[0] and bias[0] are
// for all elements. Elements that it leaves are for plain Go, as all of some types are.
func Widen(d []float32, src unsafe.Pointer, from program.ElementType, scale, bias []float32, each bool) (done int) {
	a, b := archsimd.BroadcastFloat32x8(scale[0]), archsimd.BroadcastFloat32x8(bias[0])
	switch from {
	case program.Uint8:
		done = affine(d, scale, bias, each, a, b, func(i int, _ floats) floats {
			return eight(src, i).ExtendLo8ToUint32().BitsToInt32().ConvertToFloat32()
		})
	case program.Int8:
		done = affine(d, scale, bias, each, a, b, func(i int, _ floats) floats {
			return eight(src, i).BitsToInt8().ExtendLo8ToInt32().ConvertToFloat32()
		})
	case program.Uint16:
		done = affine(d, scale, bias, each, a, b, func(i int, _ floats) floats {
			return words16(src, i).ExtendToUint32().BitsToInt32().ConvertToFloat32()
		})
	case program.Int16:
		done = affine(d, scale, bias, each, a, b, func(i int, _ floats) floats {
			return words16(src, i).BitsToInt16().ExtendToInt32().ConvertToFloat32()
		})
	case program.Int32:
		done = affine(d, scale, bias, each, a, b, func(i int, _ floats) floats {
			return load(src, 4*i).ReshapeToUint32s().BitsToInt32().ConvertToFloat32()
		})
	case program.Float32:
		done = affine(d, scale, bias, each, a, b, func(i int, _ floats) floats {
			return load(src, 4*i).ReshapeToUint32s().BitsToFloat32()
		})
	case program.BFloat16:
		done = affine(d, scale, bias, each, a, b, func(i int, _ floats) floats {
			return words16(src, i).ExtendToUint32().ShiftAllLeft(16).BitsToFloat32()
		})
	case program.Float16:
		done = affine(d, scale, bias, each, a, b, func(i int, _ floats) floats {
			return halves(words16(src, i).ExtendToUint32())
		})
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// affine makes whole vectors of d, of what value makes of the elements from number i on. a and b
// are scale and bias if each is false. The compiler inlines value since it has a vector as an
// argument.
func affine(d, scale, bias []float32, each bool, a, b floats, value func(i int, a floats) floats) (done int) {
	to := unsafe.Pointer(unsafe.SliceData(d))
	for ; done <= len(d)-wide; done += wide {
		if each {
			a, b = floatsAt(unsafe.Pointer(unsafe.SliceData(scale)), done), floatsAt(unsafe.Pointer(unsafe.SliceData(bias)), done)
		}
		store(to, 4*done, value(done, a).Mul(a).Add(b).ToBits().ReshapeToUint8s())
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

// halves returns the values of float16, as function half of package convert does.
func halves(h ints) floats {
	magnitude := h.And(archsimd.BroadcastUint32x8(0x7fff)).ShiftAllLeft(13)
	sign := h.And(archsimd.BroadcastUint32x8(0x8000)).ShiftAllLeft(16)
	value := magnitude.BitsToFloat32().Mul(archsimd.BroadcastFloat32x8(0x1p112)).ToBits()
	huge := magnitude.BitsToInt32().Greater(archsimd.BroadcastInt32x8(0x0f800000 - 1))
	return value.Or(archsimd.BroadcastUint32x8(0x7f800000).Masked(huge)).Or(sign).BitsToFloat32()
}

// Narrow stores the first numbers as elements of type `to` at dst, rounded to nearest, ties to
// even, saturated, and 0 for a NaN that becomes an integer. It returns how many it stores.
func Narrow(dst unsafe.Pointer, numbers []float32, to program.ElementType) (done int) {
	var none ints
	switch to {
	case program.Uint8:
		done = narrow8(dst, numbers, archsimd.BroadcastFloat32x8(0), archsimd.BroadcastFloat32x8(math.MaxUint8))
	case program.Int8:
		done = narrow8(dst, numbers, archsimd.BroadcastFloat32x8(math.MinInt8), archsimd.BroadcastFloat32x8(math.MaxInt8))
	case program.Uint16:
		done = narrow16(dst, numbers, none, func(x floats) ints {
			return nearest(x, archsimd.BroadcastFloat32x8(0), archsimd.BroadcastFloat32x8(math.MaxUint16))
		})
	case program.Int16:
		done = narrow16(dst, numbers, none, func(x floats) ints {
			return nearest(x, archsimd.BroadcastFloat32x8(math.MinInt16), archsimd.BroadcastFloat32x8(math.MaxInt16))
		})
	case program.Float16:
		done = narrow16(dst, numbers, none, toHalves)
	case program.BFloat16:
		done = narrow16(dst, numbers, none, toBFloats)
	case program.Int32:
		done = narrow32(dst, numbers)
	}
	archsimd.ClearAVXUpperBits()
	return done
}

// nearest returns the nearest whole numbers from lo to hi, and 0 for a NaN, in the lowest 16 bits.
// lo and hi lie between -2^22 and 2^22. The sum with 1.5 * 2^23 is rounded to a whole number, and
// has it there.
func nearest(x, lo, hi floats) ints {
	return x.Masked(x.Equal(x)).Min(hi).Max(lo).Add(archsimd.BroadcastFloat32x8(0x1.8p23)).ToBits()
}

// dwords has permutations of the dwords of a vector: turns quarters 1 and 2 for packed words, and
// takes the two lanes in turns for packed bytes.
var dwords = [2][wide]uint32{{0, 1, 4, 5, 2, 3, 6, 7}, {0, 4, 1, 5, 2, 6, 3, 7}}

// narrow8 stores whole vectors of bytes.
func narrow8(dst unsafe.Pointer, numbers []float32, lo, hi floats) (done int) {
	s := unsafe.Pointer(unsafe.SliceData(numbers))
	low := archsimd.BroadcastUint32x8(0xff)
	order := archsimd.LoadUint32x8Array(&dwords[1])
	// Each lane has four bytes of each of four vectors, one byte in each dword; bytes puts those of
	// a vector side by side.
	bytes := indices(unsafe.Pointer(&fourths))
	for ; done <= len(numbers)-vector; done += vector {
		a, b := nearest(floatsAt(s, done), lo, hi).And(low), nearest(floatsAt(s, done+wide), lo, hi).And(low)
		c, e := nearest(floatsAt(s, done+2*wide), lo, hi).And(low), nearest(floatsAt(s, done+3*wide), lo, hi).And(low)
		x := a.Or(b.ShiftAllLeft(8)).Or(c.ShiftAllLeft(16).Or(e.ShiftAllLeft(24)))
		store(dst, done, permuted(x.ReshapeToUint8s(), bytes).ReshapeToUint32s().Permute(order).ReshapeToUint8s())
	}
	return done
}

// fourths are the indices of bytes 0, 4, 8 and 12 of a lane, then those behind them, and so on.
var fourths = [vector]uint8{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}

// narrow16 stores whole vectors of the lowest 16 bits of what value makes of the numbers. The
// compiler inlines value since _ is a vector.
func narrow16(dst unsafe.Pointer, numbers []float32, _ ints, value func(x floats) ints) (done int) {
	s := unsafe.Pointer(unsafe.SliceData(numbers))
	low := archsimd.BroadcastUint32x8(0xffff)
	order := archsimd.LoadUint32x8Array(&dwords[0])
	for ; done <= len(numbers)-2*wide; done += 2 * wide {
		a, b := value(floatsAt(s, done)).And(low).BitsToInt32(), value(floatsAt(s, done+wide)).And(low).BitsToInt32()
		store(dst, 2*done, a.SaturateToUint16ConcatGrouped(b).ReshapeToUint32s().Permute(order).ReshapeToUint8s())
	}
	return done
}

// narrow32 stores whole vectors of int32. The conversion gives the least one for numbers that are
// too large.
func narrow32(dst unsafe.Pointer, numbers []float32) (done int) {
	s := unsafe.Pointer(unsafe.SliceData(numbers))
	most := archsimd.BroadcastFloat32x8(1 << 31)
	for ; done <= len(numbers)-wide; done += wide {
		x := floatsAt(s, done)
		large := x.GreaterEqual(most).ToInt32x8().ToBits()
		whole := x.Round().ConvertToInt32().Masked(x.Equal(x)).ToBits()
		store(dst, 4*done, whole.Xor(large).ReshapeToUint8s())
	}
	return done
}

// toHalves and toBFloats return numbers as float16 and as bfloat16, as functions toHalf and
// toBFloat of package convert do.

func toHalves(x floats) ints {
	bits := x.ToBits()
	magnitude := bits.And(archsimd.BroadcastUint32x8(0x7fffffff))
	sign := bits.ShiftAllRight(16).And(archsimd.BroadcastUint32x8(0x8000))
	signed, half := magnitude.BitsToInt32(), archsimd.BroadcastFloat32x8(0.5)
	odd := magnitude.ShiftAllRight(13).And(archsimd.BroadcastUint32x8(1))
	less := archsimd.BroadcastUint32x8(112<<23 - 0xfff)
	usual := magnitude.Add(odd).Sub(less).ShiftAllRight(13)
	tiny := magnitude.BitsToFloat32().Add(half).ToBits().Sub(half.ToBits())
	y := tiny.IfElse(archsimd.BroadcastInt32x8(0x38800000).Greater(signed), usual)
	y = archsimd.BroadcastUint32x8(0x7c00).IfElse(signed.Greater(archsimd.BroadcastInt32x8(0x47800000-1)), y)
	y = archsimd.BroadcastUint32x8(0x7e00).IfElse(signed.Greater(archsimd.BroadcastInt32x8(0x7f800000)), y)
	return y.Or(sign)
}

func toBFloats(x floats) ints {
	bits := x.ToBits()
	odd := bits.ShiftAllRight(16).And(archsimd.BroadcastUint32x8(1))
	usual := bits.Add(archsimd.BroadcastUint32x8(0x7fff)).Add(odd)
	quiet := bits.Or(archsimd.BroadcastUint32x8(0x400000))
	return usual.IfElse(x.Equal(x), quiet).ShiftAllRight(16)
}
