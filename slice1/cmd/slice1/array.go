package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// maxAlloc is the most bytes of an allocation or a result.
const maxAlloc = min(math.MaxInt, 1<<46)

// maxOpen is the most bytes of elements of a pipe of unknown length. A stream of 10 GB/s takes most
// of a year for that.
const maxOpen = min(math.MaxInt, 1<<58)

// array is an input: a header, and elements in a file, in memory or in a pipe. They begin at byte
// Offset of the source. Size is their bytes in the source, including gaps.
type array struct {
	*source
	npy.Header
	strides   []int    // of pixels, in elements; nil: those of the Header
	raw       bool     // elements without a header
	open      bool     // the first extent of a pipe is unknown; Shape has the largest possible one instead
	data      []byte   // the elements if they are in memory, else nil
	video     *video   // makes the elements, which are pixels, from the source's bytes; nil: they are the source's bytes
	maxSample int      // the largest sample of a PGM or PPM; 0 for other inputs
	picture   bool     // it was decoded, so the strides are not the file's
	notes     []string // for standard error
}

// ReadAt implements io.ReaderAt for the elements: offset 0 is the first one. Its errors name the
// input.
func (arr *array) ReadAt(b []byte, offset int64) (n int, err error) {
	if arr.video != nil {
		n, err = arr.video.ReadAt(b, offset)
	} else {
		n, err = arr.source.ReadAt(b, arr.Offset+offset)
	}
	return n, named(arr.name, err)
}

func (arr *array) note(format string, args ...any) {
	arr.notes = append(arr.notes, arr.name+": "+fmt.Sprintf(format, args...))
}

// typeName returns the name of the element type for messages and saved jobs. In place of control
// characters, which names of fields may have, it has spaces.
func (arr *array) typeName() string {
	if arr.Type == slice1.BFloat16 {
		return arr.Type.String()
	}
	return oneLine(arr.TypeName())
}

// kind returns what the elements are, in the same words for each spelling of -raw.
func (arr *array) kind() string {
	if v := arr.video; v != nil {
		return fmt.Sprintf("frames %s, %d, %d, full %v", v.form.Name, v.matrix, v.colours, v.full)
	}
	return fmt.Sprintf("%s, raw %v, big-endian %v", arr.typeName(), arr.raw, arr.BigEndian)
}

// maxRank returns the most axes of an array of this type. A descriptor has 8 axes. Elements of
// several parts take one of them.
func (arr *array) maxRank() int {
	if arr.Inner > 1 {
		return 7
	}
	return 8
}

// elementSize returns the bytes of an element.
func (arr *array) elementSize() int64 { return int64(arr.Type.Size()) * int64(max(arr.Inner, 1)) }

// rowBytes returns the bytes of a row. A row is one position of the first axis, with all positions
// of the others.
func (arr *array) rowBytes() int64 { return arr.Size / int64(arr.Shape[0]) }

// sizeOf returns the bytes of elements of a shape, of size bytes each, or -1 if they are more than
// maxAlloc.
func sizeOf(size int64, shape []int) int64 {
	for _, extent := range shape {
		if extent > 0 && size > maxAlloc/int64(extent) {
			return -1
		}
		size *= int64(extent)
	}
	return size
}

// bytesOf returns the bytes that elements of the array's type take in a shape, or -1 if they are
// more than maxAlloc.
func (arr *array) bytesOf(shape []int) int64 { return sizeOf(arr.elementSize(), shape) }

// memory is bytesOf for where the elements of an input lie. A pixel of a video takes 4 bytes.
func (arr *array) memory(shape []int) int64 {
	if arr.video != nil {
		return sizeOf(4, shape[:len(shape)-1])
	}
	return arr.bytesOf(shape)
}

