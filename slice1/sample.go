package slice1

import (
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

const (
	pageBytes = 4096
	// largeBytes is an allocation that begins where a page does.
	largeBytes = 64 << 10
)

// sample returns the plan with loops cut short, so that it touches at most room bytes and
// copies about most bytes, ready for as. It copies no less than an eighth of the plan or of
// a part of one; if that does not fit, sample returns nil.
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

	// The source begins where a line does, as far before the first byte taken as in p.
	srcLo, srcHi, _, dstHi := nest.Span(n)
	q.home = int((int64(p.home) + srcLo) % nest.Line)
	n.SrcOff -= srcLo
	q.srcSize, q.dstSize = int64(q.home)+srcHi-srcLo, dstHi
	q.ahead, q.apart = uintptr(dstHi-1), uintptr(srcHi-srcLo+dstHi-1)
	return &q
}

// narrow reports whether source and destination of n, each allocated for itself, fit `room`
// bytes.
func narrow(n *nest.Nest, room int64) bool {
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	return srcHi-srcLo <= room-2*largeBytes-(dstHi-dstLo)
}

// furthest returns the loop of n that goes furthest on either side, nil if none goes on.
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

// getMemory gives the race buffers, and returns a function that takes them back.
func (r *race) getMemory() (free func()) {
	p := r.racers[0].plan
	b, _ := r.scratch.Get().(*scratch)
	if b == nil || int64(len(b.dst)) < p.dstSize || int64(len(b.src)) < p.srcSize {
		b = &scratch{written(p.dstSize), written(p.srcSize)}
	}
	r.dst, r.src = b.dst[:p.dstSize], b.src[:p.srcSize]
	return func() { r.scratch.Put(b) }
}

// scratch is what samples slice.
type scratch struct{ dst, src []byte }

// written returns at least n bytes, which begin where a page does, since large allocations
// do. Each page has been written to: those that are only read are all the same page of
// zeros on Linux, which caches hold.
func written(n int64) []byte {
	b := make([]byte, max(n, largeBytes))
	for i := 0; i < len(b); i += pageBytes {
		b[i] = 1
	}
	return b
}
