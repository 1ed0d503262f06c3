package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// open opens the input j.in and reads its header. The name - means standard input. saved is the job
// of -desc, or nil. Errors name the input, unless they are usage errors or IndexErrors.
func (j *job) open(saved *savedJob) (*array, error) {
	name, member := splitMember(j.in)
	src, err := contents(name, j.stdin)
	if err != nil {
		return nil, err
	}
	a := &array{source: src}
	err = j.parse(a, member, saved)
	switch {
	case err != nil:
	case j.orient != 0 && !a.picture:
		err = usagef("-orient is for pictures, which %s is not", a.name)
	case len(a.Shape) > a.maxRank():
		err = fmt.Errorf("%s of rank %d, of which at most %d are sliced", a.typeName(), len(a.Shape), a.maxRank())
	default:
		return a, nil
	}
	err = errors.Join(err, a.Close())
	if _, text := errors.AsType[*slice1.IndexError](err); text || errors.Is(err, errUsage) {
		return nil, err
	}
	return nil, named(a.name, err)
}

// splitMember splits a name like in.npz:x at the first colon that follows the name of a file or
// "-". If there is no such colon, or a file has the whole name, the member is "".
func splitMember(in string) (file, member string) {
	for i, c := range in {
		if c == ':' && !exists(in) && exists(in[:i]) {
			return in[:i], in[i+1:]
		}
	}
	return in, ""
}

// exists reports whether there is a file of that name. Standard input, named -, counts as one.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil || name == "-"
}

const npyMagic = "\x93NUMPY"

// parse reads the header of the array's source. It reads no element of a pipe, unless all of the
// pipe is needed.
func (j *job) parse(a *array, member string, saved *savedJob) error {
	if j.raw != "" {
		return j.parseRaw(a, saved)
	}
	start, err := a.start()
	switch {
	case err != nil:
		return err
	case begins(start, "PK\x03\x04"), begins(start, "PK\x05\x06"):
		return j.parseArchive(a, member)
	case member != "":
		return usagef("%s is no .npz: it has no members", a.name)
	case pictureOf(start) != nil:
		return a.parsePicture(pictureOf(start), j.orient)
	case len(start) == 0:
		return errors.New("is empty")
	case strings.HasPrefix(npyMagic, string(start)), begins(start, npyMagic):
		return a.parseNPY(0, a.size)
	}
	return foreign(a.name, start)
}

// foreignFormats lists formats that people have and the command does not read, one in a line: the
// first bytes, in quotes, and a text that says how to make what it reads. In it, IN is the name of
// the file.
//
//go:embed foreign.txt
var foreignFormats string

// foreign returns the error for a file with a name that begins with start and has no format that
// the command reads.
func foreign(name string, start []byte) error {
	for line := range strings.Lines(foreignFormats) {
		quoted, says, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if magic, err := strconv.Unquote(quoted); err == nil && begins(start, magic) {
			return fmt.Errorf("%s is %s", name, strings.Replace(says, "IN", strings.Replace(name, "standard input", "-", 1), 1))
		}
	}
	return errors.New("not .npy, .npz, PNG, JPEG, GIF, PGM or PPM; -raw takes elements without a header")
}

// parseNPY makes the array that of an .npy file. The file is size bytes of the array's source from
// offset on, or the source's pipe.
func (a *array) parseNPY(offset, size int64) (err error) {
	h := npy.Header{}
	if a.pipe != nil {
		h, err = npy.ReadHeader(a.pipe)
	} else {
		h, err = npy.ReadHeaderAt(io.NewSectionReader(a.source, offset, size))
	}
	if err != nil {
		return err
	}
	if a.Header = typed(h); h.Size > maxAlloc {
		return a.tooLarge()
	}
	a.lie(offset+h.Offset, h.Size)
	return nil
}

// typed returns the header with bfloat16 as the type of elements of two bytes that have none. The
// command writes bfloat16 so.
func typed(h npy.Header) npy.Header {
	if h.Descr == bfloat16 {
		h.Type, h.BigEndian = slice1.BFloat16, nativeBig
	}
	return h
}

