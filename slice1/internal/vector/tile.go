//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// A tile is the part of a transposed view that a few vectors hold: lane/width rows of the
// destination, which are one vector long, from vector/width lines of the source, read side
// by side. at says where the first half of the lines are; the others are `apart` bytes
// further. A strip is several tiles side by side, of n elements in a row, the last of which
// may overlap the one before.

// square is a tile in memory.
type square [lane][vector]byte

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

func (r rows) tiles(p *csrc.Program, form csrc.Form, d, s unsafe.Pointer) {
	b, w := p.Tiles(), int(p.Width)
	t := tiling{width: w, n: int(p.Row.Extent), src: int(p.Row.Src), high: lane / w, wide: vector / w, block: int(b.Block)}
	t.lines, t.up, t.down = int(b.Across.Extent), int(b.Across.Src), int(b.Across.Dst)
	t.fold, t.foldedDown = int(b.Fold.Extent), int(b.Fold.Dst)
	t.apart = t.high * t.src
	for i := range t.at {
		t.at[i] = i * t.src
	}
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		switch {
		case form != csrc.Folded:
			t.any(form, o, i)
		case t.n >= t.wide:
			t.folded(o, i)
		default:
			t.few(o, i)
		}
	}
}

// any makes the rows of any view that two loops do not follow.
func (t *tiling) any(form csrc.Form, d, s unsafe.Pointer) {
	if t.up != t.width {
		var to packed
		if form == csrc.Tile {
			t.blocks(d, s, &to)
		} else {
			t.narrow(d, s, &to)
		}
	} else if form == csrc.Tile {
		t.blocks(d, s, nil)
	} else {
		t.narrow(d, s, nil)
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

// packed is where lines of which every second element is taken are packed.
type packed [64 * lane]byte

// every2 is strip for such lines; lines is their number. The second half of a tile's begins
// half lines behind the first.
func (t *tiling) every2(d unsafe.Pointer, ds int, s unsafe.Pointer, n, half, lines int, to *packed) {
	const many = len(to) / lane
	p := tiling{width: t.width, src: lane, apart: half * lane}
	for i := range p.at {
		p.at[i] = i * lane
	}
	even := &evens[bits.TrailingZeros(uint(t.width))&3]
	first, last := indices(&even[0]), indices(&even[1])
	for xb := 0; xb < n; xb += many {
		x := min(xb, n-t.wide)
		count := min(lines-x, many)
		at := x * t.src
		for i := 0; i < count; i += 2 {
			next := at
			if i+1 < count {
				next += t.src
			}
			lo, hi := unsafe.Add(s, at), unsafe.Add(s, next)
			line := pick(lo, hi, 0, first).Or(pick(lo, hi, lane-t.width, last))
			store2(unsafe.Pointer(to), i*lane, line)
			at = next + t.src
		}
		p.strip(unsafe.Add(d, x*t.width), ds, unsafe.Pointer(to), min(n-x, many))
	}
}

// evens are, for each width, the indices of the even elements of a lane, and those of the odd
// ones that come behind them.
var evens = func() (table [4][2][vector]uint8) {
	for log := range table {
		width := 1 << log
		for i := range vector {
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
					t.strip(o, t.down, i, n)
				} else {
					t.every2(o, t.down, i, n, t.high, n, to)
				}
			}
		}
	}
}

// narrow makes rows of half a tile to less than one, whose halves then overlap.
func (t *tiling) narrow(d, s unsafe.Pointer, to *packed) {
	second := t.n - t.high
	t.apart = second * t.src
	var tile square
	made := unsafe.Pointer(&tile)
	for yt := 0; yt < t.lines; yt += t.high {
		y := min(yt, t.lines-t.high)
		if from := unsafe.Add(s, y*t.up); to == nil {
			t.strip(made, vector, from, t.wide)
		} else {
			t.every2(made, vector, from, t.wide, second, t.n, to)
		}
		for i := range t.high {
			o := unsafe.Add(d, (y+i)*t.down)
			store(o, 0, load(made, i*vector))
			store(o, second*t.width, load(made, i*vector+lane))
		}
	}
}

