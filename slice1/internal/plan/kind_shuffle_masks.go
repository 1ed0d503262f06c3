package plan

import (
	"math/bits"

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
	most, q := min(v/r.period, r.repeat), abs(r.advance)
	// A vector has as many periods as fit it, or as fit one, two or three windows, whichever costs
	// least. Windows are found from the lowest position up. If a row descends and its vectors move
	// by whole lines, or not at all, they are found from the highest position down: sources often
	// end where a line does, and then these windows straddle no lines.
	var best, found cover
	var buffer [v]int64
	m := j.p.Masks()
	x := &m.Each
	least, tried := dear, int64(0)
	m.Advance = 0
	for _, windows := range [...]int64{program.MaxWindows, 3, 2, 1} {
		periods := most
		if q != 0 && windows <= 3 {
			periods = max(1, min(most, windows*v/q))
		}
		if periods == tried || periods == 1 && r.period < r.bytes() && r.period == int64(j.nest.Width) {
			continue // tried already, or a vector of one element of a longer row
		}
		tried = periods
		out := periods * r.period
		pos := buffer[:out/r.grain]
		r.positions(pos, 0, 0)
		lines := periods*r.advance%program.LineBytes == 0
		if !found.find(pos, r.grain, v, j.cheaper(program.Permute, ceilDiv(least*out, v)), r.descends() && lines, j.inside(lines, out)) {
			continue
		}
		least, best = j.vectorCost(program.Permute, int32(found.windows))*v/out, found
		m.Advance, m.Step = out, periods*r.advance
	}
	if m.Advance == 0 {
		return false
	}
	m.LastDst = n - m.Advance
	m.LastSrc = m.LastDst / r.period * r.advance
	x.Store = lowBits(m.Advance)
	best.index(x.Index[:], int(m.Advance/r.grain))
	// The windows of a vector are loaded in the direction in which the loop walks the source, since
	// processors prefetch in that direction. A loop with non-temporal stores walks upwards.
	if up := !r.descends() || j.NonTemporal; up != best.ascends() {
		best.reverse()
	}
	x.Windows, x.At, x.Take = int32(best.windows), best.starts, best.bytes()
	whole := wholeVectors(n, m.Advance)
	ahead := j.tails(m, n, max(whole, ceilDiv(n, m.Advance)-1), span{r.lo, r.hi})
	m.Count = min(whole, ahead)
	m.Ahead = ahead - m.Count
	return j.take(program.Permute, best.windows)
}

// wholeVectors returns how many vectors of 64 bytes lie in n bytes if each begins `advance` bytes
// behind the one before.
func wholeVectors(n, advance int64) int64 {
	return max(0, floorDiv(n-program.PermuteBytes, advance)+1)
}

// mostInside is the most vectors of a nest for which windows are moved off whole lines.
const mostInside = 256

// inside reports whether to move windows so that none reaches past the source of its vector. A mask
// that hides an absent page costs a microcode assist, 230 ns on a Zen 5. A load that straddles two
// lines costs .25 ns at most, and none does if sources begin with a line and vectors move by whole
// ones, as `lines` says. A vector makes `advance` bytes.
func (j *job) inside(lines bool, advance int64) bool {
	return !lines || nest.Bytes(j.nest)/advance <= mostInside
}

// tails sets the tails of m, and returns how many vectors come before them, at most `most`. Each
// has those vectors. In a tail, what a mask hides of the only window, or of what is stored, lies on
// the other side. So it lies in the row's source, or in its n bytes. If a row is too short for
// that, tails are like the other vectors.
func (j *job) tails(m *program.Masks, n, most int64, source span) (ahead int64) {
	x, all := &m.Each, ceilDiv(n, m.Advance)
	low, high := sides(x)
	if m.Step < 0 {
		low, high = high, low
	}
	try := func(window, store bool) bool {
		first, tail, back := x.At[0], x.At[0], int64(0)
		ahead = most
		if window {
			first, tail = low, high
			ahead = min(ahead, source.steps(int64(first), m.Step))
		}
		if store {
			back = program.PermuteBytes - int64(bits.Len64(x.Store))
			ahead = min(ahead, wholeVectors(n, m.Advance))
		}
		src, dst := m.LastSrc, m.LastDst
		if all-ahead > 1 {
			src, dst = ahead*m.Step, ahead*m.Advance
		}
		if window && source.steps(src+int64(tail), m.Step) == 0 || dst < back || j.NonTemporal && ahead < most {
			return false
		}
		moveWindow(x, first, tail, back)
		m.Tails = int32(all - ahead)
		m.TailSrc, m.TailDst = src+int64(tail-first), dst-back
		m.LastSrc, m.LastDst = m.LastSrc+int64(tail-first), m.LastDst-back
		return true
	}
	one := x.Windows == 1 && m.Step != 0
	_ = one && (try(true, true) || try(true, false)) || try(false, true) || try(false, false)
	return ahead
}

// steps returns how many windows lie in s, one after another, if the first is at `at` and each of
// the others `step` bytes behind the one before.
func (s span) steps(at, step int64) int64 {
	room := s.hi - program.PermuteBytes - at
	if at < s.lo || room < 0 {
		return 0
	}
	if step < 0 {
		return (at-s.lo)/-step + 1
	}
	return room/max(1, step) + 1
}

// sides returns where the first window of x lies if it begins with what the vector takes of it, and
// if it ends with that.
func sides(x *program.Merged) (low, high int32) {
	at := x.At[0]
	return at + int32(bits.TrailingZeros64(x.Take[0])), at + int32(bits.Len64(x.Take[0])) - program.PermuteBytes
}

// moveWindow moves the first window of x to `first` and, in tails, to `tail`. A tail is stored from
// `back` bytes further down on.
func moveWindow(x *program.Merged, first, tail int32, back int64) {
	moved := func(by int32) uint64 { return x.Take[0] >> max(0, by) << max(0, -by) }
	x.TailTake, x.TailStore = moved(tail-x.At[0]), x.Store<<back
	for i := range x.Index[back:] {
		x.TailIndex[int(back)+i] = x.Index[i] - uint8(tail-x.At[0])
	}
	for i := range x.Index {
		x.Index[i] -= uint8(first - x.At[0])
	}
	x.At[0], x.Take[0] = first, moved(first-x.At[0])
}

// costOfMasks returns what a row costs if its vectors are made under masks.
func (j *job) costOfMasks() int64 {
	m := j.p.Masks()
	windows, all := m.Each.Windows, m.Count+m.Ahead+int64(m.Tails)
	tails := int64(1)
	if j.Kind != kindSpread {
		tails = all - wholeVectors(m.LastDst+int64(bits.Len64(m.Each.TailStore)), m.Advance)
	}
	return (all-tails)*j.vectorCost(program.FormOf(j.p.Loop), windows) + tails*int64(windows)*j.costs.Tail
}
