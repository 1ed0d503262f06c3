//go:build goexperiment.simd && (amd64 || wasm) && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"unsafe"
)

// every2 is strip for `lines` lines of which every second element is taken. It packs them into
// `to` first.
func (t *tiling) every2(d unsafe.Pointer, ds int, s unsafe.Pointer, n, lines int, to *packed) {
	const many = len(to.lines) / lane
	into := unsafe.Pointer(&to.lines)
	even := &evens[bits.TrailingZeros(uint(t.width))&3]
	first, last := indices(&even[0]), indices(&even[1])
	for xb := 0; xb < n; xb += many {
		x := min(xb, n-t.wide)
		count := min(lines-x, many)
		at := x * t.src
		for i := 0; i < count; i += vector / lane {
			next := at
			if vector > lane && i+1 < count {
				next += t.src
			}
			lo, hi := unsafe.Add(s, at), unsafe.Add(s, next)
			line := pick(lo, hi, 0, first).Or(pick(lo, hi, lane-t.width, last))
			store(into, i*lane, line)
			at = next + t.src
		}
		to.strip(unsafe.Add(d, x*t.width), ds, into, min(n-x, many))
	}
}

// Zipping elements of neighbouring lines, then pairs of them, and so on, turns a tile. The
// rows come out in the order of their numbers' bits reversed.

func strip1(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, at *[lane]int, apart, n int) {
	for x := 0; ; x += vector {
		x = min(x, n-vector)
		from := unsafe.Add(s, x*ss)
		a0, b0 := zip8(line(from, at[0], apart), line(from, at[1], apart))
		a1, b1 := zip8(line(from, at[2], apart), line(from, at[3], apart))
		a2, b2 := zip8(line(from, at[4], apart), line(from, at[5], apart))
		a3, b3 := zip8(line(from, at[6], apart), line(from, at[7], apart))
		a4, b4 := zip8(line(from, at[8], apart), line(from, at[9], apart))
		a5, b5 := zip8(line(from, at[10], apart), line(from, at[11], apart))
		a6, b6 := zip8(line(from, at[12], apart), line(from, at[13], apart))
		a7, b7 := zip8(line(from, at[14], apart), line(from, at[15], apart))
		a0, a1, a2, a3 = zipFour(a0, a1, a2, a3)
		a4, a5, a6, a7 = zipFour(a4, a5, a6, a7)
		o := unsafe.Add(d, x)
		putEight(o, ds, a0, a1, a2, a3, a4, a5, a6, a7)
		b0, b1, b2, b3 = zipFour(b0, b1, b2, b3)
		b4, b5, b6, b7 = zipFour(b4, b5, b6, b7)
		putEight(unsafe.Add(o, 8*ds), ds, b0, b1, b2, b3, b4, b5, b6, b7)
		if x+vector >= n {
			return
		}
	}
}

func strip2(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, at *[lane]int, apart, n int) {
	const wide = vector / 2
	for x := 0; ; x += wide {
		x = min(x, n-wide)
		from := unsafe.Add(s, x*ss)
		r0, r1, r2, r3 := zipFour(line(from, at[0], apart), line(from, at[1], apart), line(from, at[2], apart), line(from, at[3], apart))
		r4, r5, r6, r7 := zipFour(line(from, at[4], apart), line(from, at[5], apart), line(from, at[6], apart), line(from, at[7], apart))
		putEight(unsafe.Add(d, 2*x), ds, r0, r1, r2, r3, r4, r5, r6, r7)
		if x+wide >= n {
			return
		}
	}
}

// zipFour zips four lines by twos, then by fours.
func zipFour(a, b, c, d turned) (r0, r1, r2, r3 turned) {
	a, b = zip16(a, b)
	c, d = zip16(c, d)
	a, c = zip32(a, c)
	b, d = zip32(b, d)
	return a, c, b, d
}

// putEight zips what zipFour made of four lines and of the next four by eights, to eight rows.
func putEight(o unsafe.Pointer, ds int, a, b, c, d, e, f, g, h turned) {
	put64(o, ds, 0, 1, a, e)
	put64(o, ds, 2, 3, b, f)
	put64(o, ds, 4, 5, c, g)
	put64(o, ds, 6, 7, d, h)
}

func strip4(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, at *[lane]int, apart, n int) {
	const wide = vector / 4
	a1, a2, a3 := at[1], at[2], at[3]
	for x := 0; ; x += wide {
		x = min(x, n-wide)
		from := unsafe.Add(s, x*ss)
		r0, r1 := zip32(line(from, 0, apart), line(from, a1, apart))
		r2, r3 := zip32(line(from, a2, apart), line(from, a3, apart))
		o := unsafe.Add(d, 4*x)
		put64(o, ds, 0, 1, r0, r2)
		put64(o, ds, 2, 3, r1, r3)
		if x+wide >= n {
			return
		}
	}
}

func strip8(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, at *[lane]int, apart, n int) {
	const wide = vector / 8
	a1 := at[1]
	for x := 0; ; x += wide {
		x = min(x, n-wide)
		from := unsafe.Add(s, x*ss)
		put64(unsafe.Add(d, 8*x), ds, 0, 1, line(from, 0, apart), line(from, a1, apart))
		if x+wide >= n {
			return
		}
	}
}

// put64 zips a and b by eights to two rows.
func put64(d unsafe.Pointer, ds, first, second int, a, b turned) {
	lo, hi := zip64(a, b)
	store(d, first*ds, lo.ReshapeToUint8s())
	store(d, second*ds, hi.ReshapeToUint8s())
}
