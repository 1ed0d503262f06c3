//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// A transposed view has rows in the destination. In the source, element k of each row is on line k,
// near those of the other rows. A tile is the part of a view that a few vectors hold: rows of one
// vector each, from as many lines as a vector has elements. A strip is one tile, or several side by
// side, of which the last may overlap the one before.

// tiling is a transposed view, and how it is cut into tiles. Strides and offsets are in bytes.
type tiling struct {
	width, n, src    int       // bytes of an element; elements of a row; the stride from one to the next in the source
	high, wide       int       // rows of a tile; elements of a row of a tile
	lines, up, down  int       // iterations of the loop across, from row to row; its strides in the source and in the destination
	fold, foldedDown int       // iterations of the loop within each of those, also from row to row; its stride in the destination
	block            int       // elements of a row of a block
	at               [lane]int // where a tile's lines are that make the first lane of a vector
	apart            int       // how much further the lines are that make the second lane, if a vector has two
}

// tilingOf returns the transposed view of p, in tiles of vector/width elements by lane/width rows.
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

// tiles makes r.n transposed views, whose rows have at least t.wide elements.
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

// strip makes a strip at d from the lines at s. Its rows have n elements each and are ds bytes apart.
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

// packed is 64 lines of a lane each, into which every2 packs the elements that it takes, and a
// tiling of which these are the source.
type packed struct {
	lines [64 * lane]byte
	tiling
}

// packed returns a packed without lines, for elements as wide as those of t. The lines that make
// the second lane of a vector, if it has two, are `half` lines after those that make the first.
func (t *tiling) packed(half int) (p packed) {
	p.width, p.src, p.apart = t.width, lane, half*lane
	for i := range p.at {
		p.at[i] = i * lane
	}
	return p
}

// blocks makes a view block by block. A block has at most t.block elements of each row. Its
// number of rows is such that it takes about four cache lines from each line of the source. So a cache line is used
// up while it is in the first-level cache. The last tiles may overlap those before. If `to` is nil,
// rows take adjacent elements of the lines, otherwise every second one, which are packed into `to`.
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

// evens holds two lists of indices, for elements of 1<<log bytes at number log. By the first, pick
// moves the elements of 16 bytes that have even numbers to the first half of a lane. By the second,
// it moves those that have odd numbers to the second half. The other half becomes zero.
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
