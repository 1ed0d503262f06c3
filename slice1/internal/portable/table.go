package portable

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Table is a nest with all of its loops, or only the inner ones, unrolled to a list of units. A
// unit is one to four moves of elements or of parts of a row. A unit costs two loads of offsets,
// and saves the end of one loop or of several.
type Table struct {
	width   int    // bytes of each move; 0 if turned or inner is set
	columns int    // moves of a unit, 1 to 4
	column  unit   // how far each move of a unit is from the one before
	units   []unit // where each unit starts

	// turned is not 0 if each unit is one move of two elements that change places. It is the
	// size of both together, in bytes.
	turned int

	// inner is not nil if the units belong to another table, inner. Slice runs that once for each
	// coordinate of the outermost loops of nest.
	inner   *Table
	nest    *nest.Nest
	outside int // the number of those outermost loops
}

// unit is a pair of offsets in the source and in the destination, in bytes: where a unit starts,
// counted from the addresses that Table.Slice is given, or how far one move of a unit is from the
// one before.
type unit struct {
	src, dst int
}

// NewTable returns a table of n, or nil if function Slice is to run n, as method tabled decides.
// The table holds a copy of n if it needs n.
func NewTable(n *nest.Nest) *Table {
	var b block
	b.set(n)
	l := b.listing(n, wordKernels)
	if !b.tabled(b.choose(n, wordKernels), l, wordKernels) {
		return nil
	}
	t := new(Table)
	var units [maxUnits]unit
	t.units = append(t.units, units[:t.list(n, &b, l, &units)]...)
	if l.outside > 0 {
		outer := *n
		return &Table{inner: t, nest: &outer, outside: l.outside}
	}
	for i := range t.units {
		t.units[i].src += int(n.SrcOff)
		t.units[i].dst += int(n.DstOff)
	}
	return t
}

// Bytes returns about how many bytes a table has.
func (t *Table) Bytes() int64 {
	if t.inner != nil {
		return int64(unsafe.Sizeof(*t)+unsafe.Sizeof(*t.nest)) + t.inner.Bytes()
	}
	return int64(unsafe.Sizeof(*t)) + int64(len(t.units))*int64(unsafe.Sizeof(unit{}))
}

// list unrolls the loops of n that l lists to units. Their offsets count from the first element of
// these loops. t and units must be zero, b must be the block of n, and its rows must have at most
// program.LineBytes bytes. list sets width, columns and column of t, or turned. It returns the
// number of units.
func (t *Table) list(n *nest.Nest, b *block, l listing, units *[maxUnits]unit) (count int) {
	inner := b.inner
	t.columns = l.columns
	size, src, dst := inner.n*b.width, l.columns*inner.src, l.columns*inner.dst // from unit to unit of a row
	switch {
	case b.class == nest.Contiguous:
		t.width = moveOf(size)
		if t.column = (unit{size - t.width, size - t.width}); l.units == 2 {
			t.column, src, dst = unit{moveBytes, moveBytes}, size-2*moveBytes, size-2*moveBytes
		}
	case wordKernels && b.pairs():
		t.turned = 2 * b.width
		units[0].src = -b.width
	default:
		t.width, t.column = b.width, unit{inner.src, inner.dst}
	}
	count = extend(units, 1, loop{l.units, src, dst})
	for i := int(n.Rank) - 2; i >= l.outside; i-- {
		d := &n.Dims[i]
		count = extend(units, count, loop{int(d.Extent), int(d.Src), int(d.Dst)})
	}
	return count
}

// extend unrolls l around the first count units, which are its first iteration: it adds the units
// of the other iterations. It returns the number of all units, which must be at most maxUnits.
func extend(units *[maxUnits]unit, count int, l loop) int {
	for i := count; i < l.n*count; i++ {
		u := units[i-count]
		units[i] = unit{u.src + l.src, u.dst + l.dst}
	}
	return l.n * count
}

// moveListed runs n without allocating: it makes a table of the inner
// loops and runs that for each coordinate of the others.
func (b *block) moveListed(n *nest.Nest, dst, src unsafe.Pointer) {
	var t Table
	var units [maxUnits]unit
	l := b.listing(n, wordKernels)
	t.units = units[:t.list(n, b, l, &units)]
	t.outerLoops(n, l.outside, dst, src)
}

// outerLoops runs t once for each coordinate of the `outside` outermost loops of n. dst and src are
// what the offsets of n count from.
func (t *Table) outerLoops(n *nest.Nest, outside int, dst, src unsafe.Pointer) {
	o := odometer{src: int(n.SrcOff), dst: int(n.DstOff)}
	for {
		t.Slice(unsafe.Add(dst, o.dst), unsafe.Add(src, o.src))
		if !o.advance(n, outside) {
			return
		}
	}
}

// Slice copies the elements that t lists. The offsets of its units, or of its nest, count from dst
// and src. A table that NewTable returned lists every element of the nest.
func (t *Table) Slice(dst, src unsafe.Pointer) {
	switch t.width {
	case 1:
		moveUnits[[1]byte](t, dst, src)
	case 2:
		moveUnits[[2]byte](t, dst, src)
	case 4:
		moveUnits[[4]byte](t, dst, src)
	case 8:
		moveUnits[[8]byte](t, dst, src)
	case 16:
		moveUnits[bytes16](t, dst, src)
	default:
		t.moveOther(dst, src)
	}
}

// moveOther is Slice for a table with turned or inner set.
func (t *Table) moveOther(dst, src unsafe.Pointer) {
	switch t.turned {
	case 2:
		turnUnits[uint16](t, dst, src)
	case 4:
		turnUnits[uint32](t, dst, src)
	case 8:
		turnUnits[uint64](t, dst, src)
	default:
		t.inner.outerLoops(t.nest, t.outside, dst, src)
	}
}

// moveUnits is, in moves of one T, with offsets in bytes,
//
//	for _, u := range t.units { for j := range t.columns { d[u.dst + j*t.column.dst] = s[u.src + j*t.column.src] } }
func moveUnits[T any](t *Table, d, s unsafe.Pointer) {
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

// turnUnits copies one W for each unit. A W is two elements, which change places.
func turnUnits[W uint16 | uint32 | uint64](t *Table, d, s unsafe.Pointer) {
	half := 4 * unsafe.Sizeof(W(0))
	for _, u := range t.units {
		v := *(*W)(unsafe.Add(s, u.src))
		*(*W)(unsafe.Add(d, u.dst)) = v<<half | v>>half
	}
}
