package portable

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// tiles runs a transposed view tile by tile. A tile has at most `side` rows of at most `side`
// elements, where `side` elements are as long as a cache line. The cache lines of the source that
// it takes are so few that they stay in the first-level cache until it is done. So each is fetched
// once, and not once for each element.
func (b *block) tiles(d, s unsafe.Pointer) {
	t, outer := *b, b.outer
	if outer.src < 0 {
		// The rows are taken from the last to the first, so that the source ascends.
		d, s = unsafe.Add(d, (outer.n-1)*outer.dst), unsafe.Add(s, (outer.n-1)*outer.src)
		outer.src, outer.dst = -outer.src, -outer.dst
		t.outer = outer
	}
	side := program.LineBytes / b.width
	for i := 0; i < outer.n; i += side {
		t.outer.n = min(side, outer.n-i)
		for j := 0; j < b.inner.n; j += side {
			t.inner.n = min(side, b.inner.n-j)
			t.tile(unsafe.Add(d, i*outer.dst+j*b.inner.dst), unsafe.Add(s, i*outer.src+j*b.inner.src))
		}
	}
}

// tile runs one tile. It transposes rectangles in registers if elements have 1 or 2 bytes and are
// contiguous in a source line, if wordKernels is true and if the tile has room for a rectangle: 8
// bytes of a source line by 4 bytes of a destination row. The last rectangles of a row or column
// may overlap the ones before. It runs other tiles by rows.
func (b *block) tile(d, s unsafe.Pointer) {
	inner, outer := b.inner, b.outer
	rows, columns := 8/b.width, 4/b.width
	if !wordKernels || b.width > 2 || outer.src != b.width || outer.n < rows || inner.n < columns {
		b.method = b.rows(wordKernels)
		b.move(d, s)
		return
	}
	for i := 0; ; i = min(i+rows, outer.n-rows) {
		e, p := unsafe.Add(d, i*outer.dst), unsafe.Add(s, i*outer.src)
		if b.width == 1 {
			transpose1(e, p, inner.n, outer.dst, inner.src)
		} else {
			transpose2(e, p, inner.n, outer.dst, inner.src)
		}
		if i == outer.n-rows {
			return
		}
	}
}

// transpose1 is, in bytes and for n >= 4,
//
//	for i := range 8 { for j := range n { d[i*dst + j] = s[i + j*src] } }
func transpose1(d, s unsafe.Pointer, n, dst, src int) {
	const m8, m16 = 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF
	for rest, n := n%4, n/4; ; {
		for {
			t, e := unsafe.Add(s, 2*src), unsafe.Add(d, 4*dst)
			w0, w1 := *(*uint64)(s), *(*uint64)(unsafe.Add(s, src))
			w2, w3 := *(*uint64)(t), *(*uint64)(unsafe.Add(t, src))
			// Transpose two squares of four by four bytes: the low halves of the words and
			// the high ones.
			x := (w0>>16 ^ w2) & m16
			y := (w1>>16 ^ w3) & m16
			w0, w2 = w0^x<<16, w2^x
			w1, w3 = w1^y<<16, w3^y
			x = (w0>>8 ^ w1) & m8
			y = (w2>>8 ^ w3) & m8
			w0, w1 = w0^x<<8, w1^x
			w2, w3 = w2^y<<8, w3^y
			*(*uint32)(d) = uint32(w0)
			*(*uint32)(unsafe.Add(d, dst)) = uint32(w1)
			*(*uint32)(unsafe.Add(d, 2*dst)) = uint32(w2)
			*(*uint32)(unsafe.Add(d, 3*dst)) = uint32(w3)
			*(*uint32)(e) = uint32(w0 >> 32)
			*(*uint32)(unsafe.Add(e, dst)) = uint32(w1 >> 32)
			*(*uint32)(unsafe.Add(e, 2*dst)) = uint32(w2 >> 32)
			*(*uint32)(unsafe.Add(e, 3*dst)) = uint32(w3 >> 32)
			if n--; n == 0 {
				break
			}
			d, s = unsafe.Add(d, 4), unsafe.Add(s, 4*src)
		}
		if rest == 0 {
			return
		}
		d, s = unsafe.Add(d, rest), unsafe.Add(s, rest*src)
		n, rest = 1, 0
	}
}

// transpose2 is, for elements of 2 bytes, with indices in bytes, and for n >= 2,
//
//	for i := range 4 { for j := range n { d[i*dst + 2*j] = s[2*i + j*src] } }
func transpose2(d, s unsafe.Pointer, n, dst, src int) {
	const m16 = 0x0000FFFF0000FFFF
	for rest, n := n%2, n/2; ; {
		for {
			w0, w1 := *(*uint64)(s), *(*uint64)(unsafe.Add(s, src))
			x := (w0>>16 ^ w1) & m16
			w0, w1 = w0^x<<16, w1^x
			*(*uint32)(d) = uint32(w0)
			*(*uint32)(unsafe.Add(d, dst)) = uint32(w1)
			*(*uint32)(unsafe.Add(d, 2*dst)) = uint32(w0 >> 32)
			*(*uint32)(unsafe.Add(d, 3*dst)) = uint32(w1 >> 32)
			if n--; n == 0 {
				break
			}
			d, s = unsafe.Add(d, 4), unsafe.Add(s, 2*src)
		}
		if rest == 0 {
			return
		}
		d, s = unsafe.Add(d, 2*rest), unsafe.Add(s, rest*src)
		n, rest = 1, 0
	}
}
