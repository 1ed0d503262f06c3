package main

// buffers are the two arenas in whose beginnings every row finds its source
// and destination, so that one allocation serves all.
type buffers struct{ dst, src []byte }

// reach makes the arenas at least so long. Go aligns allocations of this size
// to pages.
func (b *buffers) reach(dst, src int) {
	const least = 1 << 20
	if n := len(b.src); n < src {
		b.src = nil // before the next is made
		b.src = make([]byte, max(src, 2*n, least))
		fill(b.src)
	}
	if n := len(b.dst); n < dst {
		b.dst = nil
		b.dst = make([]byte, max(dst, 2*n, least))
	}
}

// fill writes bytes that depend on their position alone, so that a peer in
// another process has the same source.
func fill(b []byte) {
	for i := range b {
		x := uint32(i) * 0x9e3779b1
		x ^= x >> 15
		b[i] = byte(x * 0x85ebca6b >> 24)
	}
}

// gap is what destinations hold before a slice.
const gap = 0xee

func clearTo(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}