func product(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

func (arr *array) tooLarge() error {
	return fmt.Errorf("%v of %s is too large", brackets(arr.Shape), arr.typeName())
}

// tensor returns the array, which has elements, as a tensor. If elements have several parts, the
// parts are the last axis.
func (arr *array) tensor() slice1.TensorDesc {
	t, _ := arr.Desc() // the extents were checked
	if arr.strides != nil {
		t.Strides = slices.Clone(arr.strides)
	}
	return t
}

// lie makes size bytes of the source, from offset on, the elements of the array.
func (arr *array) lie(offset, size int64) {
	arr.Offset, arr.Size = offset, size
	if arr.bytes != nil && arr.video == nil {
		arr.data = arr.bytes[offset : offset+size]
	}
}

// largest returns the largest sample that there may be in an array of integers.
func (arr *array) largest() float64 {
	if arr.maxSample != 0 {
		return float64(arr.maxSample)
	}
	_, largest, _ := bounds(arr.Type)
	return largest
}

// headerOf returns a Header of numbers of type t in the machine's byte order.
func headerOf(t slice1.DataType) npy.Header {
	h := npy.Header{Type: t, BigEndian: nativeBig && t.Size() > 1}
	if t == slice1.BFloat16 {
		h.Descr, h.Inner = bfloat16, 1
	}
	return h
}

// typed returns the header with bfloat16 as the type of elements of two bytes that have none. The
// command writes bfloat16 so.
func typed(h npy.Header) npy.Header {
	if h.Descr == bfloat16 {
		h.Type, h.BigEndian = slice1.BFloat16, nativeBig
	}
	return h
}

// bfloat16 is the name under which NumPy saves elements of ml_dtypes.bfloat16. It means elements of
// two bytes.
const bfloat16 = "|V2"

var nativeBig = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// isNumber reports whether elements are numbers of a type that slice1 has.
func isNumber(h npy.Header) bool { return h.Descr == "" || h.Type == slice1.BFloat16 }

// isBool reports whether elements are NumPy's booleans, which convert as numbers: byte 0 is 0, and
// another byte 1.
func isBool(h npy.Header) bool { return h.Descr == "|b1" }

// isFloat reports whether elements are floats.
func isFloat(t slice1.DataType) bool {
	_, _, whole := bounds(t)
	return !whole
}

// bounds returns the least and the largest number of a type of integers. ok is false for floats.
func bounds(t slice1.DataType) (low, high float64, ok bool) {
	bits := 8 * t.Size()
	switch t {
	case slice1.Uint8, slice1.Uint16, slice1.Uint32, slice1.Uint64:
		return 0, math.Ldexp(1, bits) - 1, true
	case slice1.Int8, slice1.Int16, slice1.Int32, slice1.Int64:
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1, true
	}
	return 0, 0, false
}

// begin drops the bytes of a pipe before its elements.
func (arr *array) begin() error {
	err := arr.pipe.skip(arr.Offset)
	if err == io.ErrUnexpectedEOF {
		err = arr.misfit(arr.pipe.position - arr.Offset)
	}
	return named(arr.name, err)
}

// arrived returns how many bytes of elements the pipe has given so far.
func (arr *array) arrived() int64 { return arr.pipe.position + int64(arr.pipe.Buffered()) - arr.Offset }

// came returns an error if a pipe had too few bytes of elements. It is called when the pipe has
// ended or no more of it is needed. If the array is open, came sets its number of rows to how many
// came.
func (arr *array) came(got int64) error {
	if !arr.open {
		if got < arr.Size {
			return arr.misfit(got)
		}
		return nil
	}
	row := arr.rowBytes()
	if got < 0 || got%row != 0 {
		return arr.misfit(got)
	}
	arr.open, arr.Size = false, got
	arr.Shape = slices.Concat([]int{int(got / row)}, arr.Shape[1:])
	return nil
}

// misfit returns the error of an input of which got bytes of elements came: too few or, of raw
// elements and frames, too many or no whole rows. If got is negative, -got bytes before the first
// element are missing.
func (arr *array) misfit(got int64) error {
	name, row := arr.typeName(), int64(0)
	if arr.open {
		row = arr.rowBytes()
	}
	switch v := arr.video; {
	case got < 0:
		return fmt.Errorf("%s: -skip %d is beyond its %d bytes", arr.name, arr.Offset, arr.Offset+got)
	case v != nil:
		if name = v.name; arr.Shape[0] == 0 { // less than a frame came
			row = v.size()
		}
	case !arr.raw:
		return fmt.Errorf("%s: %w: %v of %s needs %d bytes of data, has %d", arr.name, npy.ErrTruncated, arr.Shape, name, arr.Size, got)
	}
	if row > 0 {
		return fmt.Errorf("%s: holds %d bytes, no multiple of the %d that %v of %s takes", arr.name, got, row, brackets(arr.Shape[1:]), name)
	}
	return fmt.Errorf("%s: holds %d bytes, %v of %s takes %d", arr.name, got, brackets(arr.Shape), name, arr.Size)
}

// noMore returns an error if raw elements go on after the array's last row. It also reads the rest
// of a member of an archive, and returns an error if its checksum is wrong.
func (arr *array) noMore() error {
	if arr.pipe.summed {
		if _, err := io.Copy(io.Discard, arr.pipe); err != nil {
			return fmt.Errorf("%s: %w", arr.name, err)
		}
		return nil
	}
	if !arr.raw {
		return nil
	}
	if _, err := arr.pipe.Peek(1); err != io.EOF {
		return errors.Join(err, fmt.Errorf("%s goes on after the %d bytes of %v of %s", arr.name, arr.Size, brackets(arr.Shape), arr.typeName()))
	}
	return nil
}
