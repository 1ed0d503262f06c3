//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// columns is a pass over the columns of four rows. The loops below are those of csrc/resample.h and
// csrc/area.h, which say what each makes and how weights lie. A lane of a vector is a row.
type columns struct {
	n, groups      int
	starts         []int32
	weights        unsafe.Pointer
	d0, d1, d2, d3 unsafe.Pointer
	s0, s1, s2, s3 unsafe.Pointer
}

// Columns runs a pass over the columns of the rows src into the rows dst, four at a time. Where
// rows are missing, the last one is taken again.
func Columns(p *program.ColumnPass, starts []int32, weights []uint8, dst, src [][]uint8) {
	t := columns{n: int(p.N), groups: int(p.Groups), starts: starts, weights: unsafe.Pointer(unsafe.SliceData(weights))}
	for k := 0; k < len(src); k += 4 {
		t.d0, t.d1, t.d2, t.d3 = address(dst, k), address(dst, k+1), address(dst, k+2), address(dst, k+3)
		t.s0, t.s1, t.s2, t.s3 = address(src, k), address(src, k+1), address(src, k+2), address(src, k+3)
		t.run(p.Pass)
	}
	archsimd.ClearAVXUpperBits()
}

// address returns where row k begins, or the last row.
func address(rows [][]uint8, k int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(rows[min(k, len(rows)-1)]))
}

func (t *columns) run(pass program.Pass) {
	switch pass {
	case program.WeighColumns:
		t.weigh(4)
	case program.WeighColumns3:
		t.weigh(3)
	case program.SumColumns:
		t.sum(4)
	case program.SumColumns3:
		t.sum(3)
	case program.AddColumns:
		t.add()
	case program.PickColumns1:
		t.pick1()
	case program.PickColumns3:
		t.pick3()
	case program.PickColumns4:
		t.pick4()
	case program.PickWindows:
		t.pickWindows()
	case program.SumWindows:
		t.sumWindows()
	case program.JoinRows:
		t.join()
	case program.JoinRows2:
		t.join2()
	case program.JoinRows4:
		t.join4()
	case program.PartRows1:
		t.part(1)
	case program.PartRows4:
		t.part(4)
	case program.CoverColumns:
		t.cover()
	case program.AverageColumns:
		t.average()
	case program.MeanColumns:
		t.mean()
	default:
		panic("vector: a pass that C alone has")
	}
}

// weightBits is how many bits of a weight of Pillow's filters are behind the point. A group of four
// weights has groupBytes bytes.
const weightBits, groupBytes = 22, 12

// place returns where what pixel i takes begins, and how many bytes behind a load's first one it
// lies: some, if pixels have three bytes and the row ends.
func (t *columns) place(i, size int) (offset, moved int) {
	if size == 3 {
		return int(t.starts[i]) >> 3, int(t.starts[i]) & 7
	}
	return 4 * int(t.starts[i]), 0
}

// gathers are the indices that gather the samples of four pixels in the order of channels: as
// bytes, as words of the first two channels, and as words of the other two. Words are in the order
// of their weights, those of pixels 0, 2, 1 and 3. There are some for pixels of three bytes and of
// four, which lie so many bytes behind a load's first one.
var gathers = func() (o [5][5][3][vector]uint8) {
	for size := 3; size <= 4; size++ {
		for moved := range o[size] {
			for j := range vector {
				index := func(channel, pixel int) uint8 {
					if channel == size || moved+size*pixel+channel >= lane {
						return zero
					}
					return uint8(moved + size*pixel + channel)
				}
				i := j % lane
				o[size][moved][0][j] = index(i/4, i%4)
				word := [...]int{0, 2, 1, 3}[i/2%4]
				o[size][moved][1][j], o[size][moved][2][j] = index(i/8, word), index(2+i/8, word)
				if i%2 == 1 {
					o[size][moved][1][j], o[size][moved][2][j] = zero, zero
				}
			}
		}
	}
	return o
}()

