package exec

import (
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// stage makes part i, of a shape, at dst from what lies at src: the part's elements in the source,
// or what the stage before has made. The values of the part's first iteration have the index
// `value`. `memory` is for stages that need more.
type stage interface {
	run(s *Scratch, i int64, shape int, value int64, dst, src, memory unsafe.Pointer)
}

// The stages, each with what it needs for every shape of part.
type (
	steps   [4]executor          // a slice
	goStage struct{ *plan.Plan } // numbers, in Go
	cStage  struct{ *plan.Plan } // numbers and the slices before and behind them, by one call into C
	making  struct{ *plan.Plan } // rows of a source that is made; dst is for row 0 if they are made in place
	bands   struct {             // all parts of a band of rows that lie at src
		*plan.Plan
		works [2]Executable // of each shape of band
	}
)

func (x *steps) run(_ *Scratch, _ int64, shape int, _ int64, dst, src, _ unsafe.Pointer) {
	x[shape].Slice(dst, src)
}

func (x goStage) run(s *Scratch, i int64, shape int, value int64, dst, src, _ unsafe.Pointer) {
	s.fill(x.Plan, shape, value)
	s.numbers.vectors, s.numbers.table = x.Kernel != plan.Go, s.tableAt(x.Plan, value)
	s.numbers.run(&x.Steps[shape].Rows, dst, src, &s.params)
}

func (x cStage) run(s *Scratch, i int64, shape int, value int64, dst, src, memory unsafe.Pointer) {
	s.fill(x.Plan, shape, value)
	steps, params := &x.Steps[shape], unsafe.Pointer(&s.params)
	if x.Rule == program.ByTable {
		params = s.tableAt(x.Plan, value)
	}
	csrc.Convert(unsafe.Pointer(&steps.Rows), programOf(steps.SliceIn), programOf(steps.SliceOut), dst, src, memory, params)
}

// programOf returns the program of a step, or nil if there is no step.
func programOf(s *plan.Step) unsafe.Pointer {
	if s == nil {
		return nil
	}
	return unsafe.Pointer(&s.Draft)
}

func (x making) run(s *Scratch, i int64, shape int, _ int64, dst, _, _ unsafe.Pointer) {
	start, rows := int64(0), int64(1)
	if x.Rows >= 0 {
		start, rows = x.Pieces.FirstIteration(i, x.Rows), x.Pieces.Iterations(x.Rows, shape)
	}
	s.values.Source.Make(dst, start, rows)
}

func (x *bands) run(s *Scratch, _ int64, shape int, value int64, dst, src, memory unsafe.Pointer) {
	s.filled = 0 // another shape of band may need more values
	w := &x.works[shape]
	for part := range w.pieces.Count {
		w.part(s, part, value, dst, unsafe.Add(src, x.Start), unsafe.Add(memory, x.Made))
	}
}

// InStages returns what p plans, ready to run.
func InStages(p *plan.Plan) Executable {
	w := Executable{pieces: &p.Pieces, planned: p, memory: p.Memory}
	switch {
	case p.InPlace:
		w.stages = []stage{making{p}}
	case p.Bands != nil:
		x := &bands{Plan: p}
		for i := range p.Bands {
			x.works[i] = InStages(&p.Bands[i])
		}
		w.stages = []stage{making{p}, x}
	case p.CallsC:
		w.stages = []stage{cStage{p}}
	default:
		var sliceIn, sliceOut steps
		for s := range p.Pieces.NumShapes {
			sliceIn[s], sliceOut[s] = executorOf(p.Steps[s].SliceIn), executorOf(p.Steps[s].SliceOut)
		}
		if sliceIn[0] != nil {
			w.stages = append(w.stages, &sliceIn)
		}
		if p.Dst != program.Opaque {
			w.stages = append(w.stages, goStage{p})
		}
		if sliceOut[0] != nil {
			w.stages = append(w.stages, &sliceOut)
		}
	}
	return w
}

// executorOf returns what runs a step, or nil if there is no step.
func executorOf(s *plan.Step) executor {
	switch {
	case s == nil:
		return nil
	case s.Kernel == plan.Go:
		return (*goNest)(&s.Nest)
	}
	return programBy(s.Kernel, &s.Draft.Program)
}

// part runs the stages of part i. Each stores to scratch memory what the next one reads: the first
// of them at the beginning of `memory`, the second one behind that, and the last one to the
// destination.
func (w *Executable) part(s *Scratch, i, value int64, dst, src, memory unsafe.Pointer) {
	p := w.planned
	srcOff, dstOff, shape := p.Pieces.Part(i)
	if p.ParamLoop >= 0 {
		value += p.Pieces.FirstIteration(i, p.ParamLoop)
	}
	dst = unsafe.Add(dst, dstOff)
	if p.Bands == nil { // else there is no source in memory
		src = unsafe.Add(src, srcOff+p.Steps[shape].Start)
	}
	made := memory
	for index, x := range w.stages {
		output := made
		if index == len(w.stages)-1 {
			output = dst
		}
		x.run(s, i, shape, value, output, src, memory)
		src, made = made, unsafe.Add(memory, p.Made)
	}
}

// Values are what the rule of a conversion takes. Scale, Bias and Zero each have one value, or one
// for each iteration of the loop whose Param is 1. Slices have none. Bytes may have tables instead,
// one or one for each iteration.
type Values struct {
	Scale, Bias []float32
	Zero        []int32
	Table       []uint64 // the memory of tables, each of program.TableSize elements as they are stored
	Tables      int64
	Source      Source // what makes the rows of the source, or nil if the source is memory
}

// Several reports whether there are values for each iteration of a loop.
func (v *Values) Several() bool {
	return max(len(v.Scale), len(v.Bias), len(v.Zero), int(v.Tables)) > 1
}

// tableAt returns the table with an index, or nil if there are none.
func (s *Scratch) tableAt(p *plan.Plan, value int64) unsafe.Pointer {
	if s.values.Tables <= 1 {
		value = 0
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.values.Table)), value*program.TableSize*p.Dst.Size())
}

