package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// pnm is the header of a binary PGM or PPM.
type pnm struct {
	channels, width, height, maxSample int // maxSample: the largest sample that there may be
}

var errPNM = errors.New("broken PNM header")

// pnmHeader is the magic number, then width, height and largest sample. White space or a comment is
// before each of these numbers. One byte of white space follows the last.
var pnmHeader = regexp.MustCompile(`^P([56])` + strings.Repeat(`(?:[ \t-\r]|#[^\n]*\n)+([0-9]{1,9})`, 3) + `[ \t-\r]`)

// readPNM reads the header. r is then at the first sample.
func readPNM(r *bufio.Reader) (h pnm, err error) {
	start, err := r.Peek(r.Size())
	if err != nil && err != io.EOF {
		return h, err
	}
	match := pnmHeader.FindSubmatch(start)
	if match == nil {
		return h, errPNM
	}
	if h.channels = 1; match[1][0] == '6' {
		h.channels = 3
	}
	for i, n := range []*int{&h.width, &h.height, &h.maxSample} {
		*n, _ = strconv.Atoi(string(match[2+i])) // 9 digits
	}
	if h.maxSample < 1 || h.maxSample > 0xffff {
		return h, errPNM
	}
	_, err = r.Discard(len(match[0]))
	return h, err
}

func decodePNMConfig(r io.Reader) (image.Config, error) {
	h, err := readPNM(bufio.NewReader(r))
	return image.Config{ColorModel: newImage(0, 0, h.channels, h.maxSample > 0xff).ColorModel(), Width: h.width, Height: h.height}, err
}

// decodePNM returns the picture with its samples as they are. It does not scale them, even if the
// largest possible sample is neither 255 nor 65535.
func decodePNM(r io.Reader) (image.Image, error) {
	b := bufio.NewReader(r)
	h, err := readPNM(b)
	if err != nil {
		return nil, err
	}
	m := newImage(h.width, h.height, h.channels, h.maxSample > 0xff)
	pix, t, _ := imageslice.View(m)
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

// lookPNM keeps the largest sample that the header allows, for an output of the same format. It
// notes if there are more pictures.
func lookPNM(a *array, file []byte) (bits, rate int64, err error) {
	r := bytes.NewReader(file)
	b := bufio.NewReader(r)
	h, err := readPNM(b)
	a.maxSample = h.maxSample
	bits = 8 * int64(h.channels)
	if h.maxSample > 0xff {
		bits *= 2
	}
	start := int64(len(file) - r.Len() - b.Buffered())
	size := int64(h.width) * int64(h.height) * bits / 8
	if rest := file[min(start+size, int64(len(file))):]; begins(bytes.TrimLeft(rest, " \t\r\n"), "P?") {
		a.note("the first of several pictures")
	}
	return bits, 1, err
}

// pnmHeader returns the header of a PPM for 3 channels, else of a PGM.
func (s *slice) pnmHeader() []byte {
	kind, maxSample := 5, 1<<(8*s.in.Type.Size())-1
	if channelsOf(s.shape) == 3 {
		kind = 6
	}
	if s.in.maxSample != 0 {
		maxSample = s.in.maxSample
	}
	return fmt.Appendf(nil, "P%d\n%d %d\n%d\n", kind, s.shape[1], s.shape[0], maxSample)
}
