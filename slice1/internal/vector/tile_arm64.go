//go:build goexperiment.simd && arm64 && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// every2 is strip if the rows take every second element of the source's lines. It packs these
// elements into `to` and makes the strip from there, at most 64 lines at a time. At s are `lines`
// lines. A packed line comes from two loads, of which the second ends with its last element.
func (t *tiling) every2(d unsafe.Pointer, ds int, s unsafe.Pointer, n, lines int, to *packed) {
	const many = len(to.lines) / lane
	into := unsafe.Pointer(&to.lines)
	even := &evens[bits.TrailingZeros(uint(t.width))&3]
	first, last := indices(&even[0]), indices(&even[1])
	for xb := 0; xb < n; xb += many {
		x := min(xb, n-t.wide)
		from := unsafe.Add(s, x*t.src)
		for o, left := into, min(lines-x, many); ; o = unsafe.Add(o, lane) {
			second := unsafe.Add(from, lane-t.width)
			store(o, 0, load(from, 0).LookupOrZero(first).Or(load(second, 0).LookupOrZero(last)))
			if left--; left == 0 {
				break
			}
			from = unsafe.Add(from, t.src)
		}
		to.strip(unsafe.Add(d, x*t.width), ds, into, min(n-x, many))
	}
}

// strip1, strip2, strip4 and strip8 make a strip of elements of 1, 2, 4 and 8 bytes. d, ds, s and n
// are as for method strip, and ss is the source's stride. To transpose a tile, they zip the first
// half of its vectors with the second half: once if it has two rows, twice for four, three times
// for eight and four times for 16.

func strip1(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, _ *[lane]int, _, n int) {
	const wide = lane / 1
	for {
		a0, a1, a2, a3, p := load4(s, ss)
		a4, a5, a6, a7, p := load4(p, ss)
		a8, a9, a10, a11, p := load4(p, ss)
		a12, a13, a14, a15, _ := load4(p, ss)
		b0, b1 := a0.InterleaveLo(a8), a0.InterleaveHi(a8)
		b2, b3 := a1.InterleaveLo(a9), a1.InterleaveHi(a9)
		b4, b5 := a2.InterleaveLo(a10), a2.InterleaveHi(a10)
		b6, b7 := a3.InterleaveLo(a11), a3.InterleaveHi(a11)
		b8, b9 := a4.InterleaveLo(a12), a4.InterleaveHi(a12)
		b10, b11 := a5.InterleaveLo(a13), a5.InterleaveHi(a13)
		b12, b13 := a6.InterleaveLo(a14), a6.InterleaveHi(a14)
		b14, b15 := a7.InterleaveLo(a15), a7.InterleaveHi(a15)
		c0, c1 := b0.InterleaveLo(b8), b0.InterleaveHi(b8)
		c2, c3 := b1.InterleaveLo(b9), b1.InterleaveHi(b9)
		c4, c5 := b2.InterleaveLo(b10), b2.InterleaveHi(b10)
		c6, c7 := b3.InterleaveLo(b11), b3.InterleaveHi(b11)
		c8, c9 := b4.InterleaveLo(b12), b4.InterleaveHi(b12)
		c10, c11 := b5.InterleaveLo(b13), b5.InterleaveHi(b13)
		c12, c13 := b6.InterleaveLo(b14), b6.InterleaveHi(b14)
		c14, c15 := b7.InterleaveLo(b15), b7.InterleaveHi(b15)
		e0, e1 := c0.InterleaveLo(c8), c0.InterleaveHi(c8)
		e2, e3 := c1.InterleaveLo(c9), c1.InterleaveHi(c9)
		e4, e5 := c2.InterleaveLo(c10), c2.InterleaveHi(c10)
		e6, e7 := c3.InterleaveLo(c11), c3.InterleaveHi(c11)
		e8, e9 := c4.InterleaveLo(c12), c4.InterleaveHi(c12)
		e10, e11 := c5.InterleaveLo(c13), c5.InterleaveHi(c13)
		e12, e13 := c6.InterleaveLo(c14), c6.InterleaveHi(c14)
		e14, e15 := c7.InterleaveLo(c15), c7.InterleaveHi(c15)
		f0, f1 := e0.InterleaveLo(e8), e0.InterleaveHi(e8)
		f2, f3 := e1.InterleaveLo(e9), e1.InterleaveHi(e9)
		f4, f5 := e2.InterleaveLo(e10), e2.InterleaveHi(e10)
		f6, f7 := e3.InterleaveLo(e11), e3.InterleaveHi(e11)
		f8, f9 := e4.InterleaveLo(e12), e4.InterleaveHi(e12)
		f10, f11 := e5.InterleaveLo(e13), e5.InterleaveHi(e13)
		f12, f13 := e6.InterleaveLo(e14), e6.InterleaveHi(e14)
		f14, f15 := e7.InterleaveLo(e15), e7.InterleaveHi(e15)
		o := store4(d, ds, f0, f1, f2, f3)
		o = store4(o, ds, f4, f5, f6, f7)
		o = store4(o, ds, f8, f9, f10, f11)
		store4(o, ds, f12, f13, f14, f15)
		if n -= wide; n <= 0 {
			return
		}
		step := min(n, wide)
		d, s, n = unsafe.Add(d, 1*step), unsafe.Add(s, step*ss), n+wide-step
	}
}

