package directml

import (
	"context"
	"fmt"

	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// Plan is a descriptor compiled for a device. It is immutable and may be used
// by any number of goroutines at once.
type Plan struct {
	device   *Device
	runs     []translate.Run    //  copied, if there are few enough; else
	op       translate.Operator // over whole tensors
	span     translate.Operator // over the window: what runs on host memory have executed
	geometry translate.Geometry
	host     *slice1.Plan // the same on the CPU, which knows what buffers must be
	scatter  *slice1.Plan // copies output elements and not the gaps between them; nil without gaps
	program
}

// planOf returns the plan of a descriptor for a device with the given capability. The plan
// has no device yet.
func planOf(d *slice1.Desc, c translate.Capability) (p *Plan, err error) {
	if err := c.Validate(d); err != nil {
		return nil, err
	}
	p = &Plan{runs: translate.RunsOf(d)}
	if p.runs == nil {
		if p.op, err = translate.OperatorOf(d, c); err != nil {
			return nil, err
		}
		p.span = p.op.Narrowed()
	}
	return p, p.newGeometry(d)
}

// newGeometry sets the fields that runs on host memory need.
func (p *Plan) newGeometry(d *slice1.Desc) (err error) {
	p.geometry = translate.GeometryOf(d)
	if p.host, err = slice1.NewPlan(d); err != nil || !p.geometry.Gaps {
		return err
	}
	t := slice1.TensorDesc{DataType: d.Output.DataType, Sizes: d.Output.Sizes, Strides: d.Output.Strides}
	all := slice1.Whole(t.DataType, t.Sizes...)
	all.Input, all.Output = t, t
	p.scatter, err = slice1.NewPlan(all)
	return err
}

// Run slices src into dst: the elements taken are copied to the adapter, sliced
// there, and the output copied back. Everything is as with [slice1.Plan.Run]:
// the lengths needed, the bytes between output elements that keep their value,
// the errors, and that nothing is written unless everything is right.
func (p *Plan) Run(dst, src []byte) error { return p.RunContext(context.Background(), dst, src) }

// DataType returns the descriptor's data type, whatever the operator is compiled for; 0 for
// a nil or zero Plan.
func (p *Plan) DataType() slice1.DataType {
	if p == nil {
		return 0
	}
	return p.host.DataType()
}

// RunContext is Run, but returns ctx's error once ctx is done: while it waits for its turn
// or for the adapter, or between parts of a large slice. Some bytes of the output are then
// in dst, and the others are unchanged. The adapter finishes what it has begun without
// using dst or src.
func (p *Plan) RunContext(ctx context.Context, dst, src []byte) error {
	if p.DataType() == 0 {
		return ErrClosed // a nil or zero Plan
	}
	if err := p.host.Check(dst, src); err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.run(ctx, dst, src[p.geometry.SrcLo:p.geometry.SrcHi])
}

// RunAt is Run with the window elsewhere: at offsets, one per axis, in elements
// of the input, in place of the descriptor's WindowOffsets. All else, the
// window's size too, is the plan's, and the errors are those of
// [slice1.Plan.RunAt].
func (p *Plan) RunAt(dst, src []byte, offsets ...int) error {
	if p.DataType() == 0 {
		return ErrClosed // a nil or zero Plan
	}
	if err := p.host.CheckAt(dst, src, offsets...); err != nil {
		return err
	}
	at := p.geometry.At(offsets)
	return p.run(context.Background(), dst, src[p.geometry.SrcLo+at:p.geometry.SrcHi+at])
}

// Dispatch slices src into dst, both buffers of the plan's device, from their
// first bytes on. It returns once the adapter has the work: a Dispatch, Upload
// or Download called thereafter finds it done, and errors of the adapter come
// with the next call that waits. Each buffer must be at least as long as its tensor's
// [slice1.TensorDesc.MinSize] ([slice1.ErrBuffer]), and dst and src must be different
// buffers ([slice1.ErrOverlap]). For a buffer of another device, the error is ErrForeign.
//
// DirectML sees whole tensors. If they are larger than it can see, the error is
// [slice1.ErrOverflow]: see Limits. The first Dispatch of a plan compiles the operator
// over whole tensors, unless it is also that of Run.
//
// DirectML makes no promise for the bytes between output elements. Version
// 1.15.4 leaves them as they were.
func (p *Plan) Dispatch(dst, src *Buffer) error {
	if p.DataType() == 0 {
		return ErrClosed // a nil or zero Plan
	}
	if err := p.checkBuffer("dst", dst, p.geometry.DstSize); err != nil {
		return err
	}
	if err := p.checkBuffer("src", src, p.geometry.SrcSize); err != nil {
		return err
	}
	if dst == src {
		return &slice1.DescError{Field: "dst", Axis: -1, Got: p.geometry.DstSize, Limit: 0, Err: slice1.ErrOverlap}
	}
	return p.dispatch(dst, src)
}

func (p *Plan) checkBuffer(field string, b *Buffer, size int64) error {
	if b == nil || b.size < size {
		return slice1.BufferError(field, p.DataType(), b.Size(), size)
	}
	if b.device != p.device {
		return fmt.Errorf("%w: %s", ErrForeign, field)
	}
	return nil
}

// String shows the operator DirectML executes for the plan: element type, input
// extents, window, output extents, memory strides in elements. Runs on host
// memory have it executed over the window alone. If the plan has no operator,
// String shows the runs of bytes that are copied.
func (p *Plan) String() string {
	if p.DataType() == 0 {
		return ErrClosed.Error()
	}
	if p.runs != nil {
		return translate.DescribeRuns(p.runs, p.geometry.SrcLo)
	}
	return "DirectML " + p.op.String()
}

// Close releases what the plan has on its device. It waits for runs in progress; later ones
// return ErrClosed. Closing again does nothing.
func (p *Plan) Close() error {
	if p == nil {
		return nil
	}
	return p.close()
}
