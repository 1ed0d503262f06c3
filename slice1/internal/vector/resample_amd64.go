//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"encoding/binary"
	"simd/archsimd"
	"unsafe"
)

// WeighRows stores sums of weighted rows, rounded to bytes. A weight has `bits` bits behind the
// point. dst has a vector of bytes at least, as each row has, and the last vector ends with it.
func WeighRows(dst []uint8, rows [][]uint8, weights []int32, bits int) {
	order := archsimd.LoadUint32x8Array(&dwords[1])
	picks0, picks1 := indices(unsafe.Pointer(&highs[2])), indices(unsafe.Pointer(&highs[3]))
	half, shift := archsimd.BroadcastInt32x8(1<<(bits-1)), uint64(bits-8)
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
		z := bytesOf(sum0.ShiftAllRight(shift), sum1.ShiftAllRight(shift), sum2.ShiftAllRight(shift), sum3.ShiftAllRight(shift), picks0, picks1)
		store(d, x, z.ReshapeToUint32s().Permute(order).ReshapeToUint8s())
		if x == end {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// WeighPixels stores sums of weighted pixels of four bytes, rounded, of each of four rows. Pixel i of
// a result takes n[i] pixels from number starts[i] on, by weights from number i*taps on.
func WeighPixels(dst, src [4][]uint8, starts, n, weights []int32, taps, bits int) {
	var pair [wide]uint32
	for i := range pair {
		pair[i] = uint32(i / 4)
	}
	fourfold, shift := archsimd.LoadUint32x8Array(&pair), uint64(bits-8)
	half := archsimd.BroadcastInt32x8(1 << (bits - 1)).GetLo()
	tops := archsimd.LoadUint8x16Array(&[lane]uint8{1, 3, 5, 7, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero}).BitsToInt8()
	for i, start := range starts {
		var sum [4]archsimd.Int32x8
		w := weights[i*taps:][:n[i]]
		offset := 4 * int(start)
		for ; len(w) >= 2; w, offset = w[2:], offset+8 {
			weightPair := archsimd.BroadcastUint64x4(uint64(uint32(w[0])) | uint64(w[1])<<32).ReshapeToUint32s().Permute(fourfold).BitsToInt32()
			sum[0] = sum[0].Add(lumaAt(unsafe.Pointer(unsafe.SliceData(src[0])), offset, weightPair))
			sum[1] = sum[1].Add(lumaAt(unsafe.Pointer(unsafe.SliceData(src[1])), offset, weightPair))
			sum[2] = sum[2].Add(lumaAt(unsafe.Pointer(unsafe.SliceData(src[2])), offset, weightPair))
			sum[3] = sum[3].Add(lumaAt(unsafe.Pointer(unsafe.SliceData(src[3])), offset, weightPair))
		}
		for r := range sum {
			total := sum[r].GetLo().Add(sum[r].GetHi()).Add(half)
			if len(w) > 0 {
				var x archsimd.Uint32x4
				pixel := x.SetElem(0, binary.LittleEndian.Uint32(src[r][offset:])).ReshapeToUint8s()
				total = total.Add(pixel.ExtendLo4ToUint32().BitsToInt32().Mul(archsimd.BroadcastInt32x8(w[0]).GetLo()))
			}
			total = total.ShiftAllRight(shift)
			bytes := total.SaturateToUint16Concat(total).ReshapeToUint8s().PermuteOrZero(tops)
			binary.LittleEndian.PutUint32(dst[r][4*i:], bytes.ReshapeToUint32s().GetElem(0))
		}
	}
	archsimd.ClearAVXUpperBits()
}
