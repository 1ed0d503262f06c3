//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// span is how many pixels are made at a time. What chroma adds to them stays in the first-level
// cache. It is a multiple of each width of a cell.
const span = portable.Chunk

// sums are what chroma adds to R, G and B of the pixels of a span, in 65536ths, with the offset.
// The last vectors may begin in the span and end behind it.
type sums [3][span + vector]int32

// samples are packed bytes, with as many behind a span as the last vector needs.
type samples [span + vector]uint8

// Colours does what package portable's function does. The pixels of a span whose rows share their
// chroma are made together.
func Colours(c *program.Colours, dst, y, cb, cr []uint8) {
	if c.Rule == program.LibJPEG {
		decoded(*c, dst, y, cb, cr)
		archsimd.ClearAVXUpperBits()
		return
	}
	var s sums
	var luma samples
	cell, pixel := int64(c.CellX), int64(c.Pixel)
	rowOf := func(k int64) int64 { return (c.Phase + c.First + k*c.Step) / int64(c.CellY) }
	for k, end := int64(0), int64(0); k < c.Rows; k = end {
		row := rowOf(k)
		for end = k + 1; end < c.Rows && rowOf(end) == row; {
			end++
		}
		skipped := int64(c.Skip)
		for x, n := int64(0), int64(0); x < c.Width; x, skipped = x+n, 0 {
			n = min(span-skipped, c.Width-x)
			chroma := row*c.ChromaStride + (int64(c.Skip)+x)/cell*c.ChromaStep
			s.set(c, cb[chroma:], cr[chroma:], int((skipped+n+cell-1)/cell))
			for i := k; i < end; i++ {
				source := luma.pick(y[(c.First+i*c.Step)*c.LumaStride+x*c.LumaStep:], int(n), int(c.LumaStep))
				s.pixels(c, dst[i*c.Stride+x*pixel:], source, int(skipped), int(n))
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

// decoded is Colours by rule LibJPEG. Luma is whole, so to round a product and add luma is to add
// luma and round. These are the coefficients of Formula then, of a picture whose pixels have a
// sample of chroma each.
func decoded(c program.Colours, dst, y, cb, cr []uint8) {
	var s sums
	var luma samples
	var chroma portable.Chroma
	rest := c
	rest.CellX, rest.ChromaStep, rest.Luma, rest.Offset = 1, 1, 0, 1<<15
	rest.RedCr, rest.GreenCb, rest.GreenCr, rest.BlueCb = 91881, -22554, -46802, 116130
	pixel, cell := int(c.Pixel), int(c.CellX)
	for k := range c.Rows {
		row := c.First + k*c.Step
		for x, n := 0, 0; x < int(c.Width); x += n {
			n = min(span-(int(c.Skip)+x)%cell, int(c.Width)-x)
			nearRow, farRow, start, cells, round, skipped := portable.Cells(&c, c.Phase+row, x, n)
			smooth(&c, chroma[0][:], cb[nearRow:], cb[farRow:], start, cells, round)
			smooth(&c, chroma[1][:], cr[nearRow:], cr[farRow:], start, cells, round)
			s.set(&rest, chroma[0][skipped:], chroma[1][skipped:], n)
			source := luma.pick(y[row*c.LumaStride+int64(x)*c.LumaStep:], n, int(c.LumaStep))
			s.pixels(&rest, dst[int(k*c.Stride)+x*pixel:], source, 0, n)
		}
	}
}

// smooth is portable.Smooth. Sixteen cells of two columns at once are made by vectors where samples
// lie side by side and all of the cells have both neighbours.
func smooth(c *program.Colours, dst, nearRow, farRow []uint8, start, cells int, round [2]int32) {
	done := 0
	if c.SmoothX != 0 && c.ChromaStep == 1 {
		if done = min(cells, max(0, 1-start)); done > 0 { // the first cell of a row
			portable.Smooth(c, dst, nearRow, farRow, start, done, round)
		}
		// The last cell that may be the first of sixteen.
		end := min(int(c.Columns), len(nearRow), len(farRow)) - start - lane - 1
		n, f := unsafe.Pointer(unsafe.SliceData(nearRow)), unsafe.Pointer(unsafe.SliceData(farRow))
		d, three := unsafe.Pointer(unsafe.SliceData(dst)), archsimd.BroadcastUint16x16(3)
		even, odd := archsimd.BroadcastUint16x16(uint16(round[0])), archsimd.BroadcastUint16x16(uint16(round[1]))
		sum := func(i int, three archsimd.Uint16x16) archsimd.Uint16x16 {
			return loadLane(n, i).ExtendToUint16().Mul(three).Add(loadLane(f, i).ExtendToUint16())
		}
		for ; done <= min(end, cells-lane); done += lane {
			i := start + done
			middle := sum(i, three).Mul(three)
			left, right := middle.Add(sum(i-1, three)).Add(even).ShiftAllRight(4), middle.Add(sum(i+1, three)).Add(odd).ShiftAllRight(4)
			store(d, 2*done, left.Or(right.ShiftAllLeft(8)).ReshapeToUint8s())
		}
	}
	if done < cells {
		portable.Smooth(c, dst[int(c.CellX)*done:], nearRow, farRow, start+done, cells-done, round)
	}
}

// pick returns where n samples follow each other, with a vector to load behind the last one. They
// are at src, `step` bytes apart.
func (s *samples) pick(src []uint8, n, step int) unsafe.Pointer {
	if step == 1 && len(src) >= n+vector {
		return unsafe.Pointer(unsafe.SliceData(src))
	}
	done := 0
	if step == 1 {
		done = copy(s[:n], src)
	} else if step == 2 {
		source, order := unsafe.Pointer(unsafe.SliceData(src)), archsimd.LoadUint32x8Array(&dwords[0])
		picks0, picks1 := indices(unsafe.Pointer(&seconds[0][1])), indices(unsafe.Pointer(&seconds[1][1]))
		for ; done <= n-vector; done += vector {
			x := permuted(load(source, 2*done), picks0).Or(permuted(load(source, 2*done+vector-1), picks1))
			store(unsafe.Pointer(s), done, x.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		}
	}
	for ; done < n; done++ {
		s[done] = src[done*step]
	}
	return unsafe.Pointer(s)
}

// set makes the sums of the pixels of n cells, from the first pixel of a cell on.
func (s *sums) set(c *program.Colours, cb, cr []uint8, n int) {
	var blue, red samples
	b, r := blue.pick(cb, n, int(c.ChromaStep)), red.pick(cr, n, int(c.ChromaStep))
	cell, middle, offset := int(c.CellX), archsimd.BroadcastInt32x8(128), archsimd.BroadcastInt32x8(c.Offset)
	redCr, greenCb := archsimd.BroadcastInt32x8(c.RedCr), archsimd.BroadcastInt32x8(c.GreenCb)
	greenCr, blueCb := archsimd.BroadcastInt32x8(c.GreenCr), archsimd.BroadcastInt32x8(c.BlueCb)
	for i := 0; i < n; i += wide {
		u := eight(b, i).ExtendLo8ToUint32().BitsToInt32().Sub(middle)
		v := eight(r, i).ExtendLo8ToUint32().BitsToInt32().Sub(middle)
		red, blue := v.Mul(redCr).Add(offset), u.Mul(blueCb).Add(offset)
		green := u.Mul(greenCb).Add(v.Mul(greenCr)).Add(offset)
		for j := range cell {
			offset, order := 4*(i*cell+j*wide), archsimd.LoadUint32x8Array(&repeated[cell][j&3])
			store(unsafe.Pointer(&s[0]), offset, red.Permute(order).ToBits().ReshapeToUint8s())
			store(unsafe.Pointer(&s[1]), offset, green.Permute(order).ToBits().ReshapeToUint8s())
			store(unsafe.Pointer(&s[2]), offset, blue.Permute(order).ToBits().ReshapeToUint8s())
		}
	}
}

// repeated are, for cells of so many columns, the indices of the cells that the pixels of each
// vector lie in.
var repeated = func() (o [5][4][wide]uint32) {
	for cell := 1; cell <= 4; cell++ {
		for i := range cell * wide {
			o[cell][i/wide][i%wide] = uint32(i / cell)
		}
	}
	return o
}()

// pixels makes n pixels whose sums begin with number `offset`. If they are fewer than a vector of
// bytes has, they are made apart.
func (s *sums) pixels(c *program.Colours, dst []uint8, y unsafe.Pointer, offset, n int) {
	if n >= vector {
		s.store(c, unsafe.Pointer(unsafe.SliceData(dst)), int(c.Plane), y, offset, n)
		return
	}
	var short [4 * vector]uint8
	s.store(c, unsafe.Pointer(&short), vector, y, offset, vector)
	copy(dst, short[:n*int(c.Pixel)])
	for k := 1; k < 3 && c.Pixel == 1; k++ {
		copy(dst[k*int(c.Plane):], short[k*vector:][:n])
	}
}

// store makes n pixels, 32 at least, at d. The last vectors end with the last pixel.
func (s *sums) store(c *program.Colours, d unsafe.Pointer, plane int, y unsafe.Pointer, offset, n int) {
	if factor := archsimd.BroadcastInt32x8(1<<16 + c.Luma); c.Pixel == 1 {
		s.storeApart(d, plane, y, offset, n, factor)
	} else {
		s.storeTogether(d, y, offset, n, factor)
	}
}

// lumaAt returns the luma of eight pixels, times a factor.
func lumaAt(p unsafe.Pointer, i int, factor archsimd.Int32x8) archsimd.Int32x8 {
	return eight(p, i).ExtendLo8ToUint32().BitsToInt32().Mul(factor)
}

// channel returns channel k of eight pixels, whose sums begin with number `offset`, in 256ths.
func (s *sums) channel(k, offset int, luma archsimd.Int32x8) archsimd.Int32x8 {
	return load(unsafe.Pointer(&s[k]), 4*offset).ReshapeToUint32s().BitsToInt32().Add(luma).ShiftAllRight(8)
}

// bytesOf returns the whole parts of a0, a1, b0 and b1, which are in 256ths, limited to 0 to 255.
// picks0 places the bytes of a0 and a1, and picks1 those of b0 and b1.
func bytesOf(a0, a1, b0, b1 archsimd.Int32x8, picks0, picks1 picks) vec {
	v, u := a0.SaturateToUint16ConcatGrouped(a1), b0.SaturateToUint16ConcatGrouped(b1)
	return permuted(v.ReshapeToUint8s(), picks0).Or(permuted(u.ReshapeToUint8s(), picks1))
}

// storeTogether stores R, G, B and 255 of each pixel.
func (s *sums) storeTogether(d, y unsafe.Pointer, offset, n int, factor archsimd.Int32x8) {
	opaque := archsimd.BroadcastInt32x8(0xff00)
	picks0, picks1 := indices(unsafe.Pointer(&highs[0])), indices(unsafe.Pointer(&highs[1]))
	for x, end := 0, n-wide; ; x = min(x+wide, end) {
		l := lumaAt(y, x, factor)
		store(d, 4*x, bytesOf(s.channel(0, offset+x, l), s.channel(2, offset+x, l), s.channel(1, offset+x, l), opaque, picks0, picks1))
		if x == end {
			return
		}
	}
}

// storeApart stores R, G and B in three planes.
func (s *sums) storeApart(d unsafe.Pointer, plane int, y unsafe.Pointer, offset, n int, factor archsimd.Int32x8) {
	order := archsimd.LoadUint32x8Array(&dwords[1])
	picks0, picks1 := indices(unsafe.Pointer(&highs[2])), indices(unsafe.Pointer(&highs[3]))
	for x, end := 0, n-vector; ; x = min(x+vector, end) {
		l0, l1 := lumaAt(y, x, factor), lumaAt(y, x+wide, factor)
		l2, l3 := lumaAt(y, x+2*wide, factor), lumaAt(y, x+3*wide, factor)
		for k := range 3 {
			i := offset + x
			z := bytesOf(s.channel(k, i, l0), s.channel(k, i+wide, l1), s.channel(k, i+2*wide, l2), s.channel(k, i+3*wide, l3), picks0, picks1)
			store(d, k*plane+x, z.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		}
		if x == end {
			return
		}
	}
}

// highs are indices of the upper bytes of words, for bytesOf. Of a lane with the words r0 to r3 and
// b0 to b3, and of one with the words g0 to g3 and a0 to a3, the first two make r0 g0 b0 a0, then
// r1 g1 b1 a1, and so on. The other two put the bytes of the second lane behind those of the first.
var highs = func() (o [4][vector]uint8) {
	for j := range vector {
		for i := range o {
			o[i][j] = zero
		}
		o[j%2][j] = uint8(j%lane/4*2 + j%4/2*8 + 1)
		o[2+j%lane/8][j] = uint8(j%8*2 + 1)
	}
	return o
}()
