//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A transposed view has rows in the destination. In the source, element k of each row is on line k,
// beside element k of the other rows. A tile has a few bytes of each of some lines: 4, 8 or 16 of
// each, so that a lane holds them. In the destination it has 2 to 16 bytes of each of some rows. A
// vector with two lanes makes two tiles at once. The last tiles overlap the ones before.

// A tiling is a transposed view, and how it is cut into tiles.
type tiling struct {
	width       int  // bytes of an element
	every       int  // bytes from one element of a line to the next: one element or two
	tall, each  int  // bytes of a line, and of a row, in a tile
	high, count int  // rows and lines of a tile
	step, down  int  // lines and rows from a tile, or from two side by side, to the next
	beside      int  // how many lines further the second tile begins that a vector makes, if it begins on another line
	band, block int  // rows of a band, lines of a block
	whole       bool // rows have at least a vector
	pitch       int  // bytes from a line to the next, if one table has all lines
	entry       int  // bytes from one entry of the table to the next, else 0
	lines, rows places
	order       picks                      // puts the bytes in order of rows, once lines are zipped in units of two bytes
	room        [(lane + 1) * vector]uint8 // has room for `made`
	made        unsafe.Pointer             // vectors of rows that are shorter than a vector, aligned
}

// tiles makes r.n transposed views.
func (r rows) tiles(p *program.Program, d, s unsafe.Pointer) {
	b, w := p.Tiles(), int(p.Width)
	t := tiling{width: w, every: w, band: int(b.Band), block: int(b.Block)}
	t.lines.set(p.Row.Extent, p.Row.Src, b.Join.Extent, b.Join.Src)
	if b.Fold.Extent > 1 {
		t.rows.set(b.Fold.Extent, b.Fold.Dst, b.Across.Extent, b.Across.Dst)
	} else {
		t.rows.set(b.Across.Extent, b.Across.Dst, 1, 0)
		t.every = int(b.Across.Src)
	}
	t.cut()
	t.made = unsafe.Add(unsafe.Pointer(&t.room), vector-1-(uintptr(unsafe.Pointer(&t.room))+vector-1)%vector)
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		t.view(unsafe.Add(d, do), unsafe.Add(s, so))
	}
}

// cut chooses the size of the tiles, and which two of them a vector makes: the ends of rows beside
// their beginnings, or if rows are as short as a tile, other rows.
func (t *tiling) cut() {
	n, w := t.lines.many, t.width
	t.tall, t.each = powerOf(t.rows.many*w), powerOf(n*w)
	t.high, t.count = t.tall/w, t.each/w
	t.step, t.down = t.count, t.high
	switch {
	case n*w >= vector:
		t.whole, t.step, t.beside = true, vector/w, t.count
	case vector == lane:
	case n > t.count:
		t.step, t.beside = n, n-t.count
	default:
		t.down = 2 * t.high
	}
	t.pitch = t.lines.inner
	if t.lines.extent < n {
		t.block, t.pitch, t.entry = min(t.block, tabled), 0, wordBytes
	}
	t.order = indices(unsafe.Pointer(&orders[0]))
	if w == 1 {
		t.order = indices(unsafe.Pointer(&orders[min(t.count, 8)/2&7]))
	}
}

// powerOf returns the largest power of two that is at most n and at most the bytes of a lane.
func powerOf(n int) int {
	power := 2
	for 2*power <= min(n, lane) {
		power *= 2
	}
	return power
}

