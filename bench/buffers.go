package main

import "unsafe"

// buffers are two arenas, which rows share: the source of a row is the beginning of one, the
// destination that of the other. Only -addresses places destinations elsewhere.
type buffers struct{ dst, src []byte }

// In every process, the arenas of sources and of destinations begin behindForSrc and
// behindForDst bytes behind a multiple of aligned, since times depend on addresses. On some
// processors times are longer if the two are near each other modulo 1 MiB.
const (
	aligned      = 2 << 20
	behindForSrc = 0
	behindForDst = 516 << 10
)

// reach makes the arenas at least dst and src bytes long. An arena that has to grow moves.
func (b *buffers) reach(dst, src int) {
	const least = 1 << 20
	if n := len(b.src); n < src {
		b.src = nil // so that it can be freed before the next is made
		b.src = arena(max(src, 2*n, least), behindForSrc)
		fill(b.src)
	}
	if n := len(b.dst); n < dst {
		b.dst = nil
		b.dst = arena(max(dst, 2*n, least), behindForDst)
	}
}

// arena returns n bytes that begin `behind` bytes behind a multiple of aligned, in large pages
// if the system has them.
func arena(n, behind int) []byte {
	b := make([]byte, n+3*aligned)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (aligned - 1)
	b = b[skip:]
	huge(b[:len(b)&^(aligned-1)])
	return b[behind:][:n:n]
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

// gap is the byte that fills a destination before a slice whose output is looked at.
const gap = 0xee

func clearTo(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}
