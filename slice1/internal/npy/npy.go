// Package npy reads and writes the headers of NumPy's .npy files.
package npy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed2e45c115/dml/slice1"
)

// Sentinels name the condition; test for them with [errors.Is].
var (
	// ErrFormat: not an .npy file, or a header that is broken or whose array is too large.
	ErrFormat = errors.New("bad .npy format")
	// ErrType: a type of elements that is unknown, too large, or cannot be moved as bits.
	ErrType = errors.New("element type not supported")
	// ErrTruncated: a file that ends before its header or its data does.
	ErrTruncated = errors.New("truncated .npy file")
)

const (
	maxRank   = 64                             // NumPy's own limit
	maxHeader = 1 << 16                        // bytes; a header of 64 axes takes under 2000
	maxStart  = len(magic) + 2 + 4 + maxHeader // bytes before the data, at most
)

const magic = "\x93NUMPY"

// Header describes an .npy file: what its elements are and where they lie.
type Header struct {
	Type      slice1.DataType
	Descr     string // NumPy's name of a type that is none of the eleven, as "<c8", or its list of fields as the file has it; else ""
	Inner     int    // how many values of Type make an element, if Descr is set; else 0
	UTF8      bool   // Descr is UTF-8 and not all ASCII, which only version 3.0 allows
	BigEndian bool   // byte order of the elements; false for types of one byte and if Descr is set
	Fortran   bool   // column-major: the first axis is the innermost in memory
	Shape     []int  // extents, outermost axis first; none for a scalar; may hold 0
	Offset    int64  // bytes from the start of the file to the data
	Size      int64  // bytes of data
}

// Parse reads the header of an .npy file, versions 1.0 to 3.0, and checks that
// the data is complete: file[Offset:Offset+Size] is the array. Bytes behind the
// data are ignored, as NumPy does. The Header keeps nothing of file.
//
// Errors match [ErrFormat], [ErrType] or [ErrTruncated].
func Parse(file []byte) (Header, error) { return parseStart(file, int64(len(file))) }

// Read is Parse of a file of which it reads only as much as the longest header takes, or
// all if that is less. Errors are those of Parse and of r.
func Read(r *io.SectionReader) (Header, error) {
	start := make([]byte, min(r.Size(), int64(maxStart)))
	if n, err := r.ReadAt(start, 0); n < len(start) {
		return Header{}, err
	}
	return parseStart(start, r.Size())
}

// ReadStream is Parse for a stream, but does not check that the data is complete, since it need
// not have come yet. peek returns the next n bytes without taking them, or those up to the end
// with io.EOF; ReadStream peeks at the header alone. Errors are those of Parse and of peek.
func ReadStream(peek func(n int) ([]byte, error)) (Header, error) {
	const least = len(magic) + 2 + 4 // no complete header is shorter
	start, err := peek(least)
	if err == nil {
		var end int
		if _, end, err = headerSpan(start, math.MaxInt64); err != nil {
			return Header{}, err
		}
		start, err = peek(end)
	}
	switch {
	case err == io.EOF:
		return parseStart(start, int64(len(start)))
	case err != nil:
		return Header{}, err
	}
	return parseStart(start, math.MaxInt64)
}