// at returns where row y of a destination begins whose lines two loops follow.
func (t *tiling) row(y int) int { return y/t.fold*t.down + y%t.fold*t.foldedDown }

// folded makes the rows of such a destination, of at least a tile, in blocks as above.
func (t *tiling) folded(d, s unsafe.Pointer) {
	const lines = 4 * csrc.LineBytes
	end, band := t.lines*t.fold, lines/t.width
	var tile square
	made := unsafe.Pointer(&tile)
	for yb := 0; yb < end; yb += band {
		for xb := 0; xb < t.n; xb += t.block {
			for yt := yb; yt < min(yb+band, end); yt += t.high {
				y := min(yt, end-t.high)
				for xt := xb; xt < min(xb+t.block, t.n); xt += t.wide {
					x := min(xt, t.n-t.wide)
					t.strip(made, vector, unsafe.Add(s, y*t.width+x*t.src), t.wide)
					for i := range t.high {
						store2(d, t.row(y+i)+x*t.width, load2(made, i*vector))
					}
				}
			}
		}
	}
}

// few makes rows shorter than a lane: the lanes of a tile are two tiles, one below the other.
// Where rows chain, all of a lane is stored, and what is too much the next row overwrites.
func (t *tiling) few(d, s unsafe.Pointer) {
	size, end := t.n*t.width, t.lines*t.fold
	chained := t.fold == 1 && t.down == size
	for i := range t.at {
		t.at[i] = min(i, t.n-1) * t.src
	}
	var tile square
	made := unsafe.Pointer(&tile)
	for yt := 0; yt < end; yt += 2 * t.high {
		y := min(yt, end-t.high)
		second := min(t.high, end-t.high-y)
		t.apart = second * t.width
		t.strip(made, vector, unsafe.Add(s, y*t.width), t.wide)
		for half := range 2 {
			first, from := y+half*second, half*lane
			if chained && (end-first-t.high+1)*size >= lane {
				for i := range t.high {
					store(d, (first+i)*size, load(made, i*vector+from))
				}
				continue
			}
			for i := range t.high {
				put(unsafe.Add(d, t.row(first+i)), unsafe.Add(made, i*vector+from), size)
			}
		}
	}
}

// put copies size bytes, fewer than a lane and more than one.
func put(d, s unsafe.Pointer, size int) {
	switch {
	case size >= 8:
		putEnds[[8]byte](d, s, size)
	case size >= 4:
		putEnds[[4]byte](d, s, size)
	default:
		putEnds[[2]byte](d, s, size)
	}
}

// putEnds copies one to two T, as the first and the last, which may overlap.
func putEnds[T any](d, s unsafe.Pointer, size int) {
	last := size - int(unsafe.Sizeof(*new(T)))
	*(*T)(d) = *(*T)(s)
	*(*T)(unsafe.Add(d, last)) = *(*T)(unsafe.Add(s, last))
}

// Zipping elements of neighbouring lines, then pairs of them, and so on, turns a tile. The
// rows come out in the order of their numbers' bits reversed.

