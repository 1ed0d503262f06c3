package slice1

import "github.com/seed2e45c115/dml/slice1/internal/nest"

// TensorDesc says how a tensor lies in a buffer, like DML_BUFFER_TENSOR_DESC.
type TensorDesc struct {
	DataType  DataType
	Sizes     []int // extents in elements, outermost first; 1 to 8 of them, each at least 1
	Strides   []int // memory strides in elements, none negative; nil = packed row-major; 0 broadcasts (input only)
	TotalSize int64 // the least number of bytes that the buffer holds; 0 = MinSize()
	BaseAlign int   // GuaranteedBaseOffsetAlignment in bytes; 0 = no promise
}

// Desc is a SLICE1 operator, like DML_SLICE1_OPERATOR_DESC. Its lists have one entry per axis,
// outermost first. Window offsets, sizes and strides count elements along the axis. A Desc is plain
// data, and its JSON has the names of its fields. This package never modifies a Desc.
type Desc struct {
	Input, Output TensorDesc
	WindowOffsets []int // first element of the window, at least 0
	WindowSizes   []int // elements of the window, at least 1; offset+size is at most the input's extent
	WindowStrides []int // not 0; negative walks the window from its end
}

// maxRank is the largest rank of a descriptor.
const maxRank = nest.MaxRank
