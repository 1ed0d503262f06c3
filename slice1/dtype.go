package slice1

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// DataType is the type of a tensor's elements, a DML_TENSOR_DATA_TYPE with its numeric values.
type DataType uint32

// The data types of SLICE1.
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

// BFloat16 is the upper half of a float32, 2 bytes. DirectML does not have this type: the CPU
// slices and converts it, but [Desc.ValidateFor] and GPU plans refuse it (ErrDataType).
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

// MarshalText returns the same name as String. It returns ErrDataType for a value that is not a
// constant of this package. The JSON of a descriptor has this name.
func (t DataType) MarshalText() ([]byte, error) {
	if t.Size() == 0 {
		return nil, fmt.Errorf("slice1: %v: %w", t, ErrDataType)
	}
	return []byte(t.String()), nil
}

// UnmarshalText sets t to the constant with the given name, like "float32". Other text is
// ErrDataType and leaves t unchanged.
func (t *DataType) UnmarshalText(text []byte) error {
	if string(text) == BFloat16.String() {
		*t = BFloat16
		return nil
	}
	for i, known := range dataTypes {
		if known.name == string(text) && known.size > 0 {
			*t = DataType(i)
			return nil
		}
	}
	return fmt.Errorf("slice1: %q: %w", text, ErrDataType)
}

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

// FeatureLevel is a DirectML feature level, with the numeric values of DML_FEATURE_LEVEL. Each
// level includes the lower ones.
type FeatureLevel uint32

// The feature levels. SLICE1 exists from 2.1 on, with ranks 1 to 8 from 3.0 on, and with types of 8
// bytes from 4.1 on. A level above 6.4 is taken to include 6.4.
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

// String returns the level in Microsoft's notation, like "2.1". It is "FeatureLevel(n)" for a value
// that this notation cannot express.
func (l FeatureLevel) String() string {
	if l>>16 != 0 || l&0xff != 0 || l>>12 == 0 {
		return "FeatureLevel(" + strconv.FormatUint(uint64(l), 10) + ")"
	}
	return strconv.Itoa(int(l>>12)) + "." + strconv.Itoa(int(l>>8&15))
}

// MarshalText returns the same text as String, or ErrSyntax for a value that String writes as
// "FeatureLevel(n)".
func (l FeatureLevel) MarshalText() ([]byte, error) {
	text := l.String()
	if strings.HasPrefix(text, "F") {
		return nil, fmt.Errorf("slice1: %s: %w", text, ErrSyntax)
	}
	return []byte(text), nil
}

// UnmarshalText reads a level in Microsoft's notation: two numbers of at most 15 with a point
// between them, and the first at least 1. Other text is ErrSyntax and leaves l unchanged.
func (l *FeatureLevel) UnmarshalText(text []byte) error {
	for known := FeatureLevel1_0; known < 1<<16; known += 1 << 8 {
		if known.String() == string(text) {
			*l = known
			return nil
		}
	}
	return fmt.Errorf("slice1: feature level %q: %w", text, ErrSyntax)
}
