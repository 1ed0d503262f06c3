package plan

import (
	"math/bits"

	"github.com/seed2e45c115/dml/csrc"
)

// price returns what one run of a job's program costs: the call, the rows, the steps between them,
// the cache lines, and making the program if it runs once. The program must not be linked yet.
func (h *Host) price(j *job, w *Work) int64 {
	walk := j.walk()
	cost := j.costs.Call + loops(j.p, j.costs) + j.rows(h.Costs) + h.cost(&walk, &j.costs.Lines, w.Lines)
	if w.Once {
		cost += h.Costs.making(j.p.Kind)
	}
	return cost
}

// making returns what it costs to make a program whose body is of kind k.
func (c *Costs) making(k csrc.Kind) int64 {
	if k <= csrc.Tiled {
		return c.Make
	}
	return c.Make + c.Find
}

// loops returns what all steps from row to row of p cost. p must not be linked yet.
func loops(p *csrc.Program, s *SetCosts) (cost int64) {
	steps := int64(1)
	for i := range p.Outer {
		before := steps
		steps *= p.Dims[i].Extent
		switch i {
		case p.Outer - 1:
			cost += (steps - before) * s.Row
		case p.Outer - 2:
			cost += (steps - before) * s.Next
		default:
			cost += (steps - before) * s.Outer
		}
	}
	return cost
}

func log2(width int32) int { return bits.TrailingZeros32(uint32(width)) }

// rows returns what all rows of the program cost, with what its loop does before the first row.
func (j *job) rows(c *Costs) int64 {
	p, s, set := j.p, j.costs, j.set
	many := int64(1)
	for _, d := range p.Dims[:p.Outer] {
		many *= d.Extent
	}
	extent, log := p.Row.Extent, log2(p.Width)
	bytes := extent * int64(p.Width)
	vectors := ceilDiv(bytes, set.Vector)
	extra := int64(0)
	if j.p.NT != 0 {
		extra = j.nonTemporal(c, bytes)
	}
	switch p.Kind {
	case csrc.Tiled:
		t := p.Tiles()
		if j.loop == csrc.Joined {
			return many * s.joinedTiles(int64(p.Width), set.Piece, extent*t.Join.Extent, t.Across.Extent)
		}
		if p.NT != 0 {
			extra = extra*t.Across.Extent + ceilDiv(t.Across.Extent*bytes, csrc.LaneBytes/int64(p.Width)*set.Piece)*s.TileNT[log]
		}
		return many * (extra + s.tiles(int64(p.Width), set.Piece, extent, t.Block, t.Across, t.Fold))
	case csrc.Windowed:
		w := p.Windows()
		return s.Tables + int64(w.Main.Windows)*s.Table + many*j.rowOfWindows(c)
	case csrc.Masked:
		m := p.Masks()
		return s.Tables + int64(m.Windows)*s.Table + many*j.rowOfMasks(c)
	case csrc.Placed:
		u := p.Units()
		alone := int64(0)
		for int64(u.Alone[alone]) < u.Count {
			alone++
		}
		return s.Tables + int64(u.Each.Windows)*s.Table + many*(s.Units+(u.Count-alone)*(s.Unit+int64(u.Each.Windows)*s.UnitOf)+alone*(s.Alone+u.Unit/int64(p.Width)*s.AloneOf))
	case csrc.MaskedAt:
		u := p.MaskedUnits()
		return s.Tables + int64(u.Windows)*s.Table + many*(s.Units+u.Whole*(s.Unit+int64(u.Windows)*s.UnitOf)+u.Tails*(s.Tail+int64(u.Windows)*s.TailOf))
	}
	switch j.loop {
	case csrc.Copy:
		return many * (s.CopyRow + vectors*s.Copied + extra)
	case csrc.Fill:
		return many * (s.FillRow + vectors*s.Filled)
	case csrc.Gather:
		each := s.Gathered[log]
		if p.NT != 0 {
			each += s.GatheredNT
		}
		return many * (s.GatherRow + extent*each + extra)
	}
	return many * (s.ElementRow + extent*s.Element[log])
}

