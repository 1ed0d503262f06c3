package plan

import (
	"math/bits"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// kindShuffle under masks, by the example of kind_shuffle.go: a row of 100 RGB pixels becomes BGR.
//
//	for i in 100 { for c in 3 { dst[3*i + c] = src[3*i + 2 - c] } }
//
// A vector of AVX-512 has room for 21 pixels, whose 63 bytes lie in one window. The mask
// 0x7fffffffffffffff takes these bytes of it, and one permutation brings them in order:
//
//	2 1 0  5 4 3  ...  62 61 60
//
// Four vectors are stored as a whole and make bytes 0 to 251; each overwrites the excess byte of
// the one before. The tail makes bytes 237 to 299. Its window ends with them, and so does its
// vector, which is stored under a mask that hides the first byte. Several windows are merged as
// they are loaded: each mask takes other bytes.

// permute prepares a program whose rows are made of vectors of 64 bytes, each of windows that are
// merged under masks. It reports success.
func (j *job) permute() bool {
	const v = program.PermuteBytes
	r := &j.row
	n := r.bytes()
	limit, q, calls := min(v/r.period, r.repeat), abs(r.advance), rows(j.nest.Dims[:r.outer])
	// A vector has as many periods as fit it, or as fit one, two or three windows, whichever costs
	// least. Windows are found from the lowest position up. If a row descends and its vectors move
	// by whole lines, or not at all, they are found from the highest position down: sources often
	// end where a line does, and then these windows straddle no lines.
	var best, found blend
	var buffer [v]int64
	m := j.p.Masks()
	cheapest, tried := infiniteCost, int64(0)
	m.Advance = 0
	for _, windows := range [...]int64{program.MaxWindows, 3, 2, 1} {
		periods := limit
		if q != 0 && windows <= 3 {
			periods = max(1, min(limit, windows*v/q))
		}
		if periods == tried || periods == 1 && r.period < r.bytes() && r.period == int64(j.nest.Width) {
			continue // tried already, or a vector of one element of a longer row
		}
		tried = periods
		size := periods * r.period
		pos := buffer[:size/r.grain]
		r.positions(pos, 0, 0)
		byLines, atMost := periods*r.advance%program.LineBytes == 0, j.cheaper(program.Permute, ceilDiv(cheapest*size, v))
		if !found.find(pos, r.grain, v, atMost, r.descends() && byLines, !byLines || size == n && fewRows(calls)) {
			continue
		}
		cheapest, best = j.vectorCost(program.Permute, int32(found.windows))*v/size, found
		m.Advance, m.Step = size, periods*r.advance
	}
	if m.Advance == 0 {
		return false
	}
	m.LastDst = n - m.Advance
	m.LastSrc = m.LastDst / r.period * r.advance
	pos := buffer[:m.Advance/r.grain]
	r.positions(pos, 0, 0)
	ws := windows{found: best}
	ws.findSides(pos, m.Step, fewRows(calls))
	// The windows of a vector are loaded in the direction in which the loop walks the source, since
	// processors prefetch in that direction. A loop with non-temporal stores walks upwards.
	for _, c := range [...]*blend{&ws.found, &ws.front, &ws.rear} {
		if ascending := !r.descends() || j.NonTemporal; ascending != c.ascends() {
			c.reverse()
		}
	}
	whole, vectors := wholeVectors(n, m.Advance), ceilDiv(n, m.Advance)
	ahead := j.tails(m, &ws, items{1, m.Advance, m.Advance}, n, max(whole, vectors-1, 1), span{r.lo, r.hi})
	m.Count = min(whole, ahead)
	m.Ahead = ahead - m.Count
	return j.useLoop(program.Permute, best.windows)
}

// wholeVectors returns how many vectors of 64 bytes lie in n bytes if each begins `advance` bytes
// behind the one before.
func wholeVectors(n, advance int64) int64 {
	return max(0, floorDiv(n-program.PermuteBytes, advance)+1)
}

// fewRows reports whether so many rows or vectors are few enough to spend up to a nanosecond on
// each, so that no mask hides bytes of an absent page. A load or a store under such a mask costs a
// microcode assist, 230 ns on a Zen 5.
func fewRows(count int64) bool { return count <= 64 }

// rows returns how many rows loops make.
func rows(loops []nest.Dim) int64 {
	n := int64(1)
	for _, d := range loops {
		n *= d.Extent
	}
	return n
}

// windows has the windows of a vector, found in three ways. Bytes of `found` that masks hide may
// lie outside of the row's source on either side. For the first vector of a long row, the bytes of
// `front` that masks hide lie inside the source, and for the last vector those of `rear`. `front`
// and `rear` are set if `sides` is true.
type windows struct {
	found, front, rear blend
	sides              bool
}

// findSides finds the first and the last windows, which must be as many as found. The positions of
// the grains are at pos, and `step` leads from a vector of the row to the next. Several windows of
// a tail that are its own cost time in each row, so they are found only if there are few rows.
func (w *windows) findSides(pos []int64, step int64, isTail bool) {
	const v = program.PermuteBytes
	f, count := &w.found, w.found.windows
	lo, hi := extreme(pos, lowBits(int64(len(pos))), false), extreme(pos, lowBits(int64(len(pos))), true)
	if low, high := f.reach(); step == 0 || low >= lo && high <= hi+f.grain || count > 1 && !isTail {
		return
	}
	w.sides = w.front.find(pos, f.grain, v, count, step < 0, false) && w.rear.find(pos, f.grain, v, count, step > 0, false) &&
		w.front.windows == count && w.rear.windows == count
}

// items are the parts of a vector that are stored: `count` parts of `width` bytes, each `apart`
// bytes behind the one before.
type items struct{ count, width, apart int64 }

// bytes returns how many bytes there are from the first item to the end of the last.
func (i items) bytes() int64 { return (i.count-1)*i.apart + i.width }

// set sets x to make a vector of the windows of c. The first item is `back` bytes behind the
// beginning of the vector.
func (i items) set(x *program.Merged, c *blend, back int64) {
	x.Windows, x.At, x.Take, x.Store = int32(c.windows), c.starts, c.bytes(), 0
	var index [program.PermuteBytes]uint8
	c.index(index[:], int(i.count*i.width/c.grain))
	for k := range i.count {
		copy(x.Index[back+k*i.apart:], index[k*i.width:][:i.width])
		x.Store |= lowBits(i.width) << (back + k*i.apart)
	}
}

// tails sets the vectors and the tails of m, and returns how many vectors come before the tails, at
// most `limit`. The row has n bytes, and `source` is the span of its source. If both are long
// enough, the bytes that masks hide lie inside them. Otherwise these may lie outside.
func (j *job) tails(m *program.Masks, w *windows, i items, n, limit int64, source span) (ahead int64) {
	vectors := ceilDiv(n, m.Advance)
	try := func(sides, store bool) bool {
		front, rear, back := &w.found, &w.found, int64(0)
		ahead = limit
		if sides {
			front, rear = &w.front, &w.rear
			ahead = min(ahead, source.steps(front, 0, m.Step))
		}
		if store {
			back = program.PermuteBytes - i.bytes()
			ahead = min(ahead, wholeVectors(n, m.Advance))
		}
		m.Tails = int32(vectors - ahead)
		m.TailSrc, m.TailDst = m.LastSrc, m.LastDst-back
		if m.Tails > 1 {
			m.TailSrc, m.TailDst = ahead*m.Step, ahead*m.Advance-back
		}
		if m.Tails > 0 && (m.TailDst < 0 || sides && source.steps(rear, m.TailSrc, m.Step) == 0) || j.NonTemporal && ahead < limit {
			return false
		}
		m.LastDst -= back
		i.set(&m.Each, front, 0)
		i.set(&m.Tail, rear, back)
		m.Own = 0
		if sides && rear.windows > 1 {
			m.Own = 1
		}
		return true
	}
	_ = w.sides && (try(true, true) || try(true, false)) || try(false, true) || try(false, false)
	return ahead
}

// reach returns where the lowest window begins and where the highest ends.
func (c *blend) reach() (low, high int64) {
	starts := c.starts[:c.windows]
	return int64(slices.Min(starts)), int64(slices.Max(starts)) + program.PermuteBytes
}

// steps returns how many vectors, one after another, have all windows in s. The windows are those
// of c, counted from `start` for the first vector, and from `step` bytes further on for each that
// follows.
func (s span) steps(c *blend, start, step int64) int64 {
	low, high := c.reach()
	roomBelow, roomAbove := start+low-s.lo, s.hi-start-high
	switch {
	case roomBelow < 0 || roomAbove < 0:
		return 0
	case step < 0:
		return roomBelow/-step + 1
	}
	return roomAbove/max(1, step) + 1
}

// costOfMasks returns what a row costs if its vectors are made under masks.
func (j *job) costOfMasks() int64 {
	m := j.p.Masks()
	windows, vectors := m.Each.Windows, m.Count+m.Ahead+int64(m.Tails)
	tails := int64(1)
	if j.Kind != kindSpread {
		tails = vectors - wholeVectors(m.LastDst+int64(bits.Len64(m.Tail.Store)), m.Advance)
	}
	return (vectors-tails)*j.vectorCost(program.FormOf(j.p.Loop), windows) + tails*int64(windows)*j.costs.Tail
}

// ascends reports whether the windows are in ascending order of where they begin. A single window
// is.
func (c *blend) ascends() bool { return c.windows < 2 || c.starts[0] < c.starts[1] }

// reverse puts the windows in the opposite order.
func (c *blend) reverse() {
	slices.Reverse(c.starts[:c.windows])
	slices.Reverse(c.taken[:c.windows])
}

// A span begins at byte lo and ends before byte hi.
type span struct{ lo, hi int64 }
