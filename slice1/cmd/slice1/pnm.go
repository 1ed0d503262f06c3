package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// pnm is the header of a binary PGM or PPM.
type pnm struct {
	channels, width, height, maxSample int // maxSample: the largest sample that there may be
}

// pnmStart is the magic number, then width, height and largest sample. White space or a comment is
// before each of these numbers. One byte of white space follows the last.
var pnmStart = regexp.MustCompile(`^P([56])` + strings.Repeat(`(?:[ \t-\r]|#[^\n]*\n)+([0-9]{1,9})`, 3) + `[ \t-\r]`)

// readPNM reads the header from a *bytes.Reader, up to the first sample.
func readPNM(r io.Reader) (h pnm, err error) {
	b, start := r.(*bytes.Reader), make([]byte, 4<<10)
	n, _ := b.ReadAt(start, 0)
	match := pnmStart.FindSubmatch(start[:n])
	if match == nil {
		return h, errors.New("broken PNM header")
	}
	if h.channels = 1; match[1][0] == '6' {
		h.channels = 3
	}
	for i, n := range []*int{&h.width, &h.height, &h.maxSample} {
		*n, _ = strconv.Atoi(string(match[2+i])) // 9 digits
	}
	if h.maxSample < 1 || h.maxSample > 0xffff {
		return h, errors.New("broken PNM header")
	}
	_, err = b.Seek(int64(len(match[0])), io.SeekStart)
	return h, err
}

func decodePNMConfig(r io.Reader) (image.Config, error) {
	h, err := readPNM(r)
	return image.Config{ColorModel: newImage(0, 0, h.channels, h.maxSample > 0xff).ColorModel(), Width: h.width, Height: h.height}, err
}

// decodePNM returns the picture with its samples as they are. It does not scale them, even if the
// largest possible sample is neither 255 nor 65535.
func decodePNM(r io.Reader) (image.Image, error) {
	h, err := readPNM(r)
	if err != nil {
		return nil, err
	}
	m := newImage(h.width, h.height, h.channels, h.maxSample > 0xff)
	pix, t, _ := imageslice.View(m)
	size := t.DataType.Size()
	if h.channels == 1 {
		_, err = io.ReadFull(r, pix)
		return m, err
	}
	pixels := make([]byte, 1024*h.channels*size) // as they are in the file
	for len(pix) > 0 {
		pixels = pixels[:min(len(pixels), len(pix)/4*h.channels)]
		if _, err := io.ReadFull(r, pixels); err != nil {
			return nil, err
		}
		for pixel := range slices.Chunk(pixels, h.channels*size) {
			copy(pix, pixel)
			pix = pix[4*size:]
		}
	}
	return m, nil
}

// pnmHeader returns the header of a PPM for 3 channels, else of a PGM.
func (s *slice) pnmHeader() []byte {
	kind, maxSample := 5, 1<<(8*s.out.Type.Size())-1
	if channelsOf(s.shape) == 3 {
		kind = 6
	}
	if s.out.maxSample != 0 {
		maxSample = s.out.maxSample
	}
	return fmt.Appendf(nil, "P%d\n%d %d\n%d\n", kind, s.shape[1], s.shape[0], maxSample)
}
