package exec

import (
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Convert returns a conversion or a packed slice that is ready to run.
func Convert(p *convert.Plan) Work {
	return Work{pieces: &p.Pieces, conversion: p, memory: p.Memory}
}

// Values are what a conversion multiplies its numbers by and adds to them. Scale and Bias each have
// one value, or one for each iteration of the loop whose Param is 1. Slices have none.
type Values struct {
	Scale, Bias []float32
	Source      Source // what makes the rows of the source, or nil if the source is memory
}

// Source makes rows of elements. Make stores `count` rows at dst, from row number `first` on. Row 0
// is the first row that the slice takes. The rows lie convert.Work.Made bytes apart. Several
// goroutines may call Make at once, each with memory of its own. Make must not keep dst. If the
// rows are made in place, dst is in the destination, and Make must store to the bytes of the rows
// alone.
type Source interface {
	Make(dst unsafe.Pointer, first, count int64)
}

// Scratch is the memory that a goroutine runs the parts of a conversion or of a packed slice with.
// A nil Scratch is for other slices.
type Scratch struct {
	params program.Params
	filled int64 // 1 more than the first index of the values in params; 0 if params has none
	memory []uint64
	blocks convert.Blocks
}

// scratches are used again, since to clear one takes longer than many conversions.
var scratches = sync.Pool{New: func() any { return new(Scratch) }}

// Scratch returns one for a run of w, or nil if w needs none. Put gives it back.
func (w *Work) Scratch() *Scratch {
	if w.memory == 0 {
		return nil
	}
	s := scratches.Get().(*Scratch)
	s.filled = 0
	if words := int(w.memory+7) / 8; len(s.memory) < words {
		s.memory = make([]uint64, words)
	}
	return s
}

// Put gives s back.
func (s *Scratch) Put() {
	if s != nil {
		scratches.Put(s)
	}
}

// convert runs part i of p. `memory` is for its stages, and the values of its first iteration have
// the index `value`.
func (s *Scratch) convert(p *convert.Plan, v *Values, i, value int64, dst, src, memory unsafe.Pointer) {
	srcOff, dstOff, shape := p.Pieces.Part(i)
	dst = unsafe.Add(dst, dstOff)
	if p.ParamLoop >= 0 {
		value += p.Pieces.First(i, p.ParamLoop)
	}
	if p.Bands == nil {
		s.part(p, shape, v, value, dst, unsafe.Add(src, srcOff), memory)
		return
	}
	first, rows := int64(0), int64(1)
	if p.Rows >= 0 {
		first, rows = p.Pieces.First(i, p.Rows), p.Pieces.Iterations(p.Rows, shape)
	}
	if p.InPlace {
		v.Source.Make(dst, first, rows)
		return
	}
	v.Source.Make(memory, first, rows)
	band := &p.Bands[shape]
	s.filled = 0 // another shape of band may need more values
	for part := range band.Pieces.Count {
		s.convert(band, v, part, value, dst, unsafe.Add(memory, p.Start), unsafe.Add(memory, p.Made))
	}
}

// fill sets the parameters to the values of a part of a shape, from an index on.
func (s *Scratch) fill(p *convert.Plan, shape int, v *Values, value int64) {
	if value+1 == s.filled {
		return
	}
	s.filled = value + 1
	if p.ParamLoop < 0 {
		s.params[0][0], s.params[1][0] = v.Scale[0], v.Bias[0]
		return
	}
	count := p.Pieces.Iterations(p.ParamLoop, shape)
	repeat(s.params[0][:p.Params], v.Scale, value, count)
	repeat(s.params[1][:p.Params], v.Bias, value, count)
}

// repeat fills params with `count` values from index `first` on, again and again. A single value is
// for all.
func repeat(params, values []float32, first, count int64) {
	if len(values) == 1 {
		first, count = 0, 1
	}
	copy(params, values[first:first+count])
	for n := int(count); n < len(params); n *= 2 {
		copy(params[n:], params[:n])
	}
}

// part runs the stages of a part. If C makes the numbers, C has the loops of both slices, too, and
// runs all stages in one call.
func (s *Scratch) part(p *convert.Plan, shape int, v *Values, value int64, dst, src, memory unsafe.Pointer) {
	stages := &p.Stages[shape]
	src = unsafe.Add(src, stages.First)
	srcMade, dstMade := memory, unsafe.Add(memory, p.Made)
	converts := p.Dst != program.Opaque
	if converts {
		s.fill(p, shape, v, value)
	}
	if p.InC {
		csrc.Convert(int32(p.Kernel), programOf(stages.Before), unsafe.Pointer(&stages.Rows), programOf(stages.After),
			dst, src, srcMade, dstMade, unsafe.Pointer(&s.params))
		return
	}
	if stages.Before != nil {
		slice(stages.Before, srcMade, src)
		src = srcMade
	}
	if converts {
		result := dst
		if stages.After != nil {
			result = dstMade
		}
		s.blocks.Vectors, s.blocks.Exact = p.Kernel != plan.Go, p.Exact
		s.blocks.Rows(&stages.Rows, result, src, &s.params)
		src = result
	}
	if stages.After != nil {
		slice(stages.After, dst, src)
	}
}

// programOf returns the program of a step, or nil if there is no step.
func programOf(s *convert.Step) unsafe.Pointer {
	if s == nil {
		return nil
	}
	return unsafe.Pointer(&s.Draft)
}

func slice(s *convert.Step, dst, src unsafe.Pointer) {
	if s.Kernel == plan.Go {
		InGo(&s.Nest, dst, src)
		return
	}
	programBy(s.Kernel, &s.Draft.Program).Slice(dst, src)
}
