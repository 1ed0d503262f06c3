package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// maxAlloc is the most bytes of an allocation or a result.
const maxAlloc = min(math.MaxInt, 1<<46)

// maxOpen is the most bytes of elements of a pipe of unknown length. A stream of 10 GB/s takes most
// of a year for that.
const maxOpen = min(math.MaxInt, 1<<58)

// mostClaimed is the most memory for one claim of an input or of the command line: the pixels of a
// picture, a frame, a row, a pipe that is held, or a result that is. Files may be larger, since
// they are sliced part by part. A program of wasm has 4 GiB in all, of which some are in use.
var mostClaimed = map[bool]int64{false: min(math.MaxInt/2, 4<<30), true: 1 << 30}[runtime.GOARCH == "wasm"]

// source is the bytes of an input: a file, a pipe, or bytes in memory.
type source struct {
	closer io.Closer   // closed at the end; may be nil
	opened *os.File    // the regular file that the bytes come from; nil for others
	stat   fs.FileInfo // that file when it was opened
	name   string      // for error texts
	size   int64       // in bytes; 0 for a pipe
	file   *os.File    // nil if the bytes are in memory or in a pipe
	bytes  []byte      // nil if they are in a file or in a pipe
	pipe   *pipe       // nil if the bytes are in memory or in a file
}

// contents opens the file with a name, or takes stdin for the name -, and returns its source. A
// regular file at its beginning becomes a file source, and anything else a pipe. A file of size 0
// becomes a pipe too, since the system may make its bytes when they are read, like in /proc.
func contents(name string, stdin io.Reader) (*source, error) {
	s := &source{name: name}
	r := stdin
	if name == "-" {
		s.name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		r, s.closer = f, f
	}
	if f, ok := r.(*os.File); ok {
		switch info, err := f.Stat(); {
		case err != nil:
		case info.IsDir():
			return nil, errors.Join(fmt.Errorf("%s is a folder; its files are %s", name, filepath.Join(name, "*")), f.Close())
		case info.Mode().IsRegular() && info.Size() > 0:
			s.opened, s.stat = f, info
			if offset, err := f.Seek(0, io.SeekCurrent); err == nil && offset == 0 {
				s.file, s.size = f, info.Size()
				return s, nil
			}
		}
	}
	s.pipe = newPipe(r)
	return s, nil
}

// splitMember splits a name like in.npz:x at the first colon that follows the name of a file or
// "-". If there is no such colon, or a file has the whole name, the member is "".
func splitMember(name string) (file, member string) {
	for i, c := range name {
		if c == ':' && !exists(name) && exists(name[:i]) {
			return name[:i], name[i+1:]
		}
	}
	return name, ""
}

// exists reports whether there is a file of that name. Standard input, named -, counts as one.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil || name == "-"
}

// errShorter means that the input had fewer bytes when it was read than when it was opened.
var errShorter = errors.New("the input was truncated while it was read")

// Close closes the file or the pipe, and drops bytes in memory. It may be called more than once.
func (s *source) Close() (err error) {
	if s.closer != nil {
		err = s.closer.Close()
	}
	*s = source{name: s.name}
	return err
}

// unchanged returns an error if the source's file has another length or time of change than when it
// was opened.
func (s *source) unchanged() error {
	if s.stat == nil {
		return nil
	}
	info, err := s.opened.Stat()
	if err == nil && (info.Size() != s.stat.Size() || !info.ModTime().Equal(s.stat.ModTime())) {
		return fmt.Errorf("%s changed while it was read", s.name)
	}
	return err
}

// ReadAt implements io.ReaderAt. If bytes are missing that the file had when it was opened, the
// error is errShorter. For a pipe it is pipe.ReadAt.
func (s *source) ReadAt(b []byte, offset int64) (int, error) {
	switch {
	case s.pipe != nil:
		return s.pipe.ReadAt(b, offset)
	case s.file == nil:
		return bytes.NewReader(s.bytes).ReadAt(b, offset)
	}
	n, err := s.file.ReadAt(b, offset)
	if err == io.EOF && offset+int64(len(b)) <= s.size {
		err = errShorter
	}
	return n, err
}

