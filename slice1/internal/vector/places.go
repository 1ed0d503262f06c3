//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package vector

import "unsafe"

// tabled is how many lines, or rows, a table of their places has room for.
const tabled = 128

// A table says where the lines, or the rows, of a tile are. It is a part of places.offsets.
type table [2 * lane]int

// wordBytes is the bytes of an entry of a table.
const wordBytes = int(unsafe.Sizeof(0))

// places are where the lines or the rows of a view begin, in bytes from the first. One loop steps
// through them, or two. The table of one loop has its first places, since those from any other on
// are as far apart. That of two loops is made anew for places that it does not have.
type places struct {
	count, extent int // how many there are; iterations of the inner loop
	inner, outer  int // strides of the two loops
	start, end    int // which of them the table has, if it is made anew
	offsets       [tabled]int
}

// set makes the places of two loops: of `extent` iterations of stride `inner` for each of `times`
// iterations of stride `outer`. If there is one loop, a tile takes up to `limit` of them.
func (p *places) set(extent, inner, times, outer int64, limit int) {
	p.count, p.extent, p.inner, p.outer = int(extent*times), int(extent), int(inner), int(outer)
	if p.extent == p.count {
		p.fill(0, limit)
		p.end = p.count
	}
}

// hold makes sure that the table has places number `start` to end - 1, at most `tabled` of them.
func (p *places) hold(start, end int) {
	if start < p.start || end > p.end {
		p.fill(start, tabled)
	}
}

// fill makes the table of places number `start` and on, at most `limit` of them.
func (p *places) fill(start, limit int) {
	p.start, p.end = start, min(start+limit, p.count)
	left := p.extent - start%p.extent
	offset := start/p.extent*p.outer + start%p.extent*p.inner
	for i := range p.offsets[:p.end-start] {
		p.offsets[i] = offset
		offset += p.inner
		if left--; left == 0 {
			offset, left = offset+p.outer-p.extent*p.inner, p.extent
		}
	}
}

// entry returns place i and the following ones: each is what the table says, `base` bytes further.
func (p *places) entry(i int) (offsets *table, base int) {
	if p.extent == p.count {
		return (*table)(unsafe.Pointer(&p.offsets)), i * p.inner
	}
	return (*table)(unsafe.Pointer(&p.offsets[i-p.start])), 0
}
