// Package exec runs what packages plan and convert have prepared. Nothing else decides which of the
// packages native, vector and portable runs a nest: a [Work] knows it from the moment it is made.
//
// What package portable says of its kernels and their callers holds here too.
package exec

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/native"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// executor is what runs the parts of a Work.
type executor uint8

const (
	inGo     executor = iota // package portable
	byTable                  // a table of package portable, which has the whole nest
	inC                      // package native
	byVector                 // package vector
	inStages                 // one of these for each stage of a conversion
	inBlocks                 // one of these for each block
)

// executorOf returns what runs the programs of a kernel.
func executorOf(k plan.Kernel) executor {
	switch {
	case k < 0:
		return inGo
	case k.InC():
		return inC
	}
	return byVector
}

// InGo runs a nest in plain Go, without anything prepared.
func InGo(n *nest.Nest, dst, src unsafe.Pointer) { portable.Slice(n, dst, src) }

// Colours stores R, G and B of the rows that c names from dst on, by kernel k. y, cb and cr begin
// with the samples of the first pixel's column in the first rows of their planes.
func Colours(k plan.Kernel, c *program.Colours, dst, y, cb, cr []uint8) {
	if executorOf(k) != inC {
		portable.Colours(c, dst, y, cb, cr)
		return
	}
	native.Colours(int32(k), c, &dst[0], &y[0], &cb[0], &cr[0])
}

// Work is a nest in parts that are ready to run. It is immutable, and may be used by any number of
// goroutines at once.
type Work struct {
	executor executor
	pieces   *plan.Pieces
	programs []program.Program // for each shape of part, if executor is inC or byVector
	table    *portable.Table
	blocks   *blocks
	*conversion
}

// blocks is a slice in blocks, which run one after another, each in parts.
type blocks struct {
	plan.Pieces
	parts   [4]Work // of each shape of block
	numbers int64   // the most parts that a block has
}

// CallParts is the most parts that SliceParts takes: a call into C then takes some hundred
// microseconds. Longer calls would let a cancelled context wait. Shorter ones would lose the
// processor more often: package yield says why, and what that costs.
const CallParts = 8

// Slice makes the parts of a slice ready to run by candidate c. `first` is the program of the first
// shape of part, or nil. `room` is memory for the programs of all shapes. If it is nil, Slice
// allocates as much as it needs, and gives a nest of one part in plain Go a table where that is
// faster.
func Slice(pieces *plan.Pieces, c plan.Candidate, first *program.Program, room []program.Program) Work {
	w := Work{executor: executorOf(c.Kernel), pieces: pieces}
	switch {
	case w.executor != inGo:
		if room == nil {
			room = make([]program.Program, pieces.NumShapes)
		}
		w.programs = room
		plan.ThisHost().MakeParts(pieces, w.programs, c, first)
	case room == nil && pieces.Count == 1:
		if w.table = portable.NewTable(&pieces.Shapes[0]); w.table != nil {
			w.executor = byTable
		}
	}
	return w
}

// SliceInBlocks makes the parts of the blocks of a large slice ready to run by candidate c.
func SliceInBlocks(n *nest.Nest, stores plan.Stores, c plan.Candidate) Work {
	b := &blocks{Pieces: plan.Blocks(n)}
	for s := range b.NumShapes {
		pieces := plan.Cut(&b.Shapes[s], stores, c.Cutting)
		b.parts[s] = Slice(&pieces, c, nil, nil)
		b.numbers = max(b.numbers, pieces.Count)
	}
	return Work{executor: inBlocks, blocks: b, pieces: b.parts[0].pieces}
}

// InBlocks returns how many blocks a large slice has, and how many part numbers a block has. If w was
// not made in blocks, they are parts in a row, each block of about plan.BlockBytes for each of so
// many goroutines.
func (w *Work) InBlocks(goroutines int64) (count, numbers int64) {
	if w.blocks != nil {
		return w.blocks.Count, w.blocks.numbers
	}
	numbers = goroutines * max(1, plan.BlockBytes/plan.PartBytes)
	return (w.pieces.Count + numbers - 1) / numbers, numbers
}

// BlockBytes returns the bytes of a block of so many part numbers.
func (w *Work) BlockBytes(block, numbers int64) int64 {
	if w.blocks != nil {
		_, _, shape := w.blocks.Part(block)
		return nest.Bytes(&w.blocks.Shapes[shape])
	}
	return min(numbers, w.pieces.Count-block*numbers) * nest.Bytes(&w.pieces.Shapes[0])
}

