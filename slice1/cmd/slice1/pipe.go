package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/outofcore"
	"github.com/seed2e45c115/dml/slice1/npy"
)

const (
	// flowBytes is the length of a pipe's buffer. It also bounds the input of a band, which is
	// sliced and written before the next one is read, unless the band cannot be cut further.
	flowBytes = 1 << 20
	// prefixBytes bounds the rows that are read into memory before they are sliced, if their
	// number is unknown, but the slice does not depend on it and could be made while they come.
	// The output's header then has the right number of rows from the beginning.
	prefixBytes = 16 << 20
)

// pipe is an input that can be read only once, from its first byte on.
type pipe struct {
	*bufio.Reader
	reader *awaited
	file   *os.File // the file to close at the end, or nil
	at     int64    // bytes that were taken or skipped so far
	npy    bool     // the input is a .npy file that is sliced while it is read
}

func newPipe(r io.Reader, file *os.File) *pipe {
	from := &awaited{r: r}
	return &pipe{Reader: bufio.NewReaderSize(from, flowBytes), reader: from, file: file}
}

func (p *pipe) close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// ReadAt implements io.ReaderAt for bytes that were not yet read or skipped; others are an error. It
// skips the bytes before at. If the pipe ends before b is full, the error is io.ErrUnexpectedEOF.
func (p *pipe) ReadAt(b []byte, at int64) (int, error) {
	if at < p.at {
		return 0, errors.New("taken before")
	}
	if err := p.skip(at); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(p, b)
	p.at += int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// skip drops the bytes before byte to. If the pipe ends before that, the error is
// io.ErrUnexpectedEOF.
func (p *pipe) skip(to int64) error {
	for p.at < to {
		n, err := p.Discard(int(min(to-p.at, 1<<30)))
		p.at += int64(n)
		switch {
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
	return nil
}

// awaited is a reader of r. When its context ends, it stops waiting for r and returns the error of
// the context.
type awaited struct {
	r   io.Reader
	ctx context.Context // nil: wait for r as long as it takes
	buf []byte          // for reads in another goroutine, which may go on after the context ended
}

func (a *awaited) Read(b []byte) (int, error) {
	if a.ctx == nil || a.ctx.Done() == nil {
		return a.r.Read(b)
	}
	if a.buf == nil {
		a.buf = make([]byte, 256<<10)
	}
	type read struct {
		n   int
		err error
	}
	came, into := make(chan read, 1), a.buf[:min(len(b), len(a.buf))]
	go func() {
		n, err := a.r.Read(into)
		came <- read{n, err}
	}()
	select {
	case <-a.ctx.Done():
		return 0, a.ctx.Err()
	case r := <-came:
		return copy(b, into[:r.n]), r.err
	}
}

// hold reads all of the source's pipe into memory and closes the pipe, of which no byte may have
// been taken before.
func (s *source) hold() (err error) {
	s.bytes, err = io.ReadAll(s.pipe)
	s.size = int64(len(s.bytes))
	err = errors.Join(err, s.pipe.close())
	s.pipe = nil
	return err
}

// parseFlow sets type, shape and place of a's elements and returns true if the pipe can be sliced
// while it is read. The pipe must hold a row-major .npy or -raw elements and not be empty, j.flows
// must be true, and no member may be named. parseFlow takes no byte from the pipe.
func (j *job) parseFlow(a *array, member string) (flows bool, err error) {
	switch {
	case !j.flows || member != "":
		return false, nil
	case j.raw != "":
		return j.parseRawFlow(a)
	}
	start, err := a.pipe.Peek(8)
	if err != nil && err != io.EOF || len(start) > 0 && !isNPY(start) {
		if err == io.EOF {
			err = nil
		}
		return false, err
	}
	h, err := npy.PeekHeader(a.pipe.Peek)
	if err != nil || h.Strides() != nil || h.Size == 0 {
		return false, err
	}
	a.pipe.npy = true
	a.describe(h)
	a.offset, a.size = h.Offset, h.Size
	return true, nil
}

// parseRawFlow is parseFlow for -raw. If the first extent is -1, or if there is no -shape, a is open
// and gets the largest possible first extent. An extent of 0 cannot be sliced while it is read.
func (j *job) parseRawFlow(a *array) (flows bool, err error) {
	text := j.shape
	if text == "" {
		text = "-1"
	}
	if err := j.setRawType(a); err != nil {
		return false, err
	}
	if a.shape, err = parseShape(text, 0); err != nil {
		return false, err
	}
	size := a.elementSize()
	for _, extent := range a.shape[1:] {
		if extent == 0 {
			return false, nil
		}
		if int64(extent) > maxAlloc/size {
			return false, a.tooLarge()
		}
		size *= int64(extent)
	}
	if a.shape[0] == 0 {
		one, err := parseShape(text, size/a.elementSize())
		if err != nil || one[0] == 0 {
			return false, err
		}
		a.open, a.shape[0] = true, int((maxAlloc-min(j.skip, maxAlloc/2))/size)
	}
	if int64(a.shape[0]) > maxAlloc/size {
		return false, a.tooLarge()
	}
	a.offset, a.size = j.skip, int64(a.shape[0])*size
	return true, nil
}

// rowBytes returns the bytes of a row: of one position of the first axis, with all of the others.
func (a *array) rowBytes() int64 { return a.size / int64(a.shape[0]) }

// settle decides how the pipe of s is read. If the pipe can be sliced while it is read, settle leaves
// it as it is. Otherwise it reads either the rows up to the last one that s takes or the whole pipe
// into memory, and makes s anew from these.
func (j *job) settle(s *slice) error {
	in := s.in
	packed := false
	if len(in.shape) > 0 && !s.empty && !s.strided() {
		_, packed = packedRun(s.desc.Input.Sizes, s.desc.Input.Strides)
	}
	if !packed {
		return j.holdAll(s)
	}
	if !in.open {
		return nil
	}
	// The number of rows is unknown. s is made for the largest possible number, and less for a
	// smaller one: what is equal in both does not depend on the number. The smaller number is
	// such that the last row is one that a slice to the end takes. A slice that ends before the
	// last row then has one row less, which tells the two apart.
	d := s.desc
	first, size, stride := d.WindowOffsets[0], d.WindowSizes[0], int(magnitude(d.WindowStrides[0]))
	rows := first + max(in.shape[0]-2-first, 0)/stride*stride + 1
	less := &slice{in: new(array)}
	*less.in = *in
	less.in.shape = slices.Concat([]int{rows}, in.shape[1:])
	if err := j.resolve(less); err != nil {
		return err
	}
	same := first == less.desc.WindowOffsets[0]
	bounded := same && size == less.desc.WindowSizes[0]
	forward := same && d.WindowStrides[0] > 0 && (bounded || less.desc.Output.Sizes[0] > (rows-1-first)/stride)
	// Unless the number of rows leads the shape of the result, the length of an .npy header
	// depends on that number.
	switch leads := len(s.shape) > 0 && s.shape[0] == d.Output.Sizes[0]; {
	case bounded && (!forward || !leads || int64(first+size) <= prefixBytes/in.rowBytes()):
		return j.holdRows(s, int64(first+size)*in.rowBytes())
	case !forward || !leads:
		return j.holdAll(s)
	}
	return nil
}

// holdAll reads the whole pipe of s into memory and makes s anew from it.
func (j *job) holdAll(s *slice) error {
	src := s.in.source
	if err := src.hold(); err != nil {
		return err
	}
	in, err := j.parseOrClose(src, "", nil)
	if err != nil {
		return err
	}
	*s = slice{in: in}
	return j.resolve(s)
}

// holdRows reads the first elements of the pipe of s into memory, as many bytes as given, or fewer if
// the pipe ends before. It makes s anew from the rows that it read. A row that is cut off is an error.
func (j *job) holdRows(s *slice, bytes int64) error {
	in := s.in
	row := in.rowBytes()
	if err := in.pipe.skip(in.offset); err == io.ErrUnexpectedEOF {
		return in.cutOff(in.pipe.at - in.offset)
	} else if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(in.pipe, bytes))
	if err = errors.Join(err, in.pipe.close()); err != nil {
		return err
	}
	if int64(len(data))%row != 0 {
		return in.cutOff(int64(len(data)))
	}
	in.pipe, in.open = nil, false
	in.bytes, in.source.size = data, int64(len(data))
	in.shape[0] = int(in.source.size / row)
	in.hold(0, in.source.size)
	*s = slice{in: in}
	return j.resolve(s)
}

// cutOff returns the error of a pipe that ends after have bytes of elements, which are too few or, if
// a is open, no whole rows. If have is negative, -have bytes before the first element are missing.
func (a *array) cutOff(have int64) error {
	text := fmt.Errorf("holds %d bytes, %v of %s takes %d", have, brackets(a.shape), a.typeName(), a.size)
	switch {
	case have < 0:
		text = beyond(a.offset, a.offset+have)
	case a.open:
		text = fmt.Errorf("holds %d bytes, no multiple of the %d that %v of %s takes", have, a.rowBytes(), brackets(a.shape[1:]), a.typeName())
	case a.pipe.npy:
		text = fmt.Errorf("%w: %v of %s needs %d bytes of data, has %d", npy.ErrTruncated, a.shape, a.typeName(), a.size, have)
	}
	return fmt.Errorf("%s: %w", a.name, text)
}

// writeFlow slices a pipe while it is read and writes the result, behind the header unless that is
// nil. The header holds the number of rows. If that is unknown, writeFlow writes the header of a file
// again at the end; if to is no file, it holds the whole result in memory until it knows the header.
// A result without a header is written while it is made.
func (j *job) writeFlow(ctx context.Context, s *slice, header []byte, to sink) error {
	s.in.pipe.reader.ctx = ctx
	switch {
	case !s.in.open:
		if err := j.reserve(to, int64(len(header))+s.size()); err != nil {
			return err
		}
		w := &headed{to.w, header}
		if err := j.flow(ctx, s, w); err != nil {
			return err
		}
		_, err := w.Write(nil)
		return err
	case header == nil:
		return j.flow(ctx, s, to.w)
	case to.file != nil:
		if _, err := to.w.Write(header); err != nil {
			return err
		}
		if err := j.flow(ctx, s, to.w); err != nil {
			return err
		}
		_, err := to.file.WriteAt(s.header(), 0)
		return err
	}
	var rows bytes.Buffer
	if err := j.flow(ctx, s, &rows); err != nil {
		return err
	}
	if _, err := to.w.Write(s.header()); err != nil {
		return err
	}
	_, err := rows.WriteTo(to.w)
	return err
}

// headed is a writer to w that writes a header before the bytes of the first Write, which may be
// none.
type headed struct {
	w      io.Writer
	header []byte
}

func (h *headed) Write(b []byte) (int, error) {
	header := h.header
	h.header = nil
	if len(header) > 0 {
		if _, err := h.w.Write(header); err != nil {
			return 0, err
		}
	}
	return h.w.Write(b)
}

// flow slices a pipe band by band and writes the bands. If the number of rows is unknown and the pipe
// ends, flow makes s the slice of the rows that came.
func (j *job) flow(ctx context.Context, s *slice, to io.Writer) error {
	return j.timed(s, false, func(p plan) error {
		slicer := j.slicer(s.in, p.Kernel())
		bands := outofcore.CutStream(s.desc, flowBytes)
		for i := range bands.Count {
			band, origin := bands.At(i)
			if s.in.open {
				rows, err := j.await(s, band)
				if err != nil {
					return err
				}
				if rows -= origin[0]; rows < band.Output.Sizes[0] {
					if rows > 0 {
						bands.Narrow(band, 0, origin[0], rows)
						return flowBand(ctx, s.in, slicer, band, to)
					}
					return nil
				}
			}
			out := to
			if i == bands.Count-1 {
				out = &checked{to, func() error { return s.in.toEnd(s.desc) }}
			}
			if err := flowBand(ctx, s.in, slicer, band, out); err != nil {
				return err
			}
		}
		if s.in.open {
			s.in.shape[0] = -1 // for -v: the extent stays unknown
		}
		return nil
	})
}

// checked is a writer to w that makes a check before its first write. If the check fails, it writes
// nothing and returns the error of the check.
type checked struct {
	w     io.Writer
	check func() error
}

func (c *checked) Write(b []byte) (int, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	c.check = func() error { return nil }
	return c.w.Write(b)
}

// flowBand slices one band of a pipe and writes it. If the pipe ends before the band's input does,
// the error is that of cutOff.
func flowBand(ctx context.Context, in *array, slicer *outofcore.Slicer, band *slice1.Desc, to io.Writer) error {
	err := slicer.BoxToStream(ctx, band, to)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return in.cutOff(in.pipe.at - in.offset)
	}
	return err
}

// await waits until the input of a band has come, or flowBytes of it if it is longer. It returns the
// number of rows of the whole output. If the pipe ends meanwhile, that is the number for the rows that
// came, and s becomes the slice of these; else it is the number for the largest possible input.
func (j *job) await(s *slice, band *slice1.Desc) (rows int, err error) {
	in := s.in
	from, _ := outofcore.Gather(band)
	err = in.pipe.skip(in.offset + from.First)
	have := in.pipe.at - in.offset
	if err == nil {
		ahead := []byte(nil)
		ahead, err = in.pipe.Peek(int(min(outofcore.Span(band), flowBytes)))
		have += int64(len(ahead))
	}
	switch {
	case err == nil:
		return s.desc.Output.Sizes[0], nil
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return 0, fmt.Errorf("%s: %w", in.name, err)
	case have < 0 || have%in.rowBytes() != 0:
		return 0, in.cutOff(have)
	}
	row := in.rowBytes()
	in.size = have
	in.shape[0] = int(have / row)
	*s = slice{in: in}
	if err := j.resolve(s); err != nil || s.empty {
		return 0, err
	}
	return s.desc.Output.Sizes[0], nil
}

// toEnd reads the pipe of a to the end of its last row if d takes elements of that row, and else does
// nothing. It is an error if the pipe ends before that row does. If a is open, it is an error to take
// the last row: the pipe then has more bytes than are possible.
func (a *array) toEnd(d *slice1.Desc) error {
	least := outofcore.Smallest(d)
	last := least.WindowOffsets[0] + least.WindowSizes[0]
	switch {
	case last < a.shape[0]:
		return nil
	case a.open:
		return fmt.Errorf("%s holds more than %d bytes", a.name, a.size)
	}
	err := a.pipe.skip(a.offset + a.size)
	if err == io.ErrUnexpectedEOF {
		return a.cutOff(a.pipe.at - a.offset)
	}
	return err
}
