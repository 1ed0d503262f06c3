//go:build goexperiment.simd && (amd64 || wasm) && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"unsafe"
)

// every2 is strip if the rows take every second element of the source's lines. It packs these
// elements into `to` and makes the strip from there, at most 64 lines at a time. At s are `lines`
// lines.
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

// strip1, strip2, strip4 and strip8 make a strip of elements of 1, 2, 4 and 8 bytes. d, ds, s and n
// are as for method strip, ss is the source's stride, and `at` and `apart` say where a tile's lines
// are. To transpose a tile, they zip elements of two lines, then pairs of elements, and so on.

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

// zipFour zips elements of 2 bytes of a and b, and of c and d, then elements of 4 bytes of the
// results. It returns the vectors in the order of the rows that are in them.
func zipFour(a, b, c, d turned) (r0, r1, r2, r3 turned) {
	a, b = zip16(a, b)
	c, d = zip16(c, d)
	a, c = zip32(a, c)
	b, d = zip32(b, d)
	return a, c, b, d
}

// putEight stores eight rows, ds bytes apart. In each lane, the first 8 bytes of a row come from a,
// b, c or d, which zipFour has made of the first half of the lines, and the last 8 bytes from e, f,
// g or h, which it has made of the second half.
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

// put64 zips elements of 8 bytes of a and b, and stores the results as rows `first` and `second` at
// d, where rows are ds bytes apart.
func put64(d unsafe.Pointer, ds, first, second int, a, b turned) {
	lo, hi := zip64(a, b)
	store(d, first*ds, lo.ReshapeToUint8s())
	store(d, second*ds, hi.ReshapeToUint8s())
}
