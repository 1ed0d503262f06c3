//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// A tile is the part of a transposed view that a few vectors hold: lane/width rows of the
// destination, which are one vector long, from vector/width lines of the source, read side
// by side. at says where the lines of a lane are; those of the other lane are `apart` bytes
// further. A strip is several tiles side by side, of n elements in a row, the last of which
// may overlap the one before.

// tiling is a transposed view, in bytes but for n and block, which are elements.
type tiling struct {
	width, n, src    int // of an element; elements of a row; from one to the next
	high, wide       int // rows and elements of a tile
	lines, up, down  int // lines across, and from one to the next in the source and the destination
	fold, foldedDown int // lines of a fold, from one to the next in the destination
	block            int
	at               [lane]int
	apart            int
}

// tilingOf returns a program's transposed view.
func tilingOf(p *csrc.Program) tiling {
	b, w := p.Tiles(), int(p.Width)
	t := tiling{width: w, n: int(p.Row.Extent), src: int(p.Row.Src), high: lane / w, wide: vector / w, block: int(b.Block)}
	t.lines, t.up, t.down = int(b.Across.Extent), int(b.Across.Src), int(b.Across.Dst)
	t.fold, t.foldedDown = int(b.Fold.Extent), int(b.Fold.Dst)
	t.apart = t.high * t.src
	for i := range t.at {
		t.at[i] = i * t.src
	}
	return t
}

// tiles makes rows of at least a tile.
func (r rows) tiles(p *csrc.Program, d, s unsafe.Pointer) {
	t := tilingOf(p)
	if t.up != t.width {
		to := t.packed(t.high)
		for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
			t.blocks(unsafe.Add(d, do), unsafe.Add(s, so), &to)
		}
		return
	}
	t.enlarge()
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		t.blocks(unsafe.Add(d, do), unsafe.Add(s, so), nil)
	}
}

// strip makes a strip of n elements at d, rows of which are ds bytes apart.
func (t *tiling) strip(d unsafe.Pointer, ds int, s unsafe.Pointer, n int) {
	switch t.width {
	case 1:
		strip1(d, ds, s, t.src, &t.at, t.apart, n)
	case 2:
		strip2(d, ds, s, t.src, &t.at, t.apart, n)
	case 4:
		strip4(d, ds, s, t.src, &t.at, t.apart, n)
	default:
		strip8(d, ds, s, t.src, &t.at, t.apart, n)
	}
}

// packed is where lines of which every second element is taken are packed, and how they are
// turned there.
type packed struct {
	lines [64 * lane]byte
	tiling
}

// packed returns room for packed lines. The second half of a tile's lines begins `half` lines
// after the first.
func (t *tiling) packed(half int) (p packed) {
	p.width, p.src, p.apart = t.width, lane, half*lane
	for i := range p.at {
		p.at[i] = i * lane
	}
	return p
}

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

// evens are, for each width, the indices by which pick moves the even elements of a lane to its
// first half, and the odd elements of another lane to its second half.
var evens = func() (table [4][2][csrc.VectorBytes]uint8) {
	for log := range table {
		width := 1 << log
		for i := range csrc.VectorBytes {
			half, in := i%lane/(lane/2), i%(lane/2)
			from := uint8(in/width*2*width + in%width)
			for k := range 2 {
				table[log][k][i] = 0x80
			}
			table[log][half][i] = from + uint8(half*width)
		}
	}
	return table
}()

// blocks makes the rows in blocks of a few lines of source by t.block elements, so that each
// line is read once and brings the next; the last tiles overlap those before.
func (t *tiling) blocks(d, s unsafe.Pointer, to *packed) {
	band := (4*csrc.LineBytes/t.up + t.high - 1) / t.high * t.high
	for yb := 0; yb < t.lines; yb += band {
		end := min(yb+band, t.lines)
		for xb := 0; xb < t.n; xb += t.block {
			x := min(xb, t.n-t.wide)
			n := min(t.n-x, t.block)
			for yt := yb; yt < end; yt += t.high {
				y := min(yt, t.lines-t.high)
				o, i := unsafe.Add(d, y*t.down+x*t.width), unsafe.Add(s, y*t.up+x*t.src)
				if to == nil {
					t.adjacent(o, t.down, i, n)
				} else {
					t.every2(o, t.down, i, n, n, to)
				}
			}
		}
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
