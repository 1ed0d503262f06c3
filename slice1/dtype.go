package slice1

import (
	"reflect"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/dtype"
)

// DataType is the type of a tensor's elements, a DML_TENSOR_DATA_TYPE.
type DataType = dtype.DataType

// The data types of SLICE1.
const (
	Float16, Float32, Float64     = dtype.Float16, dtype.Float32, dtype.Float64
	Uint8, Uint16, Uint32, Uint64 = dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64
	Int8, Int16, Int32, Int64     = dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64
)

// BFloat16 is the upper half of a float32, 2 bytes. DirectML does not have this type: the CPU
// slices and converts it, but [Desc.ValidateFor] and GPU plans refuse it (ErrDataType).
const BFloat16 = dtype.BFloat16

// Element is a Go type whose values a slice can move. uint16 also holds Float16 and BFloat16. For
// structs like color.RGBA, [unsafe.Slice] makes a []byte of the same memory.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint |
		~float32 | ~float64 | ~bool | ~complex64 |
		~[2]uint8 | ~[4]uint8 | ~[8]uint8 | ~[2]uint16 | ~[4]uint16 | ~[2]uint32 | ~[2]float32
}

// DataTypeOf returns the data type of T's kind: Int16 for int16. For kinds without one, int among
// them, it returns the unsigned type of T's size: Uint8 for bool, Uint32 for [4]uint8, and Uint64
// for complex64 and for an int of 64 bits.
func DataTypeOf[T Element]() DataType {
	kind := reflect.TypeFor[T]().Kind()
	if t := numbers[kind]; t != 0 && kind != reflect.Int {
		return t
	}
	return unsigned[sizeOf[T]()]
}

// numbers has the data types of kinds of numbers; reflect.UnsafePointer is the last kind. unsigned
// has the unsigned data types by size.
var (
	numbers = [...]DataType{reflect.Float32: Float32, reflect.Float64: Float64,
		reflect.Int8: Int8, reflect.Int16: Int16, reflect.Int32: Int32, reflect.Int64: Int64,
		reflect.Int:   [...]DataType{4: Int32, 8: Int64}[unsafe.Sizeof(0)],
		reflect.Uint8: Uint8, reflect.Uint16: Uint16, reflect.Uint32: Uint32, reflect.Uint64: Uint64, reflect.Uint: unsigned[unsafe.Sizeof(0)],
		reflect.UnsafePointer: 0}
	unsigned = [...]DataType{1: Uint8, 2: Uint16, 4: Uint32, 8: Uint64}
)

// numberOf returns the data type of the numbers of T's kind, an int's and a uint's by their size.
// It returns 0 for other kinds.
func numberOf[T Element]() DataType { return numbers[reflect.TypeFor[T]().Kind()] }

func sizeOf[T Element]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// Bytes returns the memory of s without a copy: len(s) elements in the machine's byte order.
//
// unsafe: elements have no pointers, and every bit pattern is a valid byte. A slice copies whole
// elements, so bools remain bools.
func Bytes[T Element](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[T]())
}

// FeatureLevel is a value of DML_FEATURE_LEVEL. Each level includes the lower ones.
type FeatureLevel = dtype.FeatureLevel

// The feature levels. SLICE1 exists from 2.1 on, with ranks 1 to 8 from 3.0 on, and with types of 8
// bytes from 4.1 on. A level above 6.4 is taken to include 6.4.
const (
	FeatureLevel1_0, FeatureLevel2_0, FeatureLevel2_1 = dtype.FeatureLevel1_0, dtype.FeatureLevel2_0, dtype.FeatureLevel2_1
	FeatureLevel3_0, FeatureLevel3_1                  = dtype.FeatureLevel3_0, dtype.FeatureLevel3_1
	FeatureLevel4_0, FeatureLevel4_1                  = dtype.FeatureLevel4_0, dtype.FeatureLevel4_1
	FeatureLevel5_0, FeatureLevel5_1, FeatureLevel5_2 = dtype.FeatureLevel5_0, dtype.FeatureLevel5_1, dtype.FeatureLevel5_2
	FeatureLevel6_0, FeatureLevel6_1, FeatureLevel6_2 = dtype.FeatureLevel6_0, dtype.FeatureLevel6_1, dtype.FeatureLevel6_2
	FeatureLevel6_3, FeatureLevel6_4                  = dtype.FeatureLevel6_3, dtype.FeatureLevel6_4
)
