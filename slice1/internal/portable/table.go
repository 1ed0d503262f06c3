package portable

import (
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Table lists the iterations of a nest's inner loops, or of all its loops. A unit
// of the list costs two loads, and saves the end of a loop or two.
type Table struct {
	width   int  // bytes moved at a time
	columns int  // such moves in a unit, 1 to 4
	column  unit // from one to the next
	units   []unit

	// With a width of 0, each unit is one move of two elements that change places, and this
	// is their size in bytes.
	turned int

	// With neither there are no units. The inner table is run for each coordinate of the
	// nest's outermost loops.
	inner   *Table
	nest    *nest.Nest
	outside int // number of those loops
}

// unit is where a unit starts, in bytes from the addresses given to Run, or how
// far apart columns are.
type unit struct {
	src, dst int
}

// NewTable returns a table of the nest, or nil where Run is as fast: where the nest is
// neither short nor as small as a table.
func NewTable(n *nest.Nest) *Table {
	var b block
	b.set(n)
	short := b.short(n)
	if b.inner.n*b.width > nest.Line || (b.words() || b.pixels) && !short {
		return nil
	}
	t := new(Table)
	var units [MaxUnits]unit
	count, outside := t.list(n, &b, &units)
	t.units = append(t.units, units[:count]...)
	switch {
	case outside == 0:
		for i := range t.units {
			t.units[i].src += int(n.SrcOff)
			t.units[i].dst += int(n.DstOff)
		}
		return t
	case short:
		around := *n
		return &Table{inner: t, nest: &around, outside: outside}
	}
	return nil
}

// short reports whether n, of which b is the block, is made of several loops
// too short to be run block by block.
func (b *block) short(n *nest.Nest) bool {
	return Short(n, int64(b.inner.n), int64(b.outer.n))
}

// list unrolls as many of the inner loops of n as units have room for, from the
// element that they begin at. t and units must be zero, and the rows of n's block
// have at most 64 bytes. It sets t except t.units, and returns the number of units
// and of loops that are left.
func (t *Table) list(n *nest.Nest, b *block, units *[MaxUnits]unit) (count, outside int) {
	count = 1
	in := b.inner
	if Pairs(b.class, int64(b.width), int64(in.n)) && wordKernels {
		t.turned = 2 * b.width
		units[0].src = -b.width
	} else if size := in.n * b.width; b.class == nest.Contiguous {
		// Two moves, or two units of two, which may overlap.
		t.width, t.columns = min(16, 1<<(bits.Len(uint(size))-1)), 2
		switch {
		case size == t.width:
			t.columns = 1
		case size <= 2*t.width:
			t.column = unit{size - t.width, size - t.width}
		default:
			t.column = unit{16, 16}
			count = extend(units, 1, loop{2, size - 32, size - 32})
		}
	} else {
		t.width, t.columns = b.width, min(4, in.n)
		for in.n%t.columns != 0 {
			t.columns--
		}
		t.column = unit{in.src, in.dst}
		count = extend(units, 1, loop{in.n / t.columns, t.columns * in.src, t.columns * in.dst})
	}
	for outside = max(0, int(n.Rank)-1); outside > 0; outside-- {
		l := loopOf(n.Dims[outside-1])
		if l.n > MaxUnits/count {
			break
		}
		count = extend(units, count, l)
	}
	return count, outside
}

// extend repeats the first count units for each iteration of l and returns
// how many there are then.
func extend(units *[MaxUnits]unit, count int, l loop) int {
	for i := count; i < l.n*count; i++ {
		u := units[i-count]
		units[i] = unit{u.src + l.src, u.dst + l.dst}
	}
	return l.n * count
}

// runShort runs nests of several short loops: a table of the inner ones for
// each coordinate of the others.
func (b *block) runShort(n *nest.Nest, dst, src unsafe.Pointer) {
	var t Table
	var units [MaxUnits]unit
	count, outside := t.list(n, b, &units)
	t.units = units[:count]
	t.around(n, outside, dst, src)
}

// around copies the units once for each coordinate of the `outside` outermost loops of n.
func (t *Table) around(n *nest.Nest, outside int, dst, src unsafe.Pointer) {
	o := odometer{src: int(n.SrcOff), dst: int(n.DstOff)}
	for {
		t.Run(unsafe.Add(dst, o.dst), unsafe.Add(src, o.src))
		if !o.next(n, outside) {
			return
		}
	}
}

// Run copies the nest.
func (t *Table) Run(dst, src unsafe.Pointer) {
	switch t.width {
	case 1:
		runUnits[[1]byte](t, dst, src)
	case 2:
		runUnits[[2]byte](t, dst, src)
	case 4:
		runUnits[[4]byte](t, dst, src)
	case 8:
		runUnits[[8]byte](t, dst, src)
	case 16:
		runUnits[[16]byte](t, dst, src)
	default:
		t.runOther(dst, src)
	}
}

func (t *Table) runOther(dst, src unsafe.Pointer) {
	switch t.turned {
	case 2:
		turnUnits[uint16](t, dst, src)
	case 4:
		turnUnits[uint32](t, dst, src)
	case 8:
		turnUnits[uint64](t, dst, src)
	default:
		t.inner.around(t.nest, t.outside, dst, src)
	}
}

// runUnits is, in elements of T, with indices that are bytes,
//
//	for _, u := range t.units { for j := range t.columns { d[u.dst + j*t.column.dst] = s[u.src + j*t.column.src] } }
func runUnits[T any](t *Table, d, s unsafe.Pointer) {
	units := t.units
	s1, d1 := t.column.src, t.column.dst
	switch t.columns {
	case 1:
		for i := range units {
			*(*T)(unsafe.Add(d, units[i].dst)) = *(*T)(unsafe.Add(s, units[i].src))
		}
	case 2:
		for i := range units {
			e, p := unsafe.Add(d, units[i].dst), unsafe.Add(s, units[i].src)
			*(*T)(e) = *(*T)(p)
			*(*T)(unsafe.Add(e, d1)) = *(*T)(unsafe.Add(p, s1))
		}
	case 3:
		for i := range units {
			e, p := unsafe.Add(d, units[i].dst), unsafe.Add(s, units[i].src)
			*(*T)(e) = *(*T)(p)
			*(*T)(unsafe.Add(e, d1)) = *(*T)(unsafe.Add(p, s1))
			*(*T)(unsafe.Add(e, 2*d1)) = *(*T)(unsafe.Add(p, 2*s1))
		}
	case 4:
		s3, d3 := 3*s1, 3*d1
		for i := range units {
			e, p := unsafe.Add(d, units[i].dst), unsafe.Add(s, units[i].src)
			*(*T)(e) = *(*T)(p)
			*(*T)(unsafe.Add(e, d1)) = *(*T)(unsafe.Add(p, s1))
			*(*T)(unsafe.Add(e, 2*d1)) = *(*T)(unsafe.Add(p, 2*s1))
			*(*T)(unsafe.Add(e, d3)) = *(*T)(unsafe.Add(p, s3))
		}
	}
}

// turnUnits is runUnits for units of one W, whose two halves change places.
func turnUnits[W uint16 | uint32 | uint64](t *Table, d, s unsafe.Pointer) {
	half := 4 * unsafe.Sizeof(W(0))
	for _, u := range t.units {
		v := *(*W)(unsafe.Add(s, u.src))
		*(*W)(unsafe.Add(d, u.dst)) = v<<half | v>>half
	}
}
