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
// Columns are summed first, then rows. If both sides shrink by whole factors, sums are of integers,
// and the last one is divided by how many there are. Otherwise weights, products and sums are
// float32, each rounded, in the order of the samples.

// mostCovered is how many samples one may cover if both factors are whole. Their sum fits 32 bits.
const mostCovered = 1 << 24

// area is what a plan of Area does besides weighing.
type area struct {
	whole bool    // whether both sides shrink by whole factors: sums have no weights then
	fours bool    // whether a sample is the mean of four, whose halves are rounded up
	part  float32 // of a sum, if whole: others are rounded to nearest, ties to even
}

// newArea returns what a plan of Area does. It returns an error if a side grows, or if a sample
// covers too many.
func newArea(x, y *Axis) (a area, err error) {
	if x.Out > x.Size || y.Out > y.Size {
		return a, fmt.Errorf("rows: %d x %d pixels of %d x %d: no side may grow", x.Out, y.Out, x.Size, y.Size)
	}
	if a.whole = x.Size%x.Out == 0 && y.Size%y.Out == 0; a.whole {
		across, along := int64(x.Size/x.Out), int64(y.Size/y.Out)
		if across*along > mostCovered {
			return a, fmt.Errorf("rows: a sample of the result takes %d x %d of the source: must take at most %d", across, along, mostCovered)
		}
		a.fours, a.part = across == 2 && along == 2, float32(1/float64(across*along))
	}
	return a, nil
}

// covers returns the weights of Area along an axis, as the bits of float32.
func (a *Axis) covers() (*table, error) {
	scale := float64(a.Size) / float64(a.Out)
	t, err := a.empty(int(min(math.Ceil(scale)+2, float64(a.Size))), false)
	if err != nil {
		return nil, err
	}
	w := make([]int32, 0, t.taps)
	add := func(weight float64) { w = append(w, int32(math.Float32bits(float32(weight)))) }
	from, to := a.wanted()
	for k := from; k < to; k++ {
		start := mul(float64(k), scale)
		end, width := start+scale, min(scale, float64(a.Size)-start)
		i, j := int(math.Ceil(start)), min(int(math.Floor(end)), a.Size-1) // whole samples are those from i to before j
		first, least := i, 1e-3
		if w = w[:0]; float64(i)-start > least {
			first--
			add((float64(i) - start) / width)
		}
		for range j - i {
			add(1 / width)
		}
		if rest := end - float64(j); rest > least {
			add(min(min(rest, 1), width) / width)
		}
		t.set(a, k, first, len(w), w)
	}
	return t.end(), nil
}

// ordered returns number k of n in the direction of resampling.
func (a *Axis) ordered(k, n int) int {
	if a.Flip {
		return n - 1 - k
	}
	return k
}

// byteOf returns the sample of a sum.
func (a *area) byteOf(sum uint32) uint8 {
	if a.fours {
		return uint8((sum + 2) >> 2)
	}
	x := math.Float32frombits(sum)
	if a.whole {
		x = float32(sum) * a.part
	}
	const even = 3 << 22 // a float32 of this size has no places behind the point
	return uint8(min(max(int32(math.Float32bits(x+even)-math.Float32bits(even)), 0), 255))
}

// single returns a weight of which a table has the bits.
func single(weight int32) float32 { return math.Float32frombits(uint32(weight)) }

// plus returns a sum with another weighted number: the sums, or the samples, of a pass before.
func (a *area) plus(sum, number uint32, weight int32, isSum bool) uint32 {
	if a.whole {
		return sum + number
	}
	x := float32(number)
	if isSum {
		x = math.Float32frombits(number)
	}
	product := float32(x * single(weight))
	return math.Float32bits(math.Float32frombits(sum) + product)
}

