// Package convert slices and converts to float32 in one pass. It cuts a loop nest into parts that stay
// in the first-level cache. A part is sliced into scratch memory by a program of package plan, and
// converted from there; where the rows of the source have no gaps, it is converted where it lies.
package convert

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

const (
	scratchBytes = 8 << 10  // of the elements of a part
	directBytes  = 64 << 10 // of the elements of a part that is not sliced
	rowElements  = 64       // of the destination, side by side, in a part at least
	directRow    = 32       // the least elements of a row that is converted where it lies
	share        = 8        // parts that a goroutine takes at a time
	perElement   = 250      // picoseconds that C takes to slice and convert an element, about
)

// Loop is a loop of a nest: its iterations, and by how many bytes of the source and of the destination,
// and how many values of scale and bias, each iteration moves. At most one loop of a nest moves the
// values, by 1.
type Loop = csrc.RowLoop

// Nest is a nest of loops made ready to slice and convert. It is immutable, and may be used by any
// number of goroutines at once.
type Nest struct {
	element csrc.ElementType
	size    int64
	kernel  plan.Kernel // that slices
	inC     bool        // whether it converts, too, and not plain Go
	direct  bool        // rows are converted where they lie
	loops   [nest.MaxRank]Loop
	run     [nest.MaxRank]int64 // iterations of each loop that a part has
	rank    int
	tagged  int // the loop that moves the values of scale and bias, or -1
	count   int64
	short   [2]int // the loops whose last part has fewer iterations, or -1
	shapes  [4]shape
	workers int
}

// shape is what runs the parts of one shape.
type shape struct {
	rows    csrc.Conversion
	slice   nest.Nest // into scratch memory
	program *csrc.Program
	call    int64 // picoseconds that a part takes in C, by estimate
}

// Of makes a nest of loops ready, for elements of a type that have size bytes. The loops have at least
// two iterations each, and positive strides in the destination. The kernels are those among which it
// may choose; it runs on at most `workers` goroutines.
func Of(loops []Loop, element csrc.ElementType, size int64, kernels plan.Kernels, workers int) *Nest {
	n := &Nest{element: element, size: size, kernel: Strongest(kernels), workers: workers, tagged: -1, short: [2]int{-1, -1}}
	n.inC = n.kernel >= 0 && csrc.Built(int32(n.kernel))
	slices.SortStableFunc(loops, func(a, b Loop) int { return cmp.Compare(b.Dst, a.Dst) })
	n.rank = copy(n.loops[:], merged(loops))
	rows := n.rowsOf(n.loops[:n.rank])
	n.direct = rows.Type == csrc.Places || rows.Count >= directRow || n.rank == 0
	for i, l := range n.loops[:n.rank] {
		if l.Param != 0 {
			n.tagged = i
		}
	}
	n.cut()
	n.count = 1
	shapes := 1
	for i, l := range n.loops[:n.rank] {
		n.count *= (l.Extent + n.run[i] - 1) / n.run[i]
		if l.Extent%n.run[i] != 0 {
			n.short[shapes/2] = i
			shapes *= 2
		}
	}
	for s := range shapes {
		n.make(s)
	}
	return n
}

// Strongest returns the last of the kernels that have conversions in C, or else the last one: csrc.Sets
// has them in ascending order.
func Strongest(kernels plan.Kernels) plan.Kernel {
	best := plan.Go
	for k := range csrc.Sets {
		if k := plan.Kernel(k); kernels.Has(k) && (best < 0 || csrc.Built(int32(k))) {
			best = k
		}
	}
	return best
}

// continues reports whether outer goes on, in all that it moves, where inner ends.
func continues(outer, inner Loop) bool {
	last := inner.Extent - 1
	return outer.Src-inner.Src == inner.Src*last && outer.Dst-inner.Dst == inner.Dst*last && outer.Param-inner.Param == inner.Param*last
}

// merged joins neighbours that continue each other.
func merged(loops []Loop) []Loop {
	last := 0
	for i := 1; i < len(loops); i++ {
		if outer, inner := loops[last], loops[i]; continues(outer, inner) {
			inner.Extent *= outer.Extent
			loops[last] = inner
			continue
		}
		last++
		loops[last] = loops[i]
	}
	return loops[:min(len(loops), last+1)]
}

