package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A simulator executes a program byte by byte like the loops in C, also for sets that the host
// lacks. The bytes of its source follow from their offsets, so strides may be of any length. It
// checks every access: a row must load only between the first and the last byte of its source, and
// must store only to bytes of elements between the first and the last byte of its destination.
type simulator struct {
	p       *program.Program
	set     *program.Set
	form    program.Form
	variant int

	dst     []byte // the destination from offset base on
	element []bool // whether each byte of dst belongs to an element
	base    int64
	sparse  bool // there is no dst, and only the first and the last iterations of each loop run

	load, store      span  // what a row may load and store, from its first element
	loadLo, loadHi   int64 // the offsets between which the current row may load
	storeLo, storeHi int64 // the offsets between which it may store
	vector, merged   [program.PermuteBytes]byte

	hidesLoads, hidesStores bool // whether a mask hides bytes outside of the spans of a row
}

// A fault says which access a program makes that it must not make, or which value it has that its
// loop does not take.
type fault string

func must(ok bool, format string, args ...any) {
	if !ok {
		panic(fault(fmt.Sprintf(format, args...)))
	}
}

// sourceByte returns the byte of the source at an offset.
func sourceByte(at int64) byte { return byte(uint64(at) * 0x9E3779B97F4A7C15 >> 56) }

// untouched returns what the destination holds at an offset before a program runs.
func untouched(at int64) byte { return byte(0xC0 + at%61) }

// simulate runs p, a program of the nest of m, from m.before into m.dst. It returns an error if p
// makes a fault or does not make m.after.
func simulate(p *program.Program, m *memory) error {
	s := newSimulator(p, m.nest)
	s.base, s.dst, s.element = m.base, append(m.dst[:0], m.before...), m.element
	if err := s.run(); err != nil {
		return err
	}
	if string(s.dst) != string(m.after) {
		return errors.New("other bytes are copied")
	}
	return nil
}

// simulateEdges runs the first and the last iterations of the loops of p, a program of n. It
// returns an error if p loads or stores outside of the spans of a row, or holds a value that its
// loop does not take.
func simulateEdges(p *program.Program, n *nest.Nest) error {
	s := newSimulator(p, n)
	s.sparse = true
	return s.run()
}

// memory is the destination of a nest from the first byte of its elements to the last.
type memory struct {
	nest          *nest.Nest
	base          int64  // the offset of the first byte
	before, after []byte // what it holds before the nest is run, and after
	dst           []byte // room for what a program makes
	element       []bool // whether each byte belongs to an element
}

func memoryOf(n *nest.Nest) *memory {
	_, _, lo, hi := nest.Span(n)
	m := &memory{nest: n, base: lo, dst: make([]byte, hi-lo), before: make([]byte, hi-lo), element: make([]bool, hi-lo)}
	for i := range m.before {
		m.before[i] = untouched(lo + int64(i))
	}
	m.after = slices.Clone(m.before)
	each(n, 0, n.DstOff-lo, n.SrcOff, func(to, from int64) {
		for b := range int64(n.Width) {
			m.after[to+b], m.element[to+b] = sourceByte(from+b), true
		}
	})
	return m
}

func newSimulator(p *program.Program, n *nest.Nest) *simulator {
	s := &simulator{p: p, set: &program.Sets[p.Set], form: program.FormOf(p.Loop), variant: variantOf(p.Loop)}
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	s.load, s.store = span{srcLo - p.Src, srcHi - p.Src}, span{dstLo - p.Dst, dstHi - p.Dst}
	for _, d := range unlinked(p) {
		src, dst := d.Src*(d.Extent-1), d.Dst*(d.Extent-1)
		s.load.lo, s.load.hi = s.load.lo-min(0, src), s.load.hi-max(0, src)
		s.store.lo, s.store.hi = s.store.lo-min(0, dst), s.store.hi-max(0, dst)
	}
	return s
}

// unlinked returns the loops around the row of p, which is linked, with the strides that they had
// before: from the first row of the loops inside each, not from the last.
func unlinked(p *program.Program) []program.Dim {
	dims := p.Dims
	var src, dst int64
	for i := p.Outer - 1; i >= 0; i-- {
		d := &dims[i]
		d.Src, d.Dst = d.Src+src, d.Dst+dst
		src, dst = src+(d.Extent-1)*d.Src, dst+(d.Extent-1)*d.Dst
	}
	return dims[:p.Outer]
}

// run runs all rows and returns the first fault.
func (s *simulator) run() (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = errors.New(string(r))
		default:
			panic(r)
		}
	}()
	_, ok := program.Loop(s.p.Set, s.form, s.variant)
	must(ok, "a loop of form %d and variant %d", s.form, s.variant)
	must(s.p.NT == 0 || s.set.NonTemporal, "NT is %d", s.p.NT)
	if s.sparse {
		s.corners(unlinked(s.p), s.p.Dst, s.p.Src)
		return nil
	}
	s.rows()
	return nil
}

