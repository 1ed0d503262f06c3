package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

// array is an input: elements in memory, mapped or not.
type array struct {
	*source
	dtype     slice1.DataType
	bigEndian bool
	shape     []int
	strides   []int  // in elements; nil = row-major
	data      []byte // starts with the first element
	offset    int64  // of data in the file, where it is mapped
	notes     []string
}

// source is the bytes of an input.
type source struct {
	name  string // as an error names it
	bytes []byte
	file  *os.File // that bytes are mapped from; nil for what was read
	unmap func() error
	pages resident
}

// close gives memory and file back. It may be called more than once.
func (a *array) close() error {
	a.data = nil
	return a.source.close()
}

func (s *source) close() error {
	unmap, file := s.unmap, s.file
	s.unmap, s.file, s.bytes = nil, nil, nil
	if unmap == nil {
		return nil
	}
	return errors.Join(unmap(), file.Close())
}

// whole returns an error if the file that is mapped has become shorter.
func (a *array) whole() error {
	if a.file == nil {
		return nil
	}
	info, err := a.file.Stat()
	if err == nil && info.Size() < a.offset+int64(len(a.data)) {
		err = a.truncated()
	}
	return err
}

func (a *array) truncated() error { return fmt.Errorf("%s: %w", a.name, errFault) }

// open reads or maps the input; the name - is stdin. saved is the descriptor
// of -desc, if there is one.
func (j *job) open(saved *savedJob) (*array, error) {
	name, member := j.in, j.member
	if before, after, ok := cutMember(j.in); ok && member == "" {
		name, member = before, after
	}
	src, err := contents(name, j.stdin)
	if err != nil {
		return nil, err
	}
	a, err := j.parse(src, member, saved)
	if err != nil {
		err = errors.Join(err, src.close())
		var text *slice1.IndexError
		if errors.Is(err, errUsage) || errors.As(err, &text) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", src.name, err)
	}
	return a, nil
}

// cutMember splits "file.npz:member", unless there is a file of that name.
func cutMember(in string) (file, member string, ok bool) {
	i := strings.LastIndexByte(in, ':')
	if i < 0 || in == "-" {
		return in, "", false
	}
	if _, err := os.Stat(in); err == nil {
		return in, "", false
	}
	if _, err := os.Stat(in[:i]); err != nil && in[:i] != "-" {
		return in, "", false
	}
	return in[:i], in[i+1:], true
}

func (j *job) parse(src *source, member string, saved *savedJob) (*array, error) {
	a := &array{source: src}
	switch {
	case j.raw != "":
		return a, j.parseRaw(a, saved)
	case isArchive(src.bytes):
		return a, j.parseArchive(a, member)
	case member != "" || j.member != "":
		return a, usagef("%s is no .npz: it has no members", src.name)
	case isPicture(src.bytes):
		return a, a.parsePicture()
	case !isNPY(src.bytes):
		return a, errors.New("not .npy, .npz, PNG or JPEG; -raw takes elements without a header")
	}
	return a, a.parseNPY(src.bytes, 0)
}

// isNPY: file begins as an .npy file does, as far as it goes.
func isNPY(file []byte) bool {
	const magic = "\x93NUMPY"
	n := min(len(file), len(magic))
	return string(file[:n]) == magic[:n]
}

// parseNPY takes a as an .npy file that begins at offset of its source, or in
// memory.
func (a *array) parseNPY(file []byte, offset int64) error {
	h, err := npy.Parse(file)
	if err != nil {
		return err
	}
	a.dtype, a.bigEndian, a.shape, a.strides = h.Type, h.BigEndian, h.Shape, h.Strides()
	a.data, a.offset = file[h.Offset:h.Offset+h.Size], offset+h.Offset
	return nil
}

// contents maps a regular file where that works and reads everything else.
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
		r = f
	}
	f, _ := r.(*os.File)
	if f != nil && s.mapWhole(f) {
		return s, nil
	}
	var err error
	if f != nil {
		if info, err := f.Stat(); err == nil && info.Size() > maxAlloc {
			return nil, errors.Join(fmt.Errorf("%s: %d bytes are too large for this system", s.name, info.Size()), f.Close())
		}
	}
	s.bytes, err = io.ReadAll(r)
	if name != "-" {
		err = errors.Join(err, f.Close())
	}
	return s, err
}

// mapWhole maps f and takes it, if it is a regular file at its beginning.
func (s *source) mapWhole(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	if at, err := f.Seek(0, io.SeekCurrent); err != nil || at != 0 {
		return false
	}
	s.bytes, s.unmap, err = mapFile(f, info.Size())
	if err == nil {
		s.file = f
	}
	return err == nil
}
