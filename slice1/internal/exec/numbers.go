package exec

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// block is how many numbers pass at a time through memory that stays in the first-level cache.
const block = 512

// numbersInGo is the memory by which Go converts rows. Each array begins at an address that suits
// its elements.
type numbersInGo struct {
	vectors bool // whether Go's vectors may convert; else plain Go does

	source  [block]uint64 // elements that are not aligned, or have the other byte order
	numbers [block]float32
	wide    [block]float64
	results [block]uint64 // elements that go to an address that is not aligned
}

// run converts the rows of c in Go, for all types of numbers.
func (b *numbersInGo) run(c *program.Conversion, dst, src unsafe.Pointer, params *program.Params) {
	b.rows(c, c.Loop[:c.Loops], dst, src, params[0][:], params[1][:])
}

// rows is run for the given loops around the row, with the values of their first iterations.
func (b *numbersInGo) rows(c *program.Conversion, loops []program.Dim, dst, src unsafe.Pointer, scale, bias []float32) {
	if len(loops) == 0 {
		b.row(c, dst, src, scale, bias)
		return
	}
	l := &loops[0]
	for i := range l.Extent {
		b.rows(c, loops[1:], unsafe.Add(dst, i*l.Dst), unsafe.Add(src, i*l.Src), scale[i*l.Param:], bias[i*l.Param:])
	}
}

func (b *numbersInGo) row(c *program.Conversion, dst, src unsafe.Pointer, scale, bias []float32) {
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
		case c.Rule == program.Saturating:
			portable.Saturate(result, s, n, c.Dst, c.Src)
		case c.Rule == program.InFloat64, c.Rule == program.Unchanged:
			wide := b.wide[:n]
			if portable.Load64(wide, s, c.Src, c.Dst, c.Rule); c.Rule == program.InFloat64 {
				portable.Affine64(wide, scale, bias)
			}
			portable.Store64(result, wide, c.Dst)
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

// narrow is portable.Narrow, by vectors as far as they can.
func (b *numbersInGo) narrow(dst unsafe.Pointer, numbers []float32, t program.ElementType) {
	done := 0
	if b.vectors {
		done = vector.Narrow(dst, numbers, t)
	}
	if done < len(numbers) {
		portable.Narrow(unsafe.Add(dst, int64(done)*t.Size()), numbers[done:], t)
	}
}
