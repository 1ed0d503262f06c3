//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// even is a float32 of a size that has no places behind the point: a sum with it is rounded to the
// nearest whole number, ties to even.
const even = 3 << 22

// wholeOf returns what x rounds to, in 256ths.
func wholeOf(x floats) archsimd.Int32x8 {
	bits := x.Add(archsimd.BroadcastFloat32x8(even)).ToBits().BitsToInt32()
	return bits.Sub(archsimd.BroadcastInt32x8(int32(math.Float32bits(even)))).ShiftAllLeft(8)
}

// spreads are the indices that make dwords of the bytes of a dword of each lane.
var spreads = func() (o [4][vector]uint8) {
	for k := range o {
		for j := range vector {
			if o[k][j] = zero; j%4 == 0 {
				o[k][j] = uint8(4*k + j%lane/4)
			}
		}
	}
	return o
}()

// weightAt returns the float32 at p.
func weightAt(p unsafe.Pointer, offset int) floats {
	return archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(p, offset)))
}

// numbersOf returns numbers of the bytes of x that `order` picks.
func numbersOf(x vec, order picks) floats {
	return permuted(x, order).ReshapeToUint32s().BitsToInt32().ConvertToFloat32()
}

// cover is cover_columns.
func (t *columns) cover() {
	order0, order1 := indices(unsafe.Pointer(&spreads[0])), indices(unsafe.Pointer(&spreads[1]))
	order2, order3 := indices(unsafe.Pointer(&spreads[2])), indices(unsafe.Pointer(&spreads[3]))
	groups, step, end := t.groups, lane, 0
	w0, w1, w2, w3 := 0, 4, 8, 12
	if groups < 0 { // the last weights come first
		groups, step = -groups, -lane
		end = lane * (groups - 1)
		order0, order1, order2, order3 = order3, order2, order1, order0
		w0, w1, w2, w3 = w3, w2, w1, w0
	}
	for i, start := range t.starts[:t.n] {
		var upper, lower floats
		w, offset := unsafe.Add(t.weights, i*groups*lane), 4*int(start)
		for k, g := end, groups; g > 0; k, g = k+step, g-1 {
			x := concat(unsafe.Add(t.s0, offset+k), unsafe.Add(t.s1, offset+k)).ReshapeToUint8s()
			y := concat(unsafe.Add(t.s2, offset+k), unsafe.Add(t.s3, offset+k)).ReshapeToUint8s()
			weight := weightAt(w, k+w0)
			upper, lower = upper.Add(numbersOf(x, order0).Mul(weight)), lower.Add(numbersOf(y, order0).Mul(weight))
			weight = weightAt(w, k+w1)
			upper, lower = upper.Add(numbersOf(x, order1).Mul(weight)), lower.Add(numbersOf(y, order1).Mul(weight))
			weight = weightAt(w, k+w2)
			upper, lower = upper.Add(numbersOf(x, order2).Mul(weight)), lower.Add(numbersOf(y, order2).Mul(weight))
			weight = weightAt(w, k+w3)
			upper, lower = upper.Add(numbersOf(x, order3).Mul(weight)), lower.Add(numbersOf(y, order3).Mul(weight))
		}
		v, u := upper.ToBits().ReshapeToUint8s(), lower.ToBits().ReshapeToUint8s()
		storeLow(t.d0, lane*i, v)
		storeHigh(t.d1, lane*i, v)
		storeLow(t.d2, lane*i, u)
		storeHigh(t.d3, lane*i, u)
	}
}

// averaged returns what pixel i of two rows rounds to, in 256ths.
func (t *columns) averaged(p, q unsafe.Pointer, i int, sum floats) archsimd.Int32x8 {
	groups, step, k := t.groups, 1, 0
	if groups < 0 { // the last weights come first
		groups, step = -groups, -1
		k = groups - 1
	}
	w, offset := unsafe.Add(t.weights, 4*i*groups), lane*int(t.starts[i])
	for g := groups; g > 0; k, g = k+step, g-1 {
		x := concat(unsafe.Add(p, offset+lane*k), unsafe.Add(q, offset+lane*k)).ReshapeToUint8s()
		sum = sum.Add(x.ReshapeToUint32s().BitsToFloat32().Mul(weightAt(w, 4*k)))
	}
	return wholeOf(sum)
}

// average is average_columns.
func (t *columns) average() {
	var empty floats
	for x := 0; x < t.n; x += 4 {
		i := min(x, t.n-4)
		v0, v1 := t.averaged(t.s0, t.s1, i, empty), t.averaged(t.s0, t.s1, i+1, empty)
		v2, v3 := t.averaged(t.s0, t.s1, i+2, empty), t.averaged(t.s0, t.s1, i+3, empty)
		u0, u1 := t.averaged(t.s2, t.s3, i, empty), t.averaged(t.s2, t.s3, i+1, empty)
		u2, u3 := t.averaged(t.s2, t.s3, i+2, empty), t.averaged(t.s2, t.s3, i+3, empty)
		t.storePixels(i, 4, v0, v1, v2, v3, u0, u1, u2, u3)
	}
}

// meaned returns what the mean of pixel i of two rows rounds to, in 256ths.
func (t *columns) meaned(p, q unsafe.Pointer, i int, weight floats, sum archsimd.Uint32x8) archsimd.Int32x8 {
	lower, upper := indices(unsafe.Pointer(&wideWords[0])), indices(unsafe.Pointer(&wideWords[1]))
	offset, left := 8*int(t.starts[i]), t.groups
	for ; left >= 2; left, offset = left-2, offset+lane {
		x := concat(unsafe.Add(p, offset), unsafe.Add(q, offset)).ReshapeToUint8s()
		sum = sum.Add(permuted(x, lower).ReshapeToUint32s()).Add(permuted(x, upper).ReshapeToUint32s())
	}
	if left == 1 {
		sum = sum.Add(permuted(concat8(unsafe.Add(p, offset), unsafe.Add(q, offset)).ReshapeToUint8s(), lower).ReshapeToUint32s())
	}
	return wholeOf(sum.BitsToInt32().ConvertToFloat32().Mul(weight))
}

// wideWords are the indices that make dwords of a lane's first four words, or of the others.
var wideWords = func() (o [2][vector]uint8) {
	for j := range vector {
		o[0][j], o[1][j] = zero, zero
		if i := j % lane; i%4 < 2 {
			o[0][j], o[1][j] = uint8(i/4*2+i%4), uint8(8+i/4*2+i%4)
		}
	}
	return o
}()

// mean is mean_columns.
func (t *columns) mean() {
	var empty archsimd.Uint32x8
	weight := weightAt(t.weights, 0)
	for x := 0; x < t.n; x += 4 {
		i := min(x, t.n-4)
		v0, v1 := t.meaned(t.s0, t.s1, i, weight, empty), t.meaned(t.s0, t.s1, i+1, weight, empty)
		v2, v3 := t.meaned(t.s0, t.s1, i+2, weight, empty), t.meaned(t.s0, t.s1, i+3, weight, empty)
		u0, u1 := t.meaned(t.s2, t.s3, i, weight, empty), t.meaned(t.s2, t.s3, i+1, weight, empty)
		u2, u3 := t.meaned(t.s2, t.s3, i+2, weight, empty), t.meaned(t.s2, t.s3, i+3, weight, empty)
		t.storePixels(i, 4, v0, v1, v2, v3, u0, u1, u2, u3)
	}
}
