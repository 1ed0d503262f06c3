package slice1

import (
	"reflect"
	"unsafe"
)

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

// element is a Go type of elements. The zero element is bytes that hold elements of any type.
type element struct {
	size   int
	number DataType // of a Go type of numbers, if numbers are asked for; else 0
}

func elementOf[T Element](numbers bool) element {
	e := element{size: sizeOf[T]()}
	if numbers {
		e.number = numberOf[T]()
	}
	return e
}

// checkElements returns an error unless d and s suit a plan that reads srcType and writes dstType:
// numbers of these types if numbers is true, else elements of their size.
func checkElements(d, s element, dstType, srcType DataType, numbers bool) error {
	if numbers && d.number == dstType && s.number == srcType || !numbers && d.size == dstType.Size() && s.size == srcType.Size() {
		return nil
	}
	if err := d.check("dst", "writes", dstType, numbers); err != nil {
		return err
	}
	return s.check("src", "reads", srcType, numbers)
}

func (e element) check(field, verb string, t DataType, numbers bool) error {
	switch {
	case e.size == 0:
		return nil
	case !numbers && e.size == t.Size(), numbers && (e.number == t || e.number == Uint16 && (t == Float16 || t == BFloat16)):
		return nil
	case numbers && e.number == 0:
		return refused(ErrDataType, field, -1, 0, int64(t), " has elements that are no numbers, the plan %s %v", verb, t)
	case numbers:
		return refused(ErrDataType, field, -1, int64(e.number), int64(t), " has elements of type %v, the plan %s %v", e.number, verb, t)
	case e.size == 1:
		return refused(ErrDataType, field, -1, 1, t.Size(),
			" has elements of 1 byte, the plan %s %v, of %d; Plan.Run and CopyBytes take bytes of any type", verb, t, t.Size())
	}
	converts := "; WithNumbers converts"
	if numbers || e.size > 8 {
		converts = ""
	}
	return refused(ErrDataType, field, -1, e.size, t.Size(), " has elements of %d bytes, the plan %s %v, of %d%s", e.size, verb, t, t.Size(), converts)
}
