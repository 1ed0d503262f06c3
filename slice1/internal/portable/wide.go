package portable

import (
	"math"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Load64 makes float64 of len(d) elements of type t at src. A float64 is never rounded. An integer
// of 64 bits that float64 does not hold is rounded to nearest by [program.InFloat64], and if it
// becomes a float64. Otherwise it is made so that Store64 of dstType stores the number nearest to
// it.
func Load64(d []float64, src unsafe.Pointer, t, dstType program.ElementType, rule program.NumberRule) {
	if rule == program.Unchanged && dstType != program.Float64 {
		switch t {
		case program.Int64:
			store(&d[0], unsafe.Slice((*int64)(src), len(d)), odd[int64])
			return
		case program.Uint64:
			store(&d[0], unsafe.Slice((*uint64)(src), len(d)), odd[uint64])
			return
		}
	}
	wideLoops[t].load(d, src)
}

// Affine64 makes d[i]*scale[i] + bias[i] of d[i], rounded after each step. A scale and a bias of
// one value are for all elements.
func Affine64(d []float64, scale, bias []float32) {
	if len(scale) == 1 {
		factor, summand := float64(scale[0]), float64(bias[0])
		for i, x := range d {
			d[i] = float64(x*factor) + summand
		}
		return
	}
	scale, bias = scale[:len(d)], bias[:len(d)]
	for i, x := range d {
		d[i] = float64(x*float64(scale[i])) + float64(bias[i])
	}
}

// Store64 stores numbers as the nearest elements of type t at dst, ties to even. Integers are
// saturated, and 0 for a NaN.
func Store64(dst unsafe.Pointer, numbers []float64, t program.ElementType) {
	wideLoops[t].store(dst, numbers)
}

// wideLoops has the loops of plain Go between float64 and elements of each type.
var wideLoops = [...]struct {
	load  func(d []float64, src unsafe.Pointer)
	store func(dst unsafe.Pointer, numbers []float64)
}{
	program.Uint8:   {load64[uint8], whole[uint8, float64]},
	program.Int8:    {load64[int8], whole[int8, float64]},
	program.Uint16:  {load64[uint16], whole[uint16, float64]},
	program.Int16:   {load64[int16], whole[int16, float64]},
	program.Int32:   {load64[int32], whole[int32, float64]},
	program.Uint32:  {load64[uint32], whole[uint32, float64]},
	program.Int64:   {load64[int64], whole[int64, float64]},
	program.Uint64:  {load64[uint64], whole[uint64, float64]},
	program.Float32: {load64[float32], func(dst unsafe.Pointer, y []float64) { store((*float32)(dst), y, single) }},
	program.Float64: {load64[float64], func(dst unsafe.Pointer, y []float64) { copy(unsafe.Slice((*float64)(dst), len(y)), y) }},
	program.Float16: {
		func(d []float64, src unsafe.Pointer) {
			store(&d[0], unsafe.Slice((*uint16)(src), len(d)), func(h uint16) float64 { return float64(half(h)) })
		},
		func(dst unsafe.Pointer, y []float64) {
			store((*uint16)(dst), y, func(y float64) uint16 { return toHalf(oddSingle(y)) })
		},
	},
	program.BFloat16: {
		func(d []float64, src unsafe.Pointer) {
			store(&d[0], unsafe.Slice((*uint16)(src), len(d)), func(h uint16) float64 { return float64(bfloat(h)) })
		},
		func(dst unsafe.Pointer, y []float64) {
			store((*uint16)(dst), y, func(y float64) uint16 { return toBFloat(oddSingle(y)) })
		},
	},
	program.Sample257: {
		func(d []float64, src unsafe.Pointer) {
			store(&d[0], unsafe.Slice((*[2]uint8)(src), len(d)), func(s [2]uint8) float64 { return float64(sample(s)) })
		},
		func(dst unsafe.Pointer, y []float64) {
			store((*[2]uint8)(dst), y, func(y float64) [2]uint8 { return sampleOf(oddSingle(y * 257)) })
		},
	},
}

// load64 loads numbers that Go converts to the nearest float64.
func load64[T integer | float32 | float64](d []float64, src unsafe.Pointer) {
	for i, x := range unsafe.Slice((*T)(src), len(d)) {
		d[i] = float64(x)
	}
}

// single returns the float32 nearest to y.
func single(y float64) float32 { return float32(y) }

// oddSingle returns a float32 that becomes the same float of 16 bits as y. If y lies between two
// float32, it is the one whose lowest bit is 1: then no tie arises that y is not.
//
//	y               1 + 2^-11 + 2^-40   just above the middle of two float16
//	float32(y)      1 + 2^-11           the middle, which is rounded down to 1
//	oddSingle(y)    1 + 2^-11 + 2^-23   rounded up, as y is
func oddSingle(y float64) float32 {
	f := float32(y)
	bits := math.Float32bits(f)
	switch back := float64(f); {
	case back == y, bits&1 == 1, y != y:
	case math.Abs(back) > math.Abs(y):
		bits--
	default:
		bits++
	}
	return math.Float32frombits(bits)
}