// weighed returns the rounded sums of pixel i, in 256ths: of the first two rows, and of the other
// two.
func (t *columns) weighed(i, size int, half archsimd.Int32x8, unit archsimd.Int16x16) (upper, lower archsimd.Int32x8) {
	var high, high2 archsimd.Int16x16
	var low, low2, low3, low4 archsimd.Int32x8
	offset, moved := t.place(i, size)
	orders := &gathers[size][moved]
	channels, words, words2 := indices(unsafe.Pointer(&orders[0])), indices(unsafe.Pointer(&orders[1])), indices(unsafe.Pointer(&orders[2]))
	w, s0, s1, s2, s3 := unsafe.Add(t.weights, i*t.groups*groupBytes), t.s0, t.s1, t.s2, t.s3
	for g := t.groups; g > 0; g-- {
		h := archsimd.BroadcastUint32x8(*(*uint32)(w)).ReshapeToUint8s().BitsToInt8()
		l := archsimd.BroadcastUint64x4(*(*uint64)(unsafe.Add(w, 4))).ReshapeToUint16s().BitsToInt16()
		x := concat(unsafe.Add(s0, offset), unsafe.Add(s1, offset)).ReshapeToUint8s()
		high = high.Add(permuted(x, channels).DotProductPairsSaturated(h))
		low = low.Add(wordsOf(permuted(x, words)).DotProductPairs(l))
		low2 = low2.Add(wordsOf(permuted(x, words2)).DotProductPairs(l))
		x = concat(unsafe.Add(s2, offset), unsafe.Add(s3, offset)).ReshapeToUint8s()
		high2 = high2.Add(permuted(x, channels).DotProductPairsSaturated(h))
		low3 = low3.Add(wordsOf(permuted(x, words)).DotProductPairs(l))
		low4 = low4.Add(wordsOf(permuted(x, words2)).DotProductPairs(l))
		w, offset = unsafe.Add(w, groupBytes), offset+4*size
	}
	upper = low.ConcatAddPairsGrouped(low2).Add(high.DotProductPairs(unit).ShiftAllLeft(16)).Add(half).ShiftAllRight(weightBits - 8)
	lower = low3.ConcatAddPairsGrouped(low4).Add(high2.DotProductPairs(unit).ShiftAllLeft(16)).Add(half).ShiftAllRight(weightBits - 8)
	return upper, lower
}

func wordsOf(v vec) archsimd.Int16x16 { return v.ReshapeToUint16s().BitsToInt16() }

// weigh is weigh_columns, or weigh_columns3 if `size` is 3.
func (t *columns) weigh(size int) {
	half, unit := archsimd.BroadcastInt32x8(1<<(weightBits-1)), archsimd.BroadcastInt16x16(1)
	for x := 0; x < t.n; x += 4 {
		i := min(x, t.n-4)
		v0, u0 := t.weighed(i, size, half, unit)
		v1, u1 := t.weighed(i+1, size, half, unit)
		v2, u2 := t.weighed(i+2, size, half, unit)
		v3, u3 := t.weighed(i+3, size, half, unit)
		t.storePixels(i, size, v0, v1, v2, v3, u0, u1, u2, u3)
	}
}

// storePixels stores four pixels of each row from number i on: a to d have those of the first two
// rows in 256ths, and e to h those of the other two.
func (t *columns) storePixels(i, size int, v0, v1, v2, v3, u0, u1, u2, u3 archsimd.Int32x8) {
	picks0, picks1 := indices(unsafe.Pointer(&packs[size-3][0])), indices(unsafe.Pointer(&packs[size-3][1]))
	v, u := bytesOf(v0, v1, v2, v3, picks0, picks1), bytesOf(u0, u1, u2, u3, picks0, picks1)
	if size == 3 {
		store12(t.d0, 3*i, v.GetLo())
		store12(t.d1, 3*i, v.GetHi())
		store12(t.d2, 3*i, u.GetLo())
		store12(t.d3, 3*i, u.GetHi())
		return
	}
	storeLow(t.d0, 4*i, v)
	storeHigh(t.d1, 4*i, v)
	storeLow(t.d2, 4*i, u)
	storeHigh(t.d3, 4*i, u)
}

