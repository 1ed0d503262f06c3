//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import "unsafe"

// tabled is how many lines, or rows, a table of their places has room for.
const tabled = 64

// A table says where the next lines or rows are. Those of a tile are in it, or of two tiles that
// continue each other.
type table [2 * lane]int

// places are where the lines or the rows of a view begin, in bytes from the first. One loop steps
// through them, or two.
type places struct {
	many, extent int // how many there are; iterations of the inner loop
	inner, outer int // strides of the two loops
	first, end   int // which of them `at` has
	at           [tabled + 2*lane]int
}

// set makes the places that the loop `inner` has, for each iteration of `outer`.
func (p *places) set(extent, inner, times, outer int64) {
	p.many, p.extent, p.inner, p.outer = int(extent*times), int(extent), int(inner), int(outer)
	p.first, p.end = 0, 0
	if p.extent == p.many {
		p.fill(0, 2*lane)
	} else {
		p.hold(0, min(tabled, p.many))
	}
}

// hold makes sure that the table has the places from `first` to `end`, which are at most `tabled`.
// The table of one loop has its first places, and those from any other on are as far apart.
func (p *places) hold(first, end int) {
	if p.extent != p.many && (first < p.first || end > p.end) {
		p.fill(first, min(first+tabled, p.many))
	}
}

func (p *places) fill(first, end int) {
	p.first, p.end = first, end
	left := p.extent - first%p.extent
	for i, next := range p.at[:end-first] {
		if i == 0 {
			next = first/p.extent*p.outer + first%p.extent*p.inner
		} else {
			next = p.at[i-1] + p.inner
		}
		if left == 0 {
			next, left = next+p.outer-p.extent*p.inner, p.extent
		}
		p.at[i], left = next, left-1
	}
}

// from returns place i and the following ones: each is what the table says, `base` bytes further.
func (p *places) from(i int) (at *table, base int) {
	if p.extent == p.many {
		return (*table)(p.at[:2*lane]), i * p.inner
	}
	return (*table)(unsafe.Pointer(&p.at[i-p.first])), 0
}