func strip1(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, at *[lane]int, apart, n int) {
	pairs := indices(&pairsOfBytes)
	for x := 0; ; x += vector {
		x = min(x, n-vector)
		from := unsafe.Add(s, x*ss)
		r0, r1 := zip8(line(from, at[0], apart), line(from, at[1], apart), pairs)
		r2, r3 := zip8(line(from, at[2], apart), line(from, at[3], apart), pairs)
		r4, r5 := zip8(line(from, at[4], apart), line(from, at[5], apart), pairs)
		r6, r7 := zip8(line(from, at[6], apart), line(from, at[7], apart), pairs)
		r0, r2 = zip16(r0, r2)
		r1, r3 = zip16(r1, r3)
		r4, r6 = zip16(r4, r6)
		r5, r7 = zip16(r5, r7)
		r0, r4 = zip32(r0, r4)
		r1, r5 = zip32(r1, r5)
		r2, r6 = zip32(r2, r6)
		r3, r7 = zip32(r3, r7)
		r8, r9 := zip8(line(from, at[8], apart), line(from, at[9], apart), pairs)
		r10, r11 := zip8(line(from, at[10], apart), line(from, at[11], apart), pairs)
		r12, r13 := zip8(line(from, at[12], apart), line(from, at[13], apart), pairs)
		r14, r15 := zip8(line(from, at[14], apart), line(from, at[15], apart), pairs)
		r8, r10 = zip16(r8, r10)
		r9, r11 = zip16(r9, r11)
		r12, r14 = zip16(r12, r14)
		r13, r15 = zip16(r13, r15)
		r8, r12 = zip32(r8, r12)
		r9, r13 = zip32(r9, r13)
		r10, r14 = zip32(r10, r14)
		r11, r15 = zip32(r11, r15)
		o := unsafe.Add(d, x)
		put64(o, ds, 0, 1, r0, r8)
		put64(o, ds, 2, 3, r4, r12)
		put64(o, ds, 4, 5, r2, r10)
		put64(o, ds, 6, 7, r6, r14)
		put64(o, ds, 8, 9, r1, r9)
		put64(o, ds, 10, 11, r5, r13)
		put64(o, ds, 12, 13, r3, r11)
		put64(o, ds, 14, 15, r7, r15)
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
		r0, r1 := zip16(line(from, at[0], apart), line(from, at[1], apart))
		r2, r3 := zip16(line(from, at[2], apart), line(from, at[3], apart))
		r4, r5 := zip16(line(from, at[4], apart), line(from, at[5], apart))
		r6, r7 := zip16(line(from, at[6], apart), line(from, at[7], apart))
		r0, r2 = zip32(r0, r2)
		r1, r3 = zip32(r1, r3)
		r4, r6 = zip32(r4, r6)
		r5, r7 = zip32(r5, r7)
		o := unsafe.Add(d, 2*x)
		put64(o, ds, 0, 1, r0, r4)
		put64(o, ds, 2, 3, r2, r6)
		put64(o, ds, 4, 5, r1, r5)
		put64(o, ds, 6, 7, r3, r7)
		if x+wide >= n {
			return
		}
	}
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

// pairsOfBytes brings bytes that were zipped by twos to be zipped by ones.
var pairsOfBytes = [vector]uint8{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15, 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}

func line(s unsafe.Pointer, at, apart int) archsimd.Uint64x4 {
	return both(unsafe.Add(s, at), 0, apart).ReshapeToUint64s()
}

func zip8(a, b archsimd.Uint64x4, pairs archsimd.Int8x32) (lo, hi archsimd.Uint64x4) {
	lo, hi = zip16(a, b)
	return lo.ReshapeToUint8s().PermuteOrZeroGrouped(pairs).ReshapeToUint64s(), hi.ReshapeToUint8s().PermuteOrZeroGrouped(pairs).ReshapeToUint64s()
}

func zip16(a, b archsimd.Uint64x4) (lo, hi archsimd.Uint64x4) {
	x, y := a.ReshapeToUint16s(), b.ReshapeToUint16s()
	return x.InterleaveLoGrouped(y).ReshapeToUint64s(), x.InterleaveHiGrouped(y).ReshapeToUint64s()
}

func zip32(a, b archsimd.Uint64x4) (lo, hi archsimd.Uint64x4) {
	x, y := a.ReshapeToUint32s(), b.ReshapeToUint32s()
	return x.InterleaveLoGrouped(y).ReshapeToUint64s(), x.InterleaveHiGrouped(y).ReshapeToUint64s()
}

// put64 zips a and b by eights to two rows.
func put64(d unsafe.Pointer, ds, first, second int, a, b archsimd.Uint64x4) {
	store2(d, first*ds, a.InterleaveLoGrouped(b).ReshapeToUint8s())
	store2(d, second*ds, a.InterleaveHiGrouped(b).ReshapeToUint8s())
}