// packs are indices for bytesOf: the upper bytes of four pixels of four words, of which the first
// three or all four stay.
var packs = func() (o [2][2][vector]uint8) {
	for size := 3; size <= 4; size++ {
		for j := range vector {
			picks := &o[size-3]
			picks[0][j], picks[1][j] = zero, zero
			if i := j % lane; i < 4*size {
				pixel, channel := i/size, i%size
				picks[pixel/2][j] = uint8(pixel%2*8 + 2*channel + 1)
			}
		}
	}
	return o
}()

// store12 stores the first 12 bytes of v.
func store12(p unsafe.Pointer, offset int, v archsimd.Uint8x16) {
	p = unsafe.Add(p, offset)
	*(*uint64)(p) = v.ReshapeToUint64s().GetElem(0)
	*(*uint32)(unsafe.Add(p, 8)) = v.ReshapeToUint32s().GetElem(2)
}

// interleaves are the indices that put two pixels of a lane's first half side by side, as words, as
// gathers has them.
var interleaves = func() (o [5][3][vector]uint8) {
	for size := 3; size <= 4; size++ {
		for moved := range o[size] {
			for j := range vector {
				i := j % lane
				o[size][moved][j] = uint8(moved + i/2%2*size + i/4)
				if i%2 == 1 || i/4 >= size {
					o[size][moved][j] = zero
				}
			}
		}
	}
	return o
}()

// sum is sum_columns, or sum_columns3 if `size` is 3.
func (t *columns) sum(size int) {
	pack := indices(unsafe.Pointer(&firstThree))
	for x := 0; x < t.n; x += 2 {
		i := min(x, t.n-2)
		offset, moved := t.place(i, size)
		offset2, moved2 := t.place(i+1, size)
		order, order2 := indices(unsafe.Pointer(&interleaves[size][moved])), indices(unsafe.Pointer(&interleaves[size][moved2]))
		w := (*[2]uint32)(unsafe.Add(t.weights, 4*i))
		weights, weights2 := wordsOf(archsimd.BroadcastUint32x8(w[0]).ReshapeToUint8s()), wordsOf(archsimd.BroadcastUint32x8(w[1]).ReshapeToUint8s())
		made := func(p, q unsafe.Pointer, weights archsimd.Int16x16) vec {
			v := wordsOf(permuted(concat8(unsafe.Add(p, offset), unsafe.Add(q, offset)).ReshapeToUint8s(), order)).DotProductPairs(weights)
			u := wordsOf(permuted(concat8(unsafe.Add(p, offset2), unsafe.Add(q, offset2)).ReshapeToUint8s(), order2)).DotProductPairs(weights2)
			return v.ShiftAllRight(4).SaturateToInt16ConcatGrouped(u.ShiftAllRight(4)).ToBits().ReshapeToUint8s()
		}
		v, u := made(t.s0, t.s1, weights), made(t.s2, t.s3, weights)
		if size == 3 {
			v, u = permuted(v, pack), permuted(u, pack)
			store12(t.d0, 6*i, v.GetLo())
			store12(t.d1, 6*i, v.GetHi())
			store12(t.d2, 6*i, u.GetLo())
			store12(t.d3, 6*i, u.GetHi())
			continue
		}
		storeLow(t.d0, 8*i, v)
		storeHigh(t.d1, 8*i, v)
		storeLow(t.d2, 8*i, u)
		storeHigh(t.d3, 8*i, u)
	}
}

// firstThree are the indices of the first three words of each of a lane's two pixels.
var firstThree = func() (o [vector]uint8) {
	for j := range vector {
		if i := j % lane; i < 12 {
			o[j] = uint8(i/6*8 + i%6)
		} else {
			o[j] = zero
		}
	}
	return o
}()

