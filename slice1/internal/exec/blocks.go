package exec

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// blocks is a slice in blocks, which run one after another, each in parts.
type blocks struct {
	plan.Pieces
	works [4]Executable // of each shape of block
	slots int64         // the most parts that a block has
}

// Parts returns how many parts w has.
func (w *Executable) Parts() int64 {
	if w.blocks == nil {
		return w.pieces.Count
	}
	parts := int64(0)
	for shape := range w.blocks.NumShapes {
		parts += w.blocks.CountOf(shape) * w.blocks.works[shape].pieces.Count
	}
	return parts
}

// inBlocks makes the parts of the blocks of a large slice ready to run by candidate c.
func inBlocks(p *plan.Problem, c plan.Candidate) Executable {
	b := &blocks{Pieces: plan.Blocks(&p.Nest)}
	w := Executable{blocks: b}
	c.Blocks = false
	for s := range b.NumShapes {
		x := &b.works[s]
		*x = Prepare(b.block(p, s), c, nil, nil)
		b.slots, w.memory = max(b.slots, x.pieces.Count), max(w.memory, x.memory)
	}
	w.pieces = b.works[0].pieces
	return w
}

// block returns the problem of the blocks of a shape.
func (b *blocks) block(p *plan.Problem, shape int) *plan.Problem {
	return &plan.Problem{Nest: b.Shapes[shape], Kernels: p.Kernels, Stores: p.Stores}
}

// bytes returns about how many bytes b takes.
func (b *blocks) bytes() int64 {
	size := b.Bytes() + int64(unsafe.Sizeof(*b)-unsafe.Sizeof(b.Pieces))
	for i := range b.NumShapes {
		size += b.works[i].Bytes()
	}
	return size
}

// InBlocks returns how many blocks a large slice has, and how many part numbers a block has. If w
// was not made in blocks, a block is some successive parts: about plan.BlockBytes for each
// goroutine.
func (w *Executable) InBlocks(goroutines int64) (count, slots int64) {
	if w.blocks != nil {
		return w.blocks.Count, w.blocks.slots
	}
	slots = goroutines * max(1, plan.BlockBytes/plan.PartBytes)
	return (w.pieces.Count + slots - 1) / slots, slots
}

// BlockBytes returns the bytes of a block of so many part numbers.
func (w *Executable) BlockBytes(block, slots int64) int64 {
	if w.blocks != nil {
		_, _, shape := w.blocks.Part(block)
		return nest.Bytes(&w.blocks.Shapes[shape])
	}
	return min(slots, w.pieces.Count-block*slots) * nest.Bytes(&w.pieces.Shapes[0])
}

func (b *blocks) sliceParts(start, count int64, dst, src unsafe.Pointer, s *Scratch) {
	for count > 0 {
		part := start % b.slots
		taken := min(count, b.slots-part)
		srcOff, dstOff, shape := b.Part(start / b.slots)
		w := &b.works[shape]
		if present := min(taken, w.pieces.Count-part); present > 0 {
			w.SliceParts(part, present, unsafe.Add(dst, dstOff), unsafe.Add(src, srcOff), s)
		}
		start += taken
		count -= taken
	}
}
