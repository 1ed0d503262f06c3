package slice1

import (
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

const (
	pageBytes = 4096
	// largeBytes is a size from which on an allocation begins at a page.
	largeBytes = 64 << 10
)

// sample returns a plan like p with loops cut short, whose buffers take at most room bytes. The
// sample copies at least an eighth of the bytes that p copies, or of PartBytes if p copies more.
// It copies at most `most` bytes, or a quarter of the same if that is more. If no such sample
// fits, sample returns nil.
func (p *Plan) sample(room, most int64) *Plan {
	q := *p
	n := &q.nest
	least := min(p.bytes, plan.PartBytes) / 8
	for !narrow(n, room) || nest.Bytes(n) > max(most, 2*least) {
		d := furthest(n)
		if d == nil || nest.Bytes(n) < 2*least {
			return nil
		}
		d.Extent = (d.Extent + 1) / 2
	}
	dims := slices.DeleteFunc(n.Dims[:n.Rank], func(d nest.Dim) bool { return d.Extent == 1 })
	n.Rank = int32(len(dims))
	nest.Normalize(n)
	q.bytes = nest.Bytes(n)

	// The lowest byte that is read lies as far behind the beginning of a cache line as in p,
	// if src begins with a line.
	srcLo, srcHi, _, dstHi := nest.Span(n)
	q.home = int((int64(p.home) + srcLo) % nest.Line)
	n.SrcOff -= srcLo
	q.srcSize, q.dstSize = int64(q.home)+srcHi-srcLo, dstHi
	q.ahead, q.apart = uintptr(dstHi-1), uintptr(srcHi-srcLo+dstHi-1)
	return &q
}

// narrow reports whether buffers for both spans of n take at most room bytes, largeBytes more
// than the span for each.
func narrow(n *nest.Nest, room int64) bool {
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	src, dst := srcHi-srcLo, dstHi-dstLo
	return dst < room && src <= room-2*largeBytes-dst // compared first, dst cannot make the difference overflow
}

// furthest returns the loop of n that spans the most bytes of either the source or the
// destination, or nil if no loop has more than one iteration.
func furthest(n *nest.Nest) (far *nest.Dim) {
	most := int64(0)
	for i := range n.Dims[:n.Rank] {
		d := &n.Dims[i]
		if reach := max(d.Src, -d.Src, d.Dst) * (d.Extent - 1); reach > most {
			far, most = d, reach
		}
	}
	return far
}

// getMemory sets r.dst and r.src to buffers for the sample, from the pool or new ones. It
// returns a function that puts them into the pool.
func (r *race) getMemory() (free func()) {
	p := r.racers[0].plan
	b, _ := r.scratch.Get().(*scratch)
	if b == nil || int64(len(b.dst)) < p.dstSize || int64(len(b.src)) < p.srcSize {
		b = &scratch{written(p.dstSize), written(p.srcSize)}
	}
	r.dst, r.src = b.dst[:p.dstSize], b.src[:p.srcSize]
	return func() { r.scratch.Put(b) }
}

// scratch holds the buffers of samples.
type scratch struct{ dst, src []byte }

// written returns at least n bytes that begin at a page, with every page written: on Linux all
// pages that are only read are one page of zeros, which caches hold.
func written(n int64) []byte {
	b := make([]byte, max(n, largeBytes))
	for i := 0; i < len(b); i += pageBytes {
		b[i] = 1
	}
	return b
}
