package plan

import (
	"math/bits"

	"github.com/seed2e45c115/dml/csrc"
)

// price returns what one run of a job's program costs: the call, the rows, the cache lines, and making the
// program if it runs once. The program must not be linked yet.
func (h *Host) price(j *job, w *Work) int64 {
	walk := j.walk()
	cost := j.costs.Call + j.rows(h.Costs) + h.cost(&walk, w.Lines)
	if w.Once {
		cost += h.Costs.making(j.p.Kind)
	}
	return cost
}

// making returns what it costs to make a program whose body is of kind k.
func (c *Costs) making(k csrc.Kind) int64 {
	if k <= csrc.Tiled {
		return c.Make[0]
	}
	return c.Make[1]
}

func log2(width int32) int { return bits.TrailingZeros32(uint32(width)) }

// rows returns what all rows of the program cost.
func (j *job) rows(c *Costs) int64 {
	p, s, set := j.p, j.costs, j.set
	many := int64(1)
	for _, d := range p.Dims[:p.Outer] {
		many *= d.Extent
	}
	extent, log := p.Row.Extent, log2(p.Width)
	bytes, row := extent*int64(p.Width), s.Row
	switch p.Kind {
	case csrc.Tiled:
		t := p.Tiles()
		if j.loop == csrc.Joined {
			row += s.joinedTiles(int64(p.Width), set.Piece, extent*t.Join.Extent, t.Across.Extent)
		} else {
			row += s.tiles(int64(p.Width), set.Piece, extent, t.Block, t.Across, t.Fold)
		}
		bytes *= t.Across.Extent
	case csrc.Windowed:
		row += j.rowOfWindows()
		bytes = j.row.bytes()
	case csrc.Masked:
		m := p.Masks()
		row += m.Count*j.vectorCost(j.loop, m.Windows) + int64(m.Tails*m.Windows)*s.Tail
		bytes = j.row.bytes()
	case csrc.Placed:
		u := p.Units()
		alone := int64(0)
		for int64(u.Alone[alone]) < u.Count {
			alone++
		}
		row += (u.Count-alone)*int64(u.Each.Windows)*s.Unit + alone*u.Unit/int64(p.Width)*s.Element[log]
	case csrc.MaskedAt:
		u := p.MaskedUnits()
		row += int64(u.Windows) * (u.Whole*s.Unit + u.Tails*s.Tail)
	default:
		switch j.loop {
		case csrc.Copy, csrc.Fill:
			row += ceilDiv(bytes, set.Vector) * s.Copied
		case csrc.Gather:
			row += extent * s.Gathered[log]
		default:
			row += extent * s.Element[log]
		}
	}
	if p.NT != 0 {
		row += ceilDiv(bytes, csrc.LineBytes) * c.NTLine
	}
	return many * row
}

// rowOfWindows returns what each row of a program with body csrc.Windowed costs.
func (j *job) rowOfWindows() (cost int64) {
	s, w := j.costs, j.p.Windows()
	vector := j.vectorCost(j.loop, w.Main.Windows)
	cost = w.Count * vector
	if isEvery(j.loop) {
		return cost + vector
	}
	for _, t := range w.Tail[:w.Tails] {
		cost += int64(t.Vector.Windows) * s.Tail
	}
	return cost
}

// vectorCost returns what a vector costs that a loop of that form makes of `windows` windows.
func (j *job) vectorCost(form csrc.Form, windows int32) int64 {
	s, of := j.costs, int64(windows)
	switch form {
	case csrc.Lanes, csrc.Permute, csrc.Spread:
		return of * s.Window
	}
	return of * s.Merged
}

