// Package portable holds the kernels in plain Go, for every GOOS and GOARCH.
//
// The kernels reach memory through unsafe pointers and check nothing. The caller
// has made sure that each loop has at least one iteration, that every element of
// the nest lies inside its buffer, that no two output elements share a byte, and
// that source and destination do not overlap. Elements may lie at any address,
// aligned or not.
//
// No kernel allocates or keeps its arguments. A kernel writes to the bytes of
// output elements and to no others. It reads bytes between the first byte of the
// elements that it copies and the last, gaps included, and no others. It forms no
// pointer outside these two spans: such an address may belong to another object,
// which the garbage collector would then keep.
package portable

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// loop is one loop: n iterations, and the strides of the source and of the destination, in bytes.
type loop struct {
	n, src, dst int
}

// block is the two innermost loops of a nest, or one of the tiles that these are cut into:
//
//	for i := range outer.n { for j := range inner.n {
//		copy an element from s + i*outer.src + j*inner.src
//		              to     d + i*outer.dst + j*inner.dst
//	} }
//
// A row is the iterations of the inner loop. A block has two loops, so that a kernel
// can copy many short rows in one call.
type block struct {
	width        int        // bytes per element
	class        nest.Class // of the inner loop
	method       method     // by which method move copies it; choose or rows returns it
	outer, inner loop
}

// Slice copies every element of the nest. n.DstOff counts from dst, n.SrcOff from src.
func Slice(n *nest.Nest, dst, src unsafe.Pointer) {
	inner := n.Inner()
	if size := int(inner.Extent) * int(n.Width); size > maxCopied && n.Rank <= 2 && n.Class() == nest.Contiguous {
		rows := loop{n: 1}
		if n.Rank == 2 {
			rows.set(&n.Dims[0])
		}
		copyLong(unsafe.Add(dst, int(n.DstOff)), unsafe.Add(src, int(n.SrcOff)), rows, size) // a block would take longer
		return
	}
	var b block
	b.set(n)
	b.method = b.choose(n, wordKernels)
	b.run(n, dst, src)
}

// Prepared is a nest that is ready to run. It is immutable, and its offsets count from dst and src.
type Prepared interface {
	Slice(dst, src unsafe.Pointer) // copies every element
	Bytes() int64                  // about how many bytes it has
}

// Prepare makes n ready to run many times, each time faster than by function Slice. n must not
// change afterwards.
func Prepare(n *nest.Nest) Prepared {
	if t := NewTable(n); t != nil {
		return t
	}
	c := &chosen{nest: n}
	c.set(n)
	c.method = c.choose(n, wordKernels)
	if c.method == long && n.Rank <= 2 {
		return &longRows{int(n.DstOff), int(n.SrcOff), c.inner.n * c.width, c.outer}
	}
	return c
}

// longRows is a nest of one row, or of one loop of rows, that copyLong copies. A chosen takes 3 ns
// longer for it, in calls that store more on the stack.
type longRows struct {
	dst, src int // where the first row begins
	size     int // bytes of a row
	rows     loop
}

func (l *longRows) Slice(dst, src unsafe.Pointer) {
	copyLong(unsafe.Add(dst, l.dst), unsafe.Add(src, l.src), l.rows, l.size)
}

// Bytes returns the bytes of l.
func (l *longRows) Bytes() int64 { return int64(unsafe.Sizeof(*l)) }

// chosen is a nest, and its block with the method by which to run it.
type chosen struct {
	nest *nest.Nest
	block
}

func (c *chosen) Slice(dst, src unsafe.Pointer) { c.run(c.nest, dst, src) }

// Bytes returns the bytes of c without those of its nest.
func (c *chosen) Bytes() int64 { return int64(unsafe.Sizeof(*c)) }

// run copies every element of n by b's method. b is the block of n.
func (b *block) run(n *nest.Nest, dst, src unsafe.Pointer) {
	switch {
	case b.method == listed:
		b.moveListed(n, dst, src)
	case n.Rank <= 2:
		b.move(unsafe.Add(dst, int(n.DstOff)), unsafe.Add(src, int(n.SrcOff)))
	default:
		b.moveAll(n, dst, src)
	}
}

// moveAll runs the block for each coordinate of the loops around it.
func (b *block) moveAll(n *nest.Nest, dst, src unsafe.Pointer) {
	o := odometer{src: int(n.SrcOff), dst: int(n.DstOff)}
	for {
		b.move(unsafe.Add(dst, o.dst), unsafe.Add(src, o.src))
		if !o.advance(n, int(n.Rank)-2) {
			return
		}
	}
}

// odometer counts through the outermost loops of a nest.
type odometer struct {
	src, dst   int                 // bytes to the first element at the coordinate
	coordinate [nest.MaxRank]int64 // the coordinate: the iteration of each loop
}

// advance moves to the next coordinate of the `loops` outermost loops of n. The innermost of these
// counts fastest. It returns false after the last coordinate, and then o is back at the first one.
func (o *odometer) advance(n *nest.Nest, loops int) bool {
	for axis := loops - 1; axis >= 0; axis-- {
		l := &n.Dims[axis]
		if o.coordinate[axis]++; o.coordinate[axis] < l.Extent {
			o.dst += int(l.Dst)
			o.src += int(l.Src)
			return true
		}
		o.coordinate[axis] = 0
		o.dst -= int((l.Extent - 1) * l.Dst)
		o.src -= int((l.Extent - 1) * l.Src)
	}
	return false
}

// set sets b, which must be zero, to the two innermost loops of n. A loop that n lacks
// gets one iteration. Fields are set one by one: if a loop were built elsewhere and
// copied, one load of the copy would read what two narrower stores have just written,
// and processors delay such a load.
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
}

func (l *loop) set(d *nest.Dim) {
	l.n, l.src, l.dst = int(d.Extent), int(d.Src), int(d.Dst)
}

// move copies the block by its method, which must not be listed. Loops in words take one row in
// each call, all others the block.
func (b *block) move(d, s unsafe.Pointer) {
	size := b.inner.n * b.width
	switch b.method {
	case long:
		copyLong(d, s, b.outer, size)
		return
	case turned:
		b.tiles(d, s)
		return
	case copied:
		copyRows(d, s, b.outer, size)
		return
	case pixels:
		b.movePixels(d, s)
		return
	case grouped:
		b.group(d, s, &b.outer, b.inner.n)
		return
	case columns:
		b.moveColumns(d, s)
		return
	}
	for n := b.outer.n; ; {
		switch {
		case b.method == filled:
			fill(d, s, size, b.width)
		case b.method == reversed && b.width == 1:
			reverse1(d, s, size)
		case b.method == reversed && b.width == 2:
			reverse2(d, s, size)
		case b.method == reversed:
			reverse4(d, s, size)
		case b.width == 1:
			pack1(d, s, b.inner.n, b.inner.src)
		case b.width == 2:
			pack[uint16, uint32](d, s, b.inner.n, b.inner.src)
		default:
			pack[uint32, uint64](d, s, b.inner.n, b.inner.src)
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, b.outer.dst), unsafe.Add(s, b.outer.src)
	}
}
