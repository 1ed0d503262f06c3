package directml

import (
	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
)

// operatorCall holds everything that IDMLDevice.CreateOperator reads, in one allocation: desc and
// everything that the pointers in desc lead to.
type operatorCall struct {
	desc          d3d.OperatorDesc
	slice         d3d.Slice1Desc
	input, output d3d.TensorDesc
	inBuffer      d3d.BufferTensorDesc
	outBuffer     d3d.BufferTensorDesc
	op            translate.Operator
}

func newOperatorCall(op *translate.Operator) *operatorCall {
	c := &operatorCall{op: *op}
	tensor := func(desc *d3d.TensorDesc, buffer *d3d.BufferTensorDesc, t *translate.Tensor) {
		*buffer = d3d.BufferTensorDesc{
			DataType: op.DataType, DimensionCount: op.Rank,
			Sizes: &t.Sizes[0], Strides: &t.Strides[0],
			TotalSize: t.Total, BaseAlignment: translate.Alignment,
		}
		*desc = d3d.TensorDesc{Kind: d3d.TensorBuffer, Desc: buffer}
	}
	tensor(&c.input, &c.inBuffer, &c.op.Input)
	tensor(&c.output, &c.outBuffer, &c.op.Output)
	c.slice = d3d.Slice1Desc{
		Input: &c.input, Output: &c.output, DimensionCount: op.Rank,
		Offsets: &c.op.Offsets[0], Sizes: &c.op.Windows[0], Strides: &c.op.Steps[0],
	}
	c.desc = d3d.OperatorDesc{Kind: d3d.OperatorSlice1, Desc: &c.slice}
	return c
}
