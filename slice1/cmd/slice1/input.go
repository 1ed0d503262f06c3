package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// errShorter means that the input had fewer bytes when it was read than when it was opened.
var errShorter = errors.New("the input was truncated while it was read")

// array is an input: elements in a file, in memory or in a pipe. Offset counts from the source's
// first byte, and Size includes gaps between elements. Fortran is not used: strides say it.
type array struct {
	*source
	npy.Header
	strides    []int  // in elements; nil: row-major
	expected   int64  // bytes that a pipe should have in all; 0: unknown
	open       bool   // the first extent of a pipe is unknown; Shape has the largest possible one
	data       []byte // the elements if they are in memory, else nil
	raw        bool   // -raw elements, whose shape is that of the saved job's Input if there is one
	maxSample  int    // the largest sample of a PGM or PPM; 0: another input
	chroma     string // of a JPEG whose chroma is finer than 4:2:0, as "4:4:4"; else ""
	picture    bool
	associated bool     // alpha of a TIFF with which its colours are multiplied
	notes      []string // for standard error
}

// source is the bytes of an input: a file, a pipe, or bytes in memory.
type source struct {
	*account
	claim int64       // bytes of the account that were taken for the source
	was   fs.FileInfo // of the file when it was opened; nil for a pipe
	name  string      // for error texts
	size  int64       // in bytes; 0 for a pipe
	file  *os.File    // nil if the bytes are in memory or in a pipe
	bytes []byte      // nil if they are in a file or in a pipe
	pipe  *pipe       // nil if the bytes are in memory or in a file
}

// Close closes the file or the pipe, and drops bytes in memory. It may be called more than once.
func (s *source) Close() error {
	file, pipe := s.file, s.pipe
	s.file, s.bytes, s.pipe = nil, nil, nil
	s.release(s.claim)
	switch {
	case file != nil:
		return file.Close()
	case pipe != nil:
		return pipe.close()
	}
	return nil
}

// reserve takes n bytes of memory for the source, until they are released or it is closed.
func (s *source) reserve(n int64) error {
	err := s.take(n, s.name)
	if err == nil {
		s.claim += n
	}
	return err
}

func (s *source) release(n int64) {
	s.give(n)
	s.claim -= n
}

// unchanged returns an error if the file that the source was opened from has another length or time
// of change since then. A file that is gone was read to its end.
func (s *source) unchanged() error {
	if s.was == nil {
		return nil
	}
	now, err := os.Stat(s.name)
	if err == nil && os.SameFile(s.was, now) && (now.Size() != s.was.Size() || !now.ModTime().Equal(s.was.ModTime())) {
		return fmt.Errorf("%s changed while it was read", s.name)
	}
	return nil
}

// ReadAt implements io.ReaderAt. If bytes are missing that the file had when it was opened, the
// error is errShorter. A pipe is read as pipe.ReadAt says.
func (s *source) ReadAt(b []byte, at int64) (int, error) {
	switch {
	case s.pipe != nil:
		return s.pipe.ReadAt(b, at)
	case s.file == nil:
		return bytes.NewReader(s.bytes).ReadAt(b, at)
	}
	n, err := s.file.ReadAt(b, at)
	if err == io.EOF && at+int64(len(b)) <= s.size {
		err = errShorter
	}
	return n, err
}

// elementsOf is an io.ReaderAt of the elements of an array: offset 0 is the first one. Its errors
// name the input.
type elementsOf struct{ *array }

func (e elementsOf) ReadAt(b []byte, at int64) (int, error) {
	n, err := e.source.ReadAt(b, e.Offset+at)
	if err != nil {
		err = fmt.Errorf("%s: %w", e.name, err)
	}
	return n, err
}

// open opens and parses the input j.in, in which the name - means standard input. saved is the
// job of -desc, or nil.
func (j *job) open(saved *savedJob) (*array, error) {
	name, member, _ := cutMember(j.in)
	src, err := contents(name, j.stdin, j.memory())
	if err != nil {
		return nil, err
	}
	return j.parseOrClose(src, member, saved)
}

// parseOrClose calls parse. It refuses -orient for what is no picture, and an array of too many
// axes. After an error parseOrClose closes the source. It adds the input's name to
// the error unless that is a usage error or an IndexError.
func (j *job) parseOrClose(src *source, member string, saved *savedJob) (*array, error) {
	a, err := j.parse(src, member, saved)
	switch {
	case err != nil:
	case j.orient != 0 && !a.picture:
		err = usagef("-orient is for pictures, which %s is not", src.name)
	case len(a.Shape) > a.maxRank():
		err = fmt.Errorf("%s of rank %d, of which at most %d are sliced", a.typeName(), len(a.Shape), a.maxRank())
	}
	if err != nil {
		err = errors.Join(err, src.Close())
		if _, text := errors.AsType[*slice1.IndexError](err); text || errors.Is(err, errUsage) {
			return nil, err
		}
		return nil, named(src.name, err)
	}
	return a, nil
}

