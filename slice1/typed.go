package slice1

import (
	"errors"
	"reflect"
	"unsafe"
)

// Element is a Go type whose values a slice can move, or one defined as such; uint16 serves Float16.
// [unsafe.Slice] makes bytes of structs like color.RGBA.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint |
		~float32 | ~float64 | ~bool | ~complex64 |
		~[2]uint8 | ~[4]uint8 | ~[8]uint8 | ~[2]uint16 | ~[4]uint16 | ~[2]uint32 | ~[2]float32
}

// DataTypeOf returns the data type of T's kind, or the unsigned one of T's size: Uint8 for bool,
// Uint64 for complex64, Uint32 for [4]uint8.
func DataTypeOf[T Element]() DataType {
	if t := signed[reflect.TypeFor[T]().Kind()]; t != 0 {
		return t
	}
	return unsigned[sizeOf[T]()]
}

// The data types of signed numbers by kind, of which reflect.UnsafePointer is the last, and of unsigned ones by
// size.
var (
	signed = [...]DataType{reflect.Float32: Float32, reflect.Float64: Float64,
		reflect.Int8: Int8, reflect.Int16: Int16, reflect.Int32: Int32, reflect.Int64: Int64, reflect.UnsafePointer: 0}
	unsigned = [...]DataType{1: Uint8, 2: Uint16, 4: Uint32, 8: Uint64}
)

// Run is r.Run on slices of elements, on the CPU or a GPU. T must have the size of r's data type
// (ErrDataType). A nil r is ErrPlan.
func Run[T Element](r Runner, dst, src []T) error {
	if p, ok := r.(*Plan); r == nil || ok && !p.valid() {
		return errNoPlan
	}
	if err := checkElement(sizeOf[T](), r.DataType()); err != nil {
		return err
	}
	return r.Run(bytesOf(dst), bytesOf(src))
}

// RunAt is p.RunAt on slices of elements, as Run is p.Run.
func RunAt[T Element](p *Plan, dst, src []T, offsets ...int) error {
	if !p.valid() {
		return errNoPlan
	}
	if err := checkElement(sizeOf[T](), p.dataType); err != nil {
		return err
	}
	return p.RunAt(bytesOf(dst), bytesOf(src), offsets...)
}

// Copy runs d once, by what earlier plans and Copies of the same shape have prepared and learned, and
// keeps a shape that comes the second time. It allocates only then, for a new slice of 4 MiB or more,
// for goroutines, errors, [WithCandidate] and [WithMeasure]. The errors are those of [NewPlan],
// [Plan.Run], [Run].
func Copy[T Element](dst, src []T, d *Desc, opts ...Option) error {
	return runOnce(bytesOf(dst), bytesOf(src), sizeOf[T](), d, configure(opts))
}

// CopyBytes is Copy on bytes that hold tensors of any data type.
func CopyBytes(dst, src []byte, d *Desc, opts ...Option) error {
	return runOnce(dst, src, anySize, d, configure(opts))
}

// Slice applies index text, as [ParseIndex] reads it, to the packed row-major array of the given shape
// that src begins with. It returns a new slice, empty for a result without elements, with its shape. A
// shorter src is ErrBuffer.
//
//	half, shape, err := slice1.Slice(pixels, []int{480, 640, 3}, "[::2, ::2]")
func Slice[T Element](src []T, shape []int, expr string) (dst []T, outShape []int, err error) {
	w, outShape, err := ParseIndex(expr, shape)
	if errors.Is(err, ErrEmpty) {
		return []T{}, outShape, nil
	}
	if err != nil {
		return nil, nil, err
	}
	d := NewDesc(DataTypeOf[T](), shape, w)
	need, err := d.Input.MinSize()
	if err != nil {
		return nil, nil, err
	}
	if have := int64(len(bytesOf(src))); have < need {
		return nil, nil, BufferError("src", d.Input.DataType, have, need)
	}
	n := 1 // no overflow: there are at most as many as in src
	for _, extent := range w.Out {
		n *= extent
	}
	dst = make([]T, n)
	if err := Copy(dst, src, d); err != nil {
		return nil, nil, err
	}
	return dst, outShape, nil
}

// anySize stands for the size of the plan's elements, whatever that is.
const anySize = 0

// checkElement returns an error if elements of type t do not have size bytes and size is not anySize.
func checkElement(size int, t DataType) error {
	if size != t.Size() && size != anySize {
		return &DescError{"element size", -1, int64(size), int64(t.Size()), typed{ErrDataType, t}}
	}
	return nil
}

func sizeOf[T Element]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// bytesOf returns the memory of s.
//
// unsafe: elements have no pointers. Every bit pattern is a valid byte. A slice copies whole
// elements, so that bools remain bools.
func bytesOf[T Element](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[T]())
}