// view makes a view block by block. A block has at most t.block elements of each row, and the rows
// of a band. So a cache line of the source is used up while it is in the first-level cache.
func (t *tiling) view(d, s unsafe.Pointer) {
	n, rows := t.lines.many, t.rows.many
	for yb := 0; yb < rows; yb += t.band {
		for xb := 0; xb < n; xb += t.block {
			x, end := min(xb, n-t.step), min(xb+t.block, n)
			t.lines.hold(x, end)
			for yt := yb; yt < min(yb+t.band, rows); yt += t.down {
				y := min(yt, rows-t.high)
				below := y
				if t.down > t.high {
					below = min(y+t.high, rows-t.high)
				}
				t.rows.hold(y, below+t.high)
				to, o := t.rows.from(y)
				if t.whole {
					t.strip(unsafe.Add(d, o), unsafe.Add(s, y*t.every), to, x, end)
					continue
				}
				to2, o2 := t.rows.from(below)
				for x := x; ; x = min(x+t.step, n-t.step) {
					from, i := t.lines.from(x)
					from2, i2 := t.lines.from(x + t.beside)
					t.tile(unsafe.Add(s, i+y*t.every), unsafe.Add(s, i2+below*t.every), from, from2)
					t.put(unsafe.Add(d, o+x*t.width), unsafe.Add(d, o2+(x+t.beside)*t.width), to, to2)
					if x+t.step >= end {
						break
					}
				}
			}
		}
	}
}

// orders hold indices of bytes. The first keeps them. Of the others, number i is for 2*i lines
// whose pairs of bytes follow each other: it puts the first byte of each pair before all second
// ones.
var orders = func() (o [8][vector]uint8) {
	for i := range o {
		for j := range o[i] {
			o[i][j] = uint8(j % lane)
			if n := 2 * i; n > 0 {
				o[i][j] = uint8(j%lane/(2*n)*(2*n) + j%n*2 + j/n%2)
			}
		}
	}
	return o
}()

// tile turns a tile, or one in each lane, whose lines begin at s and at s2 by the tables from and
// from2. It leaves the rows in t.made, one after the other in each lane. To turn elements, it zips
// those of two lines, then pairs of them, and so on. Elements of one byte are zipped in pairs.
func (t *tiling) tile(s, s2 unsafe.Pointer, from, from2 *table) {
	order := t.order
	switch {
	case t.width == 4 && t.count == 2:
		a, b := zip32(t.line(s, s2, from, from2, 0), t.line(s, s2, from, from2, 1))
		t.keep(0, a, b)
	case t.width == 4:
		a, b := zip32(t.line(s, s2, from, from2, 0), t.line(s, s2, from, from2, 1))
		c, e := zip32(t.line(s, s2, from, from2, 2), t.line(s, s2, from, from2, 3))
		a, c = zip64(a, c)
		b, e = zip64(b, e)
		t.keep(0, a, c)
		t.keep(2, b, e)
	case t.count == 2:
		a, b := zip16(t.line(s, s2, from, from2, 0), t.line(s, s2, from, from2, 1))
		t.keep(0, ordered(a, order), ordered(b, order))
	case t.count == 4:
		a, b, c, e := t.four(s, s2, from, from2, 0)
		t.keep(0, ordered(a, order), ordered(b, order))
		t.keep(2, ordered(c, order), ordered(e, order))
	case t.count == 8 && t.tall == 8:
		a, _ := zip16(half(s, s2, from, from2, 0), half(s, s2, from, from2, 1))
		b, _ := zip16(half(s, s2, from, from2, 2), half(s, s2, from, from2, 3))
		c, _ := zip16(half(s, s2, from, from2, 4), half(s, s2, from, from2, 5))
		e, _ := zip16(half(s, s2, from, from2, 6), half(s, s2, from, from2, 7))
		a, b = zip32(a, b)
		c, e = zip32(c, e)
		t.keepEight(0, order, a, c)
		t.keepEight(2, order, b, e)
	case t.count == 8 && t.tall == 16 && t.every == t.width:
		a0, a1, a2, a3 := zipFour(full(s, s2, from, from2, 0), full(s, s2, from, from2, 1), full(s, s2, from, from2, 2), full(s, s2, from, from2, 3))
		b0, b1, b2, b3 := zipFour(full(s, s2, from, from2, 4), full(s, s2, from, from2, 5), full(s, s2, from, from2, 6), full(s, s2, from, from2, 7))
		t.keepEight(0, order, a0, b0)
		t.keepEight(2, order, a1, b1)
		t.keepEight(4, order, a2, b2)
		t.keepEight(6, order, a3, b3)
	case t.count == 8:
		a0, a1, a2, a3 := t.four(s, s2, from, from2, 0)
		b0, b1, b2, b3 := t.four(s, s2, from, from2, 4)
		t.keepEight(0, order, a0, b0)
		if t.tall > 4 {
			t.keepEight(2, order, a1, b1)
		}
		if t.tall > 8 {
			t.keepEight(4, order, a2, b2)
			t.keepEight(6, order, a3, b3)
		}
	default:
		t.whole1(t.made, s, s2, &vectors, from, from2)
	}
}

