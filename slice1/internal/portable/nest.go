// Package portable holds the kernels in plain Go, for every GOOS and GOARCH.
//
// They reach memory through unsafe pointers and check nothing: the caller has
// proved that every element of the nest lies inside its buffer, that no two
// output elements share a byte, and that source and destination do not
// overlap. Elements may lie at any address, aligned or not. No kernel writes a
// byte that is not part of an element, reads one outside of the span from the
// first element it takes to the last, allocates, or keeps its arguments, and
// none forms a pointer out of that span: an address past the end may belong to
// another object, and the garbage collector would see it.
package portable

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// loop is one loop of a block; the strides are in bytes.
type loop struct {
	n, src, dst int
}

// block is the two innermost loops of a nest, the work of one kernel call:
//
//	for i := range outer.n { for j := range inner.n {
//		copy an element from s + i*outer.src + j*inner.src
//		              to     d + i*outer.dst + j*inner.dst
//	} }
//
// A block has two loops, so that short rows do not cost a call each.
type block struct {
	width        int // bytes per element
	class        nest.Class
	pixels       bool // the loops are nest.Pixels, and words may be used for them
	outer, inner loop
}

// Run copies every element of the nest. The nest's offsets count from dst and
// src.
func Run(n *nest.Nest, dst, src unsafe.Pointer) {
	var b block
	b.set(n)
	if b.short(n) {
		b.runShort(n, dst, src)
		return
	}
	tiled := b.transposed()
	if n.Rank <= 2 && !tiled {
		b.run(unsafe.Add(dst, int(n.DstOff)), unsafe.Add(src, int(n.SrcOff)))
		return
	}
	b.all(n, dst, src, tiled)
}

// all runs the block for each coordinate of the loops around it.
func (b *block) all(n *nest.Nest, dst, src unsafe.Pointer, tiled bool) {
	o := odometer{src: int(n.SrcOff), dst: int(n.DstOff)}
	for {
		d, s := unsafe.Add(dst, o.dst), unsafe.Add(src, o.src)
		if tiled {
			b.tiles(d, s)
		} else {
			b.run(d, s)
		}
		if !o.next(n, int(n.Rank)-2) {
			return
		}
	}
}

// odometer counts through outer loops of a nest; src and dst are the offsets
// of the element it stands at.
type odometer struct {
	src, dst int
	at       [nest.MaxRank]int64
}

// next moves to the next coordinate of the outermost loops; loops is their number. It
// returns false when there are no more.
func (o *odometer) next(n *nest.Nest, loops int) bool {
	for axis := loops - 1; axis >= 0; axis-- {
		l := &n.Dims[axis]
		if o.at[axis]++; o.at[axis] < l.Extent {
			o.dst += int(l.Dst)
			o.src += int(l.Src)
			return true
		}
		o.at[axis] = 0
		o.dst -= int((l.Extent - 1) * l.Dst)
		o.src -= int((l.Extent - 1) * l.Src)
	}
	return false
}

// set sets b, which must be zero, to the innermost loops of n, field by field: a
// processor that loads what two narrower stores have just written waits for both.
func (b *block) set(n *nest.Nest) {
	b.width = int(n.Width)
	b.outer.n = 1
	b.inner.n, b.inner.src, b.inner.dst = 1, b.width, b.width
	if n.Rank >= 1 {
		b.inner.set(&n.Dims[n.Rank-1])
	}
	if n.Rank >= 2 {
		b.outer.set(&n.Dims[n.Rank-2])
	}
	b.class = nest.ClassOf(int64(b.width), int64(b.inner.src), int64(b.inner.dst))
	b.pixels = wordKernels && b.inner.n == channels && nest.Pixels(n)
}

func (l *loop) set(d *nest.Dim) {
	l.n, l.src, l.dst = int(d.Extent), int(d.Src), int(d.Dst)
}

func loopOf(d nest.Dim) loop {
	return loop{n: int(d.Extent), src: int(d.Src), dst: int(d.Dst)}
}

func (l loop) dim() nest.Dim {
	return nest.Dim{Extent: int64(l.n), Src: int64(l.src), Dst: int64(l.dst)}
}

// words reports whether the block has a kernel that makes whole words of its
// destination.
func (b *block) words() bool {
	return wordKernels && Words(b.class, int64(b.width), int64(b.inner.n))
}

// run hands the block to its kernel, row by row where rows are long.
func (b *block) run(d, s unsafe.Pointer) {
	size := b.inner.n * b.width
	switch {
	case b.pixels:
		b.runPixels(d, s)
		return
	case b.class == nest.Contiguous:
		copyRows(d, s, b.outer, size)
		return
	case b.inner.n <= 4:
		b.group(d, s, &b.outer, b.inner.n)
		return
	case !b.words():
		columns(d, s, b)
		return
	}
	for n := b.outer.n; ; {
		switch b.class {
		case nest.Repeated:
			fill(d, s, size, b.width)
		case nest.Reversed:
			switch b.width {
			case 1:
				reverse1(d, s, size)
			case 2:
				reverse2(d, s, size)
			case 4:
				reverse4(d, s, size)
			}
		case nest.Strided:
			switch b.width {
			case 1:
				if Every(int64(b.inner.n), int64(b.inner.src)) {
					every(d, s, b.inner.n, b.inner.src)
				} else {
					pack[uint8, uint16](d, s, b.inner.n, b.inner.src)
				}
			case 2:
				pack[uint16, uint32](d, s, b.inner.n, b.inner.src)
			case 4:
				pack[uint32, uint64](d, s, b.inner.n, b.inner.src)
			}
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, b.outer.dst), unsafe.Add(s, b.outer.src)
	}
}