// load4 returns the vectors at p, p+ss, p+2*ss and p+3*ss, and p+4*ss.
func load4(p unsafe.Pointer, ss int) (a, b, c, d archsimd.Uint8x16, next unsafe.Pointer) {
	a = archsimd.LoadUint8x16Array((*[16]uint8)(p))
	p = unsafe.Add(p, ss)
	b = archsimd.LoadUint8x16Array((*[16]uint8)(p))
	p = unsafe.Add(p, ss)
	c = archsimd.LoadUint8x16Array((*[16]uint8)(p))
	p = unsafe.Add(p, ss)
	d = archsimd.LoadUint8x16Array((*[16]uint8)(p))
	return a, b, c, d, unsafe.Add(p, ss)
}

// store4 stores four vectors at o, o+ds, o+2*ds and o+3*ds. It returns o+4*ds.
func store4(o unsafe.Pointer, ds int, a, b, c, d archsimd.Uint8x16) unsafe.Pointer {
	a.StoreArray((*[16]uint8)(o))
	o = unsafe.Add(o, ds)
	b.StoreArray((*[16]uint8)(o))
	o = unsafe.Add(o, ds)
	c.StoreArray((*[16]uint8)(o))
	o = unsafe.Add(o, ds)
	d.StoreArray((*[16]uint8)(o))
	return unsafe.Add(o, ds)
}

func strip2(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, _ *[lane]int, _, n int) {
	const wide = lane / 2
	for {
		o, p := d, s
		a0 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		p = unsafe.Add(p, ss)
		a1 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		p = unsafe.Add(p, ss)
		a2 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		p = unsafe.Add(p, ss)
		a3 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		p = unsafe.Add(p, ss)
		a4 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		p = unsafe.Add(p, ss)
		a5 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		p = unsafe.Add(p, ss)
		a6 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		p = unsafe.Add(p, ss)
		a7 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		b0, b1 := a0.InterleaveLo(a4), a0.InterleaveHi(a4)
		b2, b3 := a1.InterleaveLo(a5), a1.InterleaveHi(a5)
		b4, b5 := a2.InterleaveLo(a6), a2.InterleaveHi(a6)
		b6, b7 := a3.InterleaveLo(a7), a3.InterleaveHi(a7)
		c0, c1 := b0.InterleaveLo(b4), b0.InterleaveHi(b4)
		c2, c3 := b1.InterleaveLo(b5), b1.InterleaveHi(b5)
		c4, c5 := b2.InterleaveLo(b6), b2.InterleaveHi(b6)
		c6, c7 := b3.InterleaveLo(b7), b3.InterleaveHi(b7)
		e0, e1 := c0.InterleaveLo(c4), c0.InterleaveHi(c4)
		e2, e3 := c1.InterleaveLo(c5), c1.InterleaveHi(c5)
		e4, e5 := c2.InterleaveLo(c6), c2.InterleaveHi(c6)
		e6, e7 := c3.InterleaveLo(c7), c3.InterleaveHi(c7)
		e0.StoreArray((*[8]uint16)(o))
		o = unsafe.Add(o, ds)
		e1.StoreArray((*[8]uint16)(o))
		o = unsafe.Add(o, ds)
		e2.StoreArray((*[8]uint16)(o))
		o = unsafe.Add(o, ds)
		e3.StoreArray((*[8]uint16)(o))
		o = unsafe.Add(o, ds)
		e4.StoreArray((*[8]uint16)(o))
		o = unsafe.Add(o, ds)
		e5.StoreArray((*[8]uint16)(o))
		o = unsafe.Add(o, ds)
		e6.StoreArray((*[8]uint16)(o))
		o = unsafe.Add(o, ds)
		e7.StoreArray((*[8]uint16)(o))
		if n -= wide; n <= 0 {
			return
		}
		step := min(n, wide)
		d, s, n = unsafe.Add(d, 2*step), unsafe.Add(s, step*ss), n+wide-step
	}
}

func strip4(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, _ *[lane]int, _, n int) {
	const wide = lane / 4
	for {
		o, p := d, s
		a0 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		p = unsafe.Add(p, ss)
		a1 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		p = unsafe.Add(p, ss)
		a2 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		p = unsafe.Add(p, ss)
		a3 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		b0, b1 := a0.InterleaveLo(a2), a0.InterleaveHi(a2)
		b2, b3 := a1.InterleaveLo(a3), a1.InterleaveHi(a3)
		c0, c1 := b0.InterleaveLo(b2), b0.InterleaveHi(b2)
		c2, c3 := b1.InterleaveLo(b3), b1.InterleaveHi(b3)
		c0.StoreArray((*[4]uint32)(o))
		o = unsafe.Add(o, ds)
		c1.StoreArray((*[4]uint32)(o))
		o = unsafe.Add(o, ds)
		c2.StoreArray((*[4]uint32)(o))
		o = unsafe.Add(o, ds)
		c3.StoreArray((*[4]uint32)(o))
		if n -= wide; n <= 0 {
			return
		}
		step := min(n, wide)
		d, s, n = unsafe.Add(d, 4*step), unsafe.Add(s, step*ss), n+wide-step
	}
}

func strip8(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, _ *[lane]int, _, n int) {
	const wide = lane / 8
	for {
		o, p := d, s
		a0 := archsimd.LoadUint64x2Array((*[2]uint64)(p))
		p = unsafe.Add(p, ss)
		a1 := archsimd.LoadUint64x2Array((*[2]uint64)(p))
		b0, b1 := a0.InterleaveLo(a1), a0.InterleaveHi(a1)
		b0.StoreArray((*[2]uint64)(o))
		o = unsafe.Add(o, ds)
		b1.StoreArray((*[2]uint64)(o))
		if n -= wide; n <= 0 {
			return
		}
		step := min(n, wide)
		d, s, n = unsafe.Add(d, 8*step), unsafe.Add(s, step*ss), n+wide-step
	}
}
