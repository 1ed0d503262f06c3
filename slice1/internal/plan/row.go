package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// row is a row of the destination as bytes: byte j of it is byte
//
//	pattern[j%period] + j/period*advance
//
// of the source, counted from the row's first element.
type row struct {
	period, advance, repeat int64
	lo, hi                  int64 // the span of the source: its first byte and the one past its last
	outer                   int   // loops of the nest around the row
	pattern                 [csrc.PermuteBytes]int64
}

func (r *row) bytes() int64 { return r.period * r.repeat }

// source returns where byte j of the row comes from.
func (r *row) source(j int64) int64 {
	return r.pattern[j%r.period] + j/r.period*r.advance
}

// positions sets pos to where the bytes of the row from byte j on come from, less a
// base.
func (r *row) positions(pos []int64, j, base int64) {
	i := j % r.period
	base -= j / r.period * r.advance
	for k := range pos {
		pos[k] = r.pattern[i] - base
		if i++; i == r.period {
			i = 0
			base -= r.advance
		}
	}
}

// descends reports whether windows are best found from a vector's highest position
// down.
func (r *row) descends() bool {
	return r.advance < 0 || r.advance == 0 && r.pattern[r.period-1] < 0
}

// collect sets r to the innermost loops of n that chain in the destination: those
// that fit a vector of v bytes are the period, the next one repeats it.
func (r *row) collect(n *nest.Nest, v int64) {
	d := int(n.Rank) - 1
	r.period = int64(n.Width)
	for j := range r.period {
		r.pattern[j] = j
	}
	for ; d >= 0 && n.Dims[d].Dst == r.period && n.Dims[d].Extent <= v/r.period; d-- {
		p := r.period
		r.period *= n.Dims[d].Extent
		for i := p; i < r.period; i++ {
			r.pattern[i] = r.pattern[i-p] + n.Dims[d].Src
		}
	}
	r.advance, r.repeat = 0, 1
	if d >= 0 && n.Dims[d].Dst == r.period {
		r.advance, r.repeat = n.Dims[d].Src, n.Dims[d].Extent
		d--
	}
	r.outer = d + 1
	lo, hi := int64(0), int64(0)
	for _, at := range r.pattern[:r.period] {
		lo, hi = min(lo, at), max(hi, at)
	}
	reach := (r.repeat - 1) * r.advance
	r.lo, r.hi = lo+min(0, reach), hi+max(0, reach)+1
}

func abs(v int64) int64 { return max(v, -v) }

// ceilDiv returns a/b rounded up, for b > 0 and any a.
func ceilDiv(a, b int64) int64 {
	if a%b > 0 {
		return a/b + 1
	}
	return a / b
}

// floorDiv returns a/b rounded down, for b > 0 and any a.
func floorDiv(a, b int64) int64 {
	if a%b < 0 {
		return a/b - 1
	}
	return a / b
}
