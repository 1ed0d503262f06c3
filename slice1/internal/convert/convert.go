// Package convert slices and converts numbers in one pass. For example, the channels of RGBA pixels
// become the planes of a tensor, three of float16:
//
//	source        R G B A R G B A R G B A ...      bytes
//	memory        R R R ... G G G ... B B B ...    sliced by a program of package plan
//	destination   R R R ...                        float16, three rows far apart
//	              G G G ...
//	              B B B ...
//
// It cuts the loops of a slice into parts that stay in the first-level cache. A part is converted,
// and may be sliced before that, after it or both, by way of scratch memory. The narrower side is
// sliced: numbers that become wider before they are converted, numbers that become narrower after.
package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// From these lengths on, rows of bytes, of int16 and of float32 took less time where they lie than
// sliced, in the second-level cache of a Zen 5 (go -C bench test -run - -bench Float32Rows).
const (
	scratchBytes = 16 << 10 // of the elements of a part that is sliced, on one side of its conversion
	directBytes  = 64 << 10 // of the elements of a part that is converted where it lies
	rowBytes     = 768      // the least bytes of a row that is converted where it lies or belongs
	placesRow    = 2048     // the least elements of such a row of places; each sets up its windows
	perElement   = 250      // picoseconds that C takes to slice and convert an element, about
)

// Numbers says what a conversion makes of the elements of a nest. The zero Numbers is none:
// elements are opaque.
type Numbers struct {
	From, To program.ElementType
	Swap     bool // whether the source has the other byte order than the machine
	Valued   int8 // the loop of the nest that has a scale and a bias for each iteration, or -1
}

// Normalize brings a nest whose source and destination have elements of different sizes into normal
// form: its loops, each of at least two iterations, in the order that nest.Order gives them, without
// neighbours that continue each other. It sets Param of the loop that has values of its own.
func Normalize(n *nest.Nest, x *Numbers) {
	if x.Valued >= 0 {
		n.Dims[x.Valued].Param = 1
	}
	nest.Order(n)
	nest.Coalesce(n)
	x.Valued = -1
	for i, d := range n.Dims[:n.Rank] {
		if d.Param != 0 {
			x.Valued = int8(i)
		}
	}
}

// inC returns the kernels among these that this build has in C.
func inC(kernels plan.Kernels) (c plan.Kernels) {
	for k := range program.Sets {
		if k := plan.Kernel(k); kernels.Has(k) && program.InC(int32(k)) {
			c |= plan.Only(k)
		}
	}
	return c
}

// Nest is a nest of loops made ready to slice and convert. It is immutable, and may be used by any
// number of goroutines at once.
type Nest struct {
	x      Numbers
	slices plan.Kernels // the kernels that slice
	kernel plan.Kernel  // the kernel that converts, if inC
	inC    bool         // whether a loop in C converts, and not plain Go
	before bool         // whether a part is sliced before it is converted
	after  bool         // whether a part is sliced after it is converted
	stores plan.Stores
	loops  [nest.MaxRank]nest.Dim
	rank   int
	valued int // the loop that has values of its own, or -1
	parts  plan.Grid
	shapes [4]shape
}

// shape is what runs the parts of one shape.
type shape struct {
	rows          program.Conversion
	first         int64 // bytes from the part's first element to the one that rows begin with
	before, after step
	call          int64 // picoseconds that a part takes in C, by estimate
}

// step is a slice into or out of scratch memory.
type step struct {
	nest    nest.Nest
	program *program.Program // nil if there is no such step, or plain Go runs it
}

// Of makes a nest in normal form ready. It chooses among the kernels, and half says whether C may
// convert float16. If only non-temporal stores are allowed, parts are sliced by such stores after
// they are converted.
func Of(in *nest.Nest, x Numbers, kernels plan.Kernels, half bool, stores plan.Stores) *Nest {
	n := &Nest{x: x, stores: stores, kernel: Strongest(kernels), valued: int(x.Valued)}
	n.slices = plan.Only(n.kernel)
	if n.kernel >= 0 && program.InC(int32(n.kernel)) {
		n.slices = inC(kernels)
	}
	n.inC = n.kernel >= 0 && program.InC(int32(n.kernel)) && (half || x.From != program.Float16 && x.To != program.Float16)
	n.rank = copy(n.loops[:], in.Dims[:in.Rank])
	n.choose()
	n.cut()
	for s := range n.parts.NumShapes {
		n.make(s)
	}
	return n
}

