package slice1

// TensorDesc describes how a tensor lies in a buffer, as
// DML_BUFFER_TENSOR_DESC does. Its JSON has the fields by their names, and the data type
// by its name; Strides is left out if nil, TotalSize and BaseAlign if 0.
type TensorDesc struct {
	DataType  DataType
	Sizes     []int // extents in elements, outermost first; 1 to 8 of them, each at least 1
	Strides   []int // memory strides in elements, none negative; nil = packed row-major; 0 broadcasts (input only)
	TotalSize int64 // the least number of bytes that the buffer holds; 0 = MinSize()
	BaseAlign int   // GuaranteedBaseOffsetAlignment in bytes; 0 = no promise
}

// Desc is a SLICE1 operator, as DML_SLICE1_OPERATOR_DESC: along every axis
//
//	output[k] = input[start + stride*k]
//
// where start is the window's offset, or its last element (offset+size-1)
// where the stride is negative. All []int fields have one entry per axis, outermost
// first; offsets, sizes and window strides count elements of the axis and are
// independent of the tensors' memory strides.
//
// A Desc is plain data: this package never modifies one, and [NewPlan] keeps nothing of it.
// The flag -desc of the command slice1 takes its JSON. [encoding/json] also reads into a Desc
// what the command prints with -explain -json, and leaves out the fields that a Desc lacks.
type Desc struct {
	Input, Output TensorDesc
	WindowOffsets []int // first element of the window, at least 0
	WindowSizes   []int // elements of the window, at least 1; offset+size is at most the input's extent
	WindowStrides []int // not 0; negative walks the window from its end
}