func (t *tiling) keep(i int, a, b turned) {
	store(t.made, i*vector, a.ReshapeToUint8s())
	store(t.made, (i+1)*vector, b.ReshapeToUint8s())
}

func (t *tiling) keepEight(i int, order picks, a, b turned) {
	lo, hi := zip64(a, b)
	t.keep(i, ordered(lo, order), ordered(hi, order))
}

// full returns 16 bytes of line k of a tile, and of the one that a second lane makes. half returns
// 8 bytes of both.
func full(s, s2 unsafe.Pointer, from, from2 *table, k int) turned {
	return both(unsafe.Add(s, from[k]), unsafe.Add(s2, from2[k]))
}

func half(s, s2 unsafe.Pointer, from, from2 *table, k int) turned {
	return both8(unsafe.Add(s, from[k]), unsafe.Add(s2, from2[k]))
}

// line returns 16 bytes of line k of a tile, and of the one that a second lane makes.
func (t *tiling) line(s, s2 unsafe.Pointer, from, from2 *table, k int) turned {
	lo, hi := unsafe.Add(s, from[k&(lane-1)]), unsafe.Add(s2, from2[k&(lane-1)])
	if t.every != t.width {
		return t.everySecond(lo, hi)
	}
	return both(lo, hi)
}

// everySecond returns every second element of lines, 16 bytes of each.
func (t *tiling) everySecond(lo, hi unsafe.Pointer) turned {
	half := lane - t.width
	a, b := both(lo, hi), both(unsafe.Add(lo, half), unsafe.Add(hi, half))
	first, second := &seconds[0][t.width&15], &seconds[1][t.width&15]
	x := permuted(a.ReshapeToUint8s(), indices(unsafe.Pointer(first)))
	return x.Or(permuted(b.ReshapeToUint8s(), indices(unsafe.Pointer(second)))).ReshapeToUint64s()
}

// seconds hold, for elements of w bytes, the indices of the bytes that everySecond takes of two
// vectors. The second vector begins 16 - w bytes behind the first, and ends with the last element.
var seconds = func() (o [2][16][vector]uint8) {
	for _, w := range []int{1, 2, 4} {
		for j := range vector {
			at := j%lane/w*2*w + j%w
			o[0][w][j], o[1][w][j] = uint8(at), none
			if at >= lane {
				o[0][w][j], o[1][w][j] = none, uint8(at-lane+w)
			}
		}
	}
	return o
}()

// none is the index of no byte.
const none = 0x80

