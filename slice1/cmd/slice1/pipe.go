package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// flowBytes is the length of a pipe's buffer. It also bounds the input of a band, which is sliced
// and written before the next one is read, unless the band cannot be cut further.
const flowBytes = 1 << 20

// pipe is an input that can be read only once, from its first byte on.
type pipe struct {
	*bufio.Reader
	from   io.Closer // what to close at the end, or nil
	at     int64     // bytes that were taken or skipped so far
	npy    bool      // the input is a .npy file that is sliced while it is read
	summed bool      // a checksum is verified at the end of the pipe
}

func newPipe(r io.Reader, from io.Closer) *pipe {
	return &pipe{Reader: bufio.NewReaderSize(r, flowBytes), from: from}
}

func (p *pipe) close() error {
	if p.from == nil {
		return nil
	}
	return p.from.Close()
}

// ReadAt implements io.ReaderAt for bytes that were not yet read or skipped; others are an error.
// It skips the bytes before at. If the pipe ends before b is full, the error is
// io.ErrUnexpectedEOF.
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

// peeker reads a pipe without taking what it reads, at most flowBytes.
type peeker struct {
	*pipe
	seen int // bytes that were read
}

func (p *peeker) Read(b []byte) (int, error) {
	ahead, err := p.Peek(p.seen + len(b))
	n := copy(b, ahead[p.seen:])
	p.seen += n
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

// hold reads the source's pipe, of which no byte may have been taken before, into memory up to byte
// end or to its own end, and closes it. If expected is not 0, the pipe should have so many bytes.
func (s *source) hold(expected, end int64) error {
	if expected > 0 {
		end = min(end, expected+1) // one more byte tells that the pipe goes on
	}
	data, err := s.readAll(io.LimitReader(s.pipe, end), expected)
	if err = errors.Join(err, s.pipe.close()); err != nil {
		return err
	}
	s.pipe, s.bytes, s.size = nil, data, int64(len(data))
	return nil
}

// readAll reads r, which has at most one byte more than expected unless that is 0, to its end into
// memory. It takes memory for what is expected at once. It allocates as data comes, since who says
// what to expect need not send it: at most eight times as much, or twice if it does not know what
// to expect.
func (s *source) readAll(r io.Reader, expected int64) (data []byte, err error) {
	size, growth, most := int64(1<<20), int64(2), int64(math.MaxInt64)
	if expected > 0 {
		growth, most = 8, expected+1
		for size = most; size > 1<<20; size = (size + growth - 1) / growth {
		}
		if err := s.reserve(most + most/growth); err != nil {
			return nil, err
		}
		defer func() { s.release(most / growth) }()
	}
	for ; ; size = min(size*growth, most) {
		if expected == 0 {
			if err := s.reserve(size); err != nil {
				return nil, err
			}
		}
		grown := make([]byte, len(data), size)
		copy(grown, data)
		if expected == 0 {
			s.release(int64(cap(data)))
		}
		data = grown
		n, err := io.ReadFull(r, data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF || int64(len(data)) == most:
			return data, nil
		case err != nil:
			return nil, err
		}
	}
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
	if err != nil && err != io.EOF || len(start) == 0 || !isNPY(start) {
		if err == io.EOF {
			err = nil
		}
		return false, err
	}
	h, err := npy.ReadHeader(&peeker{pipe: a.pipe})
	if err != nil {
		return false, err
	}
	const most = 1 << 46 // bytes, so that sums of sizes do not overflow
	if a.describe(h); h.Size > most {
		return false, a.tooLarge()
	}
	if h.Strides() != nil || h.Size == 0 {
		a.expected = cmp.Or(a.expected, h.Offset+h.Size)
		return false, nil
	}
	a.pipe.npy = true
	return true, nil
}

// parseRawFlow is parseFlow for -raw. If the first extent is -1, or if there is no -shape, a is
// open and gets the largest possible first extent. An extent of 0, and another one of -1, cannot be
// sliced while it is read.
func (j *job) parseRawFlow(a *array) (flows bool, err error) {
	if err := j.setRawType(a); err != nil {
		return false, err
	}
	if a.Shape, err = parseShape(cmp.Or(j.shape, "-1"), -1); err != nil {
		return false, err
	}
	if slices.Contains(a.Shape, 0) || slices.Contains(a.Shape[1:], -1) {
		return false, nil
	}
	if a.open = a.Shape[0] == -1; a.open {
		a.Shape[0] = 1
	}
	size := a.bytesOf(a.Shape)
	if size < 0 {
		return false, a.tooLarge()
	}
	if a.open {
		a.Shape[0] = int((maxAlloc - min(j.skip, maxAlloc/2)) / size)
		size *= int64(a.Shape[0])
	}
	a.Offset, a.Size = j.skip, size
	return true, nil
}

// rowBytes returns the bytes of a row: of one position of the first axis, with all of the others.
func (a *array) rowBytes() int64 { return a.Size / int64(a.Shape[0]) }

// prepare makes the pipe of s ready. If the pipe can be sliced while it is read, prepare leaves it
// as it is. Otherwise it reads the rows up to the last one that s takes, or the whole pipe if that
// is unknown, into memory, and makes s anew from these.
func (j *job) prepare(s *slice) error {
	in := s.in
	if len(in.Shape) == 0 || s.empty || s.strided() || !s.rowsFirst() {
		return j.hold(s, math.MaxInt64)
	}
	if !in.open {
		return nil
	}
	// The number of rows is unknown, and the largest possible one stands for it. A position near
	// that was counted from the end: it needs the real number, so the pipe is held in memory. Rows
	// before such a position, and all up to the last, can be taken as they come.
	rows, first := in.Shape[0], s.desc.WindowOffsets[0]
	end, last := first+s.desc.WindowSizes[0], int64(math.MaxInt64)
	if end <= rows/2 {
		last = in.Offset + int64(end)*in.rowBytes()
	}
	// Unless the number of rows leads the shape of the result, the length of an .npy header depends
	// on it.
	leads := len(s.shape) > 0 && s.shape[0] == s.desc.Output.Sizes[0]
	if leads && !j.stack && s.desc.WindowStrides[0] > 0 && first <= rows/2 && (end <= rows/2 || end == rows) {
		return nil
	}
	return j.hold(s, last)
}

// rowsFirst reports whether the first axis of the descriptor is that of the rows of a row-major
// input, as it is unless -axes puts another one there.
func (s *slice) rowsFirst() bool {
	row := 1
	for _, n := range s.desc.Input.Sizes[1:] {
		row *= n
	}
	return s.in.strides == nil && s.desc.Input.Sizes[0] == s.in.Shape[0] && (s.desc.Input.Strides == nil || s.desc.Input.Strides[0] == row)
}

// hold reads the pipe of s up to byte end, or to its own end, into memory and makes s anew from it.
func (j *job) hold(s *slice, end int64) error {
	src := s.in.source
	expected := int64(0)
	if !s.in.open {
		expected = s.in.Offset + s.in.Size
	}
	if err := src.hold(expected, end); err != nil {
		return named(src.name, err)
	}
	in, err := j.parseOrClose(src, "", nil)
	if err != nil {
		return err
	}
	*s = slice{in: in}
	return j.resolve(s)
}

// cutOff returns the error of a pipe that ends after have bytes of elements, which are too few or,
// if a is open, no whole rows. If have is negative, -have bytes before the first element are
// missing.
func (a *array) cutOff(have int64) error {
	text := fmt.Errorf("holds %d bytes, %v of %s takes %d", have, brackets(a.Shape), a.typeName(), a.Size)
	switch {
	case have < 0:
		text = beyond(a.Offset, a.Offset+have)
	case a.open:
		text = fmt.Errorf("holds %d bytes, no multiple of the %d that %v of %s takes", have, a.rowBytes(), brackets(a.Shape[1:]), a.typeName())
	case a.pipe.npy:
		text = fmt.Errorf("%w: %v of %s needs %d bytes of data, has %d", npy.ErrTruncated, a.Shape, a.typeName(), a.Size, have)
	}
	return fmt.Errorf("%s: %w", a.name, text)
}

// writeOpen is writeArray of a pipe whose number of rows, which the header holds, is unknown. It
// writes the header of a file again at the end; if to is no file, it holds the whole result in
// memory until it knows the header. A result without a header is written while it is made.
func (j *job) writeOpen(s *slice, header []byte, to sink) error {
	switch {
	case header == nil:
		return j.run(s, to)
	case to.file != nil:
		if _, err := to.w.Write(header); err != nil {
			return err
		}
		if err := j.run(s, to); err != nil {
			return err
		}
		_, err := to.file.WriteAt(s.header(), 0)
		return err
	}
	rows := &heldRows{source: s.in.source}
	if err := j.run(s, sink{w: rows}); err != nil {
		return err
	}
	buffers := append(net.Buffers{s.header()}, rows.parts...)
	_, err := buffers.WriteTo(to.w)
	return err
}

// heldRows is a writer that holds what is written, in memory that it takes for a source.
type heldRows struct {
	*source
	parts [][]byte
}

func (h *heldRows) Write(b []byte) (int, error) {
	if err := h.reserve(int64(len(b))); err != nil {
		return 0, err
	}
	h.parts = append(h.parts, bytes.Clone(b))
	return len(b), nil
}

// preceded is a writer to w that does something before its first write, which may be of nothing. If
// that fails, it writes nothing and returns the error.
type preceded struct {
	w     io.Writer
	first func() error
}

func (p *preceded) Write(b []byte) (int, error) {
	if err := p.first(); err != nil {
		return 0, err
	}
	p.first = func() error { return nil }
	return p.w.Write(b)
}

// flow slices a pipe band by band, and of a band what has come when the writer pauses, and writes
// the results. If the number of rows is unknown and the pipe ends, flow makes s the slice of the
// rows that came. It is an error if raw elements go on behind the last row of a slice that takes
// that row.
func (j *job) flow(p plan, s *slice, to io.Writer) error {
	slicer, in := j.slicer(s.in, p.kernel), s.in
	bands := outofcore.CutStream(s.desc, flowBytes)
	widest, _ := bands.At(0)
	if err := in.reserve(outofcore.Span(widest) + outofcore.OutputBytes(widest)); err != nil {
		return err
	}
	smallest := outofcore.Smallest(s.desc)
	all := smallest.WindowOffsets[0]+smallest.WindowSizes[0] == in.Shape[0] // the last row is taken
	for i := range bands.Count {
		band, origin := bands.At(i)
		for at, end := origin[0], origin[0]+band.Output.Sizes[0]; at < end; {
			n, err := in.ready(&bands, band, at, end-at)
			if err == io.EOF && in.open {
				rows, err := j.ended(s)
				if err != nil || rows <= at {
					return err
				}
				bands.Narrow(band, 0, at, rows-at)
				return flowBand(in, slicer, band, to)
			}
			if err != nil {
				return err
			}
			bands.Narrow(band, 0, at, n)
			at += n
			out := to
			if all && at == end && i == bands.Count-1 {
				out = &preceded{to, in.toEnd}
			}
			if err := flowBand(in, slicer, band, out); err != nil {
				return err
			}
		}
	}
	switch {
	case in.pipe.summed:
		if _, err := io.Copy(io.Discard, in.pipe); err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
	case all:
		return in.noMore()
	case in.open:
		in.Shape[0] = -1 // for -v: the extent stays unknown
	}
	return nil
}

// ready waits until the input of one position of a band's first axis has come, or flowBytes of it,
// and returns how many positions from lo on, at most n, have come by then. It returns io.EOF if the
// pipe ends before, and is open. A band that is walked backwards is ready as a whole.
func (a *array) ready(bands *outofcore.Boxes, band *slice1.Desc, lo, n int) (int, error) {
	first := bands.Axis(0)
	if first.Step < 0 {
		return n, nil
	}
	bands.Narrow(band, 0, lo, 1)
	from, _ := outofcore.Gather(band)
	span := outofcore.Span(band)
	err := a.pipe.skip(a.Offset + from.First)
	if err == nil {
		_, err = a.pipe.Peek(int(min(span, flowBytes)))
	}
	switch {
	case (err == io.EOF || err == io.ErrUnexpectedEOF) && a.open:
		return 0, io.EOF
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return 0, a.cutOff(a.pipe.at + int64(a.pipe.Buffered()) - a.Offset)
	case err != nil:
		return 0, fmt.Errorf("%s: %w", a.name, err)
	}
	step := first.Step * first.Src * int64(a.Type.Size())
	return min(n, 1+int(max(int64(a.pipe.Buffered())-span, 0)/step)), nil
}

// ended makes s the slice of the rows that came of a pipe that has ended, and returns the number of
// rows of the output.
func (j *job) ended(s *slice) (rows int, err error) {
	in := s.in
	have := in.pipe.at + int64(in.pipe.Buffered()) - in.Offset
	row := in.rowBytes()
	if have < 0 || have%row != 0 {
		return 0, in.cutOff(have)
	}
	in.Size = have
	in.Shape[0] = int(have / row)
	*s = slice{in: in}
	if err := j.resolve(s); err != nil || s.empty {
		return 0, err
	}
	return s.desc.Output.Sizes[0], nil
}

// flowBand slices one band of a pipe and writes it. If the pipe ends before the band's input does,
// the error is that of cutOff.
func flowBand(in *array, slicer *outofcore.Slicer, band *slice1.Desc, to io.Writer) error {
	err := slicer.BoxToStream(context.Background(), band, to)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return in.cutOff(in.pipe.at - in.Offset)
	}
	return err
}

// toEnd reads the pipe of a to the end of its last row. It is an error if the pipe ends before that
// row does. If a is open, it is an error that there is this row: the pipe then has more bytes than
// are possible.
func (a *array) toEnd() error {
	if a.open {
		return fmt.Errorf("%s holds more than %d bytes", a.name, a.Size)
	}
	switch err := a.pipe.skip(a.Offset + a.Size); err {
	case nil:
		return nil
	case io.ErrUnexpectedEOF:
		return a.cutOff(a.pipe.at - a.Offset)
	default:
		return fmt.Errorf("%s: %w", a.name, err)
	}
}

// noMore returns an error if raw elements go on behind the last row of a.
func (a *array) noMore() error {
	if a.pipe.npy {
		return nil
	}
	if _, err := a.pipe.Peek(1); err != io.EOF {
		return errors.Join(err, fmt.Errorf("%s goes on after the %d bytes of %v of %s", a.name, a.Size, brackets(a.Shape), a.typeName()))
	}
	return nil
}