// rows runs all rows in the order of next_row of rows.h.
func (s *simulator) rows() {
	p := s.p
	in := p.Innermost
	to, from := p.Dst, p.Src
	var at [program.MaxRank]int64
	for left := p.Next.Extent; ; {
		for i := in.Extent; ; to, from = to+in.Dst, from+in.Src {
			s.row(to, from)
			if i--; i == 0 {
				break
			}
		}
		step := &p.Next
		if left--; left == 0 {
			if step = nextLoop(p, int(p.Outer)-2, &at); step == nil {
				return
			}
			left = p.Next.Extent
		}
		to, from = to+step.Dst, from+step.Src
	}
}

func nextLoop(p *program.Program, loops int, at *[program.MaxRank]int64) *program.Dim {
	for r := loops - 1; r >= 0; r-- {
		if at[r]++; at[r] < p.Dims[r].Extent {
			return &p.Dims[r]
		}
		at[r] = 0
	}
	return nil
}

// corners runs the rows at which each of the loops of dims is in its first or its last iteration.
// to and from are the offsets of the first of these rows.
func (s *simulator) corners(dims []program.Dim, to, from int64) {
	if len(dims) == 0 {
		s.row(to, from)
		return
	}
	d := dims[0]
	s.corners(dims[1:], to, from)
	if last := d.Extent - 1; last > 0 {
		s.corners(dims[1:], to+last*d.Dst, from+last*d.Src)
	}
}

// times calls f with 0 to n-1 or, if s is sparse, with the first three and the last three of these.
func (s *simulator) times(n int64, f func(i int64)) {
	const ends = 3
	for i := int64(0); i < n; i++ {
		if s.sparse && i == ends {
			i = max(i, n-ends)
		}
		f(i)
	}
}

// row runs the row whose first element is at offset src of the source and dst of the
// destination.
func (s *simulator) row(dst, src int64) {
	s.loadLo, s.loadHi = src+s.load.lo, src+s.load.hi
	s.storeLo, s.storeHi = dst+s.store.lo, dst+s.store.hi
	switch bodyOf(s.p) {
	case plain:
		s.plain(dst, src)
	case tiled:
		s.tiles(dst, src)
	case windowed:
		s.windows(dst, src)
	case masked:
		s.masks(dst, src)
	case placed:
		s.units(dst, src)
	case maskedAt:
		s.maskedUnits(dst, src)
	}
}

// loads checks a load of n bytes at an offset.
func (s *simulator) loads(at, n int64) {
	if at < s.loadLo || at+n > s.loadHi {
		must(false, "%d bytes loaded at %d, outside of the row's %d to %d", n, at, s.loadLo, s.loadHi)
	}
}

// put checks a store of v at an offset and, unless s is sparse, makes it.
func (s *simulator) put(at int64, v []byte) {
	if at < s.storeLo || at+int64(len(v)) > s.storeHi {
		must(false, "%d bytes stored at %d, outside of the row's %d to %d", len(v), at, s.storeLo, s.storeHi)
	}
	if s.sparse {
		return
	}
	for i, ok := range s.element[at-s.base:][:len(v)] {
		if !ok {
			must(false, "a byte stored at %d, between elements", at+int64(i))
		}
	}
	copy(s.dst[at-s.base:], v)
}

// move copies n bytes or, if s is sparse, the first 64 of them and the last ones.
func (s *simulator) move(to, from, n int64) {
	s.loads(from, n)
	for n > 0 {
		v := s.vector[:min(n, program.PermuteBytes)]
		for i := range v {
			v[i] = sourceByte(from + int64(i))
		}
		s.put(to, v)
		part := int64(len(v))
		if s.sparse {
			part = max(part, n-part)
		}
		to, from, n = to+part, from+part, n-part
	}
}

// plain runs a row of a program without a body: forms Copy, Gather, Element and String.
func (s *simulator) plain(to, from int64) {
	row, w := s.p.Row, int64(s.p.Width)
	switch s.form {
	case program.Copy, program.String:
		must(row.Src == w && row.Dst == w, "a copy with strides %d and %d", row.Src, row.Dst)
		must(s.p.NT == 0 || row.Extent*w >= program.LineBytes, "a row of %d bytes by non-temporal stores", row.Extent*w)
	case program.Gather:
		must(row.Dst == w && row.Extent*w >= program.LaneBytes, "a gather of %+v", row)
	}
	if s.form == program.Copy || s.form == program.String {
		s.move(to, from, row.Extent*w)
		return
	}
	s.times(row.Extent, func(i int64) { s.move(to+i*row.Dst, from+i*row.Src, w) })
}