// rowsOf returns the conversion of loops that are merged.
func (n *Nest) rowsOf(loops []Loop) csrc.Conversion {
	if n.element == csrc.Uint8 && n.inC {
		if c, ok := placesOf(loops, csrc.Sets[n.kernel].Masks); ok {
			return c
		}
	}
	c := packedRows(loops, n.size)
	c.Type = n.element
	return c
}

// cut sets how many iterations of each loop a part has: at most those that scratch memory holds, and at
// most two loops are cut into runs longer than 1. If the loops have another order in the source than in
// the destination, a part has long runs on both sides.
func (n *Nest) cut() {
	room := scratchBytes / n.size
	if n.direct {
		room = directBytes / n.size
	}
	for i := range n.run {
		n.run[i] = 1
	}
	inDst := make([]int, n.rank) // the loops, the smallest stride first
	for i := range inDst {
		inDst[i] = n.rank - 1 - i
	}
	inSrc := slices.Clone(inDst)
	slices.SortStableFunc(inSrc, func(i, j int) int { return cmp.Compare(n.reach(i), n.reach(j)) })
	if !slices.Equal(inDst, inSrc) {
		room = n.grow(inDst, room, rowElements)
		room = n.grow(inSrc, room, room)
	}
	n.grow(inDst, room, room)
}

// reach returns how far an iteration of loop i moves the source, or the most for one that does not.
func (n *Nest) reach(i int) uint64 { s := n.loops[i].Src; return uint64(max(s, -s)) - 1 }

// grow adds iterations of the given loops to a part, one loop after another, until the part is `target`
// times as large, or a loop is left with some iterations. It returns the room that is left of `room`.
func (n *Nest) grow(loops []int, room, target int64) int64 {
	for _, i := range loops {
		limit := n.loops[i].Extent
		if i == n.tagged {
			limit = min(limit, csrc.MaxParams)
		}
		take := min(limit, n.run[i]*min(room, max(1, target)))
		if take < limit && take > rowElements {
			take -= take % rowElements
		}
		if take > n.run[i] {
			grown := (take + n.run[i] - 1) / n.run[i]
			room, target = room/grown, target/grown
			n.run[i] = take
		}
		if n.run[i] < n.loops[i].Extent {
			break
		}
	}
	return room
}

// make sets shape number s: bit k says that the loop short[k] has its last run.
func (n *Nest) make(s int) {
	var loops [nest.MaxRank]Loop
	rank, packed := 0, n.size
	sh := &n.shapes[s]
	sh.call = perElement
	for i, l := range n.loops[:n.rank] {
		l.Extent = n.extent(i, s)
		sh.call *= l.Extent
		if l.Extent > 1 {
			loops[rank] = l
			rank++
		}
	}
	if !n.direct {
		sh.slice = nest.Nest{Rank: int32(rank), Width: int32(n.size)}
		for i := rank - 1; i >= 0; i-- {
			l := &loops[i]
			sh.slice.Dims[i] = nest.Dim{Extent: l.Extent, Src: l.Src, Dst: packed}
			l.Src = packed
			packed *= l.Extent
		}
		nest.Normalize(&sh.slice)
		sh.program = programOf(&sh.slice, n.kernel)
	}
	sh.rows = n.rowsOf(merged(loops[:rank]))
}

// extent returns how many iterations of loop i the parts of shape s have.
func (n *Nest) extent(i, s int) int64 {
	for k, short := range n.short {
		if i == short && s>>k&1 == 1 {
			return n.loops[i].Extent % n.run[i]
		}
	}
	return n.run[i]
}

// programOf returns the program by which a kernel runs a nest, or nil if plain Go runs it.
func programOf(slice *nest.Nest, k plan.Kernel) *csrc.Program {
	p := new(csrc.Program)
	if c := plan.Here().Choose(p, slice, plan.Work{Kernels: plan.Only(k), May: plan.Stores{Cached: true}}); c.Kernel < 0 {
		return nil
	}
	return p
}

// packedRows returns a conversion whose rows are as long as neither side has gaps.
func packedRows(loops []Loop, size int64) csrc.Conversion {
	c := csrc.Conversion{Count: 1}
	last := len(loops) - 1
	if last >= 0 && loops[last].Src == size && loops[last].Dst == 4 {
		row := loops[last]
		c.Count = row.Extent
		if row.Param != 0 {
			c.Period = row.Extent
			row.Param = 0
			if last > 0 && continues(loops[last-1], row) {
				last--
				c.Count *= loops[last].Extent
				c.Period = repeated(c.Period)
			}
		}
		last--
	}
	c.Loops = int32(copy(c.Loop[:], loops[:last+1]))
	return c
}

