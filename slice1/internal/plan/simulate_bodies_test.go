package plan

import (
	"math/bits"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// tiles runs a transposed view like block_tiles of tile.h, or like table_views of table.h. With
// non-temporal stores it moves element after element.
func (s *simulator) tiles(to, from int64) {
	t, row, w := s.p.Tiles(), s.p.Row, int64(s.p.Width)
	high, wide, n, y := program.LaneBytes/w, s.set.Vector/w, row.Extent, t.Across
	if s.form == program.Table {
		s.table(to, from)
		return
	}
	must(row.Dst == w && y.Src > 0 && y.Extent >= high, "a tile of %+v across %+v", row, y)
	must(n >= wide, "a tile of rows of %d elements", n)
	if s.p.NT != 0 {
		must(n*w >= 2*program.LineBytes, "rows of %d bytes by non-temporal stores", n*w)
		s.times(y.Extent, func(j int64) {
			s.times(n, func(i int64) { s.move(to+j*y.Dst+i*w, from+j*y.Src+i*row.Src, w) })
		})
		return
	}
	must(t.Block >= wide && t.Block%wide == 0, "blocks of %d elements", t.Block)
	rows := t.Band
	must(rows > 0 && rows%high == 0, "bands of %d rows", rows)
	s.times(ceilDiv(y.Extent, rows), func(b int64) {
		end := min(b*rows+rows, y.Extent)
		s.times(ceilDiv(n, t.Block), func(c int64) {
			x0 := c * t.Block
			if n-x0 < wide {
				x0 = n - wide
			}
			count := min(n-x0, t.Block)
			for yt := b * rows; yt < end; yt += high {
				tall := high
				if w == 8 && y.Src == w && s.set.Vector == 32 && end-yt >= 2*high {
					tall = 2 * high
				}
				y0 := min(yt, y.Extent-tall)
				for x := int64(0); ; x += wide {
					x = min(x, count-wide)
					s.tile(to+y0*y.Dst, from+y0*y.Src, x0+x, tall, wide, y)
					if count-x <= wide {
						break
					}
				}
				yt += tall - high
			}
		})
	})
}

// table runs a transposed view of form Table. Of each line it loads what the tiles of table_tile
// load.
func (s *simulator) table(to, from int64) {
	t, row, w := s.p.Tiles(), s.p.Row, int64(s.p.Width)
	step, n, m := t.Across.Src, row.Extent*t.Join.Extent, t.Across.Extent*t.Fold.Extent
	if t.Fold.Extent > 1 {
		step = t.Fold.Src
		must(w < 8 && t.Across.Src == t.Fold.Extent*w && m*w >= program.LaneBytes && n*w >= s.set.Vector, "lines of %+v in %+v", t.Fold, t.Across)
	}
	most := int64(program.LaneBytes)
	if w == 8 {
		most = s.set.Vector
	}
	tall, wide := powerOf(m*w, most), powerOf(n*w, s.set.Vector)
	must(t.Join.Extent == 1 || row.Extent > 1 && m*w >= program.LaneBytes && t.Fold.Extent == 1, "rows of %+v are joined by %+v", row, t.Join)
	must(row.Dst == w && (t.Join.Extent == 1 || t.Join.Dst == row.Extent*w), "rows of %+v in %+v", row, t.Join)
	must(s.p.NT == 0 && m >= min(4, program.LaneBytes/w) && n >= 2 && (wide >= 4 || tall == program.LaneBytes) && (w < 8 || wide == s.set.Vector), "a table of %d by %d elements", m, n)
	must(step == w, "a table of every %d bytes", step)
	must(t.Block == n || t.Block%(s.set.Vector/w) == 0, "blocks of %d elements", t.Block)
	must(t.Band > 0 && t.Band%(program.LaneBytes/w) == 0, "bands of %d rows", t.Band)
	high := tall / w
	s.times(n, func(x int64) {
		line := from + x/row.Extent*t.Join.Src + x%row.Extent*row.Src
		s.times(ceilDiv(m, high), func(i int64) {
			first := min(i*high, m-high)
			s.loads(line+first*w, high*w)
			s.times(high, func(k int64) {
				y := first + k
				at := y * t.Across.Dst
				if t.Fold.Extent > 1 {
					at = y/t.Fold.Extent*t.Across.Dst + y%t.Fold.Extent*t.Fold.Dst
				}
				s.move(to+at+x*w, line+y*w, w)
			})
		})
	})
}

// tile copies a tile: `tall` rows of the destination, `wide` elements of each from element x on. y
// is the loop from row to row. If y moves the source by at most two elements, what the tile takes
// of a line of the source is loaded as a whole, up to the last element taken.
func (s *simulator) tile(to, from, x, tall, wide int64, y program.Dim) {
	w, row := int64(s.p.Width), s.p.Row
	for i := x; i < x+wide; i++ {
		line := from + i*row.Src
		if y.Src <= 2*w {
			s.loads(line, ((tall-1)*y.Src/w+1)*w)
		}
		for j := range tall {
			s.move(to+j*y.Dst+i*w, line+j*y.Src, w)
		}
	}
}

// windows runs a row of a program with body windowed, like row_windows of shuffle.h.
func (s *simulator) windows(to, from int64) {
	b, v := s.p.Shuffle(), s.set.Vector
	must(b.Tails >= 0 && b.Tails <= program.MaxTails, "%d tails", b.Tails)
	windows := s.variant
	switch {
	case isEvery(s.form):
		windows = int(s.form-program.Every2) + 2
		must(s.variant == int(s.p.Width), "elements of %d bytes by a loop for %d", s.p.Width, s.variant)
		must(b.Count == 0 || b.Advance == v && b.Step == v*int64(windows), "every %d with advance %d, step %d", windows, b.Advance, b.Step)
		must(b.Tails == 1, "%d tails", b.Tails)
	default:
		must(b.Count == 0 || windows == int(b.Main.Windows), "%d windows by a loop for %d", b.Main.Windows, windows)
	}
	must(s.p.NT == 0 || b.Advance == v && b.Count*v >= 2*program.LineBytes, "%d vectors of %d bytes by non-temporal stores", b.Count, b.Advance)
	s.times(b.Count, func(i int64) { s.put(to+i*b.Advance, s.main(from+i*b.Step, windows)) })
	if isEvery(s.form) && !s.set.Lookup {
		s.put(to+b.Tail[0].Dst, s.every(from+b.Tail[0].Src, int64(windows), v-int64(s.p.Width)))
		return
	}
	for i := range b.Tail[:b.Tails] {
		t := &b.Tail[i]
		x, n := &t.Vector, int(t.Vector.Windows)
		if s.set.Lookup {
			s.put(to+t.Dst, s.lookup(x, from+t.Src, n))
		} else {
			s.put(to+t.Dst, s.lanes(x, from+t.Src, n, int(b.TailLanes)))
		}
	}
}

// main returns the main vector that is made from an offset of the source.
func (s *simulator) main(at int64, windows int) []byte {
	x, v := &s.p.Shuffle().Main, s.set.Vector
	if isEvery(s.form) {
		apart := v
		if !s.set.Lookup {
			apart -= int64(s.p.Width)
		}
		return s.every(at, int64(windows), apart)
	}
	return s.shuffled(x, s.form, at, windows)
}

// every returns the vector of every k-th element from offset src on. It loads k windows of a
// vector each, which begin `apart` bytes from one another.
func (s *simulator) every(src, k, apart int64) []byte {
	v, w := s.set.Vector, int64(s.p.Width)
	for i := range k {
		s.loads(src+i*apart, v)
	}
	for j := range v {
		s.vector[j] = sourceByte(src + j/w*w*k + j%w)
	}
	return s.vector[:v]
}

// shuffled returns the vector that select_bytes of avx2.h or of neon.h makes.
func (s *simulator) shuffled(x *program.Vector, form program.Form, at int64, windows int) []byte {
	v := s.set.Vector
	switch {
	case form == program.Lanes && s.set.Lookup:
		return s.lookup(x, at, windows)
	case form == program.Lanes:
		return s.lanes(x, at, windows, int(v/program.LaneBytes))
	}
	merged := s.merged[:v]
	for k := range windows {
		from := at + int64(x.At[0][k])
		s.loads(from, v)
		for j := range merged {
			if k == 0 || x.Pick[k][j]&0x80 != 0 {
				merged[j] = sourceByte(from + int64(j))
			}
		}
	}
	out := s.vector[:v]
	perm := func(i, j, lane int) byte { // pshufb and tbl of one lane
		if at := int(x.Perm[i][j]); at < program.LaneBytes {
			return merged[lane*program.LaneBytes+at]
		}
		return 0
	}
	for j := range out {
		lane := j / program.LaneBytes
		switch form {
		case program.Dwords:
			out[j] = merged[x.Perm[0][j&^3]&7*4+uint8(j&3)]
		case program.Bytes:
			i := int(x.Perm[1][j&^3]&7)*4 + j&3
			out[j] = perm(0, i, i/program.LaneBytes)
		default:
			first := lane
			if windows == 1 {
				first = 0
			}
			out[j] = perm(0, j, first) | perm(1, j, 1-first)
		}
	}
	return out
}

// lanes returns the vector that tail_vector of avx2.h makes: each lane takes bytes of its own
// windows.
func (s *simulator) lanes(x *program.Vector, offset int64, windows, lanes int) []byte {
	out := s.vector[:lanes*program.LaneBytes]
	clear(out)
	for lane := range lanes {
		for k := range windows {
			index := offset + int64(x.At[lane][k])
			s.loads(index, program.LaneBytes)
			for j := lane * program.LaneBytes; j < (lane+1)*program.LaneBytes; j++ {
				if pick := x.Pick[k][j]; pick&0x80 == 0 {
					out[j] |= sourceByte(index + int64(pick&15))
				}
			}
		}
	}
	return out
}

// lookup returns what lookup of neon.h makes of the first four windows, merged with what it makes
// of the others.
func (s *simulator) lookup(x *program.Vector, at int64, windows int) []byte {
	out := s.vector[:program.LaneBytes]
	clear(out)
	for k := range windows {
		from := at + int64(x.At[0][k])
		s.loads(from, program.LaneBytes)
		for j := range out {
			if pick := int(x.Pick[k/4][j]); pick/program.LaneBytes == k%4 {
				out[j] |= sourceByte(from + int64(pick%program.LaneBytes))
			}
		}
	}
	return out
}

// units runs a row of units like row_units of shuffle.h.
func (s *simulator) units(to, from int64) {
	b, v := s.p.Units(), s.set.Vector
	form := s.form - inUnits
	must(b.Count > 0 && b.Count <= program.MaxUnits && b.Unit <= v, "%d units of %d bytes", b.Count, b.Unit)
	must(s.variant == int(b.Each.Windows), "%d windows by a loop for %d", b.Each.Windows, s.variant)
	paired := form == program.Lanes && b.Unit == program.LaneBytes && v == 2*program.LaneBytes
	i := int64(0)
	for alone := b.Alone[:]; ; alone = alone[1:] {
		for stop := int64(alone[0]); i < stop; i++ {
			if paired && i < stop-1 {
				lane := s.lanesAt(&b.Each, [2]int64{from + int64(b.At[i]), from + int64(b.At[i+1])})
				s.put(to+i*b.Unit, lane)
				i++
				continue
			}
			s.put(to+i*b.Unit, s.shuffled(&b.Each, form, from+int64(b.At[i]), s.variant))
		}
		if i == b.Count {
			return
		}
		w := int64(s.p.Width)
		for j := int64(0); j < b.Unit; j += w {
			s.move(to+i*b.Unit+j, from+int64(b.At[i])+int64(b.Element[j/w]), w)
		}
		i++
	}
}

// lanesAt is lanes for two lanes whose windows count from different offsets of the source.
func (s *simulator) lanesAt(x *program.Vector, at [2]int64) []byte {
	var moved program.Vector = *x
	for k := range moved.At[1] {
		moved.At[1][k] += int32(at[1] - at[0])
	}
	return s.lanes(&moved, at[0], s.variant, 2)
}

// underMasks returns the vector that permuted of avx512.h makes. Of each window it checks the load
// from the first byte that is taken to the last. Of the whole window it notes whether the row's
// source holds it.
func (s *simulator) underMasks(at int64, x *program.Merged) []byte {
	must(s.variant == int(x.Windows), "%d windows by a loop for %d", x.Windows, s.variant)
	clear(s.merged[:])
	for k := range s.variant {
		from, take := at+int64(x.At[k]), x.Take[k]
		first, end := bits.TrailingZeros64(take), bits.Len64(take)
		s.loads(from+int64(first), int64(end-first))
		s.hidesLoads = s.hidesLoads || from < s.loadLo || from+program.PermuteBytes > s.loadHi
		for j := range s.merged {
			if take>>j&1 != 0 {
				s.merged[j] = sourceByte(from + int64(j))
			}
		}
	}
	for j := range s.vector {
		s.vector[j] = s.merged[x.Index[j]&63]
	}
	return s.vector[:]
}

// putUnder puts the bytes of v whose bits are set in a mask, bit i for byte i. Of the whole vector
// it notes whether the row holds it.
func (s *simulator) putUnder(at int64, v []byte, mask uint64) {
	s.hidesStores = s.hidesStores || at < s.storeLo || at+int64(len(v)) > s.storeHi
	for i := range v {
		if mask>>i&1 != 0 {
			s.put(at+int64(i), v[i:i+1])
		}
	}
}

// masks runs a row of a program with body masked, like row_windows and row_tails.
func (s *simulator) masks(to, from int64) {
	b := s.p.Masks()
	tails := int64(b.Tails)
	must(s.p.NT == 0 || b.Advance == s.set.Vector && b.Ahead == 0 && tails <= 1 && b.Count >= 2, "%d vectors of %d bytes by non-temporal stores, %d tails", b.Count, b.Advance, tails)
	s.times(b.Count, func(i int64) { s.put(to+i*b.Advance, s.underMasks(from+i*b.Step, &b.Each)) })
	s.times(b.Ahead, func(i int64) {
		i += b.Count
		s.putUnder(to+i*b.Advance, s.underMasks(from+i*b.Step, &b.Each), b.Each.Store)
	})
	s.times(tails-1, func(i int64) {
		s.putUnder(to+b.TailDst+i*b.Advance, s.underMasks(from+b.TailSrc+i*b.Step, &b.Tail), b.Tail.Store)
	})
	if tails > 0 {
		s.putUnder(to+b.LastDst, s.underMasks(from+b.LastSrc, &b.Tail), b.Tail.Store)
	}
}

// maskedUnits runs a row of units like row_units of avx512.h.
func (s *simulator) maskedUnits(to, from int64) {
	b := s.p.MaskedUnits()
	must(b.Whole >= 0 && b.Tails >= 0 && b.Whole+b.Tails <= program.MaxUnits, "%d and %d units", b.Whole, b.Tails)
	for i := range b.Whole + b.Tails {
		at := from + int64(b.At[i])
		if i < b.Whole {
			s.put(to+i*b.Unit, s.underMasks(at, &b.Each))
		} else {
			s.putUnder(to+i*b.Unit-b.Back, s.underMasks(at, &b.Tail), b.Tail.Store)
		}
	}
}