// twice are the indices that repeat each of two words four times.
var twice = func() (o [vector]uint8) {
	for j := range vector {
		o[j] = uint8(j%lane/8*2 + j%2)
	}
	return o
}()

// add is add_columns.
func (t *columns) add() {
	repeat, lower, upper := indices(unsafe.Pointer(&twice)), indices(unsafe.Pointer(&lows[0])), indices(unsafe.Pointer(&lows[1]))
	rounding := archsimd.BroadcastInt16x16(2)
	for x := 0; x < t.n; x += 4 {
		i := min(x, t.n-4)
		product := func(p, q unsafe.Pointer, k int, repeat picks) turned {
			offset := 8 * int(t.starts[i+k])
			w := archsimd.BroadcastUint32x8(*(*uint32)(unsafe.Add(t.weights, 4*(i+k)))).ReshapeToUint8s()
			return wordsOf(concat(unsafe.Add(p, offset), unsafe.Add(q, offset)).ReshapeToUint8s()).MulHigh(wordsOf(permuted(w, repeat))).ToBits().ReshapeToUint64s()
		}
		made := func(p, q unsafe.Pointer, lower picks) vec {
			lo, hi := zip64(product(p, q, 0, repeat), product(p, q, 1, repeat))
			lo2, hi2 := zip64(product(p, q, 2, repeat), product(p, q, 3, repeat))
			v := wordsOf(lo.ReshapeToUint8s()).Add(wordsOf(hi.ReshapeToUint8s())).Add(rounding).ShiftAllRight(2)
			u := wordsOf(lo2.ReshapeToUint8s()).Add(wordsOf(hi2.ReshapeToUint8s())).Add(rounding).ShiftAllRight(2)
			return permuted(v.ToBits().ReshapeToUint8s(), lower).Or(permuted(u.ToBits().ReshapeToUint8s(), upper))
		}
		v, u := made(t.s0, t.s1, lower), made(t.s2, t.s3, lower)
		storeLow(t.d0, 4*i, v)
		storeHigh(t.d1, 4*i, v)
		storeLow(t.d2, 4*i, u)
		storeHigh(t.d3, 4*i, u)
	}
}

// pick1, pick3 and pick4 are pick_columns1, pick_columns3 and pick_columns4.

func (t *columns) pick1() {
	for i, start := range t.starts[:t.n] {
		*(*uint8)(unsafe.Add(t.d0, i)) = *(*uint8)(unsafe.Add(t.s0, int(start)))
		*(*uint8)(unsafe.Add(t.d1, i)) = *(*uint8)(unsafe.Add(t.s1, int(start)))
		*(*uint8)(unsafe.Add(t.d2, i)) = *(*uint8)(unsafe.Add(t.s2, int(start)))
		*(*uint8)(unsafe.Add(t.d3, i)) = *(*uint8)(unsafe.Add(t.s3, int(start)))
	}
}

func (t *columns) pick4() {
	for i, start := range t.starts[:t.n] {
		offset, target := 4*int(start), 4*i
		*(*uint32)(unsafe.Add(t.d0, target)) = *(*uint32)(unsafe.Add(t.s0, offset))
		*(*uint32)(unsafe.Add(t.d1, target)) = *(*uint32)(unsafe.Add(t.s1, offset))
		*(*uint32)(unsafe.Add(t.d2, target)) = *(*uint32)(unsafe.Add(t.s2, offset))
		*(*uint32)(unsafe.Add(t.d3, target)) = *(*uint32)(unsafe.Add(t.s3, offset))
	}
}

