package nest

import "github.com/seed2e45c115/dml/csrc"

// Pieces is a nest cut into parts of about equal work that cover it exactly
// once: iterations of the loops outside At, each with loop At in steps of Step.
type Pieces struct {
	Count int64     // parts in all
	Body  csrc.Nest // a full part, its offsets 0
	Rest  csrc.Nest // the last part of a loop whose extent Step does not divide

	outer csrc.Nest // what was cut; loops outside At alone matter
	at    int32
	per   int64 // parts in one run of loop At
	step  int64
}

// align is a cache line in bytes, and the iterations of a cut innermost loop
// that a part holds a multiple of, so that parts start where whole vectors do.
const align = 64

func roundUp(n, multiple int64) int64 { return (n + multiple - 1) / multiple * multiple }

// Cut cuts a nest of positive destination strides into parts of about limit
// bytes, at least one byte; a nest that is not much larger stays whole.
func Cut(n *csrc.Nest, limit int64) Pieces {
	p := Pieces{outer: *n, at: n.Rank, per: 1, step: 1}
	inside := int64(n.Width)
	for p.at > 0 && inside < limit {
		p.at--
		inside *= n.Dims[p.at].Extent
	}
	p.Count = Bytes(n) / inside
	p.Body = *n
	p.Body.SrcOff, p.Body.DstOff = 0, 0
	p.Body.Rank = n.Rank - p.at
	copy(p.Body.Dims[:], n.Dims[p.at:n.Rank])
	p.Rest = p.Body
	if p.Body.Rank == 0 || inside <= limit+limit/2 {
		return p
	}
	d := &p.Body.Dims[0]
	p.step = max(1, limit/(inside/d.Extent))
	if p.Body.Rank == 1 {
		p.step = roundUp(p.step, align)
	} else if up := max(d.Src, -d.Src); up > 0 && up < align {
		// A source line holds elements of several iterations: transposed
		// parts that share it would each read it.
		if whole := roundUp(p.step, align/up); whole <= 16*p.step {
			p.step = whole
		}
	}
	if p.step >= d.Extent {
		p.step = 1
		return p
	}
	p.per = (d.Extent + p.step - 1) / p.step
	p.Count *= p.per
	p.Rest.Dims[0].Extent = d.Extent - (p.per-1)*p.step
	d.Extent = p.step
	return p
}

// Part returns where part i, 0 <= i < Count, starts: its first element's
// offsets, to which the strides of Body, or of Rest where rest says so, apply.
func (p *Pieces) Part(i int64) (src, dst int64, rest bool) {
	src, dst = p.outer.SrcOff, p.outer.DstOff
	if p.Count == 1 {
		return src, dst, false
	}
	j := i % p.per
	i /= p.per
	if p.per > 1 {
		src += j * p.step * p.outer.Dims[p.at].Src
		dst += j * p.step * p.outer.Dims[p.at].Dst
	}
	for k := p.at - 1; k >= 0; k-- {
		d := p.outer.Dims[k]
		src += i % d.Extent * d.Src
		dst += i % d.Extent * d.Dst
		i /= d.Extent
	}
	return src, dst, p.per > 1 && j == p.per-1
}
