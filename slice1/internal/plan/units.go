package plan

import (
	"math"

	"github.com/seed2e45c115/dml/csrc"
)

// units is a row of equal units: the first bytes of a job's row, from several places
// of the source.
type units struct {
	size, lo, hi int64 // bytes of a unit, and its span in the source
	count        int64
	outer        int      // loops around the row,
	around       csrc.Dim // the innermost of them
	at           *[csrc.MaxUnits]int32
}

// divisor returns the largest divisor of n that is at most the given number.
func divisor(n, most int64) int64 {
	for f := min(n, most); f > 1; f-- {
		if n%f == 0 {
			return f
		}
	}
	return 1
}

// collect makes the job's short row and the loops that continue it one row of equal
// units, as large as fit a vector. If a loop has too many iterations, some stay around
// the units. It reports success.
func (u *units) collect(j *job) bool {
	n, r, v := j.nest, &j.row, j.set.Vector
	bytes, outer := r.bytes(), r.outer
	if outer == 0 || n.Dims[outer-1].Dst != bytes {
		return false
	}
	many := divisor(r.repeat, v/r.period)
	u.size = many * r.period
	u.lo, u.hi = 0, 0
	for i := range u.size {
		from := r.source(i)
		r.pattern[i] = from // itself within the period
		u.lo, u.hi = min(u.lo, from), max(u.hi, from+1)
	}
	u.count = 1
	u.at[0] = 0
	lo, hi := int64(0), int64(0)
	for next := (csrc.Dim{Extent: r.repeat / many, Src: r.advance * many, Dst: u.size}); ; {
		f := divisor(next.Extent, csrc.MaxUnits/u.count)
		if abs(next.Src) > math.MaxInt32/2/next.Extent-(hi-lo) {
			return false
		}
		for i := u.count; i < u.count*f; i++ {
			u.at[i] = int32(int64(u.at[i-u.count]) + next.Src)
		}
		u.count *= f
		lo += min(0, next.Src*(f-1))
		hi += max(0, next.Src*(f-1))
		if f < next.Extent {
			u.outer = outer + 1
			u.around = csrc.Dim{Extent: next.Extent / f, Src: next.Src * f, Dst: next.Dst * f}
			return u.count > 1
		}
		u.outer = outer
		if outer == 0 {
			return true
		}
		u.around = csrc.Dim(n.Dims[outer-1])
		if u.around.Dst != u.count*u.size {
			return true
		}
		outer--
		next = u.around
	}
}

// units prepares rows of units. It reports success.
func (j *job) units() bool {
	if j.set.Masks {
		return j.maskedUnits()
	}
	b := j.p.Units()
	u := units{at: &b.At}
	if !u.collect(j) {
		return false
	}
	r, v, width := &j.row, j.set.Vector, int64(j.nest.Width)
	pos := r.pattern[:u.size]
	down := r.pattern[u.size-1] < 0
	paired := u.size == csrc.LaneBytes && v == 2*csrc.LaneBytes
	form, best := csrc.UnitsLanes, int64(math.MaxInt64)
	for try := range 2 {
		var x csrc.Vector
		f, ok := csrc.Lanes, false
		if try == 0 {
			ok = lanes(&x, pos, int(v/csrc.LaneBytes), j.set.Lookup, down, -anywhere, anywhere)
		} else {
			f, ok = j.merged(&x, pos, down, v, best)
		}
		if !ok || x.Windows > csrc.MaxUnitWindows {
			continue
		}
		cost := j.vectorCost(f, x.Windows)
		if f == csrc.Lanes && paired {
			cost /= 2 // units of a lane come two to a vector, each from where it is
		}
		f += csrc.UnitsLanes - csrc.Lanes
		if _, has := csrc.Loop(j.number, f, int(x.Windows)); has && cost < best {
			best, form = cost, f
			b.Each = x
		}
	}
	if best == math.MaxInt64 {
		return false
	}
	if paired && form == csrc.UnitsLanes {
		for k := range b.Each.Pick[:b.Each.Windows] {
			pick := &b.Each.Pick[k]
			copy(pick[csrc.LaneBytes:], pick[:csrc.LaneBytes])
		}
	}
	b.Count, b.Unit = u.count, u.size
	findAlone(b, &u, form, v)
	for i := int64(0); i < u.size; i += width {
		b.Element[i/width] = int32(r.pattern[i])
	}
	j.take(csrc.Placed, form, int(b.Each.Windows))
	j.around(&u)
	return true
}

// findAlone sets b.Alone: the units whose vector would load outside the span of all units
// or store past the row.
func findAlone(b *csrc.Units, u *units, form csrc.Form, v int64) {
	alone := 0
	var lo, hi int64
	for _, at := range u.at[:u.count] {
		lo, hi = min(lo, int64(at)), max(hi, int64(at))
	}
	first, end := reach(&b.Each, form-(csrc.UnitsLanes-csrc.Lanes), v)
	for i := range u.count {
		at := int64(u.at[i])
		if at+first < lo+u.lo || at+end > hi+u.hi || i*u.size+v > u.count*u.size {
			b.Alone[alone] = uint16(i)
			alone++
		}
	}
	b.Alone[alone] = uint16(u.count)
}

// around lets the loops around the units of u be those around the row.
func (j *job) around(u *units) {
	j.p.Outer = int32(u.outer)
	if u.outer > 0 {
		j.p.Dims[u.outer-1] = u.around
	}
}