// Bytes returns about how many bytes the nest takes.
func (n *Nest) Bytes() int64 {
	size := int64(unsafe.Sizeof(*n))
	for i := range n.shapes {
		for _, s := range [...]*step{&n.shapes[i].before, &n.shapes[i].after} {
			if s.program != nil {
				size += int64(unsafe.Sizeof(*s.program))
			}
		}
	}
	return size
}

// Strongest returns the last of the kernels that have conversions in C, or else the last one:
// program.Sets has them in ascending order.
func Strongest(kernels plan.Kernels) plan.Kernel {
	best := plan.Go
	for k := range program.Sets {
		if k := plan.Kernel(k); kernels.Has(k) && (best < 0 || program.InC(int32(k))) {
			best = k
		}
	}
	return best
}

// choose decides whether parts are sliced before they are converted, after that, both or not at
// all. A side that is not sliced keeps its rows. They must be long, since each takes some time by
// itself. Slicing takes longer the wider elements are, so the narrower side is sliced if there is a
// choice.
func (n *Nest) choose() {
	from, to := n.x.From.Size(), n.x.To.Size()
	rows := func(loops []nest.Dim, src, dst bool) int64 { // with the source, the destination or both as they are
		at := int64(1)
		for i := len(loops) - 1; i >= 0; i-- {
			if !src {
				loops[i].Src = at * from
			}
			if !dst {
				loops[i].Dst = at * to
			}
			at *= loops[i].Extent
		}
		rows := packedRows(nest.Merged(loops), from, to)
		return rows.Count
	}
	inDst := n.loops[:n.rank]
	lie := rows(n.inSource(inDst), true, false)*from >= rowBytes
	if !n.stores.Cached {
		n.before, n.after = !lie, true
		return
	}
	if c, ok := n.places(inDst); ok && (c.Count >= placesRow || c.Loops == 0) || n.rank == 0 || rows(slices.Clone(inDst), true, true)*from >= rowBytes {
		return
	}
	belong := rows(slices.Clone(inDst), false, true)*to >= rowBytes
	switch narrows := from > to; {
	case lie && belong:
		n.before, n.after = !narrows, narrows
	case lie || belong:
		n.before, n.after = belong, lie
	default:
		n.before, n.after = true, n.elements()*to >= rowBytes || !n.packed()
	}
}

// elements returns how many elements the destination has. All have bytes of their own, so nothing
// overflows.
func (n *Nest) elements() int64 {
	count := int64(1)
	for _, l := range n.loops[:n.rank] {
		count *= l.Extent
	}
	return count
}

// packed reports whether the destination has no gaps.
func (n *Nest) packed() bool {
	at := n.x.To.Size()
	for i := n.rank - 1; i >= 0; i-- {
		if n.loops[i].Dst != at {
			return false
		}
		at *= n.loops[i].Extent
	}
	return true
}

// inSource returns the loops in descending order of the source's strides. Loops that go backwards
// in the source are reversed: they go forwards there, and backwards in the destination. Loops that
// have values for each iteration stay as they are.
func (n *Nest) inSource(loops []nest.Dim) []nest.Dim {
	loops = slices.Clone(loops)
	for i := range loops {
		if l := &loops[i]; l.Src < 0 && l.Param == 0 {
			l.Src, l.Dst = -l.Src, -l.Dst
		}
	}
	slices.SortStableFunc(loops, func(a, b nest.Dim) int { return cmp.Compare(reach(b), reach(a)) })
	return loops
}

// reach returns how far an iteration of l moves the source, or the largest number if it does not.
func reach(l nest.Dim) uint64 { return uint64(max(l.Src, -l.Src)) - 1 }

// cut cuts the loops into parts. A part has at most as many elements as scratch memory holds, and
// as many values as program.Params holds.
func (n *Nest) cut() {
	room := int64(0)
	switch from, to := n.x.From.Size(), n.x.To.Size(); {
	case n.before && n.after:
		room = scratchBytes / max(from, to)
	case n.before:
		room = scratchBytes / from
	case n.after:
		room = scratchBytes / to
	default:
		room = directBytes / max(from, to/4)
	}
	var loops [nest.MaxRank]nest.Dim
	for i, l := range n.loops[:n.rank] {
		loops[i] = nest.Dim{Extent: l.Extent, Src: l.Src, Dst: l.Dst}
	}
	n.parts = plan.Boxes(loops[:n.rank], room, n.valued, program.MaxParams)
}

