package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

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
func (a *array) ReadAt(b []byte, offset int64) (n int, err error) {
	if a.video != nil {
		n, err = a.video.ReadAt(b, offset)
	} else {
		n, err = a.source.ReadAt(b, a.Offset+offset)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", a.name, err)
	}
	return n, err
}

func (a *array) note(format string, args ...any) {
	a.notes = append(a.notes, a.name+": "+fmt.Sprintf(format, args...))
}

// typeName returns the name of the element type for messages and saved jobs. In place of control
// characters, which names of fields may have, it has spaces.
func (a *array) typeName() string {
	if a.Type == slice1.BFloat16 {
		return a.Type.String()
	}
	return oneLine(a.TypeName())
}

// maxRank returns the most axes of an array of this type. A descriptor has 8 axes. Elements of
// several parts take one of them.
func (a *array) maxRank() int {
	if a.Inner > 1 {
		return 7
	}
	return 8
}

// elementSize returns the bytes of an element.
func (a *array) elementSize() int64 { return int64(a.Type.Size()) * int64(max(a.Inner, 1)) }

// rowBytes returns the bytes of a row. A row is one position of the first axis, with all positions
// of the others.
func (a *array) rowBytes() int64 { return a.Size / int64(a.Shape[0]) }

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
func (a *array) bytesOf(shape []int) int64 { return sizeOf(a.elementSize(), shape) }

// memory returns the bytes that the elements of an input of a shape take where they lie, or -1 if
// they are more than maxAlloc. A pixel of a video takes 4 bytes.
func (a *array) memory(shape []int) int64 {
	n := a.bytesOf(shape)
	switch {
	case a.video == nil:
		return n
	case n < 0 || n > maxAlloc/4*3:
		return -1
	}
	return n / 3 * 4
}