// coverColumns stores a row whose columns are summed: sums of samples, or the samples of sums if
// rows are resampled first.
func (t *table) coverColumns(p *Plan, dst, src []uint8) {
	pixel, last := p.pixel, p.rowsFirst
	for i, first := range t.first {
		n, w := int(t.n[i]), t.weights[i*t.taps:]
		switch from := src[int(first)*pixel:]; {
		case last || pixel != 4:
		case p.area.whole && n <= 256: // two sums of 16 bits in each number
			sumPixels(dst[16*i:], from[:4*n])
			continue
		case !p.area.whole:
			weighPixel(dst[16*i:], from[:4*n], w[:n], p.x.Flip)
			continue
		}
		for c := range pixel {
			sum := uint32(0)
			for k := range n {
				k = p.x.ordered(k, n)
				at := (int(first)+k)*pixel + c
				if last {
					sum = p.area.plus(sum, binary.LittleEndian.Uint32(src[4*at:]), w[k], true)
				} else {
					sum = p.area.plus(sum, uint32(src[at]), w[k], false)
				}
			}
			if to := i*pixel + c; last {
				dst[to] = p.area.byteOf(sum)
			} else {
				binary.LittleEndian.PutUint32(dst[4*to:], sum)
			}
		}
	}
}

// sumPixels stores the four sums of at most 256 pixels of four bytes.
func sumPixels(dst, pixels []uint8) {
	const every2 = 0xff00ff
	even, odd := uint32(0), uint32(0)
	for ; len(pixels) >= 4; pixels = pixels[4:] {
		v := binary.LittleEndian.Uint32(pixels)
		even += v & every2
		odd += v >> 8 & every2
	}
	storeSums(dst, even&0xffff, odd&0xffff, even>>16, odd>>16)
}

func storeSums(dst []uint8, a, b, c, d uint32) {
	binary.LittleEndian.PutUint64(dst, uint64(a)|uint64(b)<<32)
	binary.LittleEndian.PutUint64(dst[8:], uint64(c)|uint64(d)<<32)
}

// weighPixel stores the four sums of weighted pixels of four bytes, from the last one on if flip is
// true.
func weighPixel(dst, pixels []uint8, weights []int32, flip bool) {
	var a, b, c, d float32
	at, step := 0, 4
	if flip {
		at, step = len(pixels)-4, -4
	}
	for range len(weights) {
		v, w := binary.LittleEndian.Uint32(pixels[at:]), single(weights[at/4])
		a += float32(float32(int32(v&0xff)) * w)
		b += float32(float32(int32(v>>8&0xff)) * w)
		c += float32(float32(int32(v>>16&0xff)) * w)
		d += float32(float32(int32(v>>24)) * w)
		at += step
	}
	storeSums(dst, math.Float32bits(a), math.Float32bits(b), math.Float32bits(c), math.Float32bits(d))
}

// coverRows stores the sums of rows of samples, or the samples of rows of sums.
func (t *table) coverRows(p *Plan, dst []uint8, rows [][]uint8, y int) {
	var room [256]uint32 // sums of so many samples stay in the first-level cache
	w := t.weights[y*t.taps:]
	samples := len(dst)
	if p.rowsFirst {
		samples /= 4
	}
	for first := 0; first < samples; first += len(room) {
		sums := room[:min(len(room), samples-first)]
		clear(sums)
		for k := range rows {
			k = p.y.ordered(k, len(rows))
			p.area.addRow(sums, rows[k], first, w[k], !p.rowsFirst)
		}
		for i, sum := range sums {
			if p.rowsFirst {
				binary.LittleEndian.PutUint32(dst[4*(first+i):], sum)
			} else {
				dst[first+i] = p.area.byteOf(sum)
			}
		}
	}
}

// addRow adds a weighted row to sums, from its number `first` on: sums if isSums is true, else
// samples.
func (a *area) addRow(sums []uint32, row []uint8, first int, weight int32, isSums bool) {
	switch {
	case !isSums:
		for i, v := range row[first:][:len(sums)] {
			sums[i] = a.plus(sums[i], uint32(v), weight, false)
		}
	case a.whole:
		row = row[4*first:][:4*len(sums)]
		for i := range sums {
			sums[i] += binary.LittleEndian.Uint32(row[4*i:])
		}
	default:
		w := single(weight)
		row = row[4*first:][:4*len(sums)]
		for i := range sums {
			product := float32(math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:])) * w)
			sums[i] = math.Float32bits(math.Float32frombits(sums[i]) + product)
		}
	}
}
