package slice1

import "github.com/seed2e45c115/dml/slice1/internal/nest"

// TensorDesc is how a tensor lies in a buffer, as DML_BUFFER_TENSOR_DESC.
type TensorDesc struct {
	DataType  DataType
	Sizes     []int // extents in elements, outermost first; 1 to 8 of them, each at least 1
	Strides   []int // memory strides in elements, none negative; nil = packed row-major; 0 broadcasts (input only)
	TotalSize int64 // the least number of bytes that the buffer holds; 0 = MinSize()
	BaseAlign int   // GuaranteedBaseOffsetAlignment in bytes; 0 = no promise
}

// Desc is a SLICE1 operator, as DML_SLICE1_OPERATOR_DESC. Its lists have one entry per axis,
// outermost first; the window's count elements of the axis. It is plain data with JSON by its field
// names. This package never modifies one.
type Desc struct {
	Input, Output TensorDesc
	WindowOffsets []int // first element of the window, at least 0
	WindowSizes   []int // elements of the window, at least 1; offset+size is at most the input's extent
	WindowStrides []int // not 0; negative walks the window from its end
}

// maxRank is the most axes that a descriptor has.
const maxRank = nest.MaxRank
