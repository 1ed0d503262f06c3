package imageslice

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// setFill sets w.fill to t.Fill as the tensor stores it, one value for each channel.
func (w *working) setFill(t *Tensor) error {
	n, channels := len(t.Fill), w.place.channels
	if n == 0 {
		return nil
	}
	if n != 1 && n != channels {
		return refused(slice1.ErrSize, "Fill has %d values, the tensor %d channels: must have one for each or one for all", n, channels)
	}
	step := int64(4)
	if n == 1 {
		step = 0
	}
	j := &w.job
	j.number = [2]program.ElementType{program.Float32, engine.ElementTypeOf(t.dataType())}
	j.setValues(&slice1.Affine{})
	j.loops = [3]nest.Dim{{Extent: 1}, {Extent: 1}, {Extent: int64(channels), Src: step, Dst: int64(t.dataType().Size())}}
	return j.store(unsafe.Pointer(&w.fill), unsafe.Pointer(&t.Fill[0]), &w.settings)
}

// fillAround stores a pixel, one value of `size` bytes for each channel, wherever p has no pixel of
// the picture.
func fillAround(dst []byte, p *placement, l Layout, size int, pixel []byte) {
	if l == HWC {
		fillPlane(dst, p, pixel)
		return
	}
	plane := p.channel * size
	for c := range p.channels {
		fillPlane(dst[c*plane:][:plane], p, pixel[c*size:][:size])
	}
}

// fillPlane is fillAround for a plane of pixels. It fills a pattern first, and copies that as fast
// as memory allows.
func fillPlane(plane []byte, p *placement, pixel []byte) {
	var room [12 << 10]byte // whole pixels of 1 to 3 channels
	pattern := room[:min(len(room)/len(pixel)*len(pixel), len(plane))]
	for n := copy(pattern, pixel); n < len(pattern); n *= 2 {
		copy(pattern[n:], pattern[:n])
	}
	store := func(first, end int) { // pixels
		for part := plane[first*len(pixel) : end*len(pixel)]; len(part) > 0; {
			part = part[copy(part, pattern):]
		}
	}
	inside := p.inside
	if inside.Empty() {
		store(0, p.width*p.height)
		return
	}
	store(0, inside.Min.Y*p.width+inside.Min.X)
	for y := inside.Min.Y; y < inside.Max.Y-1; y++ { // from the right margin of a row to the left one of the next
		store(y*p.width+inside.Max.X, (y+1)*p.width+inside.Min.X)
	}
	store((inside.Max.Y-1)*p.width+inside.Max.X, p.width*p.height)
}
