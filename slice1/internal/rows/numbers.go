package rows

import "unsafe"

// Planes of numbers are resampled like samples, by the same axes, but nothing is rounded to 8 bits.
// Pillow's filters weigh in float64 and round each sum once, to float32, also between columns and
// rows: this is Pillow's mode F. Linear weighs in float32 and rounds each product and each sum, as
// OpenCV does with CV_32F. For example, Linear makes four numbers of two:
//
//	source    1       3
//	weights   1       0                     1
//	          3/4     1/4                   1*3/4 + 3*1/4 = 1.5
//	          1/4     3/4                   2.5
//	                  1                     3
//
// A number whose weight is 0 counts, too: 0 times infinity is a NaN.

// numbersOf returns the numbers that lie in b.
//
// unsafe: rows of numbers begin at an address that is a multiple of 4, and have whole numbers.
func numbersOf(b []uint8) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// numberColumns stores a row of numbers of which columns are resampled.
func (t *table) numberColumns(dst, src []float32) {
	for i, first := range t.first {
		if t.wide == nil {
			w := t.weights[2*i:][:2]
			dst[i] = src[first] * single(w[0])
			if t.n[i] == 2 {
				dst[i] = float32(src[first]*single(w[0])) + float32(src[first+1]*single(w[1]))
			}
			continue
		}
		sum, w := 0., t.wide[i*t.taps:][:t.n[i]]
		for k, v := range src[first:][:len(w)] {
			sum += mul(float64(v), w[k])
		}
		dst[i] = float32(sum)
	}
}

// numberRows stores row y of the result from the rows of numbers that it takes.
func (t *table) numberRows(dst []float32, rows [][]uint8, y int) {
	if t.wide == nil {
		v, w := single(t.weights[2*y]), single(t.weights[2*y+1])
		a, b := numbersOf(rows[0])[:len(dst)], numbersOf(rows[len(rows)-1])[:len(dst)]
		for i := range dst {
			dst[i] = float32(a[i]*v) + float32(b[i]*w)
		}
		return
	}
	var room [512]float64 // sums of so many numbers stay in the first-level cache
	weights := t.wide[y*t.taps:]
	for first := 0; first < len(dst); first += len(room) {
		sums := room[:min(len(room), len(dst)-first)]
		clear(sums)
		for k, row := range rows {
			w := weights[k]
			for i, v := range numbersOf(row)[first:][:len(sums)] {
				sums[i] += mul(float64(v), w)
			}
		}
		for i, sum := range sums {
			dst[first+i] = float32(sum)
		}
	}
}
