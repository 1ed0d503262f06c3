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
	many := min(v/inner.Dst, inner.Extent)
	if many < 2 {
		return false
	}
	var buffer [v]int64
	pos := buffer[:many*width/grain]
	for i := range pos {
		offset := int64(i) * grain
		pos[i] = offset/width*inner.Src + offset%width
	}
	m := j.p.Masks()
	m.Advance, m.Step = many*inner.Dst, many*inner.Src
	m.LastDst, m.LastSrc = (inner.Extent-many)*inner.Dst, (inner.Extent-many)*inner.Src
	var ws windows
	around := rows(j.nest.Dims[:j.nest.Rank-1])
	inside := m.Step%program.LineBytes != 0 || many == inner.Extent && few(around)
	if !ws.found.find(pos, grain, v, min(program.MaxWindows, int(many)-1), false, inside) {
		return false
	}
	ws.findSides(pos, m.Step, few(around))
	last := inner.Extent - 1
	source := span{min(0, last*inner.Src), max(0, last*inner.Src) + width}
	m.Count = 0
	m.Ahead = j.tails(m, &ws, items{many, width, inner.Dst}, last*inner.Dst+width, max(1, ceilDiv(inner.Extent, many)-1), source)
	return j.useLoop(program.Permute, ws.found.windows)
}
