package convert

import (
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/native"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// Worker is what a goroutine runs parts of a nest with. Src and Dst are the addresses of the first
// element. Scale and Bias have one value, or one for each iteration.
//
// unsafe: the caller guarantees that all elements lie in their buffers, and share no bytes.
type Worker struct {
	before, after [scratchBytes / 8]uint64 // what is sliced before it is converted, and after that
	*Nest
	Dst, Src    unsafe.Pointer
	Scale, Bias []float32
	params      program.Params
	from        int64 // 1 more than the first index of the values in params; 0 before
	blocks      blocks
}

// workers are used again, since to clear one takes longer than many conversions.
var workers = sync.Pool{New: func() any { return new(Worker) }}

// Worker returns one that runs n. Put gives it back.
func (n *Nest) Worker() *Worker {
	w := workers.Get().(*Worker)
	w.Nest, w.from = n, 0
	return w
}

// Put gives w back, without what it knows of buffers.
func (w *Worker) Put() {
	w.Nest, w.Dst, w.Src, w.Scale, w.Bias = nil, nil, nil, nil, nil
	workers.Put(w)
}

// Run runs the parts from `from` up to, not including, `to`.
func (w *Worker) Run(from, to int64) {
	for i := from; i < to; i++ {
		src, dst, s := w.parts.At(i)
		first := int64(0)
		if w.valued >= 0 {
			first = w.parts.First(i, w.valued)
		}
		if first+1 != w.from {
			w.from = first + 1
			if w.valued < 0 {
				w.params[0][0], w.params[1][0] = w.Scale[0], w.Bias[0]
			} else {
				values := w.parts.Iterations(w.valued, s)
				fill(&w.params[0], w.Scale, first, values)
				fill(&w.params[1], w.Bias, first, values)
			}
		}
		w.runPart(&w.shapes[s], unsafe.Add(w.Dst, dst), unsafe.Add(w.Src, src))
	}
}

// fill fills a with `values` values of v from index `from` on, again and again. If v has a single
// value, it is for all.
func fill(a *[program.MaxParams]float32, v []float32, from, values int64) {
	if len(v) == 1 {
		from, values = 0, 1
	}
	copy(a[:], v[from:from+values])
	for n := int(values); n < len(a); n *= 2 {
		copy(a[n:], a[:n])
	}
}

// runPart runs a part. C runs all its steps in one call if it has them all.
func (w *Worker) runPart(sh *shape, dst, src unsafe.Pointer) {
	a, b := unsafe.Pointer(&w.before), unsafe.Pointer(&w.after)
	before, after := sh.before.program, sh.after.program
	if w.Nest.before && (before == nil || !w.inC) {
		sh.before.run(a, src)
		before, src = nil, a
	} else {
		src = unsafe.Add(src, sh.first)
	}
	rowsTo, last := dst, w.Nest.after && (after == nil || !w.inC)
	if last {
		rowsTo, after = b, nil
	}
	if w.inC {
		yield.Before(sh.call)
		native.Convert(int32(w.kernel), before, &sh.rows, after, rowsTo, src, a, b, &w.params)
	} else {
		w.blocks.rows(&sh.rows, rowsTo, src, &w.params, 0, 0)
	}
	if last {
		sh.after.run(dst, b)
	}
}

// run runs a step by itself.
func (s *step) run(dst, src unsafe.Pointer) {
	if s.program != nil {
		plan.Run(s.program, dst, src)
		return
	}
	portable.Run(&s.nest, dst, src)
}
