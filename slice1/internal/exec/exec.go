// Package exec runs what packages plan and rows have prepared. Nothing else knows which of the
// packages csrc, vector and portable runs a nest: an executor is chosen when an [Executable] is
// made.
//
// Nothing here checks addresses. The caller guarantees what package portable asks for: that
// elements lie in their buffers, and that elements of the destination share no byte with each other
// or with the source. What runs by a set in C panics if the build does not have the loops of that
// set. The caller guarantees that the host has its instructions.
package exec

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// executor runs a nest that is ready to run. The offsets of the nest count from dst and src. A
// [portable.Prepared] is an executor, too.
type executor interface {
	Slice(dst, src unsafe.Pointer)
}

type (
	goNest        nest.Nest
	cProgram      program.Program
	vectorProgram program.Program
)

func (n *goNest) Slice(dst, src unsafe.Pointer) { portable.Slice((*nest.Nest)(n), dst, src) }

func (p *cProgram) Slice(dst, src unsafe.Pointer) {
	csrc.Slice(p.Set, unsafe.Pointer(p), dst, src)
}

func (p *vectorProgram) Slice(dst, src unsafe.Pointer) {
	vector.Slice((*program.Program)(p), dst, src)
}

// programBy returns what runs a program by its kernel.
func programBy(k plan.Kernel, p *program.Program) executor {
	if k.CallsC() {
		return (*cProgram)(p)
	}
	return (*vectorProgram)(p)
}

// InGo runs a nest in plain Go, without anything prepared.
func InGo(n *nest.Nest, dst, src unsafe.Pointer) { portable.Slice(n, dst, src) }

// Executable is a problem in parts that are ready to run. It is immutable, and may be used by any
// number of goroutines at once. Its parts are slices from memory to memory, unless they have
// stages, or unless it consists of blocks.
type Executable struct {
	executor // of a slice of one part, else nil
	pieces   *plan.Pieces
	kernel   plan.Kernel      // of slices
	programs program.Programs // for each shape of part that is a slice, unless the kernel is plain Go
	stages   []stage          // of a part; none if it is a slice from memory to memory
	planned  *plan.Plan       // of the stages
	blocks   *blocks
	memory   int64 // bytes of scratch memory that a part needs
}

// CallParts is the most parts that SliceParts takes: a call into C then takes some hundred
// microseconds. Longer calls would let a cancelled context wait. Shorter ones would lose the
// processor more often: package yield says why, and what that costs. That is why slices in C are no
// stages, which take a call a part: beside other work, BenchmarkCalls takes up to three times as
// long by calls of one part.
const CallParts = 8

// Slice makes the parts of a slice ready to run by candidate c. `draft` is the program of the first
// shape of part, or nil. The programs go into the memory of room. If room is nil, Slice allocates
// memory for them, and memory for what portable.Prepare makes of a nest of one part in plain Go.
func Slice(pieces *plan.Pieces, c plan.Candidate, draft *program.Draft, room *program.Programs) Executable {
	w := Executable{pieces: pieces, kernel: c.Kernel}
	switch {
	case c.Kernel != plan.Go:
		if room != nil {
			w.programs = *room
			w.programs.Clear()
		}
		plan.ThisHost().MakeParts(&w.programs, pieces, c, draft)
	case room == nil && pieces.Count == 1:
		w.executor = portable.Prepare(&pieces.Shapes[0])
		return w
	}
	if pieces.Count == 1 {
		w.executor = w.executorOf(0)
	}
	return w
}

// executorOf returns what runs the parts of a shape.
func (w *Executable) executorOf(shape int) executor {
	if w.kernel == plan.Go {
		return (*goNest)(&w.pieces.Shapes[shape])
	}
	return programBy(w.kernel, w.programs.At(shape))
}

// Prepare makes p ready to run by candidate c. `usual` are the pieces that plan.Host.Ways cut,
// or nil, and `draft` is the program of the first shape of them, or nil.
func Prepare(p *plan.Problem, c plan.Candidate, usual *plan.Pieces, draft *program.Draft) Executable {
	switch {
	case c.Blocks:
		return inBlocks(p, c)
	case c.Stages != 0:
		return InStages(p.Plan(c))
	case usual == nil || c.Cutting != plan.Cutting{}:
		pieces := plan.Cut(&p.Nest, p.Stores, c.Cutting)
		usual = &pieces
	}
	return Slice(usual, c, draft, nil)
}

// Slots returns how many part numbers w has. Part p of block b has number slots*b + p, where a
// block has as many slots as the block with the most parts. Numbers behind the parts of a block are
// unused.
func (w *Executable) Slots() int64 {
	if w.blocks == nil {
		return w.pieces.Count
	}
	return w.blocks.Count * w.blocks.slots
}

// Pieces returns the parts, or those of the first shape of block. The caller must not change them.
func (w *Executable) Pieces() *plan.Pieces { return w.pieces }

// Programs returns the programs of a slice that is not in blocks. Plain Go has none.
func (w *Executable) Programs() *program.Programs { return &w.programs }

// Bytes returns about how many bytes w has besides an Executable.
func (w *Executable) Bytes() int64 {
	switch {
	case w.stages != nil:
		return w.planned.Bytes() + stagesBytes*max(1, int64(len(w.planned.Bands)))
	case w.blocks != nil:
		return w.blocks.bytes()
	}
	size := w.pieces.Bytes() + w.programs.Bytes()
	if t, ok := w.executor.(portable.Prepared); ok {
		size += t.Bytes()
	}
	return size
}

// stagesBytes is the most bytes that the stages of an Executable have, those of one shape of band
// included.
const stagesBytes = int64(4*unsafe.Sizeof(steps{}) + unsafe.Sizeof(bands{}))

// Single reports whether w is a slice of one part, which Slice of its executor may run.
func (w *Executable) Single() bool { return w.executor != nil }

// SliceParts runs the parts with `count` numbers from `start` on, at most CallParts: see
// Slots. Only what has a Scratch takes
// it.
func (w *Executable) SliceParts(start, count int64, dst, src unsafe.Pointer, s *Scratch) {
	switch {
	case w.stages != nil:
		for i := start; i < start+count; i++ {
			w.part(s, i, 0, dst, src, unsafe.Pointer(unsafe.SliceData(s.memory)))
		}
	case w.blocks != nil:
		w.blocks.sliceParts(start, count, dst, src, s)
	case w.executor != nil:
		w.Slice(dst, src)
	case w.kernel.CallsC():
		var parts [CallParts]program.Part
		for i := range parts[:count] {
			srcOff, dstOff, shape := w.pieces.Part(start + int64(i))
			parts[i] = program.Part{Src: srcOff, Dst: dstOff, Program: w.programs.Start(shape)}
		}
		csrc.SliceParts(unsafe.Pointer(w.programs.At(0)), unsafe.Pointer(&parts), count, dst, src)
	default:
		for i := start; i < start+count; i++ {
			srcOff, dstOff, shape := w.pieces.Part(i)
			w.executorOf(shape).Slice(unsafe.Add(dst, dstOff), unsafe.Add(src, srcOff))
		}
	}
}
