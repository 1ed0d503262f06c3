package slice1

import "strconv"

// DataType names the element type of a tensor. The values are those of
// DML_TENSOR_DATA_TYPE. Elements are opaque bits to a slice: only the size of
// the type matters, and every bit pattern, signalling NaNs included, survives.
type DataType uint32

// The data types of SLICE1, eleven in all.
const (
	Float32 DataType = 1
	Float16 DataType = 2
	Uint32  DataType = 3
	Uint16  DataType = 4
	Uint8   DataType = 5
	Int32   DataType = 6
	Int16   DataType = 7
	Int8    DataType = 8
	Float64 DataType = 9
	Uint64  DataType = 10
	Int64   DataType = 11
)

var dataTypes = [...]struct {
	name string
	size int
}{
	Float32: {"float32", 4},
	Float16: {"float16", 2},
	Uint32:  {"uint32", 4},
	Uint16:  {"uint16", 2},
	Uint8:   {"uint8", 1},
	Int32:   {"int32", 4},
	Int16:   {"int16", 2},
	Int8:    {"int8", 1},
	Float64: {"float64", 8},
	Uint64:  {"uint64", 8},
	Int64:   {"int64", 8},
}

// Size returns the bytes one element takes: 1, 2, 4 or 8, or 0 for a value
// that is none of the constants.
func (t DataType) Size() int {
	if uint64(t) >= uint64(len(dataTypes)) {
		return 0
	}
	return dataTypes[t].size
}

// String returns NumPy's name of the type, such as "float32", or "DataType(n)"
// for a value that is none of the constants.
func (t DataType) String() string {
	if t.Size() == 0 {
		return "DataType(" + strconv.FormatUint(uint64(t), 10) + ")"
	}
	return dataTypes[t].name
}
