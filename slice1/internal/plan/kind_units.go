package plan

import (
	"math"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// kindUnits, by example: 8 rows of 8 RGB pixels, out of lines of 100 bytes, become BGR without
// gaps.
//
//	for y in 8 { for x in 8 { for c in 3 { dst[24*y + 3*x + c] = src[100*y + 3*x + 2 - c] } } }
//
// Rows of 24 bytes are too short for vectors and tails. But they follow each other in the
// destination, so all are one row of 192 bytes, which is cut into units. With NEON a unit is 4
// pixels, 12 bytes. Each is made alike from one window of 16 bytes, which begins 2 bytes below the
// unit's first element, by these indices:
//
//	2 1 0  5 4 3  8 7 6  11 10 9  none none none none
//
// A table says where the first element of each unit lies, counted from the first element of
// the first unit:
//
//	0 12  100 112  200 212  ...  700 712
//
// A unit is stored as a vector of 16 bytes, and the next one overwrites the last 4. The last unit
// would store behind the row, so it is copied alone, element by element.

// units is a row of the destination that consists of equal units. The bytes of all units lie in the
// source in the same way, for each unit from another place on.
type units struct {
	size   int64 // bytes of a unit
	lo, hi int64 // the source of all units from its first element: first byte, one past the last
	count  int64
	starts *[program.MaxUnits]int32 // where each unit begins in the source, from the first unit
}

// divisor returns the largest divisor of n that is at most `limit`, or 1 if `limit` is below 1.
func divisor(n, limit int64) int64 {
	for f := min(n, limit); f > 1; f-- {
		if n%f == 0 {
			return f
		}
	}
	return 1
}

// divide divides the job's row into equal units. A unit has as many periods as fit a vector, of the
// numbers that divide the number of periods of the row. pos says where the grains of a unit lie in
// the source, in bytes from the unit's first element. ok is false if there is no loop around the
// row, or if the innermost one around it does not continue the row in the destination.
func (u *units) divide(j *job) (pos []int64, ok bool) {
	n, r := j.nest, &j.row
	if r.outer == 0 || n.Dims[r.outer-1].Dst != r.bytes() {
		return nil, false
	}
	u.size = divisor(r.repeat, j.set.Vector/r.period) * r.period
	u.lo, u.hi = 0, 0
	pos = r.pattern[:u.size/r.grain]
	r.positions(pos, 0, 0) // reads only the first period, and leaves it as it is
	for _, position := range pos {
		u.lo, u.hi = min(u.lo, position), max(u.hi, position+r.grain)
	}
	return pos, true
}

// place puts the units of the row, and of the loops around it that continue it, into the table
// u.starts. If a loop has too many iterations for the table, a divisor of their number goes into
// it, and a loop over the others stays around the units. The other loops stay in the job's program.
// place returns false if a place might not fit 32 bits, or if the table gets only one unit.
func (u *units) place(j *job) bool {
	p, r := j.p, &j.row
	grains := u.size / r.period
	u.count = 1
	u.starts[0] = 0
	p.Outer = int32(r.outer)
	for loop := (nest.Dim{Extent: r.repeat / grains, Src: r.advance * grains, Dst: u.size}); ; p.Outer-- {
		f := divisor(loop.Extent, program.MaxUnits/u.count)
		if abs(loop.Src) > (math.MaxInt32/2-(u.hi-u.lo))/loop.Extent {
			return false
		}
		for i := u.count; i < u.count*f; i++ {
			u.starts[i] = int32(int64(u.starts[i-u.count]) + loop.Src)
		}
		u.count *= f
		u.lo += min(0, loop.Src*(f-1))
		u.hi += max(0, loop.Src*(f-1))
		if f < loop.Extent {
			p.Dims[p.Outer] = nest.Dim{Extent: loop.Extent / f, Src: loop.Src * f, Dst: loop.Dst * f}
			p.Outer++
			return u.count > 1
		}
		if p.Outer == 0 || p.Dims[p.Outer-1].Dst != u.count*u.size {
			return true
		}
		loop = p.Dims[p.Outer-1]
	}
}

// units prepares a program whose rows are made of units. It reports success.
func (j *job) units() bool {
	j.collect()
	if j.set.Masks {
		return j.maskedUnits()
	}
	b := j.p.Units()
	u := units{starts: &b.At}
	pos, ok := u.divide(j)
	if !ok {
		return false
	}
	r, v, width := &j.row, j.set.Vector, int64(j.nest.Width)
	descending := pos[len(pos)-1] < 0
	paired := u.size == program.LaneBytes && v == 2*program.LaneBytes
	form, cost := j.vector(&b.Each, pos, program.MaxUnitWindows, descending, true, infiniteCost)
	if cost == infiniteCost || !u.place(j) {
		return false
	}
	if paired && form == program.Lanes {
		for k := range b.Each.Pick[:b.Each.Windows] {
			pick := &b.Each.Pick[k]
			copy(pick[program.LaneBytes:], pick[:program.LaneBytes])
		}
	}
	b.Count, b.Unit = u.count, u.size
	findAlone(b, &u, form, v)
	for i := int64(0); i < u.size; i += width {
		b.Element[i/width] = int32(r.pattern[i/r.grain])
	}
	return j.useLoop(form+inUnits, int(b.Each.Windows))
}

// findAlone sets b.Alone to the numbers, in ascending order, of the units whose vector would load
// outside of the source of all units or store behind the row. The list ends with the number of all
// units.
func findAlone(b *program.Units, u *units, form program.Form, v int64) {
	alone := 0
	begin, end := reach(&b.Each, form, v)
	for i := range u.count {
		start := int64(u.starts[i])
		if start+begin < u.lo || start+end > u.hi || i*u.size+v > u.count*u.size {
			b.Alone[alone] = uint16(i)
			alone++
		}
	}
	b.Alone[alone] = uint16(u.count)
}

// maskedUnits prepares a program whose rows are made of units, each of windows that are merged
// under masks. It reports success.
func (j *job) maskedUnits() bool {
	const v = program.PermuteBytes
	b := j.p.MaskedUnits()
	u := units{starts: &b.At}
	pos, ok := u.divide(j)
	if !ok {
		return false
	}
	var w windows
	if !w.found.find(pos, j.row.grain, v, program.MaxWindows, false, fewRows(nest.Bytes(j.nest)/u.size)) ||
		!j.useLoop(program.UnitsPermute, w.found.windows) || !u.place(j) {
		return false
	}
	b.Unit, b.Back = u.size, 0
	b.Whole = max(0, (u.size*(u.count+1)-v)/u.size)
	b.Tails = u.count - b.Whole
	if b.Whole*u.size >= v-u.size {
		b.Back = v - u.size
	}
	// Where possible, masks hide only bytes inside the source of all units, as in function tails.
	front, rear := &w.found, &w.found
	step := int64(u.starts[u.count-1])
	if w.findSides(pos, step, false); w.sides && u.holdWindows(0, b.Whole, &w.front) && u.holdWindows(b.Whole, u.count, &w.rear) {
		front, rear = &w.front, &w.rear
	}
	unit := items{1, u.size, u.size}
	unit.set(&b.Each, front, 0)
	unit.set(&b.Tail, rear, b.Back)
	return true
}

// holdWindows reports whether the windows of c for units i to end - 1 lie inside the source of all
// units.
func (u *units) holdWindows(i, end int64, c *blend) bool {
	for _, start := range u.starts[i:end] {
		if (span{u.lo, u.hi}).steps(c, int64(start), 0) == 0 {
			return false
		}
	}
	return true
}

// costOfUnits returns what a row of units costs.
func (j *job) costOfUnits() int64 {
	if j.set.Masks {
		u := j.p.MaskedUnits()
		return int64(u.Each.Windows) * (u.Whole*j.costs.Unit + u.Tails*j.costs.Tail)
	}
	u, alone := j.p.Units(), int64(0)
	for int64(u.Alone[alone]) < u.Count {
		alone++
	}
	return (u.Count-alone)*int64(u.Each.Windows)*j.costs.Unit + alone*u.Unit/int64(j.p.Width)*j.costs.Element[log2(j.p.Width)]
}