// repeated returns how many values of scale and bias are made of n that repeat: as many as there is room
// for, and whole vectors of them if there is room for that.
func repeated(n int64) int64 {
	times := csrc.MaxParams / n
	for _, whole := range [...]int64{64, 16} {
		if times >= whole {
			return n * (times - times%whole)
		}
	}
	return n * max(1, times)
}

// Run slices and converts from src, the address of the first element, to dst, with one value or one per
// index of scale and of bias; both must be set. If alone is true, it uses the caller's goroutine only.
//
// unsafe: the caller guarantees that all elements lie in their buffers, and share no bytes.
func (n *Nest) Run(dst, src unsafe.Pointer, scale, bias []float32, alone bool) {
	if !alone && n.workers > 1 {
		n.parallel(dst, src, scale, bias)
		return
	}
	var w worker
	w.Nest, w.dst, w.src, w.scale, w.bias, w.from = n, dst, src, scale, bias, -1
	w.parts(0, n.count)
}

func (n *Nest) parallel(dst, src unsafe.Pointer, scale, bias []float32) {
	var (
		next atomic.Int64
		wg   sync.WaitGroup
	)
	work := func() {
		var w worker
		w.Nest, w.dst, w.src, w.scale, w.bias, w.from = n, dst, src, scale, bias, -1
		for from := next.Add(share) - share; from < n.count; from = next.Add(share) - share {
			w.parts(from, min(n.count, from+share))
		}
	}
	for range n.workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// worker is what a goroutine runs parts with. Its fields are set one by one: a literal would be made elsewhere
// and copied, with all of params.
type worker struct {
	*Nest
	dst, src    unsafe.Pointer
	scale, bias []float32
	params      csrc.Params
	from        int64 // the first index of the values in params; -1 before
}

// parts runs the parts from `from` up to, not including, `to`.
func (w *worker) parts(from, to int64) {
	if w.direct { // without the time to clear scratch memory
		w.partsBy(nil, from, to)
		return
	}
	var scratch [scratchBytes / 8]uint64
	w.partsBy(unsafe.Pointer(&scratch), from, to)
}

func (w *worker) partsBy(scratch unsafe.Pointer, from, to int64) {
	for i := from; i < to; i++ {
		src, dst, first, s := w.part(i)
		if first != w.from {
			values := int64(1)
			if w.tagged >= 0 {
				values = w.extent(w.tagged, s)
			}
			fill(&w.params[0], w.scale, first, values)
			fill(&w.params[1], w.bias, first, values)
			w.from = first
		}
		w.runPart(&w.shapes[s], unsafe.Add(w.dst, dst), unsafe.Add(w.src, src), scratch)
	}
}

// fill fills a with the values of v from `from` on, `values` of them, again and again. If v has a single
// value, it is that of all.
func fill(a *[csrc.MaxParams]float32, v []float32, from, values int64) {
	if len(v) == 1 {
		from, values = 0, 1
	}
	copy(a[:], v[from:from+values])
	for n := int(values); n < len(a); n *= 2 {
		copy(a[n:], a[:n])
	}
}

// part returns the offsets of part i in the source and in the destination, its first index of scale and
// bias, and its shape.
func (n *Nest) part(i int64) (src, dst, param int64, s int) {
	for k := n.rank - 1; k >= 0; k-- {
		l, run := &n.loops[k], n.run[k]
		runs := (l.Extent + run - 1) / run
		at := i % runs
		i /= runs
		src, dst, param = src+at*run*l.Src, dst+at*run*l.Dst, param+at*run*l.Param
		if at == runs-1 {
			for b, short := range n.short {
				if k == short {
					s |= 1 << b
				}
			}
		}
	}
	return src, dst, param, s
}

// runPart runs a part. C slices by a program by itself before it converts.
func (w *worker) runPart(sh *shape, dst, src, scratch unsafe.Pointer) {
	program := sh.program
	if !w.direct && (program == nil || !w.inC) {
		if program == nil {
			portable.Run(&sh.slice, scratch, src)
		} else {
			plan.Run(program, scratch, src)
		}
		program, src = nil, scratch
	}
	if w.inC {
		yield.Before(sh.call)
		sh.rows.Convert(int32(w.kernel), program, dst, src, scratch, &w.params)
	} else {
		runRows(&sh.rows, dst, src, &w.params, 0, 0)
	}
}
