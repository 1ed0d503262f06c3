//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A transposed view has rows in the destination. In the source, element k of each row is on line k,
// beside element k of the other rows. A tile is the part of a view that a few vectors hold: rows of
// one vector each, from as many lines as a vector has elements. A strip is one tile, or several
// side by side. The last of these may overlap the one before.

// tiling is a transposed view, and how it is cut into tiles. Strides and offsets are in bytes.
type tiling struct {
	width, n, src int       // bytes of an element; elements of a row; the stride from one to the next in the source
	high, wide    int       // rows of a tile; elements of a row of a tile
	lines, down   int       // rows of the view; the stride from one to the next in the destination
	band          int       // rows of a band
	block         int       // elements of a row of a block
	at            [lane]int // where the lines of a tile are that make the first lane of a vector
	apart         int       // how much further the lines are that make the second lane, if a vector has two
}

// tiles makes r.n transposed views, whose rows have at least a vector, in tiles of vector/width
// elements by lane/width rows.
func (r rows) tiles(p *program.Program, d, s unsafe.Pointer) {
	b, w := p.Tiles(), int(p.Width)
	t := tiling{width: w, n: int(p.Row.Extent), src: int(p.Row.Src), high: lane / w, wide: vector / w, band: int(b.Band), block: int(b.Block)}
	t.lines, t.down = int(b.Across.Extent), int(b.Across.Dst)
	t.apart = t.high * t.src
	for i := range t.at {
		t.at[i] = i * t.src
	}
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		t.blocks(unsafe.Add(d, do), unsafe.Add(s, so))
	}
}

// blocks makes a view block by block. A block has at most t.block elements of each row, and the
// rows of a band. So a cache line of the source is used up while it is in the first-level cache.
// The last tiles may overlap the ones before.
func (t *tiling) blocks(d, s unsafe.Pointer) {
	for yb := 0; yb < t.lines; yb += t.band {
		end := min(yb+t.band, t.lines)
		for xb := 0; xb < t.n; xb += t.block {
			x := min(xb, t.n-t.wide)
			n := min(t.n-x, t.block)
			for yt := yb; yt < end; yt += t.high {
				y := min(yt, t.lines-t.high)
				t.strip(unsafe.Add(d, y*t.down+x*t.width), unsafe.Add(s, y*t.width+x*t.src), n)
			}
		}
	}
}

// strip makes a strip at d from the lines at s. Its rows have n elements each. strip1, strip2 and
// strip4 do so for elements of 1, 2 and 4 bytes. To transpose a tile, they zip elements of two
// lines, then pairs of elements, and so on.
func (t *tiling) strip(d, s unsafe.Pointer, n int) {
	switch t.width {
	case 1:
		t.strip1(d, s, n)
	case 2:
		t.strip2(d, s, n)
	default:
		t.strip4(d, s, n)
	}
}

// line returns a vector of elements of line k of a tile whose first line is at s, and of the line
// that makes the second lane, if there is one.
func (t *tiling) line(s unsafe.Pointer, k int) turned {
	s = unsafe.Add(s, t.at[k])
	return both(s, unsafe.Add(s, t.apart))
}

func (t *tiling) strip1(d, s unsafe.Pointer, n int) {
	for x := 0; ; x += vector {
		x = min(x, n-vector)
		from := unsafe.Add(s, x*t.src)
		a0, b0 := zip8(t.line(from, 0), t.line(from, 1))
		a1, b1 := zip8(t.line(from, 2), t.line(from, 3))
		a2, b2 := zip8(t.line(from, 4), t.line(from, 5))
		a3, b3 := zip8(t.line(from, 6), t.line(from, 7))
		a4, b4 := zip8(t.line(from, 8), t.line(from, 9))
		a5, b5 := zip8(t.line(from, 10), t.line(from, 11))
		a6, b6 := zip8(t.line(from, 12), t.line(from, 13))
		a7, b7 := zip8(t.line(from, 14), t.line(from, 15))
		a0, a1, a2, a3 = zipFour(a0, a1, a2, a3)
		a4, a5, a6, a7 = zipFour(a4, a5, a6, a7)
		o := unsafe.Add(d, x)
		putEight(o, t.down, a0, a1, a2, a3, a4, a5, a6, a7)
		b0, b1, b2, b3 = zipFour(b0, b1, b2, b3)
		b4, b5, b6, b7 = zipFour(b4, b5, b6, b7)
		putEight(unsafe.Add(o, 8*t.down), t.down, b0, b1, b2, b3, b4, b5, b6, b7)
		if x+vector >= n {
			return
		}
	}
}

func (t *tiling) strip2(d, s unsafe.Pointer, n int) {
	const wide = vector / 2
	for x := 0; ; x += wide {
		x = min(x, n-wide)
		from := unsafe.Add(s, x*t.src)
		r0, r1, r2, r3 := zipFour(t.line(from, 0), t.line(from, 1), t.line(from, 2), t.line(from, 3))
		r4, r5, r6, r7 := zipFour(t.line(from, 4), t.line(from, 5), t.line(from, 6), t.line(from, 7))
		putEight(unsafe.Add(d, 2*x), t.down, r0, r1, r2, r3, r4, r5, r6, r7)
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
// b, c or d, which zipFour has made of the first half of the lines. The last 8 bytes come from e,
// f, g or h, which it has made of the second half.
func putEight(o unsafe.Pointer, ds int, a, b, c, d, e, f, g, h turned) {
	put64(o, ds, 0, 1, a, e)
	put64(o, ds, 2, 3, b, f)
	put64(o, ds, 4, 5, c, g)
	put64(o, ds, 6, 7, d, h)
}

func (t *tiling) strip4(d, s unsafe.Pointer, n int) {
	const wide = vector / 4
	for x := 0; ; x += wide {
		x = min(x, n-wide)
		from := unsafe.Add(s, x*t.src)
		r0, r1 := zip32(t.line(from, 0), t.line(from, 1))
		r2, r3 := zip32(t.line(from, 2), t.line(from, 3))
		o := unsafe.Add(d, 4*x)
		put64(o, t.down, 0, 1, r0, r2)
		put64(o, t.down, 2, 3, r1, r3)
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