// tiles returns what all tiles of one transposed view cost. Elements have `width` bytes, and the
// row of a tile `piece` bytes. The rows of the view have `extent` elements, which are taken in
// blocks of `block` or, if that is 0, all at once. across and fold are as in csrc.Tiles.
func (s *SetCosts) tiles(width, piece, extent, block int64, across, fold csrc.Dim) int64 {
	log := log2(int32(width))
	blocks := int64(1)
	if block > 0 {
		blocks = ceilDiv(extent, block)
	}
	high := csrc.LaneBytes / width
	lines := across.Extent * fold.Extent
	if extent < high {
		return ceilDiv(lines, 2*high) * s.Few[log]
	}
	each := s.TileApart[log]
	if fold.Extent > 1 || abs(across.Src) == width {
		each = s.Tile[log]
	} else if abs(across.Src) == 2*width {
		each = 2 * s.Tile[log]
	}
	return ceilDiv(lines, high) * (blocks*s.Strip + ceilDiv(extent, piece/width)*each)
}

// joinedTiles returns what the tiles of one transposed view cost whose rows, of `extent` elements,
// two loops make.
func (s *SetCosts) joinedTiles(width, piece, extent, lines int64) int64 {
	return ceilDiv(extent, piece/width) * (s.Strip + ceilDiv(lines*width, csrc.LaneBytes)*3/2*s.Tile[log2(int32(width))])
}

// walk returns the order in which the job's program visits the source and the destination. For
// units it is about that of the nest's loops.
func (j *job) walk() (w walk) {
	p, n := j.p, j.nest
	w.width, w.nt = int64(p.Width), p.NT != 0
	switch p.Kind {
	case csrc.Tiled:
		t := p.Tiles()
		if j.loop == csrc.Joined {
			band := min(t.Across.Extent, 4*csrc.LineBytes/w.width)
			w.loop(band, t.Across.Src, t.Across.Dst)
			w.loop(p.Row.Extent, p.Row.Src, p.Row.Dst)
			w.loop(t.Join.Extent, t.Join.Src, t.Join.Dst)
			w.loop(ceilDiv(t.Across.Extent, band), t.Across.Src*band, t.Across.Dst*band)
			break
		}
		block := t.Block
		if block == 0 {
			block = p.Row.Extent
		}
		if j.loop == csrc.Folded {
			w.loop(t.Fold.Extent, t.Fold.Src, t.Fold.Dst)
			w.loop(min(block, p.Row.Extent), p.Row.Src, p.Row.Dst)
			w.loop(t.Across.Extent, t.Across.Src, t.Across.Dst)
			w.loop(ceilDiv(p.Row.Extent, block), p.Row.Src*block, p.Row.Dst*block)
			break
		}
		high := csrc.LaneBytes / w.width
		band := min(t.Across.Extent, ceilDiv(ceilDiv(4*csrc.LineBytes, t.Across.Src), high)*high)
		w.loop(min(high, band), t.Across.Src, t.Across.Dst)
		w.loop(min(block, p.Row.Extent), p.Row.Src, p.Row.Dst)
		w.loop(ceilDiv(band, high), t.Across.Src*high, t.Across.Dst*high)
		w.loop(ceilDiv(p.Row.Extent, block), p.Row.Src*block, p.Row.Dst*block)
		w.loop(ceilDiv(t.Across.Extent, band), t.Across.Src*band, t.Across.Dst*band)
	case csrc.Windowed, csrc.Masked:
		for i := n.Rank - 1; i >= 0 && i >= p.Outer; i-- {
			w.loop(n.Dims[i].Extent, n.Dims[i].Src, n.Dims[i].Dst)
		}
	case csrc.Placed, csrc.MaskedAt:
		for i := n.Rank - 1; i >= 0; i-- {
			w.loop(n.Dims[i].Extent, n.Dims[i].Src, n.Dims[i].Dst)
		}
		return w
	default:
		w.loop(p.Row.Extent, p.Row.Src, p.Row.Dst)
	}
	for i := p.Outer - 1; i >= 0; i-- {
		w.loop(p.Dims[i].Extent, p.Dims[i].Src, p.Dims[i].Dst)
	}
	return w
}