// start returns the first 16 bytes, or fewer if there are no more. It takes none of them out of a
// pipe.
func (s *source) start() (start []byte, err error) {
	const length = 16
	if s.pipe == nil {
		return io.ReadAll(io.NewSectionReader(s, 0, min(length, s.size)))
	}
	start, err = s.pipe.Peek(length)
	if err == io.EOF {
		err = nil
	}
	return bytes.Clone(start), err // out of the pipe's buffer
}

// whole returns all bytes, in memory.
func (s *source) whole() ([]byte, error) {
	if err := s.readPipe(); err != nil || s.file == nil {
		return s.bytes, err
	}
	if err := s.claim(s.size); err != nil {
		return nil, err
	}
	file := make([]byte, s.size)
	_, err := s.ReadAt(file, 0)
	return file, err
}

// readPipe makes the bytes of a pipe bytes in memory.
func (s *source) readPipe() error {
	if s.pipe == nil {
		return nil
	}
	err := s.hold(math.MaxInt64, false)
	s.pipe = nil
	return err
}

// hold reads the rest of the pipe into memory, at most limit bytes. If sure is true, limit bytes
// should come, and hold takes memory for them at once. Pages that nothing is read into take no
// memory of the machine. If sure is false, hold doubles the memory again and again.
func (s *source) hold(limit int64, sure bool) error {
	size := limit
	if !sure {
		size = min(limit, 1<<20)
	}
	for {
		if err := s.claim(size); err != nil {
			return err
		}
		data := make([]byte, size)
		copied := copy(data, s.bytes)
		n, err := io.ReadFull(s.pipe, data[copied:])
		s.bytes = data[:copied+n]
		if s.size = int64(copied + n); err == io.EOF || err == io.ErrUnexpectedEOF || err == nil && size == limit {
			return nil
		}
		if err != nil {
			return err
		}
		capacity := 2 * size
		if size < mostClaimed {
			capacity = min(capacity, mostClaimed)
		}
		size = min(capacity, limit)
	}
}

// claim returns an error if n bytes, which will be allocated next, are more than mostClaimed.
func (s *source) claim(n int64) error {
	if n > mostClaimed {
		return fmt.Errorf("%s takes %s of memory, of which %s can be used", s.name, binaryUnits(float64(n)), binaryUnits(float64(mostClaimed)))
	}
	return nil
}

// flowBytes is the length of a pipe's buffer. It also bounds the input of a band, which is sliced
// and written before the next one is read, unless the band cannot be cut further.
const flowBytes = 1 << 20

// pipe is an input that can be read only once, from its first byte on.
type pipe struct {
	*bufio.Reader
	position int64 // how many bytes were read or skipped so far
	summed   bool  // a checksum is verified at the end of the pipe
}

func newPipe(r io.Reader) *pipe { return &pipe{Reader: bufio.NewReaderSize(r, flowBytes)} }

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.position += int64(n)
	return n, err
}

// ReadAt implements io.ReaderAt for bytes that were not yet read or skipped. Earlier bytes are an
// error. It skips the bytes before offset. If the pipe ends before b is full, the error is
// io.ErrUnexpectedEOF.
func (p *pipe) ReadAt(b []byte, offset int64) (int, error) {
	if offset < p.position {
		return 0, errors.New("taken before")
	}
	if err := p.skip(offset); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(p, b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// skip drops the bytes before byte end. If the pipe ends before that, the error is
// io.ErrUnexpectedEOF.
func (p *pipe) skip(end int64) error {
	for p.position < end {
		n, err := p.Discard(int(min(end-p.position, 1<<30)))
		p.position += int64(n)
		switch {
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
	return nil
}

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
