package npy

import (
	"fmt"
	"io"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// Element is a Go type whose values Read and Write move: a slice1.Element, or a complex number of
// 16 bytes.
type Element interface {
	slice1.Element | ~complex128 | ~[2]float64
}

// Read reads an array with its header from r's position to the end of the array, and no further.
// data is row-major and has this machine's byte order, whatever the file has. T says which types
// the file may have:
//
//   - a number: the same type; uint16 also float16, int64 also datetime64 and timedelta64;
//   - bool and uint8: bool or uint8. Read keeps bytes other than 0 and 1, so read a bool file that
//     you do not trust as uint8. To convert its numbers, use a slice1.Affine with a Table of one 0
//     and 255 times 1;
//   - [2]float32 and [2]float64: complex64 and complex128;
//   - any other array of n values: elements of the value's type whose innermost axis has the extent
//     n. shape leaves that axis out.
//
// Another type is [slice1.ErrDataType]: [Header.Desc] describes a file to [slice1.NewPlan], and
// [slice1.WithNumbers] converts its numbers. A file in Fortran order is [slice1.ErrRank] if more
// than 8 of its extents are not 1. The other errors are the same as [ReadHeader]'s, ErrTruncated,
// and r's. If r is the result of [OpenMember], Read goes on to its end to verify the checksum. Read
// allocates memory while data arrives: at most twice what has arrived, and 1 MiB.
func Read[T Element](r io.Reader) (data []T, shape []int, err error) {
	h, err := ReadHeader(r)
	if err != nil {
		return nil, nil, err
	}
	if shape, err = h.suits(reflect.TypeFor[T]()); err != nil {
		return nil, nil, err
	}
	size := int64(unsafe.Sizeof(*new(T)))
	if data, err = readAll[T](r, h.Size/size); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("%w: %v of %v needs %d bytes of data", ErrTruncated, h.Shape, clip(h.TypeName()), h.Size)
		}
		return nil, nil, err
	}
	if m, ok := r.(*member); ok {
		if _, err := io.Copy(io.Discard, m); err != nil {
			return nil, nil, err
		}
	}
	h.swap(bytesOf(data))
	if h.Fortran {
		data, err = rowMajor(data, h)
	}
	return data, shape, err
}

// elementOf returns NumPy's name of a Go type: the code of a value, like "f4", and the number of
// values.
func elementOf(t reflect.Type) (code string, count int) {
	count = 1
	if t.Kind() == reflect.Array {
		t, count = t.Elem(), t.Len()
	}
	letter, size := "u", t.Size()
	switch t.Kind() {
	case reflect.Bool:
		letter = "b"
	case reflect.Float32, reflect.Float64:
		if letter = "f"; count == 2 {
			letter, size, count = "c", 2*size, 1
		}
	case reflect.Complex64, reflect.Complex128:
		letter = "c"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		letter = "i"
	}
	return letter + fmt.Sprint(size), count
}

// alternatives names the other types that a Go type may read, besides the type of its own name.
var alternatives = map[string][]string{
	"u2": {"f2"}, "b1": {"u1"}, "u1": {"b1"}, "i8": {"M8", "m8"},
}

// suits returns the shape of h's array in elements of a Go type, or an error if the file has
// another type.
func (h *Header) suits(t reflect.Type) ([]int, error) {
	code, count := elementOf(t)
	name := h.Descr
	if name == "" {
		name = descr(h.Type, h.BigEndian)
	}
	name, _, _ = strings.Cut(name[1:], "[") // without byte order and unit
	rank := len(h.Shape)
	inner := count == 1 || rank > 0 && h.Shape[rank-1] == count
	if name != code && !slices.Contains(alternatives[code], name) || !inner {
		way := ""
		if readable := h.Type; h.Descr == "" {
			if readable == slice1.Float16 { // Go has no such type
				readable = slice1.Uint16
			}
			way = fmt.Sprintf("; read it as %v, or convert it by Header.Desc and slice1.WithNumbers", readable)
		}
		return nil, sentence.New("npy", slice1.ErrDataType, "the file has shape %v of %s, which cannot be read as %v%s", h.Shape, clip(h.TypeName()), t, way)
	}
	if count > 1 {
		rank--
	}
	return slices.Clone(h.Shape[:rank]), nil
}

