package directml

import (
	"bytes"
	"context"
	"fmt"

	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// Plan is a descriptor translated for a device. Any number of goroutines may use it at
// once.
type Plan struct {
	device   *Device
	regions  []translate.Region // what Direct3D copies; nil if the plan has operators
	op       translate.Operator // for String: the operator over whole tensors; zero if there are regions
	spans    []part             // for Run; a plan with regions has one, without an operator
	parts    []part             // for Dispatch, like spans; their scatter is nil
	uncut    error              // the error of Dispatch, if there are no parts
	geometry translate.Geometry
	host     *slice1.Plan // the descriptor's plan on the CPU, which checks buffers and offsets
	program
}

// part is one of the parts into which a plan's slice is cut.
type part struct {
	translate.Part
	scatter  *slice1.Plan // the plan of the part's Scatter, or nil
	compiled *compiled    // its Operator, compiled; nil until a call needs it; guarded by the device's mu
}

// planOf returns the plan of a descriptor for a device that has the given capability and sees
// maxElements elements of a buffer. It returns an error if the descriptor is wrong or such a device
// cannot execute it. The plan has no device yet.
func planOf(d *slice1.Desc, c translate.Capability, maxElements int64) (*Plan, error) {
	if err := c.Validate(d); err != nil {
		return nil, err
	}
	if regions := translate.RegionsOf(d); regions != nil {
		return newPlan(d, regions, translate.Operator{}, translate.Operator{}, maxElements)
	}
	movable, err := translate.MovableOf(d, c)
	if err != nil {
		return nil, err
	}
	fixed, uncut := translate.OperatorOf(d, c)
	if uncut != nil { // the device has only wide elements, and the window begins within one
		fixed = movable
	}
	p, err := newPlan(d, nil, fixed, movable, maxElements)
	if uncut != nil && err == nil {
		p.parts, p.uncut = nil, uncut
	}
	return p, err
}

// newPlan returns the plan that executes a valid descriptor by copies of regions. If regions is
// nil, the plan executes it by operators: parts of fixed for Dispatch, and of movable for Run.
func newPlan(d *slice1.Desc, regions []translate.Region, fixed, movable translate.Operator, maxElements int64) (p *Plan, err error) {
	p = &Plan{regions: regions, op: fixed, geometry: translate.GeometryOf(d)}
	if p.host, err = slice1.NewPlan(d); err != nil {
		return nil, err
	}
	if regions != nil {
		p.spans = []part{{Part: translate.WholeOf(d)}}
		p.parts = []part{{Part: translate.Part{Src: p.geometry.SrcLo}}}
	} else {
		p.spans = partsOf(movable.Spans(maxElements))
		parts, err := fixed.Parts(maxElements)
		p.parts, p.uncut = partsOf(parts), err
	}
	for i := range p.spans {
		if s := &p.spans[i]; s.Scatter != nil {
			if s.scatter, err = slice1.NewPlan(s.Scatter); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

func partsOf(cut []translate.Part) []part {
	parts := make([]part, len(cut))
	for i, p := range cut {
		parts[i] = part{p, nil, nil}
	}
	return parts
}

// compare returns an error unless the elements of s.Ends are in dst what they are in src, which
// begins at the first element taken. It finds most outputs that a driver has left at 0, and
// adapters that see less of a buffer than Direct3D 12 guarantees.
func (s *part) compare(dst, src []byte) error {
	for _, r := range s.Ends {
		if !bytes.Equal(dst[r.Dst:][:r.Size], src[r.Src:][:r.Size]) {
			return fmt.Errorf("directml: the adapter gave a wrong element at byte %d of the output, without an error of its driver", r.Dst)
		}
	}
	return nil
}

// Run slices src into dst. It copies the part of src from the first to the last element taken to
// the adapter, has the adapter slice it, and copies the output elements back. If the adapter may
// not see all of a slice, Run cuts it into parts, which run one after the other. As with
// [slice1.Plan.Run], the bytes of dst between output elements keep their value. For wrong buffers
// Run returns the same errors as [slice1.Plan.Run] and writes nothing. Other errors include
// [ErrClosed], [ErrRemoved], [ErrMemory], and an [*Error] for a call that failed. Drivers have been
// seen to leave outputs at 0 without an error. Therefore Run compares the first and the last
// element of the output, and of each part, with src, and returns an error if they differ. After
// these errors, dst may hold some bytes of the output, and its other bytes are unchanged. Run waits
// for the adapter, for ever if that hangs and Windows does not reset it.
func (p *Plan) Run(dst, src []byte) error { return p.RunContext(context.Background(), dst, src) }

// SrcType returns the descriptor's data type, which may differ from the operator's. It returns 0
// for a nil or zero Plan.
func (p *Plan) SrcType() slice1.DataType {
	if p == nil {
		return 0
	}
	return p.host.SrcType()
}

// DstType returns the same as SrcType.
func (p *Plan) DstType() slice1.DataType { return p.SrcType() }

// RunContext is Run with a context. It returns ctx's error if ctx is done at the start, while
// RunContext waits, or while it copies output with gaps to dst. It may wait for a turn, for
// operators to be compiled, and for the adapter. After that error dst may hold some bytes of the
// output, and its other bytes are unchanged. The adapter finishes what it was given, without using
// dst or src. A nil ctx is never done.
func (p *Plan) RunContext(ctx context.Context, dst, src []byte) error {
	if p.SrcType() == 0 {
		return ErrClosed // a nil or zero Plan
	}
	if err := p.host.Check(dst, src); err != nil {
		return err
	}
	ctx, err := started(ctx)
	if err != nil {
		return err
	}
	return p.sliceParts(ctx, dst, src[p.geometry.SrcLo:p.geometry.SrcHi])
}

// RunAt is Run with the window elsewhere: at offsets, one per axis, in elements of the input, in
// place of the descriptor's WindowOffsets. Everything else is the plan's, including the window's
// size. For wrong offsets and buffers the errors are the same as [slice1.Plan.RunAt]'s. Other
// errors are the same as Run's.
func (p *Plan) RunAt(dst, src []byte, offsets ...int) error {
	if p.SrcType() == 0 {
		return ErrClosed // a nil or zero Plan
	}
	if err := p.host.CheckAt(dst, src, offsets...); err != nil {
		return err
	}
	distance := p.geometry.Shift(offsets)
	return p.sliceParts(context.Background(), dst, src[p.geometry.SrcLo+distance:p.geometry.SrcHi+distance])
}

// Dispatch slices src into dst, both buffers of the plan's device. Each tensor starts at its
// buffer's first byte. Dispatch submits the work to the adapter and does not wait for its end. If
// the adapter already has eight dispatches to do, Dispatch first waits for one of them. The adapter
// does the work of later calls after this work. If the adapter fails, a later call returns the
// error. Each buffer must be at least as long as its tensor's [slice1.TensorDesc.MinSize]
// ([slice1.ErrBuffer]), and dst and src must not be the same buffer or slices of one buffer
// ([slice1.ErrOverlap]). A nil buffer counts as too short. For a buffer of another device, the
// error is ErrForeign.
//
// If the plan has an operator, Dispatch uses it over whole tensors. If the adapter may not see all
// of them, Dispatch cuts the slice into parts, whose tensors begin at multiples of 16 bytes. If
// there are no such parts, the error is [slice1.ErrOverflow]. The error is the same if a tensor or
// part ends beyond 4 GiB of the allocation that holds it: see the package's Limits. The first
// Dispatch compiles the operators that it needs, unless another plan of the device has them.
//
// A plan without an operator leaves the bytes between output elements as they were. DirectML makes
// no promise about them, nor about the up to 3 bytes after the last output element that complete a
// multiple of 4. If dst is a slice of a buffer, these 3 may be bytes of the buffer behind it,
// though not of another slice that begins there. DirectML 1.15.4 leaves the bytes between elements
// on the one driver that was tried, and a slice that is cut depends on that.
func (p *Plan) Dispatch(dst, src *Buffer) error {
	if p.SrcType() == 0 {
		return ErrClosed // a nil or zero Plan
	}
	if err := p.checkBuffer("dst", dst, p.geometry.DstSize); err != nil {
		return err
	}
	if err := p.checkBuffer("src", src, p.geometry.SrcSize); err != nil {
		return err
	}
	if dst.allocation() == src.allocation() {
		return translate.Refused(slice1.ErrOverlap, "dst", p.geometry.DstSize, 0,
			" and src are one buffer or parts of one, and Dispatch writes %d bytes of it", p.geometry.DstSize)
	}
	if p.uncut != nil {
		return p.uncut
	}
	if p.regions == nil { // an operator sees its parts of the buffers by views, which copies do not need
		for i := range p.parts {
			if err := p.parts[i].CheckReach(dst.offset, src.offset); err != nil {
				return err
			}
		}
	}
	return p.dispatch(dst, src)
}

func (p *Plan) checkBuffer(field string, b *Buffer, size int64) error {
	if b == nil || b.size < size {
		return slice1.BufferError(field, p.SrcType(), b.Size(), size)
	}
	if b.device != p.device {
		return translate.Said(ErrForeign, "%s is a buffer of another device", field)
	}
	return nil
}

// String shows the plan's operator over whole tensors: the element type, the input extents, the
// window as offset+size/stride for each axis, the output extents, and the memory strides in
// elements. If the plan has no operator, String shows the regions that Direct3D copies. For a
// nil or zero Plan it returns the text of ErrClosed.
func (p *Plan) String() string {
	if p.SrcType() == 0 {
		return ErrClosed.Error()
	}
	if p.regions != nil {
		return translate.DescribeRegions(p.regions, p.geometry.SrcLo)
	}
	return "DirectML " + p.op.String()
}

// Close lets the device release the plan's operators. It does not wait: calls in progress
// go on to their end. Later calls of Run, RunContext, RunAt and Dispatch return ErrClosed.
// Closing again, or a nil or zero Plan, does nothing. The error is always nil.
func (p *Plan) Close() error {
	if p == nil {
		return nil
	}
	return p.close()
}