func product(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

func (a *array) tooLarge() error {
	return fmt.Errorf("%v of %s is too large", brackets(a.Shape), a.typeName())
}

// tensor returns the array, which has elements, as a tensor. If elements have several parts, the
// parts are the last axis.
func (a *array) tensor() slice1.TensorDesc {
	t, _ := a.Desc() // the extents were checked
	if a.strides != nil {
		t.Strides = slices.Clone(a.strides)
	}
	return t
}

// lie makes size bytes of the source, from offset on, the elements of the array.
func (a *array) lie(offset, size int64) {
	a.Offset, a.Size = offset, size
	if a.bytes != nil && a.video == nil {
		a.data = a.bytes[offset : offset+size]
	}
}

// largest returns the largest sample that there may be in an array of integers.
func (a *array) largest() float64 {
	if a.maxSample != 0 {
		return float64(a.maxSample)
	}
	_, largest, _ := bounds(a.Type)
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
	return slices.Contains([]slice1.DataType{slice1.Float16, slice1.BFloat16, slice1.Float32, slice1.Float64}, t)
}

// bounds returns the least and the largest number of a type of integers. ok is false for floats.
func bounds(t slice1.DataType) (least, largest float64, ok bool) {
	switch bits := 8 * t.Size(); t {
	case slice1.Uint8, slice1.Uint16, slice1.Uint32, slice1.Uint64:
		return 0, math.Ldexp(1, bits) - 1, true
	case slice1.Int8, slice1.Int16, slice1.Int32, slice1.Int64:
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1, true
	}
	return 0, 0, false
}

// begin drops the bytes of a pipe before its elements.
func (a *array) begin() error {
	err := a.pipe.skip(a.Offset)
	if err == io.ErrUnexpectedEOF {
		err = a.misfit(a.pipe.at - a.Offset)
	}
	return named(a.name, err)
}

// have returns how many bytes of elements the pipe has given so far.
func (a *array) have() int64 { return a.pipe.at + int64(a.pipe.Buffered()) - a.Offset }

// came returns an error if a pipe had too few bytes of elements. It is called when the pipe has
// ended or no more of it is needed. If the array is open, came sets its number of rows to how many
// came.
func (a *array) came(got int64) error {
	if !a.open {
		if got < a.Size {
			return a.misfit(got)
		}
		return nil
	}
	row := a.rowBytes()
	if got < 0 || got%row != 0 {
		return a.misfit(got)
	}
	a.open, a.Size = false, got
	a.Shape = slices.Concat([]int{int(got / row)}, a.Shape[1:])
	return nil
}

// misfit returns the error of an input of which got bytes of elements came: too few or, of raw
// elements and frames, too many or no whole rows. If got is negative, -got bytes before the first
// element are missing.
func (a *array) misfit(got int64) error {
	name, row := a.typeName(), int64(0)
	if a.open {
		row = a.rowBytes()
	}
	switch v := a.video; {
	case got < 0:
		return fmt.Errorf("%s: -skip %d is beyond its %d bytes", a.name, a.Offset, a.Offset+got)
	case v != nil:
		if name = v.name; a.Shape[0] == 0 { // less than a frame came
			row = v.size()
		}
	case !a.raw:
		return fmt.Errorf("%s: %w: %v of %s needs %d bytes of data, has %d", a.name, npy.ErrTruncated, a.Shape, name, a.Size, got)
	}
	if row > 0 {
		return fmt.Errorf("%s: holds %d bytes, no multiple of the %d that %v of %s takes", a.name, got, row, brackets(a.Shape[1:]), name)
	}
	return fmt.Errorf("%s: holds %d bytes, %v of %s takes %d", a.name, got, brackets(a.Shape), name, a.Size)
}

// noMore returns an error if raw elements go on after the array's last row. It also reads the rest
// of a member of an archive, and returns an error if its checksum is wrong.
func (a *array) noMore() error {
	if a.pipe.summed {
		if _, err := io.Copy(io.Discard, a.pipe); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		return nil
	}
	if !a.raw {
		return nil
	}
	if _, err := a.pipe.Peek(1); err != io.EOF {
		return errors.Join(err, fmt.Errorf("%s goes on after the %d bytes of %v of %s", a.name, a.Size, brackets(a.Shape), a.typeName()))
	}
	return nil
}

// video makes RGB from raw frames, with four bytes per pixel. The last byte is 255. It holds one
// frame.
type video struct {
	*array
	form          *imageslice.Format
	name          string // of the form
	matrix        imageslice.Matrix
	colours       imageslice.Colours
	full          bool
	width, height int
	pix           []byte            // the frame's bytes
	frame         *imageslice.Frame // the frame; nil: none yet
	number        int64             // its number
	part          image.RGBA        // rows that are not asked for whole
}

// setShape sets the size of a frame from the value of -shape: [height, width] of one frame, or
// [frames, height, width]. It returns the shape of the pixels, which have an axis of colours.
func (v *video) setShape(shape []int) ([]int, error) {
	rank := len(shape)
	switch {
	case rank < 2 || rank > 3 || shape[rank-2] < 1 || shape[rank-1] < 1:
		return nil, usagef("-shape %v: height and width expected, or frames, height and width", brackets(shape))
	case shape[rank-2] > 1<<20 || shape[rank-1] > 1<<20:
		return nil, usagef("-shape %v: at most %d pixels along an axis", brackets(shape), 1<<20)
	}
	v.height, v.width = shape[rank-2], shape[rank-1]
	if v.Shape = append(shape, 3); v.memory(v.Shape[rank-2:]) < 0 {
		return nil, v.tooLarge()
	}
	v.strides = []int{4 * v.width * v.height, 4 * v.width, 4, 1}[3-rank:]
	return v.Shape, nil
}

// size returns the bytes of a frame, whose sides setShape has checked.
func (v *video) size() int64 {
	size, _ := v.form.Size(v.width, v.height, 0)
	return size
}

// ReadAt implements io.ReaderAt for the pixels: offset 0 is the first byte of the first frame.
func (v *video) ReadAt(b []byte, offset int64) (n int, err error) {
	row := 4 * int64(v.width)
	for n < len(b) {
		y, x, rest := offset/row, offset%row, b[n:]
		if err := v.load(y / int64(v.height)); err != nil {
			return n, err
		}
		line := int(y % int64(v.height))
		part, rows := &v.part, int(min((x+int64(len(rest))+row-1)/row, int64(v.height-line)))
		if x == 0 && int64(len(rest)) >= int64(rows)*row {
			part = &image.RGBA{Pix: rest}
		} else if need := rows * int(row); cap(part.Pix) < need {
			part.Pix = make([]byte, need)
		}
		part.Stride, part.Rect = int(row), image.Rect(0, 0, v.width, rows)
		part.Pix = part.Pix[:rows*part.Stride]
		if err := imageslice.ToRGBA(part, v.frame, image.Rect(0, line, v.width, line+rows)); err != nil {
			return n, err
		}
		m := len(part.Pix)
		if part == &v.part {
			m = copy(rest, part.Pix[x:])
		}
		n, offset = n+m, offset+int64(m)
	}
	return n, nil
}

// load makes v hold frame i.
func (v *video) load(i int64) (err error) {
	if v.frame != nil && v.number == i {
		return nil
	}
	size := v.size()
	if v.pix == nil {
		if err := v.claim(size); err != nil {
			return err
		}
		v.pix = make([]byte, size)
	}
	v.frame = nil
	if _, err := v.source.ReadAt(v.pix, v.Offset+i*size); err != nil {
		return err
	}
	f, err := v.form.Frame(v.pix, v.width, v.height, 0)
	if err != nil {
		return err
	}
	f.Matrix, f.FullRange, f.Colours = v.matrix, v.full, v.colours
	v.frame, v.number = f, i
	return nil
}