// four loads t.tall bytes of lines k to k+3 of a tile, and zips their elements of 2 bytes, then of
// 4. It returns the vectors in the order of the rows that are in them. If t.tall is 8, only the
// first two have rows, and if it is 4 only the first.
func (t *tiling) four(s, s2 unsafe.Pointer, from, from2 *table, k int) (r0, r1, r2, r3 turned) {
	f, f2 := (*[4]int)(unsafe.Pointer(&from[k&12])), (*[4]int)(unsafe.Pointer(&from2[k&12]))
	switch {
	case t.every != t.width:
		return zipFour(t.line(s, s2, from, from2, k), t.line(s, s2, from, from2, k+1), t.line(s, s2, from, from2, k+2), t.line(s, s2, from, from2, k+3))
	case t.tall == 4:
		a, b := both4(unsafe.Add(s, f[0]), unsafe.Add(s2, f2[0])), both4(unsafe.Add(s, f[1]), unsafe.Add(s2, f2[1]))
		c, e := both4(unsafe.Add(s, f[2]), unsafe.Add(s2, f2[2])), both4(unsafe.Add(s, f[3]), unsafe.Add(s2, f2[3]))
		a, _ = zip16(a, b)
		c, _ = zip16(c, e)
		r0, _ = zip32(a, c)
		return r0, r0, r0, r0
	case t.tall == 8:
		a, b := both8(unsafe.Add(s, f[0]), unsafe.Add(s2, f2[0])), both8(unsafe.Add(s, f[1]), unsafe.Add(s2, f2[1]))
		c, e := both8(unsafe.Add(s, f[2]), unsafe.Add(s2, f2[2])), both8(unsafe.Add(s, f[3]), unsafe.Add(s2, f2[3]))
		a, _ = zip16(a, b)
		c, _ = zip16(c, e)
		r0, r1 = zip32(a, c)
		return r0, r1, r0, r0
	}
	a, b := both(unsafe.Add(s, f[0]), unsafe.Add(s2, f2[0])), both(unsafe.Add(s, f[1]), unsafe.Add(s2, f2[1]))
	c, e := both(unsafe.Add(s, f[2]), unsafe.Add(s2, f2[2])), both(unsafe.Add(s, f[3]), unsafe.Add(s2, f2[3]))
	return zipFour(a, b, c, e)
}

// zipFour zips elements of 2 bytes of a and b, and of c and e, then elements of 4 bytes of the
// results. It returns the vectors in the order of the rows that are in them.
func zipFour(a, b, c, e turned) (r0, r1, r2, r3 turned) {
	a, b = zip16(a, b)
	c, e = zip16(c, e)
	a, c = zip32(a, c)
	b, e = zip32(b, e)
	return a, c, b, e
}

// vectors is the table of vectors that follow each other.
var vectors = func() (to table) {
	for i := range to {
		to[i] = i * vector
	}
	return to
}()

// put stores the rows in t.made: those of the low lanes at d, those of the high lanes at d2. The
// tables say where each row is.
func (t *tiling) put(d, d2 unsafe.Pointer, to, to2 *table) {
	switch t.each {
	case 2:
		parts[uint16](t, d, d2, to, to2)
	case 4:
		parts[uint32](t, d, d2, to, to2)
	case 8:
		made := (*[lane][vector / 8]uint64)(t.made)
		for y := 0; y < t.high; y += 2 {
			m := &made[y/2&(lane-1)]
			*(*uint64)(unsafe.Add(d, to[y&14])) = m[0]
			*(*uint64)(unsafe.Add(d, to[y&14+1])) = m[1]
			if vector > lane {
				*(*uint64)(unsafe.Add(d2, to2[y&14])) = m[vector/8-2]
				*(*uint64)(unsafe.Add(d2, to2[y&14+1])) = m[vector/8-1]
			}
		}
	default:
		parts[[lane]uint8](t, d, d2, to, to2)
	}
}

func parts[T any](t *tiling, d, d2 unsafe.Pointer, to, to2 *table) {
	size := int(unsafe.Sizeof(*new(T)))
	for y := 0; y < t.high; {
		made := unsafe.Add(t.made, y*size/lane*vector)
		for i := 0; i < lane; i += size {
			*(*T)(unsafe.Add(d, to[y&(lane-1)])) = *(*T)(unsafe.Add(made, i))
			if vector > lane {
				*(*T)(unsafe.Add(d2, to2[y&(lane-1)])) = *(*T)(unsafe.Add(made, vector-lane+i))
			}
			y++
		}
	}
}
