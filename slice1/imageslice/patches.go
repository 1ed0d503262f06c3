package imageslice

import (
	"errors"
	"image"
	"math"
	"math/bits"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// patches is how a tensor of patches lies. Without patches it is zero. For example, in a tensor of
// 8 x 4 pixels with patches of side 2 and merge 2, a row has two blocks, a row of a block two
// patches, and a row of a patch two pixels: the loop over columns becomes three. Patches 0 to 3 are
// the first block, and each begins where the one before ends.
type patches struct {
	side, merge, frames int
	// From patch to patch of a block, and from block to block, in elements: along the rows and the
	// columns of the picture in memory.
	rowSteps, columnSteps [2]int
	frame                 int // elements from frame to frame
}

// block returns the side of a block in pixels.
func (p *patches) block() int { return p.side * p.merge }

// cut makes a tensor of patches of p, which has t's pixels without patches. transposed says that
// columns of the picture in memory are rows of the tensor.
func (t *Tensor) cut(p *placement, transposed bool) error {
	if t.Patch == 0 && t.Merge == 0 && t.Frames == 0 {
		return nil
	}
	for i, v := range [...]int{t.Patch, t.Merge, t.Frames} {
		switch name := [...]string{"Patch", "Merge", "Frames"}[i]; {
		case v < 0:
			return refusedField(name, int64(v), 0, slice1.ErrSize, " is %d, must be at least 0", v)
		case t.Patch == 0 && v != 0:
			return refusedField(name, int64(v), 0, slice1.ErrSize, " is %d without Patch, the side of a patch", v)
		}
	}
	merge, frames := max(1, t.Merge), max(1, t.Frames)
	if t.Layout == HWC && frames > 1 {
		return refused(errors.ErrUnsupported, "Frames is %d in layout HWC, where a patch has one; CHW has frames", frames)
	}
	size := image.Pt(p.width, p.height)
	if block := t.Patch * merge; t.Patch > min(p.width, p.height) || merge > min(p.width, p.height)/t.Patch || size.Mod(image.Rect(0, 0, block, block)) != (image.Point{}) {
		return refused(slice1.ErrSize, "the tensor has %d x %d pixels, both must be multiples of Patch*Merge, %d*%d", p.width, p.height, t.Patch, merge)
	}
	if high, count := bits.Mul64(uint64(p.count), uint64(frames)); high != 0 || count > math.MaxInt {
		return refused(slice1.ErrOverflow, "a tensor of %d x %d pixels in %d frames: an int must count its numbers", p.width, p.height, frames)
	}
	block := image.Rect(0, 0, t.Patch*merge, t.Patch*merge)
	if r := p.inside; r.Min.Mod(block) != (image.Point{}) || r.Max.Mod(block) != (image.Point{}) {
		return refused(errors.ErrUnsupported, "the picture lies in %v of the tensor, must begin and end with blocks of %d pixels; Resize it to whole blocks", r, block.Max.X)
	}
	c := &p.patches
	c.side, c.merge, c.frames = t.Patch, merge, frames
	p.count *= frames
	patch := t.Patch * t.Patch // elements
	c.frame, p.channel = patch, frames*patch
	pixel := 1
	if t.Layout == HWC {
		p.channel, pixel = 1, p.channels
	}
	patch *= p.channels * frames
	columnSteps, rowSteps := [2]int{patch, merge * merge * patch}, [2]int{merge * patch, p.width / t.Patch * merge * patch}
	p.row, p.column, c.rowSteps, c.columnSteps = t.Patch*pixel, pixel, rowSteps, columnSteps
	start := p.inside.Min.Div(c.block())
	p.origin = start.Y*rowSteps[1] + start.X*columnSteps[1]
	if transposed {
		p.row, p.column, c.rowSteps, c.columnSteps = p.column, p.row, c.columnSteps, c.rowSteps
	}
	return nil
}

// numbers returns the numbers of a patch.
func (p *placement) numbers() int {
	return p.channels * p.frames * p.side * p.side
}

// cut makes of the loops over rows and columns loops over blocks, patches and pixels each, and adds
// one over frames. wide is the bytes of a number. Rows that are made are made by blocks.
func (j *job) cut(p *patches, wide int64) error {
	for i, step := range [...][2]int{p.rowSteps, p.columnSteps} {
		l, side, merge := j.loops[i], int64(p.side), int64(p.merge)
		j.loops[i] = nest.Dim{Extent: l.Extent / (side * merge), Src: l.Src * side * merge, Dst: int64(step[1]) * wide}
		j.loops[3+2*i] = nest.Dim{Extent: merge, Src: l.Src * side, Dst: int64(step[0]) * wide}
		j.loops[4+2*i] = nest.Dim{Extent: side, Src: l.Src, Dst: l.Dst}
	}
	j.loops[7] = nest.Dim{Extent: int64(p.frames), Dst: int64(p.frame) * wide}
	if j.pitch == 0 {
		return nil
	}
	lines := int64(p.block())
	high, bytes := bits.Mul64(uint64(lines), uint64(j.pitch))
	if high != 0 || bytes >= rows.MostMemory {
		return refused(slice1.ErrOverflow, "%d rows of %d bytes are made at once for a row of patches, must have less than %d bytes", lines, j.pitch-1, rows.MostMemory)
	}
	j.blocks = blocks{rows: j.values.Source, count: lines, pitch: int64(bytes) + 1} // more than all loops inside a block reach
	j.values.Source, j.band = &j.blocks, (j.band+lines-1)/lines
	j.pitch, j.loops[0].Src = j.blocks.pitch, j.blocks.pitch
	return nil
}

// blocks makes rows of blocks: `count` rows at a time.
type blocks struct {
	rows         engine.Source
	count, pitch int64 // rows of a block, and bytes from block to block
}

// Make makes rows of blocks, like source.Make.
func (b *blocks) Make(dst unsafe.Pointer, row, count int64) {
	for i := range count {
		b.rows.Make(unsafe.Add(dst, i*b.pitch), (row+i)*b.count, b.count)
	}
}

// fillPatches is fillAround for a tensor of patches.
func fillPatches(dst []byte, p *placement, l Layout, size int, pixel []byte) {
	unit := size // of a stretch of equal values
	if l == HWC {
		unit = len(pixel)
	}
	side, merge, bytes := p.side, p.merge, p.numbers()*size
	var filled []byte
	for i := 0; len(dst) > 0; i++ {
		patch := dst[:bytes:bytes]
		dst = dst[bytes:]
		block, place := i/(merge*merge), i%(merge*merge)
		perRow := p.width / p.block() // blocks
		corner := image.Pt(block%perRow*merge+place%merge, block/perRow*merge+place/merge).Mul(side)
		switch {
		case corner.In(p.inside):
		case filled != nil:
			copy(patch, filled)
		default:
			filled = patch
			for stretch := len(patch) / len(pixel) * unit; len(patch) > 0; patch, pixel = patch[stretch:], pixel[unit:] {
				for n := copy(patch[:stretch], pixel[:unit]); n < stretch; n *= 2 {
					copy(patch[n:stretch], patch[:n])
				}
			}
		}
	}
}