// prepare makes the pipe of s ready. It leaves a pipe that is sliced while it is read as it is.
// From any other pipe it reads rows into memory: up to the last row that s takes, or all if the
// last one is unknown.
//
// While the number of rows is unknown, the largest possible number stands for it. A position near
// that number was counted from the end, so it needs the real number. Rows before such a position,
// and all rows up to the last, can be taken as they come. The exception is a result whose shape
// does not begin with the number of rows: the length of its .npy header depends on that number.
func (j *job) prepare(s *slice) error {
	in := s.in
	if in.pipe == nil {
		return nil
	}
	lists := s.affine != nil && s.affine.Axis == 0 && max(len(s.affine.Scale), len(s.affine.Bias), len(s.affine.Table)/256) > 1 // a value for each row
	flows := j.flows && !s.strided() && !lists
	switch {
	case s.empty && !in.open && (in.pipe.summed || in.Size == 0):
		if err := in.begin(); err != nil {
			return err
		}
		return in.noMore()
	case s.empty && !in.open:
		return nil
	case len(in.Shape) == 0, s.empty, !s.rowsFirst(), !in.open && (!flows || s.desc.WindowStrides[0] < 0):
		return j.hold(s, math.MaxInt64)
	case !in.open:
		return nil
	}
	rows, first := in.Shape[0], s.desc.WindowOffsets[0]
	end := first + s.desc.WindowSizes[0]
	leads := len(s.shape) > 0 && s.shape[0] == s.desc.Output.Sizes[0]
	switch {
	case flows && j.unknown && leads && s.desc.WindowStrides[0] > 0 && first <= rows/2 && (end <= rows/2 || end == rows):
		return nil
	case end <= rows/2:
		return j.hold(s, int64(end)*in.rowBytes())
	}
	return j.hold(s, math.MaxInt64)
}

// rowsFirst reports whether the first axis of the descriptor is the outermost one of the input in
// memory. It is not if -axes puts another axis there or the order is Fortran's.
func (s *slice) rowsFirst() bool {
	in, d := s.in.tensor(), s.desc
	return (in.Strides == nil || s.in.video != nil && len(s.in.Shape) > 3) && d.Input.Sizes[0] == in.Sizes[0] && d.Input.MemoryStrides()[0] == in.MemoryStrides()[0]
}

// hold reads the elements in the pipe of s into memory. If their number is unknown, it reads at
// most limit bytes, and then makes s anew from the rows that came.
func (j *job) hold(s *slice, limit int64) error {
	in, wasOpen := s.in, s.in.open
	if !wasOpen {
		limit = in.Size
	}
	err := in.begin()
	if err == nil {
		err = named(in.name, in.source.hold(limit, !wasOpen))
	}
	if err == nil {
		err = j.ended(s, in.size)
	}
	if err == nil && !wasOpen {
		err = in.noMore()
	}
	in.pipe = nil
	in.lie(0, in.size)
	return err
}

// begin drops the bytes of a pipe before its elements.
func (a *array) begin() error {
	err := a.pipe.skip(a.Offset)
	if err == io.ErrUnexpectedEOF {
		err = a.truncated(a.pipe.at - a.Offset)
	}
	return named(a.name, err)
}

// came returns an error if a pipe had too few bytes of elements. It is called when the pipe has
// ended or no more of it is needed. If the array is open, came sets its number of rows to how many
// came.
func (a *array) came(have int64) error {
	if !a.open {
		if have < a.Size {
			return a.truncated(have)
		}
		return nil
	}
	row := a.rowBytes()
	if have < 0 || have%row != 0 {
		return a.truncated(have)
	}
	a.open, a.Size = false, have
	a.Shape = slices.Concat([]int{int(have / row)}, a.Shape[1:])
	return nil
}

// truncated returns the error of a pipe that ends after have bytes of elements. These are too few
// or, if the array is open, end within a row. If have is negative, -have bytes before the first
// element are missing.
func (a *array) truncated(have int64) error {
	switch {
	case have < 0:
		return named(a.name, beyond(a.Offset, a.Offset+have))
	case !a.raw:
		return fmt.Errorf("%s: %w: %v of %s needs %d bytes of data, has %d", a.name, npy.ErrTruncated, a.Shape, a.typeName(), a.Size, have)
	}
	return named(a.name, a.misfit(have))
}

// misfit returns the error of raw elements or frames of which have bytes came: too few or too many,
// or no whole rows.
func (a *array) misfit(have int64) error {
	of, row := a.typeName(), int64(0)
	if a.open {
		row = a.rowBytes()
	}
	if a.video != nil {
		if of = a.video.name; a.Shape[0] == 0 { // less than a frame came
			row = a.video.size()
		}
	}
	if row > 0 {
		return fmt.Errorf("holds %d bytes, no multiple of the %d that %v of %s takes", have, row, brackets(a.Shape[1:]), of)
	}
	return fmt.Errorf("holds %d bytes, %v of %s takes %d", have, brackets(a.Shape), of, a.Size)
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
