package plan

import (
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// row is a row of the destination without gaps. It has `repeat` periods of `period` bytes. A period
// consists of grains, bytes that lie together on both sides. Grain i of period j begins at byte
// j*period + i*grain of the row and comes from
//
//	pattern[i] + j*advance
//
// in the source. Such places are bytes from where the row's first element lies in the source.
type row struct {
	grain                   int64 // bytes of a grain: 1, 2, 4 or 8
	period, advance, repeat int64
	lo, hi                  int64 // places of the first byte that the row takes and of the one past the last
	outer                   int   // how many loops of the nest are around the row
	vector                  int64 // bytes of the vectors that the row was collected for; 0 before
	// pattern has the places of the grains of a period. units.cut adds those of all grains of a
	// unit.
	pattern [csrc.PermuteBytes]int64
}

func (r *row) bytes() int64 { return r.period * r.repeat }

// source returns the place in the source of the grain that begins at byte j of the row.
func (r *row) source(j int64) int64 {
	return r.pattern[j%r.period/r.grain] + j/r.period*r.advance
}

// positions sets pos to the places in the source of len(pos) successive grains, each less `base`.
// The first of the grains begins at byte j of the row. Behind the row the pattern goes on.
func (r *row) positions(pos []int64, j, base int64) {
	i, grains := j%r.period/r.grain, r.period/r.grain
	base -= j / r.period * r.advance
	for k := range pos {
		pos[k] = r.pattern[i] - base
		if i++; i == grains {
			i = 0
			base -= r.advance
		}
	}
}

// descends reports whether a row goes downwards in the source: from period to period or, if periods
// do not move, from the first grain of a period to its last.
func (r *row) descends() bool {
	return r.advance < 0 || r.advance == 0 && r.pattern[r.period/r.grain-1] < 0
}

// collect sets r to the row that the innermost loops of n make as far as they continue each other
// in the destination. An element and the loops that fit a vector of v bytes make the period. The
// next loop repeats the period if it continues it. Other loops are around the row.
func (r *row) collect(n *nest.Nest, v int64) {
	d := int(n.Rank) - 1
	r.vector = v
	r.period = int64(n.Width)
	strides := r.period
	for ; d >= 0 && n.Dims[d].Dst == r.period && n.Dims[d].Extent <= v/r.period; d-- {
		r.period *= n.Dims[d].Extent
		strides |= n.Dims[d].Src
	}
	inside := n.Dims[d+1 : n.Rank]
	r.advance, r.repeat = 0, 1
	if d >= 0 && n.Dims[d].Dst == r.period {
		r.advance, r.repeat = n.Dims[d].Src, n.Dims[d].Extent
		strides |= r.advance
		d--
	}
	r.outer = d + 1
	r.grain = strides & -strides
	r.lo, r.hi = min(0, (r.repeat-1)*r.advance), max(0, (r.repeat-1)*r.advance)+int64(n.Width)
	grains := int64(n.Width) / r.grain
	for i := range grains {
		r.pattern[i] = i * r.grain
	}
	for _, d := range slices.Backward(inside) {
		all := grains * d.Extent
		for i := grains; i < all; i++ {
			r.pattern[i] = r.pattern[i-grains] + d.Src
		}
		grains = all
		r.lo += min(0, (d.Extent-1)*d.Src)
		r.hi += max(0, (d.Extent-1)*d.Src)
	}
}

func abs(v int64) int64 { return max(v, -v) }

// ceilDiv returns a/b rounded up, for b > 0 and a of any sign.
func ceilDiv(a, b int64) int64 {
	if a%b > 0 {
		return a/b + 1
	}
	return a / b
}

// floorDiv returns a/b rounded down, for b > 0 and a of any sign.
func floorDiv(a, b int64) int64 {
	if a%b < 0 {
		return a/b - 1
	}
	return a / b
}
