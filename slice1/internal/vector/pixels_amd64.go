//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"
)

// Four are four rows: of pixels, or of what their passes make of them.
type Four [4][]uint8

// byte returns the address of byte i of row k.
func (f *Four) byte(k, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(f[k])), i)
}

// Unpack makes pixels of four bytes of those of three in src. The fourth byte is any number.
func Unpack(dst, src []uint8) {
	const pixels, packed = 8, 24
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	order := indices(unsafe.Pointer(&apart))
	x, n := 0, len(dst)/4
	for ; x <= n-pixels && 3*x+packed/2+lane <= len(src); x += pixels {
		store(d, 4*x, pick(unsafe.Add(s, 3*x), unsafe.Add(s, 3*x+packed/2), 0, order))
	}
	archsimd.ClearAVXUpperBits()
	for ; x < n; x++ {
		copy(dst[4*x:][:3], src[3*x:])
	}
}

// Join makes pixels of four rows of samples of `wide` bytes, 1 or 2: pixel x has number x of each
// row. There are at least 16 of them.
func (f Four) Join(dst []uint8, wide int) {
	if wide == 2 {
		f.joinWords(dst)
		return
	}
	d := unsafe.Pointer(unsafe.SliceData(dst))
	for x, final := 0, len(dst)/4-lane; ; x = min(x+lane, final) {
		row0, row1 := loadLane(f.byte(0, x), 0).ExtendToUint16(), loadLane(f.byte(1, x), 0).ExtendToUint16()
		row2, row3 := loadLane(f.byte(2, x), 0).ExtendToUint16(), loadLane(f.byte(3, x), 0).ExtendToUint16()
		ab, ce := row0.Or(row1.ShiftAllLeft(8)), row2.Or(row3.ShiftAllLeft(8))
		lo, hi := ab.InterleaveLoGrouped(ce).ReshapeToUint8s(), ab.InterleaveHiGrouped(ce).ReshapeToUint8s()
		storeLow(d, 4*x, lo)
		storeLow(d, 4*x+lane, hi)
		storeHigh(d, 4*x+2*lane, lo)
		storeHigh(d, 4*x+3*lane, hi)
		if x == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// joinWords is Join of words.
func (f Four) joinWords(dst []uint8) {
	const pixels = lane / 2
	d := unsafe.Pointer(unsafe.SliceData(dst))
	for x, final := 0, len(dst)/8-pixels; ; x = min(x+pixels, final) {
		words := [4]archsimd.Uint16x8{}
		for k := range words {
			words[k] = loadLane(f.byte(k, 2*x), 0).ReshapeToUint16s()
		}
		ab, ce := words[0].InterleaveLo(words[1]).ReshapeToUint32s(), words[2].InterleaveLo(words[3]).ReshapeToUint32s()
		storeLane(d, 8*x, ab.InterleaveLo(ce))
		storeLane(d, 8*x+lane, ab.InterleaveHi(ce))
		ab, ce = words[0].InterleaveHi(words[1]).ReshapeToUint32s(), words[2].InterleaveHi(words[3]).ReshapeToUint32s()
		storeLane(d, 8*x+2*lane, ab.InterleaveLo(ce))
		storeLane(d, 8*x+3*lane, ab.InterleaveHi(ce))
		if x == final {
			break
		}
	}
}

// Part is the opposite of Join, of samples of 1, 2 or 4 bytes. A row has eight bytes at least.
func (f Four) Part(src []uint8, wide int) {
	s := unsafe.Pointer(unsafe.SliceData(src))
	order, turn := indices(unsafe.Pointer(&parted[wide/2])), archsimd.LoadUint32x8Array(&dwords[1])
	for x, final := 0, len(f[0])-8; ; x = min(x+8, final) {
		v := permuted(load(s, 4*x), order).ReshapeToUint32s().Permute(turn).ReshapeToUint64s()
		*(*uint64)(f.byte(0, x)) = v.GetLo().GetElem(0)
		*(*uint64)(f.byte(1, x)) = v.GetLo().GetElem(1)
		*(*uint64)(f.byte(2, x)) = v.GetHi().GetElem(0)
		*(*uint64)(f.byte(3, x)) = v.GetHi().GetElem(1)
		if x == final {
			break
		}
	}
	archsimd.ClearAVXUpperBits()
}

// storeHigh stores the high lane of v.
func storeHigh(p unsafe.Pointer, offset int, v vec) {
	v.GetHi().StoreArray((*[lane]uint8)(unsafe.Add(p, offset)))
}

func storeLane(p unsafe.Pointer, offset int, v archsimd.Uint32x4) {
	v.ReshapeToUint8s().StoreArray((*[lane]uint8)(unsafe.Add(p, offset)))
}

// apart are indices that make pixels of four bytes of those of three. parted are, for samples of 1,
// 2 and 4 bytes, indices that put the samples of a lane's pixels of four samples together: the
// first ones, then the second ones and so on.
var apart, parted = func() (o [vector]uint8, p [3][vector]uint8) {
	for j := range vector {
		if o[j] = zero; j%4 < 3 {
			o[j] = uint8(j%lane/4*3 + j%4)
		}
		for k, wide := range [...]int{1, 2, 4} {
			pixels := 4 / wide
			row, pixel, part := j%lane/4, j%4/wide, j%wide
			p[k][j] = uint8((pixel%pixels*4+row)*wide + part)
		}
	}
	return o, p
}()
