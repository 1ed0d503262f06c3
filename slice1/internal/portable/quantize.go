package portable

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// LookUp stores table entry x of n bytes x at dst. An entry has `size` bytes: 1, 2, 4 or 8. Byte i
// is looked up in table number i modulo `tables`, of 256 entries each.
func LookUp(dst, src unsafe.Pointer, n, size int64, table unsafe.Pointer, tables int64) {
	s := unsafe.Slice((*uint8)(src), n)
	switch size {
	case 1:
		lookUp((*uint8)(dst), s, (*uint8)(table), tables)
	case 2:
		lookUp((*uint16)(dst), s, (*uint16)(table), tables)
	case 4:
		lookUp((*uint32)(dst), s, (*uint32)(table), tables)
	case 8:
		lookUp((*uint64)(dst), s, (*uint64)(table), tables)
	}
}

func lookUp[T any](dst *T, src []uint8, table *T, tables int64) {
	d, t := unsafe.Slice(dst, len(src)), unsafe.Slice(table, 256*tables)
	if tables == 1 {
		table1 := (*[256]T)(t)
		for i, x := range src {
			d[i] = table1[x]
		}
		return
	}
	for i, start := 0, 0; i < len(d); i++ {
		d[i] = t[start+int(src[i])]
		if start += 256; start == len(t) {
			start = 0
		}
	}
}

// Divide makes y/divisor[i] of number i, rounded to float32. One divisor is for all.
func Divide(numbers, divisor []float32) {
	for i := range numbers {
		numbers[i] /= divisor[i%len(divisor)]
	}
}

// Multiply makes y*factor[i] of number i, rounded to float32. One factor is for all.
func Multiply(numbers, factor []float32) {
	for i := range numbers {
		numbers[i] *= factor[i%len(factor)]
	}
}

// Quantize stores each number, rounded to a whole one, ties to even, plus its zero point, as the
// nearest integer of type t at dst. A NaN counts as 0. One zero point is for all.
func Quantize(dst unsafe.Pointer, numbers []float32, zero []int32, t program.ElementType) {
	quantizing[t].quantize(dst, numbers, zero)
}

// Subtract makes float32 of len(d) integers of type t at src, less their zero points. The
// differences are exact before they are rounded. One zero point is for all.
func Subtract(d []float32, src unsafe.Pointer, zero []int32, t program.ElementType) {
	quantizing[t].subtract(d, src, zero)
}

var quantizing = [...]struct {
	quantize func(dst unsafe.Pointer, numbers []float32, zero []int32)
	subtract func(d []float32, src unsafe.Pointer, zero []int32)
}{
	program.Uint8:  {quantize[uint8], subtract[uint8]},
	program.Int8:   {quantize[int8], subtract[int8]},
	program.Uint16: {quantize[uint16], subtract[uint16]},
	program.Int16:  {quantize[int16], subtract[int16]},
	program.Int32:  {quantize[int32], subtract[int32]},
	program.Uint32: {quantize[uint32], subtract[uint32]},
	program.Int64:  {quantize[int64], subtract[int64]},
	program.Uint64: {quantize[uint64], subtract[uint64]},
}

func quantize[T integer](dst unsafe.Pointer, numbers []float32, zero []int32) {
	d := unsafe.Slice((*T)(dst), len(numbers))
	for i, y := range numbers {
		if y != y {
			y = 0
		}
		d[i] = shifted[T](math.RoundToEven(float64(y)), zero[i%len(zero)])
	}
}

// shifted returns the integer nearest to r + zero, for a whole number r. r is split into a multiple
// of 2^32 and a rest, since the sum may need more bits than a float64 or an int64 has.
func shifted[T integer](r float64, zero int32) T {
	r = min(max(r, -0x1p66), 0x1p66)
	upper := math.Floor(r * 0x1p-32)
	rest := int64(r-float64(upper*0x1p32)) + int64(zero)
	high, low := int64(upper)+rest>>32, rest&0xffffffff
	lo := minimum[T]()
	switch {
	case lo == 0 && high < 0, high < math.MinInt32:
		return lo
	case lo == 0 && unsafe.Sizeof(lo) == 8 && high <= math.MaxUint32:
		return T(uint64(high)<<32 | uint64(low))
	case high > math.MaxInt32:
		return ^lo
	}
	return T(min(max(high<<32|low, int64(lo)), int64(^lo)))
}

func subtract[T integer](d []float32, src unsafe.Pointer, zero []int32) {
	for i, x := range unsafe.Slice((*T)(src), len(d)) {
		d[i] = difference(x, zero[i%len(zero)])
	}
}

// difference returns the float32 nearest to x - zero, of which an int64 may not hold the exact
// value.
func difference[T integer](x T, zero int32) float32 {
	if unsafe.Sizeof(x) < 8 {
		return float32(float64(int64(x) - int64(zero)))
	}
	negative := x < 0
	magnitude, zeroSize := uint64(x), uint64(max(int64(zero), -int64(zero)))
	if negative {
		magnitude = -magnitude
	}
	if negative != (zero < 0) { // both make the result larger
		sum, carry := bits.Add64(magnitude, zeroSize, 0)
		y := float32(odd(sum) + 0x1p64*float64(carry))
		if negative {
			return -y
		}
		return y
	}
	if magnitude < zeroSize {
		magnitude, zeroSize, negative = zeroSize, magnitude, !negative
	}
	y := float32(odd(magnitude - zeroSize))
	if negative && y != 0 {
		return -y
	}
	return y
}
