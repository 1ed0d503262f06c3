package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/seed2e45c115/dml/slice1"
)

// pnm is the header of a binary PGM or PPM.
type pnm struct {
	channels, width, height, most int // most: the largest sample that there may be
}

var errPNM = errors.New("broken PNM header")

// readPNM reads the header, after which r is at the first sample.
func readPNM(r *bufio.Reader) (h pnm, err error) {
	var magic [2]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return h, err
	}
	h.channels = 1
	if magic[1] == '6' {
		h.channels = 3
	}
	for _, n := range []*int{&h.width, &h.height, &h.most} {
		if *n, err = pnmNumber(r); err != nil {
			return h, err
		}
	}
	if h.most < 1 || h.most > 0xffff {
		return h, errPNM
	}
	return h, nil
}

// pnmNumber reads a number, with the white space and comments before it and the one byte of white
// space behind it.
func pnmNumber(r *bufio.Reader) (int, error) {
	const most = 1 << 30
	n, digits, comment := 0, 0, false
	for {
		c, err := r.ReadByte()
		space := c == ' ' || c >= '\t' && c <= '\r'
		switch {
		case err == io.EOF:
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case comment:
			comment = c != '\n'
		case c == '#' && digits == 0:
			comment = true
		case space && digits > 0:
			return n, nil
		case space:
		case c < '0' || c > '9' || n > most/10:
			return 0, errPNM
		default:
			n, digits = 10*n+int(c-'0'), digits+1
		}
	}
}

func decodePNMConfig(r io.Reader) (image.Config, error) {
	h, err := readPNM(bufio.NewReader(r))
	return image.Config{ColorModel: modelOf(h.most > 0xff), Width: h.width, Height: h.height}, err
}

// decodePNM returns the picture with its samples as they are: if the largest that there may be is
// neither 255 nor 65535, they are not scaled.
func decodePNM(r io.Reader) (image.Image, error) {
	b := bufio.NewReader(r)
	h, err := readPNM(b)
	if err != nil {
		return nil, err
	}
	m := newImage(h.width, h.height, h.channels, h.most > 0xff)
	s := samplesOf(m)
	if h.channels == 1 {
		_, err = io.ReadFull(b, s.pix)
		return m, shortened(err)
	}
	for pix := s.pix; len(pix) > 0; pix = pix[s.step*s.size:] {
		if _, err := io.ReadFull(b, pix[:h.channels*s.size]); err != nil {
			return nil, shortened(err)
		}
	}
	return m, nil
}

// pnmMetadata finds whether bytes follow the first picture.
func (s *source) pnmMetadata() *metadata {
	m := new(metadata)
	r := s.reader()
	b := bufio.NewReader(r)
	h, err := readPNM(b)
	if err != nil {
		return m
	}
	at, _ := r.Seek(0, io.SeekCurrent)
	samples := int64(h.width) * int64(h.height) * int64(h.channels)
	if h.most > 0xff {
		samples *= 2
	}
	if at-int64(b.Buffered())+samples < s.size {
		m.add("what follows the first picture")
	}
	return m
}

// notePNM notes if the header limits samples to a part of the range of their type. It returns m.
func (a *array) notePNM(_ image.Config, m image.Image) (image.Image, error) {
	h, err := readPNM(bufio.NewReader(a.source.reader()))
	if err == nil && h.most != 0xff && h.most != 0xffff {
		a.note("samples of up to %d, not scaled", h.most)
	}
	return m, err
}

// writePNM writes a PPM for 3 channels, else a PGM. Samples of 16 bits are big-endian in these.
func (j *job) writePNM(ctx context.Context, s *slice, to sink) error {
	kind, most := 5, 0xff
	if channelsOf(s.shape) == 3 {
		kind = 6
	}
	wide := s.in.dtype == slice1.Uint16
	if wide {
		most = 0xffff
	}
	header := fmt.Appendf(nil, "P%d\n%d %d\n%d\n", kind, s.shape[1], s.shape[0], most)
	if !wide || s.in.bigEndian {
		return j.writeArray(ctx, s, header, to)
	}
	if _, err := to.w.Write(header); err != nil {
		return err
	}
	return j.writeArray(ctx, s, nil, sink{w: &swapWriter{w: to.w}})
}

// swapWriter is a writer to w that swaps the bytes of each pair.
type swapWriter struct {
	w   io.Writer
	buf []byte // between two writes: the first byte of a pair whose second has not come
}

func (s *swapWriter) Write(b []byte) (int, error) {
	s.buf = append(s.buf, b...)
	even := len(s.buf) &^ 1
	swapPairs(s.buf[:even])
	if _, err := s.w.Write(s.buf[:even]); err != nil {
		return 0, err
	}
	s.buf = append(s.buf[:0], s.buf[even:]...)
	return len(b), nil
}
