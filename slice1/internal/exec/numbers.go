package exec

import (
	"math"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// numbersAtOnce is how many numbers pass at a time through memory that stays in the first-level
// cache.
const numbersAtOnce = 512

// numbersInGo is the memory by which Go converts rows. Each array begins at an address that suits
// its elements.
type numbersInGo struct {
	vectors bool // whether Go's vectors may convert; else plain Go does

	source  [numbersAtOnce]uint64 // elements that are not aligned, or have the other byte order
	numbers [numbersAtOnce]float32
	wide    [numbersAtOnce]float64
	table   unsafe.Pointer        // the tables of a part
	results [numbersAtOnce]uint64 // elements that go to an address that is not aligned
}

// run converts the rows of c in Go, for all types of numbers. b.table has the tables of c.
func (b *numbersInGo) run(c *program.Conversion, dst, src unsafe.Pointer, params *program.Params) {
	b.rows(c, c.Loop[:c.Loops], dst, src, params, 0)
}

// rows is run for the given loops around the row. `param` is the index of the first values.
func (b *numbersInGo) rows(c *program.Conversion, loops []program.Dim, dst, src unsafe.Pointer, params *program.Params, param int64) {
	if len(loops) == 0 {
		b.row(c, dst, src, params, param)
		return
	}
	l := &loops[0]
	for i := range l.Extent {
		b.rows(c, loops[1:], unsafe.Add(dst, i*l.Dst), unsafe.Add(src, i*l.Src), params, param+i*l.Param)
	}
}

func (b *numbersInGo) row(c *program.Conversion, dst, src unsafe.Pointer, params *program.Params, param int64) {
	srcSize, dstSize := c.Src.Size(), c.Dst.Size()
	longest, values := int64(numbersAtOnce), int64(1)
	switch {
	case c.Rule == program.ByTable:
		longest -= numbersAtOnce % max(1, c.Period) // whole periods
	case c.Period > 0:
		longest = c.Period
	}
	for done := int64(0); done < c.Count; done += longest {
		n := min(longest, c.Count-done)
		s, d := unsafe.Add(src, done*srcSize), unsafe.Add(dst, done*dstSize)
		if c.Swap != 0 || uintptr(s)&uintptr(srcSize-1) != 0 {
			s = b.aligned(s, n, srcSize, c.Swap != 0)
		}
		result := d
		if uintptr(d)&uintptr(dstSize-1) != 0 {
			result = unsafe.Pointer(&b.results)
		}
		if c.Rule == program.ByTable {
			portable.LookUp(result, s, n, dstSize, unsafe.Add(b.table, param*program.TableSize*dstSize), max(1, c.Period))
			b.copyFrom(result, d, n*dstSize)
			continue
		}
		if c.Period > 0 {
			values = n
		}
		scale, bias, zero := params.Scale[param:][:values], params.Bias[param:][:values], params.Zero[param:][:values]
		switch numbers := b.numbers[:n]; {
		case c.Src.KeepsBits():
			copy(unsafe.Slice((*byte)(result), n*dstSize), unsafe.Slice((*byte)(s), n*dstSize))
		case c.Rule == program.Saturating:
			portable.Saturate(result, s, n, c.Dst, c.Src)
		case c.Rule == program.InFloat64, c.Rule == program.Unchanged:
			wide := b.wide[:n]
			if portable.Load64(wide, s, c.Src, c.Dst, c.Rule); c.Rule == program.InFloat64 {
				portable.Affine64(wide, scale, bias)
			}
			portable.Store64(result, wide, c.Dst)
		case c.Rule == program.Quantized:
			b.divided(numbers, s, c.Src, scale)
			portable.Quantize(result, numbers, zero, c.Dst)
		case c.Rule == program.Quotient:
			b.divided(numbers, s, c.Src, scale)
			b.narrow(result, numbers, c.Dst)
		case c.Rule == program.Dequantized:
			portable.Subtract(numbers, s, zero, c.Src)
			portable.Multiply(numbers, scale)
			b.narrow(result, numbers, c.Dst)
		case c.Dst == program.Float32:
			b.widen(unsafe.Slice((*float32)(result), n), s, c.Src, scale, bias)
		default:
			b.widen(numbers, s, c.Src, scale, bias)
			b.narrow(result, numbers, c.Dst)
		}
		b.copyFrom(result, d, n*dstSize)
	}
}

// copyFrom copies bytes from result to d, unless that is the same place.
func (b *numbersInGo) copyFrom(result, d unsafe.Pointer, bytes int64) {
	if result != d {
		copy(unsafe.Slice((*byte)(d), bytes), unsafe.Slice((*byte)(result), bytes))
	}
}

// divided makes float32(x)/scale of elements x.
func (b *numbersInGo) divided(numbers []float32, src unsafe.Pointer, t program.ElementType, scale []float32) {
	b.widen(numbers, src, t, unit, nothing)
	portable.Divide(numbers, scale)
}

// unit and nothing are the scale and the bias that change nothing: 1 and -0.
var unit, nothing = []float32{1}, []float32{float32(math.Copysign(0, -1))}

// aligned copies n elements of `size` bytes to an address that suits them, and reverses the bytes
// of each if swap is true. Vectors copy as many as they can then.
func (b *numbersInGo) aligned(src unsafe.Pointer, n, size int64, swap bool) unsafe.Pointer {
	result, done := unsafe.Pointer(&b.source), int64(0)
	if swap && b.vectors {
		done = vector.Reverse(result, src, n*size, size)
	}
	p, rest := unsafe.Add(result, done), n-done/size
	copy(unsafe.Slice((*byte)(p), rest*size), unsafe.Slice((*byte)(unsafe.Add(src, done)), rest*size))
	if swap && rest > 0 {
		portable.Reverse(p, rest, size)
	}
	return result
}

// widen is portable.Widen, by vectors as far as they can.
func (b *numbersInGo) widen(d []float32, src unsafe.Pointer, t program.ElementType, scale, bias []float32) {
	done, several := 0, len(scale) > 1
	if b.vectors {
		done = vector.Widen(d, src, t, scale, bias, several)
	}
	if done == len(d) {
		return
	}
	if several {
		scale, bias = scale[done:], bias[done:]
	}
	portable.Widen(d[done:], unsafe.Add(src, int64(done)*t.Size()), t, scale, bias)
}

// narrow is portable.Narrow, by vectors as far as they can. It copies float32.
func (b *numbersInGo) narrow(dst unsafe.Pointer, numbers []float32, t program.ElementType) {
	done := 0
	if t == program.Float32 {
		done = copy(unsafe.Slice((*float32)(dst), len(numbers)), numbers)
	} else if b.vectors {
		done = vector.Narrow(dst, numbers, t)
	}
	if done < len(numbers) {
		portable.Narrow(unsafe.Add(dst, int64(done)*t.Size()), numbers[done:], t)
	}
}
