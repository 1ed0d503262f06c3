package exec

import (
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// conversion is what a Work that has stages runs.
type conversion struct {
	*convert.Plan
	steps [4][2]executor // what runs the slices of each shape, before its numbers and after
	bands []conversion   // as the bands of the plan
}

// Convert returns a conversion by candidate c, ready to run.
func Convert(p *convert.Plan) Work {
	return Work{pieces: &p.Pieces, conversion: newConversion(p)}
}

func newConversion(p *convert.Plan) *conversion {
	c := &conversion{Plan: p}
	for s := range p.Pieces.NumShapes {
		for i, step := range [...]*convert.Step{p.Stages[s].Before, p.Stages[s].After} {
			if step != nil {
				c.steps[s][i] = executorOf(step.Kernel, &step.Nest, &step.Program)
			}
		}
	}
	for i := range p.Bands {
		c.bands = append(c.bands, *newConversion(&p.Bands[i]))
	}
	return c
}

func (c *conversion) bytes() int64 {
	size := int64(unsafe.Sizeof(*c) + unsafe.Sizeof(*c.Plan))
	for s := range c.Pieces.NumShapes {
		for _, step := range [...]*convert.Step{c.Stages[s].Before, c.Stages[s].After} {
			if step != nil {
				size += int64(unsafe.Sizeof(*step))
			}
		}
	}
	for i := range c.bands {
		size += c.bands[i].bytes()
	}
	return size
}

// Values are what a conversion multiplies its numbers by and adds to them. Each has one value, or
// one for each iteration of the loop that has values of its own. Slices have none.
type Values struct {
	Scale, Bias []float32
	Source      Source // what makes the rows of the source, or nil if the source is memory
}

// Source makes rows of elements. Make stores `count` rows at dst, from row number `first` on, which
// counts from the first row that is taken. Several goroutines may call Make at once, each with
// memory of its own. Make must not keep dst. If elements lie in the destination like in the source,
// dst is the destination, and Make stores nothing else.
type Source interface {
	Make(dst unsafe.Pointer, first, count int64)
}

// Scratch is the memory that a goroutine runs the parts of a conversion with. A nil Scratch is for
// slices.
type Scratch struct {
	params program.Params
	filled int64 // 1 more than the first index of the values in params; 0 before
	memory []uint64
	blocks convert.Blocks
}

// scratches are used again, since to clear one takes longer than many conversions.
var scratches = sync.Pool{New: func() any { return new(Scratch) }}

// Scratch returns one for a run of w, or nil if w needs none. Put gives it back.
func (w *Work) Scratch() *Scratch {
	if w.conversion == nil {
		return nil
	}
	s := scratches.Get().(*Scratch)
	s.filled = 0
	if words := int(w.conversion.scratch()+7) / 8; len(s.memory) < words {
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

// scratch returns how many bytes of memory the stages of a part need. There is a line behind them,
// so that the address where a stage that is not there would begin lies in the same memory. The
// garbage collector stops a program that has an address of memory that it has freed.
func (c *conversion) scratch() int64 {
	most := lines(c.Before) + lines(c.After) + program.LineBytes
	for i := range c.bands {
		most = max(most, lines(c.Made)+c.bands[i].scratch())
	}
	return most
}

// lines rounds a number of bytes up to whole lines.
func lines(bytes int64) int64 { return (bytes + program.LineBytes - 1) &^ (program.LineBytes - 1) }

// convert runs part i. `scratch` is memory for its stages, and the values of its first iteration
// have the index `value`.
func (c *conversion) convert(s *Scratch, v *Values, i, value int64, dst, src, scratch unsafe.Pointer) {
	from, to, shape := c.Pieces.Part(i)
	dst = unsafe.Add(dst, to)
	if c.Valued >= 0 {
		value += c.Pieces.First(i, c.Valued)
	}
	if c.bands != nil {
		first, rows := int64(0), int64(1)
		if c.Rows >= 0 {
			first, rows = c.Pieces.First(i, c.Rows), c.Pieces.Iterations(c.Rows, shape)
		}
		if c.InPlace {
			v.Source.Make(dst, first, rows)
			return
		}
		v.Source.Make(scratch, first, rows)
		src, band := unsafe.Add(scratch, c.Start), &c.bands[shape]
		scratch = unsafe.Add(scratch, lines(c.Made))
		for part := range band.Pieces.Count {
			band.convert(s, v, part, value, dst, src, scratch)
		}
		return
	}
	src = unsafe.Add(src, from)
	if c.Dst == program.Opaque {
		c.steps[shape][1].Slice(dst, src)
		return
	}
	s.fill(c, v, shape, value)
	c.part(s, shape, dst, src, scratch)
}

// fill sets the parameters to the values of a part of a shape, from an index on.
func (s *Scratch) fill(c *conversion, v *Values, shape int, value int64) {
	if value+1 == s.filled {
		return
	}
	s.filled = value + 1
	if c.Valued < 0 {
		s.params[0][0], s.params[1][0] = v.Scale[0], v.Bias[0]
		return
	}
	count := c.Pieces.Iterations(c.Valued, shape)
	repeat(&s.params[0], v.Scale, value, count)
	repeat(&s.params[1], v.Bias, value, count)
}

// repeat fills params with `count` values from index `first` on, again and again. A single value is
// for all.
func repeat(params *[program.MaxParams]float32, values []float32, first, count int64) {
	if len(values) == 1 {
		first, count = 0, 1
	}
	copy(params[:], values[first:first+count])
	for n := int(count); n < len(params); n *= 2 {
		copy(params[n:], params[:n])
	}
}

// part runs the stages of a part. C runs all of them in one call if it has them all.
func (c *conversion) part(s *Scratch, shape int, dst, src, scratch unsafe.Pointer) {
	stages, by := &c.Stages[shape], &c.steps[shape]
	srcMade, dstMade := scratch, unsafe.Add(scratch, lines(c.Before))
	var srcProgram, dstProgram *program.Program
	switch {
	case stages.Before == nil:
		src = unsafe.Add(src, stages.First)
	case c.InC && stages.Before.Kernel.InC():
		srcProgram = &stages.Before.Program
	default:
		by[0].Slice(srcMade, src)
		src = srcMade
	}
	to, apart := dst, false
	switch {
	case stages.After == nil:
	case c.InC && stages.After.Kernel.InC():
		dstProgram = &stages.After.Program
	default:
		to, apart = dstMade, true
	}
	if c.InC {
		convertInC(int32(c.Kernel), srcProgram, &stages.Rows, dstProgram, to, src, srcMade, dstMade, &s.params)
	} else {
		s.blocks.Vectors, s.blocks.Exact = c.Kernel != plan.Go, c.Exact
		s.blocks.Rows(&stages.Rows, to, src, &s.params)
	}
	if apart {
		by[1].Slice(dst, dstMade)
	}
}
