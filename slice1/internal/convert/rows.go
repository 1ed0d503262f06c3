package convert

import (
	"math"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// runRows is csrc.Conversion.Convert in plain Go, for the loops from number `loop` on, with the values of
// scale and bias from `param` on.
func runRows(c *csrc.Conversion, dst, src unsafe.Pointer, params *csrc.Params, loop int32, param int64) {
	if loop == c.Loops {
		runRow(c, dst, src, params[0][param:], params[1][param:])
		return
	}
	l := &c.Loop[loop]
	for i := range l.Extent {
		runRows(c, unsafe.Add(dst, i*l.Dst), unsafe.Add(src, i*l.Src), params, loop+1, param+i*l.Param)
	}
}

func runRow(c *csrc.Conversion, dst, src unsafe.Pointer, scale, bias []float32) {
	d := unsafe.Slice((*float32)(dst), c.Count)
	switch c.Type {
	case csrc.Uint8:
		numbers(d, (*uint8)(src), scale, bias, c.Period)
	case csrc.Int8:
		numbers(d, (*int8)(src), scale, bias, c.Period)
	case csrc.Uint16:
		numbers(d, (*uint16)(src), scale, bias, c.Period)
	case csrc.Int16:
		numbers(d, (*int16)(src), scale, bias, c.Period)
	case csrc.Int32:
		numbers(d, (*int32)(src), scale, bias, c.Period)
	case csrc.Float32:
		numbers(d, (*float32)(src), scale, bias, c.Period)
	case csrc.Float16:
		affine(d, (*float16)(src), scale, bias, c.Period)
	case csrc.Sample:
		affine(d, (*sample)(src), scale, bias, c.Period)
	}
}

// numbers converts a row of elements that Go converts. Converted explicitly, a product is rounded before
// the sum is.
func numbers[T uint8 | int8 | uint16 | int16 | int32 | float32](d []float32, src *T, scale, bias []float32, period int64) {
	s := unsafe.Slice(src, len(d))
	if period == 0 {
		a, b := scale[0], bias[0]
		for i, x := range s {
			d[i] = float32(float32(x)*a) + b
		}
		return
	}
	for ; len(d) > 0; d, s = d[min(len(d), int(period)):], s[min(len(s), int(period)):] {
		a, b := scale[:period], bias[:period]
		for i := range min(len(d), len(s), len(a), len(b)) {
			d[i] = float32(float32(s[i])*a[i]) + b[i]
		}
	}
}

// affine is numbers for elements that have a method for their value.
func affine[T interface{ value() float32 }](d []float32, src *T, scale, bias []float32, period int64) {
	s := unsafe.Slice(src, len(d))
	k := 0
	for i := range d {
		d[i] = float32(s[i].value()*scale[k]) + bias[k]
		if k++; k >= int(period) {
			k = 0
		}
	}
}

// float16 is an IEEE 754 binary16.
type float16 uint16

// value moves the exponent and the fraction to where a float32 has them and multiplies by the distance
// of the exponents' biases, which is exact. What that leaves finite, but is not, gets the exponent of
// infinity and NaN.
func (h float16) value() float32 {
	magnitude := uint32(h&0x7fff) << 13
	bits := math.Float32bits(math.Float32frombits(magnitude)*0x1p112) | uint32(h&0x8000)<<16
	if magnitude >= 0x0f800000 {
		bits |= 0x7f800000
	}
	return math.Float32frombits(bits)
}

// sample is one of a picture of 16 bits, which count in 257ths of what 8 bits count. It lies at any
// address.
type sample [2]uint8

func (s sample) value() float32 { return float32(uint16(s[0])<<8|uint16(s[1])) / 257 }
