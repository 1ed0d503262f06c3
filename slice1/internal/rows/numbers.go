package rows

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

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
	for i, start := range t.starts {
		if t.wide == nil {
			w := t.weights[2*i:][:2]
			dst[i] = src[start] * single(w[0])
			if t.n[i] == 2 {
				dst[i] = float32(src[start]*single(w[0])) + float32(src[start+1]*single(w[1]))
			}
			continue
		}
		sum, w := 0., t.wide[i*t.taps:][:t.n[i]]
		for k, v := range src[start:][:len(w)] {
			sum += mul(float64(v), w[k])
		}
		dst[i] = float32(sum)
	}
}

// numberRows stores row y of the result from the rows of numbers that it takes.
func (t *table) numberRows(dst []float32, rows [][]uint8, y int) {
	if t.wide == nil {
		v, w := single(t.weights[2*y]), single(t.weights[2*y+1])
		upper, lower := numbersOf(rows[0])[:len(dst)], numbersOf(rows[len(rows)-1])[:len(dst)]
		for i := range dst {
			dst[i] = float32(upper[i]*v) + float32(lower[i]*w)
		}
		return
	}
	var room [512]float64 // sums of so many numbers stay in the first-level cache
	weights := t.wide[y*t.taps:]
	for start := 0; start < len(dst); start += len(room) {
		sums := room[:min(len(room), len(dst)-start)]
		clear(sums)
		for k, row := range rows {
			w := weights[k]
			for i, v := range numbersOf(row)[start:][:len(sums)] {
				sums[i] += mul(float64(v), w)
			}
		}
		for i, sum := range sums {
			dst[start+i] = float32(sum)
		}
	}
}

// packNumbers returns a pass over columns or rows for a set. It returns nil if plain Go is to
// resample them: if there are less than `room` numbers, or none has a weight. C takes the table as
// it is.
func (p *Plan) packNumbers(t *table, set int32, n, room int) *packedPass {
	if n < room || t.taps == 0 {
		return nil
	}
	c := &packedPass{set: set, pass: program.WeighPlaneColumns} // as WeighPlaneRows
	if t.wide == nil {
		c.pass = program.AddPlaneColumns // as AddPlaneRows
	}
	return c
}

// weightsFrom returns where the weights of sample i begin.
//
// unsafe: a table with taps has weights, which it keeps alive.
func (t *table) weightsFrom(i int) unsafe.Pointer {
	if t.wide != nil {
		return unsafe.Pointer(&t.wide[i*t.taps])
	}
	return unsafe.Pointer(&t.weights[i*t.taps])
}

// numberColumns resamples the columns of the rows src, at most p.step, into the rows dst, in C.
func (w *Worker) numberColumns(dst, src [][]uint8) {
	c, t := w.plan.packedColumns, w.plan.columns
	width := t.high - t.low
	room := resized(&w.joined[0][0], int64(4*width*w.plan.step))
	yield.BeforeCall(int64(len(t.starts)) * int64(w.plan.step*t.taps) * perProduct)
	pass := program.PlaneColumnPass{Pass: c.pass, N: int64(len(t.starts)), Width: int64(width), Taps: int64(t.taps)}
	exec.PlaneColumns(c.set, &pass, t.starts, t.n, t.weightsFrom(0), room, dst, src)
}

// numberRows stores `count` rows of the result from row y on, which take the same rows, in C. dst
// is the first one, and the next ones lie `stride` bytes apart.
func (w *Worker) numberRows(dst []uint8, stride, y, count int) {
	c, t := w.plan.packedRows, w.plan.rows
	offsets := w.offsets[:max(len(w.inputs), 2)]
	if t.wide != nil {
		offsets = w.offsets[:len(w.inputs)]
	}
	pass := program.PlaneRowPass{Pass: c.pass, Rows: int64(len(offsets)), N: int64(len(dst) / 4), Count: int64(count), Stride: int64(stride / 4), Taps: int64(t.taps)}
	yield.BeforeCall(pass.N * pass.Rows * pass.Count * perProduct)
	exec.PlaneRows(c.set, &pass, offsets, t.weightsFrom(y), dst, &w.inputs[0][0])
}

// alike returns how many of n rows of the result from row y on take the same rows, and are made at
// once in C: 1 if one row is made.
func (p *Plan) alike(y, n int) (count int) {
	if p.planes == 0 || p.packedRows == nil || p.columnsLast {
		return 1
	}
	t := p.rows
	for count = 1; count < n && t.starts[y+count] == t.starts[y] && t.n[y+count] == t.n[y] && t.n[y] > 0; count++ {
	}
	return count
}
