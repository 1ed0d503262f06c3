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
	t, err := a.empty(int(min(math.Ceil(scale)+2, float64(a.Size))))
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

// plus returns a sum with another weighted number: the sums, or the samples, of a pass before.
func (a *area) plus(sum, number uint32, weight int32, isSum bool) uint32 {
	if a.whole {
		return sum + number
	}
	x := float32(number)
	if isSum {
		x = math.Float32frombits(number)
	}
	product := float32(x * math.Float32frombits(uint32(weight)))
	return math.Float32bits(math.Float32frombits(sum) + product)
}

// coverColumns stores a row whose columns are summed: sums of samples, or the samples of sums if
// rows are resampled first.
func (t *table) coverColumns(p *Plan, dst, src []uint8) {
	pixel, last := p.pixel, p.rowsFirst
	for i, first := range t.first {
		n, w := int(t.n[i]), t.weights[i*t.taps:]
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

// coverRows stores the sums of rows of samples, or the samples of rows of sums.
func (t *table) coverRows(p *Plan, dst []uint8, rows [][]uint8, y int) {
	w := t.weights[y*t.taps:]
	samples := len(dst)
	if p.rowsFirst {
		samples /= 4
	}
	for i := range samples {
		sum := uint32(0)
		for k := range rows {
			k = p.y.ordered(k, len(rows))
			if p.rowsFirst {
				sum = p.area.plus(sum, uint32(rows[k][i]), w[k], false)
			} else {
				sum = p.area.plus(sum, binary.LittleEndian.Uint32(rows[k][4*i:]), w[k], true)
			}
		}
		if p.rowsFirst {
			binary.LittleEndian.PutUint32(dst[4*i:], sum)
		} else {
			dst[i] = p.area.byteOf(sum)
		}
	}
}
