//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// The passes over rows below make at least a vector of samples each. The last vector of a row ends
// with it. Those of Area take the last row first if flip is true; their weights are the bits of
// float32.

// WeighRows stores sums of weighted rows, rounded to bytes, by weights of Pillow's filters.
func WeighRows(dst []uint8, rows [][]uint8, weights []int32) {
	order := archsimd.LoadUint32x8Array(&dwords[1])
	picks0, picks1 := indices(unsafe.Pointer(&highs[2])), indices(unsafe.Pointer(&highs[3]))
	half := archsimd.BroadcastInt32x8(1 << (weightBits - 1))
	d := unsafe.Pointer(unsafe.SliceData(dst))
	for x, end := 0, len(dst)-vector; ; x = min(x+vector, end) {
		sum0, sum1, sum2, sum3 := half, half, half, half
		for k, row := range rows {
			s, w := unsafe.Pointer(unsafe.SliceData(row)), archsimd.BroadcastInt32x8(weights[k])
			sum0 = sum0.Add(lumaAt(s, x, w))
			sum1 = sum1.Add(lumaAt(s, x+wide, w))
			sum2 = sum2.Add(lumaAt(s, x+2*wide, w))
			sum3 = sum3.Add(lumaAt(s, x+3*wide, w))
		}
		const shift = weightBits - 8
		z := bytesOf(sum0.ShiftAllRight(shift), sum1.ShiftAllRight(shift), sum2.ShiftAllRight(shift), sum3.ShiftAllRight(shift), picks0, picks1)
		store(d, x, z.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		if x == end {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// SumRows stores words: (x*w[0] + y*w[1]) >> 4 of each byte of two rows.
func SumRows(dst, x, y []uint8, w []int32) {
	weights := wordsOf(archsimd.BroadcastUint32x8(uint32(uint16(w[0])) | uint32(w[1])<<16).ReshapeToUint8s())
	d, s, u := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	for i, final := 0, len(dst)/2-lane; ; i = min(i+lane, final) {
		p, q := loadLane(s, i).ExtendToUint16(), loadLane(u, i).ExtendToUint16()
		lo, hi := p.InterleaveLoGrouped(q).BitsToInt16().DotProductPairs(weights), p.InterleaveHiGrouped(q).BitsToInt16().DotProductPairs(weights)
		store(d, 2*i, lo.ShiftAllRight(4).SaturateToInt16ConcatGrouped(hi.ShiftAllRight(4)).ToBits().ReshapeToUint8s())
		if i == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// lows are indices of the lower bytes of words: of a lane's eight, before or behind eight zeros.
var lows = func() (o [2][vector]uint8) {
	for j := range vector {
		o[0][j], o[1][j] = zero, zero
		o[j%lane/8][j] = uint8(j % 8 * 2)
	}
	return o
}()

// AddRows stores (x*w[0]>>16 + y*w[1]>>16 + 2) >> 2 of each word of two rows, as bytes.
func AddRows(dst, x, y []uint8, w []int32) {
	lower, upper, order := indices(unsafe.Pointer(&lows[0])), indices(unsafe.Pointer(&lows[1])), archsimd.LoadUint32x8Array(&dwords[0])
	p, q, rounding := archsimd.BroadcastInt16x16(int16(w[0])), archsimd.BroadcastInt16x16(int16(w[1])), archsimd.BroadcastInt16x16(2)
	d, s, u := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	sum := func(i int) vec {
		sum0, sum1 := wordsOf(load(s, i)).MulHigh(p), wordsOf(load(u, i)).MulHigh(q)
		return sum0.Add(sum1).Add(rounding).ShiftAllRight(2).ToBits().ReshapeToUint8s()
	}
	for i, final := 0, len(dst)-vector; ; i = min(i+vector, final) {
		v := permuted(sum(2*i), lower).Or(permuted(sum(2*i+vector), upper))
		store(d, i, v.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		if i == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// direction returns the first one of n rows that is taken, and the step to the next.
func direction(n int, flip bool) (start, step int) {
	if flip {
		return n - 1, -1
	}
	return 0, 1
}

// CoverRows stores float32: the sums of weighted rows of bytes.
func CoverRows(dst []uint8, rows [][]uint8, weights []int32, flip bool) {
	start, step := direction(len(rows), flip)
	d := unsafe.Pointer(unsafe.SliceData(dst))
	for x, final := 0, len(dst)/4-vector; ; x = min(x+vector, final) {
		var sum0, sum1, sum2, sum3 floats
		for k, left := start, len(rows); left > 0; k, left = k+step, left-1 {
			s, w := unsafe.Pointer(unsafe.SliceData(rows[k])), archsimd.BroadcastFloat32x8(math.Float32frombits(uint32(weights[k])))
			part := func(i int, w floats) floats {
				return eight(s, x+i*wide).ExtendLo8ToUint32().BitsToInt32().ConvertToFloat32().Mul(w)
			}
			sum0, sum1, sum2, sum3 = sum0.Add(part(0, w)), sum1.Add(part(1, w)), sum2.Add(part(2, w)), sum3.Add(part(3, w))
		}
		store(d, 4*x, sum0.ToBits().ReshapeToUint8s())
		store(d, 4*x+vector, sum1.ToBits().ReshapeToUint8s())
		store(d, 4*x+2*vector, sum2.ToBits().ReshapeToUint8s())
		store(d, 4*x+3*vector, sum3.ToBits().ReshapeToUint8s())
		if x == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// AverageRows stores the sums of weighted rows of float32, rounded to bytes.
func AverageRows(dst []uint8, rows [][]uint8, weights []int32, flip bool) {
	start, step := direction(len(rows), flip)
	order := archsimd.LoadUint32x8Array(&dwords[1])
	lower, upper := indices(unsafe.Pointer(&highs[2])), indices(unsafe.Pointer(&highs[3]))
	d := unsafe.Pointer(unsafe.SliceData(dst))
	for x, final := 0, len(dst)-vector; ; x = min(x+vector, final) {
		var sum0, sum1, sum2, sum3 floats
		for k, left := start, len(rows); left > 0; k, left = k+step, left-1 {
			s, w := unsafe.Add(unsafe.Pointer(unsafe.SliceData(rows[k])), 4*x), archsimd.BroadcastFloat32x8(math.Float32frombits(uint32(weights[k])))
			part := func(i int, w floats) floats { return load(s, i*vector).ReshapeToUint32s().BitsToFloat32().Mul(w) }
			sum0, sum1, sum2, sum3 = sum0.Add(part(0, w)), sum1.Add(part(1, w)), sum2.Add(part(2, w)), sum3.Add(part(3, w))
		}
		z := bytesOf(wholeOf(sum0), wholeOf(sum1), wholeOf(sum2), wholeOf(sum3), lower, upper)
		store(d, x, z.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		if x == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// TotalRows stores words: the sums of the bytes of rows.
func TotalRows(dst []uint8, rows [][]uint8) {
	d := unsafe.Pointer(unsafe.SliceData(dst))
	for x, final := 0, len(dst)/2-vector; ; x = min(x+vector, final) {
		var sum0, sum1 archsimd.Uint16x16
		for _, row := range rows {
			s := unsafe.Pointer(unsafe.SliceData(row))
			sum0, sum1 = sum0.Add(loadLane(s, x).ExtendToUint16()), sum1.Add(loadLane(s, x+lane).ExtendToUint16())
		}
		store(d, 2*x, sum0.ReshapeToUint8s())
		store(d, 2*x+vector, sum1.ReshapeToUint8s())
		if x == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// MeanFours stores the means of pixels of two columns of the rows x and y, halves rounded up. A
// pixel has four bytes, or one.
func MeanFours(dst, x, y []uint8, pixel int) {
	d, s, u := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	pairs, lower, upper := indices(unsafe.Pointer(&besides[pixel/4])), indices(unsafe.Pointer(&lows[0])), indices(unsafe.Pointer(&lows[1]))
	order, unit, rounding := archsimd.LoadUint32x8Array(&dwords[0]), archsimd.BroadcastInt8x32(1), archsimd.BroadcastInt16x16(2)
	mean := func(i int, pairs picks) vec {
		sum := permuted(load(s, i), pairs).DotProductPairsSaturated(unit).Add(permuted(load(u, i), pairs).DotProductPairsSaturated(unit))
		return sum.Add(rounding).ShiftAllRight(2).ToBits().ReshapeToUint8s()
	}
	for i, final := 0, len(dst)-vector; ; i = min(i+vector, final) {
		v := permuted(mean(2*i, pairs), lower).Or(permuted(mean(2*i+vector, pairs), upper))
		store(d, i, v.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		if i == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// besides are the indices that put the samples of two pixels side by side: of pixels of one byte,
// where they lie so, and of four.
var besides = func() (o [2][vector]uint8) {
	for j := range vector {
		i := j % lane
		o[0][j], o[1][j] = uint8(i), uint8(i/8*8+i%8/2+i%2*4)
	}
	return o
}()
