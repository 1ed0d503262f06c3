package plan

import "github.com/seed2e45c115/dml/slice1/internal/program"

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
// the one before. The tail is stored under the mask of 63 bytes. It ends with the row and makes
// bytes 237 to 299. Several windows are merged as they are loaded: each mask takes other bytes.

// permute prepares a program whose rows are made of vectors of 64 bytes, each of windows that are
// merged under masks. It reports success.
func (j *job) permute() bool {
	const v = program.PermuteBytes
	r := &j.row
	n := r.bytes()
	most, q := min(v/r.period, r.repeat), abs(r.advance)
	// A vector has as many periods as fit it, or as fit one, two or three windows, whichever costs
	// least. Windows are found from the lowest position up: then no window begins before the
	// source. A mask that hides an absent page costs a microcode assist, and a page before a source
	// is absent more often than one behind it. If a row descends and its vectors move by whole
	// lines, or not at all, windows are found from the highest position down: sources often end
	// where a line does, and then these windows straddle no lines.
	var best, found cover
	var buffer [v]int64
	m := j.p.Masks()
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
		descending := r.descends() && periods*r.advance%program.LineBytes == 0
		if !found.find(pos, r.grain, v, j.cheaper(program.Permute, ceilDiv(least*out, v)), descending) {
			continue
		}
		least, best = j.vectorCost(program.Permute, int32(found.windows))*v/out, found
		m.Advance, m.Step = out, periods*r.advance
	}
	if m.Advance == 0 {
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
	best.index(m.Index[:], int(m.Advance/r.grain))
	// The windows of a vector are loaded in the direction in which the loop walks the source, since
	// processors prefetch in that direction. A loop with non-temporal stores walks upwards.
	if up := !r.descends() || j.NonTemporal; up != best.ascends() {
		best.reverse()
	}
	m.Windows, m.At, m.Take = int32(best.windows), best.starts, best.bytes()
	return j.take(program.Permute, best.windows)
}

// costOfMasks returns what a row costs if its vectors are made under masks.
func (j *job) costOfMasks() int64 {
	m := j.p.Masks()
	whole, tails := m.Count, int64(m.Tails)
	if j.Kind == kindSpread {
		whole, tails = tails-1, 1
	}
	return whole*j.vectorCost(program.FormOf(j.p.Loop), m.Windows) + tails*int64(m.Windows)*j.costs.Tail
}
