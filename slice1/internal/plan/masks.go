package plan

import (
	"math"

	"github.com/seed2e45c115/dml/csrc"
)

// takenFor returns the bytes of window k that the given positions are at.
func (c *cover) takenFor(pos []int64, k int) (taken uint64) {
	for _, p := range pos {
		if at := p - int64(c.at[k]); at >= 0 && at < csrc.PermuteBytes {
			taken |= c.taken[k] & (1 << at)
		}
	}
	return taken
}

// setWindows sets the windows of m to those of c. The last vector of a row has the
// positions in last.
func (c *cover) setWindows(m *csrc.Masks, last []int64) {
	m.Windows = int32(c.windows)
	m.At, m.Take = c.at, c.taken
	for k := range c.windows {
		m.LastTake[k] = c.takenFor(last, k)
	}
}

// permute prepares rows of 64-byte vectors whose windows are merged under masks. It
// reports whether there are such vectors and, unless the kind is asked for, whether
// they pay.
func (j *job) permute() bool {
	const v = csrc.PermuteBytes
	r, width := &j.row, int64(j.nest.Width)
	n := r.bytes()
	most, q := min(v/r.period, r.repeat), abs(r.advance)
	if r.period == width && q >= csrc.LineBytes && !j.asked {
		return false // elements a line apart
	}
	// As many periods as fit a vector, or as fit one, two or three windows.
	var best, found cover
	var buffer [v]int64
	m := j.p.Masks()
	least, tried := int64(math.MaxInt64), int64(0)
	for _, windows := range [...]int64{csrc.MaxWindows, 3, 2, 1} {
		periods := most
		if q != 0 && windows <= 3 {
			periods = max(1, min(most, windows*v/q))
		}
		if periods == tried {
			continue
		}
		tried = periods
		pos := buffer[:periods*r.period]
		r.positions(pos, 0, 0)
		if !found.find(pos, v, r.descends()) {
			continue
		}
		// Loads that straddle lines come at one a cycle, as permutations and stores do.
		if cost := cycle * max(1, int64(found.windows)) * v / int64(len(pos)); cost < least {
			least, best = cost, found
			m.Advance, m.Step = int64(len(pos)), periods*r.advance
		}
	}
	if least == math.MaxInt64 || !j.asked && r.period == width && least > gatherCost(v, width) {
		return false
	}
	m.Count = 0
	if n >= v {
		m.Count = (n-v)/m.Advance + 1
	}
	left := n - m.Count*m.Advance
	m.Tails = int32(ceilDiv(left, m.Advance))
	last := left - max(0, int64(m.Tails)-1)*m.Advance
	m.LastStore = lowBits(last)
	pos := buffer[:m.Advance]
	r.positions(pos, 0, 0)
	for i, p := range pos {
		m.Index[i] = uint8(best.place(v, p))
	}
	best.setWindows(m, pos[:last])
	j.take(csrc.Masked, csrc.Permute, best.windows)
	return true
}

// maskedUnits prepares rows of units that are merged under masks. It reports success.
func (j *job) maskedUnits() bool {
	const v = csrc.PermuteBytes
	b := j.p.MaskedUnits()
	u := units{at: &b.At}
	if !u.collect(j) || j.copies && !j.asked && u.count < 16 {
		return false
	}
	// Upwards always: a mask that hides an absent page costs a microcode assist, and
	// before a source there is one more often than behind it.
	var c cover
	pos := j.row.pattern[:u.size]
	if !c.find(pos, v, false) {
		return false
	}
	if _, has := csrc.Loop(j.number, csrc.UnitsPermute, c.windows); !has {
		return false
	}
	b.Unit = u.size
	b.Whole = (u.size*u.count-v)/u.size + 1 // two units at least, each half a vector: the row is a vector
	b.Tails = u.count - b.Whole
	b.Store = lowBits(u.size)
	b.Windows = int32(c.windows)
	b.WindowAt, b.Take = c.at, c.taken
	for i, p := range pos {
		b.Index[i] = uint8(c.place(v, p))
	}
	j.take(csrc.MaskedAt, csrc.UnitsPermute, c.windows)
	j.around(&u)
	return true
}

// spread prepares an innermost loop with gaps between the elements of the destination.
// It reports success.
func (j *job) spread() bool {
	const v = csrc.PermuteBytes
	in, width := j.inner, int64(j.nest.Width)
	many := min(v/in.Dst, in.Extent)
	if many < 2 {
		return false
	}
	var buffer [v]int64
	pos := buffer[:many*width]
	for i := range pos {
		pos[i] = int64(i)/width*in.Src + int64(i)%width
	}
	var c cover
	if !c.find(pos, v, in.Src < 0) || int64(c.windows) >= many {
		return false
	}
	m := j.p.Masks()
	m.Count = in.Extent / many
	m.Advance, m.Step = many*in.Dst, many*in.Src
	last := in.Extent % many * width
	m.Tails = int32(min(1, last))
	m.Store, m.LastStore = 0, 0
	for i, p := range pos {
		to := int64(i)/width*in.Dst + int64(i)%width
		m.Index[to] = uint8(c.place(v, p))
		m.Store |= 1 << to
		if int64(i) < last {
			m.LastStore |= 1 << to
		}
	}
	c.setWindows(m, pos[:last])
	j.take(csrc.Masked, csrc.Spread, c.windows)
	return true
}
