//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// CoverPixels stores float32: the sums of weighted pixels of four bytes, of each of four rows. The
// weights of t are the bits of float32. Products and sums are rounded in the order of the pixels.
func CoverPixels(dst, src Four, t *Taps) {
	order := archsimd.LoadUint32x8Array(&fourfold)
	for i, start := range t.Starts {
		var sums [4]archsimd.Float32x4
		w, offset := t.Weights[i*t.Pitch:][:t.N[i]], 4*int(start)
		sum0, sum1, sum2, sum3 := sums[0], sums[0], sums[0], sums[0]
		for ; len(w) >= 2; w, offset = w[2:], offset+8 {
			weights := repeated4(w, order).BitsToFloat32()
			p, q := numbersAt(src.byte(0, offset)).Mul(weights), numbersAt(src.byte(1, offset)).Mul(weights)
			sum0, sum1 = sum0.Add(p.GetLo()).Add(p.GetHi()), sum1.Add(q.GetLo()).Add(q.GetHi())
			p, q = numbersAt(src.byte(2, offset)).Mul(weights), numbersAt(src.byte(3, offset)).Mul(weights)
			sum2, sum3 = sum2.Add(p.GetLo()).Add(p.GetHi()), sum3.Add(q.GetLo()).Add(q.GetHi())
		}
		sums = [4]archsimd.Float32x4{sum0, sum1, sum2, sum3}
		for r, sum := range sums {
			if len(w) > 0 {
				weight := archsimd.BroadcastFloat32x8(math.Float32frombits(uint32(w[0]))).GetLo()
				sum = sum.Add(pixelAt(src.byte(r, offset)).ConvertToFloat32().Mul(weight))
			}
			storeLane(dst.byte(r, 16*i), 0, sum.ToBits())
		}
	}
	archsimd.ClearAVXUpperBits()
}

// numbersAt returns the eight bytes at p as numbers.
func numbersAt(p unsafe.Pointer) archsimd.Float32x8 {
	return eight(p, 0).ExtendLo8ToUint32().BitsToInt32().ConvertToFloat32()
}

// even is a float32 of a size that has no places behind the point: a sum with it is rounded to the
// nearest whole number, ties to even.
const even = 3 << 22

// wholeOf returns what x rounds to, in 256ths.
func wholeOf(x archsimd.Float32x8) archsimd.Int32x8 {
	bits := x.Add(archsimd.BroadcastFloat32x8(even)).ToBits().BitsToInt32()
	return bits.Sub(archsimd.BroadcastInt32x8(int32(math.Float32bits(even)))).ShiftAllLeft(8)
}

// CoverRows stores the sums of weighted rows of float32, rounded to bytes. The weights are the bits
// of float32. dst has a vector of bytes at least.
func CoverRows(dst []uint8, rows [][]uint8, weights []int32) {
	order := archsimd.LoadUint32x8Array(&dwords[1])
	lower, upper := indices(unsafe.Pointer(&highs[2])), indices(unsafe.Pointer(&highs[3]))
	d := unsafe.Pointer(unsafe.SliceData(dst))
	for x, final := 0, len(dst)-vector; ; x = min(x+vector, final) {
		var sum0, sum1, sum2, sum3 archsimd.Float32x8
		for k, row := range rows {
			s, w := unsafe.Add(unsafe.Pointer(unsafe.SliceData(row)), 4*x), archsimd.BroadcastFloat32x8(math.Float32frombits(uint32(weights[k])))
			part := func(i int) archsimd.Float32x8 { return load(s, i*vector).ReshapeToUint32s().BitsToFloat32().Mul(w) }
			sum0, sum1, sum2, sum3 = sum0.Add(part(0)), sum1.Add(part(1)), sum2.Add(part(2)), sum3.Add(part(3))
		}
		z := bytesOf(wholeOf(sum0), wholeOf(sum1), wholeOf(sum2), wholeOf(sum3), lower, upper)
		store(d, x, z.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		if x == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// TotalRows stores words: the sums of the bytes of rows. A row has 32 bytes at least.
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

// MeanPixels stores bytes: part times the sums of n pixels of four words each, rounded to nearest,
// ties to even, or of four halves up if part is 1/4. There are four pixels at least.
func MeanPixels(dst, src []uint8, starts []int32, n int, part float32, fours bool) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	order, halves := archsimd.LoadUint32x8Array(&dwords[1]), indices(unsafe.Pointer(&highs[2]))
	factor, rounding := archsimd.BroadcastFloat32x8(part), archsimd.BroadcastInt32x8(2)
	sum := func(i int) archsimd.Int32x4 {
		var sum archsimd.Uint32x8
		p, k := unsafe.Add(s, 8*int(starts[i])), 0
		for ; k+2 <= n; k += 2 {
			sum = sum.Add(loadLane(p, 8*k).ReshapeToUint16s().ExtendToUint32())
		}
		total := sum.GetLo().Add(sum.GetHi())
		if k < n {
			var x archsimd.Uint64x2
			total = total.Add(x.SetElem(0, *(*uint64)(unsafe.Add(p, 8*k))).ReshapeToUint16s().ExtendLo4ToUint32())
		}
		return total.BitsToInt32()
	}
	made := func(i int) archsimd.Int32x8 {
		var v archsimd.Int32x8
		if v = v.SetLo(sum(i)).SetHi(sum(i + 1)); fours {
			return v.Add(rounding).ShiftAllRight(2).ShiftAllLeft(8)
		}
		return wholeOf(v.ConvertToFloat32().Mul(factor))
	}
	for i, final := 0, len(starts)-4; ; i = min(i+4, final) {
		v := permuted(made(i).SaturateToUint16ConcatGrouped(made(i+2)).ReshapeToUint8s(), halves)
		storeLow(d, 4*i, v.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		if i == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}
