//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"
)

// join, join2 and join4 are join_rows, join_rows2 and join_rows4.

func (t *columns) join() {
	for x := 0; x < t.n; x += lane {
		i := min(x, t.n-lane)
		row0, row1 := loadLane(t.s0, i).ExtendToUint16(), loadLane(t.s1, i).ExtendToUint16()
		row2, row3 := loadLane(t.s2, i).ExtendToUint16(), loadLane(t.s3, i).ExtendToUint16()
		ab, ce := row0.Or(row1.ShiftAllLeft(8)), row2.Or(row3.ShiftAllLeft(8))
		lo, hi := ab.InterleaveLoGrouped(ce).ReshapeToUint8s(), ab.InterleaveHiGrouped(ce).ReshapeToUint8s()
		storeLow(t.d0, 4*i, lo)
		storeLow(t.d0, 4*i+lane, hi)
		storeHigh(t.d0, 4*i+2*lane, lo)
		storeHigh(t.d0, 4*i+3*lane, hi)
	}
}

func (t *columns) join2() {
	const pixels = lane / 2
	for x := 0; x < t.n; x += pixels {
		i := min(x, t.n-pixels)
		p, q := loadLane(t.s0, 2*i).ReshapeToUint16s(), loadLane(t.s1, 2*i).ReshapeToUint16s()
		c, e := loadLane(t.s2, 2*i).ReshapeToUint16s(), loadLane(t.s3, 2*i).ReshapeToUint16s()
		ab, ce := p.InterleaveLo(q).ReshapeToUint32s(), c.InterleaveLo(e).ReshapeToUint32s()
		storeLane(t.d0, 8*i, ab.InterleaveLo(ce))
		storeLane(t.d0, 8*i+lane, ab.InterleaveHi(ce))
		ab, ce = p.InterleaveHi(q).ReshapeToUint32s(), c.InterleaveHi(e).ReshapeToUint32s()
		storeLane(t.d0, 8*i+2*lane, ab.InterleaveLo(ce))
		storeLane(t.d0, 8*i+3*lane, ab.InterleaveHi(ce))
	}
}

func (t *columns) join4() {
	const pixels = lane / 4
	for x := 0; x < t.n; x += pixels {
		i := min(x, t.n-pixels)
		p, q := loadLane(t.s0, 4*i).ReshapeToUint32s(), loadLane(t.s1, 4*i).ReshapeToUint32s()
		c, e := loadLane(t.s2, 4*i).ReshapeToUint32s(), loadLane(t.s3, 4*i).ReshapeToUint32s()
		ab, ce := p.InterleaveLo(q).ReshapeToUint64s(), c.InterleaveLo(e).ReshapeToUint64s()
		storeLane(t.d0, 16*i, ab.InterleaveLo(ce).ReshapeToUint32s())
		storeLane(t.d0, 16*i+lane, ab.InterleaveHi(ce).ReshapeToUint32s())
		ab, ce = p.InterleaveHi(q).ReshapeToUint64s(), c.InterleaveHi(e).ReshapeToUint64s()
		storeLane(t.d0, 16*i+2*lane, ab.InterleaveLo(ce).ReshapeToUint32s())
		storeLane(t.d0, 16*i+3*lane, ab.InterleaveHi(ce).ReshapeToUint32s())
	}
}

// part is part_rows of samples of `size` bytes, 1 or 4.
func (t *columns) part(size int) {
	order, turn := indices(unsafe.Pointer(&parted[size/4])), archsimd.LoadUint32x8Array(&dwords[1])
	for x := 0; x < size*t.n; x += 8 {
		i := min(x, size*t.n-8)
		v := permuted(load(t.s0, 4*i), order).ReshapeToUint32s().Permute(turn).ReshapeToUint64s()
		*(*uint64)(unsafe.Add(t.d0, i)) = v.GetLo().GetElem(0)
		*(*uint64)(unsafe.Add(t.d1, i)) = v.GetLo().GetElem(1)
		*(*uint64)(unsafe.Add(t.d2, i)) = v.GetHi().GetElem(0)
		*(*uint64)(unsafe.Add(t.d3, i)) = v.GetHi().GetElem(1)
	}
}

// parted are, for samples of 1 and of 4 bytes, the indices that put the samples of a lane's pixels
// of four samples together: the first ones, then the second ones and so on.
var parted = func() (o [2][vector]uint8) {
	for j := range vector {
		o[0][j], o[1][j] = uint8(j%4*4+j%lane/4), uint8(j%lane)
	}
	return o
}()

// storeHigh stores the high lane of v.
func storeHigh(p unsafe.Pointer, offset int, v vec) {
	v.GetHi().StoreArray((*[lane]uint8)(unsafe.Add(p, offset)))
}

func storeLane(p unsafe.Pointer, offset int, v archsimd.Uint32x4) {
	v.ReshapeToUint8s().StoreArray((*[lane]uint8)(unsafe.Add(p, offset)))
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

// apart are the indices that make pixels of four bytes of those of three.
var apart = func() (o [vector]uint8) {
	for j := range vector {
		if o[j] = zero; j%4 < 3 {
			o[j] = uint8(j%lane/4*3 + j%4)
		}
	}
	return o
}()