// cutMember splits in, such as in.npz:x, at the first colon before which stands the name of a file
// or "-". It splits nothing, and returns in, "" and false, if a file has the name in, or if there
// is no such colon.
func cutMember(in string) (file, member string, ok bool) {
	if _, err := os.Stat(in); err == nil || in == "-" {
		return in, "", false
	}
	for i, c := range in {
		if c != ':' {
			continue
		}
		if _, err := os.Stat(in[:i]); err == nil || in[:i] == "-" {
			return in[:i], in[i+1:], true
		}
	}
	return in, "", false
}

func (j *job) parse(src *source, member string, saved *savedJob) (*array, error) {
	a := &array{source: src}
	start := []byte(nil)
	if src.pipe == nil || j.raw == "" {
		var err error
		if start, err = src.start(); err != nil {
			return nil, err
		}
	}
	if src.pipe != nil && (j.raw != "" || isArchive(start) || pictureOf(start) != nil || isNPY(start)) {
		if flows, err := j.parseFlow(a, member); flows || err != nil {
			return a, err
		}
		if err := src.hold(a.expected, math.MaxInt64); err != nil {
			return a, err
		}
	}
	switch {
	case j.raw != "":
		return a, j.parseRaw(a, saved)
	case isArchive(start):
		return a, j.parseArchive(a, member)
	case member != "":
		return a, usagef("%s is no .npz: it has no members", src.name)
	case pictureOf(start) != nil:
		return a, a.parsePicture(pictureOf(start), j.orient)
	case len(start) == 0:
		return a, errors.New("is empty")
	case !isNPY(start):
		return a, foreign(start)
	}
	return a, a.parseNPY(0, src.size)
}

// start returns the first bytes, of which it takes none from a pipe. It returns fewer than 16 if
// there are no more.
func (s *source) start() (start []byte, err error) {
	const length = 16
	if s.pipe != nil {
		start, err = s.pipe.Peek(length)
		start = bytes.Clone(start) // out of the pipe's buffer
	} else {
		n := 0
		start = make([]byte, length)
		n, err = s.ReadAt(start, 0)
		start = start[:n]
	}
	if len(start) == length || err == io.EOF {
		err = nil
	}
	return start, err
}

// foreign returns the error for a file that begins with start and has no format that is read.
func foreign(start []byte) error {
	switch {
	case begins(start, "CDF"), begins(start, "\x89HDF"):
		return errors.New("netCDF or HDF5, of which NumPy saves a variable as .npy")
	case begins(start, "RIFF????WAVE"):
		return errors.New("WAV, whose samples mostly are -raw i2 -skip 44 -shape -1,2")
	}
	return errors.New("not .npy, .npz, PNG, JPEG, GIF, BMP, TIFF, WebP, PGM or PPM; -raw takes elements without a header")
}

// isNPY reports whether file begins with the magic string of .npy. If file is shorter, isNPY
// reports whether the magic string begins with file; so it is true if file is empty.
func isNPY(file []byte) bool {
	const magic = "\x93NUMPY"
	n := min(len(file), len(magic))
	return string(file[:n]) == magic[:n]
}

// parseNPY sets a to the array in an .npy file, which is size bytes of a's source from offset on.
func (a *array) parseNPY(offset, size int64) error {
	h, err := npy.ReadHeaderAt(io.NewSectionReader(a.source, offset, size))
	if err != nil {
		return err
	}
	a.describe(h)
	a.hold(offset+h.Offset, h.Size)
	return nil
}

// describe sets all but the memory of a to what the header says.
func (a *array) describe(h npy.Header) { a.Header, a.strides = h, h.Strides() }

// hold makes size bytes of a's source, from offset on, the elements of a.
func (a *array) hold(offset, size int64) {
	a.Offset, a.Size = offset, size
	if a.file == nil {
		a.data = a.bytes[offset : offset+size]
	}
}

// contents returns the source of the file with a name, which it opens, or of stdin for the name -.
// A file that source.takeFile refuses, and any other reader, becomes a pipe.
func contents(name string, stdin io.Reader, memory *account) (*source, error) {
	s := &source{name: name, account: memory}
	r := stdin
	if name == "-" {
		s.name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, errors.Join(fmt.Errorf("%s is a folder; its files are %s", name, filepath.Join(name, "*")), f.Close())
		}
		r = f
	}
	f, _ := r.(*os.File)
	if f != nil && s.takeFile(f) {
		return s, nil
	}
	if name == "-" {
		f = nil // standard input stays open
	}
	if s.pipe = newPipe(r, nil); f != nil {
		s.pipe.from = f
	}
	return s, nil
}

// takeFile makes f the source's file and returns true if f is a regular file that is positioned at
// its beginning. Otherwise it returns false. A file of size 0 does not count as regular: the system
// may make its bytes when they are read, as in /proc.
func (s *source) takeFile(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	if at, err := f.Seek(0, io.SeekCurrent); err != nil || at != 0 {
		return false
	}
	s.file, s.size, s.was = f, info.Size(), info
	return true
}