// readAll reads n elements.
func readAll[T Element](r io.Reader, n int64) ([]T, error) {
	const chunk = 1 << 20 // bytes
	size := int64(unsafe.Sizeof(*new(T)))
	data := make([]T, 0, min(n, chunk/size))
	for {
		length := len(data)
		data = data[:min(int64(cap(data)), n)]
		if _, err := io.ReadFull(r, bytesOf(data[length:])); err != nil {
			return nil, err
		}
		if int64(len(data)) == n {
			return data, nil
		}
		data = slices.Grow(data, int(min(n-int64(len(data)), int64(len(data)))))
	}
}

// swap reverses the bytes of the values in data if the file's byte order is not this machine's.
func (h *Header) swap(data []byte) {
	big, size := h.BigEndian, h.Type.Size()
	if h.Descr != "" {
		big = h.Descr[0] == '>'
		if h.Descr[1] == 'c' {
			size = size * h.Inner / 2
		}
	}
	if big == hostBigEndian {
		return
	}
	switch size {
	case 2:
		swapWords(data, bits.ReverseBytes16)
	case 4:
		swapWords(data, bits.ReverseBytes32)
	case 8:
		swapWords(data, bits.ReverseBytes64)
	}
}

func swapWords[W uint16 | uint32 | uint64](data []byte, reverse func(W) W) {
	words := unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(W(0))))
	for i, w := range words {
		words[i] = reverse(w)
	}
}

// rowMajor returns the elements of data, which are in column-major order, in row-major order.
func rowMajor[T Element](data []T, h Header) ([]T, error) {
	t := h.tensor()
	keep := 0
	for i, n := range t.Sizes {
		if n > 1 && t.Strides != nil {
			t.Sizes[keep], t.Strides[keep] = n, t.Strides[i]
			keep++
		}
	}
	if keep < 2 || len(data) == 0 {
		return data, nil
	}
	t.Sizes, t.Strides = t.Sizes[:keep], t.Strides[:keep]
	w, err := slice1.Crop(t.Sizes, nil, nil)
	if err != nil {
		return nil, sentence.Prefix("npy", err)
	}
	rows := make([]T, len(data))
	return rows, sentence.Prefix("npy", slice1.CopyBytes(bytesOf(rows), bytesOf(data), w.Of(t)))
}

// Write writes row-major data as an .npy file with the given shape and this machine's byte order,
// like NumPy's save. T is the same as in [Read]: an array of n values is an innermost axis of
// extent n, and [2]float32 and [2]float64 are complex numbers. A nil shape is the shape of a
// scalar, one element. It is [slice1.ErrSize] if the shape's number of elements is not data's, if
// an extent is negative, or if the product of the extents other than 0 overflows. The other errors
// are w's.
func Write[T Element](w io.Writer, data []T, shape []int) error {
	if n, err := dataSize(1, shape); err != nil || n != int64(len(data)) {
		return sentence.New("npy", slice1.ErrSize, "data has %d elements, shape %v does not", len(data), shape)
	}
	code, count := elementOf(reflect.TypeFor[T]())
	if count > 1 {
		shape = append(slices.Clip(shape), count)
	}
	h := Header{Shape: shape}
	if err := h.setType(dict{descr: code}); err != nil {
		return err
	}
	head, err := AppendHeader(nil, h)
	if err == nil {
		_, err = w.Write(head)
	}
	if err == nil {
		_, err = w.Write(bytesOf(data))
	}
	return err
}

// bytesOf returns the memory of s.
//
// unsafe: elements have no pointers, and every bit pattern is a valid byte.
func bytesOf[T Element](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
