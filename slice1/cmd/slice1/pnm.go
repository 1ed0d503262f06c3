package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
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
	models := map[[2]bool]color.Model{
		{false, false}: color.GrayModel, {false, true}: color.Gray16Model, {true, false}: color.RGBAModel, {true, true}: color.RGBA64Model,
	}
	return image.Config{ColorModel: models[[2]bool{h.channels == 3, h.most > 0xff}], Width: h.width, Height: h.height}, err
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
	pix, t, err := imageslice.View(m)
	if err != nil {
		return nil, err
	}
	size := t.DataType.Size()
	if h.channels == 1 {
		_, err = io.ReadFull(b, pix)
		return m, err
	}
	for ; len(pix) > 0; pix = pix[4*size:] {
		if _, err := io.ReadFull(b, pix[:h.channels*size]); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// lookPNM keeps the largest sample that the header allows, for an output of the same format.
func lookPNM(a *array, file []byte) (bits, rate int64, err error) {
	h, err := readPNM(bufio.NewReader(bytes.NewReader(file)))
	a.most = h.most
	bits = 8 * int64(h.channels)
	if h.most > 0xff {
		bits *= 2
	}
	return bits, 1, err
}

// writePNM writes a PPM for 3 channels, else a PGM. Samples of 16 bits are big-endian in these.
func (j *job) writePNM(s *slice, to sink) error {
	kind, most := 5, 0xff
	if channelsOf(s.shape) == 3 {
		kind = 6
	}
	wide := s.in.dtype == slice1.Uint16
	if wide {
		most = 0xffff
	}
	if s.in.most != 0 {
		most = s.in.most
	}
	header := fmt.Appendf(nil, "P%d\n%d %d\n%d\n", kind, s.shape[1], s.shape[0], most)
	if !wide || s.in.bigEndian {
		return j.writeArray(s, header, to)
	}
	if _, err := to.w.Write(header); err != nil {
		return err
	}
	return j.writeArray(s, nil, sink{w: &swapWriter{w: to.w}})
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
