package directml

import "github.com/seed2e45c115/dml/directml/internal/d3d"

// baseAlignment is what every tensor's GuaranteedBaseOffsetAlignment promises, in bytes. All
// are bound at offset 0 of buffers that start at multiples of 64 KiB; DirectML asks for 16 and
// recommends 32 or more.
const baseAlignment = 256

// operatorCall is all that CreateOperator reads, in one piece of memory.
type operatorCall struct {
	desc      d3d.OperatorDesc
	slice     d3d.Slice1Desc
	in, out   d3d.TensorDesc
	inBuffer  d3d.BufferTensorDesc
	outBuffer d3d.BufferTensorDesc
	op        operator
}

func newOperatorCall(op *operator) *operatorCall {
	c := &operatorCall{op: *op}
	tensor := func(desc *d3d.TensorDesc, buffer *d3d.BufferTensorDesc, t *tensor) {
		*buffer = d3d.BufferTensorDesc{
			DataType: op.dataType, DimensionCount: op.rank,
			Sizes: &t.sizes[0], Strides: &t.strides[0],
			TotalSize: t.total, BaseAlignment: baseAlignment,
		}
		*desc = d3d.TensorDesc{Kind: d3d.TensorBuffer, Desc: buffer}
	}
	tensor(&c.in, &c.inBuffer, &c.op.in)
	tensor(&c.out, &c.outBuffer, &c.op.out)
	c.slice = d3d.Slice1Desc{
		Input: &c.in, Output: &c.out, DimensionCount: op.rank,
		Offsets: &c.op.offsets[0], Sizes: &c.op.windows[0], Strides: &c.op.steps[0],
	}
	c.desc = d3d.OperatorDesc{Kind: d3d.OperatorSlice1, Desc: &c.slice}
	return c
}
