package rows

import (
	"encoding/binary"
	"fmt"
	"math"
)

// OpenCV's INTER_AREA gives a sample the mean of what it covers. For example, two samples of five
// cover two and a half each:
//
//	source    0       0       255     255     255
//	weights   2/5     2/5     1/5                      255*1/5 = 51
//	                          1/5     2/5     2/5      255
//
// Columns are summed first, then rows: weights, products and sums are float32, each rounded, in the
// order of the samples. If both sides shrink by whole factors, sums are of integers, and the last
// one is divided by how many there are. Their order does not count. So rows are summed first then,
// which takes no shuffles, and sums of few rows are words.

// mostCovered is how many samples one may cover if both factors are whole. Their sum fits 32 bits.
const mostCovered = 1 << 24

// mostWords is how many bytes at most have a sum that fits a word.
const mostWords = 256

// area is what a plan of Area does besides weighing.
type area struct {
	whole bool    // whether both sides shrink by whole factors: sums have no weights then
	fours bool    // whether a sample is the mean of four; means that end in .5 are rounded up
	part  float32 // of a sum, if whole: others are rounded to nearest, ties to even
	wide  int64   // bytes of a sum between the passes
}

// divides reports whether a side shrinks by a whole factor.
func (x *Axis) divides() bool { return x.Size%x.Scaled == 0 }

// newArea returns what a plan of Area does. It returns an error if a side grows, or if a sample
// covers too many.
func newArea(x, y *Axis) (mean area, err error) {
	if x.Scaled > x.Size || y.Scaled > y.Size {
		return mean, fmt.Errorf("rows: %d x %d pixels of %d x %d: no side may grow", x.Scaled, y.Scaled, x.Size, y.Size)
	}
	mean.wide = 4
	if mean.whole = x.divides() && y.divides(); mean.whole {
		width, height := int64(x.Size/x.Scaled), int64(y.Size/y.Scaled)
		if width*height > mostCovered {
			return mean, fmt.Errorf("rows: a sample of the result takes %d x %d of the source: must take at most %d", width, height, mostCovered)
		}
		mean.fours, mean.part = width == 2 && height == 2, float32(1/float64(width*height))
		if height <= mostWords {
			mean.wide = 2
		}
	}
	return mean, nil
}

// covers returns the weights of Area along an axis, as the bits of float32.
func (x *Axis) covers() (*table, error) {
	scale := float64(x.Size) / float64(x.Scaled)
	t, err := x.empty(int(min(math.Ceil(scale)+2, float64(x.Size))), false)
	if err != nil {
		return nil, err
	}
	w := make([]int32, 0, t.taps)
	add := func(weight float64) { w = append(w, int32(math.Float32bits(float32(weight)))) }
	begin, limit := x.wanted()
	for k := begin; k < limit; k++ {
		start := mul(float64(k), scale)
		end, width := start+scale, min(scale, float64(x.Size)-start)
		i, j := int(math.Ceil(start)), min(int(math.Floor(end)), x.Size-1) // whole samples are those from i to before j
		index, smallest := i, 1e-3
		if w = w[:0]; float64(i)-start > smallest {
			index--
			add((float64(i) - start) / width)
		}
		for range j - i {
			add(1 / width)
		}
		if rest := end - float64(j); rest > smallest {
			add(min(min(rest, 1), width) / width)
		}
		t.assign(x, k, index, len(w), w)
	}
	return t.end(), nil
}

// ordered returns number k of n in the direction of resampling.
func (x *Axis) ordered(k, n int) int {
	if x.Flip {
		return n - 1 - k
	}
	return k
}

// byteOf returns the sample of a sum.
func (m *area) byteOf(sum uint32) uint8 {
	if m.fours {
		return uint8((sum + 2) >> 2)
	}
	x := math.Float32frombits(sum)
	if m.whole {
		x = float32(sum) * m.part
	}
	const even = 3 << 22 // a float32 of this size has no places behind the point
	return uint8(min(max(int32(math.Float32bits(x+even)-math.Float32bits(even)), 0), 255))
}

// single returns a weight of which a table has the bits.
func single(weight int32) float32 { return math.Float32frombits(uint32(weight)) }

// A sum between the passes has the low byte first. sumAt returns the one at src, and putSum stores
// one of float32.
func (m *area) sumAt(src []uint8) uint32 {
	if m.wide == 2 {
		return uint32(binary.LittleEndian.Uint16(src))
	}
	return binary.LittleEndian.Uint32(src)
}

func putSum(dst []uint8, sum float32) { binary.LittleEndian.PutUint32(dst, math.Float32bits(sum)) }

