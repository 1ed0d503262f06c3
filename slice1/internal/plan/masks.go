package plan

import (
	"math"

	"github.com/seed2e45c115/dml/csrc"
)

// permute prepares rows of 64-byte vectors whose windows are merged under masks. It
// reports success.
func (j *job) permute() bool {
	const v = csrc.PermuteBytes
	r := &j.row
	n := r.bytes()
	most, q := min(v/r.period, r.repeat), abs(r.advance)
	// As many periods as fit a vector, or as fit one, two or three windows. These are found
	// from the lowest position up: a mask that hides an absent page costs a microcode assist,
	// and before a source there is one more often than behind it.
	var best, found cover
	var buffer [v]int64
	m := j.p.Masks()
	least, tried := int64(math.MaxInt64), int64(0)
	for _, windows := range [...]int64{csrc.MaxWindows, 3, 2, 1} {
		periods := most
		if q != 0 && windows <= 3 {
			periods = max(1, min(most, windows*v/q))
		}
		if periods == tried || periods == 1 && r.period < r.bytes() && r.period == int64(j.nest.Width) {
			continue // a vector of one element
		}
		if j.vectorCost(csrc.Permute, 1)*v/(periods*r.period) >= least {
			continue
		}
		tried = periods
		pos := buffer[:periods*r.period]
		r.positions(pos, 0, 0)
		if !found.find(pos, v, false) {
			continue
		}
		if cost := j.vectorCost(csrc.Permute, int32(found.windows)) * v / int64(len(pos)); cost < least {
			least, best = cost, found
			m.Advance, m.Step = int64(len(pos)), periods*r.advance
		}
	}
	if least == math.MaxInt64 {
		return false
	}
	m.Count = 0
	if n >= v {
		m.Count = (n-v)/m.Advance + 1
	}
	m.Tails = int32(ceilDiv(n-m.Count*m.Advance, m.Advance))
	m.Store = lowBits(m.Advance)
	m.LastDst = n - m.Advance
	m.LastSrc = m.LastDst / r.period * r.advance
	pos := buffer[:m.Advance]
	r.positions(pos, 0, 0)
	for i, p := range pos {
		m.Index[i] = uint8(best.place(v, p))
	}
	m.Windows, m.At, m.Take = int32(best.windows), best.at, best.taken
	j.take(csrc.Masked, csrc.Permute, best.windows)
	return true
}

// maskedUnits prepares rows of units that are merged under masks. It reports success.
func (j *job) maskedUnits() bool {
	const v = csrc.PermuteBytes
	b := j.p.MaskedUnits()
	u := units{at: &b.At}
	if !u.collect(j) {
		return false
	}
	var c cover
	pos := j.row.pattern[:u.size]
	if !c.find(pos, v, false) {
		return false
	}
	if _, has := csrc.Loop(j.number, csrc.UnitsPermute, c.windows); !has {
		return false
	}
	b.Unit = u.size
	b.Whole = max(0, (u.size*(u.count+1)-v)/u.size)
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
	if !c.find(pos, v, false) || int64(c.windows) >= many {
		return false
	}
	m := j.p.Masks()
	m.Count = in.Extent / many
	m.Advance, m.Step = many*in.Dst, many*in.Src
	m.Tails = int32(min(1, in.Extent%many))
	m.LastDst, m.LastSrc = (in.Extent-many)*in.Dst, (in.Extent-many)*in.Src
	m.Store = 0
	for i, p := range pos {
		to := int64(i)/width*in.Dst + int64(i)%width
		m.Index[to] = uint8(c.place(v, p))
		m.Store |= 1 << to
	}
	m.Windows, m.At, m.Take = int32(c.windows), c.at, c.taken
	j.take(csrc.Masked, csrc.Spread, c.windows)
	return true
}