// Source makes rows of elements. Make stores `count` rows at dst, from row number `row` on. Row 0
// is the first row that the slice takes. The rows lie plan.Problem.Pitch bytes apart. Several
// goroutines may call Make at once, each with memory of its own. Make must not keep dst. If the
// rows are made in place, dst is in the destination, and Make must store to the bytes of the rows
// alone.
type Source interface {
	Make(dst unsafe.Pointer, row, count int64)
}

// Scratch is the memory with which a goroutine runs parts that have stages. A nil Scratch is for
// parts that have none.
type Scratch struct {
	values  Values
	params  program.Params
	filled  int64 // 1 more than the first index of the values in params; 0 if params has none
	memory  []uint64
	numbers numbersInGo
}

// scratches are used again, since to clear one takes longer than many conversions.
var scratches = sync.Pool{New: func() any { return new(Scratch) }}

// Scratch returns one for a run of w with values, or nil if w needs none. Put gives it back.
func (w *Executable) Scratch(v *Values) *Scratch {
	if w.memory == 0 {
		return nil
	}
	s := scratches.Get().(*Scratch)
	s.values, s.filled = *v, 0
	if words := int(w.memory+7) / 8; len(s.memory) < words {
		s.memory = make([]uint64, words)
	}
	return s
}

// mostIdle is how many bytes of memory a Scratch keeps that nobody uses.
const mostIdle = 4 << 20

// Put gives s back, without its memory if that is large.
func (s *Scratch) Put() {
	if s != nil {
		if s.values = (Values{}); 8*len(s.memory) > mostIdle {
			s.memory = nil
		}
		scratches.Put(s)
	}
}

// fill sets the parameters to the values of a part of a shape, from an index on.
func (s *Scratch) fill(p *plan.Plan, shape int, value int64) {
	if value+1 == s.filled {
		return
	}
	s.filled = value + 1
	if p.ParamLoop < 0 {
		s.params.Scale[0], s.params.Bias[0] = s.values.Scale[0], s.values.Bias[0]
		if len(s.values.Zero) > 0 {
			s.params.Zero[0] = s.values.Zero[0]
		}
		return
	}
	count := p.Pieces.Iterations(p.ParamLoop, shape)
	repeat(s.params.Scale[:p.Params], s.values.Scale, value, count)
	repeat(s.params.Bias[:p.Params], s.values.Bias, value, count)
	if len(s.values.Zero) > 0 {
		repeat(s.params.Zero[:p.Params], s.values.Zero, value, count)
	}
}

// repeat fills params with `count` values from index `start` on, again and again. A single value is
// for all.
func repeat[T float32 | int32](params, values []T, start, count int64) {
	if len(values) == 1 {
		start, count = 0, 1
	}
	copy(params, values[start:start+count])
	for n := int(count); n < len(params); n *= 2 {
		copy(params[n:], params[:n])
	}
}
