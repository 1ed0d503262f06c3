// Package npy reads and writes NumPy's .npy files and reads the members of .npz archives.
//
// [Read] and [Write] move whole arrays. [ReadHeader] reads a header alone, for programs that map
// the file or slice it while it arrives. [Header.Desc] then describes the array to package slice1,
// also in Fortran order. [OpenMember] opens a member of an .npz as a stream for Read and
// ReadHeader.
//
//	f, err := os.Open("volume.npy")
//	h, err := npy.ReadHeader(f)
//	tensor, err := h.Desc()
//	w, shape, err := h.ParseIndex("[::2, 10:20]")
//	var order binary.ByteOrder = binary.LittleEndian
//	if h.BigEndian {
//		order = binary.BigEndian
//	}
//	plan, err := slice1.NewPlan(w.Of(tensor), slice1.WithByteOrder(order))
//	err = plan.Run(dst, mapped[h.Offset:][:h.Size])
//
// Files may come from anyone. A broken file is an error. Memory grows with the data that arrives,
// and not with what a header claims.
package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// Sentinels name the condition; test for them with [errors.Is].
var (
	// ErrFormat: not an .npy file, a broken header, an array that is too large, or a member that
	// an .npz lacks or has encrypted.
	ErrFormat = errors.New("npy: bad .npy format")
	// ErrType: an element type that is unknown, too large, or cannot be moved as bits.
	ErrType = errors.New("npy: element type not supported")
	// ErrTruncated: a file that ends before the end of its header or its data.
	ErrTruncated = errors.New("npy: truncated .npy file")
)

const (
	maxRank   = 64                             // NumPy's own limit
	maxHeader = 1 << 16                        // bytes; a header of 64 axes takes under 2000
	maxStart  = len(magic) + 2 + 4 + maxHeader // bytes before the data, at most
)

const magic = "\x93NUMPY"

// Header describes an .npy file: what its elements are and where they lie.
type Header struct {
	Type slice1.DataType
	// Descr is "" for a type of slice1 that NumPy has: all but BFloat16. For another type it is
	// NumPy's name, like "<c8", or the list of fields as the file has it.
	Descr     string
	Inner     int   // values of Type in an element, if Descr is set; else 0
	UTF8      bool  // Descr is UTF-8 and not all ASCII, which only version 3.0 allows
	BigEndian bool  // byte order of the elements; false for types of one byte and if Descr is set
	Fortran   bool  // column-major: the first axis is the innermost in memory
	Shape     []int // extents, outermost axis first; none for a scalar; may hold 0
	Offset    int64 // bytes from the start of the file to the data
	Size      int64 // bytes of data
}

// Parse reads the header of an .npy file, versions 1.0 to 3.0, and checks that the data is
// complete: file[Offset:Offset+Size] is the array. Like NumPy, it ignores bytes behind the data.
// The Header does not refer to file's memory.
//
// Errors match [ErrFormat], [ErrType] or [ErrTruncated].
func Parse(file []byte) (Header, error) { return parseStart(file, int64(len(file))) }

// ReadHeaderAt is Parse for a file that it need not read whole. It reads as many bytes as the
// longest header has, or the whole file if that is shorter. Errors are Parse's and r's.
func ReadHeaderAt(r *io.SectionReader) (Header, error) {
	start := make([]byte, min(r.Size(), int64(maxStart)))
	if n, err := r.ReadAt(start, 0); n < len(start) {
		return Header{}, err
	}
	return parseStart(start, r.Size())
}

// ReadHeader reads a header from r's position up to the data, and no further. It is Parse for a
// stream, but it does not check that the data is complete, because the data need not have arrived.
// Errors are Parse's and r's.
func ReadHeader(r io.Reader) (Header, error) {
	const shortest = len(magic) + 2 + 2 // no complete header is shorter
	var start []byte
	readTo := func(end int) error {
		length := len(start)
		start = append(start, make([]byte, max(end-length, 0))...)
		got, err := io.ReadFull(r, start[length:])
		start = start[:length+got]
		return err
	}
	err := readTo(shortest)
	if err == nil && start[len(magic)] > 1 {
		err = readTo(shortest + 2) // the length takes four bytes
	}
	if err == nil {
		_, end, broken := headerSpan(start, math.MaxInt64)
		if broken != nil {
			return Header{}, broken
		}
		err = readTo(end)
	}
	switch err {
	case nil:
		return parseStart(start, math.MaxInt64)
	case io.EOF, io.ErrUnexpectedEOF:
		return parseStart(start, int64(len(start)))
	}
	return Header{}, err
}

// parseStart is Parse for a file of size bytes. start is the whole file, or its beginning up to the
// end of the header or further.
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
		// On 32 bits the strides of a large file may overflow int.
		if longest, err := dataSize(max(h.Inner, 1), h.Shape[:len(h.Shape)-1]); err != nil || longest > math.MaxInt {
			return Header{}, fmt.Errorf("%w: shape %v in Fortran order has strides that overflow an int", ErrFormat, h.Shape)
		}
	}
	if data := size - h.Offset; data < h.Size {
		return Header{}, fmt.Errorf("%w: %v of %v needs %d bytes of data, has %d", ErrTruncated, h.Shape, clip(h.TypeName()), h.Size, data)
	}
	return h, nil
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// setType sets all fields about the element type, except UTF8, from the dictionary.
func (h *Header) setType(d dict) (err error) {
	const longest = 1 << 15 // so that a header with this list is not longer than maxHeader
	switch {
	case d.record > 0 && len(d.descr) <= longest:
		h.Type, h.Inner = parts(d.record)
		h.Descr = d.descr
		return nil
	case strings.HasPrefix(d.descr, "["):
		return fmt.Errorf("%w: fields without bytes, or with a text of more than %d: %q", ErrType, longest, clip(d.descr))
	}
	var ok bool
	name := canonical(d.descr)
	if h.Type, h.BigEndian, ok = parseType(name); !ok {
		h.Type, h.Inner, h.Descr, err = opaque(name)
	}
	return err
}