func (t *columns) pick3() {
	i := 0
	for ; t.starts[i]&7 == 0; i++ { // the last pixel ends its row, so it is not loaded where it lies
		offset, target := int(t.starts[i]>>3), 3*i
		*(*uint32)(unsafe.Add(t.d0, target)) = *(*uint32)(unsafe.Add(t.s0, offset))
		*(*uint32)(unsafe.Add(t.d1, target)) = *(*uint32)(unsafe.Add(t.s1, offset))
		*(*uint32)(unsafe.Add(t.d2, target)) = *(*uint32)(unsafe.Add(t.s2, offset))
		*(*uint32)(unsafe.Add(t.d3, target)) = *(*uint32)(unsafe.Add(t.s3, offset))
	}
	for ; i < t.n; i++ {
		offset, moved := t.place(i, 3)
		for k, s := range [...]unsafe.Pointer{t.s0, t.s1, t.s2, t.s3} {
			d := unsafe.Add([...]unsafe.Pointer{t.d0, t.d1, t.d2, t.d3}[k], 3*i)
			pixel := *(*uint32)(unsafe.Add(s, offset)) >> (8 * moved)
			*(*uint16)(d), *(*uint8)(unsafe.Add(d, 2)) = uint16(pixel), uint8(pixel>>16)
		}
	}
}

// fromWindows returns what block number `block` takes of two rows, of windows from number 0 on.
func (t *columns) fromWindows(p, q unsafe.Pointer, block int, orders unsafe.Pointer, x vec) vec {
	for g, start := range t.starts[block*t.groups:][:t.groups] {
		order := concat(unsafe.Add(orders, g*lane), unsafe.Add(orders, g*lane)).ReshapeToUint8s().BitsToInt8()
		x = x.Or(permuted(concat(unsafe.Add(p, int(start)), unsafe.Add(q, int(start))).ReshapeToUint8s(), order))
	}
	return x
}

// pickWindows is pick_windows.
func (t *columns) pickWindows() {
	var empty vec
	for block := 0; block*lane < t.n; block++ {
		orders, target := unsafe.Add(t.weights, block*t.groups*lane), min(block*lane, t.n-lane)
		v, u := t.fromWindows(t.s0, t.s1, block, orders, empty), t.fromWindows(t.s2, t.s3, block, orders, empty)
		storeLow(t.d0, target, v)
		storeHigh(t.d1, target, v)
		storeLow(t.d2, target, u)
		storeHigh(t.d3, target, u)
	}
}

// sumWindows is sum_windows.
func (t *columns) sumWindows() {
	const samples = lane / 2
	var empty vec
	lower, upper := indices(unsafe.Pointer(&widened[0])), indices(unsafe.Pointer(&widened[1]))
	for block := 0; block*samples < t.n; block++ {
		orders := unsafe.Add(t.weights, block*(t.groups+2)*lane)
		w := unsafe.Add(orders, t.groups*lane)
		low, high := wordsOf(concat(w, w).ReshapeToUint8s()), wordsOf(concat(unsafe.Add(w, lane), unsafe.Add(w, lane)).ReshapeToUint8s())
		made := func(x vec) vec {
			v, u := wordsOf(permuted(x, lower)).DotProductPairs(low), wordsOf(permuted(x, upper)).DotProductPairs(high)
			return v.ShiftAllRight(4).SaturateToInt16ConcatGrouped(u.ShiftAllRight(4)).ToBits().ReshapeToUint8s()
		}
		v, u := made(t.fromWindows(t.s0, t.s1, block, orders, empty)), made(t.fromWindows(t.s2, t.s3, block, orders, empty))
		target := 2 * min(block*samples, t.n-samples)
		storeLow(t.d0, target, v)
		storeHigh(t.d1, target, v)
		storeLow(t.d2, target, u)
		storeHigh(t.d3, target, u)
	}
}

// widened are the indices that make words of a lane's first eight bytes, or of the others.
var widened = func() (o [2][vector]uint8) {
	for j := range vector {
		o[0][j], o[1][j] = zero, zero
		if i := j % lane; i%2 == 0 {
			o[0][j], o[1][j] = uint8(i/2), uint8(8+i/2)
		}
	}
	return o
}()