// Parts returns how many parts w has.
func (w *Work) Parts() int64 {
	if w.blocks == nil {
		return w.pieces.Count
	}
	parts := int64(0)
	for shape := range w.blocks.NumShapes {
		parts += w.blocks.CountOf(shape) * w.blocks.parts[shape].pieces.Count
	}
	return parts
}

// Numbers returns how many part numbers w has. Each block has as many as the block with the most
// parts. The last numbers of the other blocks have no part.
func (w *Work) Numbers() int64 {
	if w.blocks == nil {
		return w.pieces.Count
	}
	return w.blocks.Count * w.blocks.numbers
}

// Pieces returns the parts, or those of the first shape of block. The caller must not change them.
func (w *Work) Pieces() *plan.Pieces { return w.pieces }

// Programs returns the programs of a slice. Plain Go has none.
func (w *Work) Programs() (programs []program.Program) {
	if w.blocks == nil {
		return w.programs
	}
	for i := range w.blocks.parts {
		programs = append(programs, w.blocks.parts[i].programs...)
	}
	return programs
}

// Bytes returns about how many bytes w has besides a Work.
func (w *Work) Bytes() int64 {
	size := int64(len(w.programs)) * int64(unsafe.Sizeof(program.Program{}))
	if w.table != nil {
		size += w.table.Bytes()
	}
	if w.conversion != nil {
		size += w.conversion.bytes()
	}
	if w.blocks != nil {
		size += int64(unsafe.Sizeof(*w.blocks))
		for i := range w.blocks.parts {
			size += w.blocks.parts[i].Bytes()
		}
	}
	return size
}

// Table returns the table that runs a slice, or nil if something else does.
func (w *Work) Table() *portable.Table { return w.table }

// Single reports whether w is a slice of one part, which [Work.Slice] may run.
func (w *Work) Single() bool { return w.executor < inStages && w.pieces.Count == 1 }

// Slice runs a slice of one part. The offsets of its nest count from dst and src.
func (w *Work) Slice(dst, src unsafe.Pointer) {
	if w.executor == byTable { // the shortest slices
		w.table.Slice(dst, src)
		return
	}
	switch w.executor {
	case inC:
		native.Slice(&w.programs[0], dst, src)
	case byVector:
		vector.Slice(&w.programs[0], dst, src)
	default:
		portable.Slice(&w.pieces.Shapes[0], dst, src)
	}
}

// SliceParts runs the parts of a slice or a conversion with `count` numbers from `first` on, at
// most CallParts. The number numbers*b + p is part p of block b, if the block has so many parts.
func (w *Work) SliceParts(first, count int64, dst, src unsafe.Pointer, s *Scratch) {
	if w.executor == inStages {
		for i := first; i < first+count; i++ {
			w.convert(s, i, 0, dst, src, unsafe.Pointer(unsafe.SliceData(s.memory)))
		}
		return
	}
	if w.executor == inBlocks {
		w.blocks.sliceParts(first, count, dst, src)
		return
	}
	if w.executor == inC {
		var parts [CallParts]program.Part
		for i := range parts[:count] {
			from, to, shape := w.pieces.Part(first + int64(i))
			parts[i] = program.Part{Src: from, Dst: to, Program: int64(shape)}
		}
		native.SliceParts(w.programs, parts[:count], dst, src)
		return
	}
	for i := first; i < first+count; i++ {
		from, to, shape := w.pieces.Part(i)
		d, s := unsafe.Add(dst, to), unsafe.Add(src, from)
		switch w.executor {
		case byTable:
			w.table.Slice(d, s)
		case byVector:
			vector.Slice(&w.programs[shape], d, s)
		default:
			portable.Slice(&w.pieces.Shapes[shape], d, s)
		}
	}
}

func (b *blocks) sliceParts(first, count int64, dst, src unsafe.Pointer) {
	for count > 0 {
		part := first % b.numbers
		taken := min(count, b.numbers-part)
		srcOff, dstOff, shape := b.Part(first / b.numbers)
		w := &b.parts[shape]
		if present := min(taken, w.pieces.Count-part); present > 0 {
			w.SliceParts(part, present, unsafe.Add(dst, dstOff), unsafe.Add(src, srcOff), nil)
		}
		first += taken
		count -= taken
	}
}
