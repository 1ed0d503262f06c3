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
)

// of returns what runs the programs of a kernel.
func of(k plan.Kernel) executor {
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
	if of(k) != inC {
		portable.Colours(c, dst, y, cb, cr)
		return
	}
	native.Colours(int32(k), c, &dst[0], &y[0], &cb[0], &cr[0])
}

// Work is a nest in parts that are ready to run. It is immutable, and may be used by any number of
// goroutines at once.
type Work struct {
	by       executor
	pieces   *plan.Pieces
	programs []program.Program // for each shape of part, if by is inC or byVector
	table    *portable.Table
	*conversion
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
	w := Work{by: of(c.Kernel), pieces: pieces}
	switch {
	case w.by != inGo:
		if room == nil {
			room = make([]program.Program, pieces.NumShapes)
		}
		w.programs = room
		plan.Here().MakeParts(pieces, w.programs, c, first)
	case room == nil && pieces.Count == 1:
		if w.table = portable.NewTable(&pieces.Shapes[0]); w.table != nil {
			w.by = byTable
		}
	}
	return w
}

// Pieces returns the parts. The caller must not change them.
func (w *Work) Pieces() *plan.Pieces { return w.pieces }

// Programs returns the programs of a slice. Plain Go has none.
func (w *Work) Programs() []program.Program { return w.programs }

// Bytes returns about how many bytes w has besides a Work.
func (w *Work) Bytes() int64 {
	size := int64(len(w.programs)) * int64(unsafe.Sizeof(program.Program{}))
	if w.table != nil {
		size += w.table.Bytes()
	}
	if w.conversion != nil {
		size += w.conversion.bytes()
	}
	return size
}

// Table returns the table that runs a slice, or nil if something else does.
func (w *Work) Table() *portable.Table { return w.table }

// Single reports whether w is a slice of one part, which [Work.Slice] may run.
func (w *Work) Single() bool { return w.by != inStages && w.pieces.Count == 1 }

// Slice runs a slice of one part. The offsets of its nest count from dst and src.
func (w *Work) Slice(dst, src unsafe.Pointer) {
	if w.by == byTable { // the shortest slices
		w.table.Slice(dst, src)
		return
	}
	switch w.by {
	case inC:
		native.Slice(&w.programs[0], dst, src)
	case byVector:
		vector.Slice(&w.programs[0], dst, src)
	default:
		portable.Slice(&w.pieces.Shapes[0], dst, src)
	}
}

// SliceParts runs `count` parts of a slice or a conversion from part `first` on, at most CallParts. Offsets count from the
// addresses that s has.
func (w *Work) SliceParts(first, count int64, dst, src unsafe.Pointer, s *Scratch) {
	if w.by == inStages {
		for i := first; i < first+count; i++ {
			w.convert(s, i, 0, dst, src, unsafe.Pointer(unsafe.SliceData(s.memory)))
		}
		return
	}
	if w.by == inC {
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
		switch w.by {
		case byTable:
			w.table.Slice(d, s)
		case byVector:
			vector.Slice(&w.programs[shape], d, s)
		default:
			portable.Slice(&w.pieces.Shapes[shape], d, s)
		}
	}
}