// make sets shape number s.
func (n *Nest) make(s int) {
	from, to := n.x.From.Size(), n.x.To.Size()
	loops := make([]nest.Dim, 0, nest.MaxRank)
	sh := &n.shapes[s]
	sh.call = perElement
	for i, l := range n.loops[:n.rank] {
		l.Extent = n.parts.Iterations(i, s)
		sh.call *= l.Extent
		if l.Extent > 1 {
			loops = append(loops, l)
		}
	}
	if n.after && !n.before {
		for _, l := range loops {
			if l.Src < 0 && l.Param == 0 {
				sh.first += l.Src * (l.Extent - 1)
			}
		}
		loops = n.inSource(loops)
	}
	rank := len(loops)
	in, out := nest.Nest{Rank: int32(rank), Width: int32(from)}, nest.Nest{Rank: int32(rank), Width: int32(to)}
	at := int64(1)
	for i := rank - 1; i >= 0; i-- {
		l := &loops[i]
		in.Dims[i] = nest.Dim{Extent: l.Extent, Src: l.Src, Dst: at * from}
		out.Dims[i] = nest.Dim{Extent: l.Extent, Src: at * to, Dst: l.Dst}
		if l.Dst < 0 { // from the last iteration on, which belongs in front
			out.Dims[i].Src, out.Dims[i].Dst = -at*to, -l.Dst
			out.SrcOff += at * to * (l.Extent - 1)
		}
		if n.before {
			l.Src = at * from
		}
		if n.after {
			l.Dst = at * to
		}
		at *= l.Extent
	}
	if n.before {
		sh.before.set(in, n.slices, plan.Stores{Cached: true})
	}
	if n.after {
		sh.after.set(out, n.slices, n.stores)
	}
	loops = nest.Merged(loops)
	sh.rows = packedRows(loops, from, to)
	if c, ok := n.places(loops); ok && !n.before && !n.after && (sh.rows.Count < c.Count || sh.rows.Period > 0) {
		sh.rows = c
	}
	sh.rows.From, sh.rows.To = n.x.From, n.x.To
	if n.x.Swap {
		sh.rows.Swap = 1
	}
}

// places returns the conversion of merged loops of bytes by C, where they lie.
func (n *Nest) places(loops []nest.Dim) (c program.Conversion, ok bool) {
	if n.x.From != program.Uint8 || !n.inC {
		return c, false
	}
	return placesOf(loops, n.x.To.Size(), program.Sets[n.kernel].Masks)
}

// set makes s run a nest, by one of the kernels and stores.
func (s *step) set(slice nest.Nest, among plan.Kernels, may plan.Stores) {
	s.nest = slice
	nest.Normalize(&s.nest)
	p := new(program.Program)
	if c := plan.Here().Choose(p, &s.nest, plan.Work{Kernels: among, Stores: may}); c.Kernel >= 0 {
		s.program = p
	}
}

// packedRows returns a conversion of merged loops. Its rows go as far as neither side has gaps.
func packedRows(loops []nest.Dim, from, to int64) program.Conversion {
	c := program.Conversion{Count: 1}
	last := len(loops) - 1
	if last >= 0 && loops[last].Src == from && loops[last].Dst == to {
		row := loops[last]
		c.Count = row.Extent
		if row.Param != 0 {
			c.Period = row.Extent
			row.Param = 0
			if last > 0 && nest.Continues(&loops[last-1], &row) {
				last--
				c.Count *= loops[last].Extent
				c.Period = repeated(c.Period)
			}
		}
		last--
	}
	c.Loops = int64(copy(c.Loop[:], loops[:last+1]))
	return c
}

// repeated returns how many values of scale and bias to make of n values that repeat: as many as
// there is room for, in whole vectors if there is room for these.
func repeated(n int64) int64 {
	times := program.MaxParams / n
	for _, whole := range [...]int64{64, 16} {
		if times >= whole {
			return n * (times - times%whole)
		}
	}
	return n * max(1, times)
}

// Parts returns how many parts the nest has.
func (n *Nest) Parts() int64 { return n.parts.Count }

// Text describes a run on at most so many goroutines: kernel, parts, goroutines, steps, and the
// loops.
func (n *Nest) Text(workers int64) string {
	steps := "converted"
	if n.before {
		steps = "sliced, " + steps
	}
	if n.after {
		steps += ", sliced"
	}
	kernel := plan.Go
	if n.inC {
		kernel = n.kernel
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, parts: %d, goroutines: %d, each part is %s", kernel, n.Parts(), min(workers, n.Parts()), steps)
	for i, l := range n.loops[:n.rank] {
		fmt.Fprintf(&b, "\n%sfor %d: source %+d, destination %+d", strings.Repeat("  ", i), l.Extent, l.Src, l.Dst)
	}
	return b.String()
}
