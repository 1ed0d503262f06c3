// Package dtype names DirectML's data types and feature levels. Package slice1 has the same
// types and constants under the same names.
package dtype

import "strconv"

// DataType is the element type of a tensor. Its values are the same as DML_TENSOR_DATA_TYPE's.
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

// BFloat16 is the upper half of a float32, 2 bytes. DirectML does not have this type; the CPU
// slices and converts it.
const BFloat16 DataType = 1 << 16

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

// Size returns the bytes of one element: 1, 2, 4 or 8. It is 0 for a value that is not a constant
// of this package.
func (t DataType) Size() int {
	switch {
	case t == BFloat16:
		return 2
	case uint64(t) >= uint64(len(dataTypes)):
		return 0
	}
	return dataTypes[t].size
}

// String returns NumPy's name of the type, like "float32". It is "DataType(n)" for a value that is
// not a constant of this package.
func (t DataType) String() string {
	switch {
	case t == BFloat16:
		return "bfloat16"
	case t.Size() == 0:
		return "DataType(" + strconv.FormatUint(uint64(t), 10) + ")"
	}
	return dataTypes[t].name
}

// FeatureLevel is a DirectML feature level, with the numeric values of DML_FEATURE_LEVEL. Each
// level includes the lower ones.
type FeatureLevel uint32

// The feature levels. SLICE1 exists from 2.1 on. A level above 6.4 is taken to include 6.4.
const (
	FeatureLevel1_0 FeatureLevel = 0x1000
	FeatureLevel2_0 FeatureLevel = 0x2000
	FeatureLevel2_1 FeatureLevel = 0x2100 // SLICE1 of rank 4 and 5, types of up to 4 bytes
	FeatureLevel3_0 FeatureLevel = 0x3000 // SLICE1 of rank 1 to 8
	FeatureLevel3_1 FeatureLevel = 0x3100
	FeatureLevel4_0 FeatureLevel = 0x4000
	FeatureLevel4_1 FeatureLevel = 0x4100 // also types of 8 bytes
	FeatureLevel5_0 FeatureLevel = 0x5000
	FeatureLevel5_1 FeatureLevel = 0x5100
	FeatureLevel5_2 FeatureLevel = 0x5200
	FeatureLevel6_0 FeatureLevel = 0x6000
	FeatureLevel6_1 FeatureLevel = 0x6100
	FeatureLevel6_2 FeatureLevel = 0x6200
	FeatureLevel6_3 FeatureLevel = 0x6300
	FeatureLevel6_4 FeatureLevel = 0x6400
)
