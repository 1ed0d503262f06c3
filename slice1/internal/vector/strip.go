//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import "unsafe"

// strip makes whole vectors of elements x to end-1 of rows. The last may overlap the one before.
// strip1, strip2 and strip4 do so for elements of 1, 2 and 4 bytes that are adjacent in the lines,
// if a tile has 16 bytes of each line.
func (t *tiling) strip(d, s unsafe.Pointer, to *table, x, end int) {
	from, at := t.lines.from(x)
	d, s = unsafe.Add(d, x*t.width), unsafe.Add(s, at)
	switch {
	case t.every != t.width || t.tall < lane || t.entry > 0:
		t.stripParts(d, s, to, from, x, end)
	case t.width == 1:
		t.strip1(d, s, to, from, x, end)
	case t.width == 2:
		t.strip2(d, s, to, from, x, end)
	default:
		t.strip4(d, s, to, from, x, end)
	}
}

func (t *tiling) strip1(d, s unsafe.Pointer, to, from *table, x, end int) {
	const wide = vector
	pitch, last := t.pitch, t.lines.many-wide
	order, apart := t.order, wide/(vector/lane)*pitch
	for {
		a0, a1, a2, a3 := zipFour(pair(s, from, apart, 0), pair(s, from, apart, 1), pair(s, from, apart, 2), pair(s, from, apart, 3))
		b0, b1, b2, b3 := zipFour(pair(s, from, apart, 4), pair(s, from, apart, 5), pair(s, from, apart, 6), pair(s, from, apart, 7))
		c0, c1, c2, c3 := zipFour(pair(s, from, apart, 8), pair(s, from, apart, 9), pair(s, from, apart, 10), pair(s, from, apart, 11))
		e0, e1, e2, e3 := zipFour(pair(s, from, apart, 12), pair(s, from, apart, 13), pair(s, from, apart, 14), pair(s, from, apart, 15))
		putFour(d, to, 0, order, a0, b0, c0, e0)
		putFour(d, to, 4, order, a1, b1, c1, e1)
		putFour(d, to, 8, order, a2, b2, c2, e2)
		putFour(d, to, 12, order, a3, b3, c3, e3)
		if x+wide >= end {
			return
		}
		n := min(wide, last-x)
		x, d, s = x+n, unsafe.Add(d, n), unsafe.Add(s, n*pitch)
	}
}

func (t *tiling) strip2(d, s unsafe.Pointer, to, from *table, x, end int) {
	const wide = vector / 2
	pitch, last := t.pitch, t.lines.many-wide
	apart := wide / (vector / lane) * pitch
	for {
		a0, a1, a2, a3 := zipFour(pair(s, from, apart, 0), pair(s, from, apart, 1), pair(s, from, apart, 2), pair(s, from, apart, 3))
		b0, b1, b2, b3 := zipFour(pair(s, from, apart, 4), pair(s, from, apart, 5), pair(s, from, apart, 6), pair(s, from, apart, 7))
		put64(d, to, 0, a0, b0)
		put64(d, to, 2, a1, b1)
		put64(d, to, 4, a2, b2)
		put64(d, to, 6, a3, b3)
		if x+wide >= end {
			return
		}
		n := min(wide, last-x)
		x, d, s = x+n, unsafe.Add(d, 2*n), unsafe.Add(s, n*pitch)
	}
}

func (t *tiling) strip4(d, s unsafe.Pointer, to, from *table, x, end int) {
	const wide = vector / 4
	pitch, last := t.pitch, t.lines.many-wide
	apart := wide / (vector / lane) * pitch
	for {
		a, b := zip32(pair(s, from, apart, 0), pair(s, from, apart, 1))
		c, e := zip32(pair(s, from, apart, 2), pair(s, from, apart, 3))
		put64(d, to, 0, a, c)
		put64(d, to, 2, b, e)
		if x+wide >= end {
			return
		}
		n := min(wide, last-x)
		x, d, s = x+n, unsafe.Add(d, 4*n), unsafe.Add(s, n*pitch)
	}
}

// pair returns 16 bytes of line k of a tile, and of the line that is `apart` bytes further.
func pair(s unsafe.Pointer, from *table, apart, k int) turned {
	s = unsafe.Add(s, from[k])
	return both(s, unsafe.Add(s, apart))
}

func (t *tiling) stripParts(d, s unsafe.Pointer, to, from *table, x, end int) {
	for {
		from2 := (*table)(unsafe.Add(unsafe.Pointer(from), t.beside*wordBytes))
		switch {
		case t.width == 1:
			t.whole1(d, s, s, to, from, from2)
		case t.width == 2:
			a0, a1, a2, a3 := t.four(s, s, from, from2, 0)
			b0, b1, b2, b3 := t.four(s, s, from, from2, 4)
			put64(d, to, 0, a0, b0)
			put64(d, to, 2, a1, b1)
			if t.tall > 8 {
				put64(d, to, 4, a2, b2)
				put64(d, to, 6, a3, b3)
			}
		default:
			a, b := zip32(t.line(s, s, from, from2, 0), t.line(s, s, from, from2, 1))
			c, e := zip32(t.line(s, s, from, from2, 2), t.line(s, s, from, from2, 3))
			put64(d, to, 0, a, c)
			put64(d, to, 2, b, e)
		}
		if x+t.step >= end {
			return
		}
		n := min(t.step, t.lines.many-t.step-x)
		x, d, s = x+n, unsafe.Add(d, n*t.width), unsafe.Add(s, n*t.pitch)
		from = (*table)(unsafe.Add(unsafe.Pointer(from), n*t.entry))
	}
}

// wordBytes is the bytes of an entry of a table.
const wordBytes = int(unsafe.Sizeof(0))

// whole1 makes a tile of elements of one byte whose rows are whole vectors.
func (t *tiling) whole1(d, s, s2 unsafe.Pointer, to, from, from2 *table) {
	a0, a1, a2, a3 := t.four(s, s2, from, from2, 0)
	b0, b1, b2, b3 := t.four(s, s2, from, from2, 4)
	c0, c1, c2, c3 := t.four(s, s2, from, from2, 8)
	e0, e1, e2, e3 := t.four(s, s2, from, from2, 12)
	order := t.order
	putFour(d, to, 0, order, a0, b0, c0, e0)
	if t.tall > 4 {
		putFour(d, to, 4, order, a1, b1, c1, e1)
	}
	if t.tall > 8 {
		putFour(d, to, 8, order, a2, b2, c2, e2)
		putFour(d, to, 12, order, a3, b3, c3, e3)
	}
}

// putFour stores four rows, which are at d by the table `to`, from row y on. The lanes of a, b, c
// and e each have the bytes of four of 16 lines, zipped in pairs.
func putFour(d unsafe.Pointer, to *table, y int, order picks, a, b, c, e turned) {
	a, b = zip64(a, b)
	c, e = zip64(c, e)
	put64(d, to, y, ordered(a, order), ordered(c, order))
	put64(d, to, y+2, ordered(b, order), ordered(e, order))
}

// put64 zips elements of 8 bytes of a and b, and stores the results as rows y and y+1.
func put64(d unsafe.Pointer, to *table, y int, a, b turned) {
	lo, hi := zip64(a, b)
	store(d, to[y&(lane-1)], lo.ReshapeToUint8s())
	store(d, to[(y+1)&(lane-1)], hi.ReshapeToUint8s())
}

func ordered(x turned, order picks) turned {
	return permuted(x.ReshapeToUint8s(), order).ReshapeToUint64s()
}