// rowOfWindows returns what each row of a program with body csrc.Windowed costs.
func (j *job) rowOfWindows(c *Costs) int64 {
	s, w := j.costs, j.p.Windows()
	cost := s.Main + w.Count*(j.vectorCost(j.loop, w.Main.Windows)+s.ragged(w.Advance, j.set.Vector))
	if isEvery(j.loop) {
		cost += j.vectorCost(j.loop, w.Main.Windows)
	} else {
		for _, t := range w.Tail[:w.Tails] {
			cost += s.Tail + int64(t.Vector.Windows)*s.TailOf
		}
	}
	if j.p.NT != 0 {
		cost += j.nonTemporal(c, j.row.bytes())
	}
	return cost
}

// rowOfMasks returns what each row of a program with body csrc.Masked costs.
func (j *job) rowOfMasks(c *Costs) int64 {
	s, m := j.costs, j.p.Masks()
	windows, tails := int64(m.Windows), int64(m.Tails)
	if j.loop == csrc.Spread {
		return s.Main + (m.Count+tails)*(s.Spread+windows*s.SpreadOf)
	}
	cost := s.Main + m.Count*(s.Lanes+windows*s.LanesOf+s.ragged(m.Advance, j.set.Vector)) + tails*(s.Tail+windows*s.TailOf)
	if j.p.NT != 0 {
		cost += j.nonTemporal(c, j.row.bytes())
	}
	return cost
}

// nonTemporal returns what non-temporal stores add to the cost of a row of `bytes` bytes.
func (j *job) nonTemporal(c *Costs, bytes int64) int64 {
	cost := ceilDiv(bytes, csrc.LineBytes) * c.NTLine
	if !j.wholeLines(bytes) {
		cost += c.NTPart
	}
	return cost
}

// ragged returns what a vector costs more if it advances by less than it stores, so that the next one
// overwrites a part of it. It returns 0 if the vector advances by all that it stores.
func (s *SetCosts) ragged(advance, vector int64) int64 {
	if advance < vector {
		return s.Ragged
	}
	return 0
}

// vectorCost returns what a vector costs that a loop of that form makes of `windows` windows.
func (j *job) vectorCost(form csrc.Form, windows int32) int64 {
	s, of := j.costs, int64(windows)
	switch form {
	case csrc.Every2, csrc.Every3, csrc.Every4:
		return of * s.Every[log2(j.nest.Width)]
	case csrc.Lanes, csrc.Permute:
		return s.Lanes + of*s.LanesOf
	case csrc.Cross:
		return s.Merged + s.Cross + of*s.MergedOf
	}
	return s.Merged + of*s.MergedOf
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
	if fold.Extent > 1 || extent < high {
		lines := across.Extent * fold.Extent
		if extent < high {
			each := s.FewApart[log]
			if fold.Extent == 1 && across.Dst == extent*width {
				each = s.Few[log]
			}
			return ceilDiv(lines, 2*high) * each
		}
		return ceilDiv(lines, high) * (blocks*s.Strip + ceilDiv(extent, piece/width)*s.Tile[log])
	}
	each := s.TileApart[log]
	switch abs(across.Src) {
	case width:
		each = s.Tile[log]
	case 2 * width:
		each = s.Tile2[log]
	}
	return ceilDiv(across.Extent, high) * (blocks*s.Strip + ceilDiv(extent, piece/width)*each)
}

// joinedTiles returns what the tiles of one transposed view cost whose rows, of `extent` elements,
// two loops make. Each strip of a row goes along a band of the lines.
func (s *SetCosts) joinedTiles(width, piece, extent, lines int64) int64 {
	wide := piece / width
	bands, tiles := ceilDiv(lines*width, 4*csrc.LineBytes), ceilDiv(lines*width, csrc.LaneBytes)
	return ceilDiv(extent, wide) * (bands*(s.Strip+wide*s.Joint) + tiles*s.Joined[log2(int32(width))])
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
