//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"encoding/binary"
	"simd/archsimd"
	"unsafe"
)

// Taps say what pixels of a result take: pixel i takes N[i] pixels from number Starts[i] on, by
// weights from number i*Pitch on.
type Taps struct {
	Starts, N, Weights []int32
	Pitch              int
}

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

// fourfold are the indices that repeat each of the first two dwords four times.
var fourfold = [wide]uint32{0, 0, 0, 0, 1, 1, 1, 1}

// repeated4 returns two weights, four times each.
func repeated4(w []int32, order archsimd.Uint32x8) archsimd.Uint32x8 {
	return archsimd.BroadcastUint64x4(uint64(uint32(w[0])) | uint64(w[1])<<32).ReshapeToUint32s().Permute(order)
}

// pixelAt returns the four bytes at p as numbers.
func pixelAt(p unsafe.Pointer) archsimd.Int32x4 {
	var x archsimd.Uint32x4
	return x.SetElem(0, *(*uint32)(p)).ReshapeToUint8s().ExtendLo4ToUint32().BitsToInt32()
}

// WeighPixels stores sums of weighted pixels of four bytes, rounded, of each of four rows.
func WeighPixels(dst, src Four, t *Taps, bits int) {
	order, shift := archsimd.LoadUint32x8Array(&fourfold), uint64(bits-8)
	half := archsimd.BroadcastInt32x8(1 << (bits - 1)).GetLo()
	tops := archsimd.LoadUint8x16Array(&[lane]uint8{1, 3, 5, 7, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero}).BitsToInt8()
	for i, start := range t.Starts {
		var sum0, sum1, sum2, sum3 archsimd.Int32x8
		w, offset := t.Weights[i*t.Pitch:][:t.N[i]], 4*int(start)
		for ; len(w) >= 2; w, offset = w[2:], offset+8 {
			weights := repeated4(w, order).BitsToInt32()
			sum0 = sum0.Add(lumaAt(src.byte(0, offset), 0, weights))
			sum1 = sum1.Add(lumaAt(src.byte(1, offset), 0, weights))
			sum2 = sum2.Add(lumaAt(src.byte(2, offset), 0, weights))
			sum3 = sum3.Add(lumaAt(src.byte(3, offset), 0, weights))
		}
		for r, sum := range [...]archsimd.Int32x8{sum0, sum1, sum2, sum3} {
			total := sum.GetLo().Add(sum.GetHi()).Add(half)
			if len(w) > 0 {
				total = total.Add(pixelAt(src.byte(r, offset)).Mul(archsimd.BroadcastInt32x8(w[0]).GetLo()))
			}
			total = total.ShiftAllRight(shift)
			bytes := total.SaturateToUint16Concat(total).ReshapeToUint8s().PermuteOrZero(tops)
			binary.LittleEndian.PutUint32(dst[r][4*i:], bytes.ReshapeToUint32s().GetElem(0))
		}
	}
	archsimd.ClearAVXUpperBits()
}

// pairs are indices that put the bytes of two pixels of a lane's first half side by side, as words.
var pairs = [vector]uint8{0, zero, 4, zero, 1, zero, 5, zero, 2, zero, 6, zero, 3, zero, 7, zero,
	0, zero, 4, zero, 1, zero, 5, zero, 2, zero, 6, zero, 3, zero, 7, zero}

// pair returns at which byte two neighbouring pixels begin that pixel i takes, and their weights. A
// pixel alone has a neighbour of weight 0, and `final` is the last place of two.
func (t *Taps) pair(i, final int) (offset int, weights uint32) {
	start, left, right := int(t.Starts[i]), uint32(t.Weights[2*i]), uint32(t.Weights[2*i+1])
	if t.N[i] == 1 {
		left, right = left+right, 0
	}
	if start > final {
		return 4 * final, left << 16
	}
	return 4 * start, left | right<<16
}

// SumPixels stores words: the sums of two weighted pixels of four bytes, without their lowest four
// bits, of each of four rows. There are two pixels at least on either side. t.Pitch is 2.
func SumPixels(dst, src Four, t *Taps) {
	split, order := indices(unsafe.Pointer(&pairs)), archsimd.LoadUint32x8Array(&dwords[0])
	final := len(src[0])/4 - 2
	for i, end := 0, len(t.Starts)-2; ; i = min(i+2, end) {
		offset, w := t.pair(i, final)
		offset2, w2 := t.pair(i+1, final)
		weights := archsimd.BroadcastUint64x4(uint64(w) | uint64(w2)<<32).ReshapeToUint32s().Permute(archsimd.LoadUint32x8Array(&fourfold)).ReshapeToUint16s().BitsToInt16()
		sums := func(r int) archsimd.Int32x8 {
			v := permuted(concat8(src.byte(r, offset), src.byte(r, offset2)).ReshapeToUint8s(), split)
			return v.ReshapeToUint16s().BitsToInt16().DotProductPairs(weights).ShiftAllRight(4)
		}
		v := sums(0).SaturateToUint16ConcatGrouped(sums(1)).ReshapeToUint32s().Permute(order).ReshapeToUint8s()
		storeLow(dst.byte(0, 8*i), 0, v)
		storeHigh(dst.byte(1, 8*i), 0, v)
		v = sums(2).SaturateToUint16ConcatGrouped(sums(3)).ReshapeToUint32s().Permute(order).ReshapeToUint8s()
		storeLow(dst.byte(2, 8*i), 0, v)
		storeHigh(dst.byte(3, 8*i), 0, v)
		if i == end {
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

// AddRows stores (x*w[0]>>16 + y*w[1]>>16 + 2) >> 2 of each word of two rows, as bytes. dst has a
// vector of bytes at least.
func AddRows(dst, x, y []uint8, w []int32) {
	lower, upper, order := indices(unsafe.Pointer(&lows[0])), indices(unsafe.Pointer(&lows[1])), archsimd.LoadUint32x8Array(&dwords[0])
	p, q, rounding := archsimd.BroadcastInt16x16(int16(w[0])), archsimd.BroadcastInt16x16(int16(w[1])), archsimd.BroadcastInt16x16(2)
	d, s, u := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	sum := func(i int) vec {
		sum0, sum1 := load(s, i).ReshapeToUint16s().BitsToInt16().MulHigh(p), load(u, i).ReshapeToUint16s().BitsToInt16().MulHigh(q)
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