// TypeName returns the usual name of the element type, like "float32" or "datetime64[ns]", or its
// list of fields on one line.
func (h Header) TypeName() string {
	switch {
	case h.Descr == "":
		return h.Type.String()
	case h.Descr[0] == '[':
		return strings.Join(strings.Fields(h.Descr), " ")
	}
	switch code := h.Descr[1:]; code[0] {
	case 'b':
		return "bool"
	case 'c':
		return "complex" + strconv.Itoa(8*h.Type.Size()*h.Inner)
	case 'M':
		return "datetime64" + code[2:]
	case 'm':
		return "timedelta64" + code[2:]
	default:
		return code
	}
}

// Strides returns the column-major memory strides, in elements, of an array in Fortran order with
// two axes or more. It returns nil for row-major data. Extents of 0 count as 1.
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

// Desc returns the array as a tensor. Its memory begins at the first byte of the data, and its
// strides give the order of the axes. If an element has h.Inner values, the tensor has an innermost
// axis of that extent. A scalar becomes an array of one element. A tensor has no byte order: a plan
// moves the bytes of an element as the file has them. If h.BigEndian, give [slice1.NewPlan] the
// option slice1.WithByteOrder(binary.BigEndian), and the result has the machine's order.
//
// NumPy's bool is Uint8 here, and NumPy counts a byte other than 0 and 1 as 1. For a plan with
// slice1.WithNumbers that byte is itself: where h.Descr is "|b1", give it a slice1.Affine with a
// Table of one 0 and 255 times 1, as the example of booleans does.
//
// An array without elements is [slice1.ErrEmpty]. Other arrays that cannot be a tensor give the
// errors of [slice1.TensorDesc.MinSize].
func (h Header) Desc() (slice1.TensorDesc, error) {
	for axis, n := range h.Shape {
		if n == 0 {
			return slice1.TensorDesc{}, &slice1.DescError{Field: "Sizes", Axis: axis, Limit: 1,
				Err: sentence.New("npy", slice1.ErrEmpty, "axis %d of shape %v has extent 0, so the array has no elements", axis, h.Shape)}
		}
	}
	t := h.tensor()
	if len(t.Sizes) == 0 {
		t.Sizes = []int{1}
	}
	_, err := t.MinSize()
	return t, sentence.Prefix("npy", err)
}

// ParseIndex is [slice1.ParseIndex] for the array's shape. The window suits the tensor of Desc: it
// takes all values of an element, and an element has several if h.Inner is above 1. The second
// result is the shape of the result in elements. The errors are the same as slice1.ParseIndex's.
func (h Header) ParseIndex(expr string) (slice1.Window, []int, error) {
	w, shape, err := slice1.ParseIndex(expr, h.Shape)
	if n := h.Inner; n > 1 && (err == nil || errors.Is(err, slice1.ErrEmpty)) {
		w = slice1.Window{Offsets: append(w.Offsets, 0), Sizes: append(w.Sizes, n), Strides: append(w.Strides, 1), Out: append(w.Out, n)}
	}
	return w, shape, sentence.Prefix("npy", err)
}

// tensor is Desc without checks.
func (h *Header) tensor() slice1.TensorDesc {
	t := slice1.TensorDesc{DataType: h.Type, Sizes: slices.Clone(h.Shape), Strides: h.Strides()}
	if h.Inner > 1 {
		t.Sizes = append(t.Sizes, h.Inner)
		for i := range t.Strides {
			t.Strides[i] *= h.Inner
		}
		if t.Strides != nil {
			t.Strides = append(t.Strides, 1)
		}
	}
	return t
}

// headerSpan returns the byte where the dictionary of a header begins, and the offset of the data
// behind it. file is the beginning of a file of size bytes.
func headerSpan(file []byte, size int64) (begin, offset int, err error) {
	if n := min(len(file), len(magic)); string(file[:n]) != magic[:n] {
		if bytes.HasPrefix(file, []byte("PK\x03\x04")) || bytes.HasPrefix(file, []byte("PK\x05\x06")) {
			return 0, 0, fmt.Errorf("%w: starts as an .npz file does, whose members OpenMember opens", ErrFormat)
		}
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
		return 0, 0, fmt.Errorf("%w: the file has %d bytes, its header has more", ErrTruncated, len(file))
	}
	var length uint64
	for i, b := range file[len(magic)+2 : begin] {
		length |= uint64(b) << (8 * i)
	}
	switch rest := size - int64(begin); {
	case length > uint64(rest):
		return 0, 0, fmt.Errorf("%w: the header has %d bytes, the file has %d of them", ErrTruncated, length, rest)
	case length > maxHeader:
		return 0, 0, fmt.Errorf("%w: the header has %d bytes, must have at most %d", ErrFormat, length, maxHeader)
	}
	return begin, begin + int(length), nil
}

// dataSize returns the bytes of an array whose elements have `element` bytes. The error is
// ErrFormat if they exceed 63 bits. An array with an extent of 0 has no bytes, but the product of
// its other extents must not overflow either, like in NumPy.
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
			return 0, fmt.Errorf("%w: shape %v with elements of %d bytes overflows 63 bits", ErrFormat, shape, element)
		}
		size = lo
	}
	if empty {
		return 0, nil
	}
	return int64(size), nil
}