// parseStart is Parse of a file of size bytes. start is the whole file, or its beginning
// up to the end of the header or further.
func parseStart(start []byte, size int64) (Header, error) {
	begin, offset, err := headerSpan(start, size)
	if err != nil {
		return Header{}, err
	}
	d, err := parseDict(start[begin:offset])
	if err != nil {
		return Header{}, err
	}
	h := Header{Fortran: d.fortran, Shape: d.shape, Offset: int64(offset)}
	if err := h.setType(d); err != nil {
		return Header{}, err
	}
	h.UTF8 = start[len(magic)] == 3 && !ascii(h.Descr)
	if h.Size, err = dataSize(h.Type.Size()*max(h.Inner, 1), h.Shape); err != nil {
		return Header{}, err
	}
	if h.Fortran && len(h.Shape) > 0 {
		// On 32 bits a file may be too large for strides that are int.
		if longest, err := dataSize(max(h.Inner, 1), h.Shape[:len(h.Shape)-1]); err != nil || longest > math.MaxInt {
			return Header{}, fmt.Errorf("%w: strides of shape %v overflow", ErrFormat, h.Shape)
		}
	}
	if have := size - h.Offset; have < h.Size {
		return Header{}, fmt.Errorf("%w: %v of %v needs %d bytes of data, has %d", ErrTruncated, h.Shape, clip(h.TypeName()), h.Size, have)
	}
	return h, nil
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// setType sets the fields about the element type, but UTF8, to what the dictionary says.
func (h *Header) setType(d dict) (err error) {
	const longest = 1 << 15 // so that a header that is written with this list is not longer than maxHeader
	switch {
	case d.record > 0 && len(d.descr) <= longest:
		h.Type, h.Inner = parts(d.record)
		h.Descr = d.descr
		return nil
	case strings.HasPrefix(d.descr, "["):
		return fmt.Errorf("%w: %q", ErrType, clip(d.descr))
	}
	if h.Type, h.BigEndian, err = ParseType(d.descr); err != nil {
		h.Type, h.Inner, h.Descr, err = opaque(d.descr)
	}
	return err
}

// TypeName returns what people call the type of the elements, such as "float32" or
// "datetime64[ns]", or the list of its fields on one line.
func (h Header) TypeName() string {
	switch {
	case h.Descr == "":
		return h.Type.String()
	case h.Descr[0] == '[':
		return strings.Join(strings.Fields(h.Descr), " ")
	}
	code := h.Descr[1:]
	switch _, unit, _ := strings.Cut(code, "["); {
	case code[0] == 'b':
		return "bool"
	case code[0] == 'c':
		return "complex" + strconv.Itoa(8*h.Type.Size()*h.Inner)
	case code[0] == 'M' && unit != "":
		return "datetime64[" + unit
	case code[0] == 'M':
		return "datetime64"
	case code[0] == 'm' && unit != "":
		return "timedelta64[" + unit
	case code[0] == 'm':
		return "timedelta64"
	}
	return code
}

// Strides returns memory strides in elements: the column-major strides for Fortran
// order of two axes or more, and nil for data that is row-major. Extents of 0 count
// as 1.
func (h Header) Strides() []int {
	if !h.Fortran || len(h.Shape) < 2 {
		return nil
	}
	strides := make([]int, len(h.Shape))
	step := 1
	for i, extent := range h.Shape {
		strides[i] = step
		step *= max(extent, 1)
	}
	return strides
}

// headerSpan returns the byte at which the dictionary of a header begins, and the offset
// of the data behind it. file is the beginning of a file of size bytes.
func headerSpan(file []byte, size int64) (begin, offset int, err error) {
	if n := min(len(file), len(magic)); string(file[:n]) != magic[:n] {
		return 0, 0, fmt.Errorf("%w: does not start as an .npy file does", ErrFormat)
	}
	begin = len(magic) + 2 + 4
	if len(file) > len(magic)+1 {
		switch major, minor := file[len(magic)], file[len(magic)+1]; {
		case minor != 0 || major < 1 || major > 3:
			return 0, 0, fmt.Errorf("%w: version %d.%d, not 1.0, 2.0 or 3.0", ErrFormat, major, minor)
		case major == 1:
			begin -= 2
		}
	}
	if len(file) < begin {
		return 0, 0, fmt.Errorf("%w: %d bytes in all", ErrTruncated, len(file))
	}
	var length uint64
	for i, b := range file[len(magic)+2 : begin] {
		length |= uint64(b) << (8 * i)
	}
	switch rest := size - int64(begin); {
	case length > uint64(rest):
		return 0, 0, fmt.Errorf("%w: header of %d bytes, has %d", ErrTruncated, length, rest)
	case length > maxHeader:
		return 0, 0, fmt.Errorf("%w: header of %d bytes, at most %d make sense", ErrFormat, length, maxHeader)
	}
	return begin, begin + int(length), nil
}

// dataSize returns the bytes of an array whose elements take element bytes each, or ErrFormat
// if they leave 63 bits. An array with an extent of 0 has no bytes, but the product of its other
// extents must not overflow either, as in NumPy.
func dataSize(element int, shape []int) (int64, error) {
	size := uint64(element)
	empty := false
	for _, extent := range shape {
		if extent == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(size, uint64(extent))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, fmt.Errorf("%w: shape %v overflows", ErrFormat, shape)
		}
		size = lo
	}
	if empty {
		return 0, nil
	}
	return int64(size), nil
}
