package plan

import (
	"math"
	"math/bits"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// kindShuffle, by example: a row of 100 RGB pixels becomes BGR.
//
//	for i in 100 { for c in 3 { dst[3*i + c] = src[3*i + 2 - c] } }
//
//	source       R0 G0 B0 R1 G1 B1 R2 G2 B2 ...
//	destination  B0 G0 R0 B1 G1 R1 B2 G2 R2 ...
//
// The pattern repeats after 3 bytes on both sides: a pixel is a period. A vector of NEON has 16
// bytes, room for 5 periods. Their 15 bytes lie in one window, the 16 bytes of the source from R0
// on, 2 bytes below the row's first element B0. A lookup by these indices, form Lanes, makes the
// vector:
//
//	2 1 0  5 4 3  8 7 6  11 10 9  14 13 12  none
//
// The vector is stored as a whole. The next one begins 15 bytes further on both sides, and
// overwrites the excess byte. 19 vectors make bytes 0 to 284; a 20th would load and store behind
// the row. The tail, a vector whose windows stay inside the row, makes bytes 284 to 299.
//
// A vector of AVX2 has two lanes of 16 bytes, and its shuffle of bytes does not leave a lane. In
// form Lanes, each lane picks from windows of its own. For 10 pixels it needs two windows, since
// the first lane's 16 bytes lie in 18 bytes of the source. Form Cross takes one window of 32 bytes.
// It loads each half of it into both lanes, shuffles each half by indices of its own and joins the
// two. Byte 15, B of the sixth pixel, comes from the upper half, and byte 17, its R, from the lower
// half. That costs less.
//
// Where one window does not hold enough, as for every fourth byte, several windows are merged: the
// vector takes bytes of each in places that the others leave free. blend finds such windows.
// AVX-512 merges them while it loads them, under masks: see kind_shuffle_masks.go.

// noBytes selects no byte: AVX2's shuffle of bytes and NEON's lookup store 0 for an index of 0x80.
// Pick of a vector by lanes and Perm of form Cross begin as this.
var noBytes = func() (pick [program.MaxWindows][program.VectorBytes]uint8) {
	for k := range pick {
		for j := range pick[k] {
			pick[k][j] = 0x80
		}
	}
	return pick
}()

// lanes sets v to make a vector by lanes: each lane takes the bytes of its grains from windows of
// its own, of 16 bytes each. pos has the positions of the grains in the source. The grains of at
// most `lanes` lanes are taken. Windows lie inside [lo, hi). If descending is true, they are found
// from the highest position of a lane down, else from the lowest up. If lookup is true, v.Pick has
// the indices of a lookup in four windows at a time. lanes returns false if a lane needs more than
// maxWindows windows, or if a window's position does not fit 32 bits.
func lanes(v *program.Vector, pos []int64, grain int64, lanes, maxWindows int, lookup, descending bool, lo, hi int64) bool {
	v.Pick = noBytes
	v.Windows = 0
	places := program.LaneBytes / int(grain)
	for lane := 0; lane < lanes && lane*places < len(pos); lane++ {
		q := pos[lane*places : min(len(pos), (lane+1)*places)]
		k := 0
		for todo := uint32(1)<<len(q) - 1; todo != 0; k++ {
			if k == maxWindows {
				return false
			}
			start := extreme(q, uint64(todo), descending)
			if descending {
				start -= program.LaneBytes - grain
			}
			start = max(lo, min(start, hi-program.LaneBytes))
			if start != int64(int32(start)) {
				return false
			}
			v.At[lane][k] = int32(start)
			for t := todo; t != 0; t &= t - 1 {
				j := bits.TrailingZeros32(t)
				offset := uint64(q[j] - start)
				if offset >= program.LaneBytes {
					continue
				}
				pick, index := v.Pick[k][lane*program.LaneBytes:], uint8(offset)
				if lookup {
					pick, index = v.Pick[k/4][:], uint8(k%4*program.LaneBytes)+uint8(offset)
				}
				for i := range int(grain) {
					pick[j*int(grain)+i] = index + uint8(i)
				}
				todo &^= 1 << j
			}
		}
		// For windows that only the other lane needs, this lane loads its first window again and
		// takes nothing from it.
		for i := k; i < program.MaxWindows; i++ {
			v.At[lane][i] = v.At[lane][0]
		}
		v.Windows = max(v.Windows, int32(k))
	}
	if len(pos) <= places {
		v.At[1] = v.At[0]
	}
	return true
}

// merged sets v to make a vector of windows that are merged and then permuted, and returns the form
// that function permutation chooses for units or for main vectors. pos has the positions of the
// grains in the source, at most a vector of them. merged returns false if blend.find does.
func (j *job) merged(v *program.Vector, pos []int64, maxWindows int, descending, units bool) (form program.Form, ok bool) {
	s, grain := j.set, j.row.grain
	var c blend
	if !c.find(pos, grain, s.Vector, maxWindows, descending, false) {
		return 0, false
	}
	v.Windows = int32(c.windows)
	taken := c.bytes()
	for k := range c.windows {
		v.At[0][k] = c.starts[k]
		v.Pick[k] = [program.VectorBytes]uint8{}
		for taken := taken[k]; taken != 0; taken &= taken - 1 {
			v.Pick[k][bits.TrailingZeros64(taken)] = 0xff
		}
	}
	var place [program.VectorBytes]uint8 // for each byte of the vector to make, where it is in the merged vector
	c.index(place[:], len(pos))
	return j.permutation(v, place[:int64(len(pos))*grain], units), true
}

// hasLoop reports whether the job's set has the loop of a form and variant. If units is true, it
// asks for the loop that makes units in that form.
func (j *job) hasLoop(form program.Form, variant int32, units bool) bool {
	if units {
		form += inUnits
	}
	_, ok := program.Loop(j.p.Set, form, int(variant))
	return ok
}

// permutation sets v.Perm to the indices of a permutation that brings byte place[i] of a vector to
// byte i, for each i. It returns the form of the loops that permute so: the first of Dwords and
// Bytes that can and that the set has for as many windows, else Cross, which always can. If units
// is true, the set must have a loop that makes units in that form.
func (j *job) permutation(v *program.Vector, place []uint8, units bool) program.Form {
	const lane = program.LaneBytes
	inSet := func(form program.Form) bool { return j.hasLoop(form, v.Windows, units) }
	dwords, bytes := true, true
	var dword [program.VectorBytes / 4]uint8 // for form Bytes: where bytes permuted in their lanes leave each dword
	var held [2]uint8                        // how many dwords each lane has there
	for i, source := range place {
		lowest := place[i&^3]
		dwords = dwords && lowest%4 == 0 && source == lowest+uint8(i%4)
		bytes = bytes && source/lane == lowest/lane
		if i%4 == 0 {
			dword[i/4] = lowest/lane*4 + held[lowest/lane]
			held[lowest/lane]++
		}
	}
	bytes = bytes && held[0] <= 4 && held[1] <= 4
	v.Perm = [2][program.VectorBytes]uint8{}
	// The indices of dwords are 32 bits wide and little-endian, as AVX2 takes them.
	switch {
	case dwords && inSet(program.Dwords):
		for i := 0; i < len(place); i += 4 {
			v.Perm[0][i] = place[i] / 4
		}
		return program.Dwords
	case bytes && inSet(program.Bytes):
		for i, source := range place {
			v.Perm[0][int(dword[i/4])*4+i%4] = source % lane
		}
		for i := 0; i < len(place); i += 4 {
			v.Perm[1][i] = dword[i/4]
		}
		return program.Bytes
	}
	copy(v.Perm[:], noBytes[:])
	for i, source := range place {
		half := int(source / lane)
		if v.Windows > 1 {
			half ^= i / lane
		}
		v.Perm[half][i] = source % lane
	}
	return program.Cross
}

// takeEvery sets v to take every second, third or fourth element, and returns the form of the loops
// that do so. For example, a vector of every third element takes three windows of its own length
// that lie side by side. The loops load nothing behind these windows, and nothing behind the last
// element of a row. ok is false for another stride, for periods of several elements, and if the set
// lacks the loop.
func (j *job) takeEvery(v *program.Vector) (form program.Form, ok bool) {
	r, width := &j.row, int64(j.nest.Width)
	if r.period != width || r.advance < 2*width || r.advance > 4*width || r.advance%width != 0 {
		return 0, false
	}
	windows := int32(r.advance / width)
	form = program.Every2 + program.Form(windows-2)
	if !j.hasLoop(form, j.nest.Width, false) {
		return 0, false
	}
	v.Windows = windows
	for k := range windows {
		v.At[0][k] = k * int32(j.set.Vector)
	}
	return form, true
}

func isEvery(form program.Form) bool { return form >= program.Every2 && form <= program.Every4 }

// inUnits leads from a form of Lanes to Cross to the form that makes units in the same way.
const inUnits = program.UnitsLanes - program.Lanes

// fitsShuffle reports whether kindShuffle may run the nest. Contiguous rows of at least a vector
// are left to kindCopy. Rows of exactly one vector with non-temporal stores are the exception:
// kindCopy refuses them as too short. If each element has a window of its own, and a vector has
// more elements than windows, no vector can be made.
func (j *job) fitsShuffle() bool {
	v := j.set.Vector
	copied := j.contiguous && j.bytes >= v && !(j.NonTemporal && j.bytes == v)
	return j.fillsDst() && !copied && !(abs(j.inner.Src) >= v && min(j.inner.Extent, v/int64(j.nest.Width)) > program.MaxWindows)
}

// prepareShuffle prepares a program whose rows are made of windows. The loops that make the row do
// not stay in the program. It reports success.
func (j *job) prepareShuffle() bool {
	j.collect()
	if j.set.Masks && !j.permute() || !j.set.Masks && !j.windows() {
		return false
	}
	j.p.Outer = int32(j.row.outer)
	return true
}

// costOfShuffle returns what a row that is made of windows costs.
func (j *job) costOfShuffle() (cost int64) {
	if j.set.Masks {
		return j.costOfMasks()
	}
	s, w := j.costs, j.p.Shuffle()
	vector := j.vectorCost(program.FormOf(j.p.Loop), w.Main.Windows)
	cost = w.Count * vector
	if isEvery(program.FormOf(j.p.Loop)) {
		return cost + vector
	}
	for _, t := range w.Tail[:w.Tails] {
		cost += int64(t.Vector.Windows) * s.Tail
	}
	return cost
}

// vectorCost returns what a vector costs that a loop of that form makes from `windows` windows.
func (j *job) vectorCost(form program.Form, windows int32) int64 {
	s, n := j.costs, int64(windows)
	switch form {
	case program.Lanes, program.Permute:
		return n * s.Window
	}
	return n * s.Merged
}

// infiniteCost is more than any vector costs. Times the bytes of a vector, it is still an int64.
const infiniteCost = int64(math.MaxInt64 / program.PermuteBytes)

// cheaper returns the most windows that a vector of that form may have to cost less than `limit`.
func (j *job) cheaper(form program.Form, limit int64) int {
	return int(min(program.MaxWindows, max(0, limit-1)/max(1, j.vectorCost(form, 1))))
}

// windows prepares a program whose rows are made of vectors, each of windows of the source. It
// reports success.
func (j *job) windows() bool {
	r, v := &j.row, j.set.Vector
	n := r.bytes()
	w := j.p.Shuffle()
	w.Count, w.Step, w.Advance, w.Tails, w.Main.Windows = 0, 0, 0, 0, 0
	if n < program.LaneBytes || r.hi-r.lo < program.LaneBytes {
		return false
	}
	var form program.Form
	if n < v {
		v = program.LaneBytes // the row is one tail of a lane, or two that may overlap
	} else if form = j.mainVector(); w.Main.Windows > 0 {
		w.Count = max(0, j.lastInside(form)+1)
	}
	w.TailLanes = int32(v / program.LaneBytes)
	done := w.Count * w.Advance // Every2 to Every4 leave at most a vector of the row
	if ceilDiv(n-done, v) > program.MaxTails {
		return false
	}
	for offset := done; offset < n; offset += v {
		if !j.tail(min(offset, n-v)) {
			return false
		}
	}
	if w.Count == 0 {
		return j.useLoop(program.Lanes, 1)
	}
	if isEvery(form) {
		return j.useLoop(form, int(j.p.Width))
	}
	return j.useLoop(form, int(w.Main.Windows))
}

// vector sets x to the cheapest vector for the grains at pos, by lanes or of merged windows, if it
// costs less than limit and has at most maxWindows windows. It returns the vector's form and what
// it costs, or limit if there is none. If units is true, the vector is to make units. Form Lanes
// makes two at once if each is a lane.
func (j *job) vector(x *program.Vector, pos []int64, maxWindows int, descending, units bool, limit int64) (form program.Form, cost int64) {
	s, grain, calls := j.set, j.row.grain, int64(1)
	if units && int64(len(pos))*grain == program.LaneBytes && s.Vector > program.LaneBytes {
		calls = 2
	}
	form, cost = program.Lanes, limit
	if lanes(x, pos, grain, int(s.Vector/program.LaneBytes), min(maxWindows, j.cheaper(form, calls*limit)), s.Lookup, descending, -anywhere, anywhere) &&
		j.hasLoop(form, x.Windows, units) {
		cost = j.vectorCost(form, x.Windows) / calls
	}
	var whole program.Vector
	if f, ok := j.merged(&whole, pos, min(maxWindows, j.cheaper(program.Cross, cost)), descending, units); ok && j.hasLoop(f, whole.Windows, units) {
		*x, form, cost = whole, f, j.vectorCost(f, whole.Windows)
	}
	return form, cost
}

// mainVector sets the body's main vector to the cheapest one, sets how far it advances, and returns
// its form. A vector has as many periods as it holds, or as one window holds. If there is no such
// vector, mainVector leaves Main.Windows at 0.
func (j *job) mainVector() (form program.Form) {
	r, width := &j.row, int64(j.nest.Width)
	v, w := j.set.Vector, j.p.Shuffle()
	inOne := v
	if r.advance != 0 {
		inOne = v / abs(r.advance)
	}
	best, limit := infiniteCost, v/r.period
	fewer := max(1, min(inOne, limit))
	if f, ok := j.takeEvery(&w.Main); ok {
		best, form = j.vectorCost(f, w.Main.Windows), f
		w.Advance, w.Step = v, limit*r.advance
	}
	for periods := limit; ; periods = fewer {
		var buffer [program.VectorBytes]int64
		var x program.Vector
		size := periods * r.period
		pos := buffer[:size/r.grain]
		r.positions(pos, 0, 0)
		limit := ceilDiv(best*size, v)
		if f, cost := j.vector(&x, pos, program.MaxWindows, r.descends(), false, limit); cost < limit {
			best, form = cost*v/size, f
			w.Advance, w.Step, w.Main = size, periods*r.advance, x
		}
		if periods == fewer || fewer == 1 && r.period == width {
			return form // done, or the next vectors to try would have one element only
		}
	}
}

// lastInside returns the number, from 0, of the last main vector that stores inside the row and
// loads inside the span of its source, or a negative number if there is none. It has to look only
// at that one: the vectors before it end before it does, and none begins before the first. The
// windows of the first begin with the row's source, or end with it if the row descends.
func (j *job) lastInside(form program.Form) int64 {
	r, v, w := &j.row, j.set.Vector, j.p.Shuffle()
	lo, hi := reach(&w.Main, form, v)
	final := (r.bytes() - v) / w.Advance
	switch {
	case w.Step > 0:
		return min(final, floorDiv(r.hi-hi, w.Step))
	case w.Step < 0:
		return min(final, floorDiv(lo-r.lo, -w.Step))
	case lo < r.lo || hi > r.hi:
		return -1
	}
	return final
}

// reach returns the place of the first byte that the windows of a vector load, and the place past
// the last one, both from the vector's source position. v is the bytes of a vector.
func reach(x *program.Vector, form program.Form, v int64) (lo, hi int64) {
	lanes, size := int64(1), v
	if form == program.Lanes {
		lanes, size = v/program.LaneBytes, program.LaneBytes
	}
	lo, hi = math.MaxInt64, math.MinInt64
	for lane := range lanes {
		for _, offset := range x.At[lane][:x.Windows] {
			lo, hi = min(lo, int64(offset)), max(hi, int64(offset)+size)
		}
	}
	return lo, hi
}

// tail adds a tail that stores from byte dst of the row on and whose windows stay inside the span
// of the row's source. It returns false if there are program.MaxTails already, or if function lanes
// fails.
func (j *job) tail(dst int64) bool {
	r, w := &j.row, j.p.Shuffle()
	if w.Tails == program.MaxTails {
		return false
	}
	t := &w.Tail[w.Tails]
	w.Tails++
	t.Dst, t.Src = dst, r.source(dst)
	var buffer [program.VectorBytes]int64
	pos := buffer[:int64(w.TailLanes)*program.LaneBytes/r.grain]
	r.positions(pos, dst, t.Src)
	return lanes(&t.Vector, pos, r.grain, int(w.TailLanes), program.MaxWindows, j.set.Lookup, false, r.lo-t.Src, r.hi-t.Src)
}
