//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// A tile is the part of a transposed view that a few vectors hold: lane/width rows of the
// destination, which are one vector long, from vector/width lines of the source, read side
// by side. at says where the lines of a lane are; those of the other lane, if a vector has two,
// are `apart` bytes further. A strip is several tiles side by side, of n elements in a row, the
// last of which may overlap the one before.

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