// coverColumns stores a row whose columns are summed: sums of samples, or the samples of sums if
// rows are summed first.
func (t *table) coverColumns(p *Plan, dst, src []uint8) {
	pixel := p.pixel
	for i, start := range t.starts {
		n, w := int(t.n[i]), t.weights[i*t.taps:]
		switch {
		case pixel == 4 && p.area.wide == 2:
			binary.LittleEndian.PutUint32(dst[4*i:], p.area.meanPixel(src[8*int(start):][:8*n]))
		case pixel == 4 && !p.rowsFirst:
			weighPixel(dst[16*i:], src[4*int(start):][:4*n], w[:n], p.x.Flip)
		default:
			for c := range pixel {
				offset, target := int(start)*pixel+c, i*pixel+c
				switch {
				case p.area.whole:
					sum := uint32(0)
					for k := range n {
						sum += p.area.sumAt(src[(offset+k*pixel)*int(p.area.wide):])
					}
					dst[target] = p.area.byteOf(sum)
				case p.rowsFirst:
					sum := float32(0)
					for k := range n {
						k = p.x.ordered(k, n)
						sum += float32(math.Float32frombits(p.area.sumAt(src[4*(offset+k*pixel):])) * single(w[k]))
					}
					dst[target] = p.area.byteOf(math.Float32bits(sum))
				default:
					sum := float32(0)
					for k := range n {
						k = p.x.ordered(k, n)
						sum += float32(float32(src[offset+k*pixel]) * single(w[k]))
					}
					putSum(dst[4*target:], sum)
				}
			}
		}
	}
}

// meanPixel returns the pixel of four samples whose sums are those of words.
func (m *area) meanPixel(sums []uint8) uint32 {
	even, odd := uint64(0), uint64(0)
	for ; len(sums) >= 8; sums = sums[8:] {
		v := binary.LittleEndian.Uint64(sums)
		even += v & lowWords
		odd += v >> 16 & lowWords
	}
	return uint32(m.byteOf(uint32(even))) | uint32(m.byteOf(uint32(odd)))<<8 | uint32(m.byteOf(uint32(even>>32)))<<16 | uint32(m.byteOf(uint32(odd>>32)))<<24
}

// weighPixel stores the four sums of weighted pixels of four bytes, from the last one on if flip is
// true.
func weighPixel(dst, pixels []uint8, weights []int32, flip bool) {
	var s0, s1, s2, s3 float32
	offset, step := 0, 4
	if flip {
		offset, step = len(pixels)-4, -4
	}
	for range len(weights) {
		v, w := binary.LittleEndian.Uint32(pixels[offset:]), single(weights[offset/4])
		s0 += float32(float32(int32(v&0xff)) * w)
		s1 += float32(float32(int32(v>>8&0xff)) * w)
		s2 += float32(float32(int32(v>>16&0xff)) * w)
		s3 += float32(float32(int32(v>>24)) * w)
		offset += step
	}
	putSum(dst, s0)
	putSum(dst[4:], s1)
	putSum(dst[8:], s2)
	putSum(dst[12:], s3)
}

// coverRows stores the sums of rows of samples, or the samples of rows of sums.
func (t *table) coverRows(p *Plan, dst []uint8, rows [][]uint8, y int) {
	if p.area.wide == 2 {
		totalRows(dst, rows)
		return
	}
	if p.area.whole { // by more than mostWords
		for i := range len(dst) / 4 {
			sum := uint32(0)
			for _, row := range rows {
				sum += uint32(row[i])
			}
			binary.LittleEndian.PutUint32(dst[4*i:], sum)
		}
		return
	}
	var room [256]float32 // sums of so many samples stay in the first-level cache
	w := t.weights[y*t.taps:]
	samples := len(dst)
	if p.rowsFirst {
		samples /= 4
	}
	for start := 0; start < samples; start += len(room) {
		sums := room[:min(len(room), samples-start)]
		clear(sums)
		for k := range rows {
			k = p.y.ordered(k, len(rows))
			addRow(sums, rows[k], start, single(w[k]), !p.rowsFirst)
		}
		for i, sum := range sums {
			if p.rowsFirst {
				putSum(dst[4*(start+i):], sum)
			} else {
				dst[start+i] = p.area.byteOf(math.Float32bits(sum))
			}
		}
	}
}

// addRow adds a weighted row to sums, from its number `start` on: sums if isSums is true, else
// samples.
func addRow(sums []float32, row []uint8, start int, weight float32, isSums bool) {
	if !isSums {
		for i, v := range row[start:][:len(sums)] {
			sums[i] += float32(float32(v) * weight)
		}
		return
	}
	row = row[4*start:][:4*len(sums)]
	for i := range sums {
		sums[i] += float32(math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:])) * weight)
	}
}

// totalRows stores the sums of rows as words. Two sums of bytes are made in each half of a number.
func totalRows(dst []uint8, rows [][]uint8) {
	const every2 = 0xff00ff00ff00ff
	joined := func(even, odd uint64) uint64 {
		return even&0xffff | odd&0xffff<<16 | even>>16&0xffff<<32 | odd>>16&0xffff<<48
	}
	x := 0
	for ; x <= len(dst)/2-8; x += 8 {
		even, odd := uint64(0), uint64(0)
		for _, row := range rows {
			v := binary.LittleEndian.Uint64(row[x:])
			even += v & every2
			odd += v >> 8 & every2
		}
		binary.LittleEndian.PutUint64(dst[2*x:], joined(even, odd))
		binary.LittleEndian.PutUint64(dst[2*x+8:], joined(even>>32, odd>>32))
	}
	for ; x < len(dst)/2; x++ {
		sum := uint16(0)
		for _, row := range rows {
			sum += uint16(row[x])
		}
		binary.LittleEndian.PutUint16(dst[2*x:], sum)
	}
}
