package plan

import "github.com/seed2e45c115/dml/slice1/internal/program"

// kindSpread, by example: bytes go to every fourth byte, and the gaps stay as they are.
//
//	for i in 50 { dst[4*i] = src[i] }
//
// A vector of 64 bytes has room for 16 elements. They are loaded from one window under the mask
// 0xffff, and permuted by this index, in which a dot is any byte:
//
//	0 . . .  1 . . .  2 . . .  ...  15 . . .
//
// The vector is stored under the mask 0x1111111111111111, which has a bit for each byte of an
// element. Three vectors make elements 0 to 47. The last one ends with the row, and makes elements
// 34 to 49.

// spread prepares a program for an innermost loop that leaves gaps between the elements of the
// destination. It returns false if there are no such gaps, if the set has no masks, if a vector has
// room for one element only, or if its windows are not fewer than its elements.
func (j *job) spread() bool {
	if !j.set.Masks || j.nest.Rank == 0 || j.inner.Dst <= int64(j.nest.Width) {
		return false
	}
	const v = program.PermuteBytes
	inner, width := j.inner, int64(j.nest.Width)
	grain := (width | inner.Src) & -(width | inner.Src)
	count := min(v/inner.Dst, inner.Extent)
	if count < 2 {
		return false
	}
	var buffer [v]int64
	pos := buffer[:count*width/grain]
	for i := range pos {
		offset := int64(i) * grain
		pos[i] = offset/width*inner.Src + offset%width
	}
	m := j.p.Masks()
	m.Advance, m.Step = count*inner.Dst, count*inner.Src
	m.LastDst, m.LastSrc = (inner.Extent-count)*inner.Dst, (inner.Extent-count)*inner.Src
	var ws windows
	outer := rows(j.nest.Dims[:j.nest.Rank-1])
	inside := m.Step%program.LineBytes != 0 || count == inner.Extent && fewRows(outer)
	if !ws.found.find(pos, grain, v, min(program.MaxWindows, int(count)-1), false, inside) {
		return false
	}
	ws.findSides(pos, m.Step, fewRows(outer))
	steps := inner.Extent - 1
	source := span{min(0, steps*inner.Src), max(0, steps*inner.Src) + width}
	m.Count = 0
	m.Ahead = j.tails(m, &ws, items{count, width, inner.Dst}, steps*inner.Dst+width, max(1, ceilDiv(inner.Extent, count)-1), source)
	return j.useLoop(program.Permute, ws.found.windows)
}
