package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
)

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
