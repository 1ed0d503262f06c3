//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import "unsafe"

// tabled is how many lines, or rows, a table of their places has room for.
const tabled = 128

// A table says where the next lines or rows are. It has those of a tile.
type table [2 * lane]int

// wordBytes is the bytes of an entry of a table.
const wordBytes = int(unsafe.Sizeof(0))

// places are where the lines or the rows of a view begin, in bytes from the first. One loop steps
// through them, or two. The table of one loop has its first places, since those from any other on
// are as far apart. That of two loops is made anew for places that it does not have.
type places struct {
	many, extent int // how many there are; iterations of the inner loop
	inner, outer int // strides of the two loops
	first, end   int // which of them `at` has, if it is made anew
	at           [tabled]int
}

// set makes the places that the loop `inner` has, for each iteration of `outer`. Of one loop at
// most `most` follow each other from any place on.
func (p *places) set(extent, inner, times, outer int64, most int) {
	p.many, p.extent, p.inner, p.outer = int(extent*times), int(extent), int(inner), int(outer)
	if p.extent == p.many {
		p.fill(0, most)
		p.end = p.many
	}
}

// hold makes sure that the table has the places from `first` to `end`, which are at most `tabled`.
func (p *places) hold(first, end int) {
	if first < p.first || end > p.end {
		p.fill(first, tabled)
	}
}

// fill makes the table of place `first` and those that follow it, `most` at most.
func (p *places) fill(first, most int) {
	p.first, p.end = first, min(first+most, p.many)
	left := p.extent - first%p.extent
	next := first/p.extent*p.outer + first%p.extent*p.inner
	for i := range p.at[:p.end-first] {
		p.at[i] = next
		next += p.inner
		if left--; left == 0 {
			next, left = next+p.outer-p.extent*p.inner, p.extent
		}
	}
}

// from returns place i and the following ones: each is what the table says, `base` bytes further.
func (p *places) from(i int) (at *table, base int) {
	if p.extent == p.many {
		return (*table)(unsafe.Pointer(&p.at)), i * p.inner
	}
	return (*table)(unsafe.Pointer(&p.at[i-p.first])), 0
}
